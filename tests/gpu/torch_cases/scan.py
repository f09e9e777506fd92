"""Running sums and products: directions, masks, dtypes, edge values."""
from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import torch

from . import FLOATS, Case, Tensor, case, normal, numbers, whole

NAN, INF = math.nan, math.inf
OPS: dict[str, tuple[Callable[..., Tensor], int]] = {"cumsum": (torch.cumsum, 0), "cumprod": (torch.cumprod, 1)}


def scanned(op: str, x: Tensor, dim: int, reverse: bool = False, exclusive: bool = False, mask: Tensor | None = None) -> Tensor:
    """The same in torch's words: flips for `reverse`, a shift for `exclusive`, the neutral element where masked."""
    run, none = OPS[op]
    x = x if mask is None else torch.where(mask, x, torch.full_like(x, none))
    x = x.flip(dim) if reverse else x
    y = run(x, dim)
    if exclusive:
        y = torch.cat([torch.full_like(y.narrow(dim, 0, 1), none), y.narrow(dim, 0, y.shape[dim] - 1)], dim)
    return y.flip(dim) if reverse else y


def scan(name: str, op: str, x: Tensor, dim: int, reverse: bool = False, exclusive: bool = False, mask: Tensor | None = None) -> Case:
    words = [f"dim={dim}"] + (["reverse=true"] if reverse else []) + (["exclusive=true"] if exclusive else [])
    inputs = {"x": x} if mask is None else {"x": x, "m": mask}
    first = "x" if mask is None else "x, mask=m"
    return case(name, f"y = {op}({first}, {', '.join(words)})", inputs,
                lambda x, m=None: scanned(op, x, dim, reverse, exclusive, m))


def cases() -> Iterator[Case]:
    for op in OPS:
        for at, (shape, dims) in enumerate([((7,), [0]), ((3, 9), [0, 1, -1]), ((2, 3, 5), [0, 1, -2, 2]), ((3, 1), [1]), ((2, 200), [1])]):
            for dim in dims:
                for reverse in (False, True):
                    for exclusive in (False, True):
                        kind = f"{'reverse ' if reverse else ''}{'exclusive ' if exclusive else ''}"
                        yield scan(f"{kind}{op} of {list(shape)}, dim={dim}", op, normal(*shape, seed=at), dim, reverse, exclusive)
        for dtype in ("f64", "f16", "bf16", "i64", "i32", "i8", "u8", "bool"):
            x = normal(3, 20, dtype=dtype, seed=5) if dtype in FLOATS else whole(3, 20, dtype=dtype, seed=5, low=0 if dtype in ("u8", "bool") else -2)
            yield scan(f"{op} of {dtype}", op, x, 1)
        mask = whole(3, 9, dtype="bool", seed=6, low=0, high=1)
        x = normal(3, 9, seed=7)
        yield scan(f"masked {op}", op, x, 1, mask=mask)
        yield scan(f"masked reverse exclusive {op}", op, x, 1, True, True, mask)
        yield scan(f"{op} with a mask for all rows", op, x, 1, mask=mask[0])
        yield scan(f"masked {op} of integers", op, whole(3, 9, dtype="i32", seed=8), 0, mask=mask)
        yield scan(f"{op} of edges", op, numbers([[1.0, NAN, 2.0, 3.0], [INF, 1.0, -INF, 0.0], [0.0, -0.0, 5.0, INF], [1e30, 1e30, 2.0, 1e-30]]), 1)
        yield scan(f"masked {op} hides a NaN", op, numbers([1.0, NAN, 2.0]), 0, mask=numbers([True, False, True], "bool"))
        yield scan(f"{op} wraps", op, numbers([2**62, 2, 2**62, 2**62], "i64"), 0)
        yield case(f"{op} of an expression, then a chain", f"y = {op}(x * 2, dim=1) >> add(1)", {"x": x},
                   lambda x, run=OPS[op][0]: run(x * 2, 1) + 1)
