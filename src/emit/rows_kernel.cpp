#include "emit/rows_kernel.h"

#include <fmt/format.h>

#include "emit/cpp_tree.h"
#include "emit/kernel_hash.h"
#include "emit/rows_body.h"

namespace uc {
namespace {

using cpp::line;

std::string body_name(size_t phase) { return fmt::format("{}_rows{}", kKernelSymbol, phase); }

// What device function `index` of a phase does.
std::string call(const RowsPhase& phase, size_t number, size_t index) {
  const std::string body = body_name(number) + "::Body";
  if (phase.layout.split == 1) return fmt::format("uc_rows::run_whole<{}>(rows, shared)", body);
  if (index + 1 == static_cast<size_t>(phase.functions()))
    return fmt::format("uc_rows::run_last<{}>(rows, shared)", body);
  return fmt::format("uc_rows::run_part<{}, {}>(rows, shared)", body, index);
}

std::string summary(const RowsPhase& phase) {
  const RowsLayout& layout = phase.layout;
  std::string out =
      fmt::format("rows {} vector {}, {} threads a row, {} a block", phase.shape.outer ? "across" : "along",
                  layout.vector, layout.team, layout.rows_per_block(phase.shape.outer));
  if (layout.items > 0) out += fmt::format(", {} vectors held", layout.items);
  if (layout.cluster > 1) out += fmt::format(", cluster {}", layout.cluster);
  if (layout.split > 1) out += fmt::format(", split {}", layout.split);
  return out;
}

}  // namespace

std::string rows_refuses(const Rows& rows) {
  if (has_second_phase(rows) && !rows_phases_suffice(rows))
    return "what follows a result of all rows needs single rows again";
  for (const RowsPhase& phase : rows_phases(rows, {})) {
    if (std::string why = RowsBody::refuses(phase); !why.empty()) return why;
  }
  return {};
}

EmittedKernel emit_rows(const Rows& rows, const RowsConfig& config, std::string_view arch) {
  const std::vector<RowsPhase> phases = rows_phases(rows, config);
  cpp::File file;
  EmittedKernel out;
  out.arch = arch;
  out.parts = 0;
  for (const RowsPhase& phase : phases) out.summary += (out.summary.empty() ? "" : "; ") + summary(phase);
  file.decls.push_back(cpp::Comment{out.summary});
  file.decls.push_back(cpp::Include{"\"uc_rows.cuh\""});
  for (size_t number = 0; number < phases.size(); ++number) {
    const RowsPhase& phase = phases[number];
    for (cpp::Decl& each : RowsBody(phase).declare(body_name(number))) file.decls.push_back(std::move(each));
    for (size_t i = 0; i < static_cast<size_t>(phase.functions()); ++i) {
      const std::string suffix = out.parts == 0 ? "" : fmt::format("_{}", out.parts);
      ++out.parts;
      file.decls.push_back(cpp::Function{
          fmt::format("extern \"C\" __global__ void __launch_bounds__({}) {}{}", phase.layout.threads(),
                      kKernelSymbol, suffix),
          {"__grid_constant__ const uck_rows rows"},
          {line(fmt::format("UC_SHARED(shared, uc_rows::shared_bytes<{}::Body>())", body_name(number))),
           line(call(phase, number, i))}});
    }
  }
  out.device_source = print(file);
  name_kernel(out);
  return out;
}

std::vector<RowsFunction> rows_functions(const std::vector<RowsPhase>& phases) {
  std::vector<RowsFunction> out;
  for (size_t number = 0; number < phases.size(); ++number) {
    const RowsPhase& phase = phases[number];
    for (int64_t i = 0; i < phase.functions(); ++i) {
      const bool last = i + 1 == phase.functions();
      const bool whole = last && !stores_elements(phase.rows);
      out.push_back({number, whole ? 1 : phase.layout.split});
    }
  }
  return out;
}

}  // namespace uc
