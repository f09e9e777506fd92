"""What the torch backend does with tensors: their descriptions, comparisons, distributions."""

from __future__ import annotations

import contextlib
import math
from typing import Any, Iterator

import torch

from .specs import Difference, ProblemError, TensorSpec
from .timing import KINDS

DTYPES = {"f64": torch.float64, "f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16,
          "f8e4m3": torch.float8_e4m3fn, "f8e5m2": torch.float8_e5m2, "i8": torch.int8, "u8": torch.uint8,
          "i32": torch.int32, "i64": torch.int64, "bool": torch.bool}
NAMES = {dtype: name for name, dtype in DTYPES.items()}
CHUNK = 1 << 26  # elements compared at a time
Tensors = list[torch.Tensor]


def spec_of(name: str, tensor: torch.Tensor) -> TensorSpec:
    if tensor.dtype not in NAMES:
        raise ProblemError(f"{name} has dtype {tensor.dtype}, which is not supported")
    return TensorSpec(name, NAMES[tensor.dtype], tuple(tensor.shape), tuple(tensor.stride()))


def flatten(value: Any) -> Tensors:
    """The tensors of a result, in order: a tensor, or nested tuples, lists and dicts of them."""
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (tuple, list)):
        return [tensor for item in value for tensor in flatten(item)]
    return []


def raw_bytes(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.reshape(-1).view(torch.uint8) if tensor.numel() else torch.empty(0, dtype=torch.uint8)


def bitwise_equal(a: torch.Tensor, b: torch.Tensor) -> bool:
    return a.shape == b.shape and a.dtype == b.dtype and torch.equal(raw_bytes(a.contiguous()), raw_bytes(b.contiguous()))


INTEGERS = (torch.int8, torch.uint8, torch.int32, torch.int64, torch.bool)


@contextlib.contextmanager
def tf32(matmul: bool, cudnn: bool) -> Iterator[None]:
    before = torch.backends.cuda.matmul.allow_tf32, torch.backends.cudnn.allow_tf32
    torch.backends.cuda.matmul.allow_tf32, torch.backends.cudnn.allow_tf32 = matmul, cudnn
    try:
        yield
    finally:
        torch.backends.cuda.matmul.allow_tf32, torch.backends.cudnn.allow_tf32 = before


def dense(tensor: torch.Tensor) -> torch.Tensor:
    """As it is when each element has its own place and there are no gaps (transposed too), else row-major."""
    step = 1
    for size, stride in sorted(zip(tensor.shape, tensor.stride()), key=lambda pair: pair[1]):
        if size != 1 and stride != step:
            return tensor.contiguous()
        step *= size
    return tensor


def fixed_because(tensor: torch.Tensor) -> str:
    """Why an input must keep its values; empty when it may be perturbed (signs, zeros and scale are kept anyway)."""
    if NAMES.get(tensor.dtype) not in KINDS:
        return "not a float type that is perturbed"
    if tensor.numel() == 0:
        return "empty"
    if tensor.dim() == 2 and tensor.shape[0] == tensor.shape[1] > 1 and torch.equal(tensor, tensor.T):
        return "symmetric"
    if tensor.reshape(-1)[: 1 << 20].unique().numel() <= 4:
        return "takes few values"
    return ""


def other_distribution(tensor: torch.Tensor) -> torch.Tensor:
    """Another distribution and scale, with zeros, signs, symmetry and the range [0, 1] kept."""
    if not tensor.is_floating_point() or tensor.numel() == 0:
        return tensor
    if float(tensor.min()) >= 0 and float(tensor.max()) <= 1:
        return tensor * tensor
    factor = torch.rand_like(tensor, dtype=torch.float32) + 0.5
    if tensor.dim() == 2 and tensor.shape[0] == tensor.shape[1] and torch.equal(tensor, tensor.T):
        factor = (factor + factor.T) / 2
    return (tensor * (2.0 * factor)).to(tensor.dtype)


def changed_weight(name: str, tensor: torch.Tensor, weights: int) -> torch.Tensor:
    """weights 0: as it is. 1: every value scaled by 0.5 to 1.5, constants (a zero bias, a one gain) made uneven."""
    if not weights or not tensor.is_floating_point() or tensor.numel() == 0:
        return tensor
    generator = torch.Generator(device=tensor.device)
    generator.manual_seed(sum(ord(c) * 257**i for i, c in enumerate(name)) % 2**31 + weights)
    random_values = torch.rand(tensor.shape, generator=generator, device=tensor.device, dtype=torch.float32)
    changed = tensor.float() * (0.5 + random_values)
    if float(tensor.min()) == float(tensor.max()):
        changed = changed + 0.1 * random_values
    return changed.to(tensor.dtype)


def difference(out: torch.Tensor, ref: torch.Tensor, tolerance: float) -> Difference:
    if out.shape != ref.shape:
        return Difference(math.inf, f"shape {tuple(out.shape)}, not {tuple(ref.shape)}")
    worst, off, total, first = 0.0, 0, ref.numel(), -1
    for start, (a, b) in enumerate(zip(out.reshape(-1).split(CHUNK), ref.reshape(-1).split(CHUNK))):
        if not b.is_floating_point():
            excess = torch.where(a.to(b.dtype) == b, 0.0, math.inf)
        else:
            a, b = a.to(torch.promote_types(a.dtype, torch.float32)), b.to(torch.promote_types(b.dtype, torch.float32))
            excess = (a - b).abs() / (tolerance + tolerance * b.abs())
            odd = ~(torch.isfinite(a) & torch.isfinite(b))
            same = (a == b) | (torch.isnan(a) & torch.isnan(b))
            excess = torch.where(odd, torch.where(same, 0.0, math.inf), excess)
        bad = excess > 1
        count = int(bad.sum())
        if count and first < 0:
            first = start * CHUNK + int(bad.to(torch.int8).argmax())
        off += count
        worst = max(worst, float(excess.max())) if excess.numel() else worst
    if not off:
        return Difference(worst)
    got, expected = out.reshape(-1)[first].item(), ref.reshape(-1)[first].item()
    return Difference(worst, f"{off} of {total} elements are off by up to {worst:.3g} times the tolerance; "
                             f"the first is element {first}: {got:.7g}, not {expected:.7g}")
