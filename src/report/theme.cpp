#include "report/theme.h"

#include <array>
#include <fmt/format.h>
#include <string_view>

namespace uc {
namespace {

struct Colour {
  std::string_view name, light, dark;
};

// Series in order of use. Light: Okabe and Ito (2008), dark enough for white ground. Dark: the same hues,
// lighter.
constexpr std::array<Colour, 6> kSeries{{{"c1", "#0072b2", "#56b4e9"},
                                         {"c2", "#d55e00", "#f0954a"},
                                         {"c3", "#009e73", "#3ccba0"},
                                         {"c4", "#a8518a", "#e29cc8"},
                                         {"c5", "#8a7000", "#f0e442"},
                                         {"c6", "#5b6470", "#aab4c0"}}};

struct Ground {
  std::string_view paper, panel, ink, soft, faint, grid, danger;
};
constexpr Ground kLight{"#ffffff", "#f6f8fa", "#1b1f24", "#57606a", "#8c959f", "#e4e8ec", "#b42318"};
constexpr Ground kDark{"#0d1117", "#161b22", "#e6edf3", "#9aa5b1", "#6e7781", "#262d36", "#ff8f84"};

std::string picture_colours(const Ground& ground, bool dark) {
  std::string out = fmt::format(
      ".paper{{fill:{0}}}.panel{{fill:{1}}}.ink{{fill:{2}}}.soft{{fill:{3}}}.faint{{fill:{4}}}"
      ".grid{{stroke:{5}}}.grid2{{stroke:{5}}}.axis{{stroke:{4}}}.title{{fill:{2}}}"
      ".iso{{stroke:{4}}}.light{{stroke:{2}}}.danger{{fill:{6}}}.no{{fill:{6}}}.halo{{stroke:{0}}}"
      ".arrow .shaft{{stroke:{3}}}.arrow .head{{fill:{3}}}\n",
      ground.paper, ground.panel, ground.ink, ground.soft, ground.faint, ground.grid, ground.danger);
  for (const Colour& each : kSeries) {
    const std::string_view colour = dark ? each.dark : each.light;
    out += fmt::format(".{0}{{fill:{1}}}.{0}s{{stroke:{1}}}.{0}h{{fill:{2};stroke:{1}}}\n", each.name, colour,
                       ground.paper);
  }
  return out;
}

std::string page_colours(const Ground& ground, bool dark) {
  return fmt::format(
      ":root{{color-scheme:{7};--paper:{0};--panel:{1};--ink:{2};--soft:{3};--faint:{4};--grid:{5};--danger:{"
      "6};"
      "--c1:{8};--c2:{9};--c3:{10}}}\n",
      ground.paper, ground.panel, ground.ink, ground.soft, ground.faint, ground.grid, ground.danger,
      dark ? "dark" : "light", dark ? kSeries[0].dark : kSeries[0].light,
      dark ? kSeries[1].dark : kSeries[1].light, dark ? kSeries[2].dark : kSeries[2].light);
}

constexpr std::string_view kFonts =
    "system-ui,-apple-system,\"Segoe UI\",Roboto,\"Helvetica Neue\",Arial,\"DejaVu Sans\",sans-serif";

constexpr std::string_view kPage = R"css(
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);line-height:1.5}
main{max-width:1080px;margin:0 auto;padding:28px 24px 56px}
h1{font-size:26px;line-height:1.25;margin:0 0 4px;letter-spacing:-.01em;overflow-wrap:anywhere}
h2{font-size:17px;margin:38px 0 10px}
p{margin:6px 0}
a{color:var(--c1)}
svg{width:100%;height:auto;display:block}
.sub{color:var(--soft);margin:0 0 20px}
.note{color:var(--soft);font-size:13px}
.cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(220px,1fr));gap:14px;margin:18px 0}
.card{background:var(--panel);border:1px solid var(--grid);border-radius:12px;padding:14px 18px}
.card .what{color:var(--soft);font-size:13px}
.card .big{font-size:32px;font-weight:650;letter-spacing:-.02em;line-height:1.25}
.card.first .big{color:var(--c1)}
.card.wrong .big,.card.wrong .why{color:var(--danger)}
.card .why{font-size:13px;color:var(--soft)}
.scroll{overflow-x:auto}
.figure svg{min-width:720px}
table{border-collapse:collapse;width:100%;font-size:13px;font-variant-numeric:tabular-nums}
th{text-align:left;color:var(--soft);font-weight:600;border-bottom:1px solid var(--faint);padding:6px 16px 6px 0;vertical-align:bottom}
td{border-bottom:1px solid var(--grid);padding:6px 16px 6px 0;vertical-align:top}
th.n,td.n{text-align:right;white-space:nowrap}
th:last-child,td:last-child{padding-right:0}
tr.now td{font-weight:650}
details{border-top:1px solid var(--grid);padding:10px 0}
summary{cursor:pointer;font-weight:600}
td.one{white-space:nowrap}
td.wide{overflow-wrap:anywhere;min-width:150px}
.dim{color:var(--soft)}
.bar{background:var(--grid);border-radius:3px;height:8px;width:100px;margin-top:6px}
.bar div{background:var(--c1);border-radius:3px;height:8px}
.tag{display:inline-block;border:1px solid var(--grid);background:var(--panel);border-radius:10px;padding:0 8px;font-size:12px;margin:0 4px 2px 0;white-space:nowrap}
.tag.seen{border-color:var(--c2);color:var(--c2)}
.bad{color:var(--danger);font-weight:600}
code,pre{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;font-size:12.5px}
pre{background:var(--panel);border:1px solid var(--grid);border-radius:8px;padding:10px 14px;overflow-x:auto;margin:8px 0}
footer{margin-top:44px;color:var(--soft);font-size:12.5px;border-top:1px solid var(--grid);padding-top:12px}
@media print{main{max-width:none;padding:0}.scroll{overflow:visible}}
)css";

}  // namespace

std::string picture_style() {
  return fmt::format(
             "text{{font-family:{};font-size:13px}}.title{{font-size:21px;font-weight:650}}.bold{{font-"
             "weight:650}}"
             ".small{{font-size:11.5px}}.big{{font-size:15px;font-weight:600}}.halo{{stroke-width:3.5px;"
             "paint-order:stroke;stroke-linejoin:round}}.grid{{stroke-width:1px}}.grid2{{stroke-width:1px;"
             "stroke-opacity:.5}}.axis{{stroke-width:1px}}.iso{{stroke-width:1px;stroke-dasharray:2 4}}"
             ".light{{stroke-width:2px}}.no{{fill-opacity:.07}}.dot{{fill-opacity:.78}}"
             ".arrow .shaft{{stroke-width:1.2px}}.roof{{stroke-width:2px}}.dash{{stroke-dasharray:6 4}}"
             ".thin{{stroke-width:1px}}.pale{{fill-opacity:.28}}.line{{stroke-width:1.5px}}\n",
             kFonts) +
         picture_colours(kLight, false) + "@media (prefers-color-scheme:dark){\n" +
         picture_colours(kDark, true) + "}\n";
}

std::string page_style() {
  return fmt::format("body{{font-family:{};font-size:15px}}\n", kFonts) + page_colours(kLight, false) +
         "@media (prefers-color-scheme:dark){\n" + page_colours(kDark, true) + "}\n" + std::string(kPage) +
         picture_style();
}

}  // namespace uc
