#include "syntax/format.h"

#include <algorithm>
#include <fmt/format.h>

#include "syntax/layout.h"

namespace uc {
namespace {

using syntax::kContinuation;
using syntax::kLineWidth;
using syntax::Layout;

Span span_of(const ast::Header& header) { return {header.keyword.span.begin, header.value.span.end}; }
template <class Node>
Span span_of(const Node& node) {
  return node.span;
}

std::string names(const std::vector<ast::Name>& list) {
  std::string out;
  for (const ast::Name& name : list) out += (out.empty() ? "" : ", ") + name.text;
  return out;
}

std::string text_of(const ast::Header& header) { return header.keyword.text + " " + header.value.text; }

std::string text_of(const ast::Dim& dim) {
  std::string out = fmt::format("dim {} = {}..{}", dim.name.text, dim.low, dim.high);
  return dim.step ? fmt::format("{} step {}", out, *dim.step) : out;
}

std::string text_of(const ast::Decl& decl) {
  std::string out = fmt::format("{} {}: {}", decl.keyword.text, decl.name.text, decl.type.dtype.text);
  if (!decl.type.sizes.empty()) out += syntax::text_of(decl.type.sizes);
  for (const ast::Attribute& attribute : decl.attributes) {
    out += " @" + attribute.name.text;
    if (!attribute.args.empty()) out += syntax::text_of(attribute.args);
  }
  if (decl.binding) out += " = " + syntax::quoted(*decl.binding);
  return out;
}

std::string text_of(const ast::Result& result) { return "return " + names(result.names); }

// A run of comments: those that stand inside or behind a part of a statement.
using Comments = std::vector<const ast::Comment*>;

// A step's parts: the expression, each knob, each call of the chain.
class StepFormatter {
 public:
  StepFormatter(const ast::Step& step, Comments inside) : step_(step), inside_(std::move(inside)) {
    assign_comments();
  }

  /// Comments inside brackets: they go above the statement.
  const Comments& above() const { return above_; }

  std::string run() {
    const bool commented =
        std::any_of(behind_.begin(), behind_.end(), [](const Comments& part) { return !part.empty(); });
    const bool brackets = syntax::is_infix(*step_.expr) && behind_.size() > 1;
    const std::string head = names(step_.names) + " = ";
    if (!commented) {
      std::string line =
          head + (brackets ? "(" + syntax::text_of(*step_.expr) + ")" : syntax::text_of(*step_.expr));
      const size_t expr_lines = static_cast<size_t>(std::count(line.begin(), line.end(), '\n'));
      for (const ast::Knob& knob : step_.knobs) line += syntax::text_of(knob);
      for (const ast::Call& call : step_.chain) line += " >> " + syntax::text_of(call);
      if (line.size() <= kLineWidth && expr_lines == 0 && line.find('\n') == std::string::npos) return line;
    }
    out_.put(head);
    if (brackets) out_.put("(");
    out_.put(*step_.expr, brackets ? 1 : 0, brackets);
    if (brackets) out_.put(")");
    bool fresh = true;  // the next part begins a line
    fresh = comments_behind(0) || fresh;
    for (size_t i = 0; i < step_.knobs.size(); ++i)
      fresh = part(syntax::text_of(step_.knobs[i]), nullptr, "", fresh, i + 1);
    fresh = true;
    for (size_t i = 0; i < step_.chain.size(); ++i) {
      fresh = part(">> " + syntax::text_of(step_.chain[i]), &step_.chain[i], " ", fresh,
                   i + 1 + step_.knobs.size());
    }
    return out_.take();
  }

 private:
  Span part_span(size_t i) const {
    if (i == 0) return {step_.span.begin, step_.expr->span.end};
    return i <= step_.knobs.size() ? step_.knobs[i - 1].span : step_.chain[i - 1 - step_.knobs.size()].span;
  }

