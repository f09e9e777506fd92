#include "ops/detail/recurrent_cells.h"

#include <algorithm>
#include <cmath>

#include "exec/multiply.h"

namespace uc::ops {
namespace {

int64_t flag(const Attrs& attrs, std::string_view key) { return attrs.get_bool(key, false) ? 2 : 1; }

// ---- one layer in one direction

template <class T>
T sigmoid(T x) {
  return T{1} / (T{1} + std::exp(-x));
}

template <class T>
class Layer {
 public:
  using Values = std::vector<T>;

  Layer(const RecurrentShape& shape, Cell cell, Math math, DType type)
      : shape_(shape), cell_(cell), math_(math), type_(type) {}

  /// `x` is [time, batch, I]; the result [time, batch, H] into columns `at` of `y`; `h`, `c` [batch, H].
  void run(const HostTensor& x, std::span<const HostTensor* const> weights, bool backwards, HostTensor& h,
           Values& c, HostTensor& y, int64_t at) const {
    const int64_t width = shape_.gates * shape_.hidden;
    HostTensor from_x = HostTensor::zeros(type_, {shape_.time, shape_.batch, width});
    multiply(x, *weights[0], true, math_, from_x);
    const Values bias_ih = bias(weights, 2);
    const Values bias_hh = bias(weights, 3);
    HostTensor from_h = HostTensor::zeros(type_, {shape_.batch, width});
    for (int64_t step = 0; step < shape_.time; ++step) {
      const int64_t t = backwards ? shape_.time - 1 - step : step;
      multiply(h, *weights[1], true, math_, from_h);
      for (int64_t b = 0; b < shape_.batch; ++b) {
        const T* gx = values(from_x).data() + (t * shape_.batch + b) * width;
        const T* gh = values(from_h).data() + b * width;
        T* state = values(h).data() + b * shape_.hidden;
        T* memory = c.empty() ? nullptr : c.data() + b * shape_.hidden;
        for (int64_t j = 0; j < shape_.hidden; ++j)
          unit(gx + j, gh + j, bias_ih.data() + j, bias_hh.data() + j, state[j],
               memory == nullptr ? nullptr : memory + j);
        T* row = values(y).data() + (t * shape_.batch + b) * shape_.hidden * shape_.directions + at;
        std::copy_n(state, shape_.hidden, row);
      }
    }
  }

 private:
  static Values& values(HostTensor& tensor) { return std::get<Values>(tensor.data); }

  Values bias(std::span<const HostTensor* const> weights, size_t index) const {
    if (shape_.bias) return std::get<Values>(weights[index]->data);
    return Values(static_cast<size_t>(shape_.gates * shape_.hidden), T{0});
  }

  // Gates in torch's order: lstm i f g o, gru r z n.
  void unit(const T* gx, const T* gh, const T* bx, const T* bh, T& h, T* c) const {
    const int64_t n = shape_.hidden;
    const auto gate = [&](int64_t which) {
      return gx[which * n] + bx[which * n] + gh[which * n] + bh[which * n];
    };
    T next = 0;
    switch (cell_) {
      case Cell::lstm:
        *c = sigmoid(gate(1)) * *c + sigmoid(gate(0)) * std::tanh(gate(2));
        next = sigmoid(gate(3)) * std::tanh(*c);
        break;
      case Cell::gru: {
        const T reset = sigmoid(gate(0));
        const T update = sigmoid(gate(1));
        const T fresh = std::tanh(gx[2 * n] + bx[2 * n] + reset * (gh[2 * n] + bh[2 * n]));
        next = (T{1} - update) * fresh + update * h;
        break;
      }
      case Cell::rnn_tanh: next = std::tanh(gate(0)); break;
      case Cell::rnn_relu: next = gate(0) < 0 ? T{0} : gate(0); break;
    }
    h = static_cast<T>(round_to(type_, static_cast<double>(next)));
  }

