"""What is seen in a tensor's data: range, finiteness, constancy and structure of its last two dimensions."""
from __future__ import annotations

from typing import Any

import torch

CHUNK = 1 << 24  # elements looked at together


def rows(matrix: torch.Tensor) -> torch.Tensor:
    """[..., n, n] as [batch, n, n] without a copy where strides allow."""
    return matrix.reshape(-1, matrix.shape[-2], matrix.shape[-1])


def outside_is_zero(matrix: torch.Tensor, keep: str) -> bool:
    """True when everything above (keep='lower') or below (keep='upper') the diagonal is zero."""
    probe = matrix[..., 0, 1:] if keep == "lower" else matrix[..., 1:, 0]
    if torch.count_nonzero(probe):
        return False
    cut = (lambda m: torch.triu(m, 1)) if keep == "lower" else (lambda m: torch.tril(m, -1))
    return not any(torch.count_nonzero(cut(page)) for page in rows(matrix))


def is_symmetric(matrix: torch.Tensor) -> bool:
    if not torch.equal(matrix[..., 0, :], matrix[..., :, 0]):
        return False
    return all(torch.equal(page, page.mT) for page in rows(matrix))


def range_of(flat: torch.Tensor) -> tuple[float, float]:
    """Least and greatest element; NaN when one is NaN. Exact for the dtype."""
    parts = [torch.aminmax(part.double() if not part.is_floating_point() else part) for part in flat.split(CHUNK)]
    lows, highs = torch.stack([p.min.double() for p in parts]), torch.stack([p.max.double() for p in parts])
    return lows.min().item(), highs.max().item()


def facts_of(tensor: torch.Tensor, at: str) -> dict[str, Any] | None:
    """Facts of one tensor. `at` says at which sizes they were seen: 'full' or 'reduced'. None for empty tensors."""
    if tensor.numel() == 0 or tensor.is_complex():
        return None
    tensor = tensor.detach()
    flat = (tensor if tensor.itemsize > 1 or tensor.dtype == torch.bool else tensor.float()).reshape(-1)
    low, high = range_of(flat)
    finite = abs(low) != float("inf") and abs(high) != float("inf") and low == low and high == high
    facts: dict[str, Any] = {"observed": True, "at": at, "finite": finite, "min": low, "max": high}
    if low == high:
        return facts | {"constant": low}
    zeros = round(1 - int(torch.count_nonzero(flat)) / flat.numel(), 6)
    if zeros:
        facts["zeros"] = zeros
    if tensor.dim() >= 2 and tensor.shape[-1] == tensor.shape[-2] and tensor.shape[-1] > 1 and finite:
        lower, upper = outside_is_zero(tensor, "lower"), outside_is_zero(tensor, "upper")
        facts |= {"diagonal": True} if lower and upper else {"lower": True} if lower else {"upper": True} if upper else {}
        if is_symmetric(tensor):
            facts["symmetric"] = True
    return facts


def both(first: dict[str, Any] | None, second: dict[str, Any] | None) -> dict[str, Any] | None:
    """What was seen in two runs: a range around both, and what is true of each of them."""
    if first is None or second is None:
        return None
    same = {key: value for key, value in first.items() if key not in ("min", "max", "zeros") and second.get(key) == value}
    same["finite"] = first["finite"] and second["finite"]
    pairs = [(first[key], second[key]) for key in ("min", "max")]
    ranges = {"min": min(pairs[0]), "max": max(pairs[1])} if same["finite"] else {}
    zeros = round(min(f.get("zeros", 1.0 if f.get("constant") == 0 else 0.0) for f in (first, second)), 6)
    return same | ranges | ({"zeros": zeros} if zeros and "constant" not in same else {})


def has_structure(facts: dict[str, Any] | None) -> bool:
    """True when other data would break what the problem relies on."""
    return facts is None or facts.get("zeros", 0) > 0.25 or any(
        key in facts for key in ("constant", "diagonal", "lower", "upper", "symmetric"))
