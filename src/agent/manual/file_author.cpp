#include "agent/manual/file_author.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "agent/proposers/template.h"
#include "base/text.h"

namespace uc {
namespace {

constexpr std::string_view kRequest = ".request.md";
constexpr std::array<std::string_view, 3> kAnswers{".answer.md", ".answer.uc", ".answer.json"};
constexpr Millis kTick{500};
constexpr int kNotYet = 130;

std::string request_text(const AuthorRequest& request) {
  std::string out;
  for (const Message& each : request.messages) {
    if (each.role == Role::assistant) out += "# Your last answer\n\n";
    out += each.text + (each.text.ends_with('\n') ? "\n" : "\n\n");
  }
  return out;
}

std::string stem_of(const std::string& request_file) {
  return request_file.substr(0, request_file.size() - kRequest.size());
}

PendingRequest at(const std::string& folder, const std::string& stem, std::string_view question) {
  const std::string path = folder + "/" + stem;
  return {std::string(question), path + std::string(kRequest), path + std::string(kAnswers[0]), {}};
}

// A file of programs alone is a program, whatever it holds.
std::optional<std::string> answer_beside(Files& files, const std::string& stem) {
  for (const std::string_view ending : kAnswers) {
    const std::string path = stem + std::string(ending);
    if (!files.exists(path)) continue;
    auto text = files.read(path);
    if (!text || trim(*text).empty()) continue;
    return ending == ".answer.uc" ? fenced("uc", *text) : std::move(*text);
  }
  return std::nullopt;
}

}  // namespace

// An answer belongs to the request beside it: where that is another one than now, the next number is taken.
Result<PendingRequest> FileAuthor::place(const AuthorRequest& request) {
  Files& files = exchange_.files;
  if (auto made = files.make_folder(exchange_.folder); !made) return tl::unexpected(made.error());
  const std::string text = request_text(request);
  for (;;) {
    const std::string_view question = uc::name(request.question);
    PendingRequest out = at(exchange_.folder, fmt::format("{:03}-{}", ++number_, question), question);
    out.text = text;
    if (!files.exists(out.request_file)) {
      if (auto written = files.write(out.request_file, text); !written)
        return tl::unexpected(written.error());
      return out;
    }
    const auto there = files.read(out.request_file);
    if (!there) return tl::unexpected(there.error());
    if (*there == text) return out;
  }
}

std::optional<std::string> FileAuthor::answer_to(const PendingRequest& request) const {
  return answer_beside(exchange_.files, stem_of(request.request_file));
}

Result<std::optional<AuthorAnswer>> FileAuthor::ask(const AuthorRequest& request) {
  pending_.reset();
  auto placed = place(request);
  if (!placed) return tl::unexpected(placed.error());
  auto answer = answer_to(*placed);
  if (!answer && exchange_.wait.count() > 0)
    exchange_.progress(
        fmt::format("waiting for {} (the request: {})", placed->answer_file, placed->request_file));
  for (Millis left = exchange_.wait; !answer && left.count() > 0; left -= kTick) {
    if (exchange_.cancelled && exchange_.cancelled()) break;
    exchange_.clock.sleep(kTick);
    const auto first = answer_to(*placed);
    // What an editor is still writing changes until the next look.
    if (first) exchange_.clock.sleep(kTick);
    if (first && first == answer_to(*placed)) answer = first;
  }
  if (answer) return AuthorAnswer{std::move(*answer), false};
  pending_ = std::move(*placed);
  return fail("no answer yet", fmt::format("write {}", pending_->answer_file), kNotYet);
}

std::optional<PendingRequest> find_pending(Files& files, const std::string& folder) {
  const auto names = files.list(folder);
  if (!names) return std::nullopt;
  for (auto each = names->rbegin(); each != names->rend(); ++each) {
    if (!each->ends_with(kRequest)) continue;
    const std::string stem = stem_of(*each);
    if (answer_beside(files, folder + "/" + stem)) return std::nullopt;
    const size_t dash = stem.find('-');
    PendingRequest out = at(folder, stem, dash == std::string::npos ? "write" : stem.substr(dash + 1));
    if (auto text = files.read(out.request_file)) out.text = std::move(*text);
    return out;
  }
  return std::nullopt;
}

}  // namespace uc
