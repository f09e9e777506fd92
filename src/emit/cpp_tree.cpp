#include "emit/cpp_tree.h"

#include <cmath>
#include <fmt/format.h>

#include "base/text.h"

namespace uc::cpp {
namespace {

constexpr size_t kWidth = 110;

class Printer {
 public:
  std::string run(const File& file) {
    for (size_t i = 0; i < file.decls.size(); ++i) {
      if (i != 0 && separated(file.decls[i - 1], file.decls[i])) out_ += "\n";
      std::visit([this](const auto& decl) { write(decl); }, file.decls[i]);
    }
    return std::move(out_);
  }

  std::string type(const Type& type, size_t indent, size_t column) const {
    const std::string flat = flat_type(type);
    const std::string head = type.member.empty() ? "" : "typename ";
    const std::string tail = type.member.empty() ? "" : "::" + type.member;
    if (type.args.empty() || column + flat.size() <= kWidth) return flat;
    std::string text = head + type.name + "<\n";
    const std::string pad(indent + 4, ' ');
    for (size_t i = 0; i < type.args.size(); ++i) {
      text += pad + this->type(type.args[i], indent + 4, indent + 6);
      text += i + 1 < type.args.size() ? ",\n" : ">";
    }
    return text + tail;
  }

 private:
  // Includes, aliases, comments and single lines stay together with their like; everything else stands apart.
  static bool separated(const Decl& before, const Decl& after) {
    if (std::holds_alternative<Comment>(before)) return false;
    const bool big = std::holds_alternative<Function>(after) || std::holds_alternative<Struct>(after);
    return before.index() != after.index() || big;
  }

  static std::string flat_type(const Type& type) {
    std::vector<std::string> parts;
    for (const Type& arg : type.args) parts.push_back(flat_type(arg));
    const std::string plain =
        parts.empty() ? type.name : fmt::format("{}<{}>", type.name, fmt::join(parts, ", "));
    return type.member.empty() ? plain : fmt::format("typename {}::{}", plain, type.member);
  }

  void put(std::string_view text) {
    out_.append(indent_, ' ');
    out_ += text;
    out_ += "\n";
  }

  void write(const Include& include) { put("#include " + include.path); }
  void write(const Define& define) { put("#define " + define.text); }
  void write(const Using& use) { put("using " + use.text + ";"); }
  void write(const Verbatim& verbatim) { out_ += verbatim.text; }

  void write(const Comment& comment) {
    for (const std::string_view each : split(comment.text, '\n'))
      put(each.empty() ? "//" : fmt::format("// {}", each));
  }

  void write(const Alias& alias) {
    const std::string head = fmt::format("using {} = ", alias.name);
    put(head + type(alias.type, indent_, indent_ + head.size()) + ";");
  }

  void write(const Statement& statement) {
    if (!statement.is_block) {
      put(statement.text + ";");
      return;
    }
    put(statement.text.empty() ? "{" : statement.text + " {");
    indent_ += 2;
    for (const Statement& inner : statement.body) write(inner);
    indent_ -= 2;
    put("}" + statement.after);
  }

  void write(const Function& function) {
    std::string head = fmt::format("{}({})", function.head, fmt::join(function.params, ", "));
    if (indent_ + head.size() + 2 > kWidth) {
      const std::string between = ",\n" + std::string(indent_ + 4, ' ');
      head = fmt::format("{}(\n{}{})", function.head, std::string(indent_ + 4, ' '),
                         fmt::join(function.params, between));
    }
    if (!function.suffix.empty()) head += " " + function.suffix;
    write(block(head, function.body));
  }

  void write(const Struct& structure) {
    put(structure.head + " {");
    indent_ += 2;
    for (const Member& member : structure.members)
      std::visit([this](const auto& each) { write(each); }, member);
    indent_ -= 2;
    put("};");
  }

  std::string out_;
  size_t indent_ = 0;
};

}  // namespace

std::string print(const File& file) { return Printer().run(file); }
std::string print(const Type& type) { return Printer().type(type, 0, 0); }

std::string quote(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (byte < 0x20 || byte >= 0x7f) {
      out += fmt::format("\\{:03o}", byte);
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string float_literal(double value) {
  const float rounded = static_cast<float>(value);  // what is finite may be infinite in f32
  if (std::isnan(rounded)) return "NAN";
  if (std::isinf(rounded)) return rounded > 0 ? "INFINITY" : "(-INFINITY)";
  const std::string text = fmt::format("{}", rounded);
  const bool marked = text.find_first_of(".e") != std::string::npos;
  const std::string literal = text + (marked ? "f" : ".0f");
  return std::signbit(value) ? "(" + literal + ")" : literal;
}

}  // namespace uc::cpp
