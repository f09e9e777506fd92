#pragma once
// Why: a language model, a person and a coding agent are asked the same things in the same words; only the
// way there differs.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/spent.h"
#include "base/result.h"

namespace uc {

enum class Role : uint8_t { system, user, assistant };
std::string_view name(Role role);

struct Message {
  Role role = Role::user;
  std::string text;
};

enum class Question : uint8_t { nominate, write };
std::string_view name(Question question);

struct AuthorRequest {
  Question question = Question::write;
  int64_t attempt = 0;  ///< number of the attempt that comes of it
  std::vector<Message> messages;
};

struct AuthorAnswer {
  std::string text;  ///< UTF-8; as it was given, with whatever stands around what was asked for
  bool cut = false;  ///< ended by a limit on its length
};

class Author {
 public:
  virtual ~Author() = default;
  /// Of the proposer that asks: "llm", "manual".
  virtual std::string_view name() const = 0;
  /// Nothing: no more is asked, since a budget is spent. Errors: nobody answers; exit code 130: not yet. An
  /// answer that is of no use is no error.
  virtual Result<std::optional<AuthorAnswer>> ask(const AuthorRequest& request) = 0;
  virtual Spent spent() const { return {}; }
};

}  // namespace uc
