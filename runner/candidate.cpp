#include "candidate.h"

#include <cstring>
#include <dlfcn.h>

#include "backend.h"

namespace uct {
namespace {

constexpr uint64_t kGuardBytes = 4096;
constexpr unsigned char kGuard = 0xA5;

const char* status_name(int status) {
  switch (status) {
    case UCUTLASS_OK: return "OK";
    case UCUTLASS_BAD_ABI: return "BAD_ABI";
    case UCUTLASS_BAD_DEVICE: return "BAD_DEVICE";
    case UCUTLASS_BAD_SHAPE: return "BAD_SHAPE";
    case UCUTLASS_BAD_STRIDE: return "BAD_STRIDE";
    case UCUTLASS_BAD_ALIGNMENT: return "BAD_ALIGNMENT";
    case UCUTLASS_BAD_WORKSPACE: return "BAD_WORKSPACE";
    case UCUTLASS_CUDA_ERROR: return "CUDA_ERROR";
    default: return "an unknown status";
  }
}

std::vector<ucutlass_tensor> bind_all(const std::vector<TensorType>& types,
                                      const std::vector<Buffer>& buffers) {
  std::vector<ucutlass_tensor> result;
  for (size_t i = 0; i < types.size(); ++i) {
    result.push_back({buffers[i].data, types[i].shape.data(), types[i].stride.data(),
                      static_cast<int32_t>(types[i].shape.size()), types[i].dtype});
  }
  return result;
}

}  // namespace

int dtype_number(const std::string& name) {
  static const char* const kNames[] = {"f64", "f32", "f16", "bf16", "f8e4m3", "f8e5m2",
                                       "i8",  "u8",  "i32", "i64",  "bool"};
  for (int i = 0; i < 11; ++i) {
    if (name == kNames[i]) return i;
  }
  return -1;
}

Candidate::~Candidate() {
  if (program_ && api_ && api_->close) api_->close(program_);
  if (packed_) (void)uct_free(context_, packed_, nullptr);
  if (workspace_) (void)uct_free(context_, workspace_, nullptr);
}

int Candidate::refused(const char* where, int status, const ucutlass_message& text, uct_message* m) const {
  const std::string said(text.text, ::strnlen(text.text, sizeof text.text));
  return report(m, status, where, std::string(status_name(status)) + (said.empty() ? "" : ": " + said));
}

/// With a guard behind it that tells of writes past the end.
int Candidate::allocate(uint64_t bytes, void** out, uct_message* m) {
  if (const int code = uct_alloc(context_, bytes + kGuardBytes, out, m)) return code;
  if (const int code = uct_poison(context_, *out, bytes, m)) return code;
  const std::vector<unsigned char> guard(kGuardBytes, kGuard);
  return uct_copy(context_, static_cast<char*>(*out) + bytes, guard.data(), kGuardBytes, 1, m);
}

void Candidate::bind() {
  for (const auto& set : input_sets) bound_inputs_.push_back(bind_all(inputs, set));
  for (const auto& set : output_sets) bound_outputs_.push_back(bind_all(outputs, set));
  bound_params_ = bind_all(params, param_buffers);
}

int Candidate::load(const std::string& library, int device, uct_message* m) {
  void* handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) return report(m, -1, "dlopen", ::dlerror());
  using GetApi = const ucutlass_api* (*)(uint32_t);
  const auto get_api = reinterpret_cast<GetApi>(::dlsym(handle, "ucutlass_get_api"));
  if (!get_api) return report(m, -1, "dlsym", "the library exports no ucutlass_get_api");
  api_ = get_api(UCUTLASS_ABI);
  if (!api_ || api_->abi != UCUTLASS_ABI || api_->struct_bytes < sizeof(ucutlass_api)) {
    api_ = nullptr;
    return report(m, UCUTLASS_BAD_ABI, "ucutlass_get_api", "the library does not speak ABI 1");
  }
  if (!api_->open || !api_->sizes || !api_->run || !api_->close) {
    return report(m, UCUTLASS_BAD_ABI, "ucutlass_get_api", "the table has an empty entry");
  }
  ucutlass_message text{};
  if (const int status = api_->open(device, &program_, &text)) return refused("open", status, text, m);
  if (const int status = api_->sizes(program_, dims.data(), &packed_bytes_, &workspace_bytes_, &text)) {
    return refused("sizes", status, text, m);
  }
  if (packed_bytes_ && !api_->prepack)
    return report(m, UCUTLASS_BAD_ABI, "sizes", "packed bytes without a prepack");
  if (const int code = allocate(packed_bytes_, &packed_, m)) return code;
  if (const int code = allocate(workspace_bytes_, &workspace_, m)) return code;
  bind();
  return 0;
}

int Candidate::prepack(uct_message* m) {
  if (!api_->prepack) return 0;
  ucutlass_message text{};
  const int status = api_->prepack(program_, bound_params_.data(), packed_, workspace_, workspace_bytes_,
                                   static_cast<ucutlass_stream>(uct_stream(context_)), &text);
  if (status) return refused("prepack", status, text, m);
  return uct_sync(context_, m);
}

int Candidate::run(uint32_t set, void* stream, uct_message* m) {
  ucutlass_message text{};
  const int status = api_->run(program_, bound_inputs_[set].data(), bound_params_.data(), packed_,
                               bound_outputs_[set].data(), workspace_, workspace_bytes_, dims.data(), 0,
                               static_cast<ucutlass_stream>(stream), &text);
  return status ? refused("run", status, text, m) : 0;
}

int Candidate::poison_workspace(uct_message* m) {
  return uct_poison(context_, workspace_, workspace_bytes_, m);
}

int Candidate::check_guards(uct_message* m) {
  std::vector<unsigned char> guard(kGuardBytes);
  const std::pair<void*, size_t> blocks[] = {{packed_, packed_bytes_}, {workspace_, workspace_bytes_}};
  for (const auto& [data, bytes] : blocks) {
    if (const int code =
            uct_copy(context_, guard.data(), static_cast<char*>(data) + bytes, kGuardBytes, 0, m))
      return code;
    for (const unsigned char byte : guard) {
      if (byte != kGuard) {
        return report(m, -3, "guard",
                      data == packed_ ? "wrote past the end of the packed weights"
                                      : "wrote past the end of the workspace");
      }
    }
  }
  return 0;
}

}  // namespace uct
