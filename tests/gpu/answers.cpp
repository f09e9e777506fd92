// uc_answers PROGRAM.uc FOLDER [SEED]: random inputs of a program and what the CPU executor makes of them, as
// .npy files: inputs_0.npy, params_0.npy, results_0.npy, ... in declaration order. Exit code 1: said on
// stderr.
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <iostream>
#include <iterator>

#include "catalog/builtin.h"
#include "compiler/pipeline.h"
#include "diag/render.h"
#include "exec/execute.h"
#include "exec/npy.h"
#include "exec/random.h"

namespace uc {
namespace {

// What the declaration promises of the last two dimensions.
void impose(const std::string& structure, HostTensor& tensor) {
  const size_t rank = tensor.shape.size();
  if (structure == "positive") {
    for (int64_t i = 0; i < tensor.count(); ++i) tensor.set(i, std::abs(tensor.at(i)));
  }
  if (rank < 2 || structure == "positive") return;
  const int64_t rows = tensor.shape[rank - 2];
  const int64_t columns = tensor.shape[rank - 1];
  for (int64_t i = 0; i < tensor.count(); ++i) {
    const int64_t row = i / columns % rows;
    const int64_t column = i % columns;
    const bool zero = (structure == "diag" && row != column) || (structure == "lower" && column > row) ||
                      (structure == "upper" && column < row);
    if (zero) tensor.set(i, 0);
    if (structure == "symmetric" && column < row)
      tensor.set(i, tensor.at(i + (column - row) * columns + (row - column)));
  }
}

std::vector<HostTensor> random_tensors(const Program& program, const std::vector<ValueId>& ids,
                                       uint64_t& seed) {
  std::vector<HostTensor> out;
  for (const ValueId id : ids) {
    const Value& value = program[id];
    out.push_back(random_tensor(value.dtype, value.shape, next_random(seed)));
    for (const std::string& structure : value.structure) impose(structure, out.back());
  }
  return out;
}

void save(const std::string& folder, std::string_view what, const std::vector<HostTensor>& tensors) {
  for (size_t i = 0; i < tensors.size(); ++i)
    std::ofstream(fmt::format("{}/{}_{}.npy", folder, what, i), std::ios::binary) << write_npy(tensors[i]);
}

int run(const std::string& path, const std::string& folder, uint64_t seed) {
  std::ifstream file(path);
  const std::string source{std::istreambuf_iterator<char>(file), {}};
  const Catalog catalog = builtin_catalog();
  const Compiled compiled = resolve_source(catalog, source);
  if (!compiled.ok()) {
    std::cerr << render_text(compiled.diags.sorted(), source, path);
    return 1;
  }
  const Program& program = compiled.program;
  const auto inputs = random_tensors(program, program.inputs, seed);
  const auto params = random_tensors(program, program.params, seed);
  const auto results = execute(catalog, program, inputs, params);
  if (!results) {
    std::cerr << path << ": " << results.error().message << "\n";
    return 1;
  }
  save(folder, "inputs", inputs);
  save(folder, "params", params);
  save(folder, "results", *results);
  return 0;
}

}  // namespace
}  // namespace uc

int main(int argc, char** argv) {
  if (argc < 3) {
    std::cerr << "usage: uc_answers PROGRAM.uc FOLDER [SEED]\n";
    return 2;
  }
  return uc::run(argv[1], argv[2], argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1);
}
