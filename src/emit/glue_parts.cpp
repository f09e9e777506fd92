#include "emit/glue_parts.h"

#include <algorithm>
#include <fmt/format.h>

#include "emit/cpp_tree.h"

namespace uc {

std::string_view where_name(Location::Kind kind) {
  switch (kind) {
    case Location::Kind::input: return "kInput";
    case Location::Kind::param: return "kParam";
    case Location::Kind::packed: return "kPacked";
    case Location::Kind::workspace: return "kWorkspace";
    case Location::Kind::output: return "kOutput";
    case Location::Kind::none: break;
  }
  return "kNone";
}

Capability capability(std::string_view target) {
  int number = 0;
  for (const char c : target) {
    if (c >= '0' && c <= '9') number = number * 10 + (c - '0');
  }
  return {number / 10, number % 10, target.ends_with('a')};
}

std::string quote_lines(const std::string& text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    out += (out.empty() ? "    " : "\n    ") + cpp::quote(std::string_view(text).substr(at, end - at));
    at = end;
  }
  return out.empty() ? "\"\"" : out;
}

std::string declare_kernel(const EmittedKernel& kernel) {
  const std::string& hash = kernel.hash;
  std::string text = fmt::format(
      "\nasm(\".pushsection .rodata\\n.balign 64\\nuck_{0}_cubin:\\n.incbin \\\"{0}.cubin\\\"\\n.byte "
      "0\\n.popsection\\n\");\n"
      "extern \"C\" {{\nextern const unsigned char uck_{0}_cubin[] "
      "__attribute__((visibility(\"hidden\")));\n",
      hash);
  if (kernel.has_host()) {
    text += fmt::format(
        "int64_t uck_{0}_scratch(const uck_gemm*);\nint uck_{0}_params_bytes(int);\nvoid "
        "uck_{0}_shape(int, uck_geometry*);\nint uck_{0}_prepare(const uck_gemm*, int, void*, "
        "uck_geometry*);\n",
        hash);
    if (kernel.packs) text += fmt::format("int64_t uck_{}_packed(const uck_gemm*);\n", hash);
  }
  return text + "}\n";
}

}  // namespace uc
