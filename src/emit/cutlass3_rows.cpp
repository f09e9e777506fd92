#include "emit/cutlass3_rows.h"

#include <algorithm>
#include <fmt/format.h>

#include "emit/cutlass3_epilogue.h"
#include "emit/cutlass3_types.h"
#include "emit/scalar_cpp.h"

namespace uc::cutlass3 {
namespace {

using cpp::line;
using cpp::make;

constexpr const char* kUnroll = "CUTLASS_PRAGMA_UNROLL\n    for (int i = 0; i < 2; ++i)";

std::string how(const Node& node) {
  switch (node.combine) {
    case Combine::max: return "uc_row_epilogue::Max";
    case Combine::min: return "uc_row_epilogue::Min";
    case Combine::product: return "uc_row_epilogue::Product";
    default: return "uc_row_epilogue::Sum";
  }
}

cpp::Type list(std::string name, std::vector<cpp::Type> args) {
  if (args.empty()) return cpp::Type(name + "<>");
  return cpp::Type(std::move(name), std::move(args));
}

std::string constant(std::string_view name, bool value) {
  return fmt::format("static constexpr bool {} = {}", name, value);
}

}  // namespace

RowPass::RowPass(const Contraction& kernel, const ContractionConfig& config)
    : kernel_(kernel), config_(config), rows_(epilogue_rows(kernel.epilogue)) {}

bool RowPass::masked() const { return ends_within(kernel_, config_); }

NodeId RowPass::held_before(size_t stage) const {
  if (stage > 0) return rows_.held[stage - 1];
  const auto& nodes = scalar().nodes;
  const auto found = std::ranges::find(nodes, Node::Kind::running, &Node::kind);
  return NodeId(static_cast<size_t>(found - nodes.begin()));
}

// Two neighbours begin on a whole number of pairs.
bool RowPass::pair(uint32_t index) const {
  const View& view = scalar().views[index];
  const auto even = [&view](size_t d) { return view.shape[d] == 1 || view.stride[d] % 2 == 0; };
  return view.shape[2] != 1 && view.stride[2] == 1 && view.offset % 2 == 0 && even(0) && even(1);
}

// A function over two neighbours: tensors that `wanted` nodes read are loaded, then each is computed.
cpp::Function RowPass::function(const std::string& head, const std::vector<NodeId>& wanted, NodeId given,
                                const std::vector<cpp::Statement>& each) const {
  cpp::Function out{head, {}, {}, {}};
  std::vector<uint32_t> loads;
  const std::vector<bool> needed = needed_by(scalar(), wanted, given);
  for (size_t i = 0; i < needed.size(); ++i) {
    const Node& node = scalar().nodes[i];
    if (!needed[i] || node.kind != Node::Kind::tensor || NodeId(i) == given) continue;
    if (std::ranges::find(loads, node.view) == loads.end()) loads.push_back(node.view);
  }
  for (const uint32_t index : loads) {
    const View& view = scalar().views[index];
    const bool by_rows = view.shape[1] != 1 && view.stride[1] != 0;
    out.body.push_back(line(fmt::format("const auto t{0} = at.template load<{1}, {2}, {3}>({0})", index,
                                        element(view.dtype), pair(index), by_rows)));
  }
  ScalarSpelling spelling;
  spelling.running = "x[i]";
  spelling.given = given;
  spelling.tensor = [this](uint32_t index) { return loaded_element(scalar().views[index].dtype, index); };
  spelling.across = [this](NodeId id) {
    size_t at = 0;
    for (const auto& stage : rows_.stages) {
      for (const NodeId node : stage) {
        if (node == id) return fmt::format("met[{}]", at);
        ++at;
      }
    }
    return std::string();
  };
  spelling.row = "at.place()";
  spelling.column = "(at.column + i)";
  spelling.columns = kernel_.n();
  spelling.rows = kernel_.batch() * kernel_.m();
  std::vector<cpp::Statement> loop = scalar_statements(scalar(), wanted, spelling);
  loop.insert(loop.end(), each.begin(), each.end());
  out.body.push_back(cpp::block(kUnroll, std::move(loop)));
  return out;
}

cpp::Function RowPass::gather(size_t stage) const {
  std::vector<NodeId> wanted;
  std::vector<cpp::Statement> each;
  const std::vector<NodeId>& met = rows_.stages[stage];
  for (size_t i = 0; i < met.size(); ++i) {
    const NodeId argument = scalar().nodes[met[i].index()].args[0];
    wanted.push_back(argument);
    const std::string combine = how(scalar().nodes[met[i].index()]);
    const std::string value = fmt::format("float({})", name_of(argument));
    each.push_back(
        line(fmt::format("seen[{0}] = {1}::of(seen[{0}], {2})", i, combine,
                         masked() ? fmt::format("at.within ? {} : {}::none()", value, combine) : value)));
  }
  const NodeId held = rows_.held[stage];
  if (held != held_before(stage)) {
    wanted.push_back(held);
    each.push_back(line(fmt::format("x[i] = {}", name_of(held))));
  }
  cpp::Function out =
      function("template <class Seen, class Met, class At>\n  static CUTLASS_DEVICE void gather", wanted,
               held_before(stage), each);
  out.params = {fmt::format("cute::Int<{}>", stage), "float (&x)[2]", "Seen& seen", "Met const& met",
                "At const& at"};
  return out;
}

// Elements of an effect are made for both neighbours, rounded and stored together.
void RowPass::store(size_t index, std::vector<cpp::Statement>& before, std::vector<cpp::Statement>& each,
                    std::vector<cpp::Statement>& after) const {
  const Effect& effect = scalar().effects[index];
  const EffectElement out = effect_element(effect, scalar());
  const std::string to = element(scalar().views[effect.view].dtype);
  before.push_back(line(fmt::format("cutlass::Array<{}, 2> out{}", out.element, index)));
  each.push_back(line(fmt::format("out{}[i] = {}", index, out.value)));
  after.push_back(line(fmt::format(
      "at.template store<{}, {}>({}, {})", to, pair(effect.view), effect.view,
      out.round ? fmt::format("uc_epilogue::rounded<{}>(out{})", to, index) : fmt::format("out{}", index))));
}

cpp::Function RowPass::last() const {
  std::vector<NodeId> wanted;
  std::vector<cpp::Statement> before, each, after;
  for (const size_t effect : rows_.early) {
    wanted.push_back(scalar().effects[effect].node);
    store(effect, before, each, after);
  }
  const size_t stages = rows_.stages.size();
  if (rows_.held[stages] != rows_.held[stages - 1]) {
    wanted.push_back(rows_.held[stages]);
    each.push_back(line(fmt::format("x[i] = {}", name_of(rows_.held[stages]))));
  }
  cpp::Function out = function("template <class Met, class At>\n  static CUTLASS_DEVICE void last", wanted,
                               held_before(stages), each);
  out.body.insert(out.body.begin(), before.begin(), before.end());
  out.body.insert(out.body.end(), after.begin(), after.end());
  out.params = {"float (&x)[2]", "Met const& met", "At const& at"};
  return out;
}

// One element a row, which both neighbours are: the second lies in the first's place.
cpp::Function RowPass::once() const {
  std::vector<NodeId> wanted;
  std::vector<cpp::Statement> before, each, after;
  for (const size_t effect : rows_.once) {
    wanted.push_back(scalar().effects[effect].node);
    store(effect, before, each, after);
  }
  cpp::Function out =
      function("template <class Met, class At>\n  static CUTLASS_DEVICE void once", wanted, NodeId(), each);
  out.body.insert(out.body.begin(), before.begin(), before.end());
  out.body.insert(out.body.end(), after.begin(), after.end());
  out.params = {"Met const& met", "At const& at"};
  return out;
}

cpp::Decl RowPass::declaration() const {
  cpp::Struct out{"struct Rows", {}};
  std::vector<cpp::Type> stages;
  for (const auto& stage : rows_.stages) {
    std::vector<cpp::Type> hows;
    for (const NodeId id : stage) hows.emplace_back(how(scalar().nodes[id.index()]));
    stages.push_back(list("uc_row_epilogue::Stage", std::move(hows)));
  }
  const bool holds = rows_.held.back() != rows_.held[rows_.stages.size() - 1];
  out.members.emplace_back(cpp::Alias{"Stages", list("uc_row_epilogue::Stages", std::move(stages))});
  const int64_t meet = masked() ? config_.tile_n * config_.cluster_n : kernel_.meet;
  out.members.emplace_back(line(fmt::format("static constexpr int kMeet = {}", meet)));
  out.members.emplace_back(line(constant("kEndsWithin", masked())));
  out.members.emplace_back(line(constant("kLast", holds || !rows_.early.empty())));
  out.members.emplace_back(line(constant("kOnce", !rows_.once.empty())));
  out.members.emplace_back(line(constant("kStores", !rows_.late.empty())));
  for (size_t i = 0; i < rows_.stages.size(); ++i) out.members.emplace_back(gather(i));
  if (holds || !rows_.early.empty()) out.members.emplace_back(last());
  if (!rows_.once.empty()) out.members.emplace_back(once());
  return out;
}

cpp::Type RowPass::collective(const std::string& plain) const {
  return make("uc_row_epilogue::Collective", plain, "Rows", "TileShape", "ClusterShape",
              cooperative(config_) ? "2" : "1");
}

std::vector<cpp::Statement> RowPass::arguments() const {
  std::vector<cpp::Statement> out;
  for (size_t i = 0; i < scalar().views.size(); ++i) {
    out.push_back(
        line(fmt::format("a.epilogue.rows.view[{0}] = {{x->view[{0}].data, {{x->view[{0}].stride[0], "
                         "x->view[{0}].stride[1], x->view[{0}].stride[2]}}}}",
                         i)));
  }
  return out;
}

}  // namespace uc::cutlass3
