"""Whole programs of several steps and chains: what is stored and rounded where."""
from __future__ import annotations

from collections.abc import Iterator

import torch
import torch.nn.functional as F

from . import Case, case, normal, numbers, whole


def cases() -> Iterator[Case]:
    x, w, b = normal(4, 24, seed=1), normal(8, 24, seed=2), normal(8, seed=3)
    yield case("linear, bias, gelu", "y = linear(x, W) >> bias(b) >> gelu()", {"x": x, "W": w, "b": b},
               lambda x, w, b: F.gelu(F.linear(x, w, b)), params=("W", "b"))
    yield case("a param before an input", "y = x * s + 1", {"s": normal(24, seed=4), "x": x}, lambda s, x: x * s + 1,
               params=("s",))
    yield case("two results, one in bool", "n = x > z\nm = maximum(x, z)",
               {"x": numbers([1.0, float("nan"), -float("inf"), 2.0]), "z": numbers([float("nan"), 0.0, 3.0, 2.0])},
               lambda x, z: (x > z, torch.maximum(x, z)), results="n, m")
    yield case("threshold at edges", "y = threshold(x, 0.5, -1.0)",
               {"x": numbers([0.5, 0.50001, -2.0, float("nan"), float("inf"), -float("inf"), 0.0])}, lambda x: F.threshold(x, 0.5, -1.0))
    yield case("f16 stays f16", "y = silu(x) * z", {"x": normal(3, 5, dtype="f16", seed=5), "z": normal(5, dtype="f16", seed=6)},
               lambda x, z: F.silu(x) * z)
    yield case("integers", "y = x * z + x", {"x": whole(2, 6, dtype="i64", seed=7), "z": whole(6, dtype="i32", seed=8)},
               lambda x, z: x * z + x)
