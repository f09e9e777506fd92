"""Pools: windows with every setting, the edge that ceil_mode adds, NaN and ties, adaptive parts."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch.nn.functional as F

from . import Case, case, normal, numbers, whole
from .conv import describe, setting

MAX = {1: F.max_pool1d, 2: F.max_pool2d, 3: F.max_pool3d}
MEAN = {1: F.avg_pool1d, 2: F.avg_pool2d, 3: F.avg_pool3d}
ADAPTIVE_MEAN = {1: F.adaptive_avg_pool1d, 2: F.adaptive_avg_pool2d, 3: F.adaptive_avg_pool3d}
ADAPTIVE_MAX = {1: F.adaptive_max_pool1d, 2: F.adaptive_max_pool2d, 3: F.adaptive_max_pool3d}
EXTENTS = {1: (11,), 2: (7, 9), 3: (5, 6, 7)}


def words(settings: dict[str, Any]) -> str:
    return "".join(f", {k}={setting(v).lower() if isinstance(v, bool) else setting(v)}" for k, v in settings.items())


def pool(kind: str, rank: int, kernel: Any, settings: dict[str, Any], note: str = "", x: Any = None) -> Case:
    run = (MAX if kind == "max" else MEAN)[rank]
    data = normal(2, 3, *EXTENTS[rank], seed=rank) if x is None else x
    step = f"y = {kind}_pool{rank}d(x, {setting(kernel)}{words(settings)})"
    return case(f"{kind}_pool{rank}d{note} {setting(kernel)}, {describe(settings)}", step, {"x": data},
                lambda x: run(x, kernel, **settings))


def settings_of(rank: int) -> Iterator[tuple[Any, dict[str, Any]]]:
    each = tuple(range(1, rank + 1))
    for kernel in (1, 2, 3, tuple(d + 1 for d in each)):
        yield kernel, {}
        yield kernel, {"ceil_mode": True}
    for stride in (1, 2, 4, each):
        yield 3, {"stride": stride}
        yield 2, {"stride": stride, "ceil_mode": True}
    for padding in (1, tuple(d % 2 for d in each)):
        yield 3, {"padding": padding}
        yield 3, {"stride": 2, "padding": padding}
        yield 3, {"stride": 2, "padding": padding, "ceil_mode": True}
        yield 3, {"stride": 3, "padding": padding, "ceil_mode": True}
    yield 4, {"stride": 3, "padding": 2, "ceil_mode": True}


def windows() -> Iterator[Case]:
    for rank in (1, 2, 3):
        for kernel, settings in settings_of(rank):
            yield pool("max", rank, kernel, settings)
            yield pool("avg", rank, kernel, settings)
        for dilation in (2, tuple(range(1, rank + 1))):
            yield pool("max", rank, 2, {"stride": 1, "dilation": dilation})
            yield pool("max", rank, 3, {"stride": 2, "padding": 1, "dilation": dilation})
            yield pool("max", rank, 2, {"stride": 2, "padding": 1, "dilation": dilation, "ceil_mode": True})
        for ceil in (False, True):
            yield pool("avg", rank, 3, {"stride": 2, "padding": 1, "ceil_mode": ceil, "count_include_pad": False})
        if rank > 1:
            yield pool("avg", rank, 2, {"divisor_override": 3})
            yield pool("avg", rank, 3, {"padding": 1, "stride": 2, "ceil_mode": True, "divisor_override": -2})
        yield pool("max", rank, 2, {}, ", no batch", normal(3, *EXTENTS[rank], seed=7))
        yield pool("avg", rank, 2, {}, ", no batch", normal(3, *EXTENTS[rank], seed=7))
        yield pool("max", rank, EXTENTS[rank], {}, ", global")
        yield pool("avg", rank, EXTENTS[rank], {}, ", global")


def values() -> Iterator[Case]:
    inf, nan = float("inf"), float("nan")
    special = numbers([[[1.0, nan, 2.0, -inf, -inf, inf, 3.0, inf, -inf, 0.0, -0.0, 5.0]]])
    for kind in ("max", "avg"):
        yield pool(kind, 1, 2, {}, ", NaN and infinities", special)
        yield pool(kind, 1, 3, {"stride": 1, "padding": 1}, ", NaN and infinities", special)
    yield pool("max", 1, 3, {"padding": 1}, ", all -inf", numbers([[[-inf] * 6]]))
    yield pool("max", 2, 3, {"padding": 1, "stride": 2}, ", all below zero", normal(1, 2, 5, 5, shift=-20))
    yield pool("max", 2, 2, {}, ", ties", whole(1, 2, 6, 6, low=0, high=1))
    for dtype in ("f64", "f16", "bf16"):
        yield pool("max", 2, 3, {"stride": 2, "padding": 1}, f", {dtype}", normal(2, 2, 6, 7, dtype=dtype, seed=9))
        yield pool("avg", 2, 3, {"stride": 2, "padding": 1}, f", {dtype}", normal(2, 2, 6, 7, dtype=dtype, seed=9))
        yield pool("avg", 1, 5, {}, f", {dtype}", normal(2, 2, 25, dtype=dtype, seed=10))
    yield case("max_pool2d of nhwc", "v = to(x, nhwc)\ny = max_pool2d(v, 2)", {"x": normal(2, 3, 6, 6, seed=11)},
               lambda x: F.max_pool2d(x, 2))
    yield case("avg_pool2d of a view", "v = transpose(x)\ny = avg_pool2d(v, [2, 3])", {"x": normal(2, 3, 6, 6, seed=12)},
               lambda x: F.avg_pool2d(x.transpose(-1, -2), (2, 3)))
    yield case("what is pooled is computed before, what follows after", "y = max_pool2d(x * -1, 2) >> relu() >> add(1)",
               {"x": normal(2, 3, 6, 6, seed=13)}, lambda x: F.max_pool2d(-x, 2).relu() + 1)


def adaptive() -> Iterator[Case]:
    for rank in (1, 2, 3):
        each = tuple(range(2, rank + 2))
        for size in (1, 2, 3, 5, 8, each):
            listed = size if isinstance(size, tuple) else (size,) * rank
            for kind, run in (("avg", ADAPTIVE_MEAN[rank]), ("max", ADAPTIVE_MAX[rank])):
                yield case(f"adaptive_{kind}_pool of {rank} dimensions to {setting(size)}", f"y = adaptive_{kind}_pool(x, {setting(size)})",
                           {"x": normal(2, 3, *EXTENTS[rank], seed=20 + rank)}, lambda x, run=run, listed=listed: run(x, listed))
        yield case(f"adaptive_avg_pool of {rank} dimensions, global", "y = adaptive_avg_pool(x)",
                   {"x": normal(2, 3, *EXTENTS[rank], dtype="f16", seed=30 + rank)}, lambda x, run=ADAPTIVE_MEAN[rank], n=rank: run(x, (1,) * n))
        listed = (2,) * rank
        yield case(f"adaptive_max_pool of {rank} dimensions, no batch", f"y = adaptive_max_pool(x, {setting(listed)})",
                   {"x": normal(3, *EXTENTS[rank], seed=40 + rank)}, lambda x, run=ADAPTIVE_MAX[rank], listed=listed: run(x, listed))


def cases() -> Iterator[Case]:
    yield from windows()
    yield from values()
    yield from adaptive()
