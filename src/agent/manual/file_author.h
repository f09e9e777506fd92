#pragma once
// Why: a person or a coding agent as an author: each request is a file, the answer another one beside it. All
// that was asked and answered stays there, so a run goes on where it was by reading them again.
#include <functional>
#include <string>

#include "agent/author.h"
#include "platform/clock.h"
#include "platform/files.h"

namespace uc {

/// All references outlive the author.
struct FileExchange {
  Files& files;
  Clock& clock;
  std::string folder;
  Millis wait{0};                   ///< for an answer; 0: none, the run stops and is saved
  std::function<bool()> cancelled;  ///< asked while it waits; may be empty
  std::function<void(const std::string&)> progress;
};

/// A request that has no answer yet.
struct PendingRequest {
  std::string question;      ///< nominate, write
  std::string request_file;  ///< FOLDER/NNN-QUESTION.request.md
  std::string answer_file;   ///< FOLDER/NNN-QUESTION.answer.md; .uc holds a program and nothing else
  std::string text;          ///< of the request
};

class FileAuthor final : public Author {
 public:
  explicit FileAuthor(FileExchange exchange) : exchange_(std::move(exchange)) {}

  std::string_view name() const override { return "manual"; }
  /// Errors: the folder cannot be used; exit code 130: no answer yet, see pending().
  Result<std::optional<AuthorAnswer>> ask(const AuthorRequest& request) override;
  /// What the last ask() found no answer to; nothing after one that did.
  const std::optional<PendingRequest>& pending() const { return pending_; }

 private:
  Result<PendingRequest> place(const AuthorRequest& request);
  std::optional<std::string> answer_to(const PendingRequest& request) const;

  FileExchange exchange_;
  int64_t number_ = 0;
  std::optional<PendingRequest> pending_;
};

/// The newest request of a folder without an answer; nothing when there is none.
std::optional<PendingRequest> find_pending(Files& files, const std::string& folder);

}  // namespace uc
