// Products of groups of rows, each with a matrix of its own, as one CUTLASS kernel: A and the results are whole matrices,
// B is one tensor [groups, n, k]. Where groups end is read by the kernel, so that nothing is prepared and the host knows
// no sizes of groups. Tiles begin at a group's first row; what they load of the next group's rows is multiplied and not
// stored. A tile's place is (its first row, tile of columns, group).
#ifndef UC_GROUPS_CUH
#define UC_GROUPS_CUH
#include "cute/tensor.hpp"
#include "cutlass/gemm/kernel/tile_scheduler.hpp"
#include "uc_groups_walk.h"
#include "uc_kernel_args.h"

// What the kernel is given as its scheduler; Index: the type of ends.
template <class Index>
struct uc_group_tiles {};

template <class Index, class TileShape, class ClusterShape>
class uc_group_scheduler : public cutlass::gemm::kernel::detail::PersistentTileSchedulerSm90 {
  using Base = cutlass::gemm::kernel::detail::PersistentTileSchedulerSm90;
  static constexpr int kClusterM = cute::size<0>(ClusterShape{}), kClusterN = cute::size<1>(ClusterShape{});
  static constexpr int kRows = cute::size<0>(TileShape{}), kColumns = cute::size<1>(TileShape{});

 public:
  using typename Base::RasterOrder;
  struct Arguments : Base::Arguments {
    void const* ends = nullptr;
  };
  struct Params : Base::Params {
    uc_groups_shape<Index> groups;
    int32_t k_tiles;
  };
  struct WorkTileInfo : Base::WorkTileInfo {
    int32_t k_start = 0, k_count = 0;
    CUTLASS_HOST_DEVICE static WorkTileInfo invalid_work_tile() { return {{-1, -1, -1, false}, 0, 0}; }
  };

  template <class Problem>
  static Params to_underlying_arguments(Problem problem, TileShape tile, ClusterShape cluster,
                                        cutlass::KernelHardwareInfo const& hardware, Arguments const& args,
                                        void* workspace = nullptr, uint32_t subtiles = 1, uint32_t alignment = 1) {
    const int columns = int(cute::get<1>(problem)), across = kColumns * kClusterN;
    return {Base::to_underlying_arguments(problem, tile, cluster, hardware, args, workspace, subtiles, alignment),
            {static_cast<Index const*>(args.ends), int32_t(cute::get<3>(problem)), int32_t(cute::get<0>(problem)),
             kRows * kClusterM, (columns + across - 1) / across},
            int32_t(cute::ceil_div(cute::get<2>(problem), cute::get<2>(tile)))};
  }

  CUTLASS_HOST_DEVICE uc_group_scheduler() {}
  CUTLASS_DEVICE explicit uc_group_scheduler(Params const& params) : params_(&params) {
#if defined(__CUDA_ARCH__)
    const bool along_n = params.raster_order_ == RasterOrder::AlongN;
    next_ = along_n ? blockIdx.y / kClusterN : blockIdx.x / kClusterM;
    step_ = along_n ? gridDim.y / kClusterN : gridDim.x / kClusterM;
#endif
  }

  // Called by whole warps.
  CUTLASS_DEVICE WorkTileInfo initial_work_tile_info(ClusterShape) { return work(walk_, next_); }
  CUTLASS_DEVICE auto fetch_next_work(WorkTileInfo) { return cute::make_tuple(work(walk_, next_ += step_), true); }
  template <class Pipeline, class State>
  CUTLASS_DEVICE auto fetch_next_work(WorkTileInfo now, Pipeline&, State) {
    return fetch_next_work(now);
  }
  CUTLASS_DEVICE bool is_last_tile(WorkTileInfo&, uint32_t ahead = 1) const {
    uc_groups_walk walk = walk_;
    return !work(walk, next_ + int64_t(ahead) * step_).is_valid();
  }

  template <class Problem, class Tile>
  CUTLASS_HOST_DEVICE static int get_work_k_tile_count(WorkTileInfo const& work, Problem, Tile) {
    return work.k_count;
  }
  CUTLASS_HOST_DEVICE static uint32_t get_work_k_tile_start(WorkTileInfo const& work) { return uint32_t(work.k_start); }

