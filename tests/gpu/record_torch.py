"""Records what PyTorch answers for pointwise operators, casts and matrix products, as expectations for our executor and kernels.

    python3 tests/gpu/record_torch.py --device cuda -o data/torch     # on a machine with a GPU
    python3 tests/gpu/record_torch.py --device cpu -o data/torch

Writes pointwise_<device>.jsonl, casts_<device>.jsonl and contraction_<device>.jsonl; docs/schemas/torch_records.md says what a
line means. Operators and parameters have the names of the .uc language. Inputs are made on the CPU from fixed seeds, so that
both devices answer the same questions.
"""
from __future__ import annotations

import argparse
import base64
import json
import math
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import torch
import torch.nn.functional as F

Tensor = torch.Tensor
Params = dict[str, Any]
DTYPES: dict[str, torch.dtype] = {
    "f64": torch.float64, "f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16, "f8e4m3": torch.float8_e4m3fn,
    "f8e5m2": torch.float8_e5m2, "i8": torch.int8, "u8": torch.uint8, "i32": torch.int32, "i64": torch.int64, "bool": torch.bool,
}
NAMES = {dtype: name for name, dtype in DTYPES.items()}
FLOATS = ("f64", "f32", "f16", "bf16")
COMPUTE = FLOATS + ("i8", "u8", "i32", "i64", "bool")  # what pointwise operators take

UNARY: list[tuple[str, Params, Callable[[Tensor], Tensor]]] = [
    ("relu", {}, F.relu), ("relu6", {}, F.relu6),
    ("leaky_relu", {}, F.leaky_relu), ("leaky_relu", {"slope": 0.2}, lambda x: F.leaky_relu(x, 0.2)),
    ("gelu", {}, F.gelu), ("gelu", {"approximate": "tanh"}, lambda x: F.gelu(x, approximate="tanh")),
    ("silu", {}, F.silu), ("mish", {}, F.mish), ("sigmoid", {}, torch.sigmoid), ("tanh", {}, torch.tanh),
    ("softplus", {}, F.softplus), ("softplus", {"beta": 2.0, "threshold": 10.0}, lambda x: F.softplus(x, 2.0, 10.0)),
    ("logsigmoid", {}, F.logsigmoid), ("softsign", {}, F.softsign), ("tanhshrink", {}, F.tanhshrink),
    ("elu", {}, F.elu), ("elu", {"alpha": 0.5}, lambda x: F.elu(x, 0.5)), ("selu", {}, F.selu),
    ("celu", {}, F.celu), ("celu", {"alpha": 2.0}, lambda x: F.celu(x, 2.0)),
    ("hardswish", {}, F.hardswish), ("hardsigmoid", {}, F.hardsigmoid),
    ("hardtanh", {}, F.hardtanh), ("hardtanh", {"min": -2.0, "max": 0.5}, lambda x: F.hardtanh(x, -2.0, 0.5)),
    ("hardshrink", {}, F.hardshrink), ("softshrink", {}, F.softshrink),
    ("square", {}, torch.square), ("sqrt", {}, torch.sqrt), ("rsqrt", {}, torch.rsqrt), ("reciprocal", {}, torch.reciprocal),
    ("exp", {}, torch.exp), ("expm1", {}, torch.expm1), ("log", {}, torch.log), ("log1p", {}, torch.log1p),
    ("abs", {}, torch.abs), ("neg", {}, torch.neg), ("erf", {}, torch.erf), ("sin", {}, torch.sin), ("cos", {}, torch.cos),
    ("floor", {}, torch.floor),
]
BINARY: list[tuple[str, Callable[[Any, Any], Tensor]]] = [
    ("add", lambda x, y: x + y), ("sub", lambda x, y: x - y), ("mul", lambda x, y: x * y), ("div", lambda x, y: x / y),
    ("pow", lambda x, y: x ** y), ("minimum", torch.minimum), ("maximum", torch.maximum),
    ("lt", lambda x, y: x < y), ("le", lambda x, y: x <= y), ("gt", lambda x, y: x > y), ("ge", lambda x, y: x >= y),
    ("eq", lambda x, y: x == y), ("ne", lambda x, y: x != y),
]
CLAMPS: list[Params] = [{"min": -1.0, "max": 2.0}, {"min": 0.5}, {"max": 1.5}, {"min": -1, "max": 3}, {"min": 0}]
GEMMS = [(1, 1, 1), (3, 5, 7), (8, 6, 16), (2, 3, 130), (9, 17, 24)]


