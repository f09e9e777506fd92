#pragma once
// Why: what was said to a language model and what it answered is part of a run: it can be read afterwards, it
// says what the run cost, and a run that is resumed takes answers from here instead of paying for them again.
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/store.h"

namespace uc {

/// One request and its answer. Headers are not kept, so no key can be.
struct ExchangeRecord {
  std::string run;
  int64_t number = 0;   ///< from 1, within the run
  int64_t attempt = 0;  ///< the attempt that it was made for
  std::string kind;     ///< "nominate", "write"
  std::string model;
  std::string request;   ///< JSON body
  std::string response;  ///< body as it came; empty when none did
  std::string failure;   ///< why there is no answer; empty when there is one
  int64_t prompt_tokens = 0, answer_tokens = 0;
  double usd = 0;
  bool estimated = false;  ///< the endpoint did not say: the most that it can have been
  double started = 0, ended = 0;
};

/// Flushed to disk on return. The same number again replaces it.
Result<> record_exchange(Store& store, const ExchangeRecord& exchange);

/// In order. None in a file that was written before there were any.
Result<std::vector<ExchangeRecord>> exchanges_of(Store& store, const std::string& run);

}  // namespace uc
