// Convolutions read whole vectors where channels are contiguous, so operands are copied that way: the input
// in each call, filters once, when they are prepacked.
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <span>

#include "rewrites/support/edit.h"

namespace uc::rewrites {
namespace {

constexpr std::array<std::string_view, 3> kLayouts{"nwc", "nhwc", "ndhwc"};

bool is_transposed(const Op& op) { return op.spec->name.starts_with("conv_transpose"); }

// Where an operand's channels are that are summed over.
size_t channels_at(const Op& op, size_t operand) { return operand == 0 ? 1 : is_transposed(op) ? 0 : 1; }

// One filter for each channel: they are read together where channels of the input are.
bool depthwise_filters(const Program& program, const Op& op) {
  const Value& x = program[op.in[0]];
  const Value& w = program[op.in[1]];
  return !is_transposed(op) && w.shape[1] == 1 && op.attrs.get_int("groups", 1) == w.shape[0] &&
         x.shape.size() == w.shape.size() && x.shape[1] == w.shape[0] && x.stride[1] == 1;
}

// An operand of rank 3 to 5, with several channels that are not contiguous.
bool apart(const Program& program, const Step& step, size_t operand) {
  const Op& op = program[step.main];
  const Value& value = program[op.in[operand]];
  const size_t rank = value.shape.size();
  if (rank != program[op.in[1]].shape.size()) return false;  // an input without batch
  const bool filters = operand == 1 && depthwise_filters(program, op);
  const size_t at = filters ? 0 : channels_at(op, operand);
  return value.shape[at] > 1 && value.stride[at] != 1;
}

std::vector<Site> find(const Program& program, const RewriteContext&) {
  std::vector<Site> sites;
  for (size_t i = 0; i < program.steps.size(); ++i) {
    const Step& step = program.steps[i];
    if (!is_conv_step(program, step)) continue;
    for (size_t operand = 0; operand < 2; ++operand) {
      if (!apart(program, step, operand)) continue;
      sites.push_back({StepId(i), step.main, static_cast<uint32_t>(operand),
                       fmt::format("put the channels of the {} of `{}` last in memory",
                                   operand == 0 ? "input" : "filters", program[step.results.back()].name)});
    }
  }
  return sites;
}

class ChannelsLast {
 public:
  ChannelsLast(const RewriteContext& context, const Program& program, const Site& site)
      : edit_(context.catalog, program), step_(site.step), operand_(site.variant) {}

  Program run(const Program& otherwise) {
    std::vector<Strides> returned;
    for (const ValueId id : edit_.program().results) returned.push_back(edit_.program()[id].stride);
    const OpId main = edit_.program()[step_].main;
    const Op op = edit_.program()[main];
    const ValueId from = op.in[operand_];
    if (plain_conversion(from)) {
      Program& program = edit_.program();
      program[program[from].def].attrs.set("layout", layout(from));
    } else if (!copy(op, main, from)) {
      return otherwise;
    }
    edit_.infer();
    keep_layouts(returned);
    return edit_.finish(otherwise);
  }

 private:
  std::string layout(ValueId value) { return std::string(kLayouts[edit_.program()[value].shape.size() - 3]); }

  // The only result of a step `to(x, f16)` that nothing else reads: it may lie as this step likes. Filters of
  // a transposed convolution are copied with two dimensions exchanged.
  bool plain_conversion(ValueId value) {
    const Program& program = edit_.program();
    const Op& main = program[program[step_].main];
    if (operand_ == 1 && (is_transposed(main) || depthwise_filters(program, main))) return false;
    const StepId maker = step_of(program, value);
    if (!maker || uses_of(program, value).size() != 1 || is_returned(program, value)) return false;
    const Step& step = program[maker];
    return step.main && program[step.main].spec->name == "to" && step.chain.empty() &&
           step.results.size() == 1 && !program[step.main].attrs.has("layout") &&
           !program[step.main].attrs.has("pitch") && program[value].root == value;
  }

