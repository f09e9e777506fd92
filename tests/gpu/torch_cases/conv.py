"""Convolutions and their transposes: every setting, alone and together, over ranks, layouts and types."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
import torch.nn.functional as F

from . import Case, case, normal, numbers, whole

CONV = {1: F.conv1d, 2: F.conv2d, 3: F.conv3d}
TRANSPOSED = {1: F.conv_transpose1d, 2: F.conv_transpose2d, 3: F.conv_transpose3d}
EXTENTS = {1: (11,), 2: (6, 5), 3: (3, 4, 3)}
KERNELS = {1: (3,), 2: (3, 2), 3: (2, 3, 2)}
BATCH = {1: (2,), 2: (2,), 3: (1,)}


def setting(value: Any) -> str:
    return value if isinstance(value, str) else "[" + ", ".join(map(str, value)) + "]" if isinstance(value, tuple) else str(value)


def call(name: str, settings: dict[str, Any]) -> str:
    return f"y = {name}(" + ", ".join(["x", "W", *(f"{k}={setting(v)}" for k, v in settings.items())]) + ")"


def describe(settings: dict[str, Any]) -> str:
    return ", ".join(f"{k} {setting(v)}" for k, v in settings.items()) or "plain"


def conv(rank: int, settings: dict[str, Any], *, batch: tuple[int, ...] | None = None, channels: int = 4, out: int | None = None,
         dtype: str = "f32", kernel: tuple[int, ...] | None = None, extents: tuple[int, ...] | None = None, note: str = "", seed: int = 0,
         exact: bool = False, chain: str = "", after: Any = None, extra: dict[str, Any] | None = None) -> Case:
    make = whole if exact else normal
    groups = settings.get("groups", 1)
    out = out or (4 if groups == 4 else 6)
    x = make(*(BATCH[rank] if batch is None else batch), channels, *(extents or EXTENTS[rank]), dtype=dtype, seed=seed + 1)
    w = make(out, channels // groups, *(kernel or KERNELS[rank]), dtype=dtype, seed=seed + 2)
    inputs = {"x": x, "W": w, **(extra or {})}

    def run(x: torch.Tensor, w: torch.Tensor, *more: torch.Tensor) -> torch.Tensor:
        y = CONV[rank](x, w, **settings)
        return after(y, *more) if after else y

    return case(f"conv{rank}d{note}, {describe(settings)}", call(f"conv{rank}d", settings) + chain, inputs, run,
                params=("W", *(extra or {})))


def transposed(rank: int, settings: dict[str, Any], *, batch: tuple[int, ...] | None = None, channels: int = 4, out: int = 2,
               dtype: str = "f32", kernel: tuple[int, ...] | None = None, note: str = "", seed: int = 0, exact: bool = False,
               extents: tuple[int, ...] | None = None) -> Case:
    make = whole if exact else normal
    groups = settings.get("groups", 1)
    x = make(*(BATCH[rank] if batch is None else batch), channels, *(extents or EXTENTS[rank]), dtype=dtype, seed=seed + 3)
    w = make(channels, out // groups, *(kernel or KERNELS[rank]), dtype=dtype, seed=seed + 4)
    return case(f"conv_transpose{rank}d{note}, {describe(settings)}", call(f"conv_transpose{rank}d", settings), {"x": x, "W": w},
                lambda x, w: TRANSPOSED[rank](x, w, **settings), params=("W",))


def settings_of(rank: int) -> Iterator[dict[str, Any]]:
    """Each setting by itself, as one number and one a dimension, then together."""
    each = tuple(range(1, rank + 1))
    yield {}
    for stride in (2, 3, each):
        yield {"stride": stride}
    for padding in (1, 2, each, "valid"):
        yield {"padding": padding}
    for dilation in (2, each):
        yield {"dilation": dilation, "padding": 2}
    for groups in (2, 4):
        yield {"groups": groups}
    yield {"stride": 2, "padding": 1, "dilation": 2, "groups": 2}
    yield {"stride": each, "padding": each[::-1], "dilation": 1}
    yield {"padding": "same"}
    yield {"padding": "same", "dilation": 2, "groups": 2}


def transposed_settings(rank: int) -> Iterator[dict[str, Any]]:
    each = tuple(range(1, rank + 1))
    yield {}
    for stride in (2, each):
        yield {"stride": stride}
    yield {"padding": 1}
    yield {"stride": 2, "padding": each if rank == 1 else 1, "output_padding": 1}
    yield {"stride": 3, "output_padding": 2}
    yield {"stride": 2, "output_padding": tuple(d % 2 for d in each)}
    for dilation in (2, each):
        yield {"dilation": dilation}
    yield {"dilation": 2, "output_padding": 1}
    for groups in (2,):
        yield {"groups": groups}
    yield {"stride": 2, "padding": 1, "output_padding": 1, "dilation": 2, "groups": 2}


def shapes() -> Iterator[Case]:
    """Kernels of 1, kernels as large as the input, extents of 1, one channel, depthwise, without batch."""
    for rank in (1, 2, 3):
        ones, extents = (1,) * rank, EXTENTS[rank]
        yield conv(rank, {}, kernel=ones, note=", kernel 1", seed=20)
        yield conv(rank, {"stride": 2}, kernel=ones, note=", kernel 1", seed=21)
        yield conv(rank, {}, kernel=extents, note=", kernel of the whole input", seed=22)
        yield conv(rank, {"padding": 1}, extents=ones, kernel=(3,) * rank, note=", extents 1", seed=23)
        yield conv(rank, {"groups": 4}, out=4, note=", depthwise", seed=24)
        yield conv(rank, {"groups": 4, "padding": "same"}, out=8, note=", depthwise with two each", seed=25)
        yield conv(rank, {"padding": 1}, channels=1, out=1, note=", one channel", seed=26)
        yield conv(rank, {"stride": 2}, batch=(), note=", no batch", seed=27)
        yield conv(rank, {"stride": 7}, kernel=(2,) * rank, note=", stride beyond the kernel", seed=28)
        yield transposed(rank, {}, kernel=ones, note=", kernel 1", seed=29)
        yield transposed(rank, {"stride": 3}, kernel=(2,) * rank, note=", stride beyond the kernel", seed=30)
        yield transposed(rank, {"groups": 4}, out=4, note=", depthwise", seed=31)
        yield transposed(rank, {"stride": 2}, batch=(), note=", no batch", seed=32)
        yield transposed(rank, {"stride": 2, "padding": 1}, extents=ones, kernel=(4,) * rank, note=", extents 1", seed=33)


def types() -> Iterator[Case]:
    for dtype in ("f64", "f16", "bf16"):
        for rank in (1, 2):
            yield conv(rank, {"padding": 1}, dtype=dtype, note=f", {dtype}", seed=40)
            yield transposed(rank, {"stride": 2}, dtype=dtype, note=f", {dtype}", seed=41)
            yield conv(rank, {"stride": 2, "padding": 1}, dtype=dtype, note=f", {dtype}, whole numbers", exact=True, seed=42)


def special() -> Iterator[Case]:
    inf, nan = float("inf"), float("nan")
    x = {"x": numbers([[[1.0, inf, 2.0, -inf, nan, 0.0, 3.0]]]), "W": numbers([[[1.0, 0.5]]])}
    yield case("infinities and NaN", "y = conv1d(x, W)", x, lambda x, w: F.conv1d(x, w))
    y = {"x": numbers([[[1.0, inf, 2.0, nan, 3.0]]]), "W": numbers([[[1.0, 0.5]]])}
    yield case("infinities and NaN, transposed", "y = conv_transpose1d(x, W, stride=2)", y,
               lambda x, w: F.conv_transpose1d(x, w, stride=2))
    big = {"x": normal(1, 64, 5, 5, seed=50), "W": normal(2, 64, 5, 5, seed=51)}
    yield case("1600 products an element", "y = conv2d(x, W, padding=1)", big, lambda x, w: F.conv2d(x, w, padding=1))
    yield case("of a permuted view", "v = permute(x, [0, 3, 1, 2])\ny = conv2d(v, W)",
               {"x": normal(2, 6, 7, 4, seed=52), "W": normal(5, 4, 3, 3, seed=53)}, lambda x, w: F.conv2d(x.permute(0, 3, 1, 2), w))
    yield case("of a slice", "v = slice(x, 1, 2, 6)\ny = conv2d(v, W, stride=2)",
               {"x": normal(2, 8, 7, 6, seed=54), "W": normal(5, 4, 3, 3, seed=55)}, lambda x, w: F.conv2d(x[:, 2:6], w, stride=2))


def chains() -> Iterator[Case]:
    """`bias` and one-dimensional `mul` run along the channels."""
    for rank in (1, 2, 3):
        b, s = normal(6, seed=60), normal(6, seed=61)
        lift = (6,) + (1,) * rank
        yield conv(rank, {"padding": 1}, note=", bias", chain=" >> bias(b)", extra={"b": b}, seed=62,
                   after=lambda y, b, lift=lift: y + b.reshape(lift))
        yield conv(rank, {}, note=", bias relu mul", chain=" >> bias(b) >> relu() >> mul(s)", extra={"b": b, "s": s}, seed=63,
                   after=lambda y, b, s, lift=lift: y.add(b.reshape(lift)).relu() * s.reshape(lift))
        yield conv(rank, {}, batch=(), note=", no batch, bias", chain=" >> bias(b)", extra={"b": b}, seed=64,
                   after=lambda y, b, lift=lift: y + b.reshape(lift))
    c = normal(4, seed=65)
    yield case("conv_transpose2d, bias", "y = conv_transpose2d(x, W, stride=2) >> bias(b) >> mul(2)",
               {"x": normal(2, 3, 5, 5, seed=66), "W": normal(3, 4, 3, 3, seed=67), "b": c},
               lambda x, w, b: F.conv_transpose2d(x, w, b, stride=2) * 2)
    # channels as many as columns: the bias is still the channels'
    yield case("bias where C equals W", "y = conv2d(x, W) >> bias(b)",
               {"x": normal(1, 2, 5, 5, seed=68), "W": normal(3, 2, 3, 3, seed=69), "b": normal(3, seed=70)},
               lambda x, w, b: F.conv2d(x, w, b))


def layouts() -> Iterator[Case]:
    """The layout changes nothing but memory."""
    named = {1: "nwc", 2: "nhwc", 3: "ndhwc"}
    for rank in (1, 2, 3):
        x, w = normal(2, 4, *EXTENTS[rank], seed=80), normal(6, 4, *KERNELS[rank], seed=81)
        yield case(f"conv{rank}d of {named[rank]}", f"v = to(x, {named[rank]})\ny = conv{rank}d(v, W, padding=1)", {"x": x, "W": w},
                   lambda x, w, rank=rank: CONV[rank](x, w, padding=1))
        yield case(f"conv{rank}d of {named[rank]}, and a view of the result",
                   f"v = to(x, {named[rank]})\nt = conv{rank}d(v, W)\nu = transpose(t, [1, -1])\ny = relu(u)", {"x": x, "W": w},
                   lambda x, w, rank=rank: CONV[rank](x, w).transpose(1, -1).relu())


def cases() -> Iterator[Case]:
    for rank in (1, 2, 3):
        for i, settings in enumerate(settings_of(rank)):
            yield conv(rank, settings, seed=10 * i)
        for i, settings in enumerate(transposed_settings(rank)):
            yield transposed(rank, settings, seed=10 * i)
    yield from shapes()
    yield from types()
    yield from special()
    yield from chains()
    yield from layouts()
