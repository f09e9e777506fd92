#pragma once
// Why: language models are behind HTTP. Requests go through this interface, so that everything above it is
// tried with answers that tests make up; what can go wrong on the way has a kind, since callers must know
// whether a request may have been served.
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "platform/clock.h"

namespace uc {

using HttpHeaders = std::vector<std::pair<std::string, std::string>>;

/// A POST. Redirects are never followed: headers hold keys.
struct HttpRequest {
  std::string url;  ///< http:// or https://
  HttpHeaders headers;
  std::string body;
  Millis connect_deadline{20'000};
  Millis deadline{600'000};               ///< for the whole exchange
  size_t most_bytes = size_t{16} << 20U;  ///< of the answer's body
  std::function<bool()> cancelled = {};   ///< asked a few times a second; may be empty
};

struct HttpResponse {
  int status = 0;
  HttpHeaders headers;  ///< names in lower case
  std::string body;
  /// The last header of this name (lower case).
  std::optional<std::string> header(std::string_view name) const;
};

struct HttpFailure {
  enum class Kind : uint8_t {
    unavailable,  ///< this machine has no library to send with
    bad_url,
    unreachable,  ///< nothing was sent
    timed_out,
    cut,        ///< the connection ended before the answer did, or what came is no HTTP
    too_large,  ///< more than most_bytes
    cancelled
  };
  Kind kind = Kind::cut;
  std::string message;  ///< one line
};

class Http {
 public:
  virtual ~Http() = default;
  virtual tl::expected<HttpResponse, HttpFailure> post(const HttpRequest& request) = 0;
};

/// libcurl, opened when it is first needed: the program starts on machines without it, and uses the
/// certificates that the machine's own libcurl knows.
Http& real_http();

/// The name of the library that real_http() opened; nothing when there is none.
std::optional<std::string> http_library();

}  // namespace uc
