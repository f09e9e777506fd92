#include "schedule/policy.h"

#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <optional>

#include "base/text.h"

namespace uc::schedule {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();
constexpr int kEndless = std::numeric_limits<int>::max();

template <typename T>
std::optional<T> number(std::string_view text) {
  T out{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(out) : std::nullopt;
}

std::optional<double> parse_eps(std::string_view text) {
  if (text == "never") return kNever;
  const bool percent = text.ends_with('%');
  if (percent) text.remove_suffix(1);
  const auto value = number<double>(text);
  if (!value || !std::isfinite(*value) || *value < 0) return std::nullopt;
  return percent ? *value / 100 : *value;
}

std::optional<int> parse_patience(std::string_view text) {
  if (text == "inf") return kEndless;
  const auto value = number<int>(text);
  return value && *value >= 1 ? value : std::nullopt;
}

}  // namespace

Result<Policy> parse_policy(std::string_view text) {
  const auto wrong = [&] {
    return fail(fmt::format("`{}` is no policy", text),
                "`fixed`, `sol(EPS,W)` or `roi(EPS,W)`: EPS is how near to the bound is enough (25%, 0.25, "
                "never), W the "
                "attempts without progress that are (16, inf)",
                2);
  };
  const std::string_view whole = trim(text);
  if (whole == "fixed") return Policy{};
  Policy out;
  out.kind = whole.starts_with("roi(") ? Policy::Kind::roi : Policy::Kind::sol;
  if ((!whole.starts_with("sol(") && !whole.starts_with("roi(")) || !whole.ends_with(')')) return wrong();
  const std::string_view inside = whole.substr(4, whole.size() - 5);
  const size_t comma = inside.find(',');
  if (comma == std::string_view::npos) return wrong();
  const auto eps = parse_eps(trim(inside.substr(0, comma)));
  const auto patience = parse_patience(trim(inside.substr(comma + 1)));
  if (!eps || !patience) return wrong();
  out.eps = *eps;
  out.patience = *patience;
  return out;
}

std::string name(const Policy& policy) {
  if (policy.kind == Policy::Kind::fixed) return "fixed";
  const std::string eps = policy.eps == kNever ? "never" : fmt::format("{:g}%", policy.eps * 100);
  const std::string patience = policy.patience == kEndless ? "inf" : std::to_string(policy.patience);
  return fmt::format("{}({},{})", policy.kind == Policy::Kind::sol ? "sol" : "roi", eps, patience);
}

}  // namespace uc::schedule
