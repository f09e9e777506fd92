#pragma once
// Why: each rule that simplifies has programs where it applies and programs where it must not.
#include <string>

namespace uc::rewrites::testing {

inline constexpr const char* kHead =
    "target sm_90a\nprecision strict\n\ninput x: f32[6, 8]\ninput z: f32[6, 12]\ninput c: f32[2, 4, 9]\n"
    "input i: f32[2, 4, 9, 8]\ninput v: f32[2, 3, 5, 4, 6]\ninput r: f32[6, 1]\ninput q: f32[2, 2, 5, 8]\n"
    "param W: f32[12, 8]\nparam U: f32[3, 12]\nparam b: f32[12]\nparam e: f32[12]\nparam K: f32[5, 4, 3]\n"
    "param L: f32[6, 4, 3, 3]\nparam P: f32[6, 4, 1, 1]\nparam G: f32[6, 2, 3, 3]\nparam T: f32[4, 6, 3, 3]\n"
    "param S: f32[3, 5, 3, 3, 2]\nparam g: f32[4]\nparam h: f32[4]\nparam m: f32[6]\nparam n: f32[6]\nparam "
    "D: f32[6, 6] @diag\nparam M: f32[1, 1, 5, 5]\n\n";

inline std::string whole(const std::string& steps) { return kHead + steps; }

/// Where the rule applies. `gone` is no longer in the text, `there` is.
struct Case {
  const char* rule;
  const char* steps;
  const char* gone;
  const char* there;
  double bound;          ///< |difference| / |result|, in the 2-norm
  bool special = false;  ///< the same for infinities and NaN too
};

inline constexpr double kRounding = 3e-6;  // sums of up to a few hundred f32 products, in another order

inline constexpr Case kCases[] = {
    {"sum-of-product", "t = linear(x, W)\ny = sum(t, dim=1, keepdim=true)\nreturn y\n", "linear(x, W)",
     "sum(W, dim=0, keepdim=true)", kRounding},
    {"sum-of-product", "t = linear(x, W)\nu = t + b\nw = u * r\ny = mean(w, dim=1)\nreturn y\n",
     "linear(x, W)", "mean(b, dim=0, keepdim=true)", kRounding},
    {"sum-of-product", "t = linear(x, W)\nu = b - t\nw = u / 4.0\ny = sum(w, dim=[0, 1])\nreturn y\n",
     "linear(x, W)", "sum(x, dim=0, keepdim=true)", kRounding},
    {"sum-of-product", "t = transpose(W)\nu = gemm(x, t)\nw = transpose(u)\ny = mean(w, dim=0)\nreturn y\n",
     "gemm(x, t)", "mean(t, dim=1", kRounding},
    {"sum-of-product", "t = attention(q, q, q)\ny = mean(t, dim=2)\nreturn y\n", "attention(", "softmax(",
     kRounding},
    {"sum-of-product",
     "t = attention(q, q, q, causal=true)\nu = transpose(t, dims=[1, 2])\nv2 = to(u, row)\n"
     "w = reshape(v2, [2, 5, 16])\ny = mean(w, dim=1)\nreturn y\n",
     "attention(", "tril(", kRounding},
    {"sum-of-product", "t = conv2d(i, L, padding=1)\ny = mean(t, dim=[2, 3])\nreturn y\n", "padding", "sum(",
     kRounding},
    {"sum-of-product",
     "t = conv2d(i, L, stride=2, padding=1, dilation=2)\ny = sum(t, dim=[2, 3])\nreturn y\n", "padding",
     "step=2", kRounding},
    {"sum-of-product", "t = conv2d(i, G, groups=2, padding=2)\ny = sum(t, dim=[0, 3])\nreturn y\n", "[2, 2]",
     "groups=2", kRounding},
    {"sum-of-product",
     "t = conv_transpose2d(i, T, stride=2, padding=1, output_padding=1)\nu = reshape(m, [6, 1, 1])\nw = t + "
     "u\n"
     "y = adaptive_avg_pool(w)\nreturn y\n",
     "output_padding", "sum(i", kRounding},
    {"sum-of-product", "t = conv_transpose3d(v, S, padding=1)\ny = mean(t, dim=2, keepdim=true)\nreturn y\n",
     "padding=1", "padding=[0, 1, 1]", kRounding},
    {"sum-of-product", "t = conv1d(c, K)\ny = mean(t, dim=1)\nreturn y\n", "conv1d(c, K)", "mean(K",
     kRounding},
    {"pool-of-convolution", "t = conv2d(i, P)\ny = avg_pool2d(t, 2)\nreturn y\n", "conv2d(i, P)",
     "avg_pool2d(i", kRounding},
    {"pool-of-convolution",
     "t = conv2d(i, L, padding=1)\nu = reshape(m, [6, 1, 1])\nw = t + u\ny = avg_pool2d(w, [4, 3], "
     "stride=[4, 3])\nreturn y\n",
     "conv2d(i, L", "pad(L", kRounding},
    {"pool-of-convolution",
     "t = conv_transpose2d(i, T, stride=2, padding=1, output_padding=1)\nu = t * 3.0\ny = avg_pool2d(u, 2)\n"
     "return y\n",
     "conv_transpose2d", "conv2d(", kRounding},
    {"pool-of-convolution", "t = conv_transpose2d(i, T, stride=2)\ny = avg_pool2d(t, 2)\nreturn y\n",
     "conv_transpose2d", "conv2d(", kRounding},
    {"pool-of-product", "t = linear(x, W)\nu = t + b\nw = unsqueeze(u, 1)\ny = avg_pool1d(w, 4)\nreturn y\n",
     "linear(x, W)", "reshape(W, [3, 4, 8])", kRounding},
    {"one-element", "t = sum(x, dim=1, keepdim=true)\ny = logsumexp(t, dim=1)\nreturn y\n", "logsumexp",
     "reshape(t, [6])", kRounding},
    {"one-element", "t = r * 2.0\ny = softmax(t, dim=1)\nreturn y\n", "softmax", "full([6, 1], 1.0", 0},
    {"one-element", "t = reshape(x, [12, 4, 1])\ny = instance_norm(t, g, h)\nreturn y\n", "instance_norm",
     "expand", 0},
    {"one-element", "t = r * 2.0\ny = norm2(t, dim=1)\nreturn y\n", "norm2", "abs(t)", 1e-7},
    {"known-form", "t = sigmoid(x)\ny = x * t\nreturn y\n", "sigmoid", "silu(x)", 2e-7},
    {"known-form", "t = softplus(x)\nu = tanh(t)\ny = u * x\nreturn y\n", "tanh", "mish(x)", 1e-6},
    {"known-form", "t = x ** 3.0\nu = x ** 2.0\ny = t + u\nreturn y\n", "**", "square(x)", 2e-7},
    {"known-form",
     "a = x * 0.5\nt = x ** 3.0\nu = t * 0.044715\nw = x + u\nk = w * 0.7978845608028654\nl = tanh(k)\nn2 = "
     "l + 1.0\n"
     "y = a * n2\nreturn y\n",
     "0.044715", "gelu(x, tanh)", 1e-6},
    {"known-form", "t = x + 3\nu = t / 6\nw = clamp(u, 0.0, 1.0)\ny = x * w\nreturn y\n", "clamp",
     "hardswish(x)", 2e-7},
    {"known-form", "t = softmax(x, dim=0)\ny = log(t)\nreturn y\n", "log(", "log_softmax(x, dim=0)", 1e-6},
    {"diagonal-product", "y = gemm(D, x)\nreturn y\n", "gemm", "step=7", 0},
    {"diagonal-product", "t = transpose(x)\ny = gemm(t, D)\nreturn y\n", "gemm", "step=7", 0},
    {"causal-attention",
     "a = transpose(q)\ns = gemm(q, a)\nt = s * 0.25\no = ones([5, 5])\nk = tril(o)\nl = k == 0\nw = "
     "where(l, -inf, t)\n"
     "p = softmax(w, dim=-1)\ny = gemm(p, q)\nreturn y\n",
     "softmax", "causal=true, scale=0.25", kRounding},
    {"causal-relu",
     "a = transpose(q)\ns = gemm(q, a)\no = ones([5, 5])\nk = tril(o)\nl = k == 0\nw = where(l, -inf, s)\n"
     "p = relu(w)\ny = gemm(p, q)\nreturn y\n",
     "gemm(p", "tril(p)", 0},
    {"difference-of-equals", "t = tanh(x)\ny = t - t\nreturn y\n", "t - t", "full([6, 8], 0.0", 0},
    {"constant-operands", "t = full([6, 8], 0.5)\ny = gelu(t)\nreturn y\n", "gelu", "full", 1e-7},
    {"constant-operands", "t = ones([6, 8])\ny = sum(t, dim=1)\nreturn y\n", "sum", "8.0", 0},
    {"zero-product", "t = zeros([8, 3])\ny = gemm(x, t)\nreturn y\n", "gemm", "full([6, 3], 0.0", 0},
    {"zero-product", "y = x * 0.0\nreturn y\n", "x *", "full([6, 8], 0.0", 0},
    {"bounded", "t = minimum(x, 0.0)\ny = clamp(t, 0.0, 1.0)\nreturn y\n", "clamp", "full([6, 8], 0.0", 0},
    {"bounded", "t = tanh(x)\nu = gelu(t)\ny = hardtanh(u)\nreturn y\n", "hardtanh", "gelu", 0, true},
    {"bounded", "t = sigmoid(x)\nu = t * 2.0\nw = u + 1.0\ny = leaky_relu(w)\nreturn y\n", "leaky_relu",
     "sigmoid", 0, true},
    {"bounded", "t = tanh(x)\ny = clamp(t, 5.0, 2.0)\nreturn y\n", "clamp", "full([6, 8], 2.0", 0},
    {"bounded", "t = clamp(x, 5.0, 2.0)\ny = clamp(t, 0.0, 3.0)\nreturn y\n", "3.0", "2.0", 0},
    {"dead-work", "t = linear(x, W)\nu, w = mean_var(t, dim=1)\nt2 = tanh(x)\ny = exp(x)\nreturn y, u, w\n",
     nullptr, nullptr, 0, true},
    {"common-work", "t = tanh(x)\nu = tanh(x)\nw = exp(u)\ny = t + w\nreturn y\n", "tanh(x)\nu", "t + ", 0,
     true},
    {"neutral-operand", "t = x * 1.0\nu = t + 0.0\nw = u / 1.0\ny = tanh(w)\nreturn y\n", "1.0", "tanh(x)", 0,
     true},
    {"view-of-view", "t = transpose(x)\nu = transpose(t)\ny = tanh(u)\nreturn y\n", "u = ", "tanh(x)", 0,
     true},
    {"view-of-view", "t = unsqueeze(x, 1)\nu = squeeze(t, 1)\ny = tanh(u)\nreturn y\n", "u = ", "tanh(x)", 0,
     true},
    {"view-of-view", "t = reshape(x, [2, 24])\nu = reshape(t, [3, 16])\ny = tanh(u)\nreturn y\n",
     "u = reshape(t", "reshape(x, [3, 16])", 0, true},
    {"same-copy", "t = tanh(x)\nu = to(t, row)\ny = exp(u)\nreturn y\n", "to(", "exp(t)", 0, true},
    {"shift-before-norm", "t = x + r\ny = softmax(t, dim=1)\nreturn y\n", "x + r", "softmax(x", 1e-6},
    {"shift-before-norm", "t = linear(x, W)\nu = t + b\nw = u * e\ny = batch_norm(w)\nreturn y\n", "+ b",
     "* e", 2e-5},
    {"shift-before-norm", "u = reshape(g, [4, 1, 1])\nt = i + u\ny = instance_norm(t)\nreturn y\n", "i + u",
     "instance_norm(i", 2e-5},
    {"mean-of-norm", "t = batch_norm(i, g, h)\ny = mean(t, dim=[0, 2, 3])\nreturn y\n", "batch_norm", "y",
     1e-3},
    {"mean-of-norm", "t = instance_norm(i, g, h)\ny = mean(t, dim=[2, 3], keepdim=true)\nreturn y\n",
     "instance_norm", "expand", 1e-3},
    {"written-norm", "t = norm2(x, dim=1, keepdim=true)\ny = x / t\nreturn y\n", "norm2", "l2_normalize(x",
     kRounding},
    {"written-norm", "t = norm2(x, dim=[0, 1])\ny = x / t\nreturn y\n", "norm2", "l2_normalize(x, dim=[0, 1]",
     kRounding},
    {"written-norm", "t = x * x\nu = sum(t, dim=0, keepdim=true)\nw = sqrt(u)\ny = x / w\nreturn y\n", "sum(",
     "l2_normalize(x, dim=0", kRounding},
    {"written-norm", "t = abs(x)\nu = mean(t, dim=1, keepdim=true)\ny = x / u\nreturn y\n", "abs(",
     "l1_normalize(x", kRounding},
    {"written-norm", "t = abs(i)\nu = sum(t, dim=[1, 3], keepdim=true)\ny = i / u\nreturn y\n", "abs(",
     "l1_normalize(i, dim=[1, 3]", kRounding},
    {"written-norm",
     "t = i ** 2\nu = mean(t, dim=1, keepdim=true)\nw = u + 1e-5\nz2 = sqrt(w)\ny = i / z2\nreturn y\n",
     "mean(", "rms_norm(i, dim=1", kRounding},
    {"written-norm",
     "t = square(x)\nu = mean(t, dim=1, keepdim=true)\nw = u + 1e-6\nz2 = rsqrt(w)\ny = z2 * x\nreturn y\n",
     "rsqrt(", "rms_norm(x", kRounding},
    {"scale-into-weights", "t = linear(x, W)\nu = t + b\ny = u * e\nreturn y\n", "u * e", "b * e", kRounding},
    {"scale-into-weights", "t = conv2d(i, L)\ny = t / 3.0\nreturn y\n", "t / 3.0", "L / 3.0", kRounding},
    {"scale-into-weights", "t = conv_transpose2d(i, T)\nu = reshape(m, [6, 1, 1])\ny = t * u\nreturn y\n",
     "t * u", "T * ", kRounding},
    {"merge-shifts", "t = x * 2.0\nu = linear(t, W)\nw = u - b\ny = w + e\nreturn y\n", "w + e", "b - e",
     kRounding},
    {"fixed-batch-norm", "k = conv2d(i, L)\ny = batch_norm(k, m, n, n, m, eps=50.0)\nreturn y\n",
     "batch_norm", "rsqrt", kRounding},
    {"chained-weights", "t = linear(x, W)\nu = t + b\ny = linear(u, U)\nreturn y\n", "linear(x, W)",
     "gemm(U, W)", kRounding},
    {"product-order", "w = transpose(W)\nu = transpose(U)\nt = gemm(x, w)\ny = gemm(t, u)\nreturn y\n",
     "gemm(x, w)", "gemm(w, u)", kRounding},
    {"extreme-before-rising", "t = conv2d(i, L)\nu = tanh(t)\nw = u * 2.0\ny = max_pool2d(w, 2)\nreturn y\n",
     "tanh(t)", "max_pool2d(t", 0},
    {"extreme-before-rising", "t = x + r\ny = max(t, dim=1, keepdim=true)\nreturn y\n", "x + r", "max(x", 0},
    {"number-out-of-product",
     "j = transpose(q)\na = gemm(q, j)\nt = a * 0.5\nu = transpose(t)\nw = -u\ny = gemm(w, q)\nreturn y\n",
     "a * 0.5", "* -0.5", kRounding},
    {"number-out-of-product", "t = linear(x, W)\nu = t / 4.0\ny = linear(u, U)\nreturn y\n", "t / 4.0",
     "* 0.25", kRounding},
    {"shared-factor",
     "t = linear(x, W)\nv2 = W * 3.0\nu = linear(x, v2)\nw = t + b\nk = u + e\ny = w - k\nreturn y\n",
     "linear(x, v2)", "W - v2", 2e-5},
    {"row-factor-out-of-product", "t = linear(x, W)\nu = t * r\ny = linear(u, U)\nreturn y\n", "t * r", "* r",
     kRounding},
    {"row-factor-out-of-product",
     "j = transpose(q)\na = gemm(q, j)\nn2 = norm1(q, dim=-1, keepdim=true)\nu = a / n2\ny = gemm(u, "
     "q)\nreturn y\n",
     "a / n2", "/ n2", kRounding},
    {"shared-factor",
     "t = conv2d(i, L, padding=1)\nj = tanh(i)\nu = conv2d(j, L, padding=1)\ny = t + u\nreturn y\n",
     "conv2d(j", "i + j", kRounding},
    {"sum-of-broadcast-product",
     "a = unsqueeze(x, 1)\nd = unsqueeze(W, 0)\nt = a * d\ny = sum(t, dim=2)\nreturn y\n", "sum(", "gemm(",
     kRounding},
    {"sum-of-broadcast-product",
     "a = unsqueeze(q, 2)\nd = unsqueeze(q, 3)\nt = d * a\ny = mean(t, dim=1, keepdim=true)\nreturn y\n",
     "mean(", "/ 2.0", kRounding},
    {"sum-of-broadcast-product",
     "a = unsqueeze(x, 1)\nt = a - W\nu = square(t)\ny = sum(u, dim=-1)\nreturn y\n", "x - W", "gemm(", 2e-6},
    {"repeated-operand", "t = expand(r, [6, 8])\ny = linear(t, W)\nreturn y\n", "linear", "sum(W", kRounding},
    {"repeated-operand", "t = reshape(m, [1, 6])\nk = expand(t, [8, 6])\ny = gemm(x, k)\nreturn y\n", "gemm",
     "sum(x", kRounding},
    {"repeated-operand",
     "k = reshape(m, [1, 6])\nt = expand(k, [4, 6])\nu = t + n\nw = gemm(u, x)\ny = tanh(w)\nreturn y\n",
     "gemm(u, x)", "expand(", kRounding},
    {"repeated-operand",
     "k = reshape(m, [6, 1])\nl = reshape(n, [1, 6])\nt = k * l\ny = gemm(t, x)\nreturn y\n", "gemm(t",
     "gemm(l, x)", kRounding},
    {"repeated-operand",
     "k = reshape(e, [12, 1])\nl = slice(x, 0, end=1)\nt = l * k\ny = linear(x, t)\nreturn y\n",
     "linear(x, t)", "linear(x, l)", kRounding},
    {"repeated-operand", "t = expand(r, [6, 8])\ny = sum(t, dim=1)\nreturn y\n", "sum(t", "* 8.0", kRounding},
    {"repeated-operand", "t = expand(r, [6, 8])\ny = softmax(t, dim=0)\nreturn y\n", "softmax(t", "expand",
     kRounding},
    {"partial-result", "t = linear(x, W)\nu = t + b\ny = slice(u, 1, start=2, end=5)\nreturn y\n",
     "linear(x, W)", "slice(W", kRounding},
    {"partial-result",
     "t = relu(q)\no = attention(t, q, q)\np = permute(o, [2, 0, 1, 3])\nw = to(p, row)\nk = reshape(w, [10, "
     "16])\n"
     "y = slice(k, 0, start=0, end=2)\nreturn y\n",
     "relu(q)", "end=1", kRounding},
    {"partial-result",
     "t = exp(x)\nu = concat(t, x, dim=0)\nw = softmax(u, dim=1)\ny = slice(w, 0, start=7, end=9)\nreturn "
     "y\n",
     "exp", "slice(x", 1e-6},
};

/// Where a rule must keep away.
struct Away {
  const char* rule;
  const char* steps;
};

inline constexpr Away kAway[] = {
    {"sum-of-product", "t = linear(x, W)\nu = relu(t)\ny = sum(u, dim=1)\nreturn y\n"},
    {"sum-of-product", "t = linear(x, W)\nu = relu(t)\ny = sum(t, dim=1)\nreturn u, y\n"},  // t is needed
    {"sum-of-product", "t = linear(x, W)\nu = z * t\ny = sum(u, dim=1)\nreturn y\n"},
    {"sum-of-product", "t = sum(x, dim=1)\ny = t + 1.0\nreturn y\n"},
    {"pool-of-convolution", "t = conv2d(i, P)\ny = avg_pool2d(t, 3, padding=1)\nreturn y\n"},
    {"pool-of-convolution", "t = conv2d(i, P)\nu = relu(t)\ny = avg_pool2d(u, 2)\nreturn y\n"},
    {"pool-of-convolution", "t = conv2d(i, L)\ny = avg_pool2d(t, 2, stride=1)\nreturn y\n"},  // takes more
    {"pool-of-convolution", "t = conv_transpose2d(i, T, stride=2)\ny = avg_pool2d(t, 3)\nreturn y\n"},
    {"pool-of-product", "t = linear(x, W)\nw = unsqueeze(t, 1)\ny = avg_pool1d(w, 4, stride=2)\nreturn y\n"},
    {"one-element", "y = sum(x, dim=1)\nreturn y\n"},
    {"one-element", "t = reshape(x, [12, 4, 1])\ny = group_norm(t, 2)\nreturn y\n"},
    {"known-form", "t = sigmoid(x)\nu = x * t\ny = u + t\nreturn y\n"},  // sigmoid is needed
    {"known-form", "t = sigmoid(x)\ny = t * r\nreturn y\n"},
    {"known-form", "y = x ** 2.5\nreturn y\n"},
    {"diagonal-product", "t = transpose(x)\ny = gemm(x, t)\nreturn y\n"},
    {"causal-attention",
     "a = transpose(q)\ns = gemm(q, a)\no = ones([5, 5])\nk = triu(o)\nl = k == 0\nw = where(l, -inf, s)\n"
     "p = softmax(w, dim=-1)\ny = gemm(p, q)\nreturn y\n"},
    {"causal-attention",
     "a = transpose(q)\ns = gemm(q, a)\no = ones([5, 5])\nk = tril(o, 1)\nl = k == 0\nw = where(l, -inf, s)\n"
     "p = softmax(w, dim=-1)\ny = gemm(p, q)\nreturn y\n"},
    {"causal-relu",
     "a = transpose(q)\ns = gemm(q, a)\no = ones([5, 5])\nk = triu(o)\nl = k == 0\nw = where(l, -inf, s)\n"
     "p = relu(w)\ny = gemm(p, q)\nreturn y\n"},
    {"causal-relu",
     "a = transpose(q)\ns = gemm(q, a)\no = ones([5, 5])\nk = tril(o)\nl = k == 0\nw = where(l, -inf, s)\n"
     "p = exp(w)\ny = gemm(p, q)\nreturn y\n"},
    {"view-of-view", "t = transpose(x)\nu = reshape(x, [8, 6])\nw = t + u\ny = tanh(w)\nreturn y\n"},
    {"view-of-view", "t = slice(x, 0, start=1)\nu = slice(t, 0, start=1)\ny = tanh(u)\nreturn y\n"},
    {"same-copy", "t = transpose(x)\nu = to(t, row)\ny = exp(u)\nreturn y\n"},
    {"same-copy", "t = to(x, f64)\ny = exp(t)\nreturn y\n"},
    {"difference-of-equals", "y = x - r\nreturn y\n"},
    {"constant-operands", "t = full([6, 8], 0.5)\ny = t + x\nreturn y\n"},
    {"constant-operands", "t = ones([6, 8])\ny = tril(t)\nreturn y\n"},  // looks at where it stands
    {"bounded", "t = minimum(x, 0.5)\ny = clamp(t, 0.0, 1.0)\nreturn y\n"},
    {"bounded", "t = tanh(x)\ny = clamp(t, -0.5, 1.0)\nreturn y\n"},
    {"drop-identity", "t = clamp(x, 5.0, 2.0)\ny = clamp(t, 4.0, 3.0)\nreturn y\n"},  // 2, then 3
    {"bounded", "t = gelu(x)\ny = relu(t)\nreturn y\n"},                              // gelu reaches below 0
    {"neutral-operand", "y = 1.0 / x\nreturn y\n"},
    {"neutral-operand", "y = 0.0 - x\nreturn y\n"},
    {"neutral-operand", "t = ones([4, 6, 8])\ny = x * t\nreturn y\n"},  // it broadcasts
    {"common-work", "t = softmax(x, dim=0)\nu = softmax(x, dim=1)\ny = t + u\nreturn y\n"},
    {"shift-before-norm", "t = x + r\ny = softmax(t, dim=0)\nreturn y\n"},
    {"shift-before-norm", "u = reshape(g, [4, 1, 1])\nt = i + u\ny = group_norm(t, 2)\nreturn y\n"},
    {"shift-before-norm", "t = linear(x, W)\nu = t + b\ny = batch_norm(u, e, e, b, square(e))\nreturn y\n"},
    {"shift-before-norm", "t = linear(x, W)\nu = t + b\ny = layer_norm(u)\nreturn y\n"},
    {"mean-of-norm", "t = group_norm(i, 2, g, h)\ny = mean(t, dim=[1, 2, 3])\nreturn y\n"},  // scales differ
    {"written-norm",
     "t = norm2(x, dim=1, keepdim=true)\ny = x / t\nu = y * t\nreturn u\n"},     // the norm is needed anyway
    {"written-norm", "t = norm2(D, dim=1)\ny = D / t\nreturn y\n"},              // it divides columns
    {"written-norm", "u = sum(x, dim=1, keepdim=true)\ny = x / u\nreturn y\n"},  // signs
    {"written-norm",
     "t = x * x\nu = mean(t, dim=1, keepdim=true)\nw = u - 1e-5\nz2 = sqrt(w)\ny = x / z2\nreturn y\n"},
    {"mean-of-norm", "t = batch_norm(i, g, h)\ny = mean(t, dim=[2, 3])\nreturn y\n"},  // not over the batch
    {"scale-into-weights", "t = linear(x, W)\ny = t * r\nreturn y\n"},                 // r is no param
    {"scale-into-weights", "t = linear(x, W)\nu = relu(t)\ny = u * e\nreturn y\n"},
    {"scale-into-weights", "t = linear(x, W)\nu = t * e\ny = u + t\nreturn y\n"},  // t is needed
    {"merge-shifts", "t = x + r\nu = t + 1.0\ny = tanh(u)\nreturn y\n"},
    {"fixed-batch-norm", "y = batch_norm(i, g, h)\nreturn y\n"},  // statistics of the batch
    {"chained-weights", "t = linear(x, W)\nu = relu(t)\ny = linear(u, U)\nreturn y\n"},
    {"product-order", "t = transpose(z)\nu = gemm(t, x)\nw = gemm(z, u)\ny = tanh(w)\nreturn y\n"},
    {"extreme-before-rising", "t = gelu(x)\ny = max(t, dim=1)\nreturn y\n"},  // falls, then rises
    {"extreme-before-rising", "t = x * -2.0\ny = max(t, dim=1, keepdim=true)\nreturn y\n"},
    {"extreme-before-rising", "t = tanh(x)\ny = argmax(t, dim=1)\nreturn y\n"},
    {"extreme-before-rising",
     "k = slice(i, 0, end=1)\nl = squeeze(k, 0)\nj = slice(l, 2, end=1)\nt = l + j\nw = exp(l)\nu = "
     "max_pool2d(t, [3, 2])\n"
     "y = u + 1.0\nreturn y, w\n"},  // one a row, and windows run over rows: no batch
    {"extreme-before-rising", "t = z + b\ny = max(t, dim=1, keepdim=true)\nreturn y\n"},  // b runs along it
    {"repeated-operand", "t = x * r\ny = linear(t, W)\nreturn y\n"},
    {"repeated-operand", "t = expand(r, [6, 8])\nu = t * x\ny = tanh(u)\nreturn y\n"},
    {"repeated-operand", "t = expand(r, [6, 8])\ny = softmax(t, dim=1)\nreturn y\n"},
    {"repeated-operand", "t = expand(r, [6, 8])\ny = tril(t)\nreturn y\n"},
    {"number-out-of-product", "t = linear(x, W)\nu = t * r\ny = linear(u, U)\nreturn y\n"},
    {"row-factor-out-of-product", "t = linear(x, W)\nu = t * e\ny = linear(u, U)\nreturn y\n"},  // a column
    {"row-factor-out-of-product", "t = tanh(z)\nu = t * r\ny = linear(u, U)\nreturn y\n"},  // z is no product
    {"row-factor-out-of-product", "t = linear(x, W)\nu = r / t\ny = linear(u, U)\nreturn y\n"},
    {"number-out-of-product", "t = x * 2.0\ny = linear(t, W)\nreturn y\n"},  // x is no product
    {"number-out-of-product", "t = linear(x, W)\nu = t * 2.0\ny = linear(u, U)\nreturn y, u\n"},
    {"shared-factor",
     "t = linear(x, W)\nu = tanh(x)\nv2 = W * 3.0\nk = linear(u, v2)\ny = t + k\nreturn y\n"},
    {"shared-factor", "t = linear(x, W)\nv2 = W * 3.0\nk = linear(x, v2)\ny = t + k\nreturn y, k\n"},
    {"shared-factor", "t = linear(x, W)\nv2 = W * 3.0\nk = linear(x, v2)\ny = t * k\nreturn y\n"},
    {"shared-factor",
     "j = tanh(L)\nt = conv2d(i, L, padding=1)\nk = conv2d(i, j, padding=1, stride=[1, 1])\nl = conv2d(i, j, "
     "dilation=2, padding=2)\ny = t - l\nreturn y, k\n"},
    {"sum-of-broadcast-product", "t = x * r\ny = sum(t, dim=1)\nreturn y\n"},  // no columns
    {"sum-of-broadcast-product",
     "a = unsqueeze(x, 1)\nt = a * W\nu = tanh(t)\ny = sum(t, dim=2)\nreturn y, u\n"},
    {"sum-of-broadcast-product", "a = unsqueeze(x, 1)\nt = a * W\ny = max(t, dim=2)\nreturn y\n"},
    {"sum-of-broadcast-product", "a = unsqueeze(x, 1)\nt = a * W\ny = sum(t, dim=0)\nreturn y\n"},
    {"partial-result", "t = tanh(x)\ny = slice(t, 0, end=2)\nreturn y, t\n"},
    {"partial-result", "t = softmax(x, dim=1)\ny = slice(t, 1, end=2)\nreturn y\n"},
    {"partial-result", "t = cumsum(x, dim=1)\ny = slice(t, 1, end=2)\nreturn y\n"},
    {"partial-result",
     "t = transpose(x)\ny = slice(t, 1, end=2)\nu = tanh(y)\nreturn u\n"},  // a view of an input
    {"partial-result", "t = batch_norm(i)\nu = slice(t, 0, end=1)\ny = tanh(u)\nreturn y\n"},
};

}  // namespace uc::rewrites::testing
