// Recurrent layers as PyTorch has them: lstm, gru and rnn over a sequence, with its weights in its order.
#include <algorithm>
#include <fmt/format.h>
#include <span>

#include "catalog/diags.h"
#include "catalog/infer.h"
#include "ops/detail/recurrent_cells.h"
#include "ops/detail/step_math.h"
#include "ops/support.h"

namespace uc::ops {
namespace {

constexpr ParamSpec kWeights{
    "weights", ParamKind::tensors,
    {},        true,
    {},        "w_ih, w_hh and, with biases, b_ih, b_hh: for every layer and direction"};
constexpr ParamSpec kH0{"h0", ParamKind::tensor,
                        {},   false,
                        {},   "initial state [layers * directions, batch, H]; zeros unless given"};
constexpr ParamSpec kLayers{"layers", ParamKind::integer, "1", false, {}, "one after another"};
constexpr ParamSpec kBidirectional{
    "bidirectional", ParamKind::boolean, "false", false, {}, "also backwards; features of both side by side"};
constexpr ParamSpec kBatchFirst{
    "batch_first", ParamKind::boolean, "false", false, {}, "x and y are [batch, time, features]"};
constexpr ParamSpec kSequence{"x", ParamKind::tensor, {}, true, {}, "[time, batch, features]"};
constexpr ParamSpec kLstmParams[] = {
    kSequence,  kWeights,
    kH0,        {"c0", ParamKind::tensor, {}, false, {}, "initial cell state, as h0"},
    kLayers,    kBidirectional,
    kBatchFirst};
constexpr ParamSpec kGruParams[] = {kSequence, kWeights, kH0, kLayers, kBidirectional, kBatchFirst};
constexpr ParamSpec kRnnParams[] = {kSequence,
                                    kWeights,
                                    kH0,
                                    kLayers,
                                    kBidirectional,
                                    kBatchFirst,
                                    {"nonlinearity", ParamKind::word, "tanh", false, "tanh|relu", {}}};

Cell cell_of(const Op& op, Cell cell) {
  const bool relu = op.attrs.get_word("nonlinearity", "tanh") == "relu";
  return cell == Cell::rnn_tanh && relu ? Cell::rnn_relu : cell;
}

std::optional<RecurrentShape> shape_of(const Program& program, const Op& op, Cell cell) {
  std::vector<Shape> weights;
  for (const size_t at : operands(op, "weights")) weights.push_back(program[op.in[at]].shape);
  return recurrent_shape(op.attrs, cell, program[op.in[0]].shape, weights);
}

// ---- types and shapes

bool one_type(InferContext& context) {
  const DType type = context.in(0).dtype;
  for (size_t i = 0; i < context.count(); ++i) {
    if (context.in(i).dtype == type && is_floating(type)) continue;
    context
        .error(kinds::contraction_type,
               fmt::format("`{}` over x of {} with {} of {}", context.op().spec->name, name(type),
                           describe(context.in(i)), name(context.in(i).dtype)))
        .help = "x, weights and states have one floating type; for weights `prepack(W, f16)`";
    return false;
  }
  return true;
}

bool check_states(InferContext& context, const RecurrentShape& shape) {
  for (const std::string_view state : {"h0", "c0"}) {
    const auto at = operand(context.op(), state);
    if (!at || context.in(*at).shape == shape.state()) continue;
    context
        .error(kinds::recurrent_state, fmt::format("`{}` is {} for states of {}", state,
                                                   describe(context.in(*at)), to_text(shape.state())))
        .help = "initial states are [layers * directions, batch, H], whatever `batch_first` is";
    return false;
  }
  return true;
}

bool fail_weights(InferContext& context, Cell cell) {
  std::vector<std::string> shapes;
  for (const size_t at : operands(context.op(), "weights")) shapes.push_back(to_text(context.in(at).shape));
  const int64_t gates = gates_of(cell);
  context
      .error(kinds::recurrent_weights, fmt::format("weights {} for {} of {}", fmt::join(shapes, " "),
                                                   context.op().spec->name, describe(context.in(0))))
      .help = fmt::format(
      "for every layer and direction w_ih[{0}H, I], w_hh[{0}H, H], and with biases b_ih[{0}H], b_hh[{0}H]; "
      "say `layers=` and `bidirectional=true`",
      gates == 1 ? std::string() : fmt::format("{} * ", gates));
  return false;
}

template <Cell C>
bool infer(InferContext& context) {
  if (!one_type(context)) return false;
  if (context.in(0).shape.size() != 3) {
    context
        .error(kinds::recurrent_state,
               fmt::format("`{}` over {}", context.op().spec->name, describe(context.in(0))))
        .help = "x is [time, batch, features]; give one sequence a batch with `unsqueeze(x, 1)`";
    return false;
  }
  const auto shape = shape_of(context.program(), context.op(), C);
  if (!shape) return fail_weights(context, C);
  if (!check_states(context, *shape)) return false;
  context.result(context.in(0).dtype, shape->output());
  context.result(context.in(0).dtype, shape->state());
  if (C == Cell::lstm) context.result(context.in(0).dtype, shape->state());
  return true;
}

// ---- meaning and work

template <Cell C>
void reference(const Program& program, const Op& op, std::span<const HostTensor* const> in,
               std::span<HostTensor> out) {
  const auto shape = shape_of(program, op, C);
  RecurrentData data{.x = in[0], .weights = {}};
  for (const size_t at : operands(op, "weights")) data.weights.push_back(in[at]);
  if (const auto at = operand(op, "h0")) data.h0 = in[*at];
  if (const auto at = operand(op, "c0")) data.c0 = in[*at];
  run_recurrent(*shape, cell_of(op, C), math_of(program, op), data, out);
}

// Special functions a unit and time step: each a sigmoid or a tanh. A relu takes none.
constexpr double specials_of(Cell cell) {
  switch (cell) {
    case Cell::lstm: return 5;
    case Cell::gru: return 3;
    case Cell::rnn_tanh: return 1;
    case Cell::rnn_relu: return 0;
  }
  return 0;
}

template <Cell C>
Work work(const Program& program, const Op& op) {
  const auto shape = shape_of(program, op, C);
  if (!shape) return {};
  const auto times = [](auto... factors) { return (static_cast<double>(factors) * ...); };
  Work out;
  double first_step = 0;  // its product with the state before it
  for (int64_t layer = 0; layer < shape->layers; ++layer) {
    const int64_t in = layer == 0 ? shape->features : shape->hidden * shape->directions;
    const double units = times(shape->time, shape->batch, shape->hidden, shape->directions);
    out.tensor_flops += 2.0 * units * times(shape->gates, in + shape->hidden);
    first_step += 2.0 * times(shape->batch, shape->hidden, shape->directions, shape->gates, shape->hidden);
    out.fma_ops += units * times(shape->gates, shape->bias ? 3 : 1);
    out.special_ops += units * specials_of(cell_of(op, C));
  }
  if (!operand(op, "h0")) {
    out.minimum_flops = out.tensor_flops - first_step;
    out.reduced_by = &work_rules::kZeroState;
  }
  return out;
}

// Which time steps of y [time, batch, ...] or [batch, time, ...] are read: the least and the greatest that
// are known.
std::pair<int64_t, int64_t> steps_read(const RecurrentShape& shape, std::span<const Part> read) {
  std::pair<int64_t, int64_t> out{shape.time - 1, 0};
  for (const Part& part : read) {
    const Part::Range& steps = part.box[shape.batch_first ? 1 : 0];
    if (part.elements() <= 0) continue;
    const bool placed = part.inside == 1 && !part.triangle;
    out.first = std::min(out.first, placed ? steps.first : steps.end() - 1);
    out.second = std::max(out.second, placed ? steps.end() - 1 : steps.first);
  }
  return out;
}

// The last layer forwards goes as far as the last step that is read; backwards it starts from the end and
// goes as far as the first one. Layers below run whole for both.
template <Cell C>
double needed(const Program& program, const Op& op, std::span<const Part> read) {
  const auto shape = shape_of(program, op, C);
  if (!shape || read.empty() || shape->time == 0) return 1;
  const auto [first, last] = steps_read(*shape, read);
  const auto time = static_cast<double>(shape->time);
  const double forward = static_cast<double>(last + 1) / time;
  if (shape->directions == 1) return forward;
  const double backward = static_cast<double>(shape->time - first) / time;
  const auto weight = [&](int64_t layer) {
    const int64_t in = layer == 0 ? shape->features : shape->hidden * shape->directions;
    return static_cast<double>(in + shape->hidden);
  };
  double all = 0;
  for (int64_t layer = 0; layer < shape->layers; ++layer) all += weight(layer);
  const double top = weight(shape->layers - 1) / all;
  return 1 - top + top * (forward + backward) / 2;
}

// ---- import

// (x, hx, weights, has_biases, layers, dropout, train, bidirectional, batch_first); hx is a list for lstm.
bool import_layers(ImportContext& context, const GraphOp& op, std::string_view name, Attrs attrs) {
  const auto x = context.value(op, 0);
  auto states = context.values(op, 1);
  if (const auto h0 = context.value(op, 1); !states && h0) states = std::vector<ValueId>{*h0};
  const auto weights = context.values(op, 2);
  const bool drops =
      context.number(op, 5, "dropout").value_or(0) != 0 && context.integer(op, 6, "train").value_or(0) != 0;
  if (!x || !states || !weights || drops) return false;
  if (context.program()[*x].shape.size() != 3) return false;
  std::vector<ValueId> in{*x};
  std::vector<int64_t> params{0};
  for (const ValueId weight : *weights) {
    in.push_back(weight);
    params.push_back(1);
  }
  for (const ValueId state : *states) {
    in.push_back(state);
    params.push_back(static_cast<int64_t>(params.back()) + 1);
  }
  attrs.set("layers", context.integer(op, 4, "num_layers").value_or(1));
  if (context.integer(op, 7, "bidirectional").value_or(0) != 0) attrs.set("bidirectional", true);
  if (context.integer(op, 8, "batch_first").value_or(0) != 0) attrs.set("batch_first", true);
  attrs.set(kGiven, std::move(params));
  const auto last = context.apply(name, std::move(in), std::move(attrs));
  if (!last) return false;
  const Op& made = context.program()[context.program()[*last].def];
  for (size_t i = 0; i < made.out.size(); ++i) context.result(op, i, made.out[i]);
  return true;
}

template <Word Name>
bool import_recurrent(ImportContext& context, const GraphOp& op) {
  return import_layers(context, op, Name.view(), {});
}

bool import_relu(ImportContext& context, const GraphOp& op) {
  Attrs attrs;
  attrs.set("nonlinearity", std::string("relu"));
  return import_layers(context, op, "rnn", std::move(attrs));
}

constexpr AtenImport kLstmAten[] = {{"aten.lstm.input", import_recurrent<"lstm">}};
constexpr AtenImport kGruAten[] = {{"aten.gru.input", import_recurrent<"gru">}};
constexpr AtenImport kRnnAten[] = {{"aten.rnn_tanh.input", import_recurrent<"rnn">},
                                   {"aten.rnn_relu.input", import_relu}};

constexpr std::string_view kLstmExamples[] = {
    "target sm_90a\ninput x: f32[12, 4, 16]\nparam w: f32[32, 16] = \"lstm.weight_ih_l0\"\n"
    "param u: f32[32, 8] = \"lstm.weight_hh_l0\"\nparam b: f32[32] = \"lstm.bias_ih_l0\"\n"
    "param d: f32[32] = \"lstm.bias_hh_l0\"\ny, h, c = lstm(x, w, u, b, d)\nreturn y, h, c\n",
    "target sm_90a\ninput x: f16[4, 12, 16]\ninput h0: f16[2, 4, 8]\ninput c0: f16[2, 4, 8]\n"
    "param w: f16[32, 16]\nparam u: f16[32, 8]\nparam w_r: f16[32, 16]\nparam u_r: f16[32, 8]\n"
    "y, h, c = lstm(x, w, u, w_r, u_r, h0=h0, c0=c0, bidirectional=true, batch_first=true)\n"
    "return y, h, c\n"};
constexpr std::string_view kGruExamples[] = {
    "target sm_90a\ninput x: f32[12, 4, 16]\nparam w: f32[24, 16]\nparam u: f32[24, 8]\n"
    "param b: f32[24]\nparam d: f32[24]\ny, h = gru(x, w, u, b, d)\nreturn y, h\n",
    "target sm_90a\ninput x: f16[12, 4, 16]\ninput h0: f16[2, 4, 8]\nparam w: f16[24, 16]\n"
    "param u: f16[24, 8]\nparam w1: f16[24, 8]\nparam u1: f16[24, 8]\n"
    "y, h = gru(x, w, u, w1, u1, h0=h0, layers=2)\nreturn y, h\n"};
constexpr std::string_view kRnnExamples[] = {
    "target sm_90a\ninput x: f32[12, 4, 16]\nparam w: f32[8, 16]\nparam u: f32[8, 8]\n"
    "y, h = rnn(x, w, u)\nreturn y, h\n",
    "target sm_90a\ninput x: f32[4, 12, 16]\nparam w: f32[8, 16]\nparam u: f32[8, 8]\nparam b: f32[8]\n"
    "param d: f32[8]\ny, h = rnn(x, w, u, b, d, batch_first=true, nonlinearity=relu)\nreturn y, h\n"};

constexpr OpSpec kRows[] = {
    {.name = "lstm",
     .summary = "long short-term memory over a sequence: y, the last state, the last cell state",
     .family = "recurrent",
     .place = Place::step,
     .params = kLstmParams,
     .memory_operands = true,
     .infer = infer<Cell::lstm>,
     .reference = reference<Cell::lstm>,
     .work = work<Cell::lstm>,
     .needed = needed<Cell::lstm>,
     .aten = kLstmAten,
     .examples = kLstmExamples},
    {.name = "gru",
     .summary = "gated recurrent units over a sequence: y and the last state",
     .family = "recurrent",
     .place = Place::step,
     .params = kGruParams,
     .memory_operands = true,
     .infer = infer<Cell::gru>,
     .reference = reference<Cell::gru>,
     .work = work<Cell::gru>,
     .needed = needed<Cell::gru>,
     .aten = kGruAten,
     .examples = kGruExamples},
    {.name = "rnn",
     .summary = "simple recurrence h = tanh(w x + u h) over a sequence: y and the last state",
     .family = "recurrent",
     .place = Place::step,
     .params = kRnnParams,
     .memory_operands = true,
     .infer = infer<Cell::rnn_tanh>,
     .reference = reference<Cell::rnn_tanh>,
     .work = work<Cell::rnn_tanh>,
     .needed = needed<Cell::rnn_tanh>,
     .aten = kRnnAten,
     .examples = kRnnExamples},
};

}  // namespace

std::span<const OpSpec> recurrent_rows() { return kRows; }

}  // namespace uc::ops
