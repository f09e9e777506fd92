"""Normalisations: dims, weights, dtypes, edge values."""
from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import torch
import torch.nn.functional as F

from . import Case, Tensor, case, normal, numbers

NAN, INF = math.nan, math.inf
SHAPES: list[tuple[tuple[int, ...], list[int]]] = [((9,), [0, -1]), ((4, 12), [0, 1]), ((3, 1, 5), [0, 1, -1]), ((2, 3, 4, 5), [1, -2, 3])]
OVER_ONE: dict[str, Callable[[Tensor, int], Tensor]] = {
    "softmax": lambda x, d: torch.softmax(x, d), "log_softmax": lambda x, d: torch.log_softmax(x, d),
    "l1_normalize": lambda x, d: F.normalize(x, p=1.0, dim=d), "l2_normalize": lambda x, d: F.normalize(x, p=2.0, dim=d),
}
EDGES = [[1.0, NAN, 3.0, -INF], [-INF, -INF, -INF, -INF], [INF, 1.0, 2.0, 0.0], [-INF, 1.0, 2.0, 0.0], [0.0, 0.0, 0.0, -0.0],
         [1000.0, 999.0, -1000.0, 0.0], [1e-20, -1e-20, 0.0, 1e-20], [5.0, 5.0, 5.0, 5.0]]


def over_one() -> Iterator[Case]:
    for op, run in OVER_ONE.items():
        for at, (shape, dims) in enumerate(SHAPES):
            for dim in dims:
                yield case(f"{op} of {list(shape)}, dim={dim}", f"y = {op}(x, dim={dim})", {"x": normal(*shape, seed=at, scale=3)},
                           lambda x, run=run, dim=dim: run(x, dim))
        for dtype in ("f16", "bf16", "f64"):
            yield case(f"{op} of {dtype}", f"y = {op}(x)", {"x": normal(5, 33, dtype=dtype, seed=7, scale=2)},
                       lambda x, run=run: run(x, -1))
        yield case(f"{op} of edges", f"y = {op}(x, dim=1)", {"x": numbers(EDGES)}, lambda x, run=run: run(x, 1))
        # F.normalize rounds eps to f16, where it is zero; here it stays in f32.
        halves = [row for row in EDGES if max(map(abs, row)) > 1e-6] if "normalize" in op else EDGES
        yield case(f"{op} of f16 edges", f"y = {op}(x, dim=1)", {"x": numbers(halves, "f16")}, lambda x, run=run: run(x, 1))
        yield case(f"{op} of one element", f"y = {op}(x, dim=1)", {"x": normal(4, 1, seed=8)}, lambda x, run=run: run(x, 1))
    x = normal(3, 4, 5, seed=9)
    yield case("softmax over two dims", "y = softmax(x, dim=[1, 2])", {"x": x}, lambda x: torch.softmax(x.reshape(3, 20), 1).reshape(3, 4, 5))
    yield case("log_softmax over two dims", "y = log_softmax(x, dim=[0, -1])", {"x": x},
               lambda x: torch.log_softmax(x.permute(1, 0, 2).reshape(4, 15), 1).reshape(4, 3, 5).permute(1, 0, 2))
    yield case("l2_normalize over all", "y = l2_normalize(x, dim=[0, 1, 2])", {"x": x},
               lambda x: F.normalize(x.flatten(), dim=0).reshape(3, 4, 5))
    yield case("l1_normalize with a large eps", "y = l1_normalize(x, dim=1, eps=3)", {"x": x}, lambda x: F.normalize(x, p=1.0, dim=1, eps=3))
    yield case("softmax of an expression", "y = softmax(x * 0.125 + m, dim=-1)", {"x": x, "m": numbers([0.0, -INF, 0.0, 0.0, -INF])},
               lambda x, m: torch.softmax(x * 0.125 + m, -1))
    yield case("softmax, then a chain", "y = softmax(x, dim=-1) >> mul(2)", {"x": x}, lambda x: torch.softmax(x, -1) * 2)


