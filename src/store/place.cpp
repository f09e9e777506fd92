#include "store/place.h"

namespace uc {

Result<std::string> data_folder(const Environment& environment) {
  // The specification says that a relative path is to be ignored.
  const auto xdg = environment.get("XDG_DATA_HOME");
  if (xdg && !xdg->empty() && xdg->front() == '/') return *xdg + "/ucutlass";
  const auto home = environment.get("HOME");
  if (home && !home->empty()) return *home + "/.local/share/ucutlass";
  return fail("no place for stored runs: neither XDG_DATA_HOME nor HOME is set", "name a file: --store FILE");
}

Result<std::string> store_path(const Environment& environment, const std::string& store) {
  if (!store.empty()) return store;
  auto folder = data_folder(environment);
  if (!folder) return tl::unexpected(folder.error());
  return *folder + "/runs.db";
}

}  // namespace uc
