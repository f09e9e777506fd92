#pragma once
// Why: data/torch/*.jsonl (docs/schemas/torch_records.md) as values.
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "ir/host_tensor.h"

namespace uc::semantics {

struct Number {
  double value = 0;
  bool is_int = false;
};

struct TorchRecord {
  std::string op;
  std::vector<std::pair<std::string, std::string>> params;  ///< as the language writes them
  std::vector<std::variant<HostTensor, Number>> inputs;
  HostTensor output;
  std::optional<HostTensor> f64;  ///< the same in float64
  size_t line = 0;

  /// "gelu(f32[64], approximate=tanh) at line 12"
  std::string title() const;
};

/// A tensor as the records write it: the name of a dtype, a shape, base64 of the elements.
HostTensor decode_tensor(const std::string& dtype, const Shape& shape, const std::string& data);

/// Every record of a file; the test fails when the file cannot be read.
std::vector<TorchRecord> read_records(const std::string& path);

}  // namespace uc::semantics
