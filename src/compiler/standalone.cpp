#include "compiler/standalone.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/text.h"
#include "compiler/standalone_attention.h"
#include "compiler/standalone_conv.h"
#include "compiler/standalone_rows.h"
#include "emit/cpp_tree.h"
#include "emit/scalar_cpp.h"
#include "emit/templates.h"
#include "ir/kernel_parts.h"

namespace uc {
namespace {

using cpp::block;
using cpp::line;

std::string index_of(const View& view, const std::vector<std::string>& coordinates) {
  std::vector<std::string> terms{std::to_string(view.offset)};
  for (size_t d = 0; d < coordinates.size(); ++d) {
    if (view.shape[d] != 1 && view.stride[d] != 0)
      terms.push_back(fmt::format("{} * {}ll", coordinates[d], view.stride[d]));
  }
  return fmt::format("{}", fmt::join(terms, " + "));
}

class Standalone {
 public:
  explicit Standalone(const Compiled& compiled) : compiled_(compiled), program_(compiled.program) {}

  std::string run() {
    for (size_t i = 0; i < compiled_.launches.size(); ++i)
      std::visit([&](const auto& kernel) { reference(i, kernel); }, compiled_.launches[i].kernel);
    std::string text(support_file("standalone.cu.in"));
    text = replace_all(std::move(text), "@HASH@", compiled_.hash);
    text = replace_all(std::move(text), "@KERNELS@", print(kernels_));
    text = replace_all(std::move(text), "@BUFFERS@", buffers());
    text = replace_all(std::move(text), "@REFERENCE@", calls_);
    text = replace_all(std::move(text), "@FIELDS@", fields());
    text = replace_all(std::move(text), "@GEMM@", gemm());
    return replace_all(std::move(text), "@TOLERANCE@", reduced() ? "1e-2" : "1e-4");
  }

 private:
  // Something is stored or multiplied in less than f32.
  bool reduced() const {
    const auto narrow = [](const Value& value) {
      return is_floating(value.dtype) && size_bytes(value.dtype) < 4;
    };
    return program_.precision != Precision::strict ||
           std::any_of(program_.values.begin(), program_.values.end(), narrow);
  }

  // A reference kernel: coordinates from the thread's index, the scalar DAG, its stores.
  void body(size_t launch, size_t which, const Shape& domain, const Scalar& scalar,
            std::vector<cpp::Statement> running, std::vector<std::string> params,
            std::vector<std::string> arguments) {
    std::vector<std::string> at;
    std::vector<cpp::Statement> out{line("int64_t i = blockIdx.x * 256ll + threadIdx.x"),
                                    block(fmt::format("if (i >= {}ll)", numel(domain)), {line("return")})};
    for (size_t d = 0; d < domain.size(); ++d) at.push_back(fmt::format("x{}", d));
    for (size_t d = domain.size(); d-- > 0;)
      out.push_back(line(fmt::format("const int64_t x{0} = i % {1}ll; i /= {1}ll", d, domain[d])));
    out.insert(out.end(), running.begin(), running.end());
    memory_of(scalar, params, arguments);
    ScalarSpelling spelling;
    spelling.tensor = [&](uint32_t view) {
      return fmt::format("uc_load(t{}[{}])", view, index_of(scalar.views[view], at));
    };
    std::vector<NodeId> wanted;
    for (const Effect& effect : scalar.effects) wanted.push_back(effect.node);
    for (cpp::Statement& statement : scalar_statements(scalar, wanted, spelling))
      out.push_back(std::move(statement));
    for (const Effect& effect : scalar.effects) {
      const View& view = scalar.views[effect.view];
      out.push_back(line(fmt::format("t{}[{}] = uc_store_as<{}>::of({})", effect.view, index_of(view, at),
                                     info(view.dtype).cuda, name_of(effect.node))));
    }
    call(launch, which, numel(domain), params, arguments, std::move(out));
  }

