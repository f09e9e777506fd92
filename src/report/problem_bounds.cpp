#include "report/problem_bounds.h"

#include <fmt/format.h>
#include <optional>

#include "base/hash.h"
#include "base/parallel.h"
#include "import/captures.h"
#include "import/empty_tensors.h"
#include "import/importer.h"
#include "ir/graph.h"

namespace uc {
namespace {

struct Question {
  const Catalog& catalog;
  Files& files;
  const std::string& folder;
  const DeviceSpec& device;
  std::span<const Precision> precisions;
};

Result<ProblemBound> bound(const Question& question, const std::string& path) {
  const std::string file = question.folder + "/" + path;
  const auto text = question.files.read(file);
  if (!text) return tl::unexpected(text.error());
  const auto problem = read_problem(*text, ReadProblem::graph);
  if (!problem) {
    Error error = problem.error();
    error.message = fmt::format("{}: {}", file, error.message);
    return tl::unexpected(std::move(error));
  }
  ProblemBound out;
  out.path = path.substr(0, path.size() - std::string_view(".json").size());
  if (out.path.ends_with("/problem")) out.path.resize(out.path.rfind('/'));  // a folder that is a problem
  out.name = problem->name;
  out.hash = short_hash(*text);
  out.level = problem->source.level.value_or(0);
  out.id = problem->source.id.value_or(0);
  if (const auto fine = refuse_empty_tensors(problem->graph); !fine) {
    out.missing = fine.error().message;
    return out;
  }
  const Imported imported = import_for_bounds(question.catalog, *problem);
  if (!imported.ok()) {
    out.missing = import_error(imported, path).message;
    return out;
  }
  for (const Precision precision : question.precisions) {
    SolOptions options;
    options.precision = precision;
    out.certified.push_back(
        speed_of_light(question.catalog, imported.program, question.device, options).certified);
  }
  return out;
}

}  // namespace

Result<std::vector<ProblemBound>> bound_captures(const Catalog& catalog, Files& files,
                                                 const std::string& folder, const DeviceSpec& device,
                                                 std::span<const Precision> precisions) {
  const auto paths = find_captures(files, folder);
  if (!paths) return tl::unexpected(paths.error());
  const Question question{catalog, files, folder, device, precisions};
  std::vector<std::optional<Result<ProblemBound>>> done(paths->size());
  parallel_for(paths->size(), [&](size_t i) { done[i].emplace(bound(question, (*paths)[i])); });
  std::vector<ProblemBound> out;
  for (auto& each : done) {
    if (!*each) return tl::unexpected(each->error());
    out.push_back(std::move(**each));
  }
  return out;
}

}  // namespace uc
