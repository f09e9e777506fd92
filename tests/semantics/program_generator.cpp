#include "program_generator.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>

#include "evaluator_math.h"

namespace evaluator {
namespace {

using Shape = std::vector<int64_t>;

std::string shape_text(const Shape& shape) {
  std::string out = "[";
  for (size_t i = 0; i < shape.size(); ++i) out += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
  return out + "]";
}

class Generator {
 public:
  explicit Generator(uint64_t seed) : random_(seed) {}

  GeneratedProgram run() {
    emit("target sm_90a");
    strict_ = chance(30);
    emit(strict_ ? "precision strict" : "precision f8");
    m_ = 1 + below(6), n_ = 1 + below(6), k_ = 1 + below(9), batch_ = 1 + below(3);
    declare();
    const uint64_t steps = 1 + below(5);
    for (uint64_t i = 0; i < steps; ++i) one_step();
    std::string line = "return ";
    for (size_t i = 0; i < out_.results.size(); ++i) line += (i == 0 ? "" : ", ") + out_.results[i];
    emit(line);
    return std::move(out_);
  }

 private:
  // ---- chance

  uint64_t below(uint64_t limit) { return random_() % limit; }
  bool chance(uint64_t percent) { return below(100) < percent; }
  template <class List>
  auto pick(const List& list) {
    return list[below(list.size())];
  }

  double normal() {
    double sum = 0;
    for (int i = 0; i < 12; ++i) sum += static_cast<double>(below(1 << 20)) / (1 << 20);
    return sum - 6;
  }

  double datum(const std::string& dtype) {
    if (dtype == "bool") return static_cast<double>(below(2));
    if (!is_float(dtype)) return static_cast<double>(below(17)) - (dtype == "u8" ? 0 : 8);
    if (chance(15)) return pick(std::vector<double>{0, 1, -1, 0.5, 2, -3, 6});
    return rounded(dtype, whole_ ? std::round(normal() * 2) : normal() * (chance(10) ? 30 : 1));
  }

  std::string literal() {
    static const std::vector<std::string> kLiterals{"0",   "1",   "2",    "3",  "0.5", "0.1",
                                                    "1.0", "2.5", "0.25", "10", "1e-3"};
    return (chance(20) ? "-" : "") + pick(kLiterals);
  }

  // ---- statements

  void emit(const std::string& line) {
    out_.text += line + "\n";
    out_.meaning.line(line);
  }

  void add_datum(const std::string& kind, const std::string& dtype, const Shape& shape) {
    Datum each{(kind == "param"    ? "W"
                : kind == "scalar" ? "s"
                                   : "x") +
                   std::to_string(out_.data.size()),
               kind,
               dtype,
               shape,
               {}};
    whole_ = chance(40);
    for (int64_t i = 0; i < count_of(shape); ++i) each.data.push_back(datum(dtype));
    out_.meaning.bind(each.name, each.data);
    std::string line = kind + " " + each.name + ": " + dtype;
    bool row = true;
    if (!shape.empty()) line += shape_text(shape);
    if (shape.size() == 2 && chance(25)) {
      row = false;
      line += chance(50) ? " @col" : " @strides(" + std::to_string(shape[1] + 3) + ", 1)";
    }
    out_.data.push_back(each);
    emit(line);
    if (kind != "scalar") names_.push_back(each.name);
    if (kind == "param") params_.push_back(each.name);
    if (row) row_.push_back(each.name);
  }

  std::string any_dtype() {
    static const std::vector<std::string> kTypes{"f32", "f32", "f32", "f16",  "f16", "bf16",
                                                 "f64", "i32", "i64", "bool", "u8",  "i8"};
    return pick(kTypes);
  }

  void declare() {
    const std::vector<std::string> kMatrixTypes{"f16", "f32", "f32", "bf16", "f64", "i8"};
    const std::string type = pick(kMatrixTypes);
    add_datum("input", type, chance(25) ? Shape{batch_, m_, k_} : Shape{m_, k_});
    add_datum("input", type, chance(25) ? Shape{batch_, k_, n_} : Shape{k_, n_});
    add_datum("param", type, {n_, k_});
    add_datum("input", any_dtype(), {m_, n_});
    add_datum("param", any_dtype(), {n_});
    if (chance(40)) add_datum("input", any_dtype(), {m_, 1});
    if (chance(30)) add_datum("input", any_dtype(), {m_, n_});
    add_datum("scalar", pick(std::vector<std::string>{"f32", "f16", "i32"}), {});
    scalar_ = out_.data.back().name;
  }

