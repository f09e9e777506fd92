#include "cli/output.h"

#include <istream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <ostream>

#include "diag/render.h"
#include "platform/files.h"

namespace uc::cli {

int report(const Context& context, const Error& error, bool json) {
  if (json) {
    const nlohmann::ordered_json object = {
        {"schema", "ucutlass.error/1"}, {"error", error.message}, {"help", error.help}};
    context.out << object.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << "\n";
    return error.exit_code;
  }
  context.err << styled(context.color_err, "1;31", "error") << ": " << error.message << "\n";
  if (!error.help.empty())
    context.err << styled(context.color_err, "1", "help") << ": " << error.help << "\n";
  return error.exit_code;
}

int report(const Context& context, std::span<const Diag> diags, std::string_view source,
           const std::string& path, bool json) {
  const std::string file = path == "-" ? "<stdin>" : path;
  if (json) {
    context.out << render_json(diags, source, file);
  } else {
    context.err << render_text(diags, source, file, {.color = context.color_err});
  }
  return kFindings;
}

Result<std::string> read_input(const Context& context, const std::string& path) {
  if (path != "-") return read_given(context.files, path);
  std::string text{std::istreambuf_iterator<char>(context.in), std::istreambuf_iterator<char>()};
  if (context.in.bad()) return fail("cannot read standard input");
  return text;
}

std::string styled(bool on, std::string_view sgr, std::string_view text) {
  if (!on) return std::string(text);
  return "\x1b[" + std::string(sgr) + "m" + std::string(text) + "\x1b[0m";
}

}  // namespace uc::cli
