#include "emit/map_kernel.h"

#include <algorithm>
#include <fmt/format.h>

#include "catalog/scalar_fn.h"
#include "emit/cpp_tree.h"
#include "emit/kernel_hash.h"
#include "emit/scalar_cpp.h"

namespace uc {
namespace {

using cpp::block;
using cpp::line;

bool mergeable(const Map::Body& body, size_t inner) {
  return std::all_of(body.scalar.views.begin(), body.scalar.views.end(), [&](const View& view) {
    return view.stride[inner - 1] == view.stride[inner] * body.domain[inner] || body.domain[inner - 1] == 1;
  });
}

// What a view's innermost stride allows.
enum class Access : uint8_t { vector, broadcast, strided };
Access access(const CollapsedBody& body, size_t view) {
  const int64_t stride = body.stride[view].back();
  if (body.shape.back() == 1 || stride == 0) return Access::broadcast;
  return stride == 1 ? Access::vector : Access::strided;
}

bool vector_fits(const CollapsedBody& body, const Map::Body& map, int64_t width) {
  if (body.shape.back() % width != 0) return false;
  for (size_t v = 0; v < body.stride.size(); ++v) {
    if (access(body, v) != Access::vector) continue;
    const int64_t bytes = std::min<int64_t>(16, width * size_bytes(map.scalar.views[v].dtype));
    const int64_t unit = bytes / size_bytes(map.scalar.views[v].dtype);
    if (map.scalar.views[v].offset % unit != 0) return false;
    for (size_t d = 0; d + 1 < body.shape.size(); ++d) {
      if (body.shape[d] != 1 && body.stride[v][d] % unit != 0) return false;
    }
  }
  return true;
}

class BodyEmitter {
 public:
  BodyEmitter(const Map::Body& body, const CollapsedBody& collapsed, size_t index)
      : body_(body), collapsed_(collapsed), index_(index) {}

  std::vector<cpp::Statement> run() {
    std::vector<cpp::Statement> out;
    out.push_back(line(fmt::format("const uck_map_body& b = map.body[{}]", index_)));
    out.push_back(block("if (i >= b.vectors)", {line("return")}));
    offsets(out);
    for (const uint32_t view : loaded()) load(out, view);
    for (const uint32_t view : stored()) {
      out.push_back(line(fmt::format("uc_pack<{}, {}> r{}", type(view), collapsed_.vector, view)));
    }
    ScalarSpelling spelling;
    spelling.tensor = [this](uint32_t view) {
      return fmt::format("uc_load({})", access(collapsed_, view) == Access::broadcast
                                            ? fmt::format("s{}", view)
                                            : fmt::format("t{}.at[k]", view));
    };
    std::vector<NodeId> wanted;
    for (const Effect& effect : body_.scalar.effects) wanted.push_back(effect.node);
    auto loop = scalar_statements(body_.scalar, wanted, spelling);
    for (const Effect& effect : body_.scalar.effects) {
      loop.push_back(line(fmt::format("r{}.at[k] = uc_store_as<{}>::of({})", effect.view, type(effect.view),
                                      name_of(effect.node))));
    }
    out.push_back(block(fmt::format("#pragma unroll\n    for (int k = 0; k < {}; ++k)", collapsed_.vector),
                        std::move(loop)));
    for (const uint32_t view : stored()) store(out, view);
    return out;
  }

 private:
  std::string type(uint32_t view) const { return std::string(info(body_.scalar.views[view].dtype).cuda); }

  std::vector<uint32_t> stored() const {
    std::vector<uint32_t> out;
    for (const Effect& effect : body_.scalar.effects) out.push_back(effect.view);
    return out;
  }

  std::vector<uint32_t> loaded() const {
    std::vector<uint32_t> out;
    for (const Node& node : body_.scalar.nodes) {
      if (node.kind == Node::Kind::tensor && std::find(out.begin(), out.end(), node.view) == out.end())
        out.push_back(node.view);
    }
    return out;
  }

  // Element offsets of the thread's first element in every view.
  void offsets(std::vector<cpp::Statement>& out) const {
    const size_t rank = collapsed_.shape.size();
    const std::string v = std::to_string(collapsed_.vector);
    if (rank == 1) {
      out.push_back(line(fmt::format("const int64_t x{} = i * {}", rank - 1, v)));
    } else {
      out.push_back(line("int64_t rest = i"));
      for (size_t d = rank; d-- > 1;) {
        const std::string extent =
            d + 1 == rank ? fmt::format("(b.shape[{}] / {})", d, v) : fmt::format("b.shape[{}]", d);
        const std::string scale = d + 1 == rank ? " * " + v : "";
        out.push_back(line(fmt::format(
            "const int64_t q{0} = uc_divide(rest, {1}), x{0} = (rest - q{0} * {1}){2}", d, extent, scale)));
        out.push_back(line(fmt::format("rest = q{}", d)));
      }
      out.push_back(line("const int64_t x0 = rest"));
    }
    std::vector<uint32_t> views = loaded();
    for (const uint32_t view : stored()) views.push_back(view);
    for (const uint32_t view : views) {
      std::vector<std::string> terms;
      for (size_t d = 0; d < rank; ++d) {
        const int64_t stride = collapsed_.stride[view][d];
        if (collapsed_.shape[d] == 1 || stride == 0) continue;
        const bool unit = d + 1 == rank && stride == 1;
        terms.push_back(unit ? fmt::format("x{}", d)
                             : fmt::format("x{} * b.view[{}].stride[{}]", d, view, d));
      }
      out.push_back(line(fmt::format("const int64_t o{} = {}", view,
                                     terms.empty() ? "0" : fmt::format("{}", fmt::join(terms, " + ")))));
    }
  }

