#include "cli/stored_runs.h"

#include <fmt/format.h>

#include "platform/files.h"
#include "store/place.h"

namespace uc::cli {

Result<std::unique_ptr<Store>> open_stored_runs(const Context& context, const std::string& file) {
  const auto path = store_path(context.environment, file);
  if (!path) return tl::unexpected(path.error());
  if (!context.files.exists(*path))
    return fail(fmt::format("{} does not exist: no run is stored there", *path),
                "start one: `ucutlass optimize PROBLEM`, or name the file with --store", kFindings);
  return Store::open_for_reading(*path, context.clock);
}

}  // namespace uc::cli
