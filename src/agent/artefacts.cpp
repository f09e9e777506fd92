#include "agent/artefacts.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace uc {
namespace {

using Json = nlohmann::ordered_json;

Json proposals_json(const Hypothesis& hypothesis) {
  Json out = Json::array();
  for (const Proposal& each : hypothesis.proposals) {
    out.push_back({{"rewrite", each.rewrite},
                   {"what", each.what},
                   {"cause", name(each.cause)},
                   {"expected_speedup", each.expected_speedup},
                   {"program_hash", each.candidate->hash()}});
  }
  return out;
}

}  // namespace

void Artefacts::write(const std::string& name, const std::string& text) {
  if (folder_.empty() || failed_) return;
  const std::string full = path(name);
  Result<> done = files_.make_folder(full.substr(0, full.rfind('/')));
  if (done) done = files_.write(full, text);
  if (done) return;
  failed_ = true;
  progress_(fmt::format("warning: {}; the run's files are left out, its attempts are stored all the same",
                        done.error().message));
}

std::string hypotheses_json(const std::vector<Hypothesis>& hypotheses) {
  Json all = Json::array();
  for (const Hypothesis& each : hypotheses) {
    all.push_back({{"id", each.id},
                   {"what", each.what},
                   {"why", each.why},
                   {"expected_speedup", each.speedup},
                   {"implementation_risk", each.implementation_risk},
                   {"performance_risk", each.performance_risk},
                   {"proposals", proposals_json(each)}});
  }
  return Json{{"schema", "ucutlass.hypotheses/1"}, {"hypotheses", std::move(all)}}.dump(2) + "\n";
}

std::string triage_json(const std::vector<Hypothesis>& hypotheses) {
  Json all = Json::array();
  for (const Hypothesis& each : hypotheses) {
    all.push_back({{"id", each.id},
                   {"roi", each.roi},
                   {"verdict", each.verdict},
                   {"new_programs", each.proposals.size()}});
  }
  return Json{{"schema", "ucutlass.triage/1"}, {"ranked", std::move(all)}}.dump(2) + "\n";
}

}  // namespace uc
