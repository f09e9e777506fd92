// Data movement that makes new memory: concat, pad.
#include <algorithm>
#include <fmt/format.h>
#include <span>

#include "base/number.h"
#include "catalog/diags.h"
#include "catalog/diags_window.h"
#include "catalog/infer.h"
#include "ops/detail/gathering.h"
#include "ops/detail/pieces.h"
#include "ops/view_row.h"

namespace uc::ops {
namespace {

using Tensors = std::span<const HostTensor* const>;

// ---- concat

constexpr ParamSpec kConcatParams[] = {
    {"x", ParamKind::tensors, {}, true, {}, "tensors, equal but for `dim`"},
    {"dim", ParamKind::integer, "0", false, {}, "the dimension to join along"}};

bool fail_extents(InferContext& context, const Value& other, size_t dim) {
  context
      .error(kinds::concat_extents, fmt::format("{} and {} do not join along dimension {}",
                                                describe(context.in(0)), describe(other), dim))
      .help = "all but the joined dimension are equal; `expand` stretches extents of 1";
  return false;
}

bool infer_concat(InferContext& context) {
  const Value& first = context.in(0);
  const auto dim = dimension(context, context.op().attrs.get_int("dim", 0), first.shape.size());
  if (!dim) return false;
  Shape shape = first.shape;
  for (size_t i = 1; i < context.count(); ++i) {
    const Value& other = context.in(i);
    if (other.shape.size() != shape.size()) return fail_extents(context, other, *dim);
    for (size_t d = 0; d < shape.size(); ++d) {
      if (d != *dim && other.shape[d] != shape[d]) return fail_extents(context, other, *dim);
    }
    shape[*dim] += other.shape[*dim];
  }
  context.result(promoted_type(context.program(), context.op().in), shape, dense_like(shape, first.stride));
  return true;
}

std::vector<Piece> pieces_of_concat(const Program& program, const Op& op) {
  const Shape& whole = program[op.out[0]].shape;
  const int64_t asked = op.attrs.get_int("dim", 0);
  const auto dim = static_cast<size_t>(asked < 0 ? asked + static_cast<int64_t>(whole.size()) : asked);
  std::vector<Piece> out;
  Dims start(whole.size(), 0);
  for (size_t i = 0; i < op.in.size(); ++i) {
    const Shape& shape = program[op.in[i]].shape;
    if (numel(shape) > 0) out.push_back({start, shape, i, Dims(whole.size(), 0), Dims(whole.size(), 1)});
    start[dim] += shape[dim];
  }
  return out;
}

void reference_concat(const Program&, const Op& op, Tensors in, std::span<HostTensor> out) {
  const Shape& shape = out[0].shape;
  const int64_t rank = static_cast<int64_t>(shape.size());
  const int64_t asked = op.attrs.get_int("dim", 0);
  const int64_t dim = asked < 0 ? asked + rank : asked;
  const int64_t inner = numel(Shape(shape.begin() + dim + 1, shape.end()));
  const int64_t row = shape[static_cast<size_t>(dim)] * inner;
  int64_t start = 0;
  for (const HostTensor* each : in) {
    const int64_t length = each->shape[static_cast<size_t>(dim)] * inner;
    std::visit(
        [&](const auto& from, auto& to) {
          using T = typename std::decay_t<decltype(to)>::value_type;
          for (size_t i = 0; i < from.size(); ++i) {
            const auto at = static_cast<int64_t>(i);
            to[static_cast<size_t>(at / length * row + start + at % length)] = element_as<T>(from[i]);
          }
        },
        each->data, out[0].data);
    start += length;
  }
}

// ---- pad: amounts as PyTorch has them, the last dimension first

constexpr ParamSpec kPadParams[] = {
    kX,
    {"pads", ParamKind::integers, {}, true, {}, "before and after, the last dimension first: [1, 1] pads W"},
    {"mode", ParamKind::word, "constant", false, "constant|reflect|replicate|circular", "what is put there"},
    {"value", ParamKind::number, "0", false, {}, "of constant"}};

struct Pads {
  Dims before, after;  ///< one a dimension of x
};

std::optional<Pads> pads_of(const Attrs& attrs, size_t rank) {
  const Dims given = list(attrs, "pads");
  if (given.size() % 2 != 0 || given.empty() || given.size() / 2 > rank) return std::nullopt;
  Pads out{Dims(rank, 0), Dims(rank, 0)};
  for (size_t i = 0; i < given.size(); i += 2) {
    out.before[rank - 1 - i / 2] = given[i];
    out.after[rank - 1 - i / 2] = given[i + 1];
  }
  return out;
}

// The most that a mode pads by one side.
bool allowed(std::string_view mode, int64_t amount, int64_t extent) {
  constexpr int64_t kMost = int64_t{1} << 30;
  if (amount > kMost || amount < -kMost) return false;
  if (mode == "constant") return true;
  return amount >= 0 && (mode == "replicate" || (mode == "reflect" ? amount < extent : amount <= extent));
}

bool infer_pad(InferContext& context) {
  const Value& x = context.in(0);
  const auto pads = pads_of(context.op().attrs, x.shape.size());
  if (!pads) {
    context
        .error(kinds::pad_list,
               fmt::format("{} amounts for {}", list(context.op().attrs, "pads").size(), describe(x)))
        .help = "two a dimension: `pad(x, [1, 1])` the last, `pad(x, [1, 1, 2, 2])` the last two";
    return false;
  }
  const std::string mode = context.op().attrs.get_word("mode", "constant");
  Shape shape = x.shape;
  for (size_t d = 0; d < shape.size(); ++d) {
    const bool fits = allowed(mode, pads->before[d], shape[d]) && allowed(mode, pads->after[d], shape[d]);
    const int64_t extent = shape[d] + pads->before[d] + pads->after[d];
    if (!fits || extent < 1) {
      context
          .error(kinds::pad_amount, fmt::format("`{}` pads dimension {} of {} by {} and {}", mode, d,
                                                describe(x), pads->before[d], pads->after[d]))
          .help = fits ? "an extent of 1 or more is left" : std::string(kinds::pad_amount.summary);
      return false;
    }
    shape[d] = extent;
  }
  context.result(x.dtype, shape, dense_like(shape, x.stride));
  return true;
}

// Where the element at `at` of the padded dimension is in the dimension itself; negative where it is padding.
int64_t unpadded(std::string_view mode, int64_t at, int64_t extent) {
  if (at >= 0 && at < extent) return at;
  if (mode == "constant") return -1;
  if (mode == "replicate") return at < 0 ? 0 : extent - 1;
  if (mode == "circular") return (at + extent) % extent;
  return at < 0 ? -at : 2 * (extent - 1) - at;
}

// The box of x in the result, and what lies before and behind it along each dimension, through all of the
// later ones.
std::vector<Piece> constant_pieces(const Shape& x, const Shape& y, const Pads& pads, double value) {
  std::vector<Piece> out;
  Piece inside{Dims(y.size(), 0), y, 0, Dims(x.size(), 0), Dims(x.size(), 1)};
  const auto put = [&](size_t d, int64_t start, int64_t end) {
    if (start >= end) return;
    Piece around{inside.start, inside.extent, {}, {}, {}, value};
    around.start[d] = start;
    around.extent[d] = end - start;
    out.push_back(std::move(around));
  };
  for (size_t d = 0; d < y.size(); ++d) {
    const int64_t start = std::clamp<int64_t>(pads.before[d], 0, y[d]);
    const int64_t end = std::clamp(pads.before[d] + x[d], start, y[d]);
    put(d, 0, start);
    put(d, end, y[d]);
    inside.start[d] = start;
    inside.extent[d] = end - start;
    inside.from[d] = start - pads.before[d];
  }
  if (numel(inside.extent) > 0) out.push_back(std::move(inside));
  return out;
}

// Along one dimension: what lies before x, x, and what lies behind it.
std::vector<Segment> segments_of(std::string_view mode, int64_t extent, int64_t before, int64_t after) {
  const bool reflect = mode == "reflect";
  const int64_t step = reflect ? -1 : mode == "replicate" ? 0 : 1;
  const int64_t first = reflect ? before : step == 0 ? 0 : extent - before;
  const int64_t last = reflect ? extent - 2 : step == 0 ? extent - 1 : 0;
  return {{0, before, first, step}, {before, extent, 0, 1}, {before + extent, after, last, step}};
}

std::vector<Piece> pieces_of_pad(const Program& program, const Op& op) {
  const Shape& x = program[op.in[0]].shape;
  const Shape& y = program[op.out[0]].shape;
  const auto pads = pads_of(op.attrs, x.size());
  if (!pads) return {};
  const std::string mode = op.attrs.get_word("mode", "constant");
  if (mode == "constant") return constant_pieces(x, y, *pads, op.attrs.get_float("value", 0));
  std::vector<std::vector<Segment>> along;
  for (size_t d = 0; d < x.size(); ++d)
    along.push_back(segments_of(mode, x[d], pads->before[d], pads->after[d]));
  return boxes_of(along);
}

void reference_pad(const Program& program, const Op& op, Tensors in, std::span<HostTensor> out) {
  const Shape& x = program[op.in[0]].shape;
  const Shape& y = out[0].shape;
  const Pads pads = *pads_of(op.attrs, x.size());
  const std::string mode = op.attrs.get_word("mode", "constant");
  const double value = round_to(out[0].dtype, op.attrs.get_float("value", 0));
  copy_from(*in[0], out[0], value, [&](int64_t i) {
    int64_t at = 0;
    int64_t stride = 1;
    for (size_t d = y.size(); d-- > 0; i /= y[d]) {
      const int64_t inside = unpadded(mode, i % y[d] - pads.before[d], x[d]);
      if (inside < 0) return int64_t{-1};
      at += inside * stride;
      stride *= x[d];
    }
    return at;
  });
}

Work moves_only(const Program&, const Op&) { return {}; }

// Of tensors one after the other, what the part reaches into.
Part needs_of_concat(const Program& program, const Op& op, size_t i, size_t, const Part& result) {
  const Shape& shape = program[op.in[i]].shape;
  const int64_t asked = op.attrs.get_int("dim", 0);
  const auto dim = static_cast<size_t>(asked < 0 ? asked + static_cast<int64_t>(shape.size()) : asked);
  Dims shift(shape.size(), 0);
  for (size_t before = 0; before < i; ++before) shift[dim] += program[op.in[before]].shape[dim];
  return shifted(result, shape, shift);
}

// What is put around is not read for sure; negative pads cut elements off.
Part needs_unpadded(const Program& program, const Op& op, size_t i, size_t, const Part& result) {
  const Shape& shape = program[op.in[i]].shape;
  const auto pads = pads_of(op.attrs, shape.size());
  return pads ? shifted(result, shape, pads->before) : Part::none(shape);
}

// ---- import

bool import_cat(ImportContext& context, const GraphOp& op) {
  auto parts = context.values(op, 0);
  if (!parts || parts->empty()) return false;
  if (parts->size() == 1) return finish(context, op, parts->front());
  Attrs attrs;
  if (const int64_t dim = context.integer(op, 1, "dim").value_or(0); dim != 0) attrs.set("dim", dim);
  return finish(context, op, context.apply("concat", std::move(*parts), std::move(attrs)));
}

// torch: stack is concat of tensors with a dimension of 1 more.
bool import_stack(ImportContext& context, const GraphOp& op) {
  auto parts = context.values(op, 0);
  if (!parts || parts->empty()) return false;
  const int64_t dim = context.integer(op, 1, "dim").value_or(0);
  for (ValueId& each : *parts) {
    Attrs lifted;
    lifted.set("dim", dim);
    const auto view = context.apply("unsqueeze", {each}, std::move(lifted));
    if (!view) return false;
    each = *view;
  }
  if (parts->size() == 1) return finish(context, op, parts->front());
  Attrs attrs;
  if (dim != 0) attrs.set("dim", dim);
  return finish(context, op, context.apply("concat", std::move(*parts), std::move(attrs)));
}

bool pad_with(ImportContext& context, const GraphOp& op, const std::string& mode,
              std::optional<double> value) {
  const auto x = context.value(op, 0);
  auto pads = context.integers(op, 1, "pad");
  if (!x || !pads) return false;
  if (std::ranges::all_of(*pads, [](int64_t amount) { return amount == 0; })) return finish(context, op, x);
  Attrs attrs;
  attrs.set("pads", std::move(*pads));
  if (mode != "constant") attrs.set("mode", mode);
  if (value.value_or(0) != 0) attrs.set("value", *value);
  return finish(context, op, context.apply("pad", {*x}, std::move(attrs)));
}

// torch: constant_pad_nd(x, pad, value); pad(x, pad, mode, value).
bool import_constant_pad(ImportContext& context, const GraphOp& op) {
  return pad_with(context, op, "constant", context.number(op, 2, "value"));
}
bool import_pad(ImportContext& context, const GraphOp& op) {
  return pad_with(context, op, context.word(op, 2, "mode").value_or("constant"),
                  context.number(op, 3, "value"));
}
template <Word Mode>
bool import_pad_mode(ImportContext& context, const GraphOp& op) {
  return pad_with(context, op, std::string(Mode.view()), {});
}

// ---- rows

constexpr AtenImport kConcatAten[] = {{"aten.cat.default", import_cat},
                                      {"aten.concat.default", import_cat},
                                      {"aten.concatenate.default", import_cat},
                                      {"aten.stack.default", import_stack}};
constexpr AtenImport kPadAten[] = {{"aten.constant_pad_nd.default", import_constant_pad},
                                   {"aten.pad.default", import_pad},
                                   {"aten.reflection_pad1d.default", import_pad_mode<"reflect">},
                                   {"aten.reflection_pad2d.default", import_pad_mode<"reflect">},
                                   {"aten.reflection_pad3d.default", import_pad_mode<"reflect">},
                                   {"aten.replication_pad1d.default", import_pad_mode<"replicate">},
                                   {"aten.replication_pad2d.default", import_pad_mode<"replicate">},
                                   {"aten.replication_pad3d.default", import_pad_mode<"replicate">},
                                   {"aten._pad_circular.default", import_pad_mode<"circular">}};

constexpr std::string_view kConcatExamples[] = {
    "target sm_90a\ninput x: f32[64, 128]\ninput z: f32[64, 32]\ny = concat(x, relu(z), dim=1)\nreturn y\n",
    "target sm_90a\ninput a: f16[2, 8]\ninput b: f16[3, 8]\ninput c: f16[1, 8]\ny = concat(a, b, c) >> "
    "mul(2)\nreturn y\n"};
constexpr std::string_view kPadExamples[] = {UC_STEP_EXAMPLE("pad(x, [1, 2], value=-1.0)"),
                                             UC_STEP_EXAMPLE("pad(x, [3, 0, 1, 1], reflect)")};

constexpr OpSpec row(std::string_view name, std::string_view summary) {
  OpSpec out;
  out.name = name;
  out.summary = summary;
  out.family = "data";
  out.place = Place::step;
  out.work = moves_only;
  return out;
}

constexpr OpSpec concat() {
  OpSpec out = row("concat", "tensors one after the other along a dimension");
  out.params = kConcatParams;
  out.infer = infer_concat;
  out.needs = needs_of_concat;
  out.reference = reference_concat;
  out.pieces = pieces_of_concat;
  out.aten = kConcatAten;
  out.examples = kConcatExamples;
  return out;
}

constexpr OpSpec pad() {
  OpSpec out = row("pad", "elements more, or fewer, at the ends of dimensions");
  out.params = kPadParams;
  out.infer = infer_pad;
  out.needs = needs_unpadded;
  out.reference = reference_pad;
  out.pieces = pieces_of_pad;
  out.aten = kPadAten;
  out.examples = kPadExamples;
  return out;
}

constexpr OpSpec kRows[] = {concat(), pad()};

}  // namespace

std::span<const OpSpec> movement_rows() { return kRows; }

}  // namespace uc::ops