@dataclass
class Writer:
    """Lines of one file: a header, arrays, then records. Equal arrays are written once."""

    kind: str
    device: torch.device
    lines: list[str] = field(default_factory=list)
    known: dict[tuple[str, tuple[int, ...], str], str] = field(default_factory=dict)
    refused: int = 0

    def __post_init__(self) -> None:
        where = torch.cuda.get_device_name(self.device) if self.device.type == "cuda" else "CPU"
        self.line({"schema": "ucutlass.torch_records/1", "kind": self.kind, "torch": torch.__version__,
                   "device": self.device.type, "device_name": where,
                   "flags": {"matmul_tf32": torch.backends.cuda.matmul.allow_tf32,
                             "reduced_precision_reduction": False}})

    def line(self, row: dict[str, Any]) -> None:
        self.lines.append(json.dumps(row, separators=(",", ":"), allow_nan=False))

    def array(self, tensor: Tensor) -> str:
        row = array_json(tensor)
        key = (row["dtype"], tuple(row["shape"]), row["data"])
        if key not in self.known:
            self.known[key] = f"{row['dtype']}_{len(self.known)}"
            self.line({"array": self.known[key], **row})
        return self.known[key]

    def record(self, op: str, params: Params, inputs: list[Any], run: Callable[..., Tensor], wide: bool) -> None:
        """Runs `run` on the inputs on the device. What PyTorch refuses, or answers in a dtype that we lack, is left out."""
        at = [x.to(self.device) if isinstance(x, Tensor) else x for x in inputs]
        try:
            output = run(*at)
        except (RuntimeError, NotImplementedError, TypeError):
            self.refused += 1
            return
        if output.dtype not in NAMES:  # i8 with u8 gives i16, which the language does not have
            self.refused += 1
            return
        names = [self.array(x) if isinstance(x, Tensor) else {"number": x} for x in inputs]
        row: dict[str, Any] = {"op": op, "params": params, "inputs": names, "output": array_json(output)}
        if wide and self.device.type == "cpu":
            exact = run(*[x.double() if isinstance(x, Tensor) and x.is_floating_point() else x for x in inputs])
            row["f64"] = array_json(exact)["data"]
        self.line(row)

    def save(self, folder: str) -> None:
        path = os.path.join(folder, f"{self.kind}_{self.device.type}.jsonl")
        with open(path, "w", encoding="ascii") as file:
            file.write("\n".join(self.lines) + "\n")
        print(f"{path}: {len(self.lines) - 1 - len(self.known)} records, {self.refused} left out", file=sys.stderr)


def array_json(tensor: Tensor) -> dict[str, Any]:
    flat = tensor.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy().tobytes()
    return {"dtype": NAMES[tensor.dtype], "shape": list(tensor.shape), "data": base64.b64encode(flat).decode("ascii")}


