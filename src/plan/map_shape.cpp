#include "plan/map_shape.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>

#include "plan/map_tile.h"

namespace uc {
namespace {

// Dimensions of more than one element, as the step's own result has them in memory.
std::vector<size_t> order(const Map::Body& body) {
  std::vector<size_t> out;
  for (size_t d = 0; d < body.domain.size(); ++d) {
    if (body.domain[d] != 1) out.push_back(d);
  }
  if (body.scalar.effects.empty()) return out;
  const View& result = body.scalar.views[body.scalar.effects.back().view];
  std::ranges::stable_sort(out, std::ranges::greater{}, [&](size_t d) { return result.stride[d]; });
  return out;
}

bool mergeable(const Map::Body& body, size_t outer, size_t inner) {
  return std::ranges::all_of(body.scalar.views, [&](const View& view) {
    return view.stride[outer] == view.stride[inner] * body.domain[inner];
  });
}

bool counts_places(const Map::Body& body) {
  return std::ranges::any_of(body.scalar.nodes,
                             [](const Node& node) { return node.kind == Node::Kind::coordinate; });
}

void merge(const Map::Body& body, CollapsedBody& out) {
  out.stride.resize(body.scalar.views.size());
  out.place.resize(body.domain.size());
  const std::vector<size_t> dims = order(body);
  const bool counts = counts_places(body);  // by dimension: they stay apart
  for (size_t i = 0; i < dims.size(); ++i) {
    const size_t d = dims[i];
    const bool joins = !counts && i != 0 && mergeable(body, dims[i - 1], d);
    if (joins) {
      for (CollapsedBody::Place& each : out.place) {
        if (each.dim + 1 == out.shape.size()) each.inner *= body.domain[d];
      }
      out.shape.back() *= body.domain[d];
    } else {
      out.shape.push_back(body.domain[d]);
    }
    for (size_t v = 0; v < out.stride.size(); ++v) {
      const int64_t stride = body.scalar.views[v].stride[d];
      if (joins) {
        out.stride[v].back() = stride;
      } else {
        out.stride[v].push_back(stride);
      }
    }
    out.place[d] = {out.shape.size() - 1, 1};
  }
  if (!out.shape.empty()) return;
  out.shape.push_back(1);
  for (Strides& stride : out.stride) stride.push_back(0);
}

bool vector_fits(const CollapsedBody& body, const Map::Body& map, int64_t width) {
  if (body.shape.back() % width != 0) return false;
  for (size_t v = 0; v < body.stride.size(); ++v) {
    const bool turned = body.tile && body.tile->of(static_cast<uint32_t>(v)) != nullptr;
    if (turned || map_access(body, v) != MapAccess::vector) continue;
    const int64_t bytes = std::min<int64_t>(16, width * size_bytes(map.scalar.views[v].dtype));
    const int64_t unit = bytes / size_bytes(map.scalar.views[v].dtype);
    if (map.scalar.views[v].offset % unit != 0) return false;
    for (size_t d = 0; d + 1 < body.shape.size(); ++d) {
      if (body.stride[v][d] % unit != 0) return false;
    }
  }
  return true;
}

// The widest vectors that fit.
void narrow(const Map::Body& body, int64_t widest, CollapsedBody& out) {
  out.vector = widest;
  while (out.vector > 1 && !vector_fits(out, body, out.vector)) out.vector /= 2;
}

}  // namespace

const MapTile::Turned* MapTile::of(uint32_t view) const {
  const auto found = std::ranges::find(turned, view, &Turned::view);
  return found == turned.end() ? nullptr : &*found;
}

MapAccess map_access(const CollapsedBody& body, size_t view) {
  const int64_t stride = body.stride[view].back();
  if (body.shape.back() == 1 || stride == 0) return MapAccess::broadcast;
  return stride == 1 ? MapAccess::vector : MapAccess::strided;
}

CollapsedBody collapse(const Map::Body& body, int64_t vector) {
  CollapsedBody out;
  merge(body, out);
  int64_t narrowest = 16;
  for (const View& view : body.scalar.views) narrowest = std::min(narrowest, size_bytes(view.dtype));
  const int64_t widest = vector == 0 ? std::min<int64_t>(16 / narrowest, 8) : vector;
  if (!counts_places(body)) out.tile = turned_views(body, out);
  narrow(body, widest, out);
  if (out.tile && !set_tile(body, widest, out)) {
    out.tile.reset();
    narrow(body, widest, out);
  }
  return out;
}

int64_t map_blocks(const CollapsedBody& body, int64_t threads) {
  if (numel(body.shape) == 0) return 0;
  if (!body.tile) return (numel(body.shape) / body.vector + threads - 1) / threads;
  const auto parts = [](int64_t all, int64_t each) { return (all + each - 1) / each; };
  const int64_t rows = body.shape[body.tile->across];
  const int64_t columns = body.shape.back();
  return parts(numel(body.shape) / rows / columns, body.tile->batches) * parts(rows, body.tile->rows) *
         parts(columns, body.tile->columns);
}

double map_waste(const CollapsedBody& body, const Map::Body& map, size_t view) {
  constexpr int64_t kSector = 32;  // bytes of a memory transaction
  if (body.tile && body.tile->of(static_cast<uint32_t>(view)) != nullptr) return 1;
  if (map_access(body, view) != MapAccess::strided) return 1;
  const int64_t apart = std::abs(body.stride[view].back());
  return static_cast<double>(
      std::max<int64_t>(1, std::min(apart, kSector / size_bytes(map.scalar.views[view].dtype))));
}

std::string tile_text(const CollapsedBody& body) {
  if (!body.tile) return {};
  const std::string batches = body.tile->batches == 1 ? "" : fmt::format("{} x ", body.tile->batches);
  return fmt::format("turned {}{} x {}", batches, body.tile->rows, body.tile->columns);
}

}  // namespace uc
