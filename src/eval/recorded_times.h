#pragma once
// Why: PyTorch's times of KernelBench's problems were measured once and ship with the program, so that a
// distance from the bound can be told where no GPU is. Several parts read the same columns.
#include <cstdint>
#include <span>
#include <string_view>

#include "ir/program.h"

namespace uc {

/// Whether a way to run keeps the problem's types of inputs and results.
enum class RecordedIo : uint8_t {
  own,
  results_16,  ///< under autocast what a product gives, and what is made of it, comes in 16 bits
  all_16
};

/// A way that PyTorch was run.
struct RecordedColumn {
  std::string_view json;  ///< "eager_tf32_ms": milliseconds
  std::string_view name;  ///< "eager_tf32"
  Precision precision;    ///< the least licence that allows how it multiplied
  RecordedIo io;
};
std::span<const RecordedColumn> recorded_columns();

/// data/pytorch_h200.jsonl: one JSON object a line with level, id, name and the columns that there are.
std::string_view recorded_times();
inline constexpr std::string_view kRecordedDevice = "h200";
/// Where these times come from, for captions.
inline constexpr std::string_view kRecordedSource = "data/pytorch_h200.jsonl";
inline constexpr std::string_view kRecordedHow =
    "PyTorch 2.11 on one NVIDIA H200, one run each, medians; date not recorded";

}  // namespace uc