  // Dimensions of the filters in the order in which they are copied: of a transposed convolution with the
  // first two exchanged, of a depthwise one with the first two behind the others, and the first one last.
  // Empty: as they are.
  std::vector<int64_t> order(const Op& op, size_t rank) {
    std::vector<int64_t> out;
    const bool depthwise = operand_ == 1 && depthwise_filters(edit_.program(), op);
    if (!depthwise && (operand_ == 0 || !is_transposed(op))) return out;
    for (size_t d = 0; d < rank; ++d) out.push_back(static_cast<int64_t>(d));
    std::swap(out[0], out[1]);
    if (depthwise) std::rotate(out.begin(), out.begin() + 2, out.end());
    return out;
  }

  std::optional<ValueId> permuted(ValueId value, std::vector<int64_t> dims) {
    Attrs attrs;
    attrs.set("dims", std::move(dims));
    const auto out = edit_.op("permute", {value}, std::move(attrs));
    if (out) edit_.program()[step_].prologue.push_back(edit_.program()[*out].def);
    return out;
  }

  bool copy(const Op& op, OpId main, ValueId from) {
    const std::vector<int64_t> dims = order(op, edit_.program()[from].shape.size());
    const bool rows = !dims.empty() && !is_transposed(op);  // the channel is the last dimension
    const auto read = dims.empty() ? std::optional(from) : permuted(from, dims);
    if (!read) return false;
    Attrs attrs;
    attrs.set("layout", rows ? std::string("row") : layout(from));
    const std::string name = edit_.program()[from].name;
    const auto out =
        edit_.insert(step_, "to", {*read}, std::move(attrs), {(name.empty() ? "t" : name) + "_c"});
    if (out.empty()) return false;
    step_ = StepId(step_.index() + 1);
    std::vector<int64_t> inverse(dims.size());
    for (size_t d = 0; d < dims.size(); ++d) inverse[static_cast<size_t>(dims[d])] = static_cast<int64_t>(d);
    const auto back = dims.empty() ? std::optional(out[0]) : permuted(out[0], std::move(inverse));
    if (!back) return false;
    replace_operand(edit_.program(), main, from, *back);
    return true;
  }

  // Results follow their input's layout; what the program returns lies as before.
  void keep_layouts(const std::vector<Strides>& before) {
    for (size_t i = 0; i < before.size(); ++i) {
      Program& program = edit_.program();
      const ValueId value = program.results[i];
      const StepId maker = step_of(program, value);
      if (program[value].stride == before[i] || !maker || program[maker].results.back() != value) continue;
      Attrs attrs;
      attrs.set("layout", std::string("row"));
      const auto laid = edit_.op("to", {value}, std::move(attrs));
      if (!laid) return;
      replace_readers(value, *laid, maker);
      edit_.infer();
    }
  }
  void replace_readers(ValueId value, ValueId laid, StepId maker) {
    Program& program = edit_.program();
    for (size_t i = 0; i < program.steps.size(); ++i) {
      if (StepId(i) == maker) continue;
      for (const OpId op : ops_of(program.steps[i])) replace_operand(program, op, value, laid);
    }
    std::ranges::replace(program.results, value, laid);
    program[laid].name = program[value].name;
    program[value].name.clear();
    program[maker].chain.push_back({{program[laid].def}, false, {}});
    program[maker].results.back() = laid;
  }

  Edit edit_;
  StepId step_;
  size_t operand_;
};

Program apply(const Program& program, const Site& site, const RewriteContext& context) {
  if (site.step.index() >= program.steps.size() || site.variant > 1) return program;
  const Step& step = program[site.step];
  if (!is_conv_step(program, step) || !apart(program, step, site.variant)) return program;
  return ChannelsLast(context, program, site).run(program);
}

constexpr RewriteSpec kRows[] = {
    {.id = "channels-last",
     .summary = "copy an operand of a convolution so that its channels are contiguous",
     .claim = Claim::exact,
     .cause = Cause::kernel,
     .implementation_risk = 1,
     .performance_risk = 2,
     .find = find,
     .apply = apply},
};

}  // namespace

std::span<const RewriteSpec> channels_rows();
std::span<const RewriteSpec> channels_rows() { return kRows; }

}  // namespace uc::rewrites
