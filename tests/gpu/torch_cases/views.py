"""Views: ends and steps of slices, reversed dimensions, several results, and views of views."""
from __future__ import annotations

from collections.abc import Iterator

import torch

from . import Case, case, normal, whole

BIG = 10**17


def slices() -> Iterator[Case]:
    x = normal(4, 7, 3, seed=1)
    for dim, extent in ((0, 4), (1, 7), (-1, 3), (-3, 4)):
        for start, end in ((0, 2), (1, extent), (-2, None), (None, -1), (-100, 2), (1, 100), (0, BIG), (-2, -1), (None, None)):
            step = 2 if (start, end) in ((0, BIG), (1, 100)) else None
            written = "".join(f", {k}={v}" for k, v in (("start", start), ("end", end), ("step", step)) if v is not None)
            where = [slice(None)] * 3
            where[dim] = slice(start, end, step)
            yield case(f"slice of {dim}{written}", f"v = slice(x, {dim}{written})\ny = v * 1", {"x": x},
                       lambda x, where=tuple(where): x[where] * 1)
    yield case("slice, all by position", "v = slice(x, 1, 1, 6, 2)\ny = v + 0", {"x": x}, lambda x: x[:, 1:6:2] + 0)
    # PyTorch's slices go forwards only; NumPy's meaning of a negative step is that of flip.
    yield case("slice backwards", "v = slice(x, 1, step=-1)\ny = v + 0", {"x": x}, lambda x: x.flip(1) + 0)
    yield case("slice backwards by two from 5", "v = slice(x, 1, start=5, step=-2)\ny = v + 0", {"x": x}, lambda x: x[:, [5, 3, 1]] + 0)
    yield case("slice backwards to 2", "v = slice(x, 1, start=-1, end=2, step=-3)\ny = v + 0", {"x": x}, lambda x: x[:, [6, 3]] + 0)
    yield case("slice of a transposed slice", "v = slice(x, 0, 1)\nw = slice(transpose(v), 1, 0, 2)\ny = w * 2", {"x": x},
               lambda x: x[1:].transpose(-1, -2)[:, 0:2] * 2)
    yield case("slice of a computed tensor", "t = x * 2\nv = slice(t, 1, 2, 5)\ny = v + 1", {"x": x}, lambda x: (x * 2)[:, 2:5] + 1)
    yield case("a slice as a factor", "y = slice(x, 1, 0, 3) * slice(x, 1, 3, 6)", {"x": x}, lambda x: x[:, 0:3] * x[:, 3:6])
    yield case("a slice multiplied", "v = slice(x, 1, 2, 6)\ny = gemm(v, w)", {"x": normal(5, 9, seed=2), "w": normal(4, 3, seed=3)},
               lambda x, w: x[:, 2:6] @ w)


def flips() -> Iterator[Case]:
    x = normal(3, 4, 5, seed=10)
    for dims in ([0], [1], [-1], [0, 2], [0, 1, 2], [-2, -1]):
        yield case(f"flip {dims}", f"v = flip(x, {dims})\ny = v * 1", {"x": x}, lambda x, dims=dims: x.flip(dims) * 1)
    yield case("flip of an extent of 1", "v = flip(x, 0)\ny = v * 1", {"x": normal(1, 4, seed=11)}, lambda x: x.flip(0) * 1)
    yield case("flip twice", "v = flip(flip(x, 1), 1)\ny = v * 1", {"x": x}, lambda x: x * 1)
    yield case("flip of a slice", "v = flip(slice(x, 1, 1, 4), [1, 2])\ny = v + 1", {"x": x}, lambda x: x[:, 1:4].flip(1, 2) + 1)
    yield case("slice of a flip", "v = slice(flip(x, 1), 1, 1, 3)\ny = v + 1", {"x": x}, lambda x: x.flip(1)[:, 1:3] + 1)
    yield case("transpose of a flip", "v = transpose(flip(x, 2))\ny = v + 1", {"x": x}, lambda x: x.flip(2).transpose(-1, -2) + 1)
    yield case("reshape of a flip of everything", "v = reshape(flip(x, [0, 1, 2]), [60])\ny = v + 1", {"x": x},
               lambda x: x.flip(0, 1, 2).reshape(60) + 1)
    yield case("a flip beside the tensor itself", "y = x + flip(x, 0)", {"x": x}, lambda x: x + x.flip(0))
    yield case("a flip copied, then multiplied", "t = to(flip(a, 1), row)\ny = gemm(t, b)", {"a": normal(3, 4, seed=12), "b": normal(4, 2, seed=13)},
               lambda a, b: a.flip(1) @ b)
    yield case("flip of nhwc", "v = to(x, nhwc)\nw = flip(v, [1, 3])\ny = relu(w)", {"x": normal(2, 3, 4, 5, seed=14)},
               lambda x: x.flip(1, 3).relu())


