"""Cases that torch answers and the executor is replayed against: one module a family, each with `def cases()`.

A case is a whole .uc program, its inputs, and the same in torch. tests/gpu/record_programs.py records the answers,
tests/semantics/torch_programs_test.cpp replays them; docs/schemas/torch_programs.md has the format and what "agree" means.
"""
from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch

Tensor = torch.Tensor
DTYPES: dict[str, torch.dtype] = {
    "f64": torch.float64, "f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16, "f8e4m3": torch.float8_e4m3fn,
    "f8e5m2": torch.float8_e5m2, "i8": torch.int8, "u8": torch.uint8, "i32": torch.int32, "i64": torch.int64, "bool": torch.bool,
}
NAMES = {dtype: name for name, dtype in DTYPES.items()}
FLOATS = ("f64", "f32", "f16", "bf16")


@dataclass(frozen=True)
class Case:
    """`source` declares `inputs` in order (params among them); `torch(*inputs)` gives the tensor or tuple it returns.

    `torch` runs a second time on float64 copies of the floating inputs: it must not name a floating dtype of its own,
    unless that is what the program does too. `sums`: elements are sums that may cancel, so that the error of one is
    measured against the greatest error of its answer, not against its own size.
    """

    name: str
    source: str
    inputs: Sequence[Tensor]
    torch: Callable[..., Any]
    sums: bool = False


def case(name: str, step: str, inputs: dict[str, Tensor], run: Callable[..., Any], params: Sequence[str] = (),
         results: str = "y", precision: str = "strict", sums: bool = False) -> Case:
    """A program around one or more steps: `case("sum", "y = sum(x, dim=0)", {"x": t}, lambda x: x.sum(0))`.

    Names in `params` are declared `param`. `results` is what stands after `return`.
    """
    lines = ["target sm_90a", f"precision {precision}"]
    for key, tensor in inputs.items():
        shape = "[" + ", ".join(str(n) for n in tensor.shape) + "]" if tensor.dim() else ""
        lines.append(f"{'param' if key in params else 'input'} {key}: {NAMES[tensor.dtype]}{shape}")
    return Case(name, "\n".join([*lines, step, f"return {results}"]) + "\n", list(inputs.values()), run, sums)


def normal(*shape: int, dtype: str = "f32", seed: int = 0, scale: float = 1.0, shift: float = 0.0) -> Tensor:
    """Normal numbers; the same on every device."""
    generator = torch.Generator().manual_seed(seed)
    return (torch.randn(shape, generator=generator, dtype=torch.float64) * scale + shift).to(DTYPES[dtype])


def whole(*shape: int, dtype: str = "f32", seed: int = 0, low: int = -2, high: int = 2) -> Tensor:
    """Small whole numbers, both bounds included: sums and products of few are exact, and ties are many."""
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(low, high + 1, shape, generator=generator).to(DTYPES[dtype])


def numbers(values: Sequence[Any], dtype: str = "f32") -> Tensor:
    """The numbers given, nested for more dimensions; `float("nan")` and infinities among them."""
    if dtype in FLOATS:
        return torch.tensor(values, dtype=torch.float64).to(DTYPES[dtype])
    return torch.tensor(values, dtype=DTYPES[dtype])
