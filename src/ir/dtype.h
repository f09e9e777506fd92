#pragma once
// Why: element types, how PyTorch promotes them, and how each one rounds.
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace uc {

/// Element types in the order of the candidate ABI (include/ucutlass/abi.h).
enum class DType : uint8_t { f64, f32, f16, bf16, f8e4m3, f8e5m2, i8, u8, i32, i64, boolean };

enum class DTypeClass : uint8_t { floating, integer, boolean };

struct DTypeInfo {
  DType type;
  std::string_view name;  ///< in the language and in captures: "f16"; bool is "bool"
  uint8_t bytes;
  DTypeClass kind;
  std::string_view cuda;     ///< "__half"
  std::string_view cutlass;  ///< "cutlass::half_t"
  std::string_view torch;    ///< "torch.float16"
};

std::span<const DTypeInfo> all_dtypes();
const DTypeInfo& info(DType type);
inline std::string_view name(DType type) { return info(type).name; }
inline int64_t size_bytes(DType type) { return info(type).bytes; }
inline bool is_floating(DType type) { return info(type).kind == DTypeClass::floating; }
std::optional<DType> parse_dtype(std::string_view name);
std::optional<DType> parse_torch_dtype(std::string_view name);

/// PyTorch's promotion of two tensors' types (torch.promote_types); f8 with anything else gives that other
/// float type.
DType promote(DType a, DType b);

/// The type that pointwise steps compute in: f64 for f64, f32 for other floats, i64 for integers and bool.
DType compute_type(DType type);

/// `value` rounded to `type`: nearest, ties to even; overflow to infinity (f8e4m3: NaN), as torch's `.to`
/// does. Integers: 64 bits as base/number.h says, of which narrower types keep the low ones; bool: != 0.
double round_to(DType type, double value);

}  // namespace uc
