// A box of a tensor in shared memory, turned: read along one dimension, used along another. Words are written and read so
// that neighbouring threads meet in different banks.
#ifndef UC_TILE_CUH
#define UC_TILE_CUH
#include "uc_kernel_args.h"
#include "uc_round.cuh"

#if defined(UC_EMULATE)
#include "uc_emulate.h"
#define UC_DEV inline
#else
#define UC_DEV __device__ __forceinline__
#endif
#if !defined(UC_SHARED)
#define UC_SHARED(name, bytes) __shared__ alignas(16) char name[bytes]
#endif

// `Batches` boxes of Rows x Columns elements. In memory neighbouring rows lie at neighbouring addresses; here
// neighbouring columns do.
template <class T, int Batches, int Rows, int Columns> struct uc_tile {
  static constexpr int Unit = sizeof(T) < 4 ? 4 / int(sizeof(T)) : 1;  // elements of a word
  static constexpr int Pitch = (((Columns + Unit - 1) / Unit) | 1) * Unit;
  T* at;

  UC_DEV explicit uc_tile(char* memory) : at(reinterpret_cast<T*>(memory)) {}

  // Reads the box, V rows at once of Cell neighbouring columns, by `Threads` threads. `from(batch)` is where the box of
  // a batch begins, null beyond the last one; columns are `stride` elements apart; `rows` and `columns` are inside.
  template <int Threads, int V, int Cell, class From>
  UC_DEV void fill(From from, int64_t stride, int rows, int columns) const {
    constexpr int Down = (Rows + V - 1) / V;
    constexpr int Along = (Columns + Cell - 1) / Cell;
    constexpr int All = Down * Along * Batches;
    constexpr int Held = 64 / (V * Cell * int(sizeof(T))) < 1 ? 1 : 64 / (V * Cell * int(sizeof(T)));
    for (int first = 0; first < All; first += Held * Threads) {
      uc_pack<T, V> held[Held][Cell];
#pragma unroll
      for (int n = 0; n < Held; ++n) {
        const int each = first + n * Threads + int(threadIdx.x);
        const int row = each % Down * V, column = each / Down % Along * Cell;
        if (each >= All || row >= rows || column >= columns) continue;
        const T* base = from(each / (Down * Along));
        if (base == nullptr) continue;
#pragma unroll
        for (int c = 0; c < Cell; ++c) {
          if (column + c < columns)
            held[n][c] = *reinterpret_cast<const uc_pack<T, V>*>(base + (column + c) * stride + row);
        }
      }
#pragma unroll
      for (int n = 0; n < Held; ++n) {
        const int each = first + n * Threads + int(threadIdx.x);
        const int row = each % Down * V, column = each / Down % Along * Cell;
        if (each >= All || row >= rows || column >= columns) continue;
#pragma unroll
        for (int k = 0; k < V; ++k) {
          uc_pack<T, Cell> cell;
#pragma unroll
          for (int c = 0; c < Cell; ++c) cell.at[c] = held[n][c].at[k];
          *reinterpret_cast<uc_pack<T, Cell>*>(row_of(each / (Down * Along), row + k) + column) = cell;
        }
      }
    }
  }

  // The same where all rows of a column lie behind those of the one before: V elements at once, columns regardless.
  template <int Threads, int V, class From> UC_DEV void fill_flat(From from, int columns) const {
    constexpr int Each = Rows * Columns / V;
    constexpr int All = Each * Batches;
    constexpr int Held = 64 / (V * int(sizeof(T))) < 1 ? 1 : 64 / (V * int(sizeof(T)));
    for (int first = 0; first < All; first += Held * Threads) {
      uc_pack<T, V> held[Held];
#pragma unroll
      for (int n = 0; n < Held; ++n) {
        const int each = first + n * Threads + int(threadIdx.x);
        if (each >= All || each % Each * V >= Rows * columns) continue;
        const T* base = from(each / Each);
        if (base != nullptr) held[n] = *reinterpret_cast<const uc_pack<T, V>*>(base + each % Each * V);
      }
#pragma unroll
      for (int n = 0; n < Held; ++n) {
        const int each = first + n * Threads + int(threadIdx.x);
        if (each >= All || each % Each * V >= Rows * columns) continue;
#pragma unroll
        for (int k = 0; k < V; ++k) {
          const int place = each % Each * V + k;
          row_of(each / Each, place % Rows)[place / Rows] = held[n].at[k];
        }
      }
    }
  }

  // V neighbouring columns of a row; V divides `column`.
  template <int V> UC_DEV uc_pack<T, V> read(int batch, int row, int column) const {
    constexpr int Cell = V % Unit == 0 ? Unit : 1;
    const T* from = row_of(batch, row) + column;
    uc_pack<T, V> out;
#pragma unroll
    for (int k = 0; k < V; k += Cell) {
      const auto cell = *reinterpret_cast<const uc_pack<T, Cell>*>(from + k);
#pragma unroll
      for (int c = 0; c < Cell; ++c) out.at[k + c] = cell.at[c];
    }
    return out;
  }

  // V elements from the place `first` on, rows one behind the other.
  template <int V> UC_DEV uc_pack<T, V> read_flat(int batch, int first) const {
    uc_pack<T, V> out;
#pragma unroll
    for (int k = 0; k < V; ++k) out.at[k] = row_of(batch, (first + k) / Columns)[(first + k) % Columns];
    return out;
  }

 private:
  UC_DEV T* row_of(int batch, int row) const { return at + (batch * Rows + row) * Pitch; }
};
#endif
