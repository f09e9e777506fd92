"""Reductions: every operator over dims, keepdim, dtypes and edge values."""
from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import torch

from . import FLOATS, Case, Tensor, case, normal, numbers, whole

Dims = int | list[int]
INTS = ("i64", "i32", "i8", "u8", "bool")
NAN, INF = math.nan, math.inf


def over(x: Tensor, dim: Dims, keepdim: bool, run: Callable[..., Tensor]) -> Tensor:
    """`run` takes one dim: several are made one, the last."""
    dims = sorted(d % x.dim() for d in ([dim] if isinstance(dim, int) else dim))
    rest = [d for d in range(x.dim()) if d not in dims]
    merged = x.permute(*rest, *dims).reshape([x.shape[d] for d in rest] + [-1])
    out = run(merged, -1)
    return out.reshape([1 if d in dims else x.shape[d] for d in range(x.dim())]) if keepdim else out


# Of each name: what torch computes of x, dim and keepdim.
FLOATING: dict[str, Callable[[Tensor, Dims, bool], Tensor]] = {
    "mean": lambda x, d, k: x.mean(d, keepdim=k),
    "var": lambda x, d, k: torch.var(x, d, correction=0, keepdim=k),
    "norm1": lambda x, d, k: torch.linalg.vector_norm(x, 1, d, keepdim=k),
    "norm2": lambda x, d, k: torch.linalg.vector_norm(x, 2, d, keepdim=k),
}
ANY: dict[str, Callable[[Tensor, Dims, bool], Tensor]] = {
    "sum": lambda x, d, k: x.sum(d, keepdim=k),
    "prod": lambda x, d, k: over(x, d, k, lambda y, e: y.prod(e)),
    "max": lambda x, d, k: torch.amax(x, d, keepdim=k),
    "min": lambda x, d, k: torch.amin(x, d, keepdim=k),
    "argmax": lambda x, d, k: over(numeric(x), d, k, lambda y, e: first(y, e, torch.argmax)),
    "argmin": lambda x, d, k: over(numeric(x), d, k, lambda y, e: first(y, e, torch.argmin)),
    "any": lambda x, d, k: torch.any(x != 0, d, keepdim=k),
    "all": lambda x, d, k: torch.all(x != 0, d, keepdim=k),
    "count_nonzero": lambda x, d, k: torch.count_nonzero(x, d).reshape(torch.any(x != 0, d, keepdim=k).shape),
    "logsumexp": lambda x, d, k: torch.logsumexp(x, d, keepdim=k),
}
SHAPES: list[tuple[tuple[int, ...], list[Dims]]] = [
    ((7,), [0, -1]), ((4, 9), [0, 1, -2, [0, 1], [-1]]), ((3, 1, 5), [0, 1, 2, [0, 2], [-1, 0], [0, 1, 2]]),
    ((2, 3, 4, 5), [1, -3, [2, 3], [0, 2], [1, 3], [0, 1, 2, 3]]), ((1,), [0]), ((2, 130), [1]), ((300, 2), [0]),
]
EDGES = [[1.0, NAN, 3.0, -INF], [NAN, NAN, 0.0, 1.0], [INF, -INF, 1.0, 2.0], [-INF, -INF, -INF, -INF], [0.0, -0.0, 0.0, -0.0],
         [INF, INF, 5.0, 5.0], [3.0, 3.0, -3.0, -3.0], [1e-30, 1e30, -1e30, 0.0], [65504.0, 65504.0, 1.0, -1.0]]


def numeric(x: Tensor) -> Tensor:
    """torch has no argmax of bool."""
    return x.to(torch.uint8) if x.dtype == torch.bool else x


def first(x: Tensor, dim: int, run: Callable[..., Tensor]) -> Tensor:
    """The language promises the first of equals; torch gives any. The values that it picks are torch's own."""
    picked = run(x, dim=dim, keepdim=True)
    value = torch.gather(x, dim, picked)
    same = (x == value) | (torch.isnan(x) & torch.isnan(value))
    places = torch.arange(x.shape[dim], device=x.device).expand(x.shape)
    return torch.where(same, places, x.shape[dim]).amin(dim)


def text(dim: Dims, keepdim: bool = False) -> str:
    return f"dim={dim}" + (", keepdim=true" if keepdim else "")


def said(op: str, dtype: str) -> str:
    """Results of one byte are said."""
    return f" >> to({dtype})" if op in ("max", "min") and dtype in ("i8", "u8") else ""


def data(dtype: str, *shape: int, seed: int) -> Tensor:
    if dtype in FLOATS:
        return normal(*shape, dtype=dtype, seed=seed)
    if dtype == "bool":
        return whole(*shape, dtype="bool", seed=seed, low=0, high=1)
    return whole(*shape, dtype=dtype, seed=seed, low=0 if dtype == "u8" else -4, high=4)


def one(op: str, run: Callable[[Tensor, Dims, bool], Tensor], x: Tensor, dtype: str, dim: Dims, keepdim: bool, of: str) -> Case:
    say = said(op, dtype)
    return case(f"{op} of {of}, {text(dim, keepdim)}", f"y = {op}(x, {text(dim, keepdim)}){say}", {"x": x},
                lambda x: run(x, dim, keepdim))


