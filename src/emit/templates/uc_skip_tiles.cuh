// A CUTLASS tile scheduler for products of triangular matrices: of K each tile gets the part where neither operand is
// zero. Blocks of a cluster load for one another, so that they go over what any of them needs. The kernel asks for the
// part by static functions: structure and tiles are template arguments.
#ifndef UC_SKIP_TILES_CUH
#define UC_SKIP_TILES_CUH
#include "cutlass/gemm/kernel/tile_scheduler.hpp"
#include "uc_skip_range.h"

// What the kernel is given as its scheduler; see uc_skip_bands.
template <bool AFrom, bool ATo, bool BFrom, bool BTo, bool DFrom, bool DTo>
struct uc_skip_tiles {};

template <class Tag, class TileShape, class ClusterShape>
class uc_skip_scheduler;

template <bool AFrom, bool ATo, bool BFrom, bool BTo, bool DFrom, bool DTo, class TileShape, class ClusterShape>
class uc_skip_scheduler<uc_skip_tiles<AFrom, ATo, BFrom, BTo, DFrom, DTo>, TileShape, ClusterShape>
    : public cutlass::gemm::kernel::detail::PersistentTileSchedulerSm90 {
  using Base = cutlass::gemm::kernel::detail::PersistentTileSchedulerSm90;
  static constexpr CUTLASS_HOST_DEVICE uc_skip_bands bands() { return {AFrom, ATo, BFrom, BTo, DFrom, DTo}; }
  static constexpr int kClusterM = cute::size<0>(ClusterShape{}), kClusterN = cute::size<1>(ClusterShape{});
  static constexpr int kRows = cute::size<0>(TileShape{}) * kClusterM;
  static constexpr int kColumns = cute::size<1>(TileShape{}) * kClusterN;
  static constexpr int kDepth = cute::size<2>(TileShape{});

 public:
  using typename Base::Arguments;
  using typename Base::RasterOrder;
  using typename Base::WorkTileInfo;
  struct Params : Base::Params {
    uc_skip_order order;
  };

  template <class Problem>
  static Params to_underlying_arguments(Problem problem, TileShape tile, ClusterShape cluster,
                                        cutlass::KernelHardwareInfo const& hardware, Arguments const& args,
                                        void* workspace = nullptr, uint32_t subtiles = 1, uint32_t alignment = 1) {
    Params out{
        Base::to_underlying_arguments(problem, tile, cluster, hardware, args, workspace, subtiles, alignment), {}};
    out.order.fill(bands(), cute::get<0>(problem), cute::get<1>(problem), cute::get<2>(problem), cute::get<3>(problem),
                   kRows, kColumns, kDepth);
    return out;
  }

  CUTLASS_HOST_DEVICE uc_skip_scheduler() {}
  CUTLASS_DEVICE explicit uc_skip_scheduler(Params const& params) : order_(&params.order) {
#if defined(__CUDA_ARCH__)
    // Clusters are counted along the dimension of the grid that is not the cluster's own.
    const bool along_n = params.raster_order_ == RasterOrder::AlongN;
    slot_ = along_n ? blockIdx.y / kClusterN : blockIdx.x / kClusterM;
    slots_ = along_n ? gridDim.y / kClusterN : gridDim.x / kClusterM;
#endif
  }

  CUTLASS_DEVICE WorkTileInfo initial_work_tile_info(ClusterShape) const { return work(0); }
  CUTLASS_DEVICE auto fetch_next_work(WorkTileInfo) { return cute::make_tuple(work(++wave_), true); }
  template <class Pipeline, class State>
  CUTLASS_DEVICE auto fetch_next_work(WorkTileInfo now, Pipeline&, State) {
    return fetch_next_work(now);
  }
  CUTLASS_DEVICE bool is_last_tile(WorkTileInfo&, uint32_t ahead = 1) const { return !work(wave_ + ahead).is_valid(); }

  template <class Problem, class Tile>
  CUTLASS_HOST_DEVICE static int get_work_k_tile_count(WorkTileInfo const& work, Problem problem, Tile) {
    return range(work, int(cute::ceil_div(cute::get<2>(problem), int(kDepth)))).count;
  }
  // Where it begins does not depend on how long K is.
  CUTLASS_HOST_DEVICE static uint32_t get_work_k_tile_start(WorkTileInfo const& work) {
    return uint32_t(range(work, 1 << 24).start);
  }

 private:
  CUTLASS_HOST_DEVICE static uc_skip_range range(WorkTileInfo const& work, int tiles) {
    const int64_t m = int64_t(work.M_idx) / kClusterM * kRows, n = int64_t(work.N_idx) / kClusterN * kColumns;
    return uc_skip_needed(bands(), m, m + kRows, n, n + kColumns, kDepth, tiles);
  }
  CUTLASS_DEVICE WorkTileInfo work(int64_t wave) const {
    const int at = int(order_->at(slot_, wave, slots_));
    if (at < 0) return WorkTileInfo::invalid_work_tile();
    const int row = at / order_->columns, batch = row / order_->rows;
    auto [m, n, _] = cute::block_id_in_cluster();
    return {(row - batch * order_->rows) * kClusterM + int(m), (at - row * order_->columns) * kClusterN + int(n), batch,
            true};
  }

  uc_skip_order const* order_ = nullptr;
  uint32_t slot_ = 0, slots_ = 1;
  int64_t wave_ = 0;
};

namespace cutlass::gemm::kernel::detail {
template <bool... Bands, class TileShape, class ClusterShape, uint32_t Stages>
struct TileSchedulerSelector<uc_skip_tiles<Bands...>, arch::Sm90, TileShape, ClusterShape, Stages> {
  using Scheduler = uc_skip_scheduler<uc_skip_tiles<Bands...>, TileShape, ClusterShape>;
};
}  // namespace cutlass::gemm::kernel::detail
#endif
