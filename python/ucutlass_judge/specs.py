"""What the two backends (torch on a GPU, fake on host memory) and the evaluation share."""

from __future__ import annotations

import math as math_
from dataclasses import dataclass, field
from typing import Any, Callable, Optional, Protocol, Sequence

DTYPE_BYTES = {"f64": 8, "f32": 4, "f16": 2, "bf16": 2, "f8e4m3": 1, "f8e5m2": 1, "i8": 1, "u8": 1, "i32": 4,
               "i64": 8, "bool": 1}

# KernelBench's allclose: atol = rtol.
ALLCLOSE = {"strict": 1e-4, "reduced": 1e-2}

# Half a unit in the last place of the operands that a way to multiply uses; f32 leaves room for its faithful
# emulations (three TF32 or three FP16 products).
UNIT_ROUNDOFF = {"f64": 2.0**-53, "f32": 2.0**-22, "tf32": 2.0**-11, "f16": 2.0**-11, "bf16": 2.0**-8,
                 "f8": 2.0**-4, "f8e4m3": 2.0**-4, "f8e5m2": 2.0**-3}


class ProblemError(Exception):
    """The problem cannot be loaded, run or judged; the text says why and what to do."""


class BaselineError(Exception):
    """A baseline has no time; the text says why."""


@dataclass(frozen=True)
class TensorSpec:
    name: str
    dtype: str
    shape: tuple[int, ...]
    stride: tuple[int, ...]

    @property
    def bytes(self) -> int:
        """Storage that the strides reach."""
        if any(size == 0 for size in self.shape):
            return 0
        last = sum((size - 1) * step for size, step in zip(self.shape, self.stride))
        return (last + 1) * DTYPE_BYTES[self.dtype]

    @property
    def steps(self) -> tuple[int, ...]:
        """Strides of the dimensions that have more than one place."""
        return tuple(step for size, step in zip(self.shape, self.stride) if size > 1)

    def describe(self) -> dict[str, Any]:
        return {"name": self.name, "dtype": self.dtype, "shape": list(self.shape), "stride": list(self.stride)}


def row_major(shape: Sequence[int]) -> tuple[int, ...]:
    stride: list[int] = []
    step = 1
    for size in reversed(shape):
        stride.insert(0, step)
        step *= max(size, 1)
    return tuple(stride)


def read_spec(item: dict[str, Any]) -> TensorSpec:
    """A tensor of the supervisor's request; raises ValueError with what is wrong."""
    dtype, shape = str(item.get("dtype")), tuple(int(size) for size in item.get("shape", []))
    if dtype not in DTYPE_BYTES:
        raise ValueError(f"unknown dtype {dtype}")
    stride = tuple(int(step) for step in item.get("stride") or row_major(shape))
    if len(stride) != len(shape) or any(size < 0 for size in shape) or any(step < 0 for step in stride):
        raise ValueError(f"bad shape {shape} or stride {stride}")
    return TensorSpec(str(item.get("name", "")), dtype, shape, stride)


@dataclass(frozen=True)
class Content:
    """What inputs hold: get_inputs under a seed, or that with another distribution and scale; and which weights."""
    seed: int
    kind: str = "fresh"  # or "other"
    weights: int = 0     # 0: the module's own; 1: changed


