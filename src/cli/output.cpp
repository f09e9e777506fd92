#include "cli/output.h"

#include <filesystem>
#include <fmt/format.h>
#include <istream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <ostream>

#include "diag/render.h"
#include "platform/file_limits.h"
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
  std::string text;
  for (std::istreambuf_iterator<char> at(context.in), end; at != end && text.size() <= kMostRead; ++at)
    text += *at;
  if (context.in.bad()) return fail("cannot read standard input");
  if (text.size() > kMostRead)
    return fail(fmt::format("standard input is larger than {} MB", kMostRead >> 20U), {}, kUsage);
  return text;
}

Result<> write_output(const Context& context, const std::string& path, std::string_view text) {
  if (!path.empty() && path != "-") return context.files.write(path, text);
  context.out << text;
  return {};
}

Result<> spare_inputs(const std::string& out, std::span<const std::string> inputs) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (out.empty() || out == "-" || !fs::is_regular_file(out, error)) return {};
  const std::string target = fs::canonical(out, error).string();
  for (const std::string& input : inputs) {
    const std::string place = fs::canonical(input, error).string();
    const bool source = target.ends_with(".json") || target.ends_with(".py");
    const bool within = fs::is_directory(place, error) && source && target.starts_with(place + "/");
    if (same_file(out, input) || within)
      return fail(fmt::format("{} is read: it would be overwritten", out), "name another file with -o",
                  kUsage);
  }
  return {};
}

std::string styled(bool on, std::string_view sgr, std::string_view text) {
  if (!on) return std::string(text);
  return "\x1b[" + std::string(sgr) + "m" + std::string(text) + "\x1b[0m";
}

}  // namespace uc::cli
