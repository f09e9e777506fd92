#include "driver.h"

#include <dlfcn.h>
#include <string>

namespace uct {
namespace {

struct Loaded {
  Driver driver;
  std::string why;
  int code = 0;
};

Loaded load() {
  Loaded result;
  void* library = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    result.why = "no NVIDIA driver: libcuda.so.1 cannot be opened";
    result.code = -1;
    return result;
  }
#define UCT_LOAD(name, symbol, parameters)                                                 \
  result.driver.name = reinterpret_cast<CUresult(*) parameters>(::dlsym(library, symbol)); \
  if (!result.driver.name) {                                                               \
    result.why = "the NVIDIA driver is too old: it has no " symbol;                        \
    result.code = -1;                                                                      \
    return result;                                                                         \
  }
  UCT_DRIVER_CALLS(UCT_LOAD)
#undef UCT_LOAD
  if (const CUresult code = result.driver.init(0)) {
    const char* text = nullptr;
    result.driver.error_string(code, &text);
    result.why = std::string("cuInit failed: ") + (text ? text : "unknown error");
    result.code = code;
  }
  return result;
}

}  // namespace

const Driver* load_driver(const char** why, int* code) {
  static const Loaded loaded = load();
  if (loaded.code == 0) return &loaded.driver;
  *why = loaded.why.c_str();
  *code = loaded.code;
  return nullptr;
}

}  // namespace uct
