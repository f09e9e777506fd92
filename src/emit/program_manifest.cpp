#include <nlohmann/json.hpp>

#include "emit/program_glue.h"

namespace uc {
namespace {

nlohmann::ordered_json tensor_json(const Value& value) {
  return {{"name", value.name},     {"dtype", name(value.dtype)}, {"shape", value.shape},
          {"stride", value.stride}, {"align", kGlueAlign},        {"binding", value.binding}};
}

}  // namespace

std::string emit_manifest(const GlueInput& input, const GlueSizes* sizes) {
  nlohmann::ordered_json json;
  json["schema"] = "ucutlass.manifest/1";
  json["program"] = input.hash;
  json["name"] = input.program.name;
  json["target"] = input.program.target;
  json["precision"] = name(input.program.precision);
  json["dims"] = nlohmann::ordered_json::array();
  for (const GlueSizes::Range& dim : sizes == nullptr ? std::vector<GlueSizes::Range>{} : sizes->dims) {
    json["dims"].push_back({{"name", dim.name},
                            {"low", dim.low},
                            {"high", dim.high},
                            {"step", dim.step},
                            {"chosen", dim.chosen}});
  }
  const auto list = [&](const char* key, const std::vector<ValueId>& ids) {
    json[key] = nlohmann::ordered_json::array();
    for (const ValueId id : ids) json[key].push_back(tensor_json(input.program[id]));
  };
  list("inputs", input.program.inputs);
  list("params", input.program.params);
  list("outputs", input.program.results);
  json["packed_bytes"] = input.buffers.packed_bytes;
  json["workspace_bytes"] = input.buffers.workspace_bytes;
  json["kernels"] = nlohmann::ordered_json::array();
  for (size_t i = 0; i < input.kernels.size(); ++i) {
    json["kernels"].push_back({{"hash", input.kernels[i].hash},
                               {"phase", input.launches[i].phase == Phase::load ? "load" : "run"},
                               {"summary", input.kernels[i].summary}});
  }
  json["source"] = input.source;
  return json.dump(1) + "\n";
}

}  // namespace uc
