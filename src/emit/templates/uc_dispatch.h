// One program at any of its sizes: libraries of several choices of kernels, and which of them serves a call. The
// generated header beside this one is tables and types; this is the code. C++17; no CUDA header is needed.
#ifndef UC_DISPATCH_H
#define UC_DISPATCH_H
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

#include <string>
#include <vector>

#include "uc_abi.h"
#include "uc_cublaslt.h"

namespace uc_dispatch {

constexpr int kMostDims = 3, kMostRank = 8;
constexpr int kNobody = -1, kVendor = -2;  // of Choice::kernel: no kernel serves the sizes; cuBLASLt does

// Multiples of `step`.
struct Range {
  int64_t low, high, step;
  bool holds(int64_t size) const { return size >= low && size <= high && size % step == 0; }
};

struct Kernel {
  const char* library;  // file in the folder
  const char* what;     // knobs, for people
  int owner;            // the first kernel whose prepared weights are laid out the same way
  Range serves[kMostDims];
};

// A tensor of a call; strides in elements.
struct Operand {
  const void* data;
  int32_t dtype, ndim;
  int64_t shape[kMostRank], stride[kMostRank];
};

// A program that is one product of two of its tensors and no more: cuBLASLt can do it.
struct PlainGemm {
  int a, b;          // inputs first, then params
  int32_t compute;   // cublasComputeType_t
  uc_cublaslt::Sizes (*sizes)(const int64_t* dims);
};

struct Tables {
  int dims;
  const char* const* names;
  const Range* declared;
  int kernels;
  const Kernel* kernel;
  // The sizes at which kernels were put in order: a list a dimension, all combinations of them in `best`, the last
  // dimension's changing fastest; of each all kernels, modelled fastest first.
  const int* axis_count;
  const int64_t* const* axis;
  const uint8_t* best;
  const uint8_t* vendor_first;  // of each: cuBLASLt was faster when both were measured
  const PlainGemm* plain;       // null: not for cuBLASLt
};

struct Choice {
  int kernel;       // its place in Tables::kernel, kVendor or kNobody
  const char* why;  // for people
};

class Dispatcher {
 public:
  explicit Dispatcher(const Tables& tables) : tables_(tables), opened_(size_t(tables.kernels)) {}
  Dispatcher(const Dispatcher&) = delete;
  Dispatcher& operator=(const Dispatcher&) = delete;
  ~Dispatcher() {
    for (Opened& each : opened_) {
      if (each.program != nullptr) each.api->close(each.program);
      if (each.library != nullptr) dlclose(each.library);
    }
  }

  // Loads every library of the folder on a device. False: error() says why. cuBLASLt is looked for where it could
  // be of use, and its absence is no error: vendor_status() says what was found.
  bool open(const std::string& folder, int device) {
    for (int i = 0; i < tables_.kernels; ++i) {
      if (!open_one(i, folder + "/" + tables_.kernel[i].library, device)) return false;
    }
    for (int i = 0; i < tables_.kernels; ++i) {
      Opened& each = opened_[size_t(i)];
      const int owner = tables_.kernel[i].owner;
      each.packed_at = owner == i ? packed_bytes_ : opened_[size_t(owner)].packed_at;
      if (owner == i) packed_bytes_ += (each.packed_bytes + 255) / 256 * 256;
      if (each.workspace_bytes > prepack_bytes_) prepack_bytes_ = each.workspace_bytes;
    }
    if (tables_.plain != nullptr) vendor_.open();
    return true;
  }

  // Who serves a call of these sizes. Needs no device: may be asked before open(), which is when cuBLASLt is looked for.
  Choice choose(const int64_t* dims) const {
    for (int d = 0; d < tables_.dims; ++d) {
      if (!tables_.declared[d].holds(dims[d])) return {kNobody, "outside of the declared ranges"};
    }
    const size_t point = nearest(dims);
    if (vendor_.ok() && tables_.vendor_first[point] != 0) return {kVendor, "cuBLASLt was measured to be faster here"};
    const uint8_t* best = tables_.best + point * size_t(tables_.kernels);
    for (int i = 0; i < tables_.kernels; ++i) {
      if (serves(best[i], dims)) return {best[i], tables_.kernel[best[i]].what};
    }
    if (vendor_.ok()) return {kVendor, "no kernel serves these sizes, cuBLASLt does"};
    return {kNobody, tables_.plain == nullptr ? "no kernel serves these sizes" : vendor_.status()};
  }

  size_t packed_bytes() const { return packed_bytes_; }
  size_t prepack_workspace_bytes() const { return prepack_bytes_; }

  // Of a call of these sizes; 0 where there is none.
  size_t workspace_bytes(const int64_t* dims) {
    const Choice choice = choose(dims);
    if (choice.kernel == kVendor) return uc_cublaslt::kWorkspace;
    if (choice.kernel == kNobody) return 0;
    const Opened& each = opened_[size_t(choice.kernel)];
    size_t bytes = 0;
    if (each.program == nullptr || each.api->sizes(each.program, dims, nullptr, &bytes, &message_) != UCUTLASS_OK) return 0;
    return bytes;
  }

  bool prepack(const std::vector<Operand>& params, void* packed, void* workspace, size_t workspace_bytes, ucutlass_stream stream) {
    const std::vector<ucutlass_tensor> tensors = views(params);
    for (int i = 0; i < tables_.kernels; ++i) {
      if (tables_.kernel[i].owner != i) continue;
      Opened& each = opened_[size_t(i)];
      if (each.program == nullptr) return failed("not open");
      if (each.api->prepack(each.program, tensors.data(), static_cast<char*>(packed) + each.packed_at, workspace, workspace_bytes,
                            stream, &message_) != UCUTLASS_OK)
        return false;
    }
    return true;
  }

