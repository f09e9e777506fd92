#pragma once
// Why: long text that generated code includes lives in files, built into the program.
#include <span>
#include <string_view>

namespace uc {

/// A support file that emitted sources include ("uc_math.cuh"), or a form to fill ("torch_module.py.in");
/// empty when there is none of that name.
std::string_view support_file(std::string_view name);

/// Names of the support files, in a fixed order: artefacts carry them beside the sources.
std::span<const std::string_view> support_files();

}  // namespace uc