def shapes() -> Iterator[Case]:
    for op, run in {**FLOATING, **ANY}.items():
        for at, (shape, dims) in enumerate(SHAPES):
            for k, dim in enumerate(dims):
                of = f"f32{list(shape)}"
                yield one(op, run, normal(*shape, seed=at + 1), "f32", dim, (at + k) % 3 == 0, of)


def dtypes() -> Iterator[Case]:
    for op, run in {**FLOATING, **ANY}.items():
        for dtype in ("f64", "f16", "bf16") + (INTS if op in ANY else ()):
            if op == "prod" and dtype == "bool":
                continue
            x = data(dtype, 5, 12, seed=11)
            yield one(op, run, x, dtype, 1, False, f"{dtype}[5, 12]")
            yield one(op, run, x, dtype, [0, 1], True, f"{dtype}[5, 12]")


def edges() -> Iterator[Case]:
    for op, run in {**FLOATING, **ANY}.items():
        for dtype in ("f32", "f64", "f16"):
            values = [[max(-65504.0, min(65504.0, v)) if dtype == "f16" and math.isfinite(v) else v for v in row] for row in EDGES]
            yield one(op, run, numbers(values, dtype), dtype, 1, False, f"{dtype} edges")
        yield one(op, run, whole(6, 20, seed=5, low=0, high=2), "f32", 1, False, "ties")


def variance() -> Iterator[Case]:
    x = normal(4, 6, 5, seed=21, shift=3.0)
    for dim in (0, -1, [0, 2], [0, 1, 2]):
        yield case(f"unbiased var, {text(dim)}", f"y = var(x, {text(dim)}, unbiased=true)", {"x": x},
                   lambda x, dim=dim: torch.var(x, dim, correction=1))
        yield case(f"mean_var, {text(dim)}", f"m, v = mean_var(x, {text(dim)})", {"x": x},
                   lambda x, dim=dim: torch.var_mean(x, dim, correction=0)[::-1], results="m, v")
    for dtype in ("f16", "bf16", "f64"):
        yield case(f"unbiased mean_var of {dtype}", "m, v = mean_var(x, dim=1, keepdim=true, unbiased=true)",
                   {"x": normal(3, 40, dtype=dtype, seed=22, shift=10.0)},
                   lambda x: torch.var_mean(x, 1, correction=1, keepdim=True)[::-1], results="m, v")
    yield case("var of one element", "y = var(x, dim=1)", {"x": normal(3, 1, seed=23)}, lambda x: torch.var(x, 1, correction=0))
    yield case("unbiased var of one element", "y = var(x, dim=1, unbiased=true)", {"x": normal(3, 1, seed=23)},
               lambda x: torch.var(x, 1, correction=1))
    yield case("var far from zero", "y = var(x, dim=1)", {"x": normal(3, 64, seed=24, shift=1000.0)},
               lambda x: torch.var(x, 1, correction=0))


def programs() -> Iterator[Case]:
    """Several operands, expressions inside, chains after."""
    x = normal(6, 10, seed=31)
    yield case("two sums", "s, q = sum(x, x * x, dim=1)", {"x": x}, lambda x: (x.sum(1), (x * x).sum(1)), results="s, q")
    yield case("a sum of an expression", "y = sum(x * z + 1, dim=-1)", {"x": x, "z": normal(10, seed=32)},
               lambda x, z: (x * z + 1).sum(-1))
    yield case("a chain after", "y = sum(x, dim=1, keepdim=true) >> mul(0.5) >> relu()", {"x": x},
               lambda x: torch.relu(x.sum(1, keepdim=True) * 0.5))
    yield case("a comparison inside", "y = sum(x > 0, dim=0)", {"x": x}, lambda x: (x > 0).sum(0))
    yield case("f16 sums beyond f16", "y = sum(x, dim=0) >> to(f32)", {"x": normal(100, 3, dtype="f16", seed=33, scale=1000, shift=3000)},
               lambda x: wide(x).sum(0))
    yield case("f16 sums to infinity", "y = sum(x, dim=0)", {"x": numbers([[60000.0], [60000.0]], "f16")}, lambda x: x.sum(0))
    yield case("i64 wraps", "y = sum(x, dim=0)", {"x": numbers([2**62, 2**62, 2**62], "i64")}, lambda x: x.sum(0))
    yield case("i32 sums to i64", "y = sum(x, dim=0)", {"x": numbers([2**31 - 1, 2**31 - 1], "i32")}, lambda x: x.sum(0))
    yield case("a transposed view", "y = max(transpose(x), dim=0)", {"x": x}, lambda x: x.t().amax(0))
    yield case("a broadcast operand", "y = mean(expand(x, [3, 6, 10]), dim=0)", {"x": x}, lambda x: x.expand(3, 6, 10).mean(0))


def wide(x: Tensor) -> Tensor:
    return x.double() if x.dtype == torch.float64 else x.float()


def cases() -> Iterator[Case]:
    for part in (shapes, dtypes, edges, variance, programs):
        yield from part()

