// Schema ucutlass.sol/1: docs/schemas/sol.schema.json.
#include <nlohmann/json.hpp>

#include "sol/sol.h"

namespace uc {
namespace {

using nlohmann::ordered_json;

ordered_json time(const SolTime& time) {
  return {{"us", time.total_us},           {"by", time.by},
          {"tensor_us", time.tensor_us},   {"fma_us", time.fma_us},
          {"special_us", time.special_us}, {"integer_us", time.integer_us},
          {"memory_us", time.memory_us}};
}

ordered_json work(const SolWork& work) {
  return {{"dense_flops", work.dense_flops}, {"minimum_flops", work.minimum_flops},
          {"fma_ops", work.fma_ops},         {"special_ops", work.special_ops},
          {"integer_ops", work.integer_ops}, {"read_bytes", work.read_bytes},
          {"write_bytes", work.write_bytes}};
}

ordered_json rules(const std::vector<SolRule>& rules) {
  ordered_json out = ordered_json::array();
  for (const SolRule& rule : rules) {
    out.push_back({{"id", rule.id},
                   {"where", rule.where},
                   {"holds", name(rule.holds)},
                   {"justification", rule.justification}});
  }
  return out;
}

ordered_json step(const SolStep& step) {
  return {{"names", step.names},
          {"what", step.what},
          {"math", step.math},
          {"shapes", step.shapes},
          {"at_load", step.at_load},
          {"work", work(step.work)},
          {"calibrated", time(step.calibrated)},
          {"share", step.share},
          {"covered", step.covered},
          {"rules", rules(step.rules)}};
}

ordered_json verdict(const SolVerdict& verdict) {
  ordered_json out{{"time_us", verdict.time_us},
                   {"word", verdict.word},
                   {"over_certified", verdict.over_certified},
                   {"over_calibrated", verdict.over_calibrated}};
  if (verdict.score) out["score"] = *verdict.score;
  return out;
}

}  // namespace

std::string sol_json(const SolReport& report) {
  ordered_json out{{"schema", "ucutlass.sol/1"}, {"program", report.program}};
  out["device"] = {{"name", report.device},
                   {"full_name", report.device_name},
                   {"sm_clock_mhz", report.clock_mhz},
                   {"dram_tbps", report.dram_tbps},
                   {"calibrated_dram_tbps", report.calibrated_dram_tbps}};
  out["precision"] = name(report.precision);
  out["work"] = work(report.work);
  out["minimum"] = work(report.minimum);
  out["certified"] = time(report.certified);
  out["promised"] = time(report.promised);
  out["calibrated"] = time(report.calibrated);
  out["launch_floor_us"] = report.launch_floor_us;
  out["intensity_flop_per_byte"] = report.intensity;
  out["ridge_flop_per_byte"] = report.ridge;
  out["levels"] = ordered_json::array();
  for (const SolLevel& level : report.levels) {
    out["levels"].push_back({{"name", level.name},
                             {"summary", level.summary},
                             {"kernels", level.kernels},
                             {"theoretical_us", level.theoretical_us},
                             {"calibrated_us", level.calibrated_us}});
  }
  out["steps"] = ordered_json::array();
  for (const SolStep& each : report.steps) out["steps"].push_back(step(each));
  out["what_if"] = ordered_json::array();
  for (const SolWhatIf& each : report.what_if) {
    out["what_if"].push_back({{"math", each.math},
                              {"precision", each.precision},
                              {"tolerance", each.tolerance},
                              {"certified", time(each.certified)},
                              {"calibrated", time(each.calibrated)}});
  }
  out["coverage"] = report.coverage;
  out["uncovered"] = report.uncovered;
  out["rules"] = rules(report.rules);
  out["structure"] = report.structure;
  out["confidence"] = report.confidence;
  out["reasons"] = report.reasons;
  if (report.verdict) out["verdict"] = verdict(*report.verdict);
  return out.dump(2) + "\n";
}

}  // namespace uc
