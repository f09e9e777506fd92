#include "cli/attempt_logs.h"

#include <fmt/format.h>
#include <memory>
#include <ostream>
#include <set>

#include "agent/logged_run.h"
#include "cli/output.h"
#include "cli/stored_runs.h"
#include "platform/files.h"

namespace uc::cli {
namespace {

class Reader {
 public:
  Reader(const Context& context, const std::string& store_file)
      : context_(context), store_file_(store_file) {}

  Result<schedule::AttemptLog> read(const std::string& name) {
    if (name != "-" && !context_.files.exists(name)) return run(name);
    const auto text = read_input(context_, name);
    if (!text) return tl::unexpected(text.error());
    return schedule::read_log(*text, name == "-" ? "standard input" : name);
  }

 private:
  Result<schedule::AttemptLog> run(const std::string& id) {
    const auto neither = [&](const std::string& why) {
      return fail(fmt::format("{} is no file, and no run of the store: {}", id, why),
                  "name a file of JSON lines, or a run: `ucutlass show` lists them", kUsage);
    };
    if (auto opened = open(); !opened) return neither(opened.error().message);
    const auto found = store_->find_run(id);
    if (!found) return neither(found.error().message);
    if (!found->source.empty())
      return fail(fmt::format("run {} is {}'s: nobody here has proven it, and it has no bound", found->id,
                              found->source),
                  fmt::format("`ucutlass show {}` shows it", found->id), kUsage);
    if (!found->imported.empty())
      context_.err << fmt::format("run {} was imported from {}: nothing of it is proven here\n", found->id,
                                  found->imported);
    const auto attempts = store_->attempts(found->id);
    if (!attempts) return tl::unexpected(attempts.error());
    const auto exchanges = exchanges_of(*store_, found->id);
    if (!exchanges) return tl::unexpected(exchanges.error());
    auto problem = logged(*found, *attempts, *exchanges);
    if (!problem) return tl::unexpected(problem.error());
    return schedule::AttemptLog{std::move(*problem)};
  }

  Result<> open() {
    if (store_ != nullptr) return {};
    auto store = open_stored_runs(context_, store_file_);
    if (!store) return tl::unexpected(store.error());
    store_ = std::move(*store);
    return {};
  }

  const Context& context_;
  const std::string& store_file_;
  std::unique_ptr<Store> store_;
};

}  // namespace

Result<schedule::AttemptLog> read_attempt_logs(const Context& context, std::span<const std::string> names,
                                               const std::string& store_file) {
  schedule::AttemptLog out;
  std::set<std::string> known;
  Reader reader(context, store_file);
  for (const std::string& name : names) {
    auto log = reader.read(name);
    if (!log) return log;
    for (schedule::LoggedProblem& each : *log) {
      if (!known.insert(each.name).second)
        return fail(fmt::format("{} holds `{}`, and so did what was named before", name, each.name),
                    "name each problem's attempts once", kUsage);
      out.push_back(std::move(each));
    }
  }
  return out;
}

}  // namespace uc::cli
