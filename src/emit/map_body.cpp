#include "emit/map_body.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

#include "catalog/scalar_fn.h"
#include "emit/scalar_cpp.h"
#include "plan/map_tile.h"

namespace uc {
namespace {

using cpp::block;
using cpp::line;

// The dimension of the domain that a coordinate counts.
std::optional<size_t> dimension_of(const Shape& domain, const Node& coordinate) {
  const Strides steps = row_major(domain);
  for (size_t d = 0; d < domain.size(); ++d) {
    if (steps[d] == coordinate.divisor && domain[d] == coordinate.extent && domain[d] != 1) return d;
  }
  return std::nullopt;
}

// What all bodies share: names, types, the expression, and how views are read and written at `o<view>`.
class BodyEmitter {
 public:
  BodyEmitter(const Map::Body& body, const CollapsedBody& collapsed, size_t index, bool few)
      : body_(body), collapsed_(collapsed), index_(index), few_(few), last_(collapsed.shape.size() - 1) {}

  std::vector<cpp::Statement> run() {
    std::vector<cpp::Statement> out = head();
    offsets(out);
    element(out);
    return out;
  }

 protected:
  std::vector<cpp::Statement> head() const {
    return {line(fmt::format("const {}& b = map.body[{}]", few_ ? "uck_map_body" : "auto",
                             few_ ? std::to_string(index_) : "blockIdx.y")),
            block("if (i >= b.vectors)", {line("return")})};
  }

  std::string type(uint32_t view) const { return std::string(info(body_.scalar.views[view].dtype).cuda); }
  int64_t width() const { return collapsed_.vector; }

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

  // Reads, computes and writes the vector at `o<view>` of every view.
  void element(std::vector<cpp::Statement>& out) const {
    for (const uint32_t view : loaded()) load(out, view);
    for (const uint32_t view : stored())
      out.push_back(line(fmt::format("uc_pack<{}, {}> r{}", type(view), width(), view)));
    ScalarSpelling spelling;
    spelling.tensor = [this](uint32_t view) {
      return fmt::format("uc_load({})",
                         broadcast(view) ? fmt::format("s{}", view) : fmt::format("t{}.at[k]", view));
    };
    spelling.coordinate = [this](const Node& node) { return coordinate(node); };
    std::vector<NodeId> wanted;
    for (const Effect& effect : body_.scalar.effects) wanted.push_back(effect.node);
    auto loop = scalar_statements(body_.scalar, wanted, spelling);
    for (const Effect& effect : body_.scalar.effects) {
      loop.push_back(line(fmt::format("r{}.at[k] = uc_store_as<{}>::of({})", effect.view, type(effect.view),
                                      name_of(effect.node))));
    }
    out.push_back(
        block(fmt::format("#pragma unroll\n    for (int k = 0; k < {}; ++k)", width()), std::move(loop)));
    for (const uint32_t view : stored()) store(out, view);
  }

  // One element serves the whole vector.
  virtual bool broadcast(uint32_t view) const { return map_access(collapsed_, view) == MapAccess::broadcast; }

  virtual void load(std::vector<cpp::Statement>& out, uint32_t view) const {
    const std::string base = address(view, "const ");
    if (broadcast(view)) {
      out.push_back(line(fmt::format("const {} s{} = *{}", type(view), view, base)));
    } else if (map_access(collapsed_, view) == MapAccess::vector) {
      load_vector(out, view, base);
    } else {
      gather(out, view, fmt::format("{}[k * b.view[{}].stride[{}]]", base, view, last_));
    }
  }

  void load_vector(std::vector<cpp::Statement>& out, uint32_t view, const std::string& base) const {
    out.push_back(
        line(fmt::format("const uc_pack<{0}, {1}> t{2} = *reinterpret_cast<const uc_pack<{0}, {1}>*>{3}",
                         type(view), width(), view, base)));
  }

  void gather(std::vector<cpp::Statement>& out, uint32_t view, const std::string& element) const {
    out.push_back(line(fmt::format("uc_pack<{}, {}> t{}", type(view), width(), view)));
    out.push_back(line(fmt::format("for (int k = 0; k < {}; ++k) t{}.at[k] = {}", width(), view, element)));
  }

