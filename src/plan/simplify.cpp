#include "plan/simplify.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace uc {
namespace {

constexpr int kMostRounds = 16;

// A program made anew from the steps of another one: dense ids, every operator inferred again.
class Rebuild {
 public:
  Rebuild(const Catalog& catalog, const Program& from)
      : from_(from), builder_(catalog, out_, diags_), map_(from.values.size()) {}

  std::optional<Program> run() {
    declare();
    for (const Step& step : from_.steps) {
      if (!add(step)) return std::nullopt;
    }
    if (!returns() || diags_.has_errors()) return std::nullopt;
    name_all();
    return std::move(out_);
  }

 private:
  void declare() {
    out_.name = from_.name;
    out_.target = from_.target;
    out_.precision = from_.precision;
    out_.dims = from_.dims;
    out_.chosen = from_.chosen;
    for (const ValueId id : from_.inputs) out_.inputs.push_back(given(id));
    for (const ValueId id : from_.params) out_.params.push_back(given(id));
    for (const ValueId id : from_.scalars) out_.scalars.push_back(given(id));
  }

  ValueId given(ValueId id) {
    const ValueId made(out_.values.size());
    Value value = from_[id];
    const ValueId shared = value.root == id ? ValueId{} : map_[value.root.index()];  // tied weights
    value.root = shared ? shared : made;
    out_.values.push_back(std::move(value));
    map_[id.index()] = made;
    return made;
  }

  // The value over there; literals come with their first reader.
  ValueId at(ValueId id) {
    if (!map_[id.index()] && from_[id].kind == ValueKind::literal) given(id);
    return map_[id.index()];
  }

  bool all(const std::vector<ValueId>& ids, std::vector<ValueId>& out) {
    for (const ValueId id : ids) {
      out.push_back(at(id));
      if (!out.back()) return false;
    }
    return true;
  }

  // A view of what now lies elsewhere in memory may need a copy first.
  std::optional<OpId> add(OpId id) {
    const Op& op = from_[id];
    std::vector<ValueId> in;
    if (!all(op.in, in)) return std::nullopt;
    const size_t errors = diags_.error_count();
    auto made = builder_.op(*op.spec, in, op.attrs, op.span);
    if (!made && op.spec->is_view() && diags_.error_count() != errors) {
      diags_ = {};
      const auto copy = copied(in[0]);
      if (!copy) return std::nullopt;
      in[0] = *copy;
      made = builder_.op(*op.spec, in, op.attrs, op.span);
    }
    if (!made || out_[*made].out.size() != op.out.size()) return std::nullopt;
    for (size_t i = 0; i < op.out.size(); ++i) {
      const ValueId now = out_[*made].out[i];
      out_[now].name = from_[op.out[i]].name;
      out_[now].observed = from_[op.out[i]].observed;
      map_[op.out[i].index()] = now;
    }
    return made;
  }

  std::optional<ValueId> copied(ValueId id) {
    Attrs attrs;
    attrs.set("layout", std::string("row"));
    const auto copy = builder_.op(*builder_.catalog().op("to"), {id}, std::move(attrs));
    if (!copy) return std::nullopt;
    Step step;
    step.main = *copy;
    step.results = out_[*copy].out;
    builder_.step(std::move(step));
    return out_[*copy].out[0];
  }

  bool add(const Step& step) {
    Step made = step;
    const auto ops = [&](std::vector<OpId>& list) {
      for (OpId& op : list) {
        const auto now = add(op);
        if (!now) return false;
        op = *now;
      }
      return true;
    };
    if (!ops(made.prologue)) return false;
    if (const auto main = add(step.main)) {
      made.main = *main;
    } else {
      return false;
    }
    made.heads.clear();
    if (!all(step.heads, made.heads)) return false;
    for (Step::Call& call : made.chain) {
      std::vector<ValueId> out;
      if (!ops(call.ops) || !all(call.out, out)) return false;
      call.out = std::move(out);
    }
    made.results.clear();
    if (!all(step.results, made.results)) return false;
    builder_.step(std::move(made));
    return true;
  }