def layer() -> Iterator[Case]:
    shape = (3, 4, 6)
    for dims in ((6,), (4, 6), (3, 4, 6)):
        x, g, b = normal(*shape, seed=11, shift=2), normal(*dims, seed=12), normal(*dims, seed=13)
        listed = list(range(-len(dims), 0))
        yield case(f"layer_norm over {list(dims)}", "y = layer_norm(x, g, b)", {"x": x, "g": g, "b": b},
                   lambda x, g, b, dims=dims: F.layer_norm(x, dims, g, b))
        yield case(f"layer_norm over {list(dims)} without bias", "y = layer_norm(x, g, eps=1e-3)", {"x": x, "g": g},
                   lambda x, g, dims=dims: F.layer_norm(x, dims, g, None, 1e-3))
        yield case(f"layer_norm over {list(dims)} without weight", "y = layer_norm(x, bias=b)", {"x": x, "b": b},
                   lambda x, b, dims=dims: F.layer_norm(x, dims, None, b))
        yield case(f"layer_norm over {list(dims)} alone", f"y = layer_norm(x, dim={listed})", {"x": x},
                   lambda x, dims=dims: F.layer_norm(x, dims))
        yield case(f"rms_norm over {list(dims)}", "y = rms_norm(x, g, eps=1e-6)", {"x": x, "g": g},
                   lambda x, g, dims=dims: F.rms_norm(x, dims, g, 1e-6))
    x = normal(*shape, seed=14)
    yield case("layer_norm of the last", "y = layer_norm(x)", {"x": x}, lambda x: F.layer_norm(x, (6,)))
    yield case("layer_norm over a middle dim", "y = layer_norm(x, g, b, dim=1)", {"x": x, "g": normal(4, seed=15), "b": normal(4, seed=16)},
               lambda x, g, b: F.layer_norm(x.transpose(1, 2), (4,), g, b).transpose(1, 2))
    yield case("rms_norm over channels", "y = rms_norm(x, dim=1, eps=1e-5)", {"x": normal(2, 5, 3, 4, seed=17)},
               lambda x: x / torch.sqrt(torch.mean(x ** 2, dim=1, keepdim=True) + 1e-5))
    for dtype in ("f16", "bf16", "f64"):
        x, g, b = normal(4, 50, dtype=dtype, seed=18, shift=1), normal(50, dtype=dtype, seed=19), normal(50, dtype=dtype, seed=20)
        yield case(f"layer_norm of {dtype}", "y = layer_norm(x, g, b)", {"x": x, "g": g, "b": b}, lambda x, g, b: F.layer_norm(x, (50,), g, b))
        yield case(f"rms_norm of {dtype}", "y = rms_norm(x, g)", {"x": x, "g": g}, lambda x, g: F.rms_norm(x, (50,), g, 1e-5))
    yield case("layer_norm of edges", "y = layer_norm(x)", {"x": numbers(EDGES)}, lambda x: F.layer_norm(x, (4,)))
    yield case("rms_norm of edges", "y = rms_norm(x)", {"x": numbers(EDGES)}, lambda x: F.rms_norm(x, (4,), None, 1e-5))
    yield case("layer_norm far from zero", "y = layer_norm(x)", {"x": normal(3, 64, seed=21, shift=100)}, lambda x: F.layer_norm(x, (64,)))
    yield case("layer_norm of a gemm", "y = linear(x, W)\nz = layer_norm(y, g, b) >> relu()",
               {"x": normal(5, 8, seed=22), "W": normal(12, 8, seed=23), "g": normal(12, seed=24), "b": normal(12, seed=25)},
               lambda x, w, g, b: torch.relu(F.layer_norm(F.linear(x, w), (12,), g, b)), params=("W", "g", "b"), results="z")


def channels() -> Iterator[Case]:
    for shape in ((4, 6), (3, 6, 5), (2, 6, 3, 4), (2, 6, 2, 3, 2)):
        x, g, b = normal(*shape, seed=31, shift=1), normal(6, seed=32), normal(6, seed=33)
        m, v = normal(6, seed=34), normal(6, seed=35).abs() + 0.1
        of = list(shape)
        for groups in (1, 2, 6) if len(shape) > 2 else (1, 3):
            yield case(f"group_norm of {of}, {groups}", f"y = group_norm(x, {groups}, g, b)", {"x": x, "g": g, "b": b},
                       lambda x, g, b, groups=groups: F.group_norm(x, groups, g, b))
        yield case(f"group_norm of {of} alone", "y = group_norm(x, 3, eps=1e-2)", {"x": x}, lambda x: F.group_norm(x, 3, eps=1e-2))
        yield case(f"batch_norm of {of}", "y = batch_norm(x, g, b)", {"x": x, "g": g, "b": b},
                   lambda x, g, b: F.batch_norm(x, None, None, g, b, training=True))
        yield case(f"batch_norm of {of} alone", "y = batch_norm(x, eps=1e-3)", {"x": x},
                   lambda x: F.batch_norm(x, None, None, training=True, eps=1e-3))
        yield case(f"batch_norm of {of}, given", "y = batch_norm(x, g, b, mean=m, var=v)", {"x": x, "g": g, "b": b, "m": m, "v": v},
                   lambda x, g, b, m, v: F.batch_norm(x, m, v, g, b))
        yield case(f"batch_norm of {of}, given alone", "y = batch_norm(x, mean=m, var=v)", {"x": x, "m": m, "v": v},
                   lambda x, m, v: F.batch_norm(x, m, v))
        if len(shape) > 2:
            yield case(f"instance_norm of {of}", "y = instance_norm(x)", {"x": x}, lambda x: F.instance_norm(x))
            yield case(f"instance_norm of {of}, scaled", "y = instance_norm(x, g, b, eps=1e-3)", {"x": x, "g": g, "b": b},
                       lambda x, g, b: F.instance_norm(x, weight=g, bias=b, eps=1e-3))
    for dtype in ("f16", "bf16", "f64"):
        x, g, b = (normal(*s, dtype=dtype, seed=36) for s in ((3, 4, 5, 5), (4,), (4,)))
        yield case(f"group_norm of {dtype}", "y = group_norm(x, 2, g, b)", {"x": x, "g": g, "b": b}, lambda x, g, b: F.group_norm(x, 2, g, b))
        yield case(f"batch_norm of {dtype}", "y = batch_norm(x, g, b)", {"x": x, "g": g, "b": b},
                   lambda x, g, b: F.batch_norm(x, None, None, g, b, training=True))
        yield case(f"instance_norm of {dtype}", "y = instance_norm(x)", {"x": x}, lambda x: F.instance_norm(x))
    still = torch.ones(2, 4, 3, 3)
    yield case("batch_norm of a constant", "y = batch_norm(x)", {"x": still}, lambda x: F.batch_norm(x, None, None, training=True))
    yield case("group_norm of one NaN", "y = group_norm(x, 2)", {"x": numbers([[[1.0, NAN], [2.0, 3.0], [4.0, 5.0], [6.0, 8.0]]])},
               lambda x: F.group_norm(x, 2))
    yield case("instance_norm of one NaN", "y = instance_norm(x)", {"x": numbers([[[1.0, NAN], [2.0, 3.0], [4.0, INF], [6.0, 8.0]]])},
               lambda x: F.instance_norm(x))


def cases() -> Iterator[Case]:
    for part in (over_one, layer, channels):
        yield from part()