  void load(std::vector<cpp::Statement>& out, uint32_t view) const {
    const std::string base =
        fmt::format("(static_cast<const {}*>(b.view[{}].data) + o{})", type(view), view, view);
    switch (access(collapsed_, view)) {
      case Access::broadcast:
        out.push_back(line(fmt::format("const {} s{} = *{}", type(view), view, base)));
        return;
      case Access::vector:
        out.push_back(
            line(fmt::format("const uc_pack<{0}, {1}> t{2} = *reinterpret_cast<const uc_pack<{0}, {1}>*>{3}",
                             type(view), collapsed_.vector, view, base)));
        return;
      case Access::strided:
        out.push_back(line(fmt::format("uc_pack<{}, {}> t{}", type(view), collapsed_.vector, view)));
        out.push_back(
            line(fmt::format("for (int k = 0; k < {}; ++k) t{}.at[k] = {}[k * b.view[{}].stride[{}]]",
                             collapsed_.vector, view, base, view, collapsed_.shape.size() - 1)));
        return;
    }
  }

  void store(std::vector<cpp::Statement>& out, uint32_t view) const {
    const std::string base = fmt::format("(static_cast<{}*>(b.view[{}].data) + o{})", type(view), view, view);
    if (access(collapsed_, view) == Access::strided) {
      out.push_back(line(fmt::format("for (int k = 0; k < {}; ++k) {}[k * b.view[{}].stride[{}]] = r{}.at[k]",
                                     collapsed_.vector, base, view, collapsed_.shape.size() - 1, view)));
    } else {
      out.push_back(line(fmt::format("*reinterpret_cast<uc_pack<{}, {}>*>{} = r{}", type(view),
                                     collapsed_.vector, base, view)));
    }
  }

  const Map::Body& body_;
  const CollapsedBody& collapsed_;
  size_t index_;
};

}  // namespace

CollapsedBody collapse(const Map::Body& body, int64_t vector) {
  CollapsedBody out;
  out.stride.resize(body.scalar.views.size());
  for (size_t d = 0; d < body.domain.size(); ++d) {
    const bool merge = d != 0 && !out.shape.empty() && mergeable(body, d);
    for (size_t v = 0; v < out.stride.size(); ++v) {
      const int64_t stride = body.scalar.views[v].stride[d];
      if (merge) {
        out.stride[v].back() = stride;
      } else {
        out.stride[v].push_back(stride);
      }
    }
    if (merge) {
      out.shape.back() *= body.domain[d];
    } else {
      out.shape.push_back(body.domain[d]);
    }
  }
  if (out.shape.empty()) {
    out.shape.push_back(1);
    for (Strides& stride : out.stride) stride.push_back(0);
  }
  int64_t narrowest = 16;
  for (const View& view : body.scalar.views) narrowest = std::min(narrowest, size_bytes(view.dtype));
  int64_t width = vector == 0 ? std::min<int64_t>(16 / narrowest, 8) : vector;
  while (width > 1 && !vector_fits(out, body, width)) width /= 2;
  out.vector = width;
  return out;
}

std::string map_refuses(const Map& kernel) {
  if (kernel.bodies.size() > 4) return "one launch converts at most 4 tensors";
  for (const Map::Body& body : kernel.bodies) {
    if (body.scalar.views.size() > 12) return "one launch reads and writes at most 12 tensors";
    for (const Node& node : body.scalar.nodes) {
      if (node.kind == Node::Kind::call && compute_type(node.type) != DType::f32)
        return "it computes in f32 only yet, not in f64 or integers";
    }
  }
  return {};
}

EmittedKernel emit_map(const Map& kernel, const MapConfig& config, std::string_view arch) {
  cpp::File file;
  EmittedKernel out;
  out.arch = arch;
  std::vector<cpp::Statement> body{line("const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x")};
  out.summary = "map";
  for (size_t i = 0; i < kernel.bodies.size(); ++i) {
    const CollapsedBody collapsed = collapse(kernel.bodies[i], config.vector);
    auto statements = BodyEmitter(kernel.bodies[i], collapsed, i).run();
    out.summary += fmt::format(" rank {} vector {}", collapsed.shape.size(), collapsed.vector);
    body.push_back(kernel.bodies.size() == 1
                       ? block("", std::move(statements))
                       : block(fmt::format("if (blockIdx.y == {})", i), std::move(statements)));
  }
  file.decls.push_back(cpp::Comment{out.summary});
  file.decls.push_back(cpp::Include{"\"uc_kernel_args.h\""});
  file.decls.push_back(cpp::Include{"\"uc_math.cuh\""});
  file.decls.push_back(cpp::Include{"\"uc_round.cuh\""});
  const int64_t threads = config.threads == 0 ? kMapThreads : config.threads;
  file.decls.push_back(cpp::Function{
      fmt::format("extern \"C\" __global__ void __launch_bounds__({}) {}", threads, kKernelSymbol),
      {"__grid_constant__ const uck_map map"},
      std::move(body)});
  out.device_source = print(file);
  name_kernel(out);
  return out;
}

}  // namespace uc
