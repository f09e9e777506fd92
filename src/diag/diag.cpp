#include "diag/diag.h"

#include <algorithm>
#include <utility>

namespace uc {

namespace {

// A name or number of a broken file may be megabytes long; what is said about it must stay readable.
std::string readable(const std::string& text) {
  constexpr size_t kHead = 600, kTail = 100;
  if (text.size() <= kHead + kTail) return text;
  const auto inside = [&](size_t at) { return (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80; };
  size_t head = kHead;
  size_t tail = text.size() - kTail;
  while (head > 0 && inside(head)) --head;
  while (tail < text.size() && inside(tail)) ++tail;
  return text.substr(0, head) + "..." + text.substr(tail);
}

}  // namespace

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
  for (Diag& diag : out) {
    diag.message = readable(diag.message);
    diag.help = readable(diag.help);
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const Diag& a, const Diag& b) { return a.span.begin < b.span.begin; });
  const auto same = [](const Diag& a, const Diag& b) {
    return a.id == b.id && a.span == b.span && a.message == b.message;
  };
  out.erase(std::unique(out.begin(), out.end(), same), out.end());
  return out;
}

}  // namespace uc