  // The views of an expression as parameters `t<v>`, or by another letter.
  static void memory_of(const Scalar& scalar, std::vector<std::string>& params,
                        std::vector<std::string>& arguments, char letter = 't') {
    std::vector<bool> written(scalar.views.size(), false);
    for (const Effect& effect : scalar.effects) written[effect.view] = true;
    for (size_t v = 0; v < scalar.views.size(); ++v) {
      const std::string_view type = info(scalar.views[v].dtype).cuda;
      params.push_back(fmt::format("{}{}* {}{}", written[v] ? "" : "const ", type, letter, v));
      arguments.push_back(fmt::format("at<{}>({})", type, scalar.views[v].value.index()));
    }
  }

  void call(size_t launch, size_t which, int64_t threads, const std::vector<std::string>& params,
            const std::vector<std::string>& arguments, std::vector<cpp::Statement> statements) {
    const std::string symbol = fmt::format("reference_{}_{}", launch, which);
    kernels_.decls.push_back(cpp::Function{"__global__ void " + symbol, params, std::move(statements)});
    calls_ +=
        fmt::format("  {}<<<{}, 256>>>({});\n", symbol, (threads + 255) / 256, fmt::join(arguments, ", "));
  }

  void reference(size_t launch, const Contraction& gemm) {
    const std::string a(info(gemm.a.dtype).cuda);
    const std::string b(info(gemm.b.dtype).cuda);
    std::string factors;
    std::vector<std::string> params{fmt::format("const {}* a", a), fmt::format("const {}* b", b)};
    std::vector<std::string> arguments{fmt::format("at<{}>({})", a, gemm.a.value.index()),
                                       fmt::format("at<{}>({})", b, gemm.b.value.index())};
    if (const auto blocks = scale_blocks_of(gemm)) {
      const auto place = [&](const View& scale, std::string_view row, int64_t rows) {
        return index_of(scale,
                        {"x0", fmt::format("({} / {})", row, rows), fmt::format("(k / {})", blocks->k)});
      };
      factors = fmt::format(" * double(sa[{}]) * double(sb[{}])", place(*gemm.a_scale, "x1", blocks->m),
                            place(*gemm.b_scale, "x2", blocks->n));
      params.insert(params.end(), {"const float* sa", "const float* sb"});
      for (const View* scale : {&*gemm.a_scale, &*gemm.b_scale})
        arguments.push_back(fmt::format("at<float>({})", scale->value.index()));
    }
    std::vector<cpp::Statement> running{
        line("double sum = 0"),
        block(fmt::format("for (int64_t k = 0; k < {}ll; ++k)", gemm.k()),
              {line(fmt::format("sum += double(uc_load(a[{}])) * double(uc_load(b[{}])){}",
                                index_of(gemm.a, {"x0", "x1", "k"}), index_of(gemm.b, {"x0", "x2", "k"}),
                                factors))}),
        line("const float acc = float(sum)")};
    body(launch, 0, {gemm.batch(), gemm.m(), gemm.n()}, gemm.epilogue, std::move(running), params, arguments);
  }

  void reference(size_t launch, const Convolution& conv) {
    const std::string a(info(conv.x.dtype).cuda);
    const std::string b(info(conv.w.dtype).cuda);
    body(launch, 0, conv.out, conv.epilogue, conv_sum(conv, index_of),
         {fmt::format("const {}* a", a), fmt::format("const {}* b", b)},
         {fmt::format("at<{}>({})", a, conv.x.value.index()),
          fmt::format("at<{}>({})", b, conv.w.value.index())});
  }

  void reference(size_t launch, const Map& map) {
    for (size_t i = 0; i < map.bodies.size(); ++i)
      body(launch, i, map.bodies[i].domain, map.bodies[i].scalar, {}, {}, {});
  }

  void reference(size_t launch, const Rows& rows) {
    std::vector<std::string> params;
    std::vector<std::string> arguments;
    memory_of(rows.body, params, arguments);
    call(launch, 0, rows_reference_threads(rows), params, arguments, rows_reference(rows, index_of));
  }

