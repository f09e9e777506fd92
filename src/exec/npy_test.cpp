// Files in data/npy were written by numpy 2 (numpy.save); what we write is compared with numpy's bytes.
#include "exec/npy.h"

#include <cmath>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>

namespace uc {
namespace {

std::string file(const std::string& name) {
  std::ifstream in(std::string(UC_SOURCE_DIR) + "/data/npy/" + name, std::ios::binary);
  EXPECT_TRUE(in.good()) << name;
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(Npy, ReadsNumpysTypes) {
  const auto f32 = read_npy(file("f32_2x3.npy"));
  ASSERT_TRUE(f32.has_value());
  EXPECT_EQ(f32->dtype, DType::f32);
  EXPECT_EQ(f32->shape, (Shape{2, 3}));
  EXPECT_EQ(f32->at(1), 2.5);
  EXPECT_TRUE(std::isinf(f32->at(5)));

  const auto f16 = read_npy(file("f16_5.npy"));
  ASSERT_TRUE(f16.has_value());
  EXPECT_EQ(f16->at(1), 65504.0);
  EXPECT_EQ(f16->at(2), std::ldexp(1.0, -24));
  EXPECT_TRUE(std::isnan(f16->at(4)));

  const auto boolean = read_npy(file("bool_2x2.npy"));
  ASSERT_TRUE(boolean.has_value());
  EXPECT_EQ(boolean->at(3), 1.0);
  EXPECT_EQ(boolean->at(1), 0.0);
}

TEST(Npy, ReadsFortranOrder) {
  const auto tensor = read_npy(file("f64_fortran.npy"));
  ASSERT_TRUE(tensor.has_value());
  for (int64_t i = 0; i < 24; ++i) EXPECT_EQ(tensor->at(i), static_cast<double>(i) / 8);
}

TEST(Npy, KeepsIntegersThatDoublesCannotHold) {
  const auto tensor = read_npy(file("i64_scalar.npy"));
  ASSERT_TRUE(tensor.has_value());
  EXPECT_TRUE(tensor->shape.empty());
  EXPECT_EQ(std::get<std::vector<int64_t>>(tensor->data)[0], -9007199254740993);
}

TEST(Npy, ReadsEmptyArraysAndVersion2) {
  const auto empty = read_npy(file("u8_0x3.npy"));
  ASSERT_TRUE(empty.has_value());
  EXPECT_EQ(empty->shape, (Shape{0, 3}));
  const auto second = read_npy(file("version2_i32.npy"));
  ASSERT_TRUE(second.has_value());
  EXPECT_EQ(second->at(5), 5.0);
}

TEST(Npy, WritesNumpysBytes) {
  for (const char* name : {"f32_2x3.npy", "f16_5.npy", "i64_scalar.npy", "bool_2x2.npy", "u8_0x3.npy"}) {
    const std::string bytes = file(name);
    const auto tensor = read_npy(bytes);
    ASSERT_TRUE(tensor.has_value()) << name;
    EXPECT_EQ(write_npy(*tensor), bytes) << name;
  }
}

TEST(Npy, TypesWithoutNumpyNameAreReadWhereExpected) {
  HostTensor tensor = HostTensor::zeros(DType::bf16, {3});
  tensor.set(1, 1.0 / 3.0);
  const std::string bytes = write_npy(tensor);
  EXPECT_FALSE(read_npy(bytes).has_value());
  const auto back = read_npy(bytes, DType::bf16);
  ASSERT_TRUE(back.has_value());
  EXPECT_EQ(back->at(1), 0.333984375);  // 0x3eab
}

TEST(Npy, RefusesWhatItCannotRepresent) {
  for (const char* name : {"big_endian.npy", "complex.npy", "pickled.npy"}) {
    const auto tensor = read_npy(file(name));
    ASSERT_FALSE(tensor.has_value()) << name;
    EXPECT_FALSE(tensor.error().help.empty());
  }
  const auto wrong = read_npy(file("f32_2x3.npy"), DType::f16);
  ASSERT_FALSE(wrong.has_value());
  EXPECT_NE(wrong.error().message.find("f16"), std::string::npos);
}

TEST(Npy, SurvivesDamage) {
  for (const char* name : {"f32_2x3.npy", "f64_fortran.npy", "version2_i32.npy"}) {
    const std::string good = file(name);
    for (size_t length = 0; length < good.size(); ++length) {
      EXPECT_FALSE(read_npy(std::string_view(good).substr(0, length)).has_value())
          << name << " cut to " << length;
    }
    for (size_t at = 0; at < good.size(); ++at) {
      for (const char value : {'\x00', '\xff', '9', '(', '\''}) {
        std::string bad = good;
        bad[at] = value;
        (void)read_npy(bad);  // an error or a tensor, never a crash (run under sanitizers)
      }
    }
    EXPECT_FALSE(read_npy(good + "x").has_value());
  }
}

TEST(Npy, RefusesExtentsThatOverflow) {
  std::string text =
      "{'descr': '<f4', 'fortran_order': True, 'shape': (4611686018427387904, 4611686018427387904, 4), }";
  std::string bytes =
      std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(text.size()) + '\x00' + text + "abcd";
  EXPECT_FALSE(read_npy(bytes).has_value());
}

}  // namespace
}  // namespace uc
