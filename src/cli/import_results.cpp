#include "cli/import_results.h"

#include <charconv>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <ostream>

#include "cli/output.h"
#include "platform/files.h"
#include "platform/lock.h"
#include "store/foreign.h"
#include "store/place.h"
#include "store/results.h"

namespace uc::cli {
namespace {

using results::Added;
using results::Bundle;

// Names as the captures of a checkout have them; where there is none, problems are called L1/23.
std::map<int64_t, std::string> names_of(const Context& context, const ImportResults& given) {
  std::map<int64_t, std::string> out;
  const auto files = context.files.list(fmt::format("{}/level{}", given.corpus, given.level));
  if (!files) return out;
  for (const std::string& file : *files) {
    int64_t id = 0;
    const auto [end, error] = std::from_chars(file.data(), file.data() + file.size(), id);
    if (error == std::errc() && *end == '_' && file.ends_with(".json"))
      out[id] = file.substr(0, file.size() - 5);
  }
  return out;
}

Result<std::vector<Bundle>> read(const Context& context, const ImportResults& given,
                                 const std::string& text) {
  const std::string file = given.path == "-" ? "standard input" : given.path;
  if (given.format.empty()) return results::read(text, file);
  const results::ForeignFormat* format = results::find_foreign(given.format);
  if (format->levels && given.level.empty())
    return fail("KernelBench's file does not say of which level it is", "--level 1, 2, 3 or 4", kUsage);
  if (!format->levels && !given.level.empty())
    return fail(fmt::format("--level goes with --from kernelbench, not with {}", given.format), {}, kUsage);
  results::ForeignOptions options;
  if (format->levels) options = {given.level.front() - '0', names_of(context, given)};
  return format->read(text, file, options);
}

// A run that is being worked on here may not be taken away under whoever does.
Result<std::vector<std::unique_ptr<Lock>>> locks_of(const std::vector<Bundle>& bundles) {
  std::vector<std::unique_ptr<Lock>> out;
  for (const Bundle& each : bundles) {
    auto lock = file_locks()->acquire("run-" + each.run.id, Millis(0));
    if (!lock)
      return fail(fmt::format("run {} is being worked on by another process", each.run.id),
                  "wait for it, or leave out --replace");
    out.push_back(std::move(*lock));
  }
  return out;
}

void show(const Context& context, const ImportResults& given, const std::vector<Bundle>& bundles,
          const Added& added) {
  size_t attempts = 0, unproven = 0;
  for (const Bundle& each : bundles) {
    attempts += each.attempts.size();
    for (const AttemptRecord& attempt : each.attempts) unproven += attempt.label == "unproven" ? 1U : 0U;
  }
  if (given.json) {
    nlohmann::ordered_json runs = nlohmann::ordered_json::array();
    for (const Bundle& each : bundles)
      runs.push_back(
          {{"run", each.run.id}, {"problem", each.run.problem}, {"attempts", each.attempts.size()}});
    context.out << nlohmann::ordered_json{{"schema", "ucutlass.imported/1"},
                                          {"source", given.format.empty() ? "ucutlass" : given.format},
                                          {"proven", given.trust},
                                          {"added", added.added},
                                          {"replaced", added.replaced},
                                          {"there_already", added.same},
                                          {"attempts", attempts},
                                          {"unproven", unproven},
                                          {"runs", std::move(runs)}}
                       .dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace)
                << "\n";
    return;
  }
  context.out << fmt::format("{} runs with {} attempts: {} added, {} replaced, {} there already\n",
                             bundles.size(), attempts, added.added, added.replaced, added.same);
  if (!given.trust) context.out << "They are marked as imported: nothing of them counts as proven here.\n";
}

Result<Added> add(const Context& context, const ImportResults& given, const std::vector<Bundle>& bundles) {
  const auto path = store_path(context.environment, given.store);
  if (!path) return tl::unexpected(path.error());
  auto store = Store::open(*path, context.clock);
  if (!store) return tl::unexpected(store.error());
  std::vector<std::unique_ptr<Lock>> held;
  if (given.replace) {
    auto locks = locks_of(bundles);
    if (!locks) return tl::unexpected(locks.error());
    held = std::move(*locks);
  }
  const std::string from = given.path == "-" ? "standard input" : given.path;
  return results::add(**store, bundles, {given.trust ? std::string() : from, given.replace});
}

}  // namespace

bool holds_results(const Context& context, const std::string& path) {
  if (path.ends_with(".py") || !context.files.exists(path)) return false;
  const auto text = context.files.read(path);
  return text && results::is_results(*text);
}

std::string foreign_hint(const Context& context, const std::string& path) {
  if (path.ends_with(".py") || !context.files.exists(path)) return {};
  const auto text = context.files.read(path);
  const std::string_view format = text ? results::looks_like(*text) : std::string_view();
  if (format.empty()) return {};
  return fmt::format("it looks like results of {}: say --from {}{}", format, format,
                     results::find_foreign(format)->levels ? " --level N" : "");
}

int import_results(const Context& context, const ImportResults& given) {
  if (given.trust && !given.format.empty())
    return report(context,
                  Error{fmt::format("results of {} cannot be trusted as ours: our judge has not seen them",
                                    given.format),
                        "leave out --trust", kUsage},
                  given.json);
  const auto text = read_input(context, given.path);
  if (!text) return report(context, text.error(), given.json);
  const auto bundles = read(context, given, *text);
  if (!bundles) return report(context, bundles.error(), given.json);
  const auto added = add(context, given, *bundles);
  if (!added) return report(context, added.error(), given.json);
  show(context, given, *bundles, *added);
  return kDone;
}

}  // namespace uc::cli