  void reference(size_t launch, const Attention& kernel) {
    std::vector<std::string> params;
    std::vector<std::string> arguments;
    for (const auto& [name, view] : {std::pair("q", &kernel.q), {"k", &kernel.k}, {"v", &kernel.v}}) {
      params.push_back(fmt::format("const {}* {}", info(view->dtype).cuda, name));
      arguments.push_back(fmt::format("at<{}>({})", info(view->dtype).cuda, view->value.index()));
    }
    memory_of(kernel.score, params, arguments, 's');
    memory_of(kernel.epilogue, params, arguments);
    call(launch, 0, kernel.batch() * kernel.heads() * kernel.queries(), params, arguments,
         attention_reference(kernel, index_of));
  }

  // One row a value: its memory in the reference run.
  std::string buffers() const {
    std::string text;
    for (size_t i = 0; i < program_.values.size(); ++i) {
      const Value& value = program_.values[i];
      int64_t elements = 0;
      if (value.kind != ValueKind::literal && value.root == ValueId(i)) {
        elements = 1;
        for (size_t d = 0; d < value.shape.size(); ++d) elements += (value.shape[d] - 1) * value.stride[d];
      }
      const bool given = value.kind == ValueKind::input || value.kind == ValueKind::param;
      const double scale = value.kind == ValueKind::param && value.shape.size() > 1
                               ? 1.0 / static_cast<double>(value.shape.back())
                               : 1.0;
      text += fmt::format("  {{{}, {}ll, {}, {}, {}, {}}},\n", cpp::quote(value.name), elements,
                          size_bytes(value.dtype), static_cast<int>(value.dtype), given ? "true" : "false",
                          cpp::float_literal(scale));
    }
    return text;
  }

  std::string fields() const {
    const auto group = [&](const std::vector<ValueId>& ids, std::string_view from) {
      std::vector<std::string> parts;
      for (const ValueId id : ids)
        parts.push_back(fmt::format("(decltype(std::declval<uc::{}>().{})){}[{}]",
                                    from == "outputs"  ? "Outputs"
                                    : from == "params" ? "Params"
                                                       : "Inputs",
                                    program_[id].name, from == "outputs" ? "output" : "memory", id.index()));
      return fmt::format("{{{}}}", fmt::join(parts, ", "));
    };
    return fmt::format(
        "const uc::Inputs inputs{};\n  const uc::Params params{};\n  const uc::Outputs outputs{};\n",
        group(program_.inputs, "inputs"), group(program_.params, "params"),
        group(program_.results, "outputs"));
  }

  // The largest contraction, for cuBLAS and for FLOPs.
  std::string gemm() const {
    const Contraction* largest = nullptr;
    double flops = 0;
    for (const Launch& launch : compiled_.launches) {
      const auto* each = std::get_if<Contraction>(&launch.kernel);
      if (each == nullptr || launch.phase == Phase::load) continue;
      const double work = 2.0 * static_cast<double>(each->batch()) * static_cast<double>(each->m()) *
                          static_cast<double>(each->n()) * static_cast<double>(each->k());
      flops += work;
      if (largest == nullptr ||
          work > 2.0 * static_cast<double>(largest->batch()) * static_cast<double>(largest->m()) *
                     static_cast<double>(largest->n()) * static_cast<double>(largest->k()))
        largest = each;
    }
    if (largest == nullptr) return "const Gemm gemm = {0, 0, 0, 0, 0, 0, false};";
    return fmt::format("const Gemm gemm = {{{}, {}, {}, {}, {}, {}, {}}};", shortest_float(flops),
                       largest->batch(), largest->m(), largest->n(), largest->k(),
                       static_cast<int>(largest->a.dtype), largest->math == Math::tf32 ? "true" : "false");
  }

  const Compiled& compiled_;
  const Program& program_;
  cpp::File kernels_;
  std::string calls_;
};

}  // namespace

std::string emit_standalone(const Catalog&, const Compiled& compiled) { return Standalone(compiled).run(); }

}  // namespace uc
