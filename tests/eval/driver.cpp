// Evaluates from scripts: the first line of stdin is {"problem": {...}, "environment": {...}}, each further
// line a request (the keys of docs/evaluation.md); prints one record a line.
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "eval/eval_json.h"
#include "eval/session.h"

namespace {

using nlohmann::json;

std::vector<uc::EvalTensor> tensors(const json& list) {
  std::vector<uc::EvalTensor> result;
  for (const json& item : list) {
    uc::EvalTensor tensor;
    tensor.name = item.at("name");
    tensor.dtype = uc::parse_dtype(item.at("dtype").get<std::string>()).value_or(uc::DType::f32);
    tensor.shape = item.at("shape").get<std::vector<int64_t>>();
    tensor.stride = item.value("stride", std::vector<int64_t>());
    result.push_back(tensor);
  }
  return result;
}

uc::EvalProblem problem_from(const json& from) {
  uc::EvalProblem problem;
  problem.path = from.value("path", "");
  problem.builtin = from.value("builtin", "");
  problem.tolerance =
      from.value("tolerance", "strict") == "strict" ? uc::Tolerance::strict : uc::Tolerance::reduced;
  problem.math = from.value("math", "f32");
  problem.seed = from.value("seed", uint64_t{0});
  problem.sets = from.value("sets", 0);
  problem.baselines = from.value("baselines", std::vector<std::string>());
  problem.baseline_budget_s = from.value("baseline_budget_s", problem.baseline_budget_s);
  return problem;
}

uc::EvalRequest request_from(const json& from) {
  uc::EvalRequest request;
  request.id = from.value("id", "");
  request.library = from.value("library", "");
  if (from.contains("manifest")) {
    if (const auto read = uc::read_manifest(from["manifest"].dump(), request); !read)
      std::cerr << read.error().message << "\n";
  } else {
    request.inputs = tensors(from.at("inputs"));
    request.params = tensors(from.at("params"));
    request.outputs = tensors(from.at("outputs"));
  }
  request.time = from.value("time", true);
  request.rounds = from.value("rounds", request.rounds);
  request.against = from.value("against", std::vector<std::string>());
  request.sustained_s = from.value("sustained_s", 0.0);
  request.time_budget_s = from.value("time_budget_s", request.time_budget_s);
  request.sol_floor_us = from.value("sol_floor_us", 0.0);
  request.reduction = from.value("reduction", int64_t{0});
  request.vendor_libraries = from.value("vendor_libraries", true);
  request.host_memory_limit = from.value("host_memory_limit", request.host_memory_limit);
  return request;
}

int run() {
  std::string line;
  if (!std::getline(std::cin, line)) return 2;
  const json first = json::parse(line);
  const json place = first.value("environment", json::object());
  uc::EvalEnvironment environment;
  environment.device = place.value("device", "cuda:0");
  environment.transport = place.value("transport", "");
  environment.python = place.value("python", "");
  environment.judge_folder = place.value("judge_folder", "");
  environment.progress = [](const std::string& text) { std::cerr << text << std::endl; };
  auto session = uc::EvalSession::open(problem_from(first.at("problem")), environment);
  if (!session) {
    std::cerr << session.error().message << "\n" << session.error().help << "\n";
    return 1;
  }
  std::cout << json{{"opened", json::parse((*session)->problem_json())}}.dump() << std::endl;
  while (std::getline(std::cin, line)) {
    const json from = json::parse(line);
    const auto result = (*session)->evaluate(request_from(from));
    if (result) {
      std::cout << result->json << std::endl;
    } else {
      std::cout << json{{"id", from.value("id", "")},
                        {"label", "error"},
                        {"reason", result.error().message},
                        {"message", result.error().help}}
                       .dump()
                << std::endl;
    }
  }
  (*session)->close();
  return 0;
}

}  // namespace

int main() {
  try {
    return run();
  } catch (const std::exception& error) {
    std::cerr << "eval_driver: " << error.what() << "\n";
    return 2;
  }
}