  void store(std::vector<cpp::Statement>& out, uint32_t view) const {
    const std::string base = address(view, "");
    if (map_access(collapsed_, view) == MapAccess::strided) {
      out.push_back(line(fmt::format("for (int k = 0; k < {}; ++k) {}[k * b.view[{}].stride[{}]] = r{}.at[k]",
                                     width(), base, view, last_, view)));
    } else {
      out.push_back(
          line(fmt::format("*reinterpret_cast<uc_pack<{}, {}>*>{} = r{}", type(view), width(), base, view)));
    }
  }

  std::string address(uint32_t view, std::string_view qualifier) const {
    return fmt::format("(static_cast<{}{}*>(b.view[{}].data) + o{})", qualifier, type(view), view, view);
  }

  // Where the vector begins, `x<dimension>`, and element offsets of that in every view.
  void offsets(std::vector<cpp::Statement>& out) const {
    const std::string v = std::to_string(width());
    if (last_ == 0) {
      out.push_back(line(fmt::format("const int64_t x0 = i * {}", v)));
    } else {
      out.push_back(line("int64_t rest = i"));
      for (size_t d = last_ + 1; d-- > 1;) {
        const std::string extent =
            d == last_ ? fmt::format("(b.shape[{}] / {})", d, v) : fmt::format("b.shape[{}]", d);
        const std::string scale = d == last_ ? " * " + v : "";
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
      for (size_t d = 0; d <= last_; ++d) term(view, d, fmt::format("x{}", d), terms);
      out.push_back(line(fmt::format("const int64_t o{} = {}", view, sum(terms))));
    }
  }

  // What a place along a dimension adds to the offset in a view.
  void term(uint32_t view, size_t d, const std::string& place, std::vector<std::string>& terms) const {
    const int64_t stride = collapsed_.stride[view][d];
    if (collapsed_.shape[d] == 1 || stride == 0) return;
    terms.push_back(d == last_ && stride == 1 ? place
                                              : fmt::format("{} * b.view[{}].stride[{}]", place, view, d));
  }

  static std::string sum(const std::vector<std::string>& terms) {
    return terms.empty() ? "0" : fmt::format("{}", fmt::join(terms, " + "));
  }

  std::string coordinate(const Node& node) const {
    const auto dimension = dimension_of(body_.domain, node);
    if (!dimension) return "int64_t(0)";  // of an extent of one
    const CollapsedBody::Place& at = collapsed_.place[*dimension];
    const std::string place = at.dim == last_ ? fmt::format("(x{} + k)", last_) : fmt::format("x{}", at.dim);
    const std::string count = at.inner == 1 ? place : fmt::format("uc_divide({}, {})", place, at.inner);
    const bool outermost = at.inner * node.extent == collapsed_.shape[at.dim];
    return outermost ? count : fmt::format("{} % {}", count, node.extent);
  }

  const Map::Body& body_;
  const CollapsedBody& collapsed_;
  size_t index_;
  bool few_;
  size_t last_;
};

// A block has a box: what lies otherwise than the result goes through shared memory, `tile<view>`.
class TileEmitter : public BodyEmitter {
 public:
  TileEmitter(const Map::Body& body, const CollapsedBody& collapsed, size_t index, bool few, int64_t threads)
      : BodyEmitter(body, collapsed, index, few), tile_(*collapsed.tile), threads_(threads) {}

  std::vector<cpp::Statement> run() {
    std::vector<cpp::Statement> out = head();
    box(out);
    for (const uint32_t view : views()) begin(out, view);
    for (const MapTile::Turned& each : tile_.turned) fill(out, each);
    out.push_back(line("__syncthreads()"));
    std::vector<cpp::Statement> loop;
    place(loop);
    for (const uint32_t view : views()) {
      if (tile_.of(view) == nullptr) offset(loop, view);
    }
    element(loop);
    out.push_back(block(fmt::format("#pragma unroll 4\n    for (int n = int(threadIdx.x); n < {}; n += {})",
                                    tile_.batches * tile_.rows * tile_.columns / width(), threads_),
                        std::move(loop)));
    return out;
  }