@dataclass
class Facts:
    """A loaded problem. `fixed` says why an input is never perturbed ("integers", "symmetric", ...), by place.
    `modes`: 0 to 3 an input, see timing.kind_of."""
    inputs: list[TensorSpec]
    outputs: list[TensorSpec]
    params: list[TensorSpec]
    modes: list[int]
    fixed: dict[int, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


@dataclass
class Difference:
    """excess: max |out - ref| / (tol + tol |ref|); inf when NaN, Inf, shapes or dtypes disagree."""
    excess: float
    why: str = ""

    @property
    def passed(self) -> bool:
        return self.excess <= 1.0


Tensor = Any  # a torch tensor, or the fake backend's


class Buffer(Protocol):
    """One exchanged block of memory that the judge owns, seen through a TensorSpec."""
    spec: TensorSpec

    def address(self) -> int: ...
    def put(self, value: Tensor) -> None: ...
    def get(self) -> Tensor: ...
    def same(self, value: Tensor) -> bool:
        """Bit for bit."""
    def poison(self) -> None: ...
    def guard(self) -> None:
        """Writes the guard behind the used bytes anew."""
    def tail_intact(self) -> bool:
        """Whether the guard behind the used bytes still holds."""
    def describe(self) -> dict[str, Any]:
        """What the runner needs to open it."""
    def publish(self) -> None:
        """Files: to the file. Else nothing."""
    def collect(self) -> None:
        """Files: back from the file. Else nothing."""
    def close(self) -> None: ...


class Backend(Protocol):
    """A device and a problem on it."""
    timing: Any
    runner_device: str
    noisy: bool  # other processes take turns on the device, so only large differences of times mean anything
    transports: list[str]

    def open(self) -> dict[str, Any]: ...
    def load(self, problem: dict[str, Any]) -> Facts: ...
    def free_bytes(self) -> int: ...
    def inputs(self, content: Content) -> list[Tensor]: ...
    def perturbed(self, inputs: Sequence[Tensor], specs: Sequence[TensorSpec], seed: int) -> list[Tensor]:
        """Copies laid out as `specs`, carrying perturbation `seed`: what the exchanged inputs must hold."""
    def param(self, name: str, weights: int) -> Tensor: ...
    def reference(self, inputs: Sequence[Tensor], weights: int) -> list[Tensor]: ...
    def reference64(self, inputs: Sequence[Tensor], weights: int) -> Optional[list[Tensor]]: ...
    def buffer(self, spec: TensorSpec, transport: str, folder: str) -> Buffer: ...
    def difference(self, out: Tensor, ref: Tensor, tolerance: float) -> Difference: ...
    def error(self, out: Tensor, ref64: Tensor) -> float: ...
    def norm(self, value: Tensor) -> float: ...
    def is_constant(self, value: Tensor) -> bool: ...
    def is_poison(self, buffer: Buffer) -> bool:
        """Every byte is still 0xFF."""
    def equal(self, a: Tensor, b: Tensor) -> bool: ...
    def baseline_names(self, math: str) -> list[str]: ...
    def baseline(self, name: str, sets: Sequence[Sequence[Tensor]]) -> tuple[Callable[[int], list[Tensor]], bool]:
        """(a call on one of the sets' inputs, whether it keeps the problem's own I/O dtypes); BaselineError when
        impossible."""
    def on_stream(self) -> Any:
        """A context manager: work goes to the timing library's stream."""
    def sync(self) -> None: ...
    def trim(self) -> None:
        """Gives cached device memory back, so that the runner can have it."""


def error_bound(math: str, reduction: int, output_dtype: str, like_torch: float) -> float:
    """What |out - ref64| / |ref64| may be. Rounding the operands of a product costs up to one unit roundoff u each,
    and for long sums the errors average as the terms do, so the relative error of the sum stays of the order of u;
    FP32 accumulation of K terms adds about sqrt(K) 2^-24 (Higham and Mary's probabilistic bound). The factor 4 covers
    two operands and a spread of 2. Where the problem itself amplifies errors (cancellation before a norm, exp),
    PyTorch's own error at that precision shows it, and 4 times that is allowed too."""
    unit = UNIT_ROUNDOFF.get(math, UNIT_ROUNDOFF["f32"])
    store = UNIT_ROUNDOFF.get(output_dtype, 0.0) if output_dtype in ("f16", "bf16", "f8e4m3", "f8e5m2") else 0.0
    return max(4.0 * (unit + math_.sqrt(max(reduction, 1)) * 2.0**-24 + store), 4.0 * like_torch)
