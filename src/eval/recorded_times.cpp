#include "eval/recorded_times.h"

#include <array>

namespace uc::embedded {
std::string_view recorded(std::string_view file);
}

namespace uc {
namespace {

constexpr std::array<RecordedColumn, 7> kColumns{
    {{"eager_fp32_ms", "eager", Precision::strict, true},
     {"eager_tf32_ms", "eager_tf32", Precision::tf32, true},
     {"compile_tf32_ms", "compile_tf32", Precision::tf32, true},
     {"autocast_f16_ms", "eager_autocast", Precision::f16, true},
     {"compile_autocast_f16_ms", "compile_autocast", Precision::f16, true},
     {"eager_f16_ms", "whole_16", Precision::f16, false},
     {"compile_f16_ms", "compile_whole_16", Precision::f16, false}}};

}  // namespace

std::span<const RecordedColumn> recorded_columns() { return kColumns; }

std::string_view recorded_times() { return embedded::recorded("pytorch_h200.jsonl"); }

}  // namespace uc
