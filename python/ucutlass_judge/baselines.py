"""PyTorch's times for the problem: every baseline once per session, with the same blocks as candidates get."""

from __future__ import annotations

import math
import time
from dataclasses import asdict, dataclass, field
from statistics import median
from typing import Any, Callable, Optional

from .clocks import ClockSampler
from .exchange import Exchange
from .specs import Backend, Tensor
from .stats import quantile

MIN_BLOCK_US = 100e3   # of warm-up, and of timed runs
MIN_RUNS = 30
MIN_BATCH_S = 0.2
HOLD_US = 20000
SETTLE_US = 10         # from the end of the launches to the run
MAX_RUNS = 20000


@dataclass
class Times:
    """Microseconds a run; see docs/evaluation.md."""
    gpu_us: float = 0.0
    wall_us: float = 0.0
    graph_us: float = 0.0
    low_us: float = 0.0
    high_us: float = 0.0
    runs: int = 0
    sm_mhz: Optional[float] = None
    unheld: int = 0
    period_us: float = 0.0
    enqueue_us: float = 0.0


@dataclass
class Baseline:
    name: str
    time: Times = field(default_factory=Times)
    own_io: bool = True
    passed: bool = False
    excess: float = 0.0
    error: float = 0.0
    failure: str = ""

    @property
    def timed(self) -> bool:
        return not self.failure and self.time.gpu_us > 0

    def describe(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class Plan:
    """How many runs a block has, for runs that take `period_us` each with all that surrounds them."""
    warm: int
    runs: int

    @staticmethod
    def for_period(period_us: float, min_runs: int = MIN_RUNS) -> "Plan":
        period = max(period_us, 0.1)
        warm = min(MAX_RUNS, max(3, math.ceil(MIN_BLOCK_US / period)))
        return Plan(warm, min(MAX_RUNS, max(min_runs, math.ceil(MIN_BLOCK_US / period))))

    def seconds(self, period_us: float) -> float:
        return (self.warm + self.runs) * period_us * 1e-6


class Side:
    """The judge's side of the clock: blocks and batches of a PyTorch call on the exchanged inputs."""

    def __init__(self, backend: Backend, sampler: ClockSampler):
        self.backend, self.sampler = backend, sampler

    def block(self, exchange: Exchange, call: Callable[[int], list[Tensor]], seed: int, plan: Plan,
              period_us: int = 0) -> Times:
        regions = exchange.regions()
        self.backend.sync()
        with self.backend.on_stream(), self.sampler:
            got = self.backend.timing.block(regions, seed, plan.warm, plan.runs, period_us, HOLD_US,
                                            lambda index: drop(call(index)), SETTLE_US)
        self.backend.sync()
        return Times(median(got.times_us) if got.times_us else 0.0, 0.0, 0.0, quantile(got.times_us, 0.25),
                     quantile(got.times_us, 0.75), len(got.times_us), self.sampler.mhz, got.unheld, got.period_us,
                     got.enqueue_us)

    def batch(self, exchange: Exchange, call: Callable[[int], list[Tensor]], runs: int) -> float:
        """Seconds by the judge's clock."""
        self.backend.sync()
        with self.backend.on_stream():
            begin = time.perf_counter()
            self.backend.timing.batch(exchange.sets, runs, lambda index: drop(call(index)))
            return time.perf_counter() - begin

    def wall_us(self, exchange: Exchange, call: Callable[[int], list[Tensor]], guess_us: float) -> float:
        """Microseconds a run over a batch of at least 200 ms."""
        runs = max(exchange.sets, math.ceil(MIN_BATCH_S * 1.1e6 / max(guess_us, 1.0)))
        for _ in range(4):
            seconds = self.batch(exchange, call, runs)
            if seconds >= MIN_BATCH_S:
                break
            runs = math.ceil(runs * 1.2 * MIN_BATCH_S / max(seconds, 1e-6))
        return seconds / runs * 1e6


def drop(_: list[Tensor]) -> None:
    """Results of timed runs are not kept: their memory goes back to the allocator, as in a program."""


def measure(side: Side, exchange: Exchange, name: str, call: Callable[[int], list[Tensor]], own_io: bool,
            references: list[list[Tensor]], wide: Optional[list[Tensor]], tolerance: float) -> Baseline:
    """Correctness of one baseline on the sets' base contents, then its times. Failures are raised."""
    backend = side.backend
    result = Baseline(name, own_io=own_io)
    with backend.on_stream():
        outputs = [call(index) for index in range(min(2, exchange.sets))]
    backend.sync()
    differences = [backend.difference(a, b, tolerance) for out, ref in zip(outputs, references) for a, b in zip(out, ref)]
    result.excess = max((d.excess for d in differences), default=0.0)
    result.passed = bool(differences) and all(d.passed for d in differences)
    if wide is not None:
        result.error = max((backend.error(a, b) for a, b in zip(outputs[0], wide)), default=0.0)
    del outputs
    probe = side.block(exchange, call, 1, Plan(3, 5))
    result.time = side.block(exchange, call, 2, Plan.for_period(probe.period_us))
    result.time.wall_us = side.wall_us(exchange, call, max(probe.enqueue_us, probe.gpu_us))
    return result


def best_of(baselines: list[Baseline]) -> str:
    """PyTorch's best: the fastest with the problem's own I/O that passes the tolerance; else eager; else nothing."""
    fit = [b for b in baselines if b.timed and b.own_io and b.passed]
    if fit:
        return min(fit, key=lambda b: b.time.gpu_us).name
    return next((b.name for b in baselines if b.timed and b.name == "eager"), "")