  void one_step() {
    const uint64_t kind = below(100);
    if (kind < 40) {
      contraction();
    } else if (kind < 80) {
      pointwise();
    } else if (kind < 90) {
      convert();
    } else {
      view();
    }
  }

  std::string fresh() { return "v" + std::to_string(next_++); }

  const Tensor& value(const std::string& name) const { return out_.meaning[name]; }

  /// Emits `line`, which makes `made`; a name that is not returned is still checked through what uses it.
  void finish(const std::vector<std::string>& made, const std::string& line, bool row) {
    emit(line);
    for (const std::string& name : made) {
      names_.push_back(name);
      out_.results.push_back(name);
      if (row) row_.push_back(name);
    }
  }

  std::vector<std::string> where_type(const std::vector<std::string>& names, const std::string& dtype) const {
    std::vector<std::string> out;
    for (const std::string& name : names) {
      if (value(name).dtype == dtype) out.push_back(name);
    }
    return out;
  }

  bool needs_saying(const std::string& dtype) const {
    return dtype == "i8" || dtype == "u8" || dtype.starts_with("f8");
  }

  /// Data derived from f32 is stored in f32 or f64 when the precision is strict.
  bool unlicensed(const Tensor& tensor) const {
    return strict_ && tensor.from_f32 && is_float(tensor.dtype) && tensor.dtype != "f32" &&
           tensor.dtype != "f64";
  }

  std::string storable() {
    static const std::vector<std::string> kStrict{"f32", "f64", "i32", "i64"};
    static const std::vector<std::string> kAll{"f32", "f16",    "bf16",   "f32", "f64",
                                               "i32", "f8e5m2", "f8e4m3", "i8"};
    return strict_ ? pick(kStrict) : pick(kAll);
  }

  // ---- gemm and linear

  void contraction() {
    std::vector<std::pair<std::string, std::string>> fits;
    for (const std::string& a : names_) {
      for (const std::string& b : names_) {
        if (varies(a) && readable(a) && readable(b) && multiplies(value(a), value(b)))
          fits.emplace_back(a, b);
      }
    }
    if (fits.empty()) return pointwise();
    const auto [a, b] = pick(fits);
    const bool linear =
        value(b).shape.size() == 2 && value(b).shape[1] == value(a).shape.back() && chance(60);
    if (!linear && value(b).shape[value(b).shape.size() - 2] != value(a).shape.back()) return pointwise();
    std::string right = b;
    const bool param = std::find(params_.begin(), params_.end(), b) != params_.end();
    if (linear && param && chance(50)) right = "prepack(" + b + ")";
    std::string expression = (linear ? "linear(" : "gemm(") + a + ", " + right + ")";
    // Transposed reading of the same operand.
    if (!linear && value(b).shape.size() == 2 && value(b).shape[0] == value(b).shape[1] && chance(30)) {
      expression = "gemm(" + a + ", transpose(" + b + "))";
    }
    with_chain(expression, true);
  }

  /// Two dimensions always have a unit stride here; three only when nothing permuted them.
  bool readable(const std::string& name) const {
    return value(name).shape.size() <= 2 || std::find(row_.begin(), row_.end(), name) != row_.end();
  }

  static bool multiplies(const Tensor& a, const Tensor& b) {
    const bool type = a.dtype == b.dtype && ((is_float(a.dtype) && !a.dtype.starts_with("f8")) ||
                                             a.dtype == "i8" || a.dtype == "u8");
    if (!type || a.shape.size() < 2 || b.shape.size() < 2) return false;
    if (a.shape.size() > 3 || b.shape.size() > 3) return false;
    const bool batches = a.shape.size() < 3 || b.shape.size() < 3 || a.shape[0] == b.shape[0] ||
                         a.shape[0] == 1 || b.shape[0] == 1;
    const int64_t k = a.shape.back();
    return batches && (b.shape[b.shape.size() - 2] == k || (b.shape.size() == 2 && b.shape[1] == k));
  }

  // ---- chains

  /// name[, stored...] = expression >> call >> call ...
  void with_chain(const std::string& expression, bool row = false) {
    if (!varies(expression))
      return with_chain(expression.find(' ') == std::string::npos ? expression + " * " + scalar_
                                                                  : "(" + expression + ") * " + scalar_,
                        row);
    const std::string probe = "probe" + std::to_string(next_);
    out_.meaning.line(probe + " = " + expression);
    Tensor running = value(probe);
    std::vector<std::string> stores;
    std::string chain;
    const uint64_t calls = below(4);
    for (uint64_t i = 0; i < calls; ++i) {
      if (chance(15) && !needs_saying(running.dtype)) {
        stores.push_back(fresh());
        chain += " >> store(" + (chance(50) || unlicensed(running) ? storable() : std::string("")) + ")";
        continue;
      }
      const std::string call = chain_call(running);
      chain += " >> " + call;
      out_.meaning.line(probe + " = " + expression + without_stores(chain));
      running = value(probe);
    }
    if (needs_saying(running.dtype) || unlicensed(running) || chance(20))
      chain += " >> to(" + storable() + ")";
    std::vector<std::string> names = stores;
    names.push_back(fresh());
    std::string left;
    for (size_t i = 0; i < names.size(); ++i) left += (i == 0 ? "" : ", ") + names[i];
    finish(names, left + " = " + expression + chain, row);
  }

