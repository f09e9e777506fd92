#pragma once
// Why: what a user wrote wrong is a value with a stable id, a place, and help; text and JSON are two prints
// of it. Every id is declared by exactly one DiagKind or RuleSpec row.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace uc {

enum class Severity : uint8_t { error, warning, note };
std::string_view severity_name(Severity severity);

/// Bytes [begin, end) of the source text. Line and column are computed when printed.
struct Span {
  uint32_t begin = 0;
  uint32_t end = 0;
  friend bool operator==(Span, Span) = default;
};

/// A kind of diagnostic. Ids: UC10xx text and syntax, UC11xx names, UC12xx types and shapes, UC13xx
/// precision, UC14xx steps and fusion, UC19xx not yet emitted, UC2xxx the rule book (RuleSpec rows), UC3xxx
/// problems and captures.
struct DiagKind {
  std::string_view id;    ///< "UC1001"
  std::string_view slug;  ///< "unexpected-token"
  Severity severity;
  std::string_view summary;  ///< what the rule is, one sentence: shown by `ucutlass explain`
};

/// One finding.
struct Diag {
  std::string id;
  std::string slug;
  Severity severity = Severity::error;
  Span span;                          ///< the place
  std::string message;                ///< what was seen, one line
  std::string label;                  ///< short words under the caret; may be empty
  std::string help;                   ///< the nearest thing that works; may be empty
  std::string replacement;            ///< text that, put in place of `span`, passes that rule; may be empty
  std::optional<Span> replaces = {};  ///< where `replacement` goes when that is more than `span`
  Span replaced() const { return replaces.value_or(span); }
};

/// Collects findings; phases take it by reference and go on after an error where that makes sense.
class DiagSink {
 public:
  Diag& add(const DiagKind& kind, Span span, std::string message);
  /// From now on errors whose id begins with `prefix` are warnings.
  void relax(std::string_view prefix) { relaxed_ = prefix; }
  void add(Diag diag);
  bool has_errors() const { return errors_ != 0; }
  size_t error_count() const { return errors_; }
  const std::vector<Diag>& diags() const { return diags_; }
  /// In source order; the same id at the same place once; the middle of a very long text left out.
  std::vector<Diag> sorted() const;

 private:
  std::vector<Diag> diags_;
  std::string relaxed_;
  size_t errors_ = 0;
};

}  // namespace uc