def edges(dtype: str, seed: int, count: int) -> Tensor:
    """Values where operators bend or break, then random ones."""
    kind = DTYPES[dtype]
    generator = torch.Generator().manual_seed(seed)
    if dtype == "bool":
        return torch.tensor([True, False] * ((count + 1) // 2))[:count]
    if not kind.is_floating_point:
        limits = torch.iinfo(kind)
        fixed = [0, 1, -1, 2, -2, 3, -7, 10, limits.max, limits.min, limits.max - 1, limits.min + 1]
        values = [v for v in fixed if limits.min <= v <= limits.max]
        rest = torch.randint(max(limits.min, -100), min(limits.max, 100), (max(0, count - len(values)),), generator=generator)
        return torch.cat([torch.tensor(values, dtype=kind), rest.to(kind)])[:count]
    finfo = torch.finfo(kind)
    denormal = math.ldexp(1.0, {"f64": -1074, "f32": -149, "f16": -24, "bf16": -133}[dtype])
    fixed = [0.0, -0.0, 1.0, -1.0, math.inf, -math.inf, math.nan, denormal, -denormal, finfo.tiny, -finfo.tiny, finfo.max,
             finfo.min, 0.5, -0.5, 2.0, -2.0, 3.0, -3.0, 6.0, 1e-4, -1e-4, finfo.eps, -finfo.eps, 10.0, -10.0, 20.0, 20.5, -20.5,
             88.5, -88.5, 100.0, -104.0, 1000.0, 3 * denormal, 0.1, -0.9]
    rest = torch.randn(max(0, count - len(fixed)), generator=generator, dtype=torch.float64) * 3
    return torch.cat([torch.tensor(fixed, dtype=torch.float64), rest])[:count].to(kind)


def few(dtype: str, count: int) -> Tensor:
    """A handful of edges for cross products of dtypes."""
    if dtype in FLOATS:
        values = torch.tensor([0.0, 1.5, -2.0, math.inf, math.nan, -0.0, 3.0, 0.1, -math.inf, 7.25])
        return values[:count].to(DTYPES[dtype])
    picks = [0, 1, -1, 2, -3] if dtype not in ("u8", "bool") else [0, 1, 255 if dtype == "u8" else 1, 2, 3]
    limits = None if dtype == "bool" else torch.iinfo(DTYPES[dtype])
    values = picks + ([limits.max, limits.min, 5, 7, 11] if limits else [0, 1, 0, 1, 1])
    return torch.tensor([bool(v) for v in values] if dtype == "bool" else values, dtype=DTYPES[dtype])[:count]


def pointwise(out: Writer) -> None:
    for op, params, run in UNARY:
        for dtype in COMPUTE:
            x = edges(dtype, 1, 64 if dtype in FLOATS else 16)
            out.record(op, params, [x], run, wide=dtype in ("f32", "f16", "bf16"))
    for op, binary in BINARY:
        for first in COMPUTE:
            for second in COMPUTE:
                same = first == second and first in FLOATS
                x, y = (few(first, 10).reshape(10, 1), few(second, 10)) if same else (few(first, 6).reshape(6, 1), few(second, 6))
                out.record(op, {}, [x, y], binary, wide=False)
            numbers(out, op, binary, first)
        random_pairs(out, op, binary)
    conditions(out)


def numbers(out: Writer, op: str, binary: Callable[[Any, Any], Tensor], dtype: str) -> None:
    """Python numbers: they never widen within their kind, a float with an integer tensor gives f32."""
    for number in (3, -2, 2.5, 0.5):
        if op in ("minimum", "maximum"):
            run = (lambda x, y: torch.clamp(x, max=y)) if op == "minimum" else (lambda x, y: torch.clamp(x, min=y))
        else:
            run = binary
        out.record(op, {}, [few(dtype, 8), number], run, wide=False)
        if op in ("sub", "div", "pow", "lt"):
            out.record(op, {}, [number, few(dtype, 8)], run, wide=False)


def random_pairs(out: Writer, op: str, binary: Callable[[Any, Any], Tensor]) -> None:
    """Ordinary values, three ranks that broadcast."""
    if op in ("lt", "le", "gt", "ge", "eq", "ne"):
        return
    for dtype in ("f32", "f16", "bf16"):
        generator = torch.Generator().manual_seed(2)
        x = torch.randn(2, 1, 6, generator=generator).abs().to(DTYPES[dtype])
        y = torch.randn(3, 1, generator=generator).to(DTYPES[dtype])
        out.record(op, {}, [x, y], binary, wide=True)


def conditions(out: Writer) -> None:
    condition = torch.tensor([True, False, False, True])
    for first in COMPUTE:
        for second in COMPUTE:
            out.record("where", {}, [condition, few(first, 4), few(second, 4)], torch.where, wide=False)
        for number in (2, 0.5):
            out.record("where", {}, [condition, few(first, 4), number], torch.where, wide=False)
        for params in CLAMPS:
            low, high = params.get("min"), params.get("max")
            out.record("clamp", params, [few(first, 10)], lambda x: torch.clamp(x, low, high), wide=False)
    out.record("where", {}, [torch.tensor([[True], [False]]), torch.arange(3.0), torch.ones(2, 1)], torch.where, wide=False)


def ties(target: str) -> list[float]:
    """Numbers around the middle between two neighbours of the target, at normal, subnormal and greatest magnitude."""
    digits, least, most = {"f32": (23, -149, 127), "f16": (10, -24, 15), "bf16": (7, -133, 127), "f8e4m3": (3, -9, 8),
                           "f8e5m2": (2, -16, 15)}[target]
    step = math.ldexp(1.0, -digits)
    nudge = step / 1024
    greatest = float(torch.finfo(DTYPES[target]).max)
    last = math.ldexp(1.0, most - digits)
    values = [1 + step * k / 2 for k in range(6)] + [1 + step / 2 + nudge, 1 + step / 2 - nudge, 1 + 3 * step / 2 + nudge]
    values += [math.ldexp(k, least - 1) for k in range(1, 8)] + [math.ldexp(1 + 2 ** -12, least - 1), math.ldexp(1 - 2 ** -12, least - 1)]
    values += [greatest, greatest - last, greatest + last / 4, greatest + last / 2, greatest + last, greatest * 2]
    return values + [-v for v in values]


def double_rounding() -> list[float]:
    """f64 numbers that round otherwise when they pass through f32 first."""
    return [1 + 2 ** -11 + 2 ** -40, 1 + 2 ** -8 + 2 ** -40, 1 + 2 ** -4 + 2 ** -40, 1 + 2 ** -3 + 2 ** -40,
            1 + 3 * 2 ** -11 - 2 ** -40, 1 + 3 * 2 ** -8 - 2 ** -40]


def casts(out: Writer) -> None:
    """x.to(target) for all pairs. Floats outside an integer type's range are left out: C++ leaves them undefined."""
    for source, kind in DTYPES.items():
        for target, to in DTYPES.items():
            if source == target:
                continue
            if kind.is_floating_point and to.is_floating_point:
                values = [0.0, -0.0, math.inf, -math.inf, math.nan, 1.0, -1.0, 0.1, -3.3, 300.0, 70000.0]
                values += ties(target) if target != "f64" else []
                values += double_rounding() if source == "f64" and target not in ("f64", "f32") else []
                x = torch.tensor(values, dtype=torch.float64).to(kind)
            elif kind.is_floating_point:
                values = [0.0, -0.0, 0.5, 1.5, 2.5, 0.99, 1.01, 100.7, 127.0]
                values += [math.nan, math.inf, math.ldexp(1.0, -24)] if target == "bool" else []
                values += [-0.5, -1.5, -2.5, -0.99, -100.7] if target not in ("u8", "bool") else []
                x = torch.tensor(values, dtype=torch.float64).to(kind)
            else:
                x = edges(source, 3, 24)
            out.record("to", {"dtype": target}, [x], lambda x: x.to(to), wide=False)


def operands(dtype: str, first: tuple[int, ...], second: tuple[int, ...]) -> Iterator[tuple[Tensor, Tensor]]:
    """Normal data, then small whole numbers whose products and sums are exact."""
    generator = torch.Generator().manual_seed(4)
    yield tuple(torch.randn(s, generator=generator, dtype=torch.float64).to(DTYPES[dtype]) for s in (first, second))
    yield tuple(torch.randint(-2, 3, s, generator=generator).to(DTYPES[dtype]) for s in (first, second))


def contraction(out: Writer) -> None:
    """gemm(A, B), linear(x, W) and its bias, batches that broadcast."""
    for dtype in FLOATS:
        wide = dtype != "f64"
        for m, n, k in GEMMS:
            for a, b in operands(dtype, (m, k), (k, n)):
                out.record("gemm", {}, [a, b], torch.matmul, wide)
        for (m, n, k), lead in (((4, 6, 16), ()), ((3, 4, 20), (2, 2))):
            for x, w in operands(dtype, (*lead, m, k), (n, k)):
                bias = (torch.arange(n, dtype=torch.float64) / 4 - 1).to(DTYPES[dtype])
                out.record("linear", {}, [x, w], F.linear, wide)
                out.record("linear", {}, [x, w, bias], F.linear, wide)
        for first, second in (((3, 4, 5), (3, 5, 6)), ((2, 1, 4, 5), (3, 5, 6)), ((1, 4, 5), (4, 5, 2))):
            for a, b in operands(dtype, first, second):
                out.record("gemm", {}, [a, b], torch.matmul, wide)


def main() -> int:
    parser = argparse.ArgumentParser(description="Record PyTorch's answers as expectations.")
    parser.add_argument("--device", default="cuda", choices=("cpu", "cuda"))
    parser.add_argument("-o", "--output", default="data/torch", help="folder (default data/torch)")
    args = parser.parse_args()
    if args.device == "cuda" and not torch.cuda.is_available():
        print("error: this torch sees no GPU\nhelp: --device cpu", file=sys.stderr)
        return 3
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction = False
    torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction = False
    os.makedirs(args.output, exist_ok=True)
    for kind, fill in (("pointwise", pointwise), ("casts", casts), ("contraction", contraction)):
        writer = Writer(kind, torch.device(args.device))
        with torch.no_grad():
            fill(writer)
        writer.save(args.output)
    return 0


if __name__ == "__main__":
    sys.exit(main())
