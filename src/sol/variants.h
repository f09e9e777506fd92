#pragma once
// Why: the least work of a program is that of the cheapest program with the same results. Two lines are kept
// apart: what holds for all inputs, and what leans on the inputs' data that was seen.
#include <memory>
#include <vector>

#include "sol/bound.h"

namespace uc::sol {

class Variants {
 public:
  Variants(const Catalog& catalog, const Program& program);

  const Bound& written() const { return *written_; }                ///< as written, nothing observed
  const Bound& seen() const { return seen_ ? *seen_ : *written_; }  ///< as written, with what was observed
  std::vector<const Bound*> promised() const;  ///< as written and simplified by what always holds
  std::vector<const Bound*> all() const;       ///< those, then what leans on observed data

 private:
  std::unique_ptr<Bound> written_;
  std::unique_ptr<Bound> always_;           // null when no rule applies
  std::unique_ptr<Bound> seen_, observed_;  // null when nothing was observed
};

}  // namespace uc::sol