 private:
  bool several() const { return tile_.batches > 1; }

  std::vector<uint32_t> views() const {
    std::vector<uint32_t> out = loaded();
    for (const uint32_t view : stored()) out.push_back(view);
    return out;
  }

  std::vector<size_t> outer() const {  // dimensions that count batches
    std::vector<size_t> out;
    for (size_t d = 0; d < last_; ++d) {
      if (d != tile_.across) out.push_back(d);
    }
    return out;
  }

  void box(std::vector<cpp::Statement>& out) const {
    const auto cut = [&](std::string_view name, size_t d, int64_t size, std::string_view from,
                         std::string_view rest) {
      out.push_back(line(fmt::format(
          "const int64_t {0}s_of = (b.shape[{1}] + {2}) / {3}, {5} = uc_divide({4}, {0}s_of), {0}0 = ({4} - "
          "{5} * {0}s_of) * {3}",
          name, d, size - 1, size, from, rest)));
      out.push_back(line(fmt::format(
          "const int {0}s = int(b.shape[{1}] - {0}0 < {2} ? b.shape[{1}] - {0}0 : {2})", name, d, size)));
    };
    out.push_back(line("const int64_t box = blockIdx.x"));
    cut("column", last_, tile_.columns, "box", "band");
    cut("row", tile_.across, tile_.rows, "band", "group");
    if (!several()) return;
    std::vector<std::string> extents;
    for (const size_t d : outer()) extents.push_back(fmt::format("b.shape[{}]", d));
    out.push_back(line(fmt::format("const int64_t batches = {}", fmt::join(extents, " * "))));
  }

  // `begin<view>(batch)`: the offset of the box of a batch.
  void begin(std::vector<cpp::Statement>& out, uint32_t view) const {
    std::vector<cpp::Statement> steps;
    std::vector<std::string> terms;
    const std::vector<size_t> dims = outer();
    if (dims.size() > 1) steps.push_back(line("int64_t rest = batch"));
    for (size_t n = dims.size(); n-- > 0;) {
      const size_t d = dims[n];
      if (n == 0) {
        steps.push_back(line(fmt::format("const int64_t x{} = {}", d, dims.size() > 1 ? "rest" : "batch")));
      } else {
        steps.push_back(line(fmt::format(
            "const int64_t q{0} = uc_divide(rest, b.shape[{0}]), x{0} = rest - q{0} * b.shape[{0}]", d)));
        steps.push_back(line(fmt::format("rest = q{}", d)));
      }
      term(view, d, fmt::format("x{}", d), terms);
    }
    term(view, tile_.across, "row0", terms);
    term(view, last_, "column0", terms);
    steps.push_back(line(fmt::format("return {}", terms.empty() ? "int64_t(0)" : sum(terms))));
    out.push_back(block(fmt::format("const auto begin{} = [&](int64_t batch)", view), std::move(steps)));
    out.back().after = ";";
    if (!several()) out.push_back(line(fmt::format("const int64_t p{0} = begin{0}(group)", view)));
  }

  void fill(std::vector<cpp::Statement>& out, const MapTile::Turned& each) const {
    const uint32_t view = each.view;
    const std::string data = fmt::format("static_cast<const {}*>(b.view[{}].data)", type(view), view);
    const std::string from = several()
                                 ? fmt::format(
                                       "[&](int n) -> const {0}* {{ return group * {1} + n < batches ? {2} + "
                                       "begin{3}(group * {1} + n) : nullptr; }}",
                                       type(view), tile_.batches, data, view)
                                 : fmt::format("[&](int) {{ return {} + p{}; }}", data, view);
    out.push_back(line(fmt::format("const uc_tile<{}, {}, {}, {}> tile{}(shared + {})", type(view),
                                   tile_.batches, tile_.rows, tile_.columns, view, each.start)));
    out.push_back(line(
        each.flat ? fmt::format("tile{}.fill_flat<{}, {}>({}, columns)", view, threads_, each.vector, from)
                  : fmt::format("tile{}.fill<{}, {}, {}>({}, b.view[{}].stride[{}], rows, columns)", view,
                                threads_, each.vector, each.cell, from, view, last_)));
  }

