#pragma once
// Why: a random program as a list of choices rather than text, so that exactly one of them can be changed:
// that is what "within one step of a rule" means.
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/catalog.h"

namespace uc::oracle {

/// A way to multiply that the language has: the operands' type, the setting of `.math`, the header it needs.
struct Form {
  std::string dtype;
  std::string math;
  std::string precision;
  std::string result;  ///< a type that its result may have
};

/// One operand: element [l, m, k] of A, [l, k, n] of B.
struct OperandDraft {
  bool column = false;  ///< @col
  int64_t pad = 0;      ///< elements between rows
  int64_t skip = 0;     ///< elements left out at the start of each row: a view with an offset
  bool batched = false;
};

struct Draft {
  Form form;
  int64_t l = 1, m = 512, n = 512, k = 512;
  OperandDraft a, b;
  std::map<std::string, std::string> knobs;  ///< "tile" -> "128x256x64"
  std::vector<std::string> chain;     ///< calls after `>>`, without `>>`; tensors are named v0, v1, ...
  std::vector<std::string> declared;  ///< of those tensors
  int stores = 0;
};

/// The program; deterministic.
std::string text(const Draft& draft);

/// Draws choices. Knobs, their settings, types and activations come from the catalog, so that new rows take
/// part without a change here.
class Sampler {
 public:
  Sampler(const Catalog& catalog, uint64_t seed);
  const std::vector<Form>& forms() const { return forms_; }
  /// Settings of a knob that are words and that some back end emits: "cooperative"; `auto` left out.
  std::vector<std::string> words(std::string_view knob) const;
  Draft draw(const Form& form);
  /// The draft with one choice moved by its smallest step.
  Draft one_step(const Draft& draft);
  size_t below(size_t count) { return static_cast<size_t>(engine_() % count); }

 private:
  bool chance(double probability) { return static_cast<double>(engine_() >> 11) * 0x1p-53 < probability; }
  template <class T>
  const T& pick(const std::vector<T>& from) {
    return from[below(from.size())];
  }
  std::string setting(const KnobSpec& knob, const Form& form);
  int64_t extent(const Form& form);
  OperandDraft operand(const Form& form, bool batched);
  void draw_chain(Draft& draft);
  void suit_listed_tiles(Draft& draft);
  std::string tensor(Draft& draft, const std::string& shape);

  const Catalog& catalog_;
  std::mt19937_64 engine_;
  std::vector<Form> forms_;
  std::vector<std::string> activations_;
};

}  // namespace uc::oracle
