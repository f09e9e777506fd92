#include "language/card_text.h"

namespace uc::language {
namespace {

constexpr CardExample kExamples[] = {
    {"linear + bias + GELU, multiplied in f16; weights converted once",
     R"(target sm_90a
precision f16
input x: f32[1024, 8192]
param W: f32[8192, 8192] = "matmul.weight"
param b: f32[8192]
xh = to(x, f16)
y = linear(xh, prepack(W, f16)).tile(128x256x64).cluster(2x1).schedule(cooperative)
    >> bias(b) >> mul(0.1) >> gelu() >> to(f32)
return y
)"},
    {"batched product; two results, the first stored from the chain",
     R"(target sm_90a
input A: f16[8, 256, 128]
input B: f16[8, 128, 512]
raw, y = gemm(A, B) >> store(f16) >> relu() >> to(f32)
return raw, y
)"},
    {"pointwise: one kernel for the whole expression, vectorised",
     R"(target sm_90a
input x: f32[64, 1, 4096]
input z: f32[64, 32, 4096]
y = (where(x > 0, x, 0.01 * x) * sigmoid(z) + 1).vector(4).threads(256)
return y
)"},
    {"views cost nothing; several results; row-wise steps",
     R"(target sm_90a
input qkv: f16[8, 512, 2304]
param g: f16[64]
param b: f16[64]
q, k, v = unbind(reshape(qkv, [8, 512, 3, 12, 64]), dim=2)
o = attention(q, k, v, layout=bshd, causal=true) >> to(f16)
y = layer_norm(o, g, b)
return y
)"},
    {"convolution: nhwc in, nhwc out",
     R"(target sm_90a
precision f16
input x: f32[16, 64, 56, 56]
param W: f32[128, 64, 3, 3]
param b: f32[128]
xh = to(x, f16, nhwc)
h = conv2d(xh, prepack(to(W, f16, nhwc)), padding=1) >> bias(b) >> relu() >> to(f16)
p = max_pool2d(h, 2)
y = mean(p, dim=[2, 3])
return y
)"},
};

constexpr std::string_view kMatrices =
    "target sm_90a\nprecision f16\ninput x: f32[128, 64]\ninput h: f16[128, 64]\nparam W: f16[256, "
    "64]\nparam b: "
    "f16[256]\n";
constexpr std::string_view kReturn = "return y\n";

constexpr Mistake kMistakes[] = {
    {"UC1402", "y = linear(to(x, f16), W)", "xh = to(x, f16)\ny = linear(xh, W)", kMatrices, kReturn,
     "operands of a contraction have memory"},
    {"UC1401", "y = relu(linear(h, W))", "y = linear(h, W) >> relu()", kMatrices, kReturn},
    {"UC1023", "y = linear(h, W) >> relu().tile(128x128x64)", "y = linear(h, W).tile(128x128x64) >> relu()",
     kMatrices, kReturn},
    {"UC1024", "y = linear(h, W) >> it * 2", "y = linear(h, W) >> map(it * 2)", kMatrices, kReturn},
    {"UC1018", "y = h @ transpose(W)", "y = linear(h, W)", kMatrices, kReturn},
    {"UC1122", "y = sum(h)", "y = sum(h, dim=1)", kMatrices, kReturn},
    {"UC1030", "y = relu(h[0])", "v = slice(h, 0, 0, 1)\ny = relu(v)", kMatrices, kReturn},
    {"UC1301", "y = to(x, bf16)", "y = to(x, f16)", kMatrices, kReturn, "under `precision f16`"},
    {"UC1210", "v = reshape(transpose(x), [8192])\ny = relu(v)",
     "t = to(transpose(x), row)\nv = reshape(t, [8192])\ny = relu(v)", kMatrices, kReturn},
    {"UC1204", "y = gemm(h, W)", "y = gemm(h, transpose(W))", kMatrices, kReturn},
};

}  // namespace

std::span<const CardExample> card_examples() { return kExamples; }
std::span<const Mistake> card_mistakes() { return kMistakes; }

}  // namespace uc::language
