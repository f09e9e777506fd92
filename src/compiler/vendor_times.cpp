#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "compiler/dispatch.h"

namespace uc {

Result<std::vector<VendorTime>> read_vendor_times(std::string_view json, std::string_view type) {
  const auto read = nlohmann::json::parse(json, nullptr, false);
  const auto wrong = [](const std::string& what) {
    return fail("--vendor-times: " + what,
                "a file as bench/gemm_sweep writes it: {\"type\": \"f16\", \"shapes\": [{\"m\": 64, \"n\": "
                "64, \"k\": 64, "
                "\"us\": 3.1, \"cublaslt_us\": 2.9}]}",
                2);
  };
  if (!read.is_object() || !read.contains("shapes") || !read["shapes"].is_array())
    return wrong("no `shapes`");
  if (read.value("type", std::string()) != type) return std::vector<VendorTime>{};
  std::vector<VendorTime> out;
  for (const auto& shape : read["shapes"]) {
    for (const char* key : {"m", "n", "k", "us", "cublaslt_us"}) {
      if (!shape.is_object() || !shape.contains(key) || !shape[key].is_number())
        return wrong(fmt::format("a shape has no number `{}`", key));
    }
    out.push_back({shape["m"].get<int64_t>(), shape["n"].get<int64_t>(), shape["k"].get<int64_t>(),
                   shape["us"].get<double>(), shape["cublaslt_us"].get<double>()});
  }
  return out;
}

}  // namespace uc
