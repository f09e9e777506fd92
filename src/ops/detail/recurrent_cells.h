#pragma once
// Why: lstm, gru and rnn differ in what one time step does with its gates; layers, directions and states are
// the same for all of them.
#include <optional>
#include <span>
#include <vector>

#include "catalog/op_spec.h"
#include "ir/kernel.h"

namespace uc::ops {

struct RecurrentShape {
  int64_t time = 0, batch = 0, features = 0, hidden = 0;
  int64_t layers = 1, directions = 1, gates = 1;
  bool bias = false, batch_first = false;
  int64_t weights_each() const { return bias ? 4 : 2; }  ///< of a layer and direction
  Shape output() const;
  Shape state() const { return {layers * directions, batch, hidden}; }
};

enum class Cell : uint8_t { lstm, gru, rnn_tanh, rnn_relu };
constexpr int64_t gates_of(Cell cell) { return cell == Cell::lstm ? 4 : cell == Cell::gru ? 3 : 1; }

/// Of x and the weights' shapes; nothing when their count or extents do not fit.
std::optional<RecurrentShape> recurrent_shape(const Attrs& attrs, Cell cell, const Shape& x,
                                              const std::vector<Shape>& weights);

/// What a run reads: x, the weights in torch's order, and initial states.
struct RecurrentData {
  const HostTensor* x;
  std::vector<const HostTensor*> weights;
  const HostTensor* h0 = nullptr;  ///< null: zeros
  const HostTensor* c0 = nullptr;
};

/// All layers and directions. out: y, h_n and, for lstm, c_n. The state is rounded to its type after every
/// time step, as y stores it; gates and the cell state of lstm are not.
void run_recurrent(const RecurrentShape& shape, Cell cell, Math math, const RecurrentData& data,
                   std::span<HostTensor> out);

}  // namespace uc::ops
