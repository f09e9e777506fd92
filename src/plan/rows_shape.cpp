#include "plan/rows_shape.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "plan/model_parts.h"
#include "plan/rows_stages.h"

namespace uc {
namespace {

constexpr int64_t kRegisters = 65536;    // of an SM
constexpr int64_t kMostRegisters = 255;  // of a thread
// Addresses, what has met, and the expression at work; with a ninth of what is held, as nvcc 13 uses them.
constexpr int64_t kBusyRegisters = 40;
constexpr int64_t kWarp = 32;

// Places along a row, or in the domain, are asked for: dimensions keep their order.
bool ordered(const Scalar& scalar) {
  return std::ranges::any_of(scalar.nodes, [](const Node& node) {
    return node.kind == Node::Kind::coordinate || gives_place(node.combine);
  });
}

// The dimensions of one side, those that are farther apart in memory first.
std::vector<size_t> side(const Rows& rows, bool meeting) {
  std::vector<size_t> out;
  for (size_t d = 0; d < rows.domain.size(); ++d) {
    const bool meets = std::ranges::find(rows.meet, d) != rows.meet.end();
    if (meets == meeting && rows.domain[d] != 1) out.push_back(d);
  }
  const auto& views = rows.body.views;
  const auto largest = std::ranges::max_element(views, {}, touched_bytes);
  if (largest != views.end() && !ordered(rows.body))
    std::ranges::stable_sort(out, std::ranges::greater{}, [&](size_t d) { return largest->stride[d]; });
  return out;
}

bool merges(const Rows& rows, size_t before, size_t next) {
  return std::ranges::all_of(rows.body.views, [&](const View& view) {
    return view.stride[before] == view.stride[next] * rows.domain[next];
  });
}

void append(const Rows& rows, const std::vector<size_t>& dims, Shape& extents, RowsShape& out) {
  for (size_t i = 0; i < dims.size(); ++i) {
    const bool merge = i > 0 && merges(rows, dims[i - 1], dims[i]);
    if (merge) {
      extents.back() *= rows.domain[dims[i]];
    } else {
      extents.push_back(rows.domain[dims[i]]);
    }
    for (size_t v = 0; v < out.stride.size(); ++v) {
      if (merge) out.stride[v].pop_back();
      out.stride[v].push_back(rows.body.views[v].stride[dims[i]]);
    }
  }
  if (!extents.empty()) return;
  extents.push_back(1);
  for (Strides& stride : out.stride) stride.push_back(0);
}

bool is_outer(const Rows& rows, const RowsShape& shape) {
  double along_rows = 0;
  double along_columns = 0;
  for (size_t v = 0; v < shape.stride.size(); ++v) {
    const double bytes = touched_bytes(rows.body.views[v]);
    if (shape.rows.back() > 1 && shape.stride[v][shape.rows.size() - 1] == 1) along_rows += bytes;
    if (shape.columns.back() > 1 && shape.stride[v].back() == 1) along_columns += bytes;
  }
  return along_rows > along_columns;
}

bool aligned(const View& view, const RowsShape& shape, const Strides& stride, int64_t width) {
  if (stride[shape.fast()] != 1) return true;
  const int64_t unit = std::min<int64_t>(16, width * size_bytes(view.dtype)) / size_bytes(view.dtype);
  if (view.offset % unit != 0) return false;
  for (size_t d = 0; d < stride.size(); ++d) {
    if (d != shape.fast() && stride[d] % unit != 0) return false;
  }
  return true;
}

bool differs_along_rows(const RowsShape& shape, const Strides& stride) {
  for (size_t d = shape.rows.size(); d < stride.size(); ++d) {
    if (stride[d] != 0) return true;
  }
  return false;
}

// Of what a stage's accumulators are in generated code, one after the other.
int64_t accumulator_bytes(const RowsStage& stage) {
  int64_t out = 0;
  for (const Gathered& each : stage) {
    const int64_t align = each.bytes % 8 == 0 ? 8 : 4;
    out = up(out, align) * align + each.bytes;
  }
  return up(out, 8) * 8;
}

// Vectors of a row for its threads, blocks of a cluster and parts.
int64_t vectors_of(const RowsShape& shape, const RowsLayout& layout) {
  return shape.length() / (shape.outer ? 1 : layout.vector);
}

}  // namespace

Shape RowsShape::extents() const {
  Shape out = rows;
  out.insert(out.end(), columns.begin(), columns.end());
  return out;
}

double touched_bytes(const View& view) {
  double elements = 1;
  for (size_t d = 0; d < view.shape.size(); ++d)
    elements *= view.stride[d] == 0 ? 1.0 : static_cast<double>(view.shape[d]);
  if (view.windowed()) elements = std::min(elements, static_cast<double>(view.most - view.least + 1));
  return elements * static_cast<double>(size_bytes(view.dtype));
}

bool rows_windowed(const Rows& rows) { return std::ranges::any_of(rows.body.views, &View::windowed); }

RowsShape rows_shape(const Rows& rows) {
  RowsShape out;
  out.stride.resize(rows.body.views.size());
  append(rows, side(rows, false), out.rows, out);
  append(rows, side(rows, true), out.columns, out);
  out.outer = rows_windowed(rows) || is_outer(rows, out);
  return out;
}

int64_t rows_vector(const Rows& rows, const RowsShape& shape, int64_t most) {
  if (rows_windowed(rows)) return 1;
  int64_t narrowest = 16;
  for (size_t v = 0; v < shape.stride.size(); ++v) {
    if (shape.stride[v][shape.fast()] == 1)
      narrowest = std::min(narrowest, size_bytes(rows.body.views[v].dtype));
  }
  const int64_t extent = shape.outer ? shape.rows.back() : shape.columns.back();
  int64_t width = most == 0 ? std::min<int64_t>(16 / narrowest, 8)
                            : static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(most)));
  const auto fits = [&] {
    if (extent % width != 0) return false;
    for (size_t v = 0; v < shape.stride.size(); ++v) {
      if (!aligned(rows.body.views[v], shape, shape.stride[v], width)) return false;
    }
    return true;
  };
  while (width > 1 && !fits()) width /= 2;
  return width;
}

