"""Data movement: concat, pad in every mode, roll, gather, embedding; and constants, triangles, coordinates."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
import torch.nn.functional as F

from . import DTYPES, Case, case, normal, numbers, whole
from .conv import setting


def concats() -> Iterator[Case]:
    a, b, c = normal(2, 3, 4, seed=1), normal(2, 3, 4, seed=2), normal(2, 3, 4, seed=3)
    for dim in (0, 1, 2, -1, -3):
        yield case(f"concat along {dim}", f"y = concat(a, b, c, dim={dim})", {"a": a, "b": b, "c": c},
                   lambda a, b, c, dim=dim: torch.cat([a, b, c], dim))
    yield case("concat of other extents", "y = concat(a, b, dim=1)", {"a": normal(2, 1, 3, seed=4), "b": normal(2, 5, 3, seed=5)},
               lambda a, b: torch.cat([a, b], 1))
    yield case("concat of one", "y = concat(a)", {"a": a}, lambda a: torch.cat([a]))
    yield case("concat of a tensor with itself", "y = concat(a, a, dim=-1)", {"a": a}, lambda a: torch.cat([a, a], -1))
    pairs = (("f16", "f32"), ("i32", "f16"), ("bool", "i64"), ("i8", "i32"), ("f16", "bf16"), ("i64", "f32"))
    for left, right in pairs:
        yield case(f"concat of {left} and {right}", "y = concat(a, b)",
                   {"a": whole(3, 2, dtype=left, low=0, seed=6), "b": whole(1, 2, dtype=right, low=0, seed=7)},
                   lambda a, b: torch.cat([a, b]))
    yield case("concat of i64 beyond 2^53", "y = concat(a, a)", {"a": torch.tensor([2**62 + 1, -(2**55) - 1])}, lambda a: torch.cat([a, a]))
    yield case("concat of views and expressions", "y = concat(transpose(a), relu(b), dim=1) >> mul(2)",
               {"a": normal(4, 3, seed=8), "b": normal(3, 2, seed=9)}, lambda a, b: torch.cat([a.T, b.relu()], 1) * 2)


def pads() -> Iterator[Case]:
    x = normal(2, 3, 5, 4, seed=10)
    for amounts in ((1, 2), (0, 3), (1, 0, 2, 1), (1, 1, 1, 1), (1, 0, 0, 1, 2, 2), (0, 0, 0, 0, 1, 1), (1, 0, 0, 1, 0, 1, 2, 0)):
        for value in (0, 1.5, float("-inf")):
            written = "" if value == 0 else ", value=-inf" if value < 0 else f", value={value}"
            yield case(f"pad constant by {setting(amounts)} with {value}", f"y = pad(x, {setting(amounts)}{written})", {"x": x},
                       lambda x, amounts=amounts, value=value: F.pad(x, amounts, value=value))
    for amounts in ((-1, -1), (-2, 3), (2, -1, -3, 0)):
        yield case(f"pad constant by {setting(amounts)}", f"y = pad(x, {setting(amounts)})", {"x": x},
                   lambda x, amounts=amounts: F.pad(x, amounts))
    by_rank: dict[int, tuple[tuple[int, ...], ...]] = {1: ((1, 2), (3, 3), (0, 1)), 2: ((1, 2, 3, 0), (3, 3, 4, 4), (0, 0, 1, 1)),
                                                       3: ((1, 2, 0, 1, 1, 1), (1, 1, 2, 2, 0, 0))}
    for mode in ("reflect", "replicate", "circular"):
        for rank, lists in by_rank.items():
            data = normal(1, 2, *(3, 5, 4)[3 - rank:], seed=11 + rank)
            for amounts in lists:
                yield case(f"pad {mode} of {rank} dimensions by {setting(amounts)}", f"y = pad(x, {setting(amounts)}, mode={mode})",
                           {"x": data}, lambda x, amounts=amounts, mode=mode: F.pad(x, amounts, mode=mode))
    yield case("pad replicate beyond the extent", "y = pad(x, [9, 7], replicate)", {"x": x[0]}, lambda x: F.pad(x, (9, 7), mode="replicate"))
    yield case("pad circular by the extent", "y = pad(x, [4, 4], circular)", {"x": x[0]}, lambda x: F.pad(x, (4, 4), mode="circular"))
    for dtype in ("f16", "bf16", "i32", "i64", "bool"):
        yield case(f"pad of {dtype}", "y = pad(x, [1, 1], value=1)", {"x": whole(2, 3, dtype=dtype, low=0, seed=15)},
                   lambda x: F.pad(x, (1, 1), value=1))
    yield case("pad of f64 with a fraction", "y = pad(x, [1, 1], value=0.1)", {"x": normal(2, 3, dtype="f64", seed=18)},
               lambda x: F.pad(x, (1, 1), value=0.1))
    for value in (0.5, 1e30):
        yield case(f"pad of bool with {value}", f"y = pad(x, [1, 0], value={value})", {"x": whole(2, 3, dtype="bool", low=0, high=1, seed=19)},
                   lambda x, value=value: F.pad(x, (1, 0), value=value))
    yield case("pad of f16 with a value that rounds", "y = pad(x, [1, 1], value=0.1)", {"x": normal(2, 3, dtype="f16", seed=16)},
               lambda x: F.pad(x, (1, 1), value=0.1))
    yield case("pad of a computed value", "y = pad(x * 2, [2, 0]) >> add(1)", {"x": normal(2, 3, seed=17)}, lambda x: F.pad(x * 2, (2, 0)) + 1)


def rolls() -> Iterator[Case]:
    x = normal(3, 4, 5, seed=20)
    for shifts, dims in ((1, 0), (-1, 0), (3, 1), (-7, 2), (12, -1), (0, 1), ((1, 2), (0, 2)), ((-1, 5), (-1, 0)), ((1, 1), (1, 1)),
                         ((2, -3, 1), (0, 1, 2))):
        yield case(f"roll by {setting(shifts)} along {setting(dims)}", f"y = roll(x, {setting(shifts)}, {setting(dims)})", {"x": x},
                   lambda x, shifts=shifts, dims=dims: torch.roll(x, shifts, dims))
    for shift in (1, -7, 61):
        yield case(f"roll by {shift} over all elements", f"y = roll(x, {shift})", {"x": x}, lambda x, shift=shift: torch.roll(x, shift))
    yield case("roll of a bool view", "y = roll(transpose(x), 1, 0)", {"x": whole(3, 4, dtype="bool", low=0, high=1, seed=21)},
               lambda x: torch.roll(x.T, 1, 0))


def lookups() -> Iterator[Case]:
    x = normal(4, 5, 3, seed=30)
    for dim, shape in ((0, (2, 5, 3)), (0, (9, 5, 3)), (1, (4, 7, 3)), (2, (4, 5, 1)), (-1, (4, 2, 6)), (-3, (3, 4, 2))):
        index = whole(*shape, dtype="i64", low=0, high=x.shape[dim] - 1, seed=31)
        yield case(f"gather along {dim} at {setting(shape)}", f"y = gather(x, i, dim={dim})", {"x": x, "i": index},
                   lambda x, i, dim=dim: torch.gather(x, dim, i))
    yield case("gather at i32", "y = gather(x, i, dim=1)", {"x": x, "i": whole(4, 5, 3, dtype="i32", low=0, high=4, seed=32)},
               lambda x, i: torch.gather(x, 1, i.long()))
    yield case("gather of i64", "y = gather(x, i, dim=0)", {"x": torch.tensor([2**60 + 1, 5, -3]), "i": torch.tensor([2, 0, 0, 1])},
               lambda x, i: torch.gather(x, 0, i))
    yield case("gather at an expanded index", "v = expand(unsqueeze(i, 1), [3, 5])\ny = gather(x, v, dim=0)",
               {"x": normal(4, 5, seed=33), "i": torch.tensor([3, 0, 3])}, lambda x, i: x.index_select(0, i))
    w = normal(7, 6, seed=34)
    for shape in ((4,), (2, 3), (2, 1, 2), ()):
        yield case(f"embedding at {setting(shape)}", "y = embedding(W, i)",
                   {"W": w, "i": whole(*shape, dtype="i64", low=0, high=6, seed=35)}, lambda w, i: F.embedding(i, w), params=("W",))
    yield case("embedding of f16 at i32", "y = embedding(W, i) >> mul(2)",
               {"W": normal(7, 6, dtype="f16", seed=36), "i": whole(5, dtype="i32", low=0, high=6, seed=37)},
               lambda w, i: F.embedding(i, w) * 2, params=("W",))


def constants() -> Iterator[Case]:
    x = normal(3, 4, seed=40)
    for dtype in ("f32", "f16", "bf16", "f64", "i32", "i64", "bool"):
        kind = DTYPES[dtype]
        for word in ("zeros", "ones"):
            yield case(f"{word} of {dtype}", f"y = {word}([2, 3], {dtype})", {}, lambda word=word, kind=kind: getattr(torch, word)(2, 3, dtype=kind))
        yield case(f"full of {dtype}", f"y = full([3], 2, {dtype})", {}, lambda kind=kind: torch.full((3,), 2, dtype=kind))
    yield case("full with a fraction", "y = full([2, 2], 0.1)", {}, lambda: torch.full((2, 2), 0.1))
    yield case("full of f64 with a fraction", "y = full([2], 0.1, f64)", {}, lambda: torch.full((2,), 0.1, dtype=torch.float64))
    yield case("arange of f64 by a fraction", "y = arange(1, step=0.1, dtype=f64)", {}, lambda: torch.arange(0, 1, 0.1, dtype=torch.float64))
    for value in (0.5, "inf", 1e30, 0):
        yield case(f"full of bool with {value}", f"y = full([2], {value}, bool)", {},
                   lambda value=value: torch.full((2,), float(value), dtype=torch.bool))
    yield case("concat of f64 with a fraction", "y = concat(x, full([2], 0.1), dim=0)", {"x": normal(3, dtype="f64", seed=41)},
               lambda x: torch.cat([x, torch.full((2,), 0.1, device=x.device)]))
    yield case("zeros, ones inside an expression", "y = x * ones([4]) + zeros([3, 1])", {"x": x}, lambda x: x * 1.0)
    yield case("ones that widen the type", "y = x + ones([4], f64)", {"x": x}, lambda x: x + torch.ones(4, dtype=torch.float64, device=x.device))
    ranges: tuple[tuple[str, tuple[Any, ...]], ...] = (
        ("6", (6,)), ("8, start=2", (2, 8)), ("9, start=2, step=3", (2, 9, 3)), ("-4, start=5, step=-2", (5, -4, -2)),
        ("2.5", (2.5,)), ("2.0, start=0.5, step=0.25", (0.5, 2.0, 0.25)), ("5, start=0.5", (0.5, 5)))
    for written, given in ranges:
        yield case(f"arange({written})", f"y = arange({written})", {}, lambda given=given: torch.arange(*given))
    yield case("arange of f32", "y = arange(5, dtype=f32)", {}, lambda: torch.arange(5, dtype=torch.float32))
    yield case("arange of f16", "y = arange(5, dtype=f16)", {}, lambda: torch.arange(5, dtype=torch.float16))
    yield case("arange along columns", "y = x * arange(4)", {"x": x}, lambda x: x * torch.arange(4, device=x.device))
    yield case("arange along rows", "r = arange(3)\nv = unsqueeze(r, 1)\ny = where(x > 0, v, -1)",
               {"x": x}, lambda x: torch.where(x > 0, torch.arange(3, device=x.device).unsqueeze(1), -1))


def triangles() -> Iterator[Case]:
    for shape in ((4, 4), (3, 5), (5, 2), (2, 3, 4), (1, 4), (4, 1)):
        for diagonal in (0, 1, -1, 3, -7):
            written = "" if diagonal == 0 else f", diagonal={diagonal}"
            for word in ("triu", "tril"):
                yield case(f"{word} of {setting(shape)}, diagonal {diagonal}", f"y = {word}(x{written})", {"x": normal(*shape, seed=50)},
                           lambda x, word=word, diagonal=diagonal: getattr(torch, word)(x, diagonal))
    inf, nan = float("inf"), float("nan")
    yield case("triu drops NaN and infinities", "y = triu(x)", {"x": numbers([[nan, inf], [nan, -inf]])}, torch.triu)
    yield case("tril of i64", "y = tril(x)", {"x": torch.tensor([[2**60 + 1, 5], [-(2**59) - 1, 7]])}, torch.tril)
    yield case("triu of bool", "y = triu(x, 1)", {"x": torch.ones(3, 3, dtype=torch.bool)}, lambda x: torch.triu(x, 1))
    yield case("triu of f16 in nhwc", "v = to(x, nhwc)\ny = triu(v)", {"x": normal(1, 2, 3, 4, dtype="f16", seed=51)}, torch.triu)
    yield case("tril of a transposed view", "y = tril(transpose(x)) * 2", {"x": normal(3, 4, seed=52)}, lambda x: torch.tril(x.T) * 2)
    yield case("triu after a gemm", "y = gemm(a, b) >> triu() >> mul(0.5)", {"a": normal(5, 3, seed=53), "b": normal(3, 4, seed=54)},
               lambda a, b: torch.triu(a @ b) * 0.5)
    yield case("tril after a batched gemm", "y = gemm(a, b) >> tril(-1)", {"a": normal(2, 5, 3, seed=55), "b": normal(2, 3, 4, seed=56)},
               lambda a, b: torch.tril(a @ b, -1))
    for dim in (0, 1, 2, -1, -2):
        yield case(f"index {dim}", f"y = index(x, {dim})", {"x": normal(2, 3, 4, seed=57)},
                   lambda x, dim=dim: torch.arange(x.shape[dim]).reshape([-1 if d == dim % 3 else 1 for d in range(3)]).expand(x.shape).contiguous())
    yield case("index in a mask", "y = where(index(x, 1) <= index(x, 0), x, 0)", {"x": normal(4, 4, seed=58)}, torch.tril)
    yield case("index of a row read by a matrix", "y = x + index(b, 0)", {"x": normal(3, 4, seed=59), "b": normal(4, seed=60)},
               lambda x, b: x + torch.arange(4, device=x.device))


def cases() -> Iterator[Case]:
    yield from concats()
    yield from pads()
    yield from rolls()
    yield from lookups()
    yield from constants()
    yield from triangles()
