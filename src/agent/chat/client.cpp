#include "agent/chat/client.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "agent/proposers/answers.h"
#include "agent/records.h"
#include "base/hash.h"
#include "base/text.h"

namespace uc {
namespace {

using Failed = HttpFailure::Kind;

constexpr int kCancelled = 130;
constexpr double kFirstPause = 1.0;    // seconds
constexpr double kMostPause = 60.0;    // seconds, of our own
constexpr Millis kMostAsked{600'000};  // what an endpoint may ask for
constexpr Millis kSlice{200};          // between looks at whether the user gave up

// Requests are the same when the model reads the same: limits on the answer may differ when a run is resumed.
std::string essence(const std::string& body) {
  const auto json = nlohmann::ordered_json::parse(body, nullptr, false);
  if (!json.is_object()) return body;
  return json.value("model", std::string()) + json.value("messages", nlohmann::ordered_json()).dump();
}

bool is_busy(int status) {
  return status == 408 || status == 409 || status == 425 || status == 429 || status >= 500;
}

// Of [0.5, 1): so that many runs do not all come back at once.
double jitter(const std::string& run, int64_t number) {
  const std::string digits = content_hash(fmt::format("{}/{}", run, number)).substr(0, 6);
  return 0.5 + 0.5 * static_cast<double>(std::stoul(digits, nullptr, 16)) / 16777216.0;
}

std::optional<double> number_in(const std::optional<std::string>& text) {
  if (!text || text->empty()) return std::nullopt;
  char* end = nullptr;
  const double value = std::strtod(text->c_str(), &end);
  return *end == '\0' && std::isfinite(value) && value >= 0 ? std::optional(value) : std::nullopt;
}

Millis millis(double seconds) { return Millis(static_cast<int64_t>(std::min(seconds, 1e9) * 1e3)); }

}  // namespace

std::optional<Millis> asked_pause(const HttpResponse& response, double now) {
  if (const auto ms = number_in(response.header("retry-after-ms"))) return millis(*ms / 1e3);
  const auto header = response.header("retry-after");
  if (const auto seconds = number_in(header)) return millis(*seconds);
  std::tm date{};
  if (!header || strptime(header->c_str(), "%a, %d %b %Y %H:%M:%S GMT", &date) == nullptr)
    return std::nullopt;
  return millis(std::max(0.0, static_cast<double>(timegm(&date)) - now));
}

ChatClient::ChatClient(const ChatWorld& world, Endpoint endpoint, Caps caps)
    : world_(world), endpoint_(std::move(endpoint)), caps_(caps) {}

Result<> ChatClient::load() {
  if (loaded_) return {};
  auto records = exchanges_of(world_.store, world_.run);
  if (!records) return tl::unexpected(records.error());
  stored_ = std::move(*records);
  loaded_ = true;
  return {};
}

const ExchangeRecord& ChatClient::take_stored() {
  const ExchangeRecord& out = stored_[next_stored_++];
  number_ = out.number;
  spent_ += spent_on(out);
  return out;
}

// What an earlier process was answered, and what its failures cost.
std::optional<ChatAnswer> ChatClient::stored(const std::string& body) {
  const std::string wanted = essence(body);
  std::optional<ChatAnswer> gave_up;  // what it went on with after failures
  while (next_stored_ < stored_.size() && essence(stored_[next_stored_].request) == wanted) {
    const ExchangeRecord& each = take_stored();
    auto answer = parse_answer(each.response);
    if (answer && each.failure.empty()) return std::move(*answer);
    gave_up =
        answer ? std::move(*answer) : ChatAnswer{.text = {}, .finish = "length", .calls = {}, .usage = {}};
  }
  if (next_stored_ == stored_.size()) return std::nullopt;
  if (gave_up) return gave_up;
  // Another request than then: from here on the run is another one. What the rest cost is spent all the same.
  while (next_stored_ < stored_.size()) take_stored();
  return std::nullopt;
}

Result<std::optional<ChatAnswer>> ChatClient::ask(ChatRequest request, const ChatPurpose& purpose) {
  if (auto ready = load(); !ready) return tl::unexpected(ready.error());
  request.answer_tokens = endpoint_.answer_tokens;
  if (auto before = stored(chat_body(endpoint_, request, dialect_))) return before;
  Tried tried;
  for (int count = 1; count <= endpoint_.tries; ++count) {
    const Reservation reserved = reserve(caps_, endpoint_, spent_, most_prompt_tokens(request));
    if (!reserved.refusal.empty()) {
      world_.progress(reserved.refusal);
      return std::nullopt;
    }
    request.answer_tokens = reserved.answer_tokens;
    const std::string body = chat_body(endpoint_, request, dialect_);
    auto record = begin(body, request, purpose);
    if (!record) return tl::unexpected(record.error());
    tried = exchange(body);
    if (auto kept = keep(tried, std::move(*record)); !kept) return tl::unexpected(kept.error());
    if (tried.end) return tl::unexpected(*tried.end);
    if (tried.answer && !tried.answer->empty()) return std::move(tried.answer);
    if (tried.again) {
      --count;  // the same question in another dialect, of which there are few
      continue;
    }
    if (count == endpoint_.tries) continue;
    if (auto waited = pause(count, tried); !waited) return tl::unexpected(waited.error());
  }
  // Nothing to read, again and again, is an answer too.
  if (tried.answer) return std::move(tried.answer);
  return fail(fmt::format("the endpoint does not answer after {} tries: {}", endpoint_.tries, tried.failure),
              "try again later; what was done is kept");
}

ChatClient::Tried ChatClient::exchange(const std::string& body) {
  HttpRequest request;
  request.url = endpoint_.base_url + "/chat/completions";
  request.headers = {{"Content-Type", "application/json"}, {"Accept", "application/json"}};
  if (!world_.key.empty()) request.headers.emplace_back("Authorization", "Bearer " + world_.key);
  request.body = body;
  request.deadline = millis(static_cast<double>(endpoint_.deadline_s));
  request.cancelled = world_.cancelled;
  auto got = world_.http.post(request);
  Tried out;
  if (got) {
    out.body = redact(valid_utf8(got->body));
    judge(*got, out);
    return out;
  }
  out.failure = redact(got.error().message);
  switch (got.error().kind) {
    case Failed::cancelled:
      out.end = Error{"interrupted while the model was asked", "", kCancelled};
      out.billed = true;
      break;
    case Failed::unavailable: out.end = Error{out.failure, "apt-get install libcurl4", 3}; break;
    case Failed::bad_url: out.end = Error{out.failure, "see --base-url", 2}; break;
    case Failed::too_large:
      // It would be as large again.
      out.answer = ChatAnswer{.text = {}, .finish = "length", .calls = {}, .usage = {}};
      out.billed = true;
      break;
    case Failed::unreachable: break;
    case Failed::timed_out:
    case Failed::cut: out.billed = true; break;
  }
  return out;
}

void ChatClient::judge(const HttpResponse& response, Tried& tried) {
  if (response.status != 200) return judge_refusal(response, tried);
  tried.billed = true;
  auto answer = parse_answer(response.body);
  if (!answer) {
    tried.failure = redact(answer.error());
    return;
  }
  if (answer->empty()) tried.failure = "the answer is empty";
  tried.answer = std::move(*answer);
}

void ChatClient::judge_refusal(const HttpResponse& response, Tried& tried) {
  const Complaint complaint = parse_complaint(response.body);
  const std::string said = redact(complaint.message.empty() ? "" : ": " + complaint.message);
  tried.failure = fmt::format("status {}{}", response.status, said);
  const auto end = [&](std::string message, std::string help) {
    tried.end = Error{std::move(message), std::move(help), 1};
  };
  const int status = response.status;
  if (status >= 300 && status < 400) {
    return end(
        fmt::format("the endpoint is elsewhere: {}",
                    redact(one_line(response.header("location").value_or("it does not say where"), 200))),
        "if you trust that place, give it with --base-url");
  }
  if (status == 401 || status == 403) {
    return end(fmt::format("the endpoint refuses ({}){}", status, said),
               endpoint_.key_env.empty() ? "name the environment variable with the key: --key-env NAME"
                                         : fmt::format("is the key in ${} right?", endpoint_.key_env));
  }
  if (complaint.code == "insufficient_quota")
    return end(fmt::format("the endpoint's account is empty{}", said), "");
  if (is_busy(status)) {
    tried.wait = asked_pause(response, world_.clock.wall_seconds()).value_or(Millis(0));
    if (tried.wait > kMostAsked)
      end(fmt::format("the endpoint asks to wait {} seconds{}", tried.wait.count() / 1000, said),
          "go on with the run then");
    return;
  }
  if (status == 400 && change_dialect(response)) {
    tried.again = true;
    return;
  }
  end(fmt::format("the endpoint refuses the request ({}){}", status, said),
      status == 404 ? "are --base-url (with /v1, where the endpoint has it) and --model right?"
                    : "does it know the model, and what the settings ask for (tools, grammar, extra)?");
}

// Models differ in what they call the limit on an answer, and some take no temperature.
bool ChatClient::change_dialect(const HttpResponse& response) {
  const std::string& body = response.body;
  if (!dialect_.completion_limit && body.find("max_completion_tokens") != std::string::npos)
    return dialect_.completion_limit = true;
  if (dialect_.temperature && endpoint_.temperature && body.find("temperature") != std::string::npos) {
    dialect_.temperature = false;
    return true;
  }
  return false;
}

// Before anything is sent, as an exchange that may have been served: a process that is killed meanwhile has
// spent no more than its store says.
Result<ExchangeRecord> ChatClient::begin(const std::string& body, const ChatRequest& request,
                                         const ChatPurpose& purpose) {
  ExchangeRecord out;
  out.run = world_.run;
  out.number = ++number_;
  out.attempt = purpose.attempt;
  out.kind = name(purpose.question);
  out.model = endpoint_.model;
  out.request = redact(body);
  out.failure = "no answer came before the program ended";
  out.prompt_tokens = most_prompt_tokens(request);
  out.answer_tokens = request.answer_tokens;
  out.estimated = true;
  out.usd = cost(endpoint_.price, out.prompt_tokens, out.answer_tokens);
  out.started = world_.clock.wall_seconds();
  if (auto done = record_exchange(world_.store, out); !done) return tl::unexpected(done.error());
  return out;
}

Result<> ChatClient::keep(const Tried& tried, ExchangeRecord record) {
  record.response = tried.body;
  record.failure = tried.failure;
  record.ended = world_.clock.wall_seconds();
  if (tried.answer && tried.answer->usage) {
    record.prompt_tokens = tried.answer->usage->prompt;
    record.answer_tokens = tried.answer->usage->answer;
    record.estimated = false;
  } else if (!tried.billed) {
    record.prompt_tokens = record.answer_tokens = 0;
    record.estimated = false;
  }
  record.usd = cost(endpoint_.price, record.prompt_tokens, record.answer_tokens);
  spent_ += spent_on(record);
  if (world_.artefacts != nullptr) {
    const std::string stem = fmt::format("exchanges/{:03}-{}", record.number, record.kind);
    world_.artefacts->write(stem + ".request.json", record.request + "\n");
    world_.artefacts->write(stem + ".response.json",
                            (record.response.empty() ? record.failure : record.response) + "\n");
  }
  return record_exchange(world_.store, record);
}

Result<> ChatClient::pause(int try_number, const Tried& tried) {
  Millis left = tried.wait;
  if (left.count() == 0) {
    const double own = std::min(kFirstPause * std::exp2(try_number - 1), kMostPause);
    left = millis(own * jitter(world_.run, number_));
  }
  world_.progress(fmt::format("the model does not answer ({}); again in {:.1f} s", tried.failure,
                              static_cast<double>(left.count()) / 1e3));
  while (left.count() > 0) {
    if (cancelled()) return fail("interrupted while waiting for the model", "", kCancelled);
    const Millis slice = std::min(left, kSlice);
    world_.clock.sleep(slice);
    left -= slice;
  }
  return {};
}

std::string ChatClient::redact(std::string text) const {
  return world_.key.empty() ? text : replace_all(std::move(text), world_.key, "[key]");
}

}  // namespace uc
