#pragma once
// Why: bounds are asked of programs, captures and PyTorch problems, one at a time or a folder of them.
#include <optional>
#include <string>

#include "base/result.h"
#include "cli/command.h"
#include "ir/program.h"

namespace uc::cli {

struct SolSubject {
  Program program;
  bool is_problem = false;           ///< f32 problems are multiplied as tf32 unless told otherwise
  std::optional<int64_t> level, id;  ///< of a problem of a suite
};

/// Whether the file is judged as a capture, not as a program: by the end of its name, or its first letter.
bool is_capture(const std::string& path, const std::string& text);

/// A captured problem's text. Whatever its operators are: what no program says counts its bytes.
Result<SolSubject> captured_subject(const Context& context, const std::string& text);

/// A file or folder by its path, as `ucutlass sol` takes it. Errors name the path; of a program with several
/// the first.
Result<SolSubject> load_subject(const Context& context, const std::string& path);

}  // namespace uc::cli
