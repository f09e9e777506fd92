"""Medians, ratios of adjacent blocks and their bootstrap interval. Pure functions."""

from __future__ import annotations

import random
from dataclasses import dataclass
from statistics import median
from typing import Optional, Sequence

CLOCK_TOLERANCE = 0.02
RESOLUTION_US = 0.25  # by which event times of one and the same kernel may differ between the sides
RESAMPLES = 2000


def quantile(values: Sequence[float], q: float) -> float:
    """Linear interpolation between order statistics; 0 for no values."""
    if not values:
        return 0.0
    ordered = sorted(values)
    place = q * (len(ordered) - 1)
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


@dataclass(frozen=True)
class Sample:
    """One block: whose it is ("A" reference, "B" candidate), its median, the SM clock seen during it."""
    side: str
    median_us: float
    sm_mhz: Optional[float]


@dataclass(frozen=True)
class Ratio:
    speedup: float
    low: float
    high: float
    verdict: str
    pairs: int
    dropped: int


def stands_apart(block: Sample, side: Sequence[Sample]) -> bool:
    """A block whose clock and time both left its own side's medians by over 2 %: the device changed, not the kernel. Clocks
    of two sides differ by nature where a kernel meets the power limit, and swing there while times hold (seen on an H200:
    readings from 1620 to 1845 MHz for times within 1 %), so neither the other side's clock nor a reading alone counts."""
    clocks = [each.sm_mhz for each in side if each.sm_mhz]
    if not clocks or not block.sm_mhz:
        return False
    clock, time = median(clocks), median(each.median_us for each in side)
    return abs(block.sm_mhz - clock) > CLOCK_TOLERANCE * clock and abs(block.median_us - time) > CLOCK_TOLERANCE * time


def adjacent_ratios(blocks: Sequence[Sample]) -> tuple[list[float], int]:
    """A over B for neighbours (first and second, third and fourth, ...), and how many pairs were dropped because one of
    their blocks stands apart from its side."""
    sides = {name: [block for block in blocks if block.side == name] for name in ("A", "B")}
    ratios: list[float] = []
    dropped = 0
    for first, second in zip(blocks[0::2], blocks[1::2]):
        a, b = (first, second) if first.side == "A" else (second, first)
        assert a.side == "A" and b.side == "B"
        if stands_apart(a, sides["A"]) or stands_apart(b, sides["B"]):
            dropped += 1
        elif b.median_us > 0:
            ratios.append(a.median_us / b.median_us)
    return ratios, dropped


def bootstrap(ratios: Sequence[float], seed: int = 1) -> tuple[float, float]:
    """95 % percentile interval of the median, by resampling the pairs."""
    if not ratios:
        return 0.0, 0.0
    rng = random.Random(seed)
    medians = [median(rng.choices(ratios, k=len(ratios))) for _ in range(RESAMPLES)]
    return quantile(medians, 0.025), quantile(medians, 0.975)


def compare(blocks: Sequence[Sample], resolution_us: float = 0.0) -> Ratio:
    """The verdict over ABBA blocks. A difference whose interval holds 1 is no difference; fewer than two pairs say
    nothing. The interval is the bootstrap's, widened by what `resolution_us` of either side is of the candidate's time:
    repetition does not average a systematic difference away."""
    ratios, dropped = adjacent_ratios(blocks)
    if len(ratios) < 2:
        value = ratios[0] if ratios else 0.0
        return Ratio(value, value, value, "too few pairs", len(ratios), dropped)
    low, high = bootstrap(ratios)
    unsure = resolution_us / max(median(block.median_us for block in blocks if block.side == "B"), 1e-3)
    low, high = max(low - unsure, 0.0), high + unsure
    verdict = "faster" if low > 1.0 else "slower" if high < 1.0 else "no difference"
    return Ratio(median(ratios), low, high, verdict, len(ratios), dropped)


def abba(rounds: int) -> list[str]:
    """ABBA BAAB ABBA ...: drift of any low order falls on both sides alike."""
    order: list[str] = []
    for index in range(rounds):
        order += list("ABBA" if index % 2 == 0 else "BAAB")
    return order
