#include "platform/http.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <curl/curl.h>
#include <dlfcn.h>
#include <fmt/format.h>
#include <memory>

#include "base/text.h"

namespace uc {
namespace {

using Failed = HttpFailure::Kind;

// What is used of libcurl. Its ABI is stable since 2006 (libcurl.so.4).
struct Library {
  std::string name;
  decltype(&::curl_global_init) global_init = nullptr;
  decltype(&::curl_easy_init) easy_init = nullptr;
  decltype(&::curl_easy_setopt) easy_setopt = nullptr;
  decltype(&::curl_easy_perform) easy_perform = nullptr;
  decltype(&::curl_easy_getinfo) easy_getinfo = nullptr;
  decltype(&::curl_easy_strerror) easy_strerror = nullptr;
  decltype(&::curl_easy_cleanup) easy_cleanup = nullptr;
  decltype(&::curl_slist_append) slist_append = nullptr;
  decltype(&::curl_slist_free_all) slist_free_all = nullptr;
};

template <class Function>
bool find(void* handle, const char* name, Function& out) {
  out = reinterpret_cast<Function>(dlsym(handle, name));
  return out != nullptr;
}

std::optional<Library> open_library() {
  constexpr std::array kNames{"libcurl.so.4", "libcurl-gnutls.so.4", "libcurl-nss.so.4"};
  for (const char* name : kNames) {
    void* handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) continue;
    Library out;
    out.name = name;
    if (find(handle, "curl_global_init", out.global_init) && find(handle, "curl_easy_init", out.easy_init) &&
        find(handle, "curl_easy_setopt", out.easy_setopt) &&
        find(handle, "curl_easy_perform", out.easy_perform) &&
        find(handle, "curl_easy_getinfo", out.easy_getinfo) &&
        find(handle, "curl_easy_strerror", out.easy_strerror) &&
        find(handle, "curl_easy_cleanup", out.easy_cleanup) &&
        find(handle, "curl_slist_append", out.slist_append) &&
        find(handle, "curl_slist_free_all", out.slist_free_all) &&
        out.global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK)
      return out;
  }
  return std::nullopt;
}

const std::optional<Library>& library() {
  static const std::optional<Library> opened = open_library();
  return opened;
}

struct Exchange {
  const HttpRequest& request;
  HttpResponse response;
  bool too_large = false;
};

size_t take_body(char* data, size_t, size_t count, void* to) {
  auto& exchange = *static_cast<Exchange*>(to);
  if (exchange.response.body.size() + count > exchange.request.most_bytes) {
    exchange.too_large = true;
    return 0;
  }
  exchange.response.body.append(data, count);
  return count;
}

size_t take_header(char* data, size_t, size_t count, void* to) {
  auto& headers = static_cast<Exchange*>(to)->response.headers;
  const std::string_view line = trim(std::string_view(data, count));
  if (starts_with(line, "HTTP/")) headers.clear();  // an interim answer came before
  const size_t colon = line.find(':');
  constexpr size_t kMost = 200;
  if (colon == std::string_view::npos || headers.size() >= kMost) return count;
  std::string name(line.substr(0, colon));
  std::ranges::transform(name, name.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  headers.emplace_back(std::move(name), std::string(trim(line.substr(colon + 1))));
  return count;
}

int ask_progress(void* to, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  const auto& cancelled = static_cast<Exchange*>(to)->request.cancelled;
  return cancelled && cancelled() ? 1 : 0;
}

Failed kind_of(CURLcode code) {
  switch (code) {
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_URL_MALFORMAT: return Failed::bad_url;
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_CONNECT:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE: return Failed::unreachable;
    case CURLE_OPERATION_TIMEDOUT: return Failed::timed_out;
    case CURLE_ABORTED_BY_CALLBACK: return Failed::cancelled;
    default: return Failed::cut;
  }
}

class CurlHttp final : public Http {
 public:
  tl::expected<HttpResponse, HttpFailure> post(const HttpRequest& request) override {
    if (!library())
      return tl::unexpected(HttpFailure{Failed::unavailable,
                                        "libcurl.so.4 is not installed, so no language model can be asked"});
    const Library& curl = *library();
    const std::unique_ptr<CURL, decltype(curl.easy_cleanup)> handle(curl.easy_init(), curl.easy_cleanup);
    if (handle == nullptr) return tl::unexpected(HttpFailure{Failed::unavailable, "libcurl cannot start"});
    Exchange exchange{request, {}, false};
    curl_slist* list = nullptr;
    for (const auto& [name, value] : request.headers)
      list = curl.slist_append(list, fmt::format("{}: {}", name, value).c_str());
    // Without this a body of some size waits for an interim answer that many servers never give.
    list = curl.slist_append(list, "Expect:");
    const std::unique_ptr<curl_slist, decltype(curl.slist_free_all)> headers(list, curl.slist_free_all);
    configure(curl, handle.get(), exchange, headers.get());
    const CURLcode code = curl.easy_perform(handle.get());
    if (exchange.too_large)
      return tl::unexpected(HttpFailure{
          Failed::too_large, fmt::format("the answer has more than {} bytes", request.most_bytes)});
    if (code != CURLE_OK) return tl::unexpected(failure(curl, handle.get(), code));
    long status = 0;
    curl.easy_getinfo(handle.get(), CURLINFO_RESPONSE_CODE, &status);
    exchange.response.status = static_cast<int>(status);
    return std::move(exchange.response);
  }

 private:
  static void configure(const Library& curl, CURL* handle, Exchange& exchange, curl_slist* headers) {
    const HttpRequest& request = exchange.request;
    const auto set = [&](CURLoption option, auto value) { curl.easy_setopt(handle, option, value); };
    set(CURLOPT_URL, request.url.c_str());
    set(CURLOPT_PROTOCOLS_STR, "http,https");
    set(CURLOPT_FOLLOWLOCATION, 0L);
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_POST, 1L);
    set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
    set(CURLOPT_POSTFIELDS, request.body.data());
    set(CURLOPT_HTTPHEADER, headers);
    set(CURLOPT_USERAGENT, "ucutlass");
    set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(request.connect_deadline.count()));
    set(CURLOPT_TIMEOUT_MS, static_cast<long>(request.deadline.count()));
    set(CURLOPT_WRITEFUNCTION, &take_body);
    set(CURLOPT_WRITEDATA, static_cast<void*>(&exchange));
    set(CURLOPT_HEADERFUNCTION, &take_header);
    set(CURLOPT_HEADERDATA, static_cast<void*>(&exchange));
    set(CURLOPT_NOPROGRESS, 0L);
    set(CURLOPT_XFERINFOFUNCTION, &ask_progress);
    set(CURLOPT_XFERINFODATA, static_cast<void*>(&exchange));
  }

  // A connection that ended before anything was sent counts as one that never was; an answer that is no HTTP
  // counts as cut.
  static HttpFailure failure(const Library& curl, CURL* handle, CURLcode code) {
    HttpFailure out{kind_of(code), curl.easy_strerror(code)};
    long sent = 0;
    curl.easy_getinfo(handle, CURLINFO_REQUEST_SIZE, &sent);
    if (sent == 0 && (out.kind == Failed::timed_out || out.kind == Failed::cut))
      out.kind = Failed::unreachable;
    if (sent > 0 && out.kind == Failed::bad_url) out.kind = Failed::cut;
    return out;
  }
};

}  // namespace

std::optional<std::string> HttpResponse::header(std::string_view name) const {
  const auto found =
      std::find_if(headers.rbegin(), headers.rend(), [&](const auto& each) { return each.first == name; });
  return found == headers.rend() ? std::nullopt : std::optional(found->second);
}

Http& real_http() {
  static CurlHttp http;
  return http;
}

std::optional<std::string> http_library() {
  return library() ? std::optional(library()->name) : std::nullopt;
}

}  // namespace uc
