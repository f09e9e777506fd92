"""grouped_gemm: rows in groups that each have a matrix, and sums over groups of columns."""
from __future__ import annotations

from collections.abc import Iterator

import torch

from . import Case, Tensor, case, normal, numbers, whole


def bounds(offsets: Tensor) -> list[tuple[int, int]]:
    ends = [int(e) for e in offsets]
    return list(zip([0, *ends[:-1]], ends))


def rows(a: Tensor, b: Tensor, offsets: Tensor) -> Tensor:
    parts = [a[begin:end] @ b[g] for g, (begin, end) in enumerate(bounds(offsets))]
    rest = a.new_zeros((a.shape[0] - int(offsets[-1]), b.shape[2]))
    return torch.cat([*parts, rest])


def columns(a: Tensor, b: Tensor, offsets: Tensor) -> Tensor:
    return torch.stack([a[:, begin:end] @ b[begin:end] for begin, end in bounds(offsets)])


def cases() -> Iterator[Case]:
    ends = {"even": [4, 8, 12], "uneven": [1, 9, 12], "empty groups": [0, 12, 12], "rows of no group": [2, 2, 7]}
    for name, values in ends.items():
        for kind in ("i32", "i64"):
            offsets = numbers(values, kind)
            yield case(f"rows {name} {kind}", "y = grouped_gemm(A, B, ends)",
                       {"A": normal(12, 8, seed=1), "B": normal(3, 8, 5, seed=2), "ends": offsets}, rows, ["B"], sums=True)
        yield case(f"columns {name}", "y = grouped_gemm(A, B, ends)",
                   {"A": normal(6, 12, seed=1), "B": normal(12, 5, seed=2), "ends": numbers(values, "i32")}, columns, sums=True)
    for dtype in ("f64", "f16", "bf16"):
        yield case(f"rows {dtype}", "y = grouped_gemm(A, B, ends)",
                   {"A": normal(12, 8, dtype=dtype, seed=1), "B": normal(3, 8, 5, dtype=dtype, seed=2),
                    "ends": numbers([3, 3, 10], "i32")}, rows, sums=True)
    yield case("whole numbers", "y = grouped_gemm(A, B, ends)",
               {"A": whole(12, 8, seed=1), "B": whole(3, 8, 5, seed=2), "ends": numbers([5, 6, 12], "i32")}, rows, sums=True)
    yield case("one row, one group", "y = grouped_gemm(A, B, ends)",
               {"A": normal(1, 1, seed=1), "B": normal(1, 1, 1, seed=2), "ends": numbers([1], "i32")}, rows, sums=True)
    yield case("bias and relu after", "y = grouped_gemm(A, B, ends) >> bias(b) >> relu()",
               {"A": normal(12, 8, seed=1), "B": normal(3, 8, 5, seed=2), "ends": numbers([5, 6, 12], "i32"),
                "b": normal(5, seed=3)}, lambda a, b, ends, c: torch.relu(rows(a, b, ends) + c), sums=True)
