#pragma once
// Why: a person who reads an emitted kernel may know better. What `ucutlass compile --emit cu` wrote is taken
// back with edits of its kernels, as a program that is built, judged and timed like others.
#include <string>
#include <vector>

#include "base/result.h"
#include "compiler/emission.h"
#include "platform/files.h"

namespace uc {

struct EditedProgram {
  Compiled compiled;                ///< the program that the folder holds; its hash counts the edits
  EmittedProgram emitted;           ///< with the edited kernels
  std::vector<std::string> edited;  ///< files that differ from what was written
};

/// `path`: the folder, or a kernel's .cu or _host.cpp in it. Kernels keep their symbols and the contract of
/// uc_kernel_args.h; everything else stays as it was written. Errors (exit code 2): no such folder, another
/// version's files, edits elsewhere than in kernels, a kernel's functions that are gone, nothing edited.
Result<EditedProgram> read_edited(const Catalog& catalog, Files& files, const std::string& path);

}  // namespace uc
