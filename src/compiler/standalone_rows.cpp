#include "compiler/standalone_rows.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

#include "emit/scalar_cpp.h"
#include "plan/rows_stages.h"

namespace uc {
namespace {

using cpp::block;
using cpp::line;
using Statements = std::vector<cpp::Statement>;

void append(Statements& to, Statements from) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

class RowsReference {
 public:
  RowsReference(const Rows& rows,
                const std::function<std::string(const View&, const std::vector<std::string>&)>& index)
      : rows_(rows), body_(rows.body), index_(index) {
    for (const Node& node : body_.nodes) {
      const bool made = std::any_of(node.args.begin(), node.args.begin() + node.arity,
                                    [this](NodeId arg) { return of_all(arg); });
      of_all_.push_back(node.of_rows || made);
    }
  }

  Statements run() const {
    const bool all = has_second_phase(rows_);
    Statements row = decode("row", false);
    for (size_t i = 0; i < body_.nodes.size(); ++i) {
      const Node& node = body_.nodes[i];
      if (node.kind != Node::Kind::across || node.of_rows || of_all(NodeId(i))) continue;
      row.push_back(start(NodeId(i)));
      row.push_back(columns(block("", combined(NodeId(i), "place"))));
      row.push_back(finish(NodeId(i)));
    }
    store(row, false);
    Statements out;
    if (!all) {
      out.push_back(line("const int64_t row = blockIdx.x * 256ll + threadIdx.x"));
      out.push_back(block(fmt::format("if (row >= {}ll)", rows_.count()), {line("return")}));
      append(out, std::move(row));
      return out;
    }
    out.push_back(block("if (blockIdx.x * 256ll + threadIdx.x != 0)", {line("return")}));
    Statements after;
    for (size_t i = 0; i < body_.nodes.size(); ++i) {
      if (!body_.nodes[i].of_rows) continue;
      out.push_back(start(NodeId(i)));
      append(row, combined(NodeId(i), "row"));
      after.push_back(finish(NodeId(i)));
    }
    out.push_back(
        block(fmt::format("for (int64_t row = 0; row < {}ll; ++row)", rows_.count()), std::move(row)));
    append(out, std::move(after));
    out.push_back(line("const int64_t row = 0"));
    append(out, decode("row", false));
    store(out, true);
    return out;
  }

 private:
  bool meets(size_t d) const { return std::ranges::find(rows_.meet, d) != rows_.meet.end(); }

  // Made of what is of all rows.
  bool of_all(NodeId id) const { return of_all_[id.index()]; }

  // Coordinates along the dimensions of one side, from its number.
  Statements decode(const std::string& number, bool meeting) const {
    Statements out{line(fmt::format("int64_t {}_rest = {}", number, number))};
    for (size_t d = rows_.domain.size(); d-- > 0;) {
      if (meets(d) != meeting) continue;
      out.push_back(line(fmt::format("const int64_t x{0} = {1}_rest % {2}ll; {1}_rest /= {2}ll", d, number,
                                     rows_.domain[d])));
    }
    return out;
  }

  cpp::Statement columns(cpp::Statement inner) const {
    Statements body = decode("place", true);
    append(body, std::move(inner.body));
    return block(fmt::format("for (int64_t place = 0; place < {}ll; ++place)", rows_.length()),
                 std::move(body));
  }

  Statements expression(const std::vector<NodeId>& wanted) const {
    std::vector<std::string> at;
    for (size_t d = 0; d < rows_.domain.size(); ++d) at.push_back(fmt::format("x{}", d));
    ScalarSpelling spelling;
    spelling.tensor = [this, at](uint32_t view) {
      return fmt::format("uc_load(t{}[{}])", view, index_(body_.views[view], at));
    };
    spelling.across = [](NodeId id) { return fmt::format("m{}", id.index()); };
    spelling.coordinate = [this, at](const Node& node) {
      std::string number = "0";
      const Strides steps = row_major(rows_.domain);
      for (size_t d = 0; d < at.size(); ++d) number += fmt::format(" + {} * {}ll", at[d], steps[d]);
      return fmt::format("({}) / {}ll % {}ll", number, node.divisor, node.extent);
    };
    return scalar_statements(body_, wanted, spelling);
  }

  std::string_view type(NodeId id) const {
    const Node& node = body_.nodes[id.index()];
    return compute_type(node.type) == DType::i64 ? "int64_t" : "double";
  }

  cpp::Statement start(NodeId id) const {
    const Node& node = body_.nodes[id.index()];
    const bool place = gives_place(node.combine);
    const std::string_view own = place ? type(node.args[0]) : type(id);
    return line(fmt::format("{} a{} = {}; int64_t p{} = -1", own, id.index(),
                            node.combine == Combine::product ? 1 : 0, id.index()));
  }

  // The first element, or a NaN, or what is beyond all before, and its place.
  Statements combined(NodeId id, std::string_view place) const {
    const Node& node = body_.nodes[id.index()];
    Statements out = expression({node.args[0]});
    const std::string value = name_of(node.args[0]);
    const std::string sum = fmt::format("a{}", id.index());
    switch (node.combine) {
      case Combine::sum: out.push_back(line(fmt::format("{} += {}", sum, value))); break;
      case Combine::product: out.push_back(line(fmt::format("{} *= {}", sum, value))); break;
      default: {
        const bool greatest = node.combine == Combine::max || node.combine == Combine::argmax;
        out.push_back(block(
            fmt::format("if (p{0} < 0 || ({1} == {1} && ({2} != {2} || {2} {3} {1})))", id.index(), sum,
                        value, greatest ? ">" : "<"),
            {line(fmt::format("{} = {}", sum, value)), line(fmt::format("p{} = {}", id.index(), place))}));
      }
    }
    return {block("", std::move(out))};
  }

  cpp::Statement finish(NodeId id) const {
    const Node& node = body_.nodes[id.index()];
    const bool place = gives_place(node.combine);
    return line(fmt::format("const {} m{} = {}{}", type(id), id.index(), place ? "p" : "a", id.index()));
  }

  void store(Statements& out, bool all) const {
    for (const bool once : {true, false}) {
      std::vector<NodeId> wanted;
      Statements stores;
      for (const Effect& effect : body_.effects) {
        if (stored_once(rows_, effect) != once || of_all(effect.node) != all) continue;
        std::vector<std::string> at;
        for (size_t d = 0; d < rows_.domain.size(); ++d)
          at.push_back(once && meets(d) ? "0" : fmt::format("x{}", d));
        const View& view = body_.views[effect.view];
        wanted.push_back(effect.node);
        stores.push_back(line(fmt::format("t{}[{}] = uc_store_as<{}>::of({})", effect.view, index_(view, at),
                                          info(view.dtype).cuda, name_of(effect.node))));
      }
      if (wanted.empty()) continue;
      Statements body = expression(wanted);
      append(body, std::move(stores));
      out.push_back(once ? block("", std::move(body)) : columns(block("", std::move(body))));
    }
  }

  const Rows& rows_;
  const Scalar& body_;
  std::vector<bool> of_all_;  // a node
  const std::function<std::string(const View&, const std::vector<std::string>&)>& index_;
};

}  // namespace

std::vector<cpp::Statement> rows_reference(
    const Rows& rows, const std::function<std::string(const View&, const std::vector<std::string>&)>& index) {
  return RowsReference(rows, index).run();
}

int64_t rows_reference_threads(const Rows& rows) { return has_second_phase(rows) ? 1 : rows.count(); }

}  // namespace uc