RowsLayout rows_layout(const Rows& rows, const RowsShape& shape, const RowsConfig& config) {
  RowsLayout out;
  out.vector = rows_vector(rows, shape, config.vector);
  out.cluster = std::max<int64_t>(1, config.cluster);
  out.split = std::max<int64_t>(1, config.split);
  const int64_t threads = config.threads == 0 ? kRowsThreads : std::min(config.threads, kMostRowsThreads);
  const int64_t wanted = std::max<int64_t>(1, config.rows_per_block);
  if (rows_windowed(rows)) {
    out.lanes = threads;
  } else if (shape.outer) {
    const int64_t lanes = config.rows_per_block == 0 ? kWarp : up(wanted, out.vector);
    out.lanes = std::clamp<int64_t>(lanes, 1, threads);
    out.team = std::max<int64_t>(1, threads / out.lanes);
  } else {
    out.team = std::max<int64_t>(1, threads / wanted);
    if (out.team > kWarp) {
      out.team = out.team / kWarp * kWarp;
    } else {
      out.team = static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(out.team)));
    }
    out.lanes = std::max<int64_t>(1, threads / out.team);
  }
  const int64_t reads = rows_reads(rows, true);
  out.online = config.passes < 3 || rows_reads(rows, false) > config.passes;
  if (config.passes == 1 && reads > 1) {
    out.online = false;
    out.items = up(vectors_of(shape, out), out.team * out.cluster);
  }
  return out;
}

int64_t held_registers(const Rows& rows, const RowsShape& shape, const RowsLayout& layout) {
  std::vector<NodeId> arguments;
  for (const RowsStage& stage : rows_stages(rows, layout.online)) {
    for (const Gathered& each : stage) arguments.push_back(each.argument);
  }
  const std::vector<bool> needed = needed_after(rows.body, arguments);
  int64_t bytes = 0;
  std::vector<bool> counted(rows.body.views.size(), false);
  for (size_t i = 0; i < needed.size(); ++i) {
    const Node& node = rows.body.nodes[i];
    if (!needed[i] || node.kind != Node::Kind::tensor || counted[node.view]) continue;
    counted[node.view] = true;
    const Strides& stride = shape.stride[node.view];
    if (!differs_along_rows(shape, stride)) continue;
    const int64_t wide = stride[shape.fast()] == 0 ? 1 : layout.vector;
    bytes += std::max<int64_t>(4, wide * size_bytes(rows.body.views[node.view].dtype));
  }
  return layout.items * bytes / 4;
}

int64_t free_registers(int64_t threads) {
  const int64_t own = std::min(kMostRegisters, kRegisters / std::max<int64_t>(threads, kWarp) / 8 * 8);
  return (own - kBusyRegisters) * 9 / 10;
}

int64_t rows_scratch(const Rows& rows, const RowsShape& shape, const RowsLayout& layout) {
  if (layout.split == 1) return 0;
  int64_t out = 0;
  for (const RowsStage& stage : rows_stages(rows, layout.online)) {
    out += shape.count() * layout.split * up(accumulator_bytes(stage), 16) * 16;
  }
  return out;
}

int64_t rows_shared(const Rows& rows, const RowsShape& shape, const RowsLayout& layout) {
  int64_t most = 16;
  for (const RowsStage& stage : rows_stages(rows, layout.online)) {
    const int64_t slots = shape.outer ? layout.threads() * layout.vector : layout.threads() / 32 + 2;
    most = std::max(most, accumulator_bytes(stage) * slots);
  }
  return most;
}

}  // namespace uc
