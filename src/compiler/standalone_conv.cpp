#include "compiler/standalone_conv.h"

#include <fmt/format.h>

#include "plan/conv_product.h"

namespace uc {
namespace {

using cpp::block;
using cpp::line;

// Where tap f of dimension d reads the input, or that it does not.
void read_at(const Convolution& kernel, size_t d, std::vector<cpp::Statement>& out) {
  if (kernel.transposed) {
    out.push_back(line(fmt::format("const int64_t from{0} = x{1} + {2}ll - f{0} * {3}ll", d, d + 1,
                                   kernel.padding[d], kernel.dilation[d])));
    out.push_back(block(fmt::format("if (from{0} < 0 || from{0} % {1}ll != 0)", d, kernel.stride[d]),
                        {line("continue")}));
    out.push_back(line(fmt::format("const int64_t i{0} = from{0} / {1}ll", d, kernel.stride[d])));
  } else {
    out.push_back(line(fmt::format("const int64_t i{0} = x{1} * {2}ll - {3}ll + f{0} * {4}ll", d, d + 1,
                                   kernel.stride[d], kernel.padding[d], kernel.dilation[d])));
  }
  out.push_back(
      block(fmt::format("if (i{0} < 0 || i{0} >= {1}ll)", d, kernel.x.shape[1 + d]), {line("continue")}));
}

}  // namespace

std::vector<cpp::Statement> conv_sum(
    const Convolution& kernel,
    const std::function<std::string(const View&, const std::vector<std::string>&)>& index_of) {
  const size_t rank = spatial_rank(kernel);
  const int64_t channels = kernel.x.shape.back() / kernel.groups;
  const int64_t results = kernel.out.back() / kernel.groups;
  const std::string k = fmt::format("x{}", rank + 1);
  const std::string channel = fmt::format("({} / {}ll * {}ll + c)", k, results, channels);
  std::vector<std::string> in{"x0"}, filter{kernel.transposed ? channel : k};
  for (size_t d = 0; d < rank; ++d) {
    in.push_back(fmt::format("i{}", d));
    filter.push_back(fmt::format("f{}", d));
  }
  in.push_back(channel);
  filter.push_back(kernel.transposed ? fmt::format("({} % {}ll)", k, results) : "c");
  std::vector<cpp::Statement> body{
      block(fmt::format("for (int64_t c = 0; c < {}ll; ++c)", channels),
            {line(fmt::format("sum += double(uc_load(a[{}])) * double(uc_load(b[{}]))",
                              index_of(kernel.x, in), index_of(kernel.w, filter)))})};
  for (size_t d = rank; d-- > 0;) {
    std::vector<cpp::Statement> inner;
    read_at(kernel, d, inner);
    inner.insert(inner.end(), body.begin(), body.end());
    body = {block(fmt::format("for (int64_t f{0} = 0; f{0} < {1}ll; ++f{0})", d, kernel.w.shape[1 + d]),
                  std::move(inner))};
  }
  body.insert(body.begin(), line("double sum = 0"));
  body.push_back(line("const float acc = float(sum)"));
  return body;
}

}  // namespace uc
