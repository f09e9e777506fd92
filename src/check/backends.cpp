#include "check/backends.h"

#include <algorithm>

#include "base/text.h"

namespace uc {
namespace {

bool has_arch(const BackendSpec& row, std::string_view arch) {
  const auto archs = split(row.archs, ' ');
  return std::ranges::any_of(archs, [arch](std::string_view each) { return each == arch || each == "*"; });
}

}  // namespace

std::vector<Served> backends_of(const Catalog& catalog, const Launch& launch, const DeviceSpec& device) {
  std::vector<Served> out;
  for (const BackendSpec* row : catalog.backends()) {
    if (row->kind == launch.kernel.index() && has_arch(*row, device.arch))
      out.push_back({row, row->refuses(launch, device)});
  }
  std::ranges::stable_sort(out, {}, [](const Served& each) { return split(each.row->archs, ' ').size(); });
  return out;
}

std::vector<const BackendSpec*> willing_backends(const Catalog& catalog, const Launch& launch,
                                                 const DeviceSpec& device) {
  std::vector<const BackendSpec*> out;
  for (const Served& each : backends_of(catalog, launch, device)) {
    if (each.refusal.empty()) out.push_back(each.row);
  }
  return out;
}

std::string_view short_name(const BackendSpec& backend) { return backend.id.substr(0, backend.id.find('.')); }

Launch on_backend(const Launch& launch, const BackendSpec& backend) {
  Launch out = launch;
  if (auto* config = std::get_if<ContractionConfig>(&out.config)) config->backend = short_name(backend);
  return out;
}

}  // namespace uc
