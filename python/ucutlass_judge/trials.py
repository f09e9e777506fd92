"""Whether what a candidate left in the exchanged buffers is right, and what kind of wrong it is."""

from __future__ import annotations

import math
import time
from dataclasses import asdict, dataclass
from typing import Any, Optional, Sequence

from .exchange import Exchange
from .session import Session
from .specs import Content, Tensor, error_bound
from .verdict import Verdict


# The trials decide about precision. Blocks look for outputs of other inputs, over many times more elements, whose extreme
# may lie a little higher.
BLOCK_SLACK = 2.0

# Only a wrong output is looked up among what earlier runs gave, a reference for each. After so many seconds it counts as
# wrong, whatever the story.
REPLAY_SEARCH_S = 30.0


@dataclass
class Trial:
    name: str
    passed: bool = False
    excess: float = 0.0
    error: float = 0.0
    error_bound: float = 0.0
    why: str = ""

    def describe(self) -> dict[str, Any]:
        return asdict(self)


class Checker:
    """Checks sets after runs. Every check is kept in `trials`; the first that fails raises a Verdict."""

    def __init__(self, session: Session, exchange: Exchange, reduction: int):
        self.session, self.exchange = session, exchange
        self.backend = session.backend
        self.trials: list[Trial] = []
        self.reduction = reduction or guess_reduction(session)
        self._former: list[tuple[str, Content]] = []  # earlier trials, newest last: results of many bytes are not kept
        self._carried: list[dict[int, None]] = [{} for _ in range(exchange.sets)]  # perturbations of all runs, oldest first

    def trial(self, name: str, index: int, content: Content) -> None:
        """One run on fresh contents, with both measures."""
        ref = self.session.reference(content)
        wide = self.session.reference64(content)
        self._check(name, index, self.session.inputs(content), content.weights, ref, wide or ref, timed=False,
                    scaled=content.kind == "other")
        self._former.append((name, content))

    def ran(self, set_of: Sequence[int], seed_of: Sequence[int], start: Sequence[int]) -> None:
        """What the runs of a block saw: set and perturbation of each, and what the sets carried before."""
        for index, seed in [*enumerate(start), *zip(set_of, seed_of)]:
            self._carried[index].setdefault(seed)

    def block(self, name: str) -> None:
        """All sets after timed runs."""
        for index in range(self.exchange.sets):
            base = self.session.inputs(self.session.bases[index])
            now = self.backend.perturbed(base, self.exchange.input_specs, self.exchange.seeds[index])
            ref = self.backend.reference(now, 0)
            self._check(f"{name} set {index}", index, now, 0, ref, None, timed=True, scaled=False)

    def _check(self, name: str, index: int, inputs: Sequence[Tensor], weights: int, ref: Sequence[Tensor],
               wide: Optional[Sequence[Tensor]], timed: bool, scaled: bool) -> None:
        trial = Trial(name)
        self.trials.append(trial)
        self._check_untouched(trial, index, inputs, weights)
        outputs = [buffer.get() for buffer in self.exchange.outputs[index]]
        tolerance = self.session.tolerance
        for place, (out, expected) in enumerate(zip(outputs, ref)):
            difference = self.backend.difference(out, expected, tolerance)
            excess = difference.excess / (self._scale_allowance(ref) if scaled else BLOCK_SLACK if timed else 1.0)
            trial.excess = max(trial.excess, excess)
            if wide is not None:
                bound = error_bound(self.session.math, self.reduction, self.exchange.output_specs[place].dtype,
                                    self.session.like_torch())
                error = self.backend.error(out, wide[place])
                if error / bound > (trial.error / trial.error_bound if trial.error_bound else -1.0):
                    trial.error, trial.error_bound = error, bound
            if excess > 1.0:
                trial.why = difference.why or "wrong"
                raise self._explain(trial, index, inputs, out, expected, timed)
            if trial.error > trial.error_bound and wide is not None:
                trial.why = (f"relative error {trial.error:.3g} against FP64 is above its bound {trial.error_bound:.3g} "
                             f"for {self.session.math}, K = {self.reduction}")
                raise self._explain(trial, index, inputs, out, expected, timed)
        trial.passed = True

    def _scale_allowance(self, ref: Sequence[Tensor]) -> float:
        """With inputs of another scale the outputs grow, the allclose's atol does not: it grows with them here. The
        relative error norm needs no such thing."""
        norm = self.backend.norm
        base = self.session.reference(self.session.bases[0])
        ratio = max((norm(a) / max(norm(b), 1e-30) for a, b in zip(ref, base)), default=1.0)
        return max(1.0, ratio)

    def _check_untouched(self, trial: Trial, index: int, inputs: Sequence[Tensor], weights: int) -> None:
        for place, (buffer, value) in enumerate(zip(self.exchange.inputs[index], inputs)):
            if not buffer.same(value):
                trial.why = f"input {place} was overwritten"
                raise Verdict("incorrect", "input_overwritten", f"{trial.name}: {trial.why}")
        for buffer in self.exchange.params:
            if not buffer.same(self.backend.param(buffer.spec.name, weights)):
                trial.why = f"parameter {buffer.spec.name} was overwritten"
                raise Verdict("incorrect", "param_overwritten", f"{trial.name}: {trial.why}")
        for buffer in self.exchange.buffers(index):
            if not buffer.tail_intact():
                trial.why = f"wrote past the end of {buffer.spec.name}"
                raise Verdict("broken", "out_of_bounds", f"{trial.name}: {trial.why}")

    def _explain(self, trial: Trial, index: int, inputs: Sequence[Tensor], out: Tensor, expected: Tensor,
                 timed: bool) -> Verdict:
        """The likeliest story of a wrong output. Stories of not having worked are gaming when the trials were right."""
        label = "gaming" if timed else "incorrect"
        say = f"{trial.name}: {trial.why}"
        if self._unwritten(index):
            return Verdict(label, "unwritten_output", say + " (the output still holds the NaN that it was given)")
        replayed = self._replayed(index, out)
        if replayed:
            return Verdict("gaming", "replayed_output", say + f" (it is the result of {replayed})")
        if any(self.backend.equal(out, value) for value in inputs):
            return Verdict("incorrect", "input_as_output", say + " (the output is an input)")
        if self.backend.is_constant(out) and not self.backend.is_constant(expected):
            return Verdict("incorrect", "constant_output", say + " (the output is constant)")
        return Verdict("incorrect", "wrong_under_timing" if timed else "wrong_result", say)

    def _unwritten(self, index: int) -> bool:
        return all(self.backend.is_poison(buffer) for buffer in self.exchange.outputs[index])

    def _replayed(self, index: int, out: Tensor) -> str:
        """An earlier run whose right result this is; empty when there is none."""
        deadline = time.monotonic() + REPLAY_SEARCH_S
        for name, content in reversed(self._former):
            if time.monotonic() > deadline:
                break
            if self._is_one_of(out, self.session.reference(content)):
                return name
        for seed in [0, *self._carried[index]]:
            if time.monotonic() > deadline:
                break
            if seed != self.exchange.seeds[index] and self._is_one_of(out, self._reference(index, seed)):
                return "an earlier run on this buffer"
        for other in range(self.exchange.sets):
            if other != index and self._is_one_of(out, self._reference(other, self.exchange.seeds[other])):
                return "a run on another buffer"
        return ""

    def _reference(self, index: int, seed: int) -> Sequence[Tensor]:
        """What a run on this set gives when it carries this perturbation."""
        base = self.session.inputs(self.session.bases[index])
        return self.backend.reference(self.backend.perturbed(base, self.exchange.input_specs, seed), 0)

    def _is_one_of(self, out: Tensor, results: Sequence[Tensor]) -> bool:
        return any(self.backend.difference(out, value, self.session.tolerance).passed for value in results)


def guess_reduction(session: Session) -> int:
    """K, the longest sum: the widest parameter row, else the last dimension of the first input."""
    longest = 1
    for spec in session.facts.params:
        if len(spec.shape) >= 2:
            longest = max(longest, math.prod(spec.shape[1:]))
    if longest == 1 and session.facts.inputs and session.facts.inputs[0].shape:
        longest = max(session.facts.inputs[0].shape[-2:])
    return longest
