// The escape: a kernel in CUDA C++, with a checked signature and no meaning on the host.
#include <algorithm>
#include <fmt/format.h>
#include <span>

#include "base/text.h"
#include "catalog/diags_escape.h"
#include "ops/detail/cuda_signature.h"
#include "ops/support.h"

namespace uc::ops {
namespace {

using Dims = std::vector<int64_t>;

constexpr int64_t kMostShared = 232448;  // bytes a block may ask for on sm_90

struct Output {
  DType type;
  Shape shape;
};

// `out=f32[4, 8]` as the binder leaves it (catalog/op_spec.h: ParamKind::typed).
std::vector<Output> outputs(const Attrs& attrs) {
  std::vector<Output> out;
  const AttrValue* shapes = attrs.find("out_shape");
  const Dims numbers = shapes == nullptr ? Dims() : std::get<Dims>(*shapes);
  const std::string types = attrs.get_word("out", "");
  size_t at = 0;
  for (const std::string_view word : split(types, ' ')) {
    const auto type = parse_dtype(word);
    if (!type || at >= numbers.size()) break;
    const auto rank = static_cast<size_t>(numbers[at]);
    const auto begin = numbers.begin() + static_cast<std::ptrdiff_t>(at) + 1;
    out.push_back({*type, Shape(begin, begin + static_cast<std::ptrdiff_t>(rank))});
    at += rank + 1;
  }
  return out;
}

struct Expected {
  DType type;
  bool pointer;
  bool written;
  std::string what;
};

std::string spelled(const Expected& each) {
  const std::string_view type = cuda_spellings(each.type).front();
  return !each.pointer ? std::string(type) : fmt::format("{}{}*", each.written ? "" : "const ", type);
}

bool fits(const CudaParameter& parameter, const Expected& expected) {
  const auto spellings = cuda_spellings(expected.type);
  const bool type = std::ranges::find(spellings, parameter.type) != spellings.end();
  return type && parameter.pointers == (expected.pointer ? 1U : 0U) &&
         (!expected.pointer || parameter.is_const == !expected.written);
}

std::string whole_signature(const std::vector<Expected>& expected) {
  std::vector<std::string> parts;
  for (const Expected& each : expected) parts.push_back(spelled(each));
  return fmt::format("extern \"C\" __global__ void NAME({})", fmt::join(parts, ", "));
}

bool check_signature(InferContext& context, const std::vector<Expected>& expected) {
  const std::string source = context.op().attrs.get_word("source", "");
  const CudaSignature signature = parse_cuda_signature(source);
  const auto complain = [&](size_t at, std::string message) {
    Diag& diag = context.error(kinds::cuda_signature, std::move(message));
    const int64_t begin = context.op().attrs.get_int("source_at", -1);  // of the text in the program
    if (begin >= 0) {
      diag.span.begin = static_cast<uint32_t>(begin) + static_cast<uint32_t>(at);
      diag.span.end = diag.span.begin + 1;
    }
    diag.help = fmt::format("`{}`", whole_signature(expected));
    return false;
  };
  if (!signature.problem.empty()) return complain(signature.at, signature.problem);
  const auto& parameters = signature.parameters;
  if (parameters.size() != expected.size()) {
    return complain(signature.at, fmt::format("`{}` has {} parameters, and the call gives {}", signature.name,
                                              parameters.size(), expected.size()));
  }
  for (size_t i = 0; i < expected.size(); ++i) {
    if (fits(parameters[i], expected[i])) continue;
    return complain(parameters[i].at, fmt::format("parameter {} of `{}` is for {}: `{}`", i + 1,
                                                  signature.name, expected[i].what, spelled(expected[i])));
  }
  return true;
}

bool check_launch(InferContext& context) {
  const auto extents = [&](std::string_view key) {
    const AttrValue* value = context.op().attrs.find(key);
    const Dims* list = value == nullptr ? nullptr : std::get_if<Dims>(value);
    return list == nullptr ? Dims{1} : *list;
  };
  constexpr int64_t kGrid[] = {2147483647, 65535, 65535};
  constexpr int64_t kBlock[] = {1024, 1024, 64};
  const auto within = [](const Dims& list, std::span<const int64_t> most) {
    bool good = !list.empty() && list.size() <= 3;
    for (size_t i = 0; good && i < list.size(); ++i) good = list[i] >= 1 && list[i] <= most[i];
    return good;
  };
  const Dims block = extents("block");
  const int64_t smem = context.op().attrs.get_int("smem", 0);
  if (within(extents("grid"), kGrid) && within(block, kBlock) && numel(block) <= 1024 && smem >= 0 &&
      smem <= kMostShared)
    return true;
  context.error(kinds::cuda_launch, "no launch has this grid, block or shared memory").help =
      "such as `grid=[128, 8], block=[256], smem=16384`";
  return false;
}

bool infer_cuda(InferContext& context) {
  std::vector<Expected> expected;
  for (size_t i = 0; i < context.count(); ++i) {
    const Value& in = context.in(i);
    expected.push_back({in.dtype, in.kind != ValueKind::scalar, false,
                        in.name.empty() ? fmt::format("input {}", i + 1) : fmt::format("`{}`", in.name)});
  }
  const auto results = outputs(context.op().attrs);
  for (size_t i = 0; i < results.size(); ++i)
    expected.push_back({results[i].type, true, true, fmt::format("output {}", i + 1)});
  if (!check_signature(context, expected) || !check_launch(context)) return false;
  for (const Output& each : results) context.result(each.type, each.shape);
  return true;
}

constexpr ParamSpec kParams[] = {
    {"source", ParamKind::text, {}, true, {}, "CUDA C++ with one extern \"C\" __global__ function"},
    {"inputs", ParamKind::tensors, {}, true, {}, "what the kernel reads, in the order of its parameters"},
    {"out", ParamKind::typed, {}, true, {}, "what it writes, in the order of its last parameters"},
    {"grid", ParamKind::integers, {}, true, {}, "blocks along x, y, z"},
    {"block", ParamKind::integers, {}, true, {}, "threads along x, y, z"},
    {"smem", ParamKind::integer, "0", false, {}, "dynamic shared memory, bytes"}};

constexpr std::string_view kExamples[] = {
    "target sm_90a\ninput x: f32[1024]\n"
    "y = cuda(\"\"\"\nextern \"C\" __global__ void twice(const float* x, float* y) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  y[i] = 2 * x[i];\n}\n\"\"\", inputs=[x], "
    "out=f32[1024], grid=[4], block=[256])\nreturn y\n",
    "target sm_90a\ninput x: f32[64, 128]\ninput n: i32[64]\n"
    "s, m = cuda(\"\"\"\nextern \"C\" __global__ void __launch_bounds__(128)\n"
    "rows(const float* __restrict__ x, const int* n, float* s, float* m) {\n"
    "  extern __shared__ float part[];\n  part[threadIdx.x] = x[blockIdx.x * 128 + threadIdx.x];\n"
    "  __syncthreads();\n  if (threadIdx.x == 0) {\n    float sum = 0, most = -INFINITY;\n"
    "    for (int i = 0; i < n[blockIdx.x]; ++i) { sum += part[i]; most = fmaxf(most, part[i]); }\n"
    "    s[blockIdx.x] = sum;\n    m[blockIdx.x] = most;\n  }\n}\n\"\"\", inputs=[x, n], "
    "out=[f32[64], f32[64]], grid=[64], block=[128], smem=512)\nreturn s, m\n"};

constexpr OpSpec kRows[] = {
    {.name = "cuda",
     .summary = "a kernel written in CUDA C++: its signature is checked, and only a GPU knows its meaning",
     .family = "escape",
     .place = Place::step,
     .params = kParams,
     .memory_operands = true,
     .infer = infer_cuda,
     .examples = kExamples},
};

}  // namespace

std::span<const OpSpec> escape_rows() { return kRows; }

}  // namespace uc::ops
