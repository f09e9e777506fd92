#include "evaluator.h"

#include <cctype>

#include "evaluator_math.h"
#include "evaluator_ops.h"

namespace evaluator {

/// Parses and evaluates one statement at once.
class Statement {
 public:
  Statement(Evaluator& owner, const std::string& text) : owner_(owner), text_(text) {}

  void run() {
    const std::string first = word();
    if (first == "target" || first == "return" || first.empty()) return;
    if (first == "precision") {
      owner_.precision_ = word();
    } else if (first == "input" || first == "param" || first == "scalar") {
      declare(first != "scalar");
    } else {
      step(first);
    }
  }

 private:
  // ---- text

  void skip() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }
  bool take(const std::string& token) {
    skip();
    if (text_.compare(at_, token.size(), token) != 0) return false;
    at_ += token.size();
    return true;
  }
  void expect(const std::string& token) {
    if (!take(token)) throw Failure("expected " + token + " at `" + text_.substr(at_) + "`");
  }
  std::string word() {
    skip();
    const size_t begin = at_;
    while (at_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_'))
      ++at_;
    return text_.substr(begin, at_ - begin);
  }
  char peek() {
    skip();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool at_number() { return std::isdigit(static_cast<unsigned char>(peek())) != 0; }

  Tensor number() {
    const char* begin = text_.c_str() + at_;
    char* end = nullptr;
    const double value = std::strtod(begin, &end);
    const std::string written = text_.substr(at_, static_cast<size_t>(end - begin));
    at_ += written.size();
    return {written.find_first_of(".e") == std::string::npos ? "int" : "float", {}, {point(value)}, false};
  }

  std::vector<int64_t> list() {
    std::vector<int64_t> out;
    expect("[");
    while (!take("]")) {
      const bool negative = take("-");
      const double value = number().cells[0].lo;
      out.push_back(static_cast<int64_t>(negative ? -value : value));
      take(",");
    }
    return out;
  }

  // ---- declarations and steps

  void declare(bool tensor) {
    Tensor value;
    const std::string name = word();
    expect(":");
    value.dtype = word();
    if (peek() == '[') value.shape = list();
    value.from_f32 = tensor && (value.dtype == "f32" || value.dtype == "f64");
    for (const double each : owner_.data_.at(name)) value.cells.push_back(point(each));
    if (static_cast<int64_t>(value.cells.size()) != count_of(value.shape))
      throw Failure("data of another size for " + name);
    owner_.values_[name] = std::move(value);
  }

  void step(const std::string& first) {
    std::vector<std::string> names{first};
    while (take(",")) names.push_back(word());
    expect("=");
    std::vector<Tensor> results;
    several_ = &results;
    Tensor running = sum_or_comparison();
    several_ = nullptr;
    while (take(".")) knob();
    std::vector<Tensor> stored;
    while (take(">>")) {
      it_ = &running;
      const std::string call = word();
      if (call == "store") {
        expect("(");
        const Args args = arguments();
        stored.push_back(converted(running, args));
      } else if (call == "map") {
        expect("(");
        Tensor next = sum_or_comparison();
        expect(")");
        running = std::move(next);
      } else {
        Args args = arguments_after(call, running);
        running = apply(call, std::move(args));
      }
      it_ = nullptr;
    }
    if (results.empty()) results = std::move(stored), results.push_back(std::move(running));
    if (results.size() != names.size()) throw Failure("results and names differ in number");
    for (size_t i = 0; i < names.size(); ++i) {
      for (Cell& cell : results[i].cells) cell = rounded(results[i].dtype, cell);
      owner_.values_[names[i]] = std::move(results[i]);
    }
  }

  void knob() {
    word();
    expect("(");
    while (!take(")")) ++at_;
  }

  Args arguments_after(const std::string&, const Tensor& running) {
    expect("(");
    Args args = arguments();
    args.tensors.insert(args.tensors.begin(), running);
    return args;
  }

  Args arguments() {
    Args args;
    while (!take(")")) {
      argument(args);
      take(",");
    }
    return args;
  }

  void argument(Args& args) {
    if (peek() == '[') {
      args.lists.push_back(list());
      return;
    }
    const size_t before = at_;
    const std::string name = word();
    if (!name.empty() && peek() == '=' && text_[at_ + 1] != '=') {
      ++at_;
      if (peek() == '[') {
        args.lists.push_back(list());
      } else if (const bool negative = take("-"); at_number()) {
        const Tensor literal = number();
        args.numbers[name] = negative ? -literal.cells[0].lo : literal.cells[0].lo;
        args.real = args.real || literal.dtype == "float";
      } else {
        args.words.push_back(word());
      }
      return;
    }
    const bool constant = !name.empty() && peek() != '(' && name != "it" && !owner_.values_.contains(name);
    if (constant && std::isdigit(static_cast<unsigned char>(name[0])) == 0) {
      args.words.push_back(name);
      return;
    }
    at_ = before;
    args.tensors.push_back(sum_or_comparison());
  }

  // ---- expressions

  Tensor sum_or_comparison() {
    Tensor left = sum();
    for (const char* op : {"<=", ">=", "==", "!=", "<", ">"}) {
      if (text_.compare(at_, 2, ">>") == 0 || !take(op)) continue;
      return elementwise(op, {left, sum()});
    }
    return left;
  }

  Tensor sum() {
    Tensor left = product();
    while (true) {
      if (take("+")) {
        left = elementwise("+", {left, product()});
      } else if (take("-")) {
        left = elementwise("-", {left, product()});
      } else {
        return left;
      }
      skip();
    }
  }

  Tensor product() {
    Tensor left = factor();
    while (true) {
      if (peek() == '*' && text_[at_ + 1] != '*') {
        take("*");
        left = elementwise("*", {left, factor()});
      } else if (take("/")) {
        left = elementwise("/", {left, factor()});
      } else {
        return left;
      }
    }
  }

  Tensor factor() {
    if (take("-")) {
      if (at_number()) {
        Tensor value = number();
        value.cells[0] = point(-value.cells[0].lo);
        return value;
      }
      return activation("neg", {}, {factor()});
    }
    return atom();
  }

  Tensor atom() {
    if (take("(")) {
      Tensor inside = sum_or_comparison();
      expect(")");
      return inside;
    }
    if (at_number()) return number();
    const std::string name = word();
    if (name.empty()) throw Failure("expected an expression at `" + text_.substr(at_) + "`");
    if (peek() == '(') {
      take("(");
      return apply(name, arguments());
    }
    if (name == "it" && it_ != nullptr) return *it_;
    return owner_.values_.at(name);
  }

  // ---- operators

  Tensor apply(const std::string& name, Args args) {
    static const std::map<std::string, std::string> kInfix{
        {"add", "+"}, {"bias", "+"}, {"residual", "+"},      {"sub", "-"},
        {"mul", "*"}, {"div", "/"},  {"minimum", "minimum"}, {"maximum", "maximum"}};
    if (kInfix.contains(name)) return elementwise(kInfix.at(name), args.tensors);
    if (name == "where") return where(args.tensors);
    if (name == "to") return conversion(args);
    if (name == "prepack")
      return args.words.empty() ? args.tensors.at(0) : stored(converted(args.tensors.at(0), args));
    if (name == "gemm" || name == "linear")
      return contraction(args.tensors.at(0), args.tensors.at(1), name == "linear",
                         owner_.precision_ == "strict");
    if (name == "transpose" || name == "permute" || name == "reshape" || name == "unsqueeze")
      return view(name, args);
    if (knows_unary(name)) return activation(name, args, args.tensors);
    throw Failure("no operator " + name);
  }

  static Tensor stored(Tensor tensor) {
    for (Cell& cell : tensor.cells) cell = rounded(tensor.dtype, cell);
    return tensor;
  }

  static Tensor converted(Tensor tensor, const Args& args) {
    if (!args.words.empty() && args.words[0] != "row" && args.words[0] != "col") {
      tensor.dtype = args.words[0];
      for (Cell& cell : tensor.cells) cell = rounded(tensor.dtype, cell);
    }
    if (tensor.dtype == "bool") tensor.from_f32 = false;
    return tensor;
  }

  Tensor conversion(const Args& args) {
    if (args.tensors.size() > 1 && several_ != nullptr) {
      for (const Tensor& each : args.tensors) several_->push_back(converted(each, args));
    }
    return converted(args.tensors.at(0), args);
  }

  Evaluator& owner_;
  const std::string& text_;
  size_t at_ = 0;
  const Tensor* it_ = nullptr;
  std::vector<Tensor>* several_ = nullptr;
};

void Evaluator::bind(const std::string& name, std::vector<double> data) { data_[name] = std::move(data); }

void Evaluator::line(const std::string& text) { Statement(*this, text).run(); }

}  // namespace evaluator
