#pragma once
// Why: the proposer for whoever answers in words: it asks an author for hypotheses and programs, reads the
// answers, and lets nothing through that is no candidate for the problem.
#include <memory>
#include <optional>

#include "agent/author.h"
#include "agent/hypothesis.h"
#include "agent/proposers/prompts.h"

namespace uc {

/// The imported problem, which programs are held against.
struct AuthoredStart {
  std::string problem;             ///< its name
  Program program;                 ///< at full size
  std::optional<Program> reduced;  ///< at the recorded sizes, when there are any
  bool raw = false;                ///< CUDA C++ is asked for, not programs
  std::string source = {};         ///< the problem's Python, told where CUDA is asked for; may be empty
};

class AuthoredProposer final : public Proposer {
 public:
  AuthoredProposer(Author& author, AuthoredStart start)
      : author_(author),
        reduced_(std::move(start.reduced)),
        assignment_{std::move(start.problem), std::move(start.program), start.raw, std::move(start.source)} {}

  std::string_view name() const override { return author_.name(); }
  /// One standing hypothesis where the controller has no Nominate. An answer that cannot be read is asked for
  /// once more; then the standing hypothesis takes its place.
  Result<std::vector<Hypothesis>> nominate(const SearchState& state) override;
  /// Every answer is an attempt: one without a program, and one that is no candidate, have a fault.
  Result<std::optional<Proposal>> write(const SearchState& state, const Hypothesis& hypothesis,
                                        std::span<const size_t> tried) override;
  Spent spent() const override { return author_.spent(); }

 private:
  Proposal read(const SearchState& state, const AuthorAnswer& answer) const;
  Proposal read_cuda(const AuthorAnswer& answer) const;

  Author& author_;
  std::optional<Program> reduced_;
  Assignment assignment_;
};

}  // namespace uc
