#pragma once
// Why: models say more than they were asked for: thoughts, several drafts, remarks, or the program without
// any fence. What they mean is found here, and when it cannot be found the reason is one that they can act
// on.
#include <string>
#include <string_view>
#include <vector>

namespace uc {

/// A fenced block of Markdown.
struct Fence {
  std::string tag;  ///< "uc", in lower case; empty when there is none
  std::string text;
  bool closed = true;
};
std::vector<Fence> fences(std::string_view answer);

/// The answer without what stands between <think> and </think>, and the like.
std::string without_thoughts(std::string_view answer);

struct Extracted {
  std::string text;     ///< empty: nothing was found
  std::string why_not;  ///< a line for who answered
};

/// The program in an answer: of blocks that look like programs the last one marked as such, else the last
/// one; without blocks the lines from the first declaration to the return; `{"program": "..."}`.
Extracted extract_program(std::string_view answer);

/// CUDA in an answer, for runs that allow it: the last block that is marked as CUDA or C++ and has a kernel.
Extracted extract_cuda(std::string_view answer);

/// The outermost JSON object or array in an answer: a block, or the text from the first bracket to its match.
Extracted extract_json(std::string_view answer);

}  // namespace uc
