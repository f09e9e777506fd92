#include "compiler/emission.h"

#include <fmt/format.h>

#include "base/text.h"
#include "emit/program_glue.h"
#include "emit/templates.h"
#include "plan/choose.h"

namespace uc {
namespace {

std::string_view pointer_type(DType dtype) {
  switch (dtype) {
    case DType::f64: return "double";
    case DType::f32: return "float";
    case DType::i8: return "int8_t";
    case DType::u8: return "uint8_t";
    case DType::i32: return "int32_t";
    case DType::i64: return "int64_t";
    case DType::boolean: return "bool";
    default: return "void";  // 16- and 8-bit floats: no standard C++ type
  }
}

// `struct Inputs { const float* x; };` and the function that makes ABI tensors of it.
std::string tensor_group(const Program& program, const std::vector<ValueId>& ids, std::string_view group,
                         bool written) {
  std::string fields;
  std::string rows;
  std::string arrays;
  for (const ValueId id : ids) {
    const Value& value = program[id];
    const std::string extents = value.shape.empty() ? "0" : fmt::format("{}", fmt::join(value.shape, ", "));
    const std::string strides = value.stride.empty() ? "0" : fmt::format("{}", fmt::join(value.stride, ", "));
    fields += fmt::format("  {}{}* {};   // {}{}\n", written ? "" : "const ", pointer_type(value.dtype),
                          value.name, name(value.dtype), to_text(value.shape));
    arrays += fmt::format("  static const int64_t shape_{0}[] = {{{1}}}, stride_{0}[] = {{{2}}};\n",
                          value.name, extents, strides);
    rows +=
        fmt::format("{}{{const_cast<void*>(static_cast<const void*>(t.{})), shape_{}, stride_{}, {}, {}}}",
                    rows.empty() ? "" : ",\n          ", value.name, value.name, value.name,
                    value.shape.size(), static_cast<int>(value.dtype));
  }
  if (ids.empty())
    return fmt::format(
        "struct {0} {{}};\ninline std::array<ucutlass_tensor, 0> tensors(const {0}&) {{ return {{}}; }}\n\n",
        group);
  return fmt::format(
      "struct {0} {{\n{1}}};\ninline std::array<ucutlass_tensor, {2}> tensors(const {0}& t) {{\n{3}  return "
      "{{{{{4}}}}};\n}}\n\n",
      group, fields, ids.size(), arrays, rows);
}

std::string fill(std::string_view file, const std::vector<std::pair<std::string, std::string>>& values) {
  std::string text(support_file(file));
  for (const auto& [key, value] : values) text = replace_all(std::move(text), "@" + key + "@", value);
  return text;
}

}  // namespace

EmittedProgram emit_program(const Catalog& catalog, const Compiled& compiled) {
  EmittedProgram out;
  out.hash = compiled.hash;
  const DeviceSpec& device = *catalog.device_of_target(compiled.program.target);
  for (const Launch& launch : compiled.launches)
    out.kernels.push_back(backend_for(catalog, launch, device)->emit(launch, device));
  const GlueInput input{compiled.program, compiled.launches, compiled.buffers,
                        out.kernels,      compiled.hash,     compiled.source};
  out.glue = emit_glue(input);
  out.manifest = emit_manifest(input);
  return out;
}

std::string emit_header(const Compiled& compiled) {
  const Program& program = compiled.program;
  return fill("program_header.h.in",
              {{"HASH", compiled.hash},
               {"GROUPS", tensor_group(program, program.inputs, "Inputs", false) +
                              tensor_group(program, program.params, "Params", false) +
                              tensor_group(program, program.results, "Outputs", true)}});
}

std::string emit_torch(const Compiled& compiled) {
  return fill("torch_module.py.in",
              {{"RUNTIME", std::string(trim(support_file("torch_runtime.py.in")))}, {"HASH", compiled.hash}});
}

std::string emit_kernelbench_frame(const Compiled& compiled) {
  return fill("kernelbench.py.in",
              {{"RUNTIME", std::string(trim(support_file("torch_runtime.py.in")))}, {"HASH", compiled.hash}});
}

}  // namespace uc
