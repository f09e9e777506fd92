// Knobs of a statement: which there are, which apply, and what they say.
#include <fmt/format.h>
#include <set>

#include "base/text.h"
#include "check/diags.h"
#include "check/row_scope.h"
#include "check/step_resolver.h"

namespace uc {
namespace {

// Whether some launch takes the settings: steps that no back end lowers are held to the same ones.
bool fits(const KnobSpec& spec, const Knob& knob) {
  if (spec.fits != nullptr) return spec.fits(knob);
  if (spec.apply == nullptr) return true;
  Launch contraction;
  contraction.kernel = Contraction{};
  contraction.config = ContractionConfig{};
  Launch map;
  map.kernel = Map{};
  map.config = MapConfig{};
  Launch rows;
  rows.kernel = Rows{};
  rows.config = RowsConfig{};
  return spec.apply(knob, contraction) || spec.apply(knob, map) || spec.apply(knob, rows);
}

class KnobResolver {
 public:
  KnobResolver(Scope& scope, Step& step)
      : scope_(scope), diags_(scope.diags), step_(step), main_(knob_op(scope.program, step)) {}

  void one(const ast::Knob& knob) {
    const KnobSpec* spec = scope_.catalog.knob(knob.name.text, *main_.spec);
    if (spec == nullptr) {
      unknown(knob);
    } else if (!applies(*spec, *main_.spec)) {
      diags_
          .add(kinds::knob_family, knob.name.span,
               fmt::format("`.{}` does not apply to `{}`", spec->name, main_.spec->name))
          .help = fmt::format("it applies to: {}", spec->families);
    } else if (!seen_.insert(knob.name.text).second) {
      diags_.add(kinds::knob_twice, knob.span, fmt::format("`.{}` is set twice", spec->name)).help =
          "keep one of them";
    } else {
      add(*spec, knob);
    }
  }

 private:
  void unknown(const ast::Knob& knob) {
    std::vector<std::string_view> known;
    for (const KnobSpec* row : scope_.catalog.knobs()) {
      if (applies(*row, *main_.spec)) known.push_back(row->name);
    }
    auto& diag =
        diags_.add(kinds::unknown_knob, knob.name.span, fmt::format("no knob is named `{}`", knob.name.text));
    const std::string_view near = nearest(knob.name.text, known);
    diag.replacement = near;
    diag.help = !near.empty() ? fmt::format("did you mean `.{}`?", near)
                : scope_.catalog.op(knob.name.text) != nullptr
                    ? fmt::format("`{0}` is an operator: fuse it with `>> {0}(...)`", knob.name.text)
                    : fmt::format("knobs of `{}`: {}", main_.spec->name, fmt::join(known, " "));
  }

  void add(const KnobSpec& spec, const ast::Knob& ast) {
    Knob knob;
    knob.name = ast.name.text;
    knob.span = ast.span;
    for (const ast::Setting& setting : ast.settings) {
      if (setting.is_set || setting.literals.size() != 1) {
        diags_.add(kinds::knob_set, setting.span, "a set stands for several programs, and one is compiled")
            .help = "`ucutlass expand PROGRAM.uc` lists them; write the setting of one";
        return;
      }
      knob.settings.push_back(value_of(setting.literals[0]));
      knob.setting_spans.push_back(setting.span);
    }
    if (!fits(spec, knob)) {
      diags_.add(kinds::knob_syntax, knob.span, fmt::format("`.{}` does not take these settings", spec.name))
          .help = fmt::format("`.{}({})`", spec.name, spec.syntax);
      return;
    }
    if (!spec.emitted) {
      diags_.add(kinds::knob_not_emitted, knob.span, fmt::format("`.{}` is not emitted yet", spec.name))
          .help = "it is kept in the text and changes nothing; drop it to compile";
    }
    const std::string reason = spec.not_emitted == nullptr ? std::string() : spec.not_emitted(knob);
    if (!reason.empty()) {
      diags_
          .add(kinds::knob_not_emitted, knob.setting_spans.empty() ? knob.span : knob.setting_spans[0],
               reason)
          .help = fmt::format("drop `.{}` or choose another setting", spec.name);
    }
    step_.knobs.push_back(std::move(knob));
  }

  static KnobValue value_of(const ast::Literal& literal) {
    return std::visit(
        [](const auto& value) -> KnobValue {
          if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::vector<int64_t>>) {
            return Tile{value};
          } else {
            return value;
          }
        },
        literal.value);
  }

  Scope& scope_;
  DiagSink& diags_;
  Step& step_;
  const Op& main_;
  std::set<std::string_view> seen_;
};

}  // namespace

void resolve_knobs(Scope& scope, const ast::Step& ast, Step& step) {
  KnobResolver resolver(scope, step);
  for (const ast::Knob& knob : ast.knobs) resolver.one(knob);
}

}  // namespace uc
