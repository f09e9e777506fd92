#include "compiler/escape.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

#include "base/text.h"
#include "catalog/diags_escape.h"
#include "catalog/op_spec.h"

namespace uc {
namespace {

constexpr Millis kDeadline{120'000};
// A name that no header has: what nvcc says about it is about the program.
constexpr std::string_view kFile = "ucutlass_program";

std::vector<const Op*> escapes(const Program& program) {
  std::vector<const Op*> out;
  for (const Op& op : program.ops) {
    if (op.spec->family == "escape") out.push_back(&op);
  }
  return out;
}

size_t line_of(std::string_view source, size_t place) {
  const std::string_view before = source.substr(0, std::min(place, source.size()));
  return 1 + static_cast<size_t>(std::ranges::count(before, '\n'));
}

// The text of a line, counted from 1, without its indentation.
Span span_of_line(std::string_view source, size_t line) {
  size_t begin = 0;
  for (size_t i = 1; i < line; ++i) {
    const size_t end = source.find('\n', begin);
    if (end == std::string_view::npos) break;
    begin = end + 1;
  }
  size_t end = std::min(source.find('\n', begin), source.size());
  while (begin < end && (source[begin] == ' ' || source[begin] == '\t')) ++begin;
  if (end == begin && end < source.size()) ++end;
  return {static_cast<uint32_t>(begin), static_cast<uint32_t>(end)};
}

std::string translation_unit(const Op& op, std::string_view source) {
  const auto at = static_cast<size_t>(std::max<int64_t>(op.attrs.get_int("source_at", 0), 0));
  return fmt::format(
      "#include <cstdint>\n#include <cuda_bf16.h>\n#include <cuda_fp16.h>\n#include <cuda_fp8.h>\n"
      "#line {} \"{}\"\n{}\n",
      line_of(source, at), kFile, op.attrs.get_word("source", ""));
}

// `ucutlass_program(12): error: identifier "foo" is undefined`: the line, and what is wrong.
void report(std::string_view log, std::string_view source, const Op& op, DiagSink& diags) {
  bool any = false;
  for (const std::string_view line : split(log, '\n')) {
    const size_t open = line.find(fmt::format("{}(", kFile));
    const size_t error = line.find("error");
    if (open == std::string_view::npos || error == std::string_view::npos || error < open) continue;
    const std::string_view digits = line.substr(open + kFile.size() + 1);
    size_t number = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), number);
    const size_t colon = line.find(": ", error);
    const std::string_view message =
        colon == std::string_view::npos ? line.substr(error) : line.substr(colon + 2);
    diags.add(kinds::cuda_compile, span_of_line(source, number), fmt::format("nvcc: {}", message)).help =
        "the source of `cuda` is CUDA C++17; <cstdint>, cuda_fp16.h, cuda_bf16.h and cuda_fp8.h are included";
    any = true;
  }
  if (any) return;
  diags.add(kinds::cuda_compile, op.span, "nvcc does not compile this source").help =
      std::string(log.substr(0, std::min<size_t>(log.size(), 2000)));
}

Result<> compile(const Program& program, const Op& op, std::string_view source, const Toolchain& toolchain,
                 Processes& processes, Files& files, DiagSink& diags) {
  const auto folder = files.make_temporary_folder("ucutlass-escape-");
  if (!folder) return tl::unexpected(folder.error());
  Result<> done = files.write(*folder + "/escape.cu", translation_unit(op, source));
  if (done) {
    const std::string arch = replace_all(program.target, "sm_", "");
    ProcessSpec spec;
    spec.argv = {toolchain.nvcc, "-std=c++17",
                 "-cubin",       fmt::format("-gencode=arch=compute_{0},code=sm_{0}", arch),
                 "escape.cu",    "-o",
                 "escape.cubin"};
    spec.folder = *folder;
    spec.deadline = kDeadline;
    const auto output = processes.run(spec);
    if (!output) {
      done = tl::unexpected(output.error());
    } else if (output->end.kind != ProcessEnd::Kind::exited) {
      done = fail(fmt::format("nvcc, on the source of `cuda` in line {}, {}{}",
                              line_of(source, op.attrs.get_int("source_at", 0)), describe(output->end),
                              output->end.kind == ProcessEnd::Kind::timed_out
                                  ? fmt::format(" after {} s", kDeadline.count() / 1000)
                                  : ""),
                  "nothing is known about the source; try again when the machine has less to do");
    } else if (!output->end.ok()) {
      report(output->out + output->err, source, op, diags);
    }
  }
  (void)files.remove(*folder);
  return done;
}

}  // namespace

bool has_escapes(const Program& program) { return !escapes(program).empty(); }

Result<> compile_escapes(const Program& program, std::string_view source, const Toolchain& toolchain,
                         Processes& processes, Files& files, DiagSink& diags) {
  if (toolchain.nvcc.empty() && has_escapes(program))
    return fail("nvcc is missing, so the source of `cuda` is not compiled",
                "`ucutlass doctor` says how to get it", 3);
  for (const Op* op : escapes(program)) {
    if (auto done = compile(program, *op, source, toolchain, processes, files, diags); !done) return done;
  }
  return {};
}

}  // namespace uc
