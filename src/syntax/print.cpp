#include "syntax/print.h"

#include <algorithm>
#include <set>

#include "syntax/ast_make.h"
#include "syntax/format.h"
#include "syntax/print_decl.h"
#include "syntax/print_names.h"

namespace uc {
namespace {

using namespace syntax;

bool is_tensor(const ParamSpec& param) { return is_operand(param.kind); }

// A program whose values are used in more than one place inside one expression could be exponentially long
// text.
constexpr size_t kMostNodes = 20'000;

class Printer {
 public:
  Printer(const Catalog& catalog, const Program& program)
      : catalog_(catalog), program_(program), names_(program) {}

  ast::File run() {
    print_head(program_, names_, file_);
    for (const Step& step : program_.steps) {
      if (!names_.is_inline(step)) file_.statements.emplace_back(statement(step));
    }
    ast::Result result;
    for (const ValueId id : program_.results) result.names.push_back(make_name(names_.of(id)));
    if (!result.names.empty()) file_.statements.emplace_back(std::move(result));
    return std::move(file_);
  }

 private:
  // ---- steps

  ast::Step statement(const Step& step) {
    ast::Step out;
    for (const ValueId id : step.results) out.names.push_back(make_name(names_.of(id)));
    if (step.phase == Phase::load) {
      out.expr = prepack(step);
      return out;
    }
    enter(step);
    out.expr = step.heads.empty() ? application(step.main) : several(step.heads);
    for (const Knob& knob : step.knobs) out.knobs.push_back(print_knob(knob));
    std::vector<ValueId> running = heads_of(program_, step);
    for (const Step::Call& call : step.chain) {
      out.chain.push_back(chain_call(call, running));
      running = after_call(program_, call, running);
    }
    return out;
  }

  // The results of several applications in one call: `sum(x, x * x, dim=1)`, else `map(e1, e2)`.
  ast::ExprPtr several(const std::vector<ValueId>& values) {
    const Op& first = program_[program_[values[0]].def];
    const bool same = first.spec != nullptr && first.spec->reduces && reduces_each(first, values);
    return make_call(same ? reductions(values) : map_of(values));
  }

  bool reduces_each(const Op& first, const std::vector<ValueId>& values) const {
    return std::all_of(values.begin(), values.end(), [&](ValueId id) {
      const OpId def = program_[id].def;
      return def && own_.contains(def) && program_[def].spec == first.spec &&
             program_[def].attrs == first.attrs && program_[def].in.size() == 1;
    });
  }

  ast::Call reductions(const std::vector<ValueId>& values) {
    const Op& first = program_[program_[values[0]].def];
    ast::Call out{make_name(first.spec->name), {}, {}};
    const Op* before = nullptr;
    for (const ValueId id : values) {
      const Op& op = program_[program_[id].def];
      if (&op != before) out.args.push_back(make_arg(operand(op.in[0])));
      before = &op;
    }
    auto attributes = arguments(first, true, false);
    for (ast::Arg& arg : attributes) out.args.push_back(std::move(arg));
    return out;
  }

  ast::Call map_of(const std::vector<ValueId>& values) {
    ast::Call out{make_name("map"), {}, {}};
    for (const ValueId id : values) out.args.push_back(make_arg(operand(id)));
    return out;
  }

  void enter(const Step& step) {
    own_.clear();
    for (const OpId id : ops_of(step)) own_.insert(id);
    running_ = ValueId();
    nodes_ = 0;
  }

  static ast::Knob print_knob(const Knob& knob) {
    ast::Knob out;
    out.name = make_name(knob.name);
    for (const KnobValue& value : knob.settings) {
      ast::Literal literal;
      const double* number = std::get_if<double>(&value);
      literal.text = number != nullptr ? float_text(*number) : to_text(value);
      ast::Setting setting;
      setting.literals.push_back(std::move(literal));
      out.settings.push_back(std::move(setting));
    }
    return out;
  }

