#include "import/captures.h"

#include <algorithm>
#include <fmt/format.h>

namespace uc {
namespace {

// "level1/2_x" before "level1/10_y".
bool natural(const std::string& a, const std::string& b) {
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    if (digit(a[i]) && digit(b[j])) {
      const size_t i_end = std::min(a.find_first_not_of("0123456789", i), a.size());
      const size_t j_end = std::min(b.find_first_not_of("0123456789", j), b.size());
      if (i_end - i != j_end - j) return i_end - i < j_end - j;
      const int order = a.compare(i, i_end - i, b, j, j_end - j);
      if (order != 0) return order < 0;
      i = i_end;
      j = j_end;
    } else {
      if (a[i] != b[j]) return a[i] < b[j];
      ++i;
      ++j;
    }
  }
  return a.size() < b.size();
}

// A folder is what can be listed.
Result<> find_below(Files& files, const std::string& folder, const std::string& below,
                    std::vector<std::string>& out) {
  const auto names = files.list(below.empty() ? folder : folder + "/" + below);
  if (!names) return tl::unexpected(names.error());
  for (const std::string& name : *names) {
    const std::string path = below.empty() ? name : below + "/" + name;
    if (name.ends_with(".json")) {
      out.push_back(path);
    } else if (name.find('.') == std::string::npos) {
      if (auto found = find_below(files, folder, path, out); !found) return found;
    }
  }
  return {};
}

}  // namespace

Result<std::vector<std::string>> find_captures(Files& files, const std::string& folder) {
  std::vector<std::string> paths;
  if (auto found = find_below(files, folder, {}, paths); !found) {
    found.error().exit_code = 2;  // the folder is the user's choice
    return tl::unexpected(found.error());
  }
  if (paths.empty())
    return fail(fmt::format("{} holds no capture", folder),
                "`ucutlass capture PROBLEM.py -o FILE.json` makes one");
  std::ranges::sort(paths, natural);
  return paths;
}

}  // namespace uc
