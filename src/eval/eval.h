#pragma once
// Why: what the rest of the program asks about a candidate, and what it is told: is it right, is it honest,
// how fast. How it is found out: docs/evaluation.md.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "ir/dtype.h"

namespace uc {

/// How near to the reference a result must be. KernelBench's allclose: 1e-4 for strict, 1e-2 for reduced.
enum class Tolerance : uint8_t { strict, reduced };

/// A buffer as the candidate sees it. `name` binds a param to the module's parameter or buffer; inputs and
/// outputs bind by their place among the problem's tensor arguments and results.
struct EvalTensor {
  std::string name;
  DType dtype = DType::f32;
  std::vector<int64_t> shape;        ///< PyTorch's logical order
  std::vector<int64_t> stride = {};  ///< elements; empty: row-major
};

/// What to measure against; one judge process serves one problem.
struct EvalProblem {
  std::string path;     ///< a .py file with Model, get_inputs, get_init_inputs (KernelBench's form)
  std::string builtin;  ///< or, without a file: "matmul:m=4096,n=4096,k=4096,dtype=f16,fill=normal"
  Tolerance tolerance = Tolerance::strict;
  std::string math = "f32";  ///< least accurate multiply allowed: f32, tf32, f16, bf16; sets the error bound
  uint64_t seed = 0;         ///< 0: drawn afresh; stored in the result
  int trials = 5;            ///< fresh-seed trials; two more: another distribution, changed weights
  int sets = 0;              ///< R, sets of exchanged buffers; 0: as memory allows, 2 to 8
  std::vector<std::string>
      baselines;  ///< names of docs/evaluation.md; empty: all. "none" alone: no baseline, no times
  double baseline_budget_s =
      240;  ///< time for all baselines together; those left out are reported as skipped
};

/// One candidate: a shared object with the ABI of include/ucutlass/abi.h, and how its buffers map to the
/// problem.
struct EvalRequest {
  std::string id;       ///< free text, returned
  std::string library;  ///< path of the .so
  std::vector<EvalTensor> inputs, params, outputs;
  std::vector<int64_t> dims;  ///< passed to sizes() and run()
  bool time = true;           ///< false: only correctness
  int rounds = 3;             ///< ABBA rounds per comparison: 4 blocks each
  std::vector<std::string>
      against;                 ///< baselines to alternate with; empty: "best" and "eager_tf32" (or "eager")
  double sustained_s = 0;      ///< > 0: also alternate flush-free batches of at least this many seconds
  double time_budget_s = 120;  ///< for the whole evaluation; past it the runner is killed
  double sol_floor_us = 0;     ///< certified bound; a time below 0.9 x this is `sol_ceiling`. 0: not checked
  int64_t reduction = 0;       ///< K, longest reduction, for the error bound; 0: guessed from the params
  bool vendor_libraries = true;  ///< false: a candidate that loads cuBLAS, cuDNN or torch is `library_only`
  uint64_t host_memory_limit = uint64_t{16} << 30;  ///< bytes resident in the runner
};

/// Reads the names, dtypes, shapes and dims of `request` from a candidate's manifest (docs/evaluation.md).
Result<> read_manifest(const std::string& manifest_json, EvalRequest& request);

enum class EvalLabel : uint8_t { ok, sol_ceiling, gaming, library_only, incorrect, broken };
std::string_view label_name(EvalLabel label);

/// One comparison of outputs with the reference.
struct EvalTrial {
  std::string name;  ///< "seed 1", "other distribution", "changed weights", "block 3 set 1"
  bool passed = false;
  double excess = 0;       ///< max over elements of |out - ref| / (atol + rtol |ref|); passes at <= 1
  double error = 0;        ///< |out - ref64| / |ref64| in the 2-norm; worst output
  double error_bound = 0;  ///< what `error` may be
  std::string why;         ///< empty when passed
};

/// Times of one side. Microseconds per run.
struct EvalTime {
  double gpu_us = 0;               ///< median of event times, L2 flushed, launch gaps excluded
  double wall_us = 0;              ///< by the judge's own clock over a flush-free batch, launch gaps included
  double graph_us = 0;             ///< the same batch replayed as a CUDA graph; 0: could not be captured
  double low_us = 0, high_us = 0;  ///< quartiles of gpu_us
  int runs = 0;
  double sm_mhz = 0;  ///< median SM clock seen; 0: unknown
  int unheld = 0;     ///< runs whose launches took longer than the hold, so gaps may count
};

struct EvalBaseline {
  std::string name;  ///< eager, eager_tf32, eager_autocast, compile, ..., whole_16
  EvalTime time;
  bool own_io = true;   ///< keeps the problem's dtypes of inputs and outputs
  bool passed = false;  ///< within the tolerance
  double excess = 0, error = 0;
  std::string failure;  ///< why it has no time (skipped, out of memory, compiler error)
};

/// Candidate and one baseline in alternating blocks.
struct EvalComparison {
  std::string baseline;
  EvalTime baseline_time, candidate_time;
  double speedup = 0;          ///< median over adjacent blocks of baseline / candidate
  double low = 0, high = 0;    ///< its 95 % bootstrap interval, widened by the resolution
  std::string verdict;         ///< faster, slower, no difference, too few pairs
  int pairs = 0, dropped = 0;  ///< dropped: the clock explains why they differ from the others
};

struct EvalResult {
  std::string id;
  EvalLabel label = EvalLabel::broken;
  std::string reason;   ///< stable word: wrong_result, timed_out, illegal_access, clock_mismatch, ...
  std::string message;  ///< one line for people
  std::vector<EvalTrial> trials;
  EvalTime time;  ///< over all blocks of the candidate
  std::vector<EvalBaseline> baselines;
  std::string best_baseline;  ///< PyTorch's best: fastest with the problem's own I/O that passes
  std::vector<EvalComparison> comparisons;
  std::vector<EvalComparison> sustained;
  std::vector<std::string> notes;      ///< what was reduced or could not be measured
  std::vector<std::string> libraries;  ///< vendor libraries found in the runner
  double prepack_us = 0;
  uint64_t packed_bytes = 0, workspace_bytes = 0;
  uint64_t seed = 0;
  std::string device;     ///< "NVIDIA H200"
  std::string transport;  ///< ipc, file, shm
  double seconds = 0;     ///< spent on this evaluation
  std::string json;       ///< the whole record, schema "ucutlass.eval.result/1": store this
  bool usable() const { return label == EvalLabel::ok; }
};

}  // namespace uc