  // Of the thread's vector in the box: `row` and `column`, or `place` where rows are written as if they were
  // one.
  void place(std::vector<cpp::Statement>& out) const {
    const int64_t across = tile_.flat ? tile_.rows * tile_.columns / width() : tile_.columns / width();
    if (tile_.flat) {
      out.push_back(line(fmt::format("const int place = n % {} * {}", across, width())));
      out.push_back(block(fmt::format("if (place >= rows * {})", tile_.columns), {line("continue")}));
    } else {
      out.push_back(line(fmt::format("const int column = n % {0} * {1}, row = n / {0}{2}", across, width(),
                                     several() ? fmt::format(" % {}", tile_.rows) : "")));
      out.push_back(block("if (row >= rows || column >= columns)", {line("continue")}));
    }
    if (!several()) return;
    const int64_t box = tile_.rows * tile_.columns / width();
    out.push_back(line(fmt::format("const int batch = n / {}", box)));
    out.push_back(
        block(fmt::format("if (group * {} + batch >= batches)", tile_.batches), {line("continue")}));
  }

  void offset(std::vector<cpp::Statement>& out, uint32_t view) const {
    std::vector<std::string> terms{several() ? fmt::format("begin{}(group * {} + batch)", view, tile_.batches)
                                             : fmt::format("p{}", view)};
    if (!tile_.flat) {
      term(view, tile_.across, "row", terms);
      term(view, last_, "column", terms);
    } else if (flat(view)) {
      terms.push_back("place");
    }
    out.push_back(line(fmt::format("const int64_t o{} = {}", view, sum(terms))));
  }

  // In memory as the box is written, and aligned to it.
  bool flat(uint32_t view) const { return tile_.flat && lies_flat(body_, collapsed_, view, width()); }

  bool broadcast(uint32_t view) const override {
    if (tile_.of(view) != nullptr) return false;
    const Strides& stride = collapsed_.stride[view];
    return tile_.flat ? stride[last_] == 0 && stride[tile_.across] == 0 : BodyEmitter::broadcast(view);
  }

  void load(std::vector<cpp::Statement>& out, uint32_t view) const override {
    if (tile_.of(view) != nullptr) {
      const std::string batch = several() ? "batch" : "0";
      out.push_back(line(
          tile_.flat
              ? fmt::format("const auto t{0} = tile{0}.read_flat<{1}>({2}, place)", view, width(), batch)
              : fmt::format("const auto t{0} = tile{0}.read<{1}>({2}, row, column)", view, width(), batch)));
    } else if (!tile_.flat || broadcast(view)) {
      BodyEmitter::load(out, view);
    } else if (flat(view)) {
      load_vector(out, view, address(view, "const "));
    } else {
      std::vector<std::string> terms;
      term(view, tile_.across, fmt::format("((place + k) / {})", tile_.columns), terms);
      term(view, last_, fmt::format("((place + k) % {})", tile_.columns), terms);
      gather(out, view, fmt::format("{}[{}]", address(view, "const "), sum(terms)));
    }
  }

  const MapTile& tile_;
  int64_t threads_;
};

}  // namespace

std::vector<cpp::Statement> map_statements(const Map::Body& body, const CollapsedBody& collapsed,
                                           size_t index, bool few, int64_t threads) {
  if (collapsed.tile) return TileEmitter(body, collapsed, index, few, threads).run();
  return BodyEmitter(body, collapsed, index, few).run();
}

std::string map_body_refuses(const Map::Body& body) {
  for (const Node& node : body.scalar.nodes) {
    if (node.kind == Node::Kind::call) {
      if (std::string why = call_refuses(node); !why.empty()) return why;
    }
    if (node.kind == Node::Kind::coordinate && node.extent != 1 && !dimension_of(body.domain, node))
      return "it counts along a dimension that is not one of the result";
  }
  return {};
}

}  // namespace uc