  ast::Call chain_call(const Step::Call& call, const std::vector<ValueId>& running) {
    running_ = running.size() == 1 ? running[0] : ValueId();
    const Op& root = program_[call.out.empty() ? call.ops.back() : program_[call.out[0]].def];
    const std::vector<ValueId> ends = ends_of(call);
    const bool direct = !call.is_map && !root.in.empty() && root.in[0] == running[0] && !spreads(root);
    const bool of_one = call.out.empty() || running.size() > 1 || call.out == root.out;
    ast::Call out;
    if (direct && of_one) {
      out = {make_name(root.spec->name), arguments(root, true), {}};
    } else if (!call.is_map && root.spec->reduces && root.out == ends) {
      out = {make_name(root.spec->name), arguments(root, false), {}};
    } else if (!call.is_map && root.spec->reduces && reduces_each(root, ends)) {
      out = reductions(ends);
    } else {
      out = map_of(ends);
    }
    running_ = ValueId();
    return out;
  }

  // Several operands of a variadic parameter, the running value only one of them.
  static bool spreads(const Op& op) {
    return !op.spec->params.empty() && op.spec->params[0].kind == ParamKind::tensors && op.in.size() > 1;
  }

  std::vector<ValueId> ends_of(const Step::Call& call) const {
    return call.out.empty() ? std::vector<ValueId>{program_[call.ops.back()].out.back()} : call.out;
  }

  // `prepack(e)` or `prepack(e, f16)`: as the resolver reads them, a view or a bare param is copied by `to`.
  ast::ExprPtr prepack(const Step& step) {
    const auto outer = std::pair(std::exchange(own_, {}), std::exchange(running_, ValueId()));
    for (const OpId id : ops_of(step)) own_.insert(id);
    const OpId root_id = program_[step.results[0]].def;
    const Op& root = program_[root_id];
    ast::Call out;
    out.callee = make_name("prepack");
    const AttrValue* dtype = root.attrs.find("dtype");
    if (root.spec == catalog_.op("to") && root.in.size() == 1 && copies(root)) {
      out.args.push_back(make_arg(operand(root.in[0])));
      if (dtype != nullptr) out.args.push_back(make_arg(make_attr(*dtype, false)));
    } else {
      out.args.push_back(make_arg(application(root_id)));
    }
    own_ = outer.first;
    running_ = outer.second;
    return make_call(std::move(out));
  }

  // The `to` that `prepack` adds by itself.
  bool copies(const Op& to) const {
    const OpId from = program_[to.in[0]].def;
    const bool view = !from || !own_.contains(from) || program_[from].spec->is_view();
    Attrs added;
    if (const AttrValue* dtype = to.attrs.find("dtype")) added.set("dtype", *dtype);
    if (view) added.set("layout", std::string("row"));
    return !added.entries().empty() && to.attrs == added;
  }

  // ---- expressions

  ast::ExprPtr operand(ValueId id) {
    const Value& value = program_[id];
    if (running_ && id == running_) return make_word("it");
    if (value.kind == ValueKind::literal) return make_number(value.literal, value.literal_is_int);
    if (value.kind != ValueKind::computed || !value.def) return make_word(names_.of(id));
    if (own_.contains(value.def)) return application(value.def);
    const Step* step = program_[value.def].step ? &program_[program_[value.def].step] : nullptr;
    if (step != nullptr && names_.is_inline(*step) && step->results[0] == id) return prepack(*step);
    return make_word(names_.of(id).empty() ? "no_name" : names_.of(id));
  }

  ast::ExprPtr application(OpId id) {
    const Op& op = program_[id];
    if (++nodes_ > kMostNodes) return make_word("too_long");
    // Signs between literals are read as one literal: what is an operation is called by name.
    const bool folds = std::ranges::all_of(
        op.in, [this](ValueId in) { return program_[in].kind == ValueKind::literal && in != running_; });
    const bool infix = !op.spec->infix.empty() && op.attrs.entries().empty() && !folds;
    if (infix && op.in.size() == 1) return make_negate(operand(op.in[0]));
    if (infix && op.in.size() == 2) {
      auto left = operand(op.in[0]);
      return make_binary(op.spec->infix, std::move(left), operand(op.in[1]));
    }
    return make_call({make_name(op.spec->name), arguments(op, false), {}});
  }