  // Nothing is enqueued when it returns false.
  bool run(const int64_t* dims, const std::vector<Operand>& inputs, const std::vector<Operand>& params, const void* packed,
           const std::vector<Operand>& outputs, void* workspace, size_t workspace_bytes, ucutlass_stream stream) {
    const Choice choice = choose(dims);
    if (choice.kernel == kNobody) return refuse(dims, choice.why);
    if (choice.kernel == kVendor) return run_vendor(dims, inputs, params, outputs, workspace, workspace_bytes, stream);
    Opened& each = opened_[size_t(choice.kernel)];
    if (each.program == nullptr) return failed("not open");
    const std::vector<ucutlass_tensor> in = views(inputs), weights = views(params), out = views(outputs);
    const void* at = packed == nullptr ? nullptr : static_cast<const char*>(packed) + each.packed_at;
    return each.api->run(each.program, in.data(), weights.data(), at, out.data(), workspace, workspace_bytes, dims, 0, stream,
                         &message_) == UCUTLASS_OK;
  }

  const char* error() const { return message_.text; }
  const char* vendor_status() const { return tables_.plain == nullptr ? "cuBLASLt has no part in this program" : vendor_.status(); }

 private:
  struct Opened {
    void* library = nullptr;
    const ucutlass_api* api = nullptr;
    ucutlass_program* program = nullptr;
    size_t packed_bytes = 0, workspace_bytes = 0, packed_at = 0;
  };

  bool failed(const std::string& why) {
    const size_t bytes = why.size() < sizeof message_.text - 1 ? why.size() : sizeof message_.text - 1;
    why.copy(message_.text, bytes);
    message_.text[bytes] = '\0';
    return false;
  }

  bool open_one(int index, const std::string& path, int device) {
    Opened& each = opened_[size_t(index)];
    if (each.program != nullptr) return failed("open already");
    each.library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (each.library == nullptr) return failed(dlerror());
    using GetApi = const ucutlass_api* (*)(uint32_t);
    const auto get = reinterpret_cast<GetApi>(dlsym(each.library, "ucutlass_get_api"));
    each.api = get == nullptr ? nullptr : get(UCUTLASS_ABI);
    if (each.api == nullptr) return failed(path + ": no program of this ABI version");
    return each.api->open(device, &each.program, &message_) == UCUTLASS_OK &&
           each.api->sizes(each.program, nullptr, &each.packed_bytes, &each.workspace_bytes, &message_) == UCUTLASS_OK;
  }

  bool serves(int kernel, const int64_t* dims) const {
    for (int d = 0; d < tables_.dims; ++d) {
      if (!tables_.kernel[kernel].serves[d].holds(dims[d])) return false;
    }
    return true;
  }

  // Nearest in ratio, dimension by dimension.
  size_t nearest(const int64_t* dims) const {
    size_t point = 0;
    for (int d = 0; d < tables_.dims; ++d) {
      const int64_t* axis = tables_.axis[d];
      int at = 0;
      while (at + 1 < tables_.axis_count[d] && double(dims[d]) * double(dims[d]) > double(axis[at]) * double(axis[at + 1])) ++at;
      point = point * size_t(tables_.axis_count[d]) + size_t(at);
    }
    return point;
  }

  std::string text(const int64_t* dims) const {
    std::string out;
    for (int d = 0; d < tables_.dims; ++d) out += std::string(d == 0 ? "" : ", ") + tables_.names[d] + " = " + std::to_string(dims[d]);
    return out;
  }

  bool refuse(const int64_t* dims, const char* why) {
    std::string said = text(dims) + ": " + why + "; declared:";
    for (int d = 0; d < tables_.dims; ++d) {
      const Range& range = tables_.declared[d];
      said += std::string(d == 0 ? " " : ", ") + tables_.names[d] + " " + std::to_string(range.low) + ".." + std::to_string(range.high);
      if (range.step != 1) said += " step " + std::to_string(range.step);
    }
    return failed(said);
  }

  bool run_vendor(const int64_t* dims, const std::vector<Operand>& inputs, const std::vector<Operand>& params,
                  const std::vector<Operand>& outputs, void* workspace, size_t workspace_bytes, ucutlass_stream stream) {
    const PlainGemm& plain = *tables_.plain;
    const auto at = [&](int index) -> const Operand& {
      return size_t(index) < inputs.size() ? inputs[size_t(index)] : params[size_t(index) - inputs.size()];
    };
    const Operand &a = at(plain.a), &b = at(plain.b), &d = outputs[0];
    if (workspace == nullptr) workspace_bytes = 0;
    const char* why = vendor_.run(plain.sizes(dims), plain.compute, {a.data, a.dtype}, {b.data, b.dtype},
                                  {const_cast<void*>(d.data), d.dtype}, workspace, workspace_bytes, stream);
    return why == nullptr || refuse(dims, why);
  }

  static std::vector<ucutlass_tensor> views(const std::vector<Operand>& operands) {
    std::vector<ucutlass_tensor> out;
    for (const Operand& each : operands)
      out.push_back({const_cast<void*>(each.data), each.shape, each.stride, each.ndim, each.dtype});
    return out;
  }

  const Tables& tables_;
  std::vector<Opened> opened_;
  uc_cublaslt::Library vendor_;
  size_t packed_bytes_ = 0, prepack_bytes_ = 0;
  ucutlass_message message_{};
};

}  // namespace uc_dispatch
#endif
