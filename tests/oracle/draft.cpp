#include "draft.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

#include "base/text.h"
#include "plan/gemm2_choices.h"
#include "trial.h"

namespace uc::oracle {
namespace {

int64_t bytes_of(const Form& form) { return size_bytes(*parse_dtype(form.dtype)); }

std::string shape_text(std::string_view dtype, const std::vector<int64_t>& shape) {
  return fmt::format("{}[{}]", dtype, fmt::join(shape, ", "));
}

// "input a: f16[4, 512, 520] @strides(...)": the memory of an operand, rows or columns padded.
std::string declare(std::string_view name, const Form& form, const OperandDraft& operand, int64_t l,
                    int64_t rows, int64_t columns) {
  const int64_t along = (operand.column ? rows : columns) + operand.skip;
  const int64_t across = operand.column ? columns : rows;
  std::vector<int64_t> shape{operand.column ? along : rows, operand.column ? columns : along};
  std::vector<int64_t> stride{operand.column ? 1 : along + operand.pad,
                              operand.column ? along + operand.pad : 1};
  if (operand.batched) {
    shape.insert(shape.begin(), l);
    stride.insert(stride.begin(), across * (along + operand.pad));
  }
  std::string out = fmt::format("input {}: {}", name, shape_text(form.dtype, shape));
  if (operand.pad != 0) return out + fmt::format(" @strides({})\n", fmt::join(stride, ", "));
  return out + (operand.column ? " @col\n" : "\n");
}

std::string use(std::string_view name, const OperandDraft& operand) {
  if (operand.skip == 0) return std::string(name);
  return fmt::format("slice({}, dim={}, start={})", name, operand.column ? -2 : -1, operand.skip);
}

std::vector<std::string> alternatives(std::string_view syntax) {
  std::vector<std::string> out;
  for (const std::string_view word : split(syntax, '|')) {
    const size_t first = word.find_first_not_of(' ');
    if (first != std::string_view::npos)
      out.emplace_back(word.substr(first, word.find_last_not_of(' ') - first + 1));
  }
  return out;
}

bool of_contractions(const KnobSpec& knob) {
  const auto families = split(knob.families, ' ');
  return std::ranges::find(families, "contraction") != families.end();
}

std::vector<int64_t> extents_of(std::string_view tile) {
  std::vector<int64_t> out;
  for (const std::string_view part : split(tile, 'x')) {
    int64_t value = 0;
    std::from_chars(part.data(), part.data() + part.size(), value);
    out.push_back(value);
  }
  return out;
}

// A settings text with its number, or one extent of its tile, moved by `step`; never below 1.
std::string moved(const std::string& setting, size_t which, int64_t step) {
  std::vector<int64_t> extents = extents_of(setting);
  int64_t& extent = extents[which % extents.size()];
  extent = std::max<int64_t>(1, extent + step);
  return fmt::format("{}", fmt::join(extents, "x"));
}

bool is_number(const std::string& setting) {
  return !setting.empty() && setting[0] >= '0' && setting[0] <= '9';
}

// The language's ways to multiply two operands of the type, each with the strictest header that allows it.
void add_forms(const Catalog& catalog, const DTypeInfo& dtype, std::vector<Form>& out) {
  for (const std::string& math : alternatives(catalog.knob("math")->syntax)) {
    if (math == "auto") continue;
    for (const char* precision : {"strict", "tf32", "f16", "bf16", "f8"}) {
      bool found = false;
      for (const char* result : {"f32", "i32", "f64"}) {
        const std::string source = fmt::format(
            "target sm_90a\nprecision {0}\ninput a: {1}[512, 512]\ninput b: {1}[512, 512] @col\n"
            "c = gemm(a, b).math({2}) >> to({3})\nreturn c\n",
            precision, dtype.name, math, result);
        if (!errors_of(catalog, source).empty()) continue;
        out.push_back({std::string(dtype.name), math, precision, result});
        found = true;
        break;
      }
      if (found) break;
    }
  }
}

}  // namespace

std::string text(const Draft& draft) {
  const bool batched = draft.a.batched || draft.b.batched;
  std::string out = fmt::format("target sm_90a\nprecision {}\n", draft.form.precision);
  out += declare("a", draft.form, draft.a, draft.l, draft.m, draft.k);
  out += declare("b", draft.form, draft.b, draft.l, draft.k, draft.n);
  for (const std::string& line : draft.declared) out += line + "\n";
  std::string names;
  for (int i = 0; i < draft.stores; ++i) names += fmt::format("s{}, ", i);
  std::string step = fmt::format("{}c = gemm({}, {})", names, use("a", draft.a), use("b", draft.b));
  for (const auto& [knob, setting] : draft.knobs) step += fmt::format(".{}({})", knob, setting);
  for (const std::string& call : draft.chain) step += " >> " + call;
  // Tensors of the chain are declared in terms of the result's extents.
  out += step + fmt::format("\nreturn {}c\n", names);
  const auto at = [](int64_t value) { return std::to_string(value); };
  out = replace_all(std::move(out), "$L", at(batched ? draft.l : 1));
  out = replace_all(std::move(out), "$M", at(draft.m));
  return replace_all(std::move(out), "$N", at(draft.n));
}

Sampler::Sampler(const Catalog& catalog, uint64_t seed) : catalog_(catalog), engine_(seed) {
  for (const DTypeInfo& dtype : all_dtypes()) add_forms(catalog, dtype, forms_);
  for (const OpSpec* op : catalog.ops()) {
    const bool unary =
        !op->params.empty() &&
        std::ranges::none_of(op->params.subspan(1), [](const ParamSpec& param) { return param.required; });
    const bool fused = (static_cast<int>(op->place) & static_cast<int>(Place::fused)) != 0;
    if (op->family == "pointwise" && op->scalar != nullptr && unary && fused && op->infix.empty())
      activations_.emplace_back(op->name);
  }
}

std::vector<std::string> Sampler::words(std::string_view knob) const {
  std::vector<std::string> out;
  const KnobSpec* spec = catalog_.knob(knob);
  if (spec == nullptr || !spec->emitted) return out;
  for (const std::string& word : alternatives(spec->syntax)) {
    if (word == "auto" || !(word[0] >= 'a' && word[0] <= 'z')) continue;
    Knob written;
    written.name = knob;
    written.settings.emplace_back(word);
    if (spec->not_emitted == nullptr || spec->not_emitted(written).empty()) out.push_back(word);
  }
  return out;
}

std::string Sampler::setting(const KnobSpec& knob, const Form& form) {
  const std::vector<std::string> kinds = alternatives(knob.syntax);
  const std::string& first = kinds.front();
  if (first == "MxNxK") {
    const int64_t step = std::max<int64_t>(1, 32 / bytes_of(form));
    const int64_t m = pick<int64_t>({64, 64, 128, 128, 128, 192, 256});
    const int64_t n = chance(0.6) ? pick<int64_t>({64, 96, 128, 128, 192, 256})
                                  : 16 * (1 + static_cast<int64_t>(below(16)));
    const int64_t k =
        chance(0.8) ? step * pick<int64_t>({1, 2, 4, 4, 4, 8}) : step * (1 + static_cast<int64_t>(below(20)));
    return fmt::format("{}x{}x{}", m, n, k);
  }
  if (first == "MxN") {
    const bool blocks = knob.name == "cluster";
    const std::vector<int64_t> extents =
        blocks ? std::vector<int64_t>{1, 1, 2, 2, 4, 8} : std::vector<int64_t>{16, 32, 64, 128};
    const int64_t m = pick(extents);
    return fmt::format("{}x{}", m, pick(extents));
  }
  if (first == "COUNT") return std::to_string(2 + below(6));
  if (first == "BYTES") return std::to_string(1 << below(6));
  std::vector<std::string> usable = words(knob.name);
  for (const std::string& kind : kinds) {
    if (is_number(kind)) usable.push_back(kind);
  }
  return usable.empty() ? "auto" : pick(usable);
}

int64_t Sampler::extent(const Form& form) {
  const int64_t vector = std::max<int64_t>(1, 16 / bytes_of(form));
  if (chance(0.08)) return 1 + static_cast<int64_t>(below(300));
  if (chance(0.5)) return pick<int64_t>({128, 256, 384, 512, 640, 1024});
  return vector * (1 + static_cast<int64_t>(below(96)));
}

OperandDraft Sampler::operand(const Form& form, bool batched) {
  const int64_t vector = std::max<int64_t>(1, 16 / bytes_of(form));
  OperandDraft out;
  out.column = chance(0.5);
  out.batched = batched;
  if (chance(0.15)) out.pad = vector * (1 + static_cast<int64_t>(below(4)));
  if (chance(0.1)) out.skip = vector * (1 + static_cast<int64_t>(below(4)));
  return out;
}

std::string Sampler::tensor(Draft& draft, const std::string& shape) {
  const std::vector<std::string> types{"f32", "f16", "bf16", draft.form.dtype};
  const std::string name = fmt::format("v{}", draft.declared.size());
  draft.declared.push_back(fmt::format("input {}: {}{}", name, pick(types), shape));
  return name;
}

void Sampler::draw_chain(Draft& draft) {
  const bool batched = draft.a.batched || draft.b.batched;
  const std::string full = batched ? "[$L, $M, $N]" : "[$M, $N]";
  const size_t calls = below(5);
  for (size_t i = 0; i < calls; ++i) {
    switch (below(8)) {
      case 0: draft.chain.push_back(fmt::format("bias({})", tensor(draft, "[$N]"))); break;
      case 1: draft.chain.push_back(fmt::format("residual({})", tensor(draft, full))); break;
      case 2:
        draft.chain.push_back(fmt::format("mul({})", tensor(draft, chance(0.5) ? "[$N]" : "[$M, 1]")));
        break;
      case 3:
        draft.chain.push_back(fmt::format("mul({})", chance(0.5) ? "0.125" : tensor(draft, full)));
        break;
      case 4:
        draft.chain.push_back(fmt::format("store({})", chance(0.5) ? "f32" : draft.form.dtype));
        ++draft.stores;
        break;
      default: draft.chain.push_back(pick(activations_) + "()"); break;
    }
  }
  const std::vector<std::string> results{"f32", "f16", "bf16", draft.form.dtype, draft.form.result};
  draft.chain.push_back(fmt::format("to({})", pick(results)));
}

Draft Sampler::draw(const Form& form) {
  Draft out;
  out.form = form;
  out.m = extent(form);
  out.n = extent(form);
  out.k = extent(form);
  const bool batched = chance(0.25);
  if (batched) out.l = 2 + static_cast<int64_t>(below(4));
  out.a = operand(form, batched && chance(0.8));
  out.b = operand(form, batched && (!out.a.batched || chance(0.6)));
  for (const KnobSpec* knob : catalog_.knobs()) {
    if (!of_contractions(*knob) || !knob->emitted || knob->name == "math") continue;
    const bool usual = knob->name == "tile" || knob->name == "schedule" || knob->name == "cluster";
    if (chance(usual ? 0.8 : 0.35)) out.knobs[std::string(knob->name)] = setting(*knob, form);
  }
  out.knobs["math"] = form.math;
  if (chance(0.7)) suit_listed_tiles(out);
  draw_chain(out);
  return out;
}

// Back ends with a list of tiles accept few others: what they ask of all is drawn for them.
void Sampler::suit_listed_tiles(Draft& draft) {
  const auto named = draft.knobs.find("backend");
  std::string backend = named == draft.knobs.end() || named->second == "auto" ? "" : named->second;
  if (backend.empty() && (draft.form.math == "f32" || draft.form.math == "f64")) backend = "simt";
  if (backend.empty() && (draft.form.math == "tf32x3" || draft.form.math == "i8")) backend = "cutlass2";
  Contraction kernel;
  kernel.math = parse_math(draft.form.math).value_or(Math::automatic);
  const auto family = backend == "cutlass3" ? std::nullopt : gemm2_family(kernel, backend, "sm_90a");
  if (backend.empty() || !family) return;
  const Gemm2Tile& tile = family->tiles[below(family->tiles.size())];
  draft.knobs["tile"] = fmt::format("{}x{}x{}", tile.m, tile.n, tile.k);
  draft.knobs["cluster"] = "1x1";
  draft.knobs["schedule"] = "multistage";
}

Draft Sampler::one_step(const Draft& draft) {
  Draft out = draft;
  const int64_t sign = chance(0.5) ? 1 : -1;
  OperandDraft& operand = chance(0.5) ? out.a : out.b;
  switch (below(9)) {
    case 0: out.n += sign; break;
    case 1: out.k += sign; break;
    case 2: out.m += sign; break;
    case 3: operand.column = !operand.column; break;
    case 4: ++operand.pad; break;
    case 5: ++operand.skip; break;
    case 6: out.chain.back() = fmt::format("to({})", pick<std::string>({"f32", "f16", "i32"})); break;
    default: {
      if (out.knobs.empty()) break;
      const auto knob = std::next(out.knobs.begin(), static_cast<std::ptrdiff_t>(below(out.knobs.size())));
      const KnobSpec* spec = catalog_.knob(knob->first);
      if (!is_number(knob->second)) {
        knob->second = setting(*spec, out.form);
      } else if (knob->first == "tile") {
        const size_t which = below(3);
        const int64_t step = which == 0 ? 64 : which == 1 ? 8 : std::max<int64_t>(1, 16 / bytes_of(out.form));
        knob->second = moved(knob->second, which, sign * step);
      } else {
        const std::vector<int64_t> extents = extents_of(knob->second);
        const size_t which = below(extents.size());
        knob->second =
            moved(knob->second, which, knob->first == "cluster" && sign > 0 ? extents[which] : sign);
      }
    }
  }
  out.m = std::max<int64_t>(1, out.m);
  out.n = std::max<int64_t>(1, out.n);
  out.k = std::max<int64_t>(1, out.k);
  return out;
}

}  // namespace uc::oracle
