#pragma once
// Why: every file that ucutlass writes appears whole or not at all, and every failure says what to do about
// it.
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace uc {

/// The file system as the program uses it. One real implementation; tests may wrap it to make it fail.
class Files {
 public:
  virtual ~Files() = default;
  virtual Result<std::string> read(const std::string& path) = 0;
  /// Writes a temporary file beside `path`, flushes it to disk, and renames it: readers see the old or the
  /// new bytes.
  virtual Result<> write(const std::string& path, std::string_view bytes, int mode = 0644) = 0;
  /// The same to a file that is there: it keeps its mode, and a link goes on leading to it. Errors: no
  /// regular file, not writable.
  virtual Result<> replace(const std::string& path, std::string_view bytes) = 0;
  virtual bool exists(const std::string& path) = 0;
  /// Creates the folder and its parents; an existing folder is fine.
  virtual Result<> make_folder(const std::string& path) = 0;
  /// A fresh, private folder (mode 0700) below $TMPDIR or /tmp; the caller removes it.
  virtual Result<std::string> make_temporary_folder(std::string_view prefix) = 0;
  /// Removes a file or a folder with all that is in it; a missing one is fine.
  virtual Result<> remove(const std::string& path) = 0;
  /// Names in a folder, sorted, without . and ..
  virtual Result<std::vector<std::string>> list(const std::string& folder) = 0;
};

Files& real_files();

/// The text of a file that the user named. What cannot be read is a mistake of the command line, whatever the
/// command: exit code 2.
Result<std::string> read_given(Files& files, const std::string& path);

/// What a failed system call means to a user: "cannot write out/x.h: no space left on device" and its help.
Error system_error(std::string_view doing, const std::string& path, int errno_value);

}  // namespace uc