  const RecurrentShape& shape_;
  Cell cell_;
  Math math_;
  DType type_;
};

// ---- layers and directions

// [batch, time, features] to [time, batch, features], or back.
HostTensor first_two_swapped(const HostTensor& x) {
  HostTensor out = HostTensor::zeros(x.dtype, {x.shape[1], x.shape[0], x.shape[2]});
  std::visit(
      [&](const auto& from) {
        auto& to = std::get<std::decay_t<decltype(from)>>(out.data);
        for (int64_t i = 0; i < x.shape[0]; ++i) {
          for (int64_t j = 0; j < x.shape[1]; ++j) {
            std::copy_n(from.begin() + (i * x.shape[1] + j) * x.shape[2], x.shape[2],
                        to.begin() + (j * x.shape[0] + i) * x.shape[2]);
          }
        }
      },
      x.data);
  return out;
}

HostTensor part(const HostTensor* states, DType type, const Shape& shape, int64_t index) {
  HostTensor out = HostTensor::zeros(type, {shape[1], shape[2]});
  if (states == nullptr) return out;
  std::visit(
      [&](const auto& from) {
        auto& to = std::get<std::decay_t<decltype(from)>>(out.data);
        std::copy_n(from.begin() + index * out.count(), out.count(), to.begin());
      },
      states->data);
  return out;
}

template <class T>
void run_as(const RecurrentShape& shape, Cell cell, Math math, const RecurrentData& data,
            std::span<HostTensor> out) {
  const DType type = data.x->dtype;
  const Layer<T> layer(shape, cell, math, type);
  const Shape state = shape.state();
  HostTensor x = shape.batch_first ? first_two_swapped(*data.x) : *data.x;
  for (int64_t l = 0; l < shape.layers; ++l) {
    HostTensor y = HostTensor::zeros(type, {shape.time, shape.batch, shape.hidden * shape.directions});
    for (int64_t d = 0; d < shape.directions; ++d) {
      const int64_t index = l * shape.directions + d;
      HostTensor h = part(data.h0, type, state, index);
      HostTensor c = part(data.c0, type, state, index);
      auto& cells = std::get<std::vector<T>>(c.data);
      const std::span<const HostTensor* const> weights(data.weights.data() + index * shape.weights_each(),
                                                       static_cast<size_t>(shape.weights_each()));
      layer.run(x, weights, d == 1, h, cells, y, d * shape.hidden);
      std::ranges::copy(std::get<std::vector<T>>(h.data),
                        std::get<std::vector<T>>(out[1].data).begin() + index * h.count());
      if (cell == Cell::lstm)
        std::ranges::copy(cells, std::get<std::vector<T>>(out[2].data).begin() + index * h.count());
    }
    x = std::move(y);
  }
  out[0].data = shape.batch_first ? first_two_swapped(x).data : x.data;
}

}  // namespace

Shape RecurrentShape::output() const {
  return batch_first ? Shape{batch, time, hidden * directions} : Shape{time, batch, hidden * directions};
}

std::optional<RecurrentShape> recurrent_shape(const Attrs& attrs, Cell cell, const Shape& x,
                                              const std::vector<Shape>& weights) {
  if (x.size() != 3 || weights.size() < 2 || weights[1].size() != 2) return std::nullopt;
  RecurrentShape out;
  out.batch_first = attrs.get_bool("batch_first", false);
  out.time = x[out.batch_first ? 1 : 0];
  out.batch = x[out.batch_first ? 0 : 1];
  out.features = x[2];
  out.hidden = weights[1][1];
  out.gates = gates_of(cell);
  out.layers = attrs.get_int("layers", 1);
  out.directions = flag(attrs, "bidirectional");
  const int64_t cells = out.layers * out.directions;
  const auto count = static_cast<int64_t>(weights.size());
  if (out.layers < 1 || (count != 2 * cells && count != 4 * cells)) return std::nullopt;
  out.bias = count == 4 * cells;
  const int64_t rows = out.gates * out.hidden;
  for (int64_t i = 0; i < count; ++i) {
    const bool first = i / (out.weights_each() * out.directions) == 0;
    const int64_t in = first ? out.features : out.hidden * out.directions;
    const int64_t which = i % out.weights_each();
    const Shape wanted = which == 0 ? Shape{rows, in} : which == 1 ? Shape{rows, out.hidden} : Shape{rows};
    if (weights[static_cast<size_t>(i)] != wanted) return std::nullopt;
  }
  return out;
}

void run_recurrent(const RecurrentShape& shape, Cell cell, Math math, const RecurrentData& data,
                   std::span<HostTensor> out) {
  if (data.x->dtype == DType::f64) {
    run_as<double>(shape, cell, math, data, out);
  } else {
    run_as<float>(shape, cell, math, data, out);
  }
}

}  // namespace uc::ops
