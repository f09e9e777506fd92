// Coverage by group and by operator, as JSON, and against an earlier one.
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>

#include "agent/coverage.h"

namespace uc {
namespace {

using Json = nlohmann::ordered_json;

std::vector<OperatorCoverage> sorted(const std::map<std::string, OperatorCoverage>& rows) {
  std::vector<OperatorCoverage> out;
  for (const auto& [name, row] : rows) {
    out.push_back(row);
    out.back().name = name;
  }
  return out;
}

Result<CoverageGroup> listed(const std::vector<ProblemCoverage>& problems, std::string_view list) {
  const Json json = Json::parse(list, nullptr, false);
  const auto bad = [] {
    return fail(R"(the list of problems is not {"name": ..., "levels": {"1": [ids]}})", "see data/kb59.json");
  };
  if (!json.is_object() || !json.contains("name") || !json["name"].is_string() || !json.contains("levels") ||
      !json["levels"].is_object())
    return bad();
  CoverageGroup out{json["name"].get<std::string>(), {}};
  for (const auto& [level, ids] : json["levels"].items()) {
    if (!ids.is_array()) return bad();
    for (const Json& id : ids) {
      if (!id.is_number_integer()) return bad();
      const auto found = std::ranges::find_if(problems, [&](const ProblemCoverage& each) {
        return std::to_string(each.level) == level && each.id == id.get<int64_t>();
      });
      if (found == problems.end())
        return fail(fmt::format("{} lists problem {} of level {}, and there is no capture of it", out.name,
                                id.get<int64_t>(), level),
                    "capture it, or name the folder that holds it");
      out.problems.push_back(&*found);
    }
  }
  return out;
}

Json group_json(const CoverageGroup& group) {
  Json row = {{"name", group.name}, {"problems", group.problems.size()}};
  for (const CoverageStage& stage : kCoverageStages) row[std::string(stage.name)] = group.count(stage);
  return row;
}

Json problem_json(const ProblemCoverage& problem) {
  Json row = {{"name", problem.name}};
  for (const CoverageStage& stage : kCoverageStages) row[std::string(stage.name)] = problem.*stage.reached;
  row["cases"] = problem.cases;
  row["obstacles"] = Json::array();
  for (const Obstacle& each : problem.obstacles)
    row["obstacles"].push_back({{"stage", each.stage}, {"what", each.what}, {"why", each.why}});
  return row;
}

std::string lines(const Json& rows) {
  std::string out = "[";
  for (const Json& row : rows) out += (out.size() == 1 ? "\n" : ",\n") + row.dump();
  return out + "\n]";
}

}  // namespace

Result<std::vector<CoverageGroup>> coverage_groups(const std::vector<ProblemCoverage>& problems,
                                                   std::string_view list) {
  std::map<int64_t, CoverageGroup> levels;
  CoverageGroup all{"all", {}};
  for (const ProblemCoverage& each : problems) {
    all.problems.push_back(&each);
    if (each.level != 0) levels[each.level].problems.push_back(&each);
  }
  std::vector<CoverageGroup> out;
  for (auto& [level, group] : levels) {
    group.name = fmt::format("level {}", level);
    out.push_back(std::move(group));
  }
  if (!list.empty()) {
    auto group = listed(problems, list);
    if (!group) return tl::unexpected(group.error());
    out.push_back(std::move(*group));
  }
  out.push_back(std::move(all));
  return out;
}

std::vector<OperatorCoverage> aten_coverage(const std::vector<ProblemCoverage>& problems) {
  std::map<std::string, OperatorCoverage> rows;
  for (const ProblemCoverage& problem : problems) {
    for (const std::string& target : problem.targets) {
      OperatorCoverage& row = rows[target];
      ++row.problems;
      if (!problem.refused.contains(target)) ++row.good;
    }
  }
  return sorted(rows);
}

std::vector<OperatorCoverage> op_coverage(const Catalog& catalog,
                                          const std::vector<ProblemCoverage>& problems) {
  std::map<std::string, OperatorCoverage> rows;
  for (const OpSpec* spec : catalog.ops()) {
    if (spec->place == Place::inner) continue;
    rows[std::string(spec->name)].kernel =
        spec->scalar != nullptr || spec->lower != nullptr || spec->pieces != nullptr || spec->is_view();
  }
  for (const ProblemCoverage& problem : problems) {
    for (const std::string& op : problem.ops) {
      const auto row = rows.find(op);
      if (row == rows.end()) continue;
      ++row->second.problems;
      if (problem.executed) ++row->second.good;
    }
  }
  return sorted(rows);
}

std::string coverage_json(const Catalog& catalog, const std::vector<ProblemCoverage>& problems,
                          const std::vector<CoverageGroup>& groups) {
  Json totals = Json::array();
  for (const CoverageGroup& group : groups) totals.push_back(group_json(group));
  Json aten = Json::array();
  for (const OperatorCoverage& row : aten_coverage(problems))
    aten.push_back({{"target", row.name}, {"problems", row.problems}, {"imported", row.good}});
  Json ops = Json::array();
  for (const OperatorCoverage& row : op_coverage(catalog, problems))
    ops.push_back(
        {{"op", row.name}, {"problems", row.problems}, {"executed", row.good}, {"kernel", row.kernel}});
  Json rows = Json::array();
  for (const ProblemCoverage& each : problems) rows.push_back(problem_json(each));
  return fmt::format(
      "{{\n\"schema\":\"ucutlass.coverage/"
      "1\",\n\"totals\":{},\n\"aten\":{},\n\"ops\":{},\n\"problems\":{}\n}}\n",
      lines(totals), lines(aten), lines(ops), lines(rows));
}

Result<CoverageChange> compare_coverage(const std::vector<ProblemCoverage>& problems,
                                        std::string_view expected_json) {
  const Json json = Json::parse(expected_json, nullptr, false);
  if (!json.is_object() || json.value("schema", "") != "ucutlass.coverage/1" || !json.contains("problems"))
    return fail("what coverage is held against is not JSON of schema ucutlass.coverage/1",
                "make it with `ucutlass import --all --json`");
  std::map<std::string, Json> expected;
  for (const Json& row : json["problems"]) expected[row.value("name", "")] = row;
  CoverageChange out;
  for (const ProblemCoverage& problem : problems) {
    const auto row = expected.find(problem.name);
    for (const CoverageStage& stage : kCoverageStages) {
      const bool before = row != expected.end() && row->second.value(std::string(stage.name), false);
      const bool now = problem.*stage.reached;
      if (before != now)
        (now ? out.gained : out.lost).push_back(fmt::format("{}: {}", problem.name, stage.name));
    }
    if (row != expected.end()) expected.erase(row);
  }
  for (const auto& [name, row] : expected) out.lost.push_back(name + ": there is no capture of it");
  return out;
}

}  // namespace uc
