#pragma once
// Why: what the CUDA backend and a mere look at the device share: the driver, its errors, its facts.
#include "backend.h"
#include "driver.h"

namespace uct {

/// Fills the message with the driver's words for `code`; returns it.
int failed(const Driver& d, uct_message* m, const char* where, CUresult code);
/// Fills in everything but makes no context.
int describe(const Driver& d, int ordinal, uct_info* out, uct_message* m);
/// Null, with the message filled, when there is none that works.
const Driver* driver_or(uct_message* m);

}  // namespace uct

/// Calls d_.call(...) and leaves with its error.
#define UCT_TRY(call, ...) \
  if (const CUresult code_ = d_.call(__VA_ARGS__)) return failed(d_, m, #call, code_)
