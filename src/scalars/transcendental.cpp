// Transcendental functions: values from the C library; costs as emit/templates/uc_math.cuh computes them.
#include <cmath>
#include <cstdint>
#include <span>

#include "catalog/scalar_fn.h"

namespace uc::scalars {
namespace {

template <class T>
T log1p_exp(T x, T, T) {
  return (x > 0 ? x : x <= 0 ? T{0} : x) + std::log1p(std::exp(-std::fabs(x)));
}

template <class T>
T sigmoid(T x, T, T) {
  return T{1} / (T{1} + std::exp(-x));
}

constexpr ScalarFn kRows[] = {
    {"exp", 1, [](float x, float, float) { return std::exp(x); },
     [](double x, double, double) { return std::exp(x); }, nullptr, "uc_exp({0})", 1, 1},
    {"expm1", 1, [](float x, float, float) { return std::expm1(x); },
     [](double x, double, double) { return std::expm1(x); }, nullptr, "uc_expm1({0})", 9, 1},
    {"log", 1, [](float x, float, float) { return std::log(x); },
     [](double x, double, double) { return std::log(x); }, nullptr, "uc_log({0})", 25, 0},
    {"log1p", 1, [](float x, float, float) { return std::log1p(x); },
     [](double x, double, double) { return std::log1p(x); }, nullptr, "uc_log1p({0})", 28, 0},
    {"log1p_exp", 1, log1p_exp<float>, log1p_exp<double>, nullptr, "uc_log1p_exp({0})", 11, 1},
    {"sigmoid", 1, sigmoid<float>, sigmoid<double>, nullptr, "uc_sigmoid({0})", 2, 2},
    {"tanh", 1, [](float x, float, float) { return std::tanh(x); },
     [](double x, double, double) { return std::tanh(x); }, nullptr, "uc_tanh({0})", 12, 1},
    {"erf", 1, [](float x, float, float) { return std::erf(x); },
     [](double x, double, double) { return std::erf(x); }, nullptr, "uc_erf({0})", 14, 1},
    {"rcp", 1, [](float x, float, float) { return 1.0F / x; },
     [](double x, double, double) { return 1.0 / x; }, nullptr, "uc_rcp({0})", 0, 1},
    {"sqrt", 1, [](float x, float, float) { return std::sqrt(x); },
     [](double x, double, double) { return std::sqrt(x); }, nullptr, "uc_sqrt({0})", 2, 1},
    {"rsqrt", 1, [](float x, float, float) { return 1.0F / std::sqrt(x); },
     [](double x, double, double) { return 1.0 / std::sqrt(x); }, nullptr, "uc_rsqrt({0})", 2, 1},
    {"sin", 1, [](float x, float, float) { return std::sin(x); },
     [](double x, double, double) { return std::sin(x); }, nullptr, "uc_sin({0})", 40, 0},
    {"cos", 1, [](float x, float, float) { return std::cos(x); },
     [](double x, double, double) { return std::cos(x); }, nullptr, "uc_cos({0})", 40, 0},
};

}  // namespace

std::span<const ScalarFn> transcendental_rows() { return kRows; }

}  // namespace uc::scalars
