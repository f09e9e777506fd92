#include "diag/diag.h"

#include <algorithm>
#include <utility>

namespace uc {

std::string_view severity_name(Severity severity) {
  switch (severity) {
    case Severity::error: return "error";
    case Severity::warning: return "warning";
    case Severity::note: return "note";
  }
  return "error";
}

Diag& DiagSink::add(const DiagKind& kind, Span span, std::string message) {
  Diag diag;
  diag.id = kind.id;
  diag.slug = kind.slug;
  diag.severity = kind.severity;
  diag.span = span;
  diag.message = std::move(message);
  add(std::move(diag));
  return diags_.back();
}

void DiagSink::add(Diag diag) {
  if (!relaxed_.empty() && diag.severity == Severity::error && diag.id.starts_with(relaxed_))
    diag.severity = Severity::warning;
  if (diag.severity == Severity::error) ++errors_;
  diags_.push_back(std::move(diag));
}

std::vector<Diag> DiagSink::sorted() const {
  std::vector<Diag> out = diags_;
  std::stable_sort(out.begin(), out.end(),
                   [](const Diag& a, const Diag& b) { return a.span.begin < b.span.begin; });
  const auto same = [](const Diag& a, const Diag& b) {
    return a.id == b.id && a.span == b.span && a.message == b.message;
  };
  out.erase(std::unique(out.begin(), out.end(), same), out.end());
  return out;
}

}  // namespace uc
