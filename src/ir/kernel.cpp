#include "ir/kernel.h"

#include <array>
#include <utility>

namespace uc {
namespace {
constexpr std::array<std::string_view, 10> kMath{"auto", "f32",  "tf32", "tf32x3", "f16x3",
                                                 "f16",  "bf16", "f8",   "i8",     "f64"};
constexpr std::array<std::string_view, 5> kSchedules{"auto", "pingpong", "cooperative", "warp_specialized",
                                                     "multistage"};
constexpr std::array<std::string_view, 3> kRasters{"auto", "along_m", "along_n"};
constexpr std::array<std::string_view, 4> kSchedulers{"auto", "persistent", "stream_k", "split_k"};
constexpr std::array<std::string_view, 3> kAlgorithms{"auto", "implicit_gemm", "direct"};

void append(const Scalar& scalar, std::vector<const View*>& out) {
  for (const View& view : scalar.views) out.push_back(&view);
}

// What a kind reads besides the views of its expression, then those.
void collect(const Contraction& kernel, std::vector<const View*>& out) {
  out = {&kernel.a, &kernel.b};
  if (kernel.a_scale) out.push_back(&*kernel.a_scale);
  if (kernel.b_scale) out.push_back(&*kernel.b_scale);
  append(kernel.epilogue, out);
  if (kernel.ends) out.push_back(&*kernel.ends);
}
void collect(const Map& kernel, std::vector<const View*>& out) {
  for (const Map::Body& body : kernel.bodies) append(body.scalar, out);
}
void collect(const Rows& kernel, std::vector<const View*>& out) { append(kernel.body, out); }
void collect(const Convolution& kernel, std::vector<const View*>& out) {
  out = {&kernel.x, &kernel.w};
  append(kernel.epilogue, out);
}
void collect(const Attention& kernel, std::vector<const View*>& out) {
  out = {&kernel.q, &kernel.k, &kernel.v};
  append(kernel.score, out);
  append(kernel.epilogue, out);
}
}  // namespace

std::string_view name(Math math) { return kMath[static_cast<size_t>(math)]; }

std::optional<Math> parse_math(std::string_view text) {
  for (size_t i = 0; i < kMath.size(); ++i) {
    if (kMath[i] == text) return static_cast<Math>(i);
  }
  return std::nullopt;
}

std::string_view name(ContractionConfig::Schedule schedule) {
  return kSchedules[static_cast<size_t>(schedule)];
}
std::string_view name(ContractionConfig::Raster raster) { return kRasters[static_cast<size_t>(raster)]; }
std::string_view name(ContractionConfig::Scheduler scheduler) {
  return kSchedulers[static_cast<size_t>(scheduler)];
}
std::string_view name(ContractionConfig::Algorithm algorithm) {
  return kAlgorithms[static_cast<size_t>(algorithm)];
}

int64_t Rows::length() const {
  int64_t out = 1;
  for (const size_t d : meet) out *= domain[d];
  return out;
}

int64_t Rows::count() const {
  const int64_t elements = length();
  return elements == 0 ? 0 : numel(domain) / elements;
}

std::vector<const View*> views_of(const Kernel& kernel) {
  std::vector<const View*> out;
  std::visit([&out](const auto& each) { collect(each, out); }, kernel);
  return out;
}

}  // namespace uc
