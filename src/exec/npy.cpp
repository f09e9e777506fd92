#include "exec/npy.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>
#include <utility>

#include "base/text.h"

namespace uc {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr size_t kMostDims = 32;

struct Descriptor {
  std::string_view text;
  DType type;
  bool only_as = false;  ///< raw bytes or another type's: taken only where the type is expected
};

constexpr std::array<Descriptor, 14> kDescriptors{{
    {"<f8", DType::f64},
    {"<f4", DType::f32},
    {"<f2", DType::f16},
    {"|i1", DType::i8},
    {"|u1", DType::u8},
    {"<i4", DType::i32},
    {"<i8", DType::i64},
    {"|b1", DType::boolean},
    {"|V2", DType::bf16, true},
    {"|V1", DType::f8e4m3, true},
    {"|V1", DType::f8e5m2, true},
    {"<u2", DType::bf16, true},
    {"|u1", DType::f8e4m3, true},
    {"|u1", DType::f8e5m2, true},
}};

std::string_view descriptor(DType type) {
  return std::find_if(kDescriptors.begin(), kDescriptors.end(),
                      [type](const auto& row) { return row.type == type; })
      ->text;
}

tl::unexpected<Error> malformed(std::string what) {
  return fail("not a readable .npy file: " + std::move(what),
              "write it with numpy.save, without pickled objects");
}

struct Header {
  std::string descr;
  bool fortran = false;
  Shape shape;
};

/// Reads the header's Python dict: three keys, values a string, a bool and a tuple of integers.
class HeaderReader {
 public:
  explicit HeaderReader(std::string_view text) : text_(text) {}

  std::optional<Header> read() {
    Header header;
    bool descr = false;
    bool order = false;
    bool shape = false;
    if (!take('{')) return std::nullopt;
    while (!take('}')) {
      const auto key = quoted();
      if (!key || !take(':')) return std::nullopt;
      if (*key == "descr" && !descr) {
        descr = read_descr(header);
        if (!descr) return std::nullopt;
      } else if (*key == "fortran_order" && !order) {
        order = read_bool(header.fortran);
        if (!order) return std::nullopt;
      } else if (*key == "shape" && !shape) {
        shape = read_shape(header.shape);
        if (!shape) return std::nullopt;
      } else {
        return std::nullopt;
      }
      take(',');
    }
    return descr && order && shape && trim(text_.substr(at_)).empty() ? std::optional(header) : std::nullopt;
  }

 private:
  void skip() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t')) ++at_;
  }

  bool take(char wanted) {
    skip();
    if (at_ >= text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }

  std::optional<std::string_view> quoted() {
    skip();
    if (at_ >= text_.size() || (text_[at_] != '\'' && text_[at_] != '"')) return std::nullopt;
    const size_t end = text_.find(text_[at_], at_ + 1);
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view inside = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return inside;
  }

  bool read_descr(Header& header) {
    const auto text = quoted();
    if (text) header.descr = *text;
    return text.has_value();
  }

  bool read_bool(bool& value) {
    skip();
    for (const auto& [word, meaning] : {std::pair<std::string_view, bool>{"True", true}, {"False", false}}) {
      if (!starts_with(text_.substr(at_), word)) continue;
      at_ += word.size();
      value = meaning;
      return true;
    }
    return false;
  }

  bool read_shape(Shape& shape) {
    if (!take('(')) return false;
    while (!take(')')) {
      skip();
      int64_t extent = 0;
      const char* begin = text_.data() + at_;
      const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), extent);
      if (error != std::errc{} || extent < 0 || shape.size() == kMostDims) return false;
      at_ += static_cast<size_t>(end - begin);
      shape.push_back(extent);
      if (!take(',') && !(take(')'))) return false;
      if (text_[at_ - 1] == ')') break;
    }
    return true;
  }

  std::string_view text_;
  size_t at_ = 0;
};

std::optional<DType> type_of(std::string_view descr, std::optional<DType> as) {
  for (const Descriptor& row : kDescriptors) {
    if (row.text == descr && (as ? *as == row.type : !row.only_as)) return row.type;
  }
  return std::nullopt;
}

/// C order out of Fortran order: element i of the result stands where its index does with the strides
/// reversed.
std::string c_order(std::string_view data, const Shape& shape, int64_t width) {
  std::string out;
  out.reserve(data.size());
  Strides stride(shape.size(), width);
  for (size_t d = 1; d < shape.size(); ++d) stride[d] = stride[d - 1] * shape[d - 1];
  for (int64_t i = 0; i < numel(shape); ++i) {
    int64_t rest = i;
    int64_t at = 0;
    for (size_t d = shape.size(); d-- > 0; rest /= shape[d]) at += rest % shape[d] * stride[d];
    out.append(data.substr(static_cast<size_t>(at), static_cast<size_t>(width)));
  }
  return out;
}

uint32_t little_endian(std::string_view bytes) {
  uint32_t value = 0;
  for (size_t i = bytes.size(); i-- > 0;) value = value << 8 | static_cast<uint8_t>(bytes[i]);
  return value;
}

}  // namespace

Result<HostTensor> read_npy(std::string_view bytes, std::optional<DType> as) {
  if (!starts_with(bytes, kMagic) || bytes.size() < 12) return malformed("it does not begin as one");
  const int version = static_cast<uint8_t>(bytes[6]);
  if (version < 1 || version > 3) return malformed(fmt::format("version {}", version));
  const size_t length_bytes = version == 1 ? 2 : 4;
  const size_t begin = 8 + length_bytes;
  const size_t length = little_endian(bytes.substr(8, length_bytes));
  if (length > bytes.size() - begin) return malformed("its header is cut off");
  const auto header = HeaderReader(bytes.substr(begin, length)).read();
  if (!header) return malformed("its header does not name descr, fortran_order and shape");
  const auto type = type_of(header->descr, as);
  if (!type) {
    const std::string wanted = as ? fmt::format(", where {} is expected", name(*as)) : "";
    return fail(fmt::format("the array has numpy type {}{}", header->descr, wanted),
                "convert it with numpy.ndarray.astype to a little-endian type that the program declares");
  }
  const std::string_view data = bytes.substr(begin + length);
  const int64_t width = size_bytes(*type);
  if (numel(header->shape) > static_cast<int64_t>(data.size()) / width ||
      numel(header->shape) * width != static_cast<int64_t>(data.size())) {
    return malformed(
        fmt::format("{} bytes of data for {}{}", data.size(), name(*type), to_text(header->shape)));
  }
  if (header->fortran && !data.empty())
    return from_bytes(*type, header->shape, c_order(data, header->shape, width));
  return from_bytes(*type, header->shape, data);
}

std::string write_npy(const HostTensor& tensor) {
  const std::string comma = tensor.shape.size() == 1 ? "," : "";
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}",
                                   descriptor(tensor.dtype), fmt::join(tensor.shape, ", "), comma);
  const size_t before = kMagic.size() + 4;
  header.append(63 - (before + header.size()) % 64, ' ');
  header.push_back('\n');
  std::string out(kMagic);
  out += {'\x01', '\x00', static_cast<char>(header.size() & 0xff), static_cast<char>(header.size() >> 8)};
  return out + header + to_bytes(tensor);
}

}  // namespace uc
