// The file of a calibration: schema ucutlass.calibration/1 (docs/schemas/calibration.schema.json).
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "sol/calibration.h"

namespace uc {
namespace {

using nlohmann::ordered_json;

constexpr std::string_view kSchema = "ucutlass.calibration/1";

/// Reads fields of one object; the first that is wrong is kept.
class Reader {
 public:
  Reader(const ordered_json& from, std::string place, std::string& wrong)
      : from_(from), place_(std::move(place)), wrong_(wrong) {
    if (!from.is_object()) fail("", "is no object");
  }

  void text(const char* key, std::string& to, bool required = false) {
    const ordered_json* value = find(key, required);
    if (value == nullptr) return;
    if (!value->is_string() || (required && value->get_ref<const std::string&>().empty())) {
      fail(key, "is no text");
    } else {
      to = value->get<std::string>();
    }
  }

  void number(const char* key, double& to, bool required = false) {
    const ordered_json* value = find(key, required);
    if (value == nullptr) return;
    const double read = value->is_number() ? value->get<double>() : -1;
    // No device's rate, clock or time is near these ends.
    const double low = required ? 1e-6 : 0;
    if (!(read >= low && read <= 1e9)) {
      fail(key, fmt::format("is no number from {:g} to 1e9", low));
    } else {
      to = read;
    }
  }

  template <class Row, class Fill>
  void rows(const char* key, std::vector<Row>& to, Fill fill) {
    const ordered_json* value = find(key, false);
    if (value == nullptr) return;
    if (!value->is_array()) return fail(key, "is no array");
    for (size_t i = 0; i < value->size(); ++i) {
      Reader reader((*value)[i], fmt::format("{}{}[{}].", place_, key, i), wrong_);
      Row row;
      if (wrong_.empty()) fill(reader, row);
      to.push_back(std::move(row));
    }
  }

 private:
  const ordered_json* find(const char* key, bool required) {
    if (!wrong_.empty()) return nullptr;
    const auto found = from_.find(key);
    if (found != from_.end()) return &*found;
    if (required) fail(key, "is missing");
    return nullptr;
  }

  void fail(std::string_view key, std::string_view why) {
    if (wrong_.empty()) wrong_ = fmt::format("`{}{}` {}", place_, key, why);
  }

  const ordered_json& from_;
  std::string place_;
  std::string& wrong_;
};

void read_seen(Reader& reader, SeenRate& row) {
  reader.text("what", row.what, true);
  reader.number("best", row.best, true);
  reader.number("median", row.median);
  reader.text("shape", row.shape);
  reader.text("data", row.data);
  reader.text("by", row.by);
  reader.number("sm_mhz", row.sm_mhz);
}

void read_raised(Reader& reader, RaisedRate& row) {
  reader.text("unit", row.unit, true);
  reader.number("was", row.was);
  reader.number("now", row.now, true);
  reader.number("time_us", row.time_us, true);
  reader.text("program", row.program);
  reader.text("date", row.date);
}

ordered_json seen_json(const std::vector<SeenRate>& seen) {
  ordered_json out = ordered_json::array();
  for (const SeenRate& each : seen) {
    ordered_json row = {{"what", each.what}, {"best", each.best}};
    if (each.median > 0) row["median"] = each.median;
    if (!each.shape.empty()) row["shape"] = each.shape;
    if (!each.data.empty()) row["data"] = each.data;
    if (!each.by.empty()) row["by"] = each.by;
    if (each.sm_mhz > 0) row["sm_mhz"] = each.sm_mhz;
    out.push_back(std::move(row));
  }
  return out;
}

}  // namespace

Result<Calibration> parse_calibration(std::string_view json) {
  const auto from = ordered_json::parse(json, nullptr, false);
  const auto wrong_file = [](std::string why) {
    return fail("no calibration: " + std::move(why),
                "`ucutlass calibrate` writes one; its form: docs/schemas/calibration.schema.json");
  };
  if (!from.is_object()) return wrong_file("it is no JSON object");
  if (from.value("schema", ordered_json()) != ordered_json(kSchema))
    return wrong_file(fmt::format("its `schema` is not \"{}\"", kSchema));
  Calibration out;
  std::string wrong;
  Reader reader(from, "", wrong);
  reader.text("device", out.device, true);
  reader.text("gpu", out.gpu);
  reader.text("driver", out.driver);
  reader.text("date", out.date);
  reader.text("source", out.source);
  reader.number("sm_mhz", out.sm_mhz);
  reader.number("dram_mhz", out.dram_mhz);
  reader.number("launch_us", out.launch_us);
  reader.rows("memory", out.memory, read_seen);
  reader.rows("pipes", out.pipes, read_seen);
  reader.rows("products", out.products, read_seen);
  reader.rows("raised", out.raised, read_raised);
  for (const SeenRate& each : out.products) {
    if (wrong.empty() && !parse_math(each.what))
      wrong = fmt::format("`products` has `{}`, which is no way to multiply", each.what);
  }
  if (!wrong.empty()) return wrong_file(wrong);
  return out;
}

std::string calibration_json(const Calibration& calibration) {
  ordered_json out = {{"schema", kSchema},
                      {"device", calibration.device},
                      {"gpu", calibration.gpu},
                      {"driver", calibration.driver},
                      {"date", calibration.date},
                      {"source", calibration.source},
                      {"sm_mhz", calibration.sm_mhz},
                      {"dram_mhz", calibration.dram_mhz},
                      {"launch_us", calibration.launch_us},
                      {"memory", seen_json(calibration.memory)},
                      {"pipes", seen_json(calibration.pipes)},
                      {"products", seen_json(calibration.products)},
                      {"raised", ordered_json::array()}};
  for (const RaisedRate& each : calibration.raised) {
    out["raised"].push_back({{"unit", each.unit},
                             {"was", each.was},
                             {"now", each.now},
                             {"time_us", each.time_us},
                             {"program", each.program},
                             {"date", each.date}});
  }
  return out.dump(2) + "\n";
}

}  // namespace uc
