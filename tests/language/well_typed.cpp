// Programs that check, over whatever pointwise operators the catalog has.
#include <fmt/format.h>

#include "corpus.h"

namespace uc::corpus {
namespace {

class Writer {
 public:
  Writer(const Catalog& catalog, std::mt19937_64& engine) : engine_(engine) {
    for (const OpSpec* row : catalog.ops()) {
      if (row->family != "pointwise" || row->place != Place::both || !row->is_pointwise()) continue;
      size_t tensors = 0;
      bool others = false;
      for (const ParamSpec& param : row->params) {
        if (!param.required) continue;
        param.kind == ParamKind::tensor ? void(++tensors) : void(others = true);
      }
      if (!others && tensors == 1) unary_.emplace_back(row->name);
      if (!others && tensors == 2) binary_.emplace_back(row->name);
    }
  }

  std::string run() { return pick(3) == 0 ? product() : pointwise(); }

 private:
  size_t pick(size_t count) { return engine_() % count; }
  const std::string& one(const std::vector<std::string>& of) { return of[pick(of.size())]; }

  std::string number() { return one({"2", "0.5", "1e-05", "0.125", "3", "10.0"}); }

  std::string expression(int depth, const std::vector<std::string>& leaves) {
    if (depth == 0) return pick(4) == 0 ? number() : one(leaves);
    const std::string left = expression(depth - 1, leaves);
    switch (pick(7)) {
      case 0:
        return fmt::format("({} {} {})", left, one({"+", "-", "*", "/"}), expression(depth - 1, leaves));
      case 1: return fmt::format("{}({}, {})", one(binary_), left, expression(depth - 1, leaves));
      case 2:
        return fmt::format("where({} {} 0, {}, {})", one(leaves), one({"<", ">", "<=", ">=", "==", "!="}),
                           left, number());
      case 3: return fmt::format("-{}", left);
      case 4: return fmt::format("{} ** 2", one(leaves));
      default: return fmt::format("{}({})", one(unary_), left);
    }
  }

  std::string chain(size_t links) {
    std::string out;
    for (size_t i = 0; i < links; ++i) {
      const std::string before = pick(3) == 0 ? "\n    " : " ";
      const std::string call = pick(4) == 0   ? fmt::format("mul({})", number())
                               : pick(5) == 0 ? fmt::format("map({})", expression(1, {"it"}))
                                              : fmt::format("{}()", one(unary_));
      out += fmt::format("{}>> {}", before, call);
    }
    return out;
  }

  std::string pointwise() {
    const std::string type = one({"f32", "f16", "bf16"});
    const std::string rows = one({"64", "4096", "7", "1000"});
    const std::string columns = one({"128", "33", "8192"});
    std::string out =
        fmt::format("target sm_90a\ninput x: {0}[{1}, {2}]\ninput z: {0}[{2}]\n", type, rows, columns);
    if (pick(3) == 0) out += "scalar s: f32\n";
    const bool scalar = out.find("scalar") != std::string::npos;
    const std::vector<std::string> leaves =
        scalar ? std::vector<std::string>{"x", "z", "s"} : std::vector<std::string>{"x", "z"};
    std::string knobs = pick(2) == 0 ? fmt::format(".vector({})", one({"auto", "1"})) : "";
    if (pick(2) == 0) knobs += fmt::format(".threads({})", one({"128", "256", "auto"}));
    const std::string inner = expression(1 + static_cast<int>(pick(3)), leaves);
    out += fmt::format("y = ({} + x){}{}\n", inner, knobs, chain(pick(3)));
    return out + (pick(2) == 0 ? "return y\n" : fmt::format("w = {}\nreturn y, w\n", one(unary_) + "(y)"));
  }

  std::string product() {
    const std::string type = one({"f16", "bf16"});
    const std::string k = one({"64", "512", "1024"});
    const std::string n = one({"256", "2048"});
    const bool linear = pick(2) == 0;
    std::string out =
        fmt::format("target sm_90a\nprecision {}\ninput x: f32[{}, {}]\n", type, one({"128", "384"}), k);
    out += linear ? fmt::format("param W: f32[{}, {}] = \"fc.weight\"\n", n, k)
                  : fmt::format("param W: f32[{}, {}]\n", k, n);
    out += fmt::format("param b: f32[{}] = \"fc.bias\"\nxh = to(x, {})\ny = {}(xh, prepack(W, {}))", n, type,
                       linear ? "linear" : "gemm", type);
    if (pick(2) == 0)
      out += one({".tile(128x128x64)", ".tile(128x256x64).cluster(2x1)", ".tile(auto).stages(auto)",
                  ".schedule(pingpong)"});
    return out + fmt::format(" >> bias(b){} >> to(f32)\nreturn y\n", chain(pick(4)));
  }

  std::mt19937_64& engine_;
  std::vector<std::string> unary_;
  std::vector<std::string> binary_;
};

}  // namespace

std::string well_typed(const Catalog& catalog, std::mt19937_64& engine) {
  return Writer(catalog, engine).run();
}

}  // namespace uc::corpus