  void assign_comments() {
    behind_.resize(1 + step_.knobs.size() + step_.chain.size());
    size_t at = 0;
    for (const ast::Comment* comment : inside_) {
      while (at + 1 < behind_.size() && part_span(at + 1).begin <= comment->span.begin) ++at;
      (comment->span.begin >= part_span(at).end ? behind_[at] : above_).push_back(comment);
    }
  }

  // Puts a part on the current line or a new one; true when the next part must begin a line.
  bool part(const std::string& flat, const ast::Call* call, std::string_view gap, bool fresh, size_t index) {
    if (fresh || !out_.fits(std::string(gap) + flat)) {
      out_.newline(kContinuation);
    } else {
      out_.put(gap);
    }
    if (call != nullptr && !out_.fits(flat)) {
      out_.put(">> ");
      out_.put(*call, 0);
    } else {
      out_.put(flat);
    }
    return comments_behind(index);
  }

  bool comments_behind(size_t index) {
    for (const ast::Comment* comment : behind_[index]) {
      if (comment == behind_[index].front() && !comment->own_line) {
        out_.put("  ");
      } else {
        out_.newline(kContinuation);
      }
      out_.put(comment->text);
    }
    return !behind_[index].empty();
  }

  const ast::Step& step_;
  Comments inside_;
  Comments above_;
  std::vector<Comments> behind_;  // one a part
  Layout out_;
};

class FileFormatter {
 public:
  FileFormatter(const ast::File& file, std::string_view source) : file_(file), source_(source) {}

  std::string run() {
    for (const ast::Statement& statement : file_.statements)
      std::visit([this](const auto& node) { put(node); }, statement);
    comments_before(UINT32_MAX);
    return std::move(out_);
  }

 private:
  // Comments of their own lines up to a place.
  void comments_before(uint32_t place) {
    while (next_ < file_.comments.size() && file_.comments[next_].span.begin < place) {
      const ast::Comment& comment = file_.comments[next_++];
      line(comment.text, blank_before(comment.span.begin));
    }
  }

  template <class Node>
  void put(const Node& node) {
    const Span span = span_of(node);
    if (!source_.empty()) comments_before(span.begin);
    Comments inside;
    while (next_ < file_.comments.size() && file_.comments[next_].span.begin < span.end)
      inside.push_back(&file_.comments[next_++]);
    bool blank = blank_before(span.begin);
    std::string text;
    if constexpr (std::is_same_v<Node, ast::Step>) {
      if (source_.empty()) blank = !had_step_ && !out_.empty();
      had_step_ = true;
      StepFormatter formatter(node, std::move(inside));
      inside = formatter.above();
      text = formatter.run();
    } else {
      text = text_of(node);
    }
    for (const ast::Comment* comment : inside) {
      line(comment->text, blank);
      blank = false;
    }
    if (next_ < file_.comments.size() && same_line(span.end, file_.comments[next_].span.begin)) {
      text += "  " + file_.comments[next_++].text;
    }
    line(text, blank);
  }

  void line(std::string_view text, bool blank) {
    if (blank && !out_.empty()) out_ += '\n';
    out_ += text;
    out_ += '\n';
  }

  bool same_line(uint32_t from, uint32_t to) const {
    return !source_.empty() && source_.substr(from, to - from).find('\n') == std::string_view::npos;
  }

  // True when the line above the one of `place` is blank.
  bool blank_before(uint32_t place) const {
    size_t newlines = 0;
    for (size_t i = std::min<size_t>(place, source_.size()); i-- > 0;) {
      const char c = source_[i];
      if (c == '\n' && ++newlines == 2) return true;
      if (c != '\n' && c != ' ' && c != '\t' && c != '\r') return false;
    }
    return false;
  }

  const ast::File& file_;
  std::string_view source_;
  std::string out_;
  size_t next_ = 0;  // comment
  bool had_step_ = false;
};

}  // namespace

std::string format(const ast::File& file, std::string_view source) {
  return FileFormatter(file, source).run();
}

}  // namespace uc
