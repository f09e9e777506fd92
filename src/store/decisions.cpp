#include "store/decisions.h"

namespace uc {

Result<> record_decision(Store& store, const DecisionRecord& d) {
  auto done = store.database().query(
      "INSERT OR REPLACE INTO decisions (sweep, number, policy, run, attempt, time_us, cost) VALUES "
      "(?1,?2,?3,?4,?5,?6,?7)",
      {d.sweep, d.number, d.policy, d.run, d.attempt, d.time_us, d.cost});
  if (!done) return tl::unexpected(done.error());
  return {};
}

Result<std::vector<DecisionRecord>> decisions_of(Store& store, const std::string& sweep) {
  auto table = store.database().query("SELECT 1 FROM sqlite_master WHERE name = 'decisions'");
  if (!table) return tl::unexpected(table.error());
  std::vector<DecisionRecord> out;
  if (table->empty()) return out;
  auto rows = store.database().query(
      "SELECT number, policy, run, attempt, time_us, cost FROM decisions WHERE sweep = ?1 ORDER BY number",
      {sweep});
  if (!rows) return tl::unexpected(rows.error());
  for (const SqlRow& row : *rows)
    out.push_back(
        {sweep, row.integer(0), row.text(1), row.text(2), row.integer(3), row.real(4), row.real(5)});
  return out;
}

}  // namespace uc
