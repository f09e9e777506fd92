"""One problem with what is made once for it: contents, references, PyTorch's times, exchanged buffers."""

from __future__ import annotations

import random
import time
from typing import Any, Callable, Optional, Sequence

from .baselines import Baseline, Side, Times, best_of, measure
from .clocks import ClockSampler
from .exchange import Exchange
from .protocol import Message
from .specs import ALLCLOSE, Backend, Content, ProblemError, Tensor, TensorSpec


class Session:
    def __init__(self, backend: Backend, problem: Message, device: Message, folder: str, transport: str,
                 progress: Callable[[str], None]):
        self.backend, self.problem, self.device, self.folder = backend, problem, device, folder
        self.progress = progress
        self.facts = backend.load(problem)
        self.math = str(problem.get("math") or "f32")
        if problem.get("tolerance") not in ALLCLOSE:
            raise ProblemError("tolerance is strict or reduced")
        self.tolerance = ALLCLOSE[str(problem["tolerance"])]
        self.seed = int(problem.get("seed") or 0) or random.SystemRandom().getrandbits(31) or 1
        self.transport = transport or backend.transports[0]
        self.notes = list(self.facts.notes)
        self.sets = self._count_sets(int(problem.get("sets") or 0))
        self._make_contents(max(1, int(problem.get("trials") or 5)))
        self._cache: dict[tuple[str, Content], Any] = {}
        self._cache_left = backend.free_bytes() * 0.15
        self.side = Side(backend, ClockSampler(str(device.get("uuid", ""))))
        if not self.side.sampler.available and backend.runner_device != "host":
            self.notes.append("the SM clock cannot be read: no pair is dropped for its clock")
        self.exchange: Optional[Exchange] = None
        self.views: list[list[Tensor]] = []  # the exchanged inputs as tensors; the baselines keep this list
        self.calls: dict[str, Callable[[int], list[Tensor]]] = {}
        self.baselines: list[Baseline] = []
        self.best = ""

    def _count_sets(self, wanted: int) -> int:
        one = sum(s.bytes for s in (*self.facts.inputs, *self.facts.outputs)) + sum(s.bytes for s in self.facts.inputs)
        fits = int(self.backend.free_bytes() * 0.4 / max(one, 1))
        if fits < 2:
            raise ProblemError(f"two sets of buffers need {2 * one >> 20} MiB, more than is free on the device")
        return max(2, min(wanted or 8, fits, 64))

    def _make_contents(self, trials: int) -> None:
        rng = random.Random(self.seed)
        seeds = [rng.getrandbits(31) for _ in range(max(trials, self.sets))]
        self.bases = [Content(seed) for seed in seeds[: self.sets]]
        self.trials = [(f"seed {seed}", Content(seed)) for seed in seeds[:trials]]
        self.trials.append(("other distribution", Content(rng.getrandbits(31), "other")))
        if self.facts.params:
            self.trials.append(("changed weights", Content(rng.getrandbits(31), "fresh", 1)))

    # -- made once --------------------------------------------------------------------------------------------------

    def _cached(self, kind: str, content: Content, make: Callable[[], Any]) -> Any:
        key = (kind, content)
        if key not in self._cache:
            value = make()
            size = sum(self._size(t) for t in value or [])
            if size > self._cache_left:
                return value
            self._cache_left -= size
            self._cache[key] = value
        return self._cache[key]

    @staticmethod
    def _size(tensor: Tensor) -> int:
        return int(tensor.nbytes) if hasattr(tensor, "nbytes") else 8 * len(tensor)

    def inputs(self, content: Content) -> list[Tensor]:
        plain = Content(content.seed, content.kind)
        result: list[Tensor] = self._cached("inputs", plain, lambda: self.backend.inputs(plain))
        return result

    def reference(self, content: Content) -> list[Tensor]:
        result: list[Tensor] = self._cached("reference", content, lambda: self.backend.reference(
            self.inputs(content), content.weights))
        return result

    def reference64(self, content: Content) -> Optional[list[Tensor]]:
        result: Optional[list[Tensor]] = self._cached("reference64", content, lambda: self.backend.reference64(
            self.inputs(content), content.weights))
        return result

    # -- buffers ----------------------------------------------------------------------------------------------------

    def exchange_for(self, inputs: Sequence[TensorSpec], params: Sequence[TensorSpec],
                     outputs: Sequence[TensorSpec]) -> Exchange:
        """Buffers for these tensors, reused while they stay the same; filled with the sets' base contents."""
        if self.exchange is None or not self.exchange.matches(inputs, params, outputs, self.transport):
            self.drop_exchange()
            self.backend.trim()
            self.exchange = Exchange(self.backend, inputs, params, outputs, self.sets, self.transport, self.folder,
                                     self.facts.modes)
        self.refill(self.exchange)
        return self.exchange

    def refill(self, exchange: Exchange) -> None:
        for index, content in enumerate(self.bases):
            exchange.fill(index, self.inputs(content))
        exchange.fill_params([self.backend.param(spec.name, 0) for spec in exchange.param_specs])
        exchange.poison_all()
        for buffer in exchange.buffers():
            buffer.guard()  # a former candidate may have broken it
        self.views[:] = [[buffer.get() for buffer in one] for one in exchange.inputs]
        self.backend.sync()

    def drop_exchange(self) -> None:
        if self.exchange is not None:
            self.views[:] = []
            self.exchange.close()
            self.exchange = None

    # -- PyTorch ----------------------------------------------------------------------------------------------------

    def measure_baselines(self, names: list[str], budget_s: float, known: list[Message]) -> None:
        """All of `names`; what `known` (a former judge's results) holds is not measured again."""
        exchange = self.exchange_for(self.facts.inputs, [], self.facts.outputs)
        references = [self.reference(content) for content in self.bases[:2]]
        wide = self.reference64(self.bases[0])
        if wide is None:
            self.notes.append("the model does not run in FP64: errors are against FP32")
        begin = time.monotonic()
        before = {str(item.get("name")): item for item in known}
        for name in names:
            if name in before:
                self.baselines.append(_restore(before[name]))
            elif time.monotonic() - begin > budget_s:
                self.baselines.append(Baseline(name, failure="skipped: the time for baselines was used up"))
            else:
                self.baselines.append(self._measure(exchange, name, references, wide or references[0]))
            self.progress(_line(self.baselines[-1]))
        self.best = best_of(self.baselines)

    def _measure(self, exchange: Exchange, name: str, references: list[list[Tensor]], wide: list[Tensor]) -> Baseline:
        try:
            self.refill(exchange)  # first: some baselines keep their own copy of the inputs
            call, own_io = self._build(name)
            return measure(self.side, exchange, name, call, own_io, references, wide, self.tolerance)
        except Exception as error:  # torch and its compilers raise anything; a baseline that fails has no time
            return Baseline(name, failure=f"{type(error).__name__}: {str(error).strip().splitlines()[0][:300]}"
                            if str(error).strip() else type(error).__name__)

    def _build(self, name: str) -> tuple[Callable[[int], list[Tensor]], bool]:
        call, own_io = self.backend.baseline(name, self.views)
        self.calls[name] = call
        return call, own_io

    def call_of(self, name: str) -> Callable[[int], list[Tensor]]:
        """Rebuilt when a former judge measured it."""
        return self.calls[name] if name in self.calls else self._build(name)[0]

    def baseline(self, name: str) -> Optional[Baseline]:
        name = self.best if name == "best" else name
        return next((b for b in self.baselines if b.name == name and b.timed), None)

    def like_torch(self) -> float:
        """PyTorch's own error at the precision that the candidate may use, for the error bound; only of baselines that
        pass the tolerance, so that a loose one cannot widen it."""
        alike = {"f32": ["eager"], "tf32": ["eager_tf32"], "f16": ["eager_autocast", "eager_tf32"],
                 "bf16": ["eager_autocast", "eager_tf32"]}.get(self.math, ["eager_autocast"])
        return max([b.error for b in self.baselines if b.name in alike and b.passed], default=0.0)

    def describe(self) -> Message:
        return {"device": self.device, "inputs": [s.describe() for s in self.facts.inputs],
                "outputs": [s.describe() for s in self.facts.outputs],
                "params": [s.describe() for s in self.facts.params],
                "fixed_inputs": {str(k): v for k, v in self.facts.fixed.items()}, "sets": self.sets, "seed": self.seed,
                "tolerance": self.problem["tolerance"], "math": self.math, "notes": self.notes,
                "baselines": [b.describe() for b in self.baselines], "best_baseline": self.best}

    def close(self) -> None:
        self.drop_exchange()


def _restore(item: Message) -> Baseline:
    times = item.get("time") or {}
    fields = {key: value for key, value in item.items() if key in Baseline.__dataclass_fields__ and key != "time"}
    return Baseline(time=Times(**{k: v for k, v in times.items() if k in Times.__dataclass_fields__}), **fields)


def _line(baseline: Baseline) -> str:
    if baseline.failure:
        return f"{baseline.name}: {baseline.failure}"
    state = "" if baseline.passed else f", off by {baseline.excess:.3g} times the tolerance"
    return f"{baseline.name}: {baseline.time.gpu_us:.1f} us gpu, {baseline.time.wall_us:.1f} us wall{state}"
