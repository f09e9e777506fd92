// The inverse question: what would a device need to have its certified bound at a given time?
#include <array>
#include <fmt/format.h>
#include <iterator>
#include <nlohmann/json.hpp>

#include "sol/roofline.h"
#include "sol/several.h"

namespace uc {
namespace {

using nlohmann::ordered_json;

struct Unit {
  std::string_view name;
  double work = 0;
  double rate = 0;   // needed a second
  double share = 0;  // of the report's device: its theoretical rate takes that share of the time
  std::string_view what, a_second;
};

std::array<Unit, 5> units_of(const SolReport& report, double time_us) {
  const SolNeed need = sol_needed(report, time_us);
  const SolTime& bound = report.certified;
  const SolWork& work = report.minimum;
  return {{{"memory", work.read_bytes + work.write_bytes, need.memory_bytes_per_second,
            bound.memory_us / time_us, "B", "B/s"},
           {"tensor", work.minimum_flops, need.tensor_flops_per_second, bound.tensor_us / time_us, "FLOP",
            "FLOP/s"},
           {"fma", work.fma_ops / sol::kScalarSlack, need.fma_ops_per_second, bound.fma_us / time_us, "op",
            "op/s"},
           {"special", work.special_ops / sol::kScalarSlack, need.special_ops_per_second,
            bound.special_us / time_us, "op", "op/s"},
           {"integer", work.integer_ops / sol::kScalarSlack, need.integer_ops_per_second,
            bound.integer_us / time_us, "op", "op/s"}}};
}

std::string scaled(double value, std::string_view unit) {
  constexpr std::array<std::string_view, 6> kPrefix{"", "k", "M", "G", "T", "P"};
  size_t step = 0;
  for (; value >= 1000 && step + 1 < kPrefix.size(); ++step) value /= 1000;
  return fmt::format("{:.4g} {}{}", value, kPrefix[step], unit);
}

// Units of a device that are too slow, each with the factor that it lacks.
std::string short_of(const SolTime& bound, double time_us) {
  std::string out;
  const auto add = [&](std::string_view unit, double us) {
    if (us > time_us) out += fmt::format("{}{} {:.2f}x", out.empty() ? "" : ", ", unit, us / time_us);
  };
  add("memory", bound.memory_us);
  add("tensor", bound.tensor_us);
  add("fma", bound.fma_us);
  add("special", bound.special_us);
  add("integer", bound.integer_us);
  return out;
}

}  // namespace

SolNeed sol_needed(const SolReport& report, double time_us) {
  const auto a_second = [time_us](double work) { return time_us > 0 ? work / (time_us * 1e-6) : 0; };
  const SolWork& work = report.minimum;
  return {time_us,
          a_second(work.read_bytes + work.write_bytes),
          a_second(work.minimum_flops),
          a_second(work.fma_ops / sol::kScalarSlack),
          a_second(work.special_ops / sol::kScalarSlack),
          a_second(work.integer_ops / sol::kScalarSlack)};
}

std::string sol_reach_text(const SolReport& report, double time_us, std::span<const DeviceBounds> devices,
                           bool color) {
  std::string text;
  const auto out = std::back_inserter(text);
  const std::string title = fmt::format("to take {:.4g} ms{}{}", time_us / 1000,
                                        report.program.empty() ? "" : ", ", report.program);
  fmt::format_to(out, "{}\n", color ? "\x1b[1m" + title + "\x1b[0m" : title);
  fmt::format_to(out, "{:<8} {:>14} {:>16}   {}'s\n", "unit", "least work", "needed rate", report.device);
  for (const Unit& unit : units_of(report, time_us)) {
    if (unit.work <= 0) continue;
    fmt::format_to(out, "{:<8} {:>14} {:>16}   {:.3g} %\n", unit.name, scaled(unit.work, unit.what),
                   scaled(unit.rate, unit.a_second), 100 * unit.share);
  }
  fmt::format_to(out, "\n");
  for (const DeviceBounds& row : devices) {
    const SolTime& bound = row.report.certified;
    if (!row.missing.empty()) {
      fmt::format_to(out, "{:<10} no    {}\n", row.report.device, row.missing);
    } else if (bound.total_us <= time_us) {
      fmt::format_to(out, "{:<10} yes   bound {:.4g} ms\n", row.report.device, bound.total_us / 1000);
    } else {
      fmt::format_to(out, "{:<10} no    bound {:.4g} ms; lacks {}\n", row.report.device,
                     bound.total_us / 1000, short_of(bound, time_us));
    }
  }
  return text;
}

std::string sol_reach_json(const SolReport& report, double time_us, std::span<const DeviceBounds> devices) {
  ordered_json out = {{"schema", "ucutlass.sol-need/1"},     {"program", report.program},
                      {"precision", name(report.precision)}, {"time_us", time_us},
                      {"relative_to", report.device},        {"units", ordered_json::array()},
                      {"devices", ordered_json::array()}};
  for (const Unit& unit : units_of(report, time_us)) {
    out["units"].push_back(
        {{"unit", unit.name}, {"work", unit.work}, {"needed_per_second", unit.rate}, {"share", unit.share}});
  }
  for (const DeviceBounds& row : devices) {
    ordered_json each = {{"device", row.report.device}};
    if (row.missing.empty()) {
      each["certified_us"] = row.report.certified.total_us;
      each["by"] = row.report.certified.by;
      each["reaches"] = row.report.certified.total_us <= time_us;
    } else {
      each["missing"] = row.missing;
      each["reaches"] = false;
    }
    out["devices"].push_back(std::move(each));
  }
  return out.dump(2) + "\n";
}

}  // namespace uc