 private:
  CUTLASS_DEVICE WorkTileInfo work(uc_groups_walk& walk, int64_t tile) const {
    if (!walk.to(params_->groups, tile)) return WorkTileInfo::invalid_work_tile();
    const uc_groups_place place = walk.place(params_->groups, tile);
    auto [m, n, _] = cute::block_id_in_cluster();
    // Rows of no group: beyond K both operands are read as zeros.
    const bool rest = place.group == params_->groups.count;
    return {{place.row + int(m) * kRows, place.column * kClusterN + int(n), place.group, true},
            rest ? params_->k_tiles : 0,
            rest ? 1 : params_->k_tiles};
  }

  Params const* params_ = nullptr;
  uc_groups_walk walk_;
  int64_t next_ = 0;
  int64_t step_ = 1;
};

namespace cutlass::gemm::kernel::detail {
template <class Index, class TileShape, class ClusterShape, uint32_t Stages>
struct TileSchedulerSelector<uc_group_tiles<Index>, arch::Sm90, TileShape, ClusterShape, Stages> {
  using Scheduler = uc_group_scheduler<Index, TileShape, ClusterShape>;
};
}  // namespace cutlass::gemm::kernel::detail

// Rows of A are counted one by one.
template <class Whole>
struct uc_group_mainloop : Whole {
  template <class Inputs, class Block, class KTiles, class... Rest>
  CUTLASS_DEVICE void load(typename Whole::Params const& params, typename Whole::MainloopPipeline pipeline,
                           typename Whole::PipelineState write, const Inputs& inputs, const Block& block, KTiles k_tiles,
                           Rest&&... rest) {
    const auto& a = cute::get<0>(inputs);
    const auto row = a.layout()(cute::make_coord(int(cute::get<0>(block)), 0, 0, 0, 0));
    const auto shifted = cute::make_tensor(a.data() + row, a.layout());
    Whole::load(params, pipeline, write, cute::make_tuple(shifted, cute::get<1>(inputs)), cute::replace<0>(block, 0),
                k_tiles, static_cast<Rest&&>(rest)...);
  }
};

// Nodes of epilogue visitor trees that stop at a group's last row.
namespace uc_groups {

namespace fusion = cutlass::epilogue::fusion;

template <class Element, class Index>
struct Tensor {
  Element* data;
  int64_t row, column;
  Index const* ends;
  int32_t groups, rows;
};

// Where a thread's elements lie.
template <class Coordinates>
struct Places {
  Coordinates relative;
  int m, n, group, columns;

  template <class... Args>
  static CUTLASS_DEVICE Places of(fusion::ConsumerStoreArgs<Args...> const& args) {
    const int rows = int(cute::get<0>(args.problem_shape_mnkl)), columns = int(cute::get<1>(args.problem_shape_mnkl));
    const int first = int(cute::get<0>(args.tile_coord_mnkl));
    // CUTLASS counts the first row in tiles.
    const int in_tile = rows - int(cute::get<0>(args.residue_tCcD)) - first * int(cute::size<0>(args.tile_shape_mnk));
    return {args.tCcD, first + in_tile, columns - int(cute::get<1>(args.residue_tCcD)),
            int(cute::get<3>(args.tile_coord_mnkl)), columns};
  }
  template <class Where>
  CUTLASS_DEVICE int end(Where const& where) const {
    if (group >= where.groups) return where.rows;
    const int64_t end = int64_t(where.ends[group]);
    return end < where.rows ? int(end) : where.rows;
  }
};

template <class Element, class Index>
struct Node {
  using Params = Tensor<Element, Index>;
  struct SharedStorage {};
  struct Arguments {
    uck_view view;
    void const* ends;
    int64_t groups, rows;
  };

  template <class Problem>
  static Params to_underlying_arguments(Problem const&, Arguments const& args, void*) {
    return {static_cast<Element*>(args.view.data), args.view.stride[1], args.view.stride[2],
            static_cast<Index const*>(args.ends), int32_t(args.groups), int32_t(args.rows)};
  }
  template <class Problem>
  static bool can_implement(Problem const&, Arguments const&) {
    return true;
  }
  template <class Problem>
  static size_t get_workspace_size(Problem const&, Arguments const&) {
    return 0;
  }
  template <class Problem>
  static cutlass::Status initialize_workspace(Problem const&, Arguments const&, void*, cudaStream_t,
                                              cutlass::CudaHostAdapter* = nullptr) {
    return cutlass::Status::kSuccess;
  }

