"""Time: ABBA blocks of a baseline (here) and the candidate (in the runner), and the audit of the runner's clock."""

from __future__ import annotations

import math
from dataclasses import asdict
from statistics import median
from typing import TYPE_CHECKING, Any, Callable, Optional

from .baselines import HOLD_US, MIN_BATCH_S, SETTLE_US, Baseline, Plan, Times
from .protocol import Message, RunnerGone, RunnerRefused, number, numbers
from .specs import Tensor
from .stats import Sample, abba, compare, decided, quantile, resolution_us
from .timing import last_use
from .verdict import Verdict

if TYPE_CHECKING:
    from .evaluation import Evaluation

CLOCK_MISMATCH = 0.05   # between the judge's clock and the runner's events over a batch
CYCLES_MISMATCH = 0.7   # block times against the audit's, in cycles
HOST_MISMATCH = 0.25    # the same on the host, where other processes take turns on the cores
AUDIT_S = 0.25
GROSS_MISMATCH = 0.5    # of a batch's time: three such batches are enough
UNEXPLAINED = 2.0       # a block that takes so many times what its claims explain contradicts them


class Alternation:
    def __init__(self, evaluation: "Evaluation"):
        self.e = evaluation
        self.session, self.exchange = evaluation.session, evaluation.exchange
        self.side = self.session.side
        self.comparisons: list[Message] = []
        self.sustained: list[Message] = []
        self._blocks: list[Times] = []
        self._count = 0
        self._around_us: Optional[float] = None
        self._waited_us = 0.0  # from run to run, where the candidate waits for a baseline that launches slowly
        self._seen: list[tuple[float, float]] = []  # blocks: us from run to run by the judge's clock; what claims explain

    def run(self) -> None:
        probe = self._candidate_block(Plan(3, 10), 0)
        self._blocks.clear()
        for baseline in self._against():
            self.comparisons.append(self._compare(baseline, probe))
        self._summarise(probe)
        self._audit()
        if float(self.e.request.get("sustained_s") or 0) > 0:
            for baseline in self._against():
                self.sustained.append(self._sustain(baseline, float(self.e.request["sustained_s"])))

    def _against(self) -> list[Baseline]:
        wanted = self.e.request.get("against") or ["best", "eager_tf32" if self.session.baseline("eager_tf32") else "eager"]
        found: dict[str, Baseline] = {}
        for name in wanted:
            baseline = self.session.baseline(str(name))
            if baseline is None:
                self.e.notes.append(f"no time of {name}: not compared with it")
            else:
                found.setdefault(baseline.name, baseline)
        return list(found.values())

    # -- blocks -----------------------------------------------------------------------------------------------------

    def _candidate_block(self, plan: Plan, period_us: int) -> Times:
        """One block in the runner; then all sets are checked."""
        e, exchange = self.e, self.exchange
        self._count += 1
        e.doing = f"block {self._count}"
        seed = e.rng.getrandbits(62)
        set_of, seed_of = self.session.backend.timing.plan(seed, plan.warm + plan.runs, exchange.sets)
        start = list(exchange.seeds)
        self.session.backend.sync()  # the turn passes with the device idle
        exchange.publish()
        e.call("pull", 60)
        with self.side.sampler:
            reply = e.call("block", 60 + 20 * plan.seconds(max(period_us, 1)), seed=seed, warm_runs=plan.warm,
                           runs=plan.runs, period_us=period_us, hold_us=HOLD_US, settle_us=SETTLE_US, seeds=start)
        seconds = e.runner.seconds
        times = numbers(reply, "times_us", plan.runs)
        e.call("push", 60)
        exchange.seeds[:] = last_use(set_of, seed_of, exchange.sets, start)
        exchange.collect()
        self._check_block(reply)
        assert e.checker is not None
        e.checker.ran(set_of, seed_of, start)
        e.checker.block(f"block {self._count}")
        if min(times) < 0:
            raise RunnerGone("malformed", "a negative time")
        result = Times(median(times), 0.0, 0.0, quantile(times, 0.25), quantile(times, 0.75), len(times),
                       self.side.sampler.mhz, int(number(reply, "unheld")), number(reply, "period_us"),
                       number(reply, "enqueue_us"))
        self._blocks.append(result)
        self._seen.append((seconds / (plan.warm + plan.runs) * 1e6,
                           max(self._waited_us, self._around() + result.gpu_us + result.enqueue_us)))
        return result

    def _check_block(self, reply: Message) -> None:
        if isinstance(reply.get("persistence"), str):
            raise Verdict("gaming", "persisting_l2", f"block {self._count}: {reply['persistence']}")
        for key, when in (("early", "before their runs had begun"), ("late", "after their runs had ended")):
            if number(reply, key) > 0:
                raise Verdict("gaming", "off_stream_work", f"block {self._count}: {number(reply, key):.0f} of "
                              f"{self.exchange.sets} outputs were written {when} by the order of the stream")

    def _around(self) -> float:
        """Microseconds of what surrounds a run (perturbation, poison, flush, hold), as an empty run shows."""
        if self._around_us is None:
            self._around_us = self.side.block(self.exchange, lambda _: [], self.e.rng.getrandbits(62), Plan(5, 20)).period_us
        return self._around_us

    def _compare(self, baseline: Baseline, probe: Times) -> Message:
        call = self.session.call_of(baseline.name)
        period_a, period_b = self._periods(baseline, probe, call)
        plan_a, plan_b = Plan.for_period(max(period_a, baseline.time.period_us)), Plan.for_period(max(period_b, probe.period_us))
        rounds, plan_a, plan_b = self._fit(baseline, probe, plan_a, plan_b, period_a, period_b)
        samples: list[Sample] = []
        kept: dict[str, list[Times]] = {"A": [], "B": []}
        resolution = resolution_us(self.session.transport)
        for side in abba(rounds):
            if self.e.left() < 0 and len(samples) % 2 == 0:
                self.e.notes.append(f"time budget used up after {len(samples)} blocks against {baseline.name}")
                break
            if side == "A":
                times = self.side.block(self.exchange, call, self.e.rng.getrandbits(62), plan_a, period_a)
            else:
                times = self._candidate_block(plan_b, period_b)
            kept[side].append(times)
            samples.append(Sample(side, times.gpu_us, times.sm_mhz))
            if decided(samples, resolution):
                break
        ratio = compare(samples, resolution)
        merged = {side: merge(times) if times else Times() for side, times in kept.items()}
        merged["A"].wall_us = baseline.time.wall_us
        return {"baseline": baseline.name, "baseline_time": asdict(merged["A"]), "candidate_time": asdict(merged["B"]),
                **asdict(ratio), "blocks": [asdict(sample) for sample in samples]}

    def _periods(self, baseline: Baseline, probe: Times, call: Callable[[int], list[Tensor]]) -> tuple[int, int]:
        """Least time from run to run on each side, so that the device is busy for the same part of it: the side that
        launches faster waits. Busy time is the run and what surrounds it."""
        if self.session.backend.runner_device == "host":
            return 0, 0
        busy_a, busy_b = self._around() + baseline.time.gpu_us, self._around() + probe.gpu_us
        self._waited_us = busy_b * max(1.0, baseline.time.period_us / busy_a)
        duty = min(1.0, busy_a / max(baseline.time.period_us, busy_a), busy_b / max(probe.period_us, busy_b))
        return math.ceil(busy_a / duty), math.ceil(busy_b / duty)

    def _fit(self, baseline: Baseline, probe: Times, plan_a: Plan, plan_b: Plan, period_a: int,
             period_b: int) -> tuple[int, Plan, Plan]:
        """Fewer rounds, then fewer runs, when the time budget asks for it."""
        rounds = max(1, int(self.e.request.get("rounds") or 3))
        per = 2 * (plan_a.seconds(max(period_a, baseline.time.period_us)) + plan_b.seconds(max(period_b, probe.period_us)))
        share = max(1.0, self.e.left() * 0.6 / max(1, len(self._against()) - len(self.comparisons)))
        asked = rounds
        while rounds > 1 and rounds * per > share:
            rounds -= 1
        if rounds * per > share:
            plan_a, plan_b = Plan.for_period(1e9, 5), Plan.for_period(1e9, 5)
        if rounds < asked or plan_a.runs < 30:
            self.e.notes.append(f"time budget: {rounds} of {asked} rounds against {baseline.name}, "
                                f"{plan_a.runs} and {plan_b.runs} runs a block")
        return rounds, plan_a, plan_b

    def _summarise(self, probe: Times) -> None:
        self.e.time = merge(self._blocks or [probe])

    # -- audit ------------------------------------------------------------------------------------------------------

    def _audit(self) -> None:
        e = self.e
        guess_us = max(e.time.gpu_us, e.time.enqueue_us, 1.0)
        if self.session.backend.runner_device == "host":
            e.time.wall_us = self._cross_check("batch", guess_us)
            return
        e.time.wall_us = self._bracket("batch", guess_us)
        e.doing = "capturing"
        try:
            self._poisoned()
            e.call("capture", 60, nodes=self._nodes())
        except RunnerRefused as refused:
            e.notes.append(f"cannot be captured as a CUDA graph: {refused.text}")
            if e.time.wall_us > 3 * e.time.gpu_us + 20:
                raise Verdict("gaming", "unverifiable_time", f"{e.time.gpu_us:.2f} us by events, {e.time.wall_us:.2f} us "
                              "by the judge's clock, and no graph to tell launch gaps from a wrong clock") from refused
            return
        e.time.graph_us = self._cross_check("graph", max(e.time.gpu_us, 1.0))

    def _nodes(self) -> int:
        return self.exchange.sets * max(1, 16 // self.exchange.sets)

    def _poisoned(self) -> None:
        self.exchange.poison_all()
        self.session.backend.sync()
        self.exchange.publish()
        self.e.call("pull", 60)

    def _first_runs(self, guess_us: float) -> float:
        """So many runs that the claimed time makes AUDIT_S of them. Where every block took far longer by the judge's own
        clock than the claims explain, so many that its time does: a false claim must not cost the budget."""
        contradicted = all(seen > UNEXPLAINED * explained for seen, explained in self._seen)
        return AUDIT_S * 1e6 / (min(seen for seen, _ in self._seen) if contradicted and self._seen else guess_us)

    def _bracket(self, op: str, guess_us: float) -> float:
        """Microseconds a run by the judge's clock over a flush-free batch; the runner's events must agree."""
        e = self.e
        nodes = self._nodes() if op == "graph" else 1
        runs = whole(max(self.exchange.sets, self._first_runs(guess_us)), nodes)
        mismatch, gross = "", 0
        for _ in range(6):
            e.doing = f"{op} audit"
            self._poisoned()
            with self.side.sampler:
                reply = e.call(op, 60 + runs * guess_us * 20e-6, runs=runs)
            judge_s, events_s = e.runner.seconds, number(reply, "event_us") * 1e-6
            self._check_batch(op)
            if judge_s < MIN_BATCH_S:
                runs = whole(runs * 1.3 * MIN_BATCH_S / max(judge_s, 1e-3), nodes)
                continue
            off = abs(judge_s - events_s) / judge_s
            if off <= CLOCK_MISMATCH:
                return judge_s / runs * 1e6
            mismatch = f"{runs} runs took {judge_s:.4f} s by the judge's clock, {events_s:.4f} s by the runner's"
            gross += off > GROSS_MISMATCH
            if gross == 3:
                break
        raise Verdict("gaming", "clock_mismatch", f"{op}: {mismatch or 'a batch never lasted 200 ms'}")

    def _check_batch(self, op: str) -> None:
        self.e.call("push", 60)
        self.exchange.collect()
        assert self.e.checker is not None
        self.e.checker.block(f"{op} audit")

    def _cross_check(self, op: str, guess_us: float) -> float:
        """Blocks start from a cold L2, so they cannot honestly be much faster than the audit's warm runs. On a host other
        processes take their turns in a batch, so there the quietest of five counts."""
        claimed, noisy = self.e.time.gpu_us, self.session.backend.noisy
        audited_us = math.inf
        for _ in range(5 if noisy else 1):
            audited_us = min(audited_us, self._bracket(op, guess_us))
            mhz = self.side.sampler.mhz
            scale = (mhz / self.e.time.sm_mhz) if mhz and self.e.time.sm_mhz else 1.0
            if claimed + 2.0 >= (HOST_MISMATCH if noisy else CYCLES_MISMATCH) * audited_us * min(scale, 1.0):
                return audited_us
        raise Verdict("gaming", "clock_mismatch", f"{claimed:.2f} us a run in timed blocks, but {audited_us:.2f} us in a "
                                                  "batch that the judge's clock confirms")

    # -- sustained --------------------------------------------------------------------------------------------------

    def _sustain(self, baseline: Baseline, seconds: float) -> Message:
        """ABBA of flush-free batches of at least `seconds` each, both by the judge's clock."""
        call = self.session.call_of(baseline.name)
        runs_a = math.ceil(seconds * 1.1e6 / max(baseline.time.wall_us, 0.5))
        runs_b = math.ceil(seconds * 1.1e6 / max(self.e.time.wall_us, 0.5))
        samples: list[Sample] = []
        kept: dict[str, list[Times]] = {"A": [], "B": []}
        for side in abba(max(1, int(self.e.request.get("sustained_rounds") or 1))):
            if side == "A":
                with self.side.sampler:
                    spent = self.side.batch(self.exchange, call, runs_a)
                per_run, runs = spent / runs_a * 1e6, runs_a
            else:
                self.e.doing = "sustained batch"
                self._poisoned()
                with self.side.sampler:
                    self.e.call("batch", 60 + 20 * seconds, runs=runs_b)
                per_run, runs = self.e.runner.seconds / runs_b * 1e6, runs_b
                self._check_batch("sustained")
            kept[side].append(Times(gpu_us=per_run, wall_us=per_run, runs=runs, sm_mhz=self.side.sampler.mhz))
            samples.append(Sample(side, per_run, self.side.sampler.mhz))
        # Clocks differ by nature here: the faster kernel may run into the power limit. No pair is dropped.
        ratio = compare([Sample(s.side, s.median_us, None) for s in samples])
        return {"baseline": baseline.name, "baseline_time": asdict(merge(kept["A"])),
                "candidate_time": asdict(merge(kept["B"])), **asdict(ratio), "blocks": [asdict(s) for s in samples]}


def whole(runs: float, nodes: int) -> int:
    """Rounded up to a multiple of `nodes`."""
    return math.ceil(runs / nodes) * nodes


def merge(blocks: list[Times]) -> Times:
    """One side's blocks as one: medians of the blocks' figures."""
    middle: Callable[[str], float] = lambda key: median(getattr(block, key) for block in blocks)  # noqa: E731
    clocks: list[Any] = [block.sm_mhz for block in blocks if block.sm_mhz]
    return Times(middle("gpu_us"), middle("wall_us"), middle("graph_us"), middle("low_us"), middle("high_us"),
                 sum(block.runs for block in blocks), median(clocks) if clocks else None,
                 sum(block.unheld for block in blocks), middle("period_us"), middle("enqueue_us"))
