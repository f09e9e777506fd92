#include "store/exchanges.h"

#include <fmt/format.h>

namespace uc {
namespace {

constexpr std::string_view kColumns =
    "run, number, attempt, kind, model, request, response, failure, prompt_tokens, answer_tokens, usd, "
    "estimated, started, ended";

ExchangeRecord exchange_of(const SqlRow& row) {
  ExchangeRecord out;
  size_t at = 0;
  out.run = row.text(at++);
  out.number = row.integer(at++);
  out.attempt = row.integer(at++);
  for (std::string* text : {&out.kind, &out.model, &out.request, &out.response, &out.failure})
    *text = row.text(at++);
  out.prompt_tokens = row.integer(at++);
  out.answer_tokens = row.integer(at++);
  out.usd = row.real(at++);
  out.estimated = row.integer(at++) != 0;
  out.started = row.real(at++);
  out.ended = row.real(at);
  return out;
}

}  // namespace

Result<> record_exchange(Store& store, const ExchangeRecord& e) {
  auto done = store.database().query(
      fmt::format(
          "INSERT OR REPLACE INTO exchanges ({}) VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14)",
          kColumns),
      {e.run, e.number, e.attempt, e.kind, e.model, e.request, e.response, e.failure, e.prompt_tokens,
       e.answer_tokens, e.usd, static_cast<int64_t>(e.estimated ? 1 : 0), e.started, e.ended});
  if (!done) return tl::unexpected(done.error());
  return {};
}

Result<std::vector<ExchangeRecord>> exchanges_of(Store& store, const std::string& run) {
  auto table = store.database().query("SELECT 1 FROM sqlite_master WHERE name = 'exchanges'");
  if (!table) return tl::unexpected(table.error());
  std::vector<ExchangeRecord> out;
  if (table->empty()) return out;
  auto rows = store.database().query(
      fmt::format("SELECT {} FROM exchanges WHERE run = ?1 ORDER BY number", kColumns), {run});
  if (!rows) return tl::unexpected(rows.error());
  for (const SqlRow& row : *rows) out.push_back(exchange_of(row));
  return out;
}

}  // namespace uc