  CUTLASS_HOST_DEVICE Node() {}
  CUTLASS_HOST_DEVICE Node(Params const& given, SharedStorage const&) : params(&given) {}
  Params const* params = nullptr;

  CUTLASS_DEVICE bool is_producer_load_needed() const { return false; }
  CUTLASS_DEVICE bool is_C_load_needed() const { return false; }
  template <class... Args>
  CUTLASS_DEVICE auto get_producer_load_callbacks(fusion::ProducerLoadArgs<Args...> const&) {
    return fusion::EmptyProducerLoadCallbacks{};
  }
};

// Pairs: two neighbours of a row are one aligned word.
template <class Element, class Index, bool Pairs>
struct Store : Node<Element, Index> {
  using Base = Node<Element, Index>;
  using Base::Base;
  using ElementAux = Element;

  template <class Coordinates>
  struct Callbacks : fusion::EmptyConsumerStoreCallbacks {
    typename Base::Params const* params;
    Places<Coordinates> places;
    int until;
    CUTLASS_DEVICE Callbacks(typename Base::Params const* given, Places<Coordinates> where)
        : params(given), places(where), until(where.end(*given)) {}

    template <class Accumulator, int N>
    CUTLASS_DEVICE void visit(cutlass::Array<Accumulator, N> const&, int epi_v, int epi_m, int epi_n,
                              cutlass::Array<Element, N> const& value) {
      auto tile = places.relative(cute::_, cute::_, cute::_, epi_m, epi_n);
      CUTLASS_PRAGMA_UNROLL
      for (int i = 0; i < N; i += 2) {
        const auto first = tile(epi_v * N + i), second = tile(epi_v * N + i + 1);
        const int m[2] = {places.m + int(cute::get<0>(first)), places.m + int(cute::get<0>(second))};
        const int n[2] = {places.n + int(cute::get<1>(first)), places.n + int(cute::get<1>(second))};
        if (Pairs && m[0] == m[1] && n[0] + 1 == n[1]) {
          if (m[0] >= until || n[0] >= places.columns) continue;
          using Word = cutlass::AlignedArray<Element, 2>;
          Word word;
          word[0] = value[i];
          word[1] = value[i + 1];
          *reinterpret_cast<Word*>(params->data + m[0] * params->row + n[0]) = word;
        } else {
          CUTLASS_PRAGMA_UNROLL
          for (int j = 0; j < 2; ++j) {
            if (m[j] < until && n[j] < places.columns)
              params->data[m[j] * params->row + n[j] * params->column] = value[i + j];
          }
        }
      }
    }
  };

  template <bool ReferenceSrc, class... Args>
  CUTLASS_DEVICE auto get_consumer_store_callbacks(fusion::ConsumerStoreArgs<Args...> const& args) {
    using Coordinates = decltype(args.tCcD);
    return Callbacks<Coordinates>(this->params, Places<Coordinates>::of(args));
  }
};

template <class Element, class Index>
struct Load : Node<Element, Index> {
  using Base = Node<Element, Index>;
  using Base::Base;

  template <class Coordinates>
  struct Callbacks : fusion::EmptyConsumerStoreCallbacks {
    typename Base::Params const* params;
    Places<Coordinates> places;
    int until;
    CUTLASS_DEVICE Callbacks(typename Base::Params const* given, Places<Coordinates> where)
        : params(given), places(where), until(where.end(*given)) {}

    template <class Accumulator, int N>
    CUTLASS_DEVICE auto visit(cutlass::Array<Accumulator, N> const&, int epi_v, int epi_m, int epi_n) {
      auto tile = places.relative(cute::_, cute::_, cute::_, epi_m, epi_n);
      cutlass::Array<Element, N> out;
      CUTLASS_PRAGMA_UNROLL
      for (int i = 0; i < N; ++i) {
        const auto at = tile(epi_v * N + i);
        const int m = places.m + int(cute::get<0>(at)), n = places.n + int(cute::get<1>(at));
        out[i] = m < until && n < places.columns ? params->data[m * params->row + n * params->column] : Element(0);
      }
      return out;
    }
  };

  template <bool ReferenceSrc, class... Args>
  CUTLASS_DEVICE auto get_consumer_store_callbacks(fusion::ConsumerStoreArgs<Args...> const& args) {
    using Coordinates = decltype(args.tCcD);
    return Callbacks<Coordinates>(this->params, Places<Coordinates>::of(args));
  }
};

}  // namespace uc_groups
#endif
