// What CUTLASS 3 is asked for, stated by hand: which collective, scheduler, layout and visitor node each
// program needs, and which statement of the host half gives it its arguments.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "catalog/builtin.h"
#include "compiler/emission.h"
#include "diag/render.h"

namespace uc {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// Both halves of the last kernel, without white space: layout is the printer's business.
struct Halves {
  std::string device, host;
};

std::string dense(std::string text) {
  std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
  return text;
}

const Catalog& catalog() {
  static const Catalog rows = builtin_catalog();
  return rows;
}

Halves emit(const std::string& body) {
  const Compiled compiled = check_source(catalog(), "target sm_90a\n" + body);
  EXPECT_TRUE(compiled.ok()) << body << render_text(compiled.diags.sorted(), compiled.source, "");
  if (!compiled.ok()) return {};
  const EmittedProgram program = emit_program(catalog(), compiled);
  return {dense(program.kernels.back().device_source), dense(program.kernels.back().host_source)};
}

// A gemm of two f16 matrices with what follows it.
Halves half(std::string_view after) {
  return emit(
      fmt::format("input a: f16[512, 512]\ninput b: f16[512, 512]\ninput v: f32[512]\n"
                  "input r: f32[512, 512]\nc = gemm(a, b){}\nreturn c\n",
                  after));
}

TEST(EmissionSm90, OneTileABlockHasNoTileScheduler) {
  const Halves it = half(".tile(128x128x64).schedule(warp_specialized) >> to(f32)");
  EXPECT_THAT(it.device, HasSubstr("cutlass::gemm::KernelTmaWarpSpecialized>::CollectiveOp"));
  EXPECT_THAT(it.device, HasSubstr("cutlass::epilogue::TmaWarpSpecialized,Tree>"));
  EXPECT_THAT(it.device, HasSubstr("Mainloop,Epilogue,void>"));
  EXPECT_THAT(it.host, Not(HasSubstr("a.scheduler")));
}

TEST(EmissionSm90, StreamKAsksForScratchAndClearsIt) {
  const Halves it = half(".tile(128x128x64).scheduler(stream_k) >> to(f32)");
  EXPECT_THAT(it.device, HasSubstr("cutlass::gemm::StreamKScheduler>"));
  EXPECT_THAT(it.device, HasSubstr("KernelTmaWarpSpecializedCooperative"));
  EXPECT_THAT(it.host, HasSubstr("decltype(a.scheduler.decomposition_mode)::StreamK"));
  EXPECT_THAT(it.host, HasSubstr("Kernel::get_workspace_size(arguments(x))"));
  EXPECT_THAT(it.host, HasSubstr("to_underlying_arguments(a,x->scratch)"));
  EXPECT_THAT(it.host, HasSubstr("initialize_workspace(a,x->scratch,static_cast<cudaStream_t>(x->stream))"));
}

// The sums of a tile are whole where its epilogue runs, so sums of rows need no more of stream-K.
TEST(EmissionSm90, StreamKCombinesRows) {
  const Halves it = half(".tile(128x128x64).scheduler(stream_k) >> to(f32) >> row_reduce()");
  EXPECT_THAT(it.device, HasSubstr("cutlass::gemm::StreamKScheduler>"));
  EXPECT_THAT(it.device, HasSubstr("Sm90ColReduction"));
}

// Factors that are the same along K are values of the epilogue: a column of A's, a row of B's.
TEST(EmissionSm90, ScalesOfRowsAreFactorsOfTheEpilogue) {
  const Halves it = emit(
      "input x: f16[512, 512]\ninput w: f16[512, 512]\ninput s: f32[512, 1]\ninput t: f32[512, 1]\n"
      "p = to(x, f8e4m3, scale=s)\nq = to(w, f8e4m3, scale=t)\nc = linear(p, q) >> to(f16)\nreturn c\n");
  EXPECT_THAT(it.device, HasSubstr("Sm90ColBroadcast"));
  EXPECT_THAT(it.device, HasSubstr("Sm90RowBroadcast"));
  EXPECT_THAT(it.device, Not(HasSubstr("Blockwise")));
  EXPECT_THAT(it.host, HasSubstr("a.mainloop.mma_promotion_interval"));
}

// A number of the program is no memory.
TEST(EmissionSm90, ScalesThatAreNumbersAreConstants) {
  const Halves it = emit(
      "input x: f16[512, 512]\ninput w: f8e4m3[512, 512]\np = to(x, f8e4m3, scale=0.0625)\n"
      "c = linear(p, w) >> to(f16)\nreturn c\n");
  EXPECT_THAT(it.device, HasSubstr("=0.0625f;"));
  EXPECT_THAT(it.device, Not(HasSubstr("ScalarBroadcast")));
}

// Factors of blocks go into the main loop, behind the views of the epilogue; here A's rows are contiguous.
TEST(EmissionSm90, ScalesOfBlocksGoIntoTheMainLoop) {
  const Halves it = emit(
      "input x: f16[512, 512]\ninput w: f16[256, 512]\ninput s: f32[512, 4] @col\ninput t: f32[2, 4]\n"
      "p = to(x, f8e4m3, scale=s)\nq = to(w, f8e4m3, scale=t)\n"
      "c = linear(p, q).tile(64x128x128).cluster(1x1).stages(4).schedule(pingpong) >> to(f16)\nreturn c\n");
  EXPECT_THAT(it.device,
              HasSubstr("Sm90BlockwiseScaleConfig<1,128,128,cute::GMMA::Major::MN,cute::GMMA::Major::K>"));
  EXPECT_THAT(it.device, HasSubstr("cute::tuple<cutlass::layout::RowMajor,LayoutSFA>"));
  EXPECT_THAT(it.device, HasSubstr("KernelTmaWarpSpecializedPingpongFP8Blockwise>::CollectiveOp"));
  EXPECT_THAT(it.device, Not(HasSubstr("Broadcast")));
  EXPECT_THAT(it.host, Not(HasSubstr("mma_promotion_interval")));
  EXPECT_THAT(it.host, HasSubstr("a.mainloop.ptr_SFA=static_cast<floatconst*>(x->view[1].data)"));
  EXPECT_THAT(it.host,
              HasSubstr("make_stride(make_stride(_0{},_1{}),make_stride(_0{},int(x->view[1].stride[2])),"));
  EXPECT_THAT(it.host,
              HasSubstr("make_stride(make_stride(_0{},int(x->view[2].stride[1])),make_stride(_0{},_1{}),"));
}

// CUTLASS counts (capacity - left) / stage: 232448 bytes, and a stage is 64 x 128 + 128 x 128 of operands and
// 65 factors of 4, in steps of 128, and 16 of barriers.
TEST(EmissionSm90, StagesWithScalesOfBlocksAreWhatIsLeft) {
  const Halves it = emit(
      "input x: f16[512, 512]\ninput w: f16[256, 512]\ninput s: f32[512, 4]\ninput t: f32[2, 4]\n"
      "p = to(x, f8e4m3, scale=s)\nq = to(w, f8e4m3, scale=t)\n"
      "c = linear(p, q).tile(64x128x128).cluster(1x1).stages(4).schedule(pingpong) >> to(f16)\nreturn c\n");
  const std::string_view name = "StageCountAutoCarveout<";
  const size_t at = it.device.rfind(name);
  ASSERT_NE(at, std::string::npos);
  const int left = std::stoi(it.device.substr(at + name.size()));
  EXPECT_EQ((232448 - (left + 127) / 128 * 128) / (24960 + 16), 4);
}

// The number of parts is an argument: kernels that differ in it alone are one.
TEST(EmissionSm90, PartsOfKAreAnArgument) {
  const Halves two = half(".tile(128x128x64).split(2) >> to(f32)");
  const Halves four = half(".tile(128x128x64).split(4) >> to(f32)");
  EXPECT_EQ(two.device, four.device);
  EXPECT_EQ(two.host, four.host);
  EXPECT_THAT(two.host, HasSubstr("constuc_slices::Cutcut=uc_slices::cut(x->k,x->split,64);"));
}

// The product stores its sums, and knows nothing of the chain; a second function has all of it.
TEST(EmissionSm90, SlicesOfKAreAddedByASecondFunction) {
  const Halves it = half(".tile(128x128x64).schedule(pingpong).split(3) >> add(v) >> residual(r) >> to(f32)");
  EXPECT_THAT(it.device, HasSubstr("Mainloop=uc_slice_mainloop<"));
  EXPECT_THAT(it.device, HasSubstr("cutlass::gemm::PersistentScheduler>"));
  EXPECT_THAT(it.device, AllOf(Not(HasSubstr("Sm90RowBroadcast")), Not(HasSubstr("Sm90SrcFetch"))));
  EXPECT_THAT(it.device,
              HasSubstr("Loads=uc_element::List<uc_element::Load<0,float,4>,uc_element::Load<1,float,4>>;"));
  EXPECT_THAT(it.device, HasSubstr("Stores=uc_element::List<uc_element::Store<2,float,4>>;"));
  EXPECT_THAT(it.device, HasSubstr("_1(const__grid_constant__"));
  EXPECT_THAT(it.device, Not(HasSubstr("_2(const__grid_constant__")));
  EXPECT_THAT(it.host, HasSubstr("get<3>(a.problem_shape)=int(x->l)*cut.slices;"));
  EXPECT_THAT(it.host, HasSubstr("constuck_gemmproduct=uc_slices::product(x);"));
}

TEST(EmissionSm90, SlicesOfKWithSumsOverRowsAreThreeFunctions) {
  const Halves it = half(".tile(128x128x64).split(2) >> to(f32) >> col_reduce(max)");
  EXPECT_THAT(
      it.device,
      HasSubstr("Sums=uc_element::List<uc_element::Combined<0,float,uc_element::Largest,true,false>>;"));
  EXPECT_THAT(it.device, HasSubstr("::Addition::Combine::run(params);"));
}

TEST(EmissionSm90, SlicesOfIntegersStayIntegers) {
  const Halves it =
      emit("input a: i8[512, 512]\ninput w: i8[512, 512]\nc = linear(a, w).split(4) >> to(i32)\nreturn c\n");
  EXPECT_THAT(it.device, HasSubstr("uc_slices::Addition<int32_t,"));
  EXPECT_THAT(it.device, HasSubstr("int32_t,cutlass::layout::RowMajor,4,"));
}

TEST(EmissionSm90, PersistentKernelsNeedNoScratch) {
  const Halves it = half(".tile(128x128x64) >> to(f32)");
  EXPECT_THAT(it.device, HasSubstr("cutlass::gemm::PersistentScheduler>"));
  EXPECT_THAT(it.host, Not(HasSubstr("x->scratch")));
}

TEST(EmissionSm90, EpilogueTileAndOverlap) {
  const Halves plain = half(".tile(128x128x64).schedule(cooperative) >> to(f32)");
  EXPECT_THAT(plain.device, HasSubstr("EpilogueTileAuto"));
  EXPECT_THAT(plain.device, Not(HasSubstr("CUTLASS_ENABLE_GDC_FOR_SM90")));
  EXPECT_THAT(plain.host, HasSubstr("SharedStorageSize,0}"));
  const Halves it = half(".tile(128x128x64).schedule(cooperative).epilogue_tile(128x64).pdl(on) >> to(f32)");
  EXPECT_THAT(it.device, HasSubstr("ClusterShape,Shape<_128,_64>,float"));
  EXPECT_THAT(it.device, HasSubstr("#defineCUTLASS_ENABLE_GDC_FOR_SM90"));
  EXPECT_LT(it.device.find("CUTLASS_ENABLE_GDC_FOR_SM90"), it.device.find("cutlass/cutlass.h"));
  EXPECT_THAT(it.host, HasSubstr("SharedStorageSize,1}"));
}

TEST(EmissionSm90, ResultsInColumnsAreTheTranspose) {
  const Halves it = emit(
      "precision f16\ninput a: f16[256, 64]\ninput b: f16[64, 512]\ninput v: f32[512]\ninput s: f32[256, 1]\n"
      "c = gemm(a, b) >> add(v) >> mul(s) >> to(f16, col)\nreturn c\n");
  // B becomes the first operand, N contiguous: column major. A, K contiguous, is then CUTLASS's column-major
  // B.
  EXPECT_THAT(it.device, HasSubstr("cutlass::half_t,cutlass::layout::ColumnMajor,8,cutlass::half_t,"
                                   "cutlass::layout::ColumnMajor,8,float"));
  EXPECT_THAT(it.device, HasSubstr("Leaf0=fusion::Sm90ColBroadcast"));
  EXPECT_THAT(it.device, HasSubstr("Leaf1=fusion::Sm90RowBroadcast"));
}

TEST(EmissionSm90, LayoutsOfOperands) {
  const auto operands = [](std::string_view a, std::string_view b) {
    return emit(fmt::format("input a: f16[256, 64]{}\ninput b: f16[64, 512]{}\nc = gemm(a, b)\nreturn c\n", a,
                            b))
        .device;
  };
  const auto pair = [](std::string_view a, std::string_view b) {
    return HasSubstr(
        fmt::format("cutlass::half_t,cutlass::layout::{},8,cutlass::half_t,cutlass::layout::{},8", a, b));
  };
  EXPECT_THAT(operands("", ""), pair("RowMajor", "RowMajor"));
  EXPECT_THAT(operands("", " @col"), pair("RowMajor", "ColumnMajor"));
  EXPECT_THAT(operands(" @col", ""), pair("ColumnMajor", "RowMajor"));
  EXPECT_THAT(operands(" @col", " @col"), pair("ColumnMajor", "ColumnMajor"));
}

TEST(EmissionSm90, EightBitFloats) {
  const auto f8 = [](std::string_view knobs) {
    return emit(
        fmt::format("input a: f8e4m3[512, 512]\ninput w: f8e4m3[512, 512]\nc = linear(a, w){} >> "
                    "to(f16)\nreturn c\n",
                    knobs));
  };
  const Halves slow = f8(".tile(64x128x128).schedule(pingpong)");
  EXPECT_THAT(slow.device,
              HasSubstr("cutlass::float_e4m3_t,cutlass::layout::RowMajor,16,cutlass::float_e4m3_t,"
                        "cutlass::layout::ColumnMajor,16,float"));
  EXPECT_THAT(slow.device, HasSubstr("KernelTmaWarpSpecializedPingpong>"));
  EXPECT_THAT(slow.host, HasSubstr("mma_promotion_interval=4"));
  EXPECT_THAT(f8(".tile(128x128x128).schedule(pingpong).accum(fast)").device,
              HasSubstr("KernelTmaWarpSpecializedPingpongFP8FastAccum>"));
  // Whole tiles of K are added up at once: 8 instructions of a tile of 256.
  EXPECT_THAT(f8(".tile(64x128x256).schedule(pingpong)").host, HasSubstr("mma_promotion_interval=8"));
}

TEST(EmissionSm90, IntegersAreSummedAsIntegers) {
  const Halves it = emit(
      "input a: i8[512, 512]\ninput w: i8[512, 512]\nc = linear(a, w) >> to(f32) >> mul(0.5) "
      ">> to(i8)\nreturn c\n");
  EXPECT_THAT(it.device, HasSubstr("int8_t,cutlass::layout::ColumnMajor,16,int32_t,TileShape"));
  EXPECT_THAT(it.device, HasSubstr("cutlass::Array<int8_t,N>out0"));
  EXPECT_THAT(it.host, Not(HasSubstr("mma_promotion_interval")));
}

TEST(EmissionSm90, OneFunctorMakesEverythingThatIsStored) {
  const Halves it = emit(
      "precision f16\ninput a: f16[512, 512]\ninput b: f16[512, 512]\ninput v: f32[512]\n"
      "h, c = gemm(a, b) >> bias(v) >> store(f16) >> relu() >> add(v) >> to(f32)\nreturn h, c\n");
  EXPECT_THAT(it.device, HasSubstr("Store0=uc_epilogue::Tap<0,fusion::Sm90AuxStore<0,void,cutlass::half_t"));
  EXPECT_THAT(it.device, HasSubstr("Tree=fusion::Sm90EVT<uc_epilogue::Result<1,float>,Store0Made>"));
  // v is read once, though it is used twice.
  EXPECT_EQ(it.device.find("Sm90RowBroadcast"), it.device.rfind("Sm90RowBroadcast"));
}

TEST(EmissionSm90, ReductionsNeedNoResult) {
  const Halves rows = half(".tile(128x128x64) >> to(f32) >> sum(it, dim=1)");
  EXPECT_THAT(rows.device,
              HasSubstr("Tap<0,fusion::Sm90ColReduction<cutlass::plus,cutlass::plus,cutlass::plus"));
  EXPECT_THAT(rows.device, HasSubstr("uc_epilogue::Discard<float>"));
  EXPECT_THAT(rows.device, HasSubstr("void,cutlass::layout::RowMajor,4,void,cutlass::layout::RowMajor"));
  EXPECT_THAT(rows.host, AllOf(HasSubstr("x->scratch"), Not(HasSubstr("ptr_D"))));
  const Halves columns = half(".tile(128x128x64) >> to(f32) >> col_reduce(max)");
  EXPECT_THAT(columns.device, HasSubstr("fusion::Sm90RowReduction<cutlass::maximum_with_nan_propagation"));
  EXPECT_THAT(columns.host, HasSubstr("-INFINITY"));
}

TEST(EmissionSm90, PlacesOfElements) {
  const Halves it = half(" >> tril() >> to(f32)");
  EXPECT_THAT(it.device, HasSubstr("Places=uc_epilogue::Places<false>"));
  EXPECT_THAT(it.device, AllOf(HasSubstr("=place[i].row;"), HasSubstr("=int64_t(place[i].column);")));
}

TEST(EmissionSm90, F16x3HasNoScheduleOfAnotherBackEnd) {
  const Compiled compiled =
      check_source(catalog(),
                   "target sm_90a\nprecision strict\ninput a: f32[512, 256]\ninput b: f32[256, 384] @col\n"
                   "y = gemm(a, b).math(f16x3).schedule(multistage)\nreturn y\n");
  ASSERT_EQ(compiled.diags.diags().size(), 1U);
  EXPECT_EQ(compiled.diags.diags()[0].id, "UC1905");
  EXPECT_NE(compiled.diags.diags()[0].help.find("not `multistage`"), std::string::npos)
      << compiled.diags.diags()[0].help;
}

// ---- structure

// The scheduler's arguments: A, B and the result, each from and up to the diagonal.
TEST(EmissionSm90, StructureIsTheSchedulersArguments) {
  const auto scheduler = [](const std::string& a, const std::string& b, const std::string& chain) {
    return emit("input a: f16[512, 512]" + a + "\ninput b: f16[512, 512]" + b +
                "\nc = gemm(a, b).skip(zeros)" + chain + "\nreturn c\n")
        .device;
  };
  EXPECT_THAT(scheduler(" @upper", "", ""),
              HasSubstr("Epilogue,uc_skip_tiles<true,false,false,false,false,false>>"));
  // B is read as [N, K].
  EXPECT_THAT(scheduler("", " @upper", ""), HasSubstr("uc_skip_tiles<false,false,false,true,false,false>>"));
  EXPECT_THAT(scheduler(" @lower", " @lower", " >> tril()"),
              HasSubstr("uc_skip_tiles<false,true,true,false,false,true>>"));
  EXPECT_THAT(scheduler(" @diag", "", " >> mul(2) >> triu(1) >> to(f32)"),
              HasSubstr("uc_skip_tiles<true,true,false,false,true,false>>"));
  // Below its diagonal -1 `triu` keeps sums of the other side.
  EXPECT_THAT(scheduler(" @upper", "", " >> triu(-1)"),
              HasSubstr("uc_skip_tiles<true,false,false,false,false,false>>"));
  // What is added after the triangle is stored everywhere, and no sum is.
  EXPECT_THAT(scheduler("", "", " >> triu() >> add(1)"),
              HasSubstr("uc_skip_tiles<false,false,false,false,true,false>>"));
  EXPECT_THAT(scheduler(" @upper", "", " >> triu() >> to(f16, col)"),
              HasSubstr("uc_skip_tiles<false,false,true,false,false,true>>"));
}

// A second store keeps what the triangle hides.
TEST(EmissionSm90, SumsThatAreStoredBesideATriangleAreUsed) {
  const Halves it = emit(
      "input a: f16[512, 512] @lower\ninput b: f16[512, 512]\nd, c = gemm(a, b).skip(zeros) >> store(f16) >> "
      "tril()\nreturn d, c\n");
  EXPECT_THAT(it.device, HasSubstr("uc_skip_tiles<false,true,false,false,false,false>>"));
}

TEST(EmissionSm90, StructureIsSeenThroughViewsAndOfSteps) {
  const auto device = [](const std::string& steps) {
    return emit("input a: f16[512, 512] @lower\ninput x: f16[512, 512]\ninput w: f16[4, 64, 512]\n" + steps +
                "\nreturn c\n")
        .device;
  };
  EXPECT_THAT(device("c = gemm(transpose(a), x).skip(zeros)"), HasSubstr("uc_skip_tiles<true,false,"));
  EXPECT_THAT(device("t = triu(x)\nc = gemm(t, x).skip(zeros)"), HasSubstr("uc_skip_tiles<true,false,"));
  EXPECT_THAT(device("t = to(a, bf16)\nu = to(x, bf16)\nc = gemm(t, u).skip(zeros)"),
              HasSubstr("uc_skip_tiles<false,true,"));
  EXPECT_THAT(device("c = linear(x, a).skip(zeros)"), HasSubstr("uc_skip_tiles<false,false,false,true,"));
}

// ---- groups of rows

TEST(EmissionSm90, GroupsAreOneKernelThatReadsWhereTheyEnd) {
  const Halves it = emit(
      "input a: f16[1000, 256]\ninput b: f16[8, 256, 512]\ninput ends: i32[8]\ninput v: f32[512]\ninput r: "
      "f32[1000, "
      "512]\nc = grouped_gemm(a, b, ends) >> add(v) >> residual(r) >> to(f32)\nreturn c\n");
  EXPECT_THAT(it.device, HasSubstr("Mainloop=uc_group_mainloop<"));
  EXPECT_THAT(it.device, HasSubstr("Epilogue,uc_group_tiles<int32_t>>"));
  EXPECT_THAT(it.device, HasSubstr("KernelTmaWarpSpecializedCooperative"));
  EXPECT_THAT(it.device, HasSubstr("uc_groups::Load<float,int32_t>"));
  EXPECT_THAT(it.device, HasSubstr("uc_groups::Store<float,int32_t,true>"));
  EXPECT_THAT(it.device, AllOf(Not(HasSubstr("Sm90RowBroadcast")), Not(HasSubstr("Sm90SrcFetch"))));
  EXPECT_THAT(it.host, HasSubstr("a.scheduler.ends=x->view[3].data;"));
  EXPECT_THAT(it.host, HasSubstr("{x->view[2],x->view[3].data,x->l,x->m}"));
}

// The launch counts groups as matrices, and hands over one view more than the epilogue has.
TEST(EmissionSm90, GroupsAreOneViewMore) {
  const Compiled compiled = check_source(catalog(),
                                         "target sm_90a\ninput a: f16[1000, 256]\ninput b: f16[8, 256, "
                                         "512]\ninput ends: i32[8]\nc = grouped_gemm(a, "
                                         "b, ends) >> to(f32)\nreturn c\n");
  ASSERT_TRUE(compiled.ok()) << render_text(compiled.diags.sorted(), compiled.source, "");
  const std::string glue = dense(emit_program(catalog(), compiled).glue);
  EXPECT_THAT(glue, HasSubstr("false,8,1000,512,256,"));
  EXPECT_THAT(glue, HasSubstr("views0,2,"));
}

TEST(EmissionSm90, ScalesOfBlocksOnOneOperandHaveNoKernel) {
  for (const char* steps : {"xq = to(x, f8e4m3, scale=s)\nwq = to(w, f8e4m3)\n",
                            "xq = to(x, f8e4m3)\nwq = to(w, f8e4m3, scale=v)\n"}) {
    const Compiled one = check_source(
        catalog(),
        fmt::format("target sm_90a\nprecision f8\ninput x: f16[512, 512]\ninput s: f32[512, 4]\n"
                    "input w: f16[128, 512]\ninput v: f32[1, 4]\n{}y = linear(xq, wq) >> to(f16)\nreturn y\n",
                    steps));
    EXPECT_THAT(render_text(one.diags.sorted(), one.source, ""), HasSubstr("scaled like this")) << steps;
  }
}

// Each alone has a kernel; together they have not run on a device.
TEST(EmissionSm90, RowsMeetBesideNoOtherSchedulerOrMainLoop) {
  const std::string scales =
      "precision f8\ninput x: f16[512, 512]\ninput s: f32[512, 4]\ninput w: f16[128, 512]\ninput v: f32[1, "
      "4]\n"
      "xq = to(x, f8e4m3, scale=s)\nwq = to(w, f8e4m3, scale=v)\n";
  const std::string groups = "input a: f16[512, 256]\ninput b: f16[4, 256, 128]\ninput e: i32[4]\n";
  const std::string triangle = "input a: f16[512, 512] @upper\ninput b: f16[512, 128]\n";
  for (const std::string& step : {scales + "y = linear(xq, wq)", groups + "y = grouped_gemm(a, b, e)",
                                  triangle + "y = gemm(a, b).skip(zeros)"}) {
    EXPECT_FALSE(emit(step + " >> to(f16)\nreturn y\n").device.empty()) << step;
    const Compiled both =
        check_source(catalog(), "target sm_90a\n" + step + " >> softmax() >> to(f16)\nreturn y\n");
    EXPECT_THAT(render_text(both.diags.sorted(), both.source, ""),
                HasSubstr("end the step before the row-wise operator"))
        << step;
  }
}

}  // namespace
}  // namespace uc
