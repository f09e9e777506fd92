"""Medians, ratios of adjacent blocks and their bootstrap interval. Pure functions."""

from __future__ import annotations

import random
from dataclasses import dataclass
from statistics import median
from typing import Optional, Sequence

CLOCK_TOLERANCE = 0.02
# By which event times of one and the same kernel may differ between the sides: where outputs and workspaces lie costs up to
# 0.45 us, with files, where each side has all memory of its own, up to 0.8 us (measured: cuBLAS 1024^3 on an H200).
RESOLUTION_US = 0.5
RESOLUTION_FILE_US = 1.0


def resolution_us(transport: str) -> float:
    return RESOLUTION_FILE_US if transport == "file" else RESOLUTION_US


RESAMPLES = 2000
DECIDED = 0.01


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


def shifted(a: Sample, b: Sample, sides: dict[str, list[Sample]]) -> bool:
    """Whether the SM clock explains that a pair differs from the others: between its two blocks, each against its own side's
    median, the clock moved by over 2 %, and the time by over 2 % the other way. Clocks of two sides differ by nature where a
    kernel meets the power limit, and readings swing there while times hold (seen on an H200: 1620 to 1845 MHz for times
    within 1 %), so a reading alone counts for nothing; and a drift that both blocks share leaves their ratio as it was."""
    clocks = {name: [block.sm_mhz for block in side if block.sm_mhz] for name, side in sides.items()}
    if not a.sm_mhz or not b.sm_mhz or min(a.median_us, b.median_us) <= 0:
        return False
    times = {name: median(block.median_us for block in side) for name, side in sides.items()}
    clock = (a.sm_mhz / median(clocks["A"])) / (b.sm_mhz / median(clocks["B"]))
    time = (a.median_us / max(times["A"], 1e-9)) / (b.median_us / max(times["B"], 1e-9))
    return min(abs(clock - 1), abs(time - 1)) > CLOCK_TOLERANCE and (clock < 1) == (time > 1)


def adjacent_ratios(blocks: Sequence[Sample]) -> tuple[list[float], int]:
    """A over B for neighbours (first and second, third and fourth, ...), and how many pairs were dropped because the clock
    shifted between them."""
    sides = {name: [block for block in blocks if block.side == name] for name in ("A", "B")}
    ratios: list[float] = []
    dropped = 0
    for first, second in zip(blocks[0::2], blocks[1::2]):
        a, b = (first, second) if first.side == "A" else (second, first)
        assert a.side == "A" and b.side == "B"
        if shifted(a, b, sides):
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


def decided(blocks: Sequence[Sample], resolution_us: float = 0.0) -> bool:
    """Whether more blocks would say nothing new: two whole rounds or more, no pair dropped, and an interval without 1 that is
    narrower than DECIDED. A difference that is not clear yet takes all rounds."""
    if len(blocks) < 8 or len(blocks) % 4 != 0:
        return False
    ratio = compare(blocks, resolution_us)
    clear = ratio.verdict in ("faster", "slower") and ratio.dropped == 0
    return clear and ratio.high - ratio.low < DECIDED * ratio.speedup


def abba(rounds: int) -> list[str]:
    """ABBA BAAB ABBA ...: drift of any low order falls on both sides alike."""
    order: list[str] = []
    for index in range(rounds):
        order += list("ABBA" if index % 2 == 0 else "BAAB")
    return order
