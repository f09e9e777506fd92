#include "report/light_speed.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"

namespace uc {
namespace {

// "L1/1 Square matrix multiplication" of level1/1_Square_matrix_multiplication_.
std::string label_of(const ProblemBound& problem) {
  std::string name = problem.path.substr(problem.path.rfind('/') + 1);
  if (problem.level <= 0) return name;
  const std::string number = fmt::format("{}_", problem.id);
  if (starts_with(name, number)) name = name.substr(number.size());
  name = replace_all(std::move(name), "_", " ");
  return fmt::format("L{}/{} {}", problem.level, problem.id, trim(name));
}

LightPoint point_of(const ProblemBound& problem, const SolTime& bound, Precision precision) {
  LightPoint out;
  out.problem = problem.path;
  out.label = label_of(problem);
  out.level = problem.level;
  out.bound_us = bound.total_us;
  out.by = bound.by;
  out.precision = precision;
  return out;
}

LightSeries& series_named(LightSpeed& data, const std::string& name) {
  const auto found = std::ranges::find(data.series, name, &LightSeries::name);
  if (found != data.series.end()) return *found;
  return data.series.emplace_back(LightSeries{name, {}});
}

bool counts(const LightSpeed& data, const ProblemTime& time) {
  const bool here = time.device.empty() || time.device == data.device;
  return here && time.own_io && within_licence(time.precision, data.precision);
}

// What is not shown although somebody measured it.
void leave_out(LightSpeed& out, const std::vector<ProblemBound>& bounds,
               const std::vector<ProblemTime>& times) {
  size_t unknown = 0, elsewhere = 0;
  std::string first;
  for (const ProblemTime& time : times) {
    if (!time.device.empty() && time.device != out.device) ++elsewhere;
    const bool known = std::ranges::any_of(
        bounds, [&](const ProblemBound& each) { return names_problem(time.problem, each.path); });
    if (known) continue;
    if (++unknown == 1) first = time.problem;
  }
  if (elsewhere > 0) out.left_out.push_back(fmt::format("{} times of other devices", elsewhere));
  if (unknown > 0)
    out.left_out.push_back(
        fmt::format("{} times of problems without a capture, the first is `{}`", unknown, first));
}

}  // namespace

std::vector<const LightPoint*> LightSpeed::impossible() const {
  std::vector<const LightPoint*> out;
  for (const LightSeries& each : series) {
    for (const LightPoint& point : each.points) {
      if (point.impossible()) out.push_back(&point);
    }
  }
  return out;
}

void add_times(LightSpeed& out, const std::vector<ProblemBound>& bounds,
               const std::vector<ProblemTime>& times) {
  for (const ProblemTime& time : times) {
    if (counts(out, time)) series_named(out, time.series);
  }
  for (const ProblemBound& problem : bounds) {
    std::map<std::string, const ProblemTime*> best;
    for (const ProblemTime& time : times) {
      if (!counts(out, time) || !names_problem(time.problem, problem.path)) continue;
      const ProblemTime*& kept = best[time.series];
      if (kept == nullptr || time.time_us < kept->time_us) kept = &time;
    }
    if (problem.certified.empty()) {
      out.left_out.push_back(fmt::format("{}: {}", problem.path, problem.missing));
      continue;
    }
    if (const double bound = problem.certified.front().total_us; !best.empty() && bound < kLeastBound)
      out.left_out.push_back(fmt::format("{}: in no mean: its bound of {:.3g} us is below {} us",
                                         problem.path, bound, kLeastBound));
    if (best.empty()) out.left_out.push_back(fmt::format("{}: no time", problem.path));
    for (const auto& [series, time] : best) {
      LightPoint point = point_of(problem, problem.certified.front(), out.precision);
      point.time_us = time->time_us;
      point.what = time->what;
      point.modelled = time->modelled;
      series_named(out, series).points.push_back(std::move(point));
    }
  }
  leave_out(out, bounds, times);
}

void add_proven(LightSpeed& out, const std::vector<ProblemBound>& bounds,
                const std::vector<Precision>& precisions, const std::vector<ProvenTime>& times) {
  for (const ProvenTime& time : times) {
    const auto problem = std::ranges::find_if(bounds, [&](const ProblemBound& each) {
      return each.hash == time.problem_hash || each.name == time.problem;
    });
    if (problem == bounds.end() || problem->certified.empty()) {
      out.left_out.push_back(fmt::format("{} of `{}`: no bound of that problem", time.what, time.problem));
      continue;
    }
    const auto at = std::ranges::find(precisions, time.precision) - precisions.begin();
    LightPoint point = point_of(*problem, problem->certified.at(static_cast<size_t>(at)), time.precision);
    point.time_us = time.time_us;
    point.what = time.what;
    point.modelled = time.modelled;
    series_named(out, fmt::format("ucutlass, {}{}", name(time.precision), time.modelled ? ", modelled" : ""))
        .points.push_back(std::move(point));
  }
}

double mean_gap(const std::vector<const LightPoint*>& points) {
  double sum = 0;
  size_t count = 0;
  for (const LightPoint* each : points) {
    if (!(each->gap() > 0)) continue;
    sum += std::log(each->gap());
    ++count;
  }
  return count == 0 ? 0 : std::exp(sum / static_cast<double>(count));
}

std::map<int64_t, std::vector<const LightPoint*>> by_level(const LightSeries& series) {
  std::map<int64_t, std::vector<const LightPoint*>> out;
  for (const LightPoint& each : series.points) out[each.level].push_back(&each);
  return out;
}

std::string light_speed_json(const LightSpeed& data) {
  using Json = nlohmann::ordered_json;
  Json out{
      {"schema", "ucutlass.light_speed/1"},
      {"device", {{"name", data.device}, {"full_name", data.device_name}, {"sm_clock_mhz", data.clock_mhz}}},
      {"precision", name(data.precision)},
      {"command", data.command},
      {"sources", data.sources},
      {"series", Json::array()},
      {"left_out", data.left_out},
      {"impossible", data.impossible().size()}};
  for (const LightSeries& series : data.series) {
    std::vector<const LightPoint*> all;
    Json points = Json::array();
    for (const LightPoint& each : series.points) {
      all.push_back(&each);
      points.push_back({{"problem", each.problem},
                        {"level", each.level},
                        {"precision", name(each.precision)},
                        {"bound_us", each.bound_us},
                        {"by", each.by},
                        {"time_us", each.time_us},
                        {"kind", each.modelled ? "modelled" : "measured"},
                        {"what", each.what},
                        {"gap", each.has_gap() ? Json(each.gap()) : Json(nullptr)}});
    }
    out["series"].push_back(
        {{"name", series.name}, {"geomean_gap", mean_gap(all)}, {"points", std::move(points)}});
  }
  return out.dump(2) + "\n";
}

}  // namespace uc
