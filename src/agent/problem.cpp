#include "agent/problem.h"

#include <fmt/format.h>

#include "base/hash.h"
#include "base/text.h"
#include "platform/toolchain.h"

namespace uc {
namespace {

constexpr Millis kCaptureDeadline{15 * 60 * 1000};

bool ends_with(std::string_view text, std::string_view tail) {
  return text.size() >= tail.size() && text.substr(text.size() - tail.size()) == tail;
}

std::string without_extension(const std::string& path) { return path.substr(0, path.rfind('.')); }

std::string file_name(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

// capture says "error[code]: message" and "help: ..."; those lines are what a user needs.
Error capture_error(const std::string& path, const ProcessOutput& output) {
  std::string message, help;
  for (const std::string_view line : split(output.err, '\n')) {
    if (starts_with(line, "error"))
      message = line.substr(line.find(':') == std::string_view::npos ? 0 : line.find(':') + 1);
    if (starts_with(line, "help:")) help = trim(line.substr(5));
  }
  if (message.empty()) message = fmt::format("Python ended without a capture: {}", describe(output.end));
  if (help.empty()) help = fmt::format("see what it does: python {}", path);
  const int code = output.end.kind == ProcessEnd::Kind::exited && output.end.code == 3 ? 3 : 1;
  return {fmt::format("{} cannot be captured: {}", path, trim(message)), help, code};
}

Result<std::string> capture(const std::string& path, const ProblemPlaces& places, Files& files,
                            Processes& processes, const Environment& environment) {
  const auto folder = find_python_package(files);
  if (!folder) return tl::unexpected(folder.error());
  const std::string python = places.python.empty() ? find_python(environment) : places.python;
  if (python.empty()) {
    return fail("no python3: a .py problem cannot be captured here",
                "install Python 3 with PyTorch, set UCUTLASS_PYTHON, or give a capture (.json)", 3);
  }
  // A place of its own: what an earlier capture or another process left behind is never taken for this one.
  const auto place = files.make_temporary_folder("ucutlass-capture");
  if (!place) return tl::unexpected(place.error());
  const std::string out = fmt::format("{}/{}.json", *place, without_extension(file_name(path)));
  ProcessSpec spec;
  spec.argv = {python, "-m", "ucutlass.capture", "-o", out, "--", path};
  const auto inherited = environment.get("PYTHONPATH");
  spec.env = {{"PYTHONPATH", inherited ? *folder + ":" + *inherited : *folder}};
  spec.deadline = kCaptureDeadline;
  auto done = processes.run(spec);
  auto text = files.read(out);
  (void)files.remove(*place);
  if (!done) return tl::unexpected(done.error());
  if (!done->end.ok() || !text) return tl::unexpected(capture_error(path, *done));
  return text;
}

// A folder stands for the problem in it.
std::string inside(const std::string& path, Files& files) {
  for (const char* name : {"/problem.json", "/problem.py"}) {
    if (files.exists(path + name)) return path + name;
  }
  return path;
}

}  // namespace

Result<Problem> load_problem(const std::string& given, const ProblemPlaces& places, Files& files,
                             Processes& processes, const Environment& environment) {
  Problem out;
  const std::string path = inside(given, files);
  if (!files.exists(path)) {
    return fail(fmt::format("{} does not exist", given),
                "give a PyTorch problem (.py), a capture of one (.json), or a folder that holds problem.json",
                2);
  }
  if (ends_with(path, ".py")) {
    out.capture_path = path;
    out.source_path = path;
  } else if (ends_with(path, ".json")) {
    out.capture_path = path;
    const std::string beside = without_extension(path) + ".py";
    out.source_path = !places.source.empty() ? places.source : files.exists(beside) ? beside : "";
  } else if (files.list(path)) {
    return fail(fmt::format("{} is a folder without problem.json or problem.py", given),
                "name the file in it, or a folder that holds problem.json", 2);
  } else {
    return fail(fmt::format("{} is neither a .py nor a .json file", given),
                "give a PyTorch problem (.py) or a capture of one (.json)", 2);
  }
  auto text = ends_with(path, ".py") ? capture(path, places, files, processes, environment)
                                     : read_given(files, out.capture_path);
  if (!text) return tl::unexpected(text.error());
  auto captured = read_problem(*text);
  if (!captured) {
    Error error = captured.error();
    error.message = out.capture_path + ": " + error.message;
    return tl::unexpected(error);
  }
  out.captured = std::move(*captured);
  out.json = std::move(*text);
  out.hash = short_hash(out.json);
  out.name = out.captured.name;
  return out;
}

}  // namespace uc
