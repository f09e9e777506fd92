#include "torch_records.h"

#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/text.h"

namespace uc::semantics {
namespace {

using nlohmann::json;

std::string decode_base64(const std::string& text) {
  std::string out;
  uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    const int value = c >= 'A' && c <= 'Z'   ? c - 'A'
                      : c >= 'a' && c <= 'z' ? c - 'a' + 26
                      : c >= '0' && c <= '9' ? c - '0' + 52
                      : c == '+'             ? 62
                      : c == '/'             ? 63
                                             : -1;
    if (value < 0) break;
    bits = bits << 6 | static_cast<uint32_t>(value);
    count += 6;
    if (count >= 8) {
      count -= 8;
      out.push_back(static_cast<char>(bits >> count & 0xff));
    }
  }
  return out;
}

HostTensor tensor(const std::string& dtype, const json& shape, const std::string& data) {
  return decode_tensor(dtype, shape.get<Shape>(), data);
}

std::string param_text(const json& value) {
  if (value.is_string()) return value.get<std::string>();
  return value.is_number_integer() ? std::to_string(value.get<int64_t>())
                                   : shortest_float(value.get<double>());
}

TorchRecord record(const json& row, const std::map<std::string, HostTensor>& arrays, size_t line) {
  TorchRecord out;
  out.line = line;
  out.op = row["op"];
  for (const auto& [key, value] : row["params"].items()) out.params.emplace_back(key, param_text(value));
  for (const json& input : row["inputs"]) {
    if (input.is_string()) {
      out.inputs.emplace_back(arrays.at(input.get<std::string>()));
    } else {
      const json& number = input["number"];
      out.inputs.emplace_back(Number{number.get<double>(), number.is_number_integer()});
    }
  }
  const json& output = row["output"];
  out.output = tensor(output["dtype"], output["shape"], output["data"]);
  if (row.contains("f64")) out.f64 = tensor("f64", output["shape"], row["f64"]);
  return out;
}

}  // namespace

HostTensor decode_tensor(const std::string& dtype, const Shape& shape, const std::string& data) {
  const auto type = parse_dtype(dtype);
  EXPECT_TRUE(type.has_value()) << dtype;
  auto out = from_bytes(type.value_or(DType::f32), shape, decode_base64(data));
  EXPECT_TRUE(out.has_value()) << (out ? "" : out.error().message);
  return out.value_or(HostTensor{});
}

std::string TorchRecord::title() const {
  std::vector<std::string> args;
  for (const auto& input : inputs) {
    const auto* tensor = std::get_if<HostTensor>(&input);
    args.push_back(tensor != nullptr ? fmt::format("{}{}", name(tensor->dtype), to_text(tensor->shape))
                                     : fmt::format("{}", std::get<Number>(input).value));
  }
  for (const auto& [key, value] : params) args.push_back(key + "=" + value);
  return fmt::format("{}({}) at line {}", op, fmt::join(args, ", "), line);
}

std::vector<TorchRecord> read_records(const std::string& path) {
  std::ifstream in(path);
  EXPECT_TRUE(in.good()) << path;
  std::vector<TorchRecord> out;
  std::map<std::string, HostTensor> arrays;
  std::string text;
  for (size_t line = 1; std::getline(in, text); ++line) {
    const json row = json::parse(text);
    if (row.contains("array")) {
      arrays.emplace(row["array"], tensor(row["dtype"], row["shape"], row["data"]));
    } else if (row.contains("op")) {
      out.push_back(record(row, arrays, line));
    }
  }
  return out;
}

}  // namespace uc::semantics