  /// What depends on params alone is no step but a `prepack`.
  static bool varies(const std::string& expression) {
    for (size_t i = 0; i + 1 < expression.size(); ++i) {
      const bool begins = i == 0 || std::isalnum(static_cast<unsigned char>(expression[i - 1])) == 0;
      const bool name = expression[i] == 'x' || expression[i] == 'v' || expression[i] == 's';
      if (begins && name && std::isdigit(static_cast<unsigned char>(expression[i + 1])) != 0) return true;
    }
    return false;
  }

  std::string varying() {
    std::string name = pick(names_);
    while (!varies(name)) name = pick(names_);
    return name;
  }

  static std::string without_stores(std::string chain) {
    for (size_t at = chain.find(" >> store("); at != std::string::npos; at = chain.find(" >> store(")) {
      chain.erase(at, chain.find(')', at) + 1 - at);
    }
    return chain;
  }

  std::string chain_call(const Tensor& running) {
    const bool boolean = running.dtype == "bool";
    const uint64_t kind = below(100);
    if (kind < 45) return activation_call("", running.dtype);
    if (kind < 60)
      return pick(std::vector<std::string>{"mul", "add", "minimum", "maximum"}) + "(" + operand_for(running) +
             ")";
    if (kind < 65 && !boolean) return "sub(" + operand_for(running) + ")";
    if (kind < 75) return "div(" + pick(std::vector<std::string>{"2", "10", "0.3", "-4.0"}) + ")";
    if (kind < 82) return fits_row(running);
    if (kind < 90) return "map(where(it > " + literal() + ", it, it * " + literal() + "))";
    if (kind < 95) return "map(it * " + operand_for(running) + " + " + literal() + ")";
    return "to(" + storable() + ")";
  }

  /// A tensor that broadcasts into the running value, or a literal.
  std::string operand_for(const Tensor& running) {
    std::vector<std::string> fits;
    for (const std::string& name : names_) {
      if (broadcasts_into(value(name).shape, running.shape)) fits.push_back(name);
    }
    if (fits.empty() || chance(30)) return literal();
    return pick(fits);
  }

  static bool broadcasts_into(const Shape& from, const Shape& to) {
    if (from.size() > to.size()) return false;
    for (size_t i = 1; i <= from.size(); ++i) {
      if (from[from.size() - i] != 1 && from[from.size() - i] != to[to.size() - i]) return false;
    }
    return true;
  }

  std::string fits_row(const Tensor& running) {
    for (const std::string& name : names_) {
      const Shape& shape = value(name).shape;
      if (shape == running.shape && chance(50)) return "residual(" + name + ")";
      if (!running.shape.empty() && shape == Shape{running.shape.back()}) return "bias(" + name + ")";
    }
    return "mul(0.5)";
  }

  /// "gelu(x)" or, without x, the fused "gelu()". Functions with poles or steep slopes are kept to tame
  /// arguments.
  std::string activation_call(const std::string& x, const std::string& dtype) {
    static const std::vector<std::string> kPlain{
        "relu",       "relu6", "gelu",   "silu",       "mish",      "sigmoid",     "tanh",     "softplus",
        "softsign",   "elu",   "selu",   "celu",       "hardswish", "hardsigmoid", "hardtanh", "logsigmoid",
        "tanhshrink", "abs",   "square", "leaky_relu", "erf",       "sin",         "cos"};
    static const std::vector<std::string> kSet{"leaky_relu(@0.2)",     "gelu(@tanh)",
                                               "elu(@alpha=0.5)",      "celu(@2.0)",
                                               "hardtanh(@-2.0, 0.5)", "softplus(@beta=2.0, threshold=10.0)",
                                               "clamp(@-1, 2)",        "clamp(@min=-0.5)",
                                               "clamp(@max=1.5)",      "hardtanh(@-2, 2)"};
    if (dtype == "bool") return x.empty() ? "map(where(it, 1.5, 2))" : "where(" + x + ", 1.5, 2)";
    if (chance(30)) {
      std::string form = pick(kSet);
      form.replace(form.find('@'), 1, x.empty() ? "" : x + ", ");
      return form;
    }
    return pick(kPlain) + "(" + x + ")";
  }