  // True where one element in memory stands for several.
  static bool repeats(const Value& value) {
    for (size_t d = 0; d < value.shape.size(); ++d) {
      if (value.shape[d] > 1 && value.stride[d] == 0) return true;
    }
    return false;
  }

  // Results are made by steps, once each, are no views of what is given, and are written whole.
  bool returns() {
    std::set<ValueId> taken;
    for (const ValueId id : from_.results) {
      ValueId now = at(id);
      if (!now) return false;
      const Value& value = out_[now];
      if (out_[value.root].kind != ValueKind::computed || taken.contains(now) || repeats(value)) {
        const auto copy = copied(now);
        if (!copy) return false;
        now = *copy;
      }
      taken.insert(now);
      out_.results.push_back(now);
    }
    return true;
  }

  void name_all() {
    std::set<std::string> names;
    for (const Value& value : out_.values) names.insert(value.name);
    size_t count = 0;
    for (const Step& step : out_.steps) {
      for (const ValueId id : step.results) {
        while (out_[id].name.empty()) {
          std::string name = fmt::format("s{}", ++count);
          if (names.insert(name).second) out_[id].name = std::move(name);
        }
      }
    }
  }

  const Program& from_;
  Program out_;
  DiagSink diags_;
  ProgramBuilder builder_;
  std::vector<ValueId> map_;
};

bool same_results(const Program& a, const Program& b) {
  return std::ranges::equal(a.results, b.results, [&](ValueId x, ValueId y) {
    return a[x].dtype == b[y].dtype && a[x].shape == b[y].shape;
  });
}

Program rebuilt(const Catalog& catalog, const Program& changed, const Program& otherwise) {
  auto out = Rebuild(catalog, changed).run();
  if (out && same_results(*out, otherwise)) return std::move(*out);
  return otherwise;
}

}  // namespace

std::string where_of(const Program& program, OpId op) {
  const std::string& name = program[program[op].out[0]].name;
  return name.empty() ? std::string(program[op].spec->name)
                      : fmt::format("{} of `{}`", program[op].spec->name, name);
}

Program simplify(const Catalog& catalog, const Program& program, Holds at_most,
                 std::vector<Applied>* applied) {
  std::vector<const RewriteSpec*> rows;
  std::vector<Simplifier::Rule> rules;
  for (const RewriteSpec* row : catalog.rewrites()) {
    if (row->simplify == nullptr || row->holds > at_most) continue;
    rows.push_back(row);
    rules.push_back(row->simplify);
  }
  const auto note = [&](size_t rule, std::string where) {
    const bool known = applied == nullptr || std::ranges::any_of(*applied, [&](const Applied& each) {
                         return each.rule == rows[rule] && each.where == where;
                       });
    if (!known) applied->push_back({rows[rule], std::move(where)});
  };
  // Where memory lies is inferred when a program is made anew; rules about views may apply then, and rules
  // that look farther than what changed.
  std::optional<Program> out;
  for (int round = 0; round < kMostRounds; ++round) {
    const Program& now = out ? *out : program;
    Simplifier state(catalog, now);
    state.unfuse();
    bool any = false;
    state.exhaust(rules, [&](size_t rule, std::string where) {
      any = true;
      note(rule, std::move(where));
    });
    if (!any) break;
    out = rebuilt(catalog, std::move(state).take(), now);
  }
  return out ? *std::move(out) : program;
}

std::vector<Site> simplification_sites(Simplifier::Rule rule, const Program& program,
                                       const RewriteContext& context) {
  if (!program.dims.empty()) return {};  // numbers that rules write would lose the names
  std::vector<Site> sites;
  Simplifier state(context.catalog, program);
  for (const StepId step : state.order()) {
    if (state.open(step) && state.probe(rule, step))
      sites.push_back({step, program[step].main, 0, where_of(program, program[step].main)});
    state.enter(step);
  }
  return sites;
}

Program simplified_at(Simplifier::Rule rule, const Program& program, const Site& site,
                      const RewriteContext& context) {
  if (site.step.index() >= program.steps.size() || program[site.step].main != site.op) return program;
  Simplifier state(context.catalog, program);
  if (!state.open(site.step) || !state.apply(rule, site.step)) return program;
  return rebuilt(context.catalog, std::move(state).take(), program);
}

}  // namespace uc
