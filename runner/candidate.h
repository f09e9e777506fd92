#pragma once
// Why: everything that touches the candidate's code: loading its shared object and calling its ABI table.
#include <cstdint>
#include <string>
#include <ucutlass/abi.h>
#include <vector>

#include "exchange.h"
#include "timing.h"

namespace uct {

/// Shape, strides (elements) and type of one argument; the same for all sets.
struct TensorType {
  int32_t dtype = UCUTLASS_F32;
  std::vector<int64_t> shape, stride;
};

/// A loaded candidate with its buffers bound. Methods return 0 or a code with the message filled.
class Candidate {
 public:
  explicit Candidate(uct_context* context) : context_(context) {}
  ~Candidate();
  Candidate(const Candidate&) = delete;
  Candidate& operator=(const Candidate&) = delete;

  std::vector<TensorType> inputs, params, outputs;           ///< set before load()
  std::vector<std::vector<Buffer>> input_sets, output_sets;  ///< [set][index]
  std::vector<Buffer> param_buffers;
  std::vector<int64_t> dims;

  /// dlopen, the ABI check, open(), sizes(), allocation of packed and workspace.
  int load(const std::string& library, int device, uct_message* m);
  int prepack(uct_message* m);
  /// Enqueues one run on a set.
  int run(uint32_t set, void* stream, uct_message* m);
  /// Makes the workspace dirty.
  int poison_workspace(uct_message* m);
  /// Non-zero when bytes behind the packed buffer or the workspace were overwritten.
  int check_guards(uct_message* m);

  uint64_t packed_bytes() const { return packed_bytes_; }
  uint64_t workspace_bytes() const { return workspace_bytes_; }
  const char* hash() const { return api_ && api_->hash ? api_->hash : ""; }

 private:
  int refused(const char* where, int status, const ucutlass_message& text, uct_message* m) const;
  int allocate(uint64_t bytes, void** out, uct_message* m);
  void bind();

  uct_context* context_;
  const ucutlass_api* api_ = nullptr;
  ucutlass_program* program_ = nullptr;
  void *packed_ = nullptr, *workspace_ = nullptr;
  size_t packed_bytes_ = 0, workspace_bytes_ = 0;
  std::vector<std::vector<ucutlass_tensor>> bound_inputs_, bound_outputs_;
  std::vector<ucutlass_tensor> bound_params_;
};

/// The ABI's number of a dtype name ("f16"), or -1.
int dtype_number(const std::string& name);

}  // namespace uct