  // Tensors in order, then attributes: positional while nothing was left out and no other reading fits, else
  // by name.
  // `words` false: what follows operands that stand for several calls is named.
  std::vector<ast::Arg> arguments(const Op& op, bool fused, bool words = true) {
    Arguments out;
    out.in_order = words;
    bool running = fused;
    for (const ParamSpec& param : op.spec->params) {
      if (running && is_tensor(param)) {
        running = false;
      } else if (is_tensor(param)) {
        operand_argument(op, param, out);
      } else {
        attribute_argument(op, param, out);
      }
    }
    return std::move(out.args);
  }

  struct Arguments {
    std::vector<ast::Arg> args;
    bool in_order = true;  ///< nothing was left out so far
    bool listed = false;   ///< a list takes every tensor that follows by position
    void add(ast::ArgValue value, std::string_view name, bool positional) {
      args.push_back(make_arg(std::move(value), positional ? std::string_view() : name));
    }
  };

  void operand_argument(const Op& op, const ParamSpec& param, Arguments& out) {
    const std::vector<size_t> given = operands(op, param.name);
    out.in_order = out.in_order && !given.empty() && !out.listed;
    out.listed = out.listed || param.kind == ParamKind::tensors;
    if (param.kind == ParamKind::tensors && !out.in_order && !given.empty()) {
      auto list = std::make_unique<ast::List>();
      for (const size_t index : given) list->items.emplace_back(operand(op.in[index]));
      return out.add(std::move(list), param.name, false);
    }
    for (const size_t index : given) {
      out.add(param.kind == ParamKind::expression ? over_it(op, index) : operand(op.in[index]), param.name,
              out.in_order);
    }
  }

  void attribute_argument(const Op& op, const ParamSpec& param, Arguments& out) {
    const AttrValue* value = op.attrs.find(param.name);
    if (value == nullptr) {
      out.in_order = out.in_order && is_word(param);
    } else if (param.kind == ParamKind::typed) {
      out.in_order = false;
      out.add(print_typed(program_, op.attrs, param.name), param.name, false);
    } else if (param.kind == ParamKind::text) {
      out.add(std::get<std::string>(*value), param.name, out.in_order);
    } else if (const auto* terms = op.attrs.terms(param.name)) {
      out.in_order = out.in_order && param.required;
      out.add(print_integers(program_, *value, *terms), param.name, out.in_order);
    } else {
      // A number behind any number of tensors would be one more of them.
      out.in_order = out.in_order && (is_word(param) ? !hidden(*value) : param.required && !out.listed);
      out.add(make_attr(*value, out.in_order), param.name, out.in_order);
    }
  }

  // An expression argument: `it` is what the operator that the row names made in this step.
  ast::ExprPtr over_it(const Op& op, size_t index) {
    ValueId it;
    for (const OpId id : own_) {
      if (program_[id].spec->name == op.spec->running) it = program_[id].out[0];
    }
    const ValueId outer = std::exchange(running_, it);
    ast::ExprPtr body = operand(op.in[index]);
    running_ = outer;
    return body;
  }

  static bool is_word(const ParamSpec& param) {
    return param.kind == ParamKind::dtype || param.kind == ParamKind::layout || param.kind == ParamKind::word;
  }

  // A word that is also a value's name would be read as that value.
  bool hidden(const AttrValue& value) const {
    const auto* word = std::get_if<std::string>(&value);
    const auto* type = std::get_if<DType>(&value);
    return names_.taken(word != nullptr   ? std::string_view(*word)
                        : type != nullptr ? name(*type)
                                          : std::string_view());
  }

  const Catalog& catalog_;
  const Program& program_;
  PrintNames names_;
  ast::File file_;
  std::set<OpId> own_;  // ops of the step being printed
  ValueId running_;     // what `it` means
  size_t nodes_ = 0;
};

}  // namespace

ast::File to_ast(const Catalog& catalog, const Program& program) { return Printer(catalog, program).run(); }

std::string print(const Catalog& catalog, const Program& program) {
  return format(to_ast(catalog, program), {});
}

}  // namespace uc
