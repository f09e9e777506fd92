#include "compiler/standalone_attention.h"

#include <fmt/format.h>
#include <iterator>

#include "emit/scalar_cpp.h"

namespace uc {
namespace {

using cpp::block;
using cpp::line;
using Statements = std::vector<cpp::Statement>;

void append(Statements& to, Statements from) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

// Coordinates count in the order `at`, of these extents.
std::string coordinate(const Node& node, const std::vector<int64_t>& extents,
                       const std::vector<std::string>& at) {
  std::string number = "0ll";
  for (size_t d = 0; d < at.size(); ++d) number = fmt::format("({} * {}ll + {})", number, extents[d], at[d]);
  return fmt::format("{} / {}ll % {}ll", number, node.divisor, node.extent);
}

Statements weight(const Attention& kernel, const IndexOf& index) {
  const std::vector<std::string> at{"x0", "x1", "x2", "x3"};
  ScalarSpelling spelling;
  spelling.tensor = [&](uint32_t view) {
    return fmt::format("uc_load(s{}[{}])", view, index(kernel.score.views[view], at));
  };
  spelling.coordinate = [&](const Node& node) {
    return coordinate(node, {kernel.batch(), kernel.heads(), kernel.queries(), kernel.keys()}, at);
  };
  std::vector<NodeId> wanted{kernel.weight};
  if (kernel.seen) wanted.push_back(kernel.seen);
  Statements out = scalar_statements(kernel.score, wanted, spelling);
  std::string hidden = kernel.causal ? "x3 > x2" : "";
  if (kernel.seen) hidden += fmt::format("{}{} == 0", hidden.empty() ? "" : " || ", name_of(kernel.seen));
  if (!hidden.empty()) out.push_back(block(fmt::format("if ({})", hidden), {line("continue")}));
  out.push_back(line(fmt::format("const double score = {}", name_of(kernel.weight))));
  return out;
}

// What a query sees of one key, in the pass that looks for the largest score or in the one that sums.
Statements one_key(const Attention& kernel, const IndexOf& index) {
  const int64_t group = kernel.heads() / kernel.kv_heads();
  const std::string kv = group == 1 ? "x1" : fmt::format("(x1 / {}ll)", group);
  Statements out{line("double dot = 0"),
                 block(fmt::format("for (int64_t e = 0; e < {}ll; ++e)", kernel.head_dim()),
                       {line(fmt::format("dot += double(uc_load(q[{}])) * double(uc_load(k[{}]))",
                                         index(kernel.q, {"x0", "x1", "x2", "e"}),
                                         index(kernel.k, {"x0", kv, "x3", "e"})))}),
                 line(fmt::format("const float acc = float(dot * {})", kernel.scale))};
  append(out, weight(kernel, index));
  out.push_back(block("if (pass == 0)", {line("most = fmax(most, score)"), line("continue")}));
  out.push_back(line(kernel.softmax
                         ? "const double part = exp(score - (isinf(most) && most < 0 ? 0.0 : most))"
                         : "const double part = score"));
  out.push_back(line("total += part"));
  out.push_back(block(fmt::format("for (int64_t e = 0; e < {}ll; ++e)", kernel.value_dim()),
                      {line(fmt::format("sum[e] += part * double(uc_load(v[{}]))",
                                        index(kernel.v, {"x0", kv, "x3", "e"})))}));
  return out;
}

Statements stores(const Attention& kernel, const IndexOf& index) {
  const std::vector<std::string> at{"x0", "x1", "x2", "x3"};
  Statements out{line(kernel.softmax ? "const float acc = total == 0 ? 0.0f : float(sum[x3] / total)"
                                     : "const float acc = float(sum[x3])")};
  ScalarSpelling spelling;
  spelling.tensor = [&](uint32_t view) {
    return fmt::format("uc_load(t{}[{}])", view, index(kernel.epilogue.views[view], at));
  };
  spelling.coordinate = [&](const Node& node) {
    if (kernel.bshd)
      return coordinate(node, {kernel.batch(), kernel.queries(), kernel.heads(), kernel.value_dim()},
                        {"x0", "x2", "x1", "x3"});
    return coordinate(node, {kernel.batch(), kernel.heads(), kernel.queries(), kernel.value_dim()}, at);
  };
  append(out, scalar_statements(kernel.epilogue, stored_nodes(kernel.epilogue), spelling));
  for (const Effect& effect : kernel.epilogue.effects) {
    const View& view = kernel.epilogue.views[effect.view];
    out.push_back(line(fmt::format("t{}[{}] = uc_store_as<{}>::of({})", effect.view, index(view, at),
                                   info(view.dtype).cuda, name_of(effect.node))));
  }
  return out;
}

}  // namespace

std::vector<cpp::Statement> attention_reference(const Attention& kernel, const IndexOf& index) {
  const int64_t rows = kernel.batch() * kernel.heads() * kernel.queries();
  Statements out{line("const int64_t i = blockIdx.x * 256ll + threadIdx.x"),
                 block(fmt::format("if (i >= {}ll)", rows), {line("return")}),
                 line(fmt::format("const int64_t x2 = i % {0}ll, x1 = i / {0}ll % {1}ll, x0 = i / {2}ll",
                                  kernel.queries(), kernel.heads(), kernel.queries() * kernel.heads())),
                 line("double most = -INFINITY, total = 0"),
                 line(fmt::format("double sum[{}] = {{}}", kernel.value_dim()))};
  Statements keys{
      block(fmt::format("for (int64_t x3 = 0; x3 < {}ll; ++x3)", kernel.keys()), one_key(kernel, index))};
  out.push_back(
      block(fmt::format("for (int pass = {}; pass < 2; ++pass)", kernel.softmax ? 0 : 1), std::move(keys)));
  out.push_back(
      block(fmt::format("for (int64_t x3 = 0; x3 < {}ll; ++x3)", kernel.value_dim()), stores(kernel, index)));
  return out;
}

}  // namespace uc
