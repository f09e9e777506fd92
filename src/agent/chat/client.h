#pragma once
// Why: an endpoint is slow, busy, cut off or wrong now and then. What a request comes to in the end, what it
// cost and what was said is settled here, once.
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/artefacts.h"
#include "agent/author.h"
#include "agent/chat/caps.h"
#include "agent/chat/protocol.h"
#include "platform/clock.h"
#include "platform/http.h"
#include "store/exchanges.h"

namespace uc {

/// All references outlive what uses it.
struct ChatWorld {
  Http& http;
  Clock& clock;
  Store& store;
  std::string run;  ///< id
  std::string key;  ///< empty: none is sent. Never stored, and taken out of whatever is
  std::function<void(const std::string&)> progress;
  std::function<bool()> cancelled;  ///< may be empty
  Artefacts* artefacts = nullptr;   ///< where transcripts go too; null: nowhere
};

/// What a request is for.
struct ChatPurpose {
  Question question = Question::write;
  int64_t attempt = 0;
};

class ChatClient {
 public:
  ChatClient(const ChatWorld& world, Endpoint endpoint, Caps caps);

  /// Asks until there is an answer. Tried again, after a pause that grows or that the endpoint asks for: no
  /// connection, one that is cut or takes too long, status 408, 409, 425, 429 and 5xx, an answer that is no
  /// chat completion or an empty one. What was stored of this run is taken from there. Nothing: a cap is
  /// reached. Errors: the endpoint refuses, or does not answer at all; exit code 130: cancelled.
  Result<std::optional<ChatAnswer>> ask(ChatRequest request, const ChatPurpose& purpose);

  const Spent& spent() const { return spent_; }
  const Endpoint& endpoint() const { return endpoint_; }

 private:
  /// What one exchange came to.
  struct Tried {
    std::optional<ChatAnswer> answer;
    std::string failure;       ///< a line; empty when there is an answer
    std::optional<Error> end;  ///< no use in trying again
    Millis wait{0};            ///< what the endpoint asks for; 0: nothing
    bool again = false;        ///< at once, in another dialect
    bool billed = false;       ///< may have been served
    std::string body;          ///< as it came
  };

  Result<> load();
  std::optional<ChatAnswer> stored(const std::string& body);
  const ExchangeRecord& take_stored();
  Tried exchange(const std::string& body);
  void judge(const HttpResponse& response, Tried& tried);
  void judge_refusal(const HttpResponse& response, Tried& tried);
  bool change_dialect(const HttpResponse& response);
  Result<ExchangeRecord> begin(const std::string& body, const ChatRequest& request,
                               const ChatPurpose& purpose);
  Result<> keep(const Tried& tried, ExchangeRecord record);
  Result<> pause(int try_number, const Tried& tried);
  std::string redact(std::string text) const;
  bool cancelled() const { return world_.cancelled && world_.cancelled(); }

  ChatWorld world_;
  Endpoint endpoint_;
  Caps caps_;
  Dialect dialect_;
  Spent spent_;
  bool loaded_ = false;
  std::vector<ExchangeRecord> stored_;
  size_t next_stored_ = 0;
  int64_t number_ = 0;
};

/// The pause that a header Retry-After (seconds or a date) or retry-after-ms asks for; nothing: neither is
/// there or can be read. `now`: seconds since 1970.
std::optional<Millis> asked_pause(const HttpResponse& response, double now);

}  // namespace uc
