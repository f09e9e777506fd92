#pragma once
// Why: the evaluator's operators over whole tensors. No header of src/.
#include <map>
#include <string>
#include <vector>

#include "evaluator.h"

namespace evaluator {

/// A call's arguments as written.
struct Args {
  std::vector<Tensor> tensors;
  std::vector<std::vector<int64_t>> lists;
  std::map<std::string, double> numbers;
  std::vector<std::string> words;
  bool real = false;  ///< some number is written with a point
};

Tensor elementwise(const std::string& op, const std::vector<Tensor>& operands);
Tensor where(const std::vector<Tensor>& operands);
Tensor activation(const std::string& name, const Args& args, const std::vector<Tensor>& operands);
/// gemm, or linear with `b_is_nk`; `strict` keeps what derives from f32 out of TF32.
Tensor contraction(const Tensor& a, const Tensor& b, bool b_is_nk, bool strict);
Tensor view(const std::string& name, const Args& args);

}  // namespace evaluator
