#pragma once
// Why: what an author is told follows from the state of the loop and the phases that are on, and from nothing
// else: the same state makes the same text, so that a resumed run asks what it asked. How many attempts are
// left is not told, since a run may be given more.
#include <span>
#include <string>
#include <vector>

#include "agent/author.h"
#include "agent/hypothesis.h"

namespace uc {

/// What of the problem is told in every request.
struct Assignment {
  std::string problem;  ///< name
  Program start;        ///< what has to be computed
  bool raw = false;     ///< in CUDA C++
  std::string source;   ///< the problem's Python; may be empty
};

std::vector<Message> nominate_messages(const Assignment& assignment, const SearchState& state);

/// With what became of the last program that was written for the hypothesis, if one was.
std::vector<Message> write_messages(const Assignment& assignment, const SearchState& state,
                                    const Hypothesis& hypothesis, std::span<const size_t> tried);

/// After an answer to `before` that could not be read.
std::vector<Message> again_messages(std::vector<Message> before, const std::string& answer,
                                    const std::string& why);

}  // namespace uc
