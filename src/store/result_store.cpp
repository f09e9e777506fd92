// Results between a store and their text's records.
#include <fmt/format.h>

#include "store/results.h"

namespace uc::results {
namespace {

Result<Bundle> bundle_of(Store& store, const RunRecord& run) {
  Bundle out;
  out.run = run;
  auto attempts = store.attempts(run.id);
  if (!attempts) return tl::unexpected(attempts.error());
  auto lessons = store.lessons_of(run.id);
  if (!lessons) return tl::unexpected(lessons.error());
  auto exchanges = exchanges_of(store, run.id);
  if (!exchanges) return tl::unexpected(exchanges.error());
  out.attempts = std::move(*attempts);
  out.lessons = std::move(*lessons);
  out.exchanges = std::move(*exchanges);
  return out;
}

Result<> put(Store& store, const Bundle& bundle, const std::string& from) {
  RunRecord run = bundle.run;
  // What others made is never ours, whoever exported it.
  run.imported = from.empty() ? run.source : from;
  Result<> done = store.add_run(run);
  for (const AttemptRecord& each : bundle.attempts) {
    if (done) done = store.record(each);
  }
  for (const LessonRecord& each : bundle.lessons) {
    if (done) done = store.restore_lesson(each);
  }
  for (const ExchangeRecord& each : bundle.exchanges) {
    if (done) done = record_exchange(store, each);
  }
  return done;
}

// Nothing: no run has the id.
Result<std::optional<RunRecord>> stored(Store& store, const std::string& id) { return store.run_of_id(id); }

}  // namespace

Result<std::vector<Bundle>> collect(Store& store, std::span<const RunRecord> runs) {
  // A reader's transaction sees one moment, whatever is being written beside it.
  if (auto begun = store.database().script("BEGIN"); !begun) return tl::unexpected(begun.error());
  std::vector<Bundle> out;
  Result<> fine;
  for (const RunRecord& run : runs) {
    auto now = store.run_of_id(run.id);
    if (!now) fine = tl::unexpected(now.error());
    if (!fine || !*now) break;
    auto bundle = bundle_of(store, **now);
    if (!bundle) fine = tl::unexpected(bundle.error());
    if (!fine) break;
    out.push_back(std::move(*bundle));
  }
  auto ended = store.database().script("COMMIT");
  if (!fine) return tl::unexpected(fine.error());
  if (!ended) return tl::unexpected(ended.error());
  return out;
}

Result<Added> add(Store& store, std::span<const Bundle> bundles, const AddOptions& options) {
  auto transaction = Transaction::begin(store.database());
  if (!transaction) return tl::unexpected(transaction.error());
  Added out;
  for (const Bundle& each : bundles) {
    const auto there = stored(store, each.run.id);
    if (!there) return tl::unexpected(there.error());
    if (*there) {
      const auto now = bundle_of(store, **there);
      if (!now) return tl::unexpected(now.error());
      if (write(std::span(&*now, 1)) == write(std::span(&each, 1))) {
        ++out.same;
        continue;
      }
      if (!options.replace)
        return fail(fmt::format("run {} is in the store already, with other contents ({} attempts there, {} "
                                "in the file); nothing was imported",
                                each.run.id, now->attempts.size(), each.attempts.size()),
                    "--replace takes the file's; or import into another store: --store FILE");
      if (auto gone = store.forget_run(each.run.id); !gone) return tl::unexpected(gone.error());
    }
    if (auto done = put(store, each, options.from); !done) return tl::unexpected(done.error());
    ++(*there ? out.replaced : out.added);
  }
  if (auto done = transaction->commit(); !done) return tl::unexpected(done.error());
  return out;
}

}  // namespace uc::results