  // ---- elementwise steps

  void pointwise() {
    const std::string expression = tree(2 + below(2), value(pick(names_)).shape);
    if (expression.find('(') == std::string::npos && expression.find(' ') == std::string::npos)
      return convert();
    with_chain(expression.front() == '(' ? expression.substr(1, expression.size() - 2) : expression);
  }

  std::string tree(uint64_t depth, const Shape& shape) {
    if (depth == 0 || chance(15)) return leaf(shape);
    const std::string left = tree(depth - 1, shape);
    const uint64_t kind = below(100);
    const std::string dtype = type_of(left);
    if (kind < 30) return activation_call(left, dtype);
    if (kind < 36) return "sqrt(abs(" + left + ") + 1)";
    if (kind < 40) return "exp(minimum(" + left + ", 3))";
    if (kind < 44) return "log1p(abs(" + left + "))";
    const std::string right = chance(30) ? literal() : tree(depth - 1, shape);
    if (kind < 60) return "(" + left + " + " + right + ")";
    if (kind < 75) return "(" + left + " * " + right + ")";
    if (kind < 82 && !(dtype == "bool" && type_of(right) == "bool")) return "(" + left + " - " + right + ")";
    if (kind < 88) return "(" + left + " / (abs(" + leaf(shape) + ") + 1))";
    if (kind < 94)
      return "where(" + left + " " + pick(std::vector<std::string>{"<", "<=", ">", ">=", "==", "!="}) + " " +
             right + ", " + left + ", 0)";
    return pick(std::vector<std::string>{"minimum", "maximum"}) + "(" + left + ", " + right + ")";
  }

  /// A tensor of exactly this shape often, else one that broadcasts to it; never a literal, so that trees
  /// have a shape.
  std::string leaf(const Shape& shape) {
    std::vector<std::string> fits;
    for (const std::string& name : names_) {
      if (broadcasts_into(value(name).shape, shape)) fits.push_back(name);
    }
    for (const Datum& each : out_.data) {
      if (each.kind == "scalar" && chance(20)) return each.name;
    }
    return pick(fits);
  }

  std::string type_of(const std::string& expression) {
    out_.meaning.line("type_probe = (" + expression + ") + 0");
    out_.meaning.line("type_probe = " +
                      (expression.front() == '(' ? expression.substr(1, expression.size() - 2) : expression));
    return value("type_probe").dtype;
  }

  // ---- conversions and views

  void convert() {
    const std::string a = varying();
    const std::string type = storable();
    const bool matrix = value(a).shape.size() >= 2;
    const std::string layout = !matrix || chance(40) ? ""
                               : chance(50)          ? ", row"
                               : chance(50)          ? ", col"
                                                     : ", row, pitch=8";
    if (chance(30)) {
      const std::string b = varying();
      const std::string left = fresh();
      const std::string right = fresh();
      return finish({left, right}, left + ", " + right + " = to(" + a + ", " + b + ", " + type + ")", false);
    }
    const std::string name = fresh();
    finish({name}, name + " = to(" + a + ", " + type + layout + ")", layout == ", row");
  }

  void view() {
    const std::string name = fresh();
    const std::string a = varying();
    const Shape& shape = value(a).shape;
    std::string call;
    const bool row = std::find(row_.begin(), row_.end(), a) != row_.end();
    if (row && chance(40)) {
      call = "reshape(" + a + ", " +
             shape_text(chance(50) ? Shape{count_of(shape)} : Shape{1, count_of(shape)}) + ")";
    } else if (shape.size() >= 3 && chance(60)) {
      call = "permute(" + a + ", [2, 0, 1])";
    } else if (shape.size() >= 2) {
      call = "transpose(" + a + ")";
    } else {
      call = "unsqueeze(" + a + ", 0)";
    }
    emit(name + " = " + call);
    names_.push_back(name);
    with_chain("relu(" + name + ")");
  }

  std::mt19937_64 random_;
  GeneratedProgram out_;
  bool strict_ = false;
  bool whole_ = false;
  int64_t m_ = 1, n_ = 1, k_ = 1, batch_ = 1;
  std::vector<std::string> names_;
  std::vector<std::string> params_;
  std::vector<std::string> row_;  ///< row-major for certain
  std::string scalar_;
  int next_ = 0;
};

}  // namespace

GeneratedProgram generate(uint64_t seed) { return Generator(seed).run(); }

}  // namespace evaluator