def parts() -> Iterator[Case]:
    x = normal(6, 4, seed=20)
    yield case("split in equal parts", "a, b, c = split(x, 2)\ny = a + b * c", {"x": x}, lambda x: x[:2] + x[2:4] * x[4:])
    yield case("split with a rest", "a, b = split(x, 4)\ny = relu(a)\nz = relu(b)", {"x": x}, lambda x: (x[:4].relu(), x[4:].relu()), results="y, z")
    yield case("split by sizes", "a, b, c = split(x, [1, 3, 2])\ny = a * 1\nz = b * 1\nw = c * 1", {"x": x},
               lambda x: tuple(t * 1 for t in x.split([1, 3, 2])), results="y, z, w")
    yield case("split along the last dimension", "q, k = split(x, [3, 1], dim=-1)\ny = q * k", {"x": x}, lambda x: x[:, :3] * x[:, 3:])
    yield case("split in one part", "a = split(x, 9)\ny = a * 1", {"x": x}, lambda x: x * 1)
    yield case("split, one part unused", "a, b = split(x, 3)\ny = b * 1", {"x": x}, lambda x: x[3:] * 1)
    yield case("unbind", "a, b, c = unbind(x)\ny = a * b - c", {"x": normal(3, 4, 5, seed=21)}, lambda x: x[0] * x[1] - x[2])
    yield case("unbind a middle dimension", "a, b = unbind(x, dim=1)\ny = a + b", {"x": normal(3, 2, 5, seed=22)}, lambda x: x[:, 0] + x[:, 1])
    yield case("unbind the last dimension", "a, b = unbind(x, dim=-1)\ny = a / b", {"x": normal(3, 4, 2, seed=23)}, lambda x: x[..., 0] / x[..., 1])
    yield case("unbind a vector", "a, b = unbind(x)\ny = z * a + b", {"x": normal(2, seed=24), "z": normal(3, seed=25)},
               lambda x, z: z * x[0] + x[1])
    yield case("unbind of a reshape", "q, k, v = unbind(reshape(x, [2, 3, 3, 4]), dim=2)\ny = q * k + v", {"x": normal(2, 3, 12, seed=26)},
               lambda x: (lambda t: t[0] * t[1] + t[2])(x.reshape(2, 3, 3, 4).unbind(2)))
    yield case("unbind of a flip", "a, b = unbind(flip(x, 0))\ny = a - b", {"x": normal(2, 5, seed=27)}, lambda x: x[1] - x[0])


def others() -> Iterator[Case]:
    x = normal(2, 1, 3, seed=30)
    yield case("expand", "v = expand(x, [2, 4, 3])\ny = v * 1", {"x": x}, lambda x: x.expand(2, 4, 3) * 1)
    yield case("expand with -1 and a new dimension", "v = expand(x, [5, -1, 4, -1])\ny = v * 1", {"x": x}, lambda x: x.expand(5, -1, 4, -1) * 1)
    yield case("expand of a slice", "v = expand(slice(x, 2, 1, 2), [2, 1, 3])\ny = v * 1", {"x": x}, lambda x: x[:, :, 1:2].expand(2, 1, 3) * 1)
    for dim in (0, 1, 2, -1, -2, -3):
        yield case(f"unsqueeze {dim}", f"v = unsqueeze(x, {dim})\ny = v * 1", {"x": normal(2, 3, seed=31)}, lambda x, dim=dim: x.unsqueeze(dim) * 1)
    for dim in (1, -2):
        yield case(f"squeeze {dim}", f"v = squeeze(x, {dim})\ny = v * 1", {"x": x}, lambda x, dim=dim: x.squeeze(dim) * 1)
    for dims in ([0, 1, 2], [2, 0, 1], [-1, 0, -2]):
        yield case(f"permute {dims}", f"v = permute(x, {dims})\ny = v * 1", {"x": normal(2, 3, 4, seed=32)}, lambda x, dims=dims: x.permute(dims) * 1)
    yield case("reshape of bool", "v = reshape(x, [3, -1])\ny = where(v, 1, 2)", {"x": whole(2, 6, dtype="bool", low=0, high=1, seed=33)},
               lambda x: torch.where(x.reshape(3, -1), 1, 2))


def cases() -> Iterator[Case]:
    yield from slices()
    yield from flips()
    yield from parts()
    yield from others()
