#include "eval/recorded_times.h"

#include <array>

namespace uc::embedded {
std::string_view recorded(std::string_view file);
}

namespace uc {
namespace {

constexpr std::array<RecordedColumn, 7> kColumns{
    {{"eager_fp32_ms", "eager", Precision::strict, RecordedIo::own},
     {"eager_tf32_ms", "eager_tf32", Precision::tf32, RecordedIo::own},
     {"compile_tf32_ms", "compile_tf32", Precision::tf32, RecordedIo::own},
     {"autocast_f16_ms", "eager_autocast", Precision::f16, RecordedIo::results_16},
     {"compile_autocast_f16_ms", "compile_autocast", Precision::f16, RecordedIo::results_16},
     {"eager_f16_ms", "whole_16", Precision::f16, RecordedIo::all_16},
     {"compile_f16_ms", "compile_whole_16", Precision::f16, RecordedIo::all_16}}};

}  // namespace

std::span<const RecordedColumn> recorded_columns() { return kColumns; }

std::string_view recorded_times() { return embedded::recorded("pytorch_h200.jsonl"); }

}  // namespace uc
