#pragma once
// Why: kernels take sizes when they run, so one choice of kernels serves many sizes: all at which the rules
// allow it and the same sources are emitted. Which these are is found by asking.
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/emission.h"
#include "compiler/pipeline.h"
#include "compiler/size_fit.h"

namespace uc {

/// A program with named dimensions whose knobs are chosen, at sizes of its dimensions.
class SizeProbe {
 public:
  /// The kernels are those chosen at `sizes`, where `chosen` was compiled; it must be ok.
  SizeProbe(const Catalog& catalog, const Program& program, std::vector<int64_t> sizes,
            const Compiled& chosen, const CompileOptions& options);

  /// `program` with the chosen knobs written out.
  const Program& program() const { return program_; }
  const std::vector<int64_t>& sizes() const { return sizes_; }

  /// Whether the rules allow the kernels at these sizes and they are the same kernels.
  bool serves(const std::vector<int64_t>& sizes);

  /// The program at these sizes; null where it is not served.
  const Compiled* at(const std::vector<int64_t>& sizes);

  /// Sizes that are served, a range a dimension: the widest found around the chosen ones, tried at both ends
  /// of each range, beside them, and with each end of one beside each end of others.
  std::vector<SizeRange> ranges();

 private:
  struct Asked {
    std::optional<Compiled> compiled;  ///< where it is served
  };
  bool same_kernels(const Compiled& compiled) const;
  bool serves_with(size_t dim, int64_t size);
  int64_t step_of(size_t dim);
  int64_t end_of(size_t dim, int64_t step, int64_t wanted);
  bool serves_corners(const std::vector<SizeRange>& ranges);

  const Catalog& catalog_;
  const CompileOptions& options_;
  Program program_;
  std::vector<int64_t> sizes_;
  std::vector<std::string> kernels_;  // hashes
  std::map<std::vector<int64_t>, Asked> asked_;
};

}  // namespace uc
