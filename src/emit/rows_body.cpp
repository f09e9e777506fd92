#include "emit/rows_body.h"

#include <algorithm>
#include <fmt/format.h>

#include "catalog/scalar_fn.h"
#include "emit/scalar_cpp.h"

namespace uc {
namespace {

using cpp::block;
using cpp::line;

constexpr size_t kMostViews = 12;       // UC_MAX_VIEWS of uc_kernel_args.h
constexpr size_t kMostRank = 8;         // UC_MAX_RANK
constexpr int64_t kMostUnrolled = 128;  // elements of a window

std::string accumulator(const Scalar& scalar, const Gathered& each) {
  const Node& node = scalar.nodes[each.first.index()];
  const DType of = gives_place(node.combine) ? scalar.nodes[each.argument.index()].type : node.type;
  std::string_view form;
  switch (node.combine) {
    case Combine::max: form = "Max"; break;
    case Combine::min: form = "Min"; break;
    case Combine::product: form = "Product"; break;
    case Combine::argmax: form = "ArgMax"; break;
    case Combine::argmin: form = "ArgMin"; break;
    default: form = "Sum"; break;
  }
  if (each.how == Gathered::How::exponentials) form = "Exponentials";
  if (each.how == Gathered::How::moments) form = "Moments";
  return fmt::format("uc_rows::{}<{}>", form, compute_cpp(of));
}

// The dimension of the domain that a coordinate counts.
std::optional<size_t> dimension_of(const Rows& rows, const Node& coordinate) {
  const Strides steps = row_major(rows.domain);
  for (size_t d = 0; d < rows.domain.size(); ++d) {
    if (steps[d] == coordinate.divisor && rows.domain[d] == coordinate.extent && rows.domain[d] != 1)
      return d;
  }
  return std::nullopt;
}

// Counted from the row's number, or the place along the row: dimensions keep their order there.
std::string coordinate(const Rows& rows, const Node& node) {
  const size_t at = *dimension_of(rows, node);
  const auto meets = [&rows](size_t d) { return std::ranges::find(rows.meet, d) != rows.meet.end(); };
  int64_t inner = 1;
  bool outermost = true;
  for (size_t d = 0; d < rows.domain.size(); ++d) {
    if (d == at || meets(d) != meets(at)) continue;
    if (d > at) inner *= rows.domain[d];
    if (d < at && rows.domain[d] != 1) outermost = false;
  }
  const std::string number = meets(at) ? "place" : "row";
  const std::string count = inner == 1 ? number : fmt::format("uc_divide({}, {})", number, inner);
  return outermost ? count : fmt::format("{} % {}", count, node.extent);
}

}  // namespace

RowsBody::RowsBody(const RowsPhase& phase)
    : rows_(phase.rows),
      shape_(phase.shape),
      layout_(phase.layout),
      stages_(rows_stages(phase.rows, phase.layout.online)) {
  std::vector<NodeId> met;
  for (const RowsStage& each : stages_) {
    for (const NodeId id : arguments(each)) met.push_back(id);
  }
  for (const uint32_t view : views_behind(met)) (differs(view) ? data_ : same_).push_back(view);
  std::vector<NodeId> stored = effects(true);
  for (const NodeId id : effects(false)) stored.push_back(id);
  for (const uint32_t view : views_behind(stored)) {
    std::vector<uint32_t>& into = differs(view) ? late_ : same_;
    const bool known =
        std::ranges::find(data_, view) != data_.end() || std::ranges::find(same_, view) != same_.end();
    if (!known) into.push_back(view);
  }
}

std::string RowsBody::refuses(const RowsPhase& phase) {
  const Rows& rows = phase.rows;
  if (rows.body.views.size() > kMostViews)
    return fmt::format("it reads and writes more than {} tensors", kMostViews);
  if (phase.shape.rows.size() + phase.shape.columns.size() > kMostRank)
    return fmt::format("its elements lie along more than {} dimensions", kMostRank);
  const std::vector<bool> needed = needed_by_effects(rows.body);
  for (size_t i = 0; i < needed.size(); ++i) {
    const Node& node = rows.body.nodes[i];
    if (!needed[i]) continue;
    if (node.kind == Node::Kind::coordinate && !dimension_of(rows, node))
      return "its expression counts elements through several dimensions";
    if (node.kind != Node::Kind::call) continue;
    if (std::string why = call_refuses(node); !why.empty()) return why;
  }
  return {};
}

std::vector<NodeId> RowsBody::arguments(const RowsStage& stage) const {
  std::vector<NodeId> out;
  for (const Gathered& each : stage) out.push_back(each.argument);
  return out;
}

std::vector<NodeId> RowsBody::effects(bool once) const {
  std::vector<NodeId> out;
  for (const Effect& effect : rows_.body.effects) {
    if (stored_once(rows_, effect) == once) out.push_back(effect.node);
  }
  return out;
}

std::vector<uint32_t> RowsBody::views_behind(const std::vector<NodeId>& nodes) const {
  std::vector<uint32_t> out;
  const std::vector<bool> needed = needed_by(rows_.body, nodes);
  for (size_t i = 0; i < needed.size(); ++i) {
    const Node& node = rows_.body.nodes[i];
    if (needed[i] && node.kind == Node::Kind::tensor && std::ranges::find(out, node.view) == out.end())
      out.push_back(node.view);
  }
  return out;
}

bool RowsBody::differs(uint32_t view) const {
  const Strides& stride = shape_.stride[view];
  return std::any_of(stride.begin() + static_cast<std::ptrdiff_t>(shape_.rows.size()), stride.end(),
                     [](int64_t each) { return each != 0; });
}

bool RowsBody::leaves(uint32_t view) const {
  const View& of = rows_.body.views[view];
  if (!of.windowed()) return false;
  int64_t low = 0;
  int64_t high = 0;
  for (size_t d = 0; d < of.shape.size(); ++d)
    (of.stride[d] < 0 ? low : high) += (of.shape[d] - 1) * of.stride[d];
  return low < of.least || high > of.most;
}

RowsBody::Access RowsBody::access(uint32_t view) const {
  const int64_t stride = shape_.stride[view][shape_.fast()];
  return stride == 0 ? Access::broadcast : stride == 1 ? Access::vector : Access::strided;
}

std::string RowsBody::type(uint32_t view) const {
  return std::string(info(rows_.body.views[view].dtype).cuda);
}

std::string RowsBody::pack(uint32_t view) const {
  return fmt::format("uc_pack<{}, {}>", type(view), access(view) == Access::broadcast ? 1 : layout_.vector);
}

// Where the thread's first element of the view is.
std::string RowsBody::address(uint32_t view, bool column) const {
  const View& of = rows_.body.views[view];
  // What is held within the view's elements is counted in 32 bits where it surely fits, padding included.
  const bool narrow = leaves(view) && of.least >= 0 && of.most < (1 << 30);
  const std::string_view number = narrow ? "int32_t" : "int64_t";
  std::string out = narrow ? fmt::format("int32_t(o.o{})", view) : fmt::format("o.o{}", view);
  for (size_t d = 0; column && d < shape_.columns.size(); ++d) {
    const size_t at = shape_.rows.size() + d;
    const int64_t stride = shape_.stride[view][at];
    if (stride == 0) continue;
    if (rows_windowed(rows_)) {  // unrolled: one number an element
      out += fmt::format(" + {0}(c{1}) * {0}({2})", number, d, stride);
    } else if (at == shape_.fast() && stride == 1) {
      out += fmt::format(" + c{}", d);
    } else {
      out += fmt::format(" + c{} * a.view[{}].stride[{}]", d, view, at);
    }
  }
  if (!leaves(view)) return out;
  return fmt::format("uc_rows::within<{0}>({1}, {0}(a.least[{2}]), {0}(a.most[{2}]))", number, out, view);
}

std::string RowsBody::element(uint32_t view, const std::string& index) const {
  const bool data = std::ranges::find(data_, view) != data_.end();
  const bool same = std::ranges::find(same_, view) != same_.end();
  return fmt::format("uc_load({}.t{}.at[{}])",
                     data   ? "d"
                     : same ? "s"
                            : "l",
                     view, access(view) == Access::broadcast ? "0" : index);
}

cpp::Struct RowsBody::packs(const std::string& name, const std::vector<uint32_t>& views) const {
  cpp::Struct out{"struct " + name, {}};
  for (const uint32_t view : views) out.members.push_back(line(fmt::format("{} t{}", pack(view), view)));
  return out;
}

cpp::Struct RowsBody::met() const {
  cpp::Struct out{"struct Met", {}};
  for (const RowsStage& each : stages_) {
    for (const Gathered& one : each) {
      for (const NodeId id : {one.first, one.second}) {
        if (!id) continue;
        const Node& node = rows_.body.nodes[id.index()];
        out.members.push_back(line(fmt::format("{} {}", compute_cpp(node.type), name_of(id))));
      }
    }
  }
  return out;
}

// Offsets of the row's first element, of every view.
cpp::Function RowsBody::place() const {
  std::vector<cpp::Statement> out{line("int64_t rest = row")};
  for (size_t d = shape_.rows.size(); d-- > 1;) {
    out.push_back(line(fmt::format(
        "const int64_t q{0} = uc_divide(rest, a.shape[{0}]), r{0} = rest - q{0} * a.shape[{0}]", d)));
    out.push_back(line(fmt::format("rest = q{}", d)));
  }
  out.push_back(line("const int64_t r0 = rest"));
  for (uint32_t view = 0; view < rows_.body.views.size(); ++view) {
    std::string sum;
    for (size_t d = 0; d < shape_.rows.size(); ++d) {
      const int64_t stride = shape_.stride[view][d];
      if (stride == 0) continue;
      const bool unit = d == shape_.fast() && stride == 1;
      sum += fmt::format("{}r{}{}", sum.empty() ? "" : " + ", d,
                         unit ? "" : fmt::format(" * a.view[{}].stride[{}]", view, d));
    }
    out.push_back(line(fmt::format("o.o{} = {}", view, sum.empty() ? "0" : sum)));
  }
  return {"static UC_DEV void place", {"const uck_rows& a", "int64_t row", "Offsets& o"}, std::move(out)};
}

std::vector<cpp::Statement> RowsBody::column_places() const {
  std::vector<cpp::Statement> out;
  if (shape_.columns.size() > 1) out.push_back(line("int64_t rest = column"));
  for (size_t d = shape_.columns.size(); d-- > 1;) {
    // Windows are small, and known: loops over them are unrolled.
    const std::string extent = rows_windowed(rows_) ? fmt::format("int64_t({})", shape_.columns[d])
                                                    : fmt::format("a.shape[{}]", shape_.rows.size() + d);
    out.push_back(
        line(fmt::format("const int64_t q{0} = uc_divide(rest, {1}), c{0} = rest - q{0} * {1}", d, extent)));
    out.push_back(line(fmt::format("rest = q{}", d)));
  }
  out.push_back(line(fmt::format("const int64_t c0 = {}", shape_.columns.size() > 1 ? "rest" : "column")));
  return out;
}

std::vector<cpp::Statement> RowsBody::load(const std::vector<uint32_t>& views, const std::string& into,
                                           bool column) const {
  std::vector<cpp::Statement> out;
  if (column && !views.empty()) out = column_places();
  for (const uint32_t view : views) {
    const std::string from = fmt::format("(static_cast<const {}*>(a.view[{}].data) + {})", type(view), view,
                                         address(view, column));
    const std::string to = fmt::format("{}.t{}", into, view);
    switch (access(view)) {
      case Access::broadcast: out.push_back(line(fmt::format("{}.at[0] = *{}", to, from))); break;
      case Access::vector:
        out.push_back(line(fmt::format("{} = *reinterpret_cast<const {}*>{}", to, pack(view), from)));
        break;
      case Access::strided:
        out.push_back(
            line(fmt::format("for (int k = 0; k < {}; ++k) {}.at[k] = {}[k * a.view[{}].stride[{}]]",
                             layout_.vector, to, from, view, shape_.fast())));
        break;
    }
  }
  return out;
}

void RowsBody::store(std::vector<cpp::Statement>& out, const Effect& effect, bool column) const {
  const uint32_t view = effect.view;
  const std::string to =
      fmt::format("(static_cast<{}*>(a.view[{}].data) + {})", type(view), view, address(view, column));
  switch (access(view)) {
    case Access::broadcast: out.push_back(line(fmt::format("*{} = w{}.at[0]", to, view))); break;
    case Access::vector:
      out.push_back(line(fmt::format("*reinterpret_cast<{}*>{} = w{}", pack(view), to, view)));
      break;
    case Access::strided:
      out.push_back(line(fmt::format("for (int k = 0; k < {}; ++k) {}[k * a.view[{}].stride[{}]] = w{}.at[k]",
                                     layout_.vector, to, view, shape_.fast(), view)));
      break;
  }
}

std::vector<cpp::Statement> RowsBody::expression(const std::vector<NodeId>& wanted) const {
  ScalarSpelling spelling;
  spelling.tensor = [this](uint32_t view) { return element(view, "k"); };
  spelling.across = [](NodeId id) { return "m." + name_of(id); };
  spelling.coordinate = [this](const Node& node) { return coordinate(rows_, node); };
  spelling.narrow = true;
  return scalar_statements(rows_.body, wanted, spelling);
}

cpp::Function RowsBody::loader(const std::string& name, const std::string& packs,
                               const std::vector<uint32_t>& views, bool column) const {
  std::vector<std::string> params{"const uck_rows& a", "const Offsets& o", packs + "& p"};
  if (column) params.emplace_back("int64_t column");
  return {"static UC_DEV void " + name, std::move(params), load(views, "p", column)};
}

cpp::Struct RowsBody::stage(size_t index) const {
  const RowsStage& each = stages_[index];
  cpp::Struct out{fmt::format("struct Stage{}", index), {}};
  out.members.push_back(cpp::Alias{"Acc", fmt::format("Acc{}", index)});
  std::vector<uint32_t> reads;
  for (const uint32_t view : views_behind(arguments(each))) {
    if (differs(view)) reads.push_back(view);
  }
  out.members.push_back(loader("load", "Data", reads, true));
  const int64_t along = shape_.outer ? 1 : layout_.vector;
  std::vector<cpp::Statement> add;
  for (const Gathered& one : each) {
    const Node& node = rows_.body.nodes[one.first.index()];
    const Node& argument = rows_.body.nodes[one.argument.index()];
    const bool place = gives_place(node.combine);
    add.push_back(line(
        fmt::format("{} x{}[{}]", compute_cpp(place ? argument.type : node.type), one.first.index(), along)));
  }
  std::vector<cpp::Statement> loop{line(shape_.outer ? "const int k = lane" : "const int k = e"),
                                   line("const int64_t place = column + e")};
  for (cpp::Statement& statement : expression(arguments(each))) loop.push_back(std::move(statement));
  for (const Gathered& one : each)
    loop.push_back(line(fmt::format("x{}[e] = {}", one.first.index(), name_of(one.argument))));
  add.push_back(
      block(fmt::format("#pragma unroll\n    for (int e = 0; e < {}; ++e)", along), std::move(loop)));
  std::vector<cpp::Statement> take;
  for (const Gathered& one : each) {
    add.push_back(line(fmt::format("acc.{0}.add(x{1}, column)", name_of(one.first), one.first.index())));
    const bool pair = one.how != Gathered::How::plain;
    take.push_back(line(fmt::format("m.{0} = acc.{0}.{1}()", name_of(one.first), pair ? "first" : "result")));
    if (pair)
      take.push_back(line(fmt::format("m.{} = acc.{}.second()", name_of(one.second), name_of(one.first))));
  }
  out.members.push_back(cpp::Function{"static UC_DEV void add",
                                      {"Acc& acc", "const Data& d", "const Same& s", "const Met& m",
                                       "int lane", "int64_t row", "int64_t column"},
                                      std::move(add)});
  out.members.push_back(
      cpp::Function{"static UC_DEV void take", {"Met& m", "const Acc& acc"}, std::move(take)});
  return out;
}

cpp::Function RowsBody::finish() const {
  std::vector<cpp::Statement> out;
  std::vector<cpp::Statement> loop{
      line(shape_.outer ? "const Met& m = met[k]" : "const Met& m = met[0]"),
      line(shape_.outer ? "const int64_t row = first_row + k" : "const int64_t row = first_row"),
      line(shape_.outer ? "const int64_t place = column" : "const int64_t place = column + k")};
  std::vector<cpp::Statement> stores = column_places();
  for (cpp::Statement& statement : expression(effects(false))) loop.push_back(std::move(statement));
  for (const Effect& effect : rows_.body.effects) {
    if (stored_once(rows_, effect)) continue;
    const uint32_t view = effect.view;
    out.push_back(line(fmt::format("{} w{}", pack(view), view)));
    loop.push_back(
        line(fmt::format("w{}.at[{}] = uc_store_as<{}>::of({})", view,
                         access(view) == Access::broadcast ? "0" : "k", type(view), name_of(effect.node))));
    store(stores, effect, true);
  }
  out.push_back(block(fmt::format("#pragma unroll\n    for (int k = 0; k < {}; ++k)", layout_.vector),
                      std::move(loop)));
  for (cpp::Statement& statement : stores) out.push_back(std::move(statement));
  return {"static UC_DEV void finish",
          {"const uck_rows& a", "const Offsets& o", "const Data& d", "const Late& l", "const Same& s",
           "const Met* met", "int64_t first_row", "int64_t column"},
          std::move(out)};
}

cpp::Function RowsBody::finish_row() const {
  std::vector<cpp::Statement> out;
  std::vector<cpp::Statement> loop{line("const Met& m = met[k]"), line("const int64_t row = first_row + k")};
  std::vector<cpp::Statement> stores;
  for (cpp::Statement& statement : expression(effects(true))) loop.push_back(std::move(statement));
  for (const Effect& effect : rows_.body.effects) {
    if (!stored_once(rows_, effect)) continue;
    const uint32_t view = effect.view;
    out.push_back(line(fmt::format("{} w{}", pack(view), view)));
    loop.push_back(
        line(fmt::format("w{}.at[{}] = uc_store_as<{}>::of({})", view,
                         access(view) == Access::broadcast ? "0" : "k", type(view), name_of(effect.node))));
    store(stores, effect, false);
  }
  out.push_back(block(
      fmt::format("#pragma unroll\n    for (int k = 0; k < {}; ++k)", shape_.outer ? layout_.vector : 1),
      std::move(loop)));
  for (cpp::Statement& statement : stores) out.push_back(std::move(statement));
  return {"static UC_DEV void finish_row",
          {"const uck_rows& a", "const Offsets& o", "const Same& s", "const Met* met", "int64_t first_row"},
          std::move(out)};
}

cpp::Struct RowsBody::body() const {
  cpp::Struct out{"struct Body", {}};
  const auto number = [&out](std::string_view name, int64_t value) {
    out.members.push_back(line(fmt::format("static constexpr int {} = {}", name, value)));
  };
  const auto flag = [&out](std::string_view name, bool value) {
    out.members.push_back(line(fmt::format("static constexpr bool {} = {}", name, value)));
  };
  // As many loads under way as 64 bytes a thread, of what is streamed.
  int64_t bytes = 0;
  for (const uint32_t view : data_) bytes += size_bytes(rows_.body.views[view].dtype) * layout_.vector;
  number("kVector", layout_.vector);
  number("kTeam", layout_.team);
  number("kLanes", layout_.lanes);
  number("kItems", layout_.items);
  number("kCluster", layout_.cluster);
  const bool unrolled = rows_windowed(rows_) && shape_.length() <= kMostUnrolled;
  number("kColumns", unrolled ? shape_.length() : 0);
  number("kUnroll", bytes == 0 ? 1 : std::clamp<int64_t>(64 / bytes, 1, 8));
  flag("kOuter", shape_.outer);
  flag("kStoresElements", !effects(false).empty());
  flag("kStoresRows", !effects(true).empty());
  for (const char* each : {"Offsets", "Data", "Late", "Same", "Met"})
    out.members.push_back(cpp::Alias{each, fmt::format("Rows{}", each)});
  cpp::Type list("uc_rows::List");
  for (size_t i = 0; i < stages_.size(); ++i) list.args.emplace_back(fmt::format("Stage{}", i));
  out.members.push_back(cpp::Alias{"Stages", stages_.empty() ? cpp::Type("uc_rows::List<>") : list});
  out.members.push_back(place());
  out.members.push_back(loader("load", "Data", data_, true));
  out.members.push_back(loader("load_late", "Late", late_, true));
  out.members.push_back(loader("load_same", "Same", same_, false));
  std::vector<uint32_t> again;
  for (const uint32_t view : views_behind(effects(false))) {
    if (std::ranges::find(data_, view) != data_.end()) again.push_back(view);
  }
  out.members.push_back(loader("load_again", "Data", again, true));
  if (!effects(false).empty()) out.members.push_back(finish());
  if (!effects(true).empty()) out.members.push_back(finish_row());
  return out;
}

std::vector<cpp::Decl> RowsBody::declare(const std::string& name) const {
  std::vector<cpp::Decl> out{cpp::Verbatim{fmt::format("namespace {} {{\n", name)}};
  cpp::Struct offsets{"struct RowsOffsets", {}};
  for (size_t view = 0; view < rows_.body.views.size(); ++view)
    offsets.members.push_back(line(fmt::format("int64_t o{}", view)));
  out.push_back(std::move(offsets));
  out.push_back(packs("RowsData", data_));
  out.push_back(packs("RowsLate", late_));
  out.push_back(packs("RowsSame", same_));
  out.push_back(met());
  out.push_back(cpp::Verbatim{
      "using Offsets = RowsOffsets;\nusing Data = RowsData;\nusing Late = RowsLate;\nusing Same = RowsSame;\n"
      "using RowsMet = Met;\n"});
  for (size_t i = 0; i < stages_.size(); ++i) {
    cpp::Struct acc{fmt::format("struct Acc{}", i), {}};
    std::vector<cpp::Statement> clear;
    std::vector<cpp::Statement> merge;
    for (const Gathered& each : stages_[i]) {
      const std::string member = name_of(each.first);
      acc.members.push_back(line(fmt::format("{} {}", accumulator(rows_.body, each), member)));
      clear.push_back(line(member + ".clear()"));
      merge.push_back(line(fmt::format("{0}.merge(other.{0})", member)));
    }
    acc.members.push_back(cpp::Function{"UC_DEV void clear", {}, std::move(clear)});
    acc.members.push_back(
        cpp::Function{"UC_DEV void merge", {fmt::format("const Acc{}& other", i)}, std::move(merge)});
    out.push_back(std::move(acc));
    out.push_back(stage(i));
  }
  out.push_back(body());
  out.push_back(cpp::Verbatim{fmt::format("}}  // namespace {}\n", name)});
  return out;
}

}  // namespace uc
