// Kernels whose shared memory CUTLASS itself shall measure: for each case a folder with the host half,
// extended by a main that prints the stages, Kernel::SharedStorageSize and the epilogue's carve-out, and what
// plan/smem_model.h says. Usage: smem_oracle OUTPUT_FOLDER; then smem_oracle.sh compiles and compares.
#include <filesystem>
#include <fstream>

#include "catalog/builtin.h"
#include "emit/cutlass3_gemm.h"
#include "emit/templates.h"
#include "smem_cases.h"

namespace {

void write(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

void write_case(const std::string& folder, const uc::oracle::Case& at) {
  const uc::EmittedKernel emitted = uc::emit_cutlass3_gemm(at.kernel, at.config);
  const std::string place = folder + "/" + at.name;
  std::filesystem::create_directories(place);
  for (const std::string_view file : uc::support_files())
    write(place + "/" + std::string(file), std::string(uc::support_file(file)));
  write(fmt::format("{}/uck_{}.cu", place, emitted.hash), emitted.device_source);
  write(
      place + "/main.cpp",
      emitted.host_source +
          fmt::format("\n#include <stdio.h>\nint main() {{\n  using namespace uck_{}_types;\n"
                      "  printf(\"%d %d %d\\n\", int(Kernel::CollectiveMainloop::DispatchPolicy::Stages), "
                      "int(Kernel::SharedStorageSize), int(sizeof(typename Epilogue::SharedStorage)));\n}}\n",
                      emitted.hash));
  write(place + "/model.txt", uc::oracle::modelled(at) + "\n");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const uc::Catalog catalog = uc::builtin_catalog();
  for (const auto& epilogue : uc::oracle::kEpilogues) {
    for (const auto& tile : uc::oracle::kTiles)
      write_case(argv[1], uc::oracle::make_case(catalog, epilogue, tile));
  }
  return 0;
}
