"""One candidate: load, trials, blocks, audit, verdict."""

from __future__ import annotations

import os
import random
import time
from dataclasses import asdict
from typing import Any, Optional

from .alternation import Alternation
from .baselines import Times
from .protocol import Message, Runner, RunnerGone, RunnerRefused, number
from .session import Session
from .specs import ProblemError, TensorSpec, read_spec
from .trials import Checker
from .verdict import Verdict, of_end, of_refusal

VENDOR = ("libcublas", "libcudnn", "libtorch", "libcusparse", "libcusolver", "libcutensor", "libcufft", "libaten")
SCHEMA = "ucutlass.eval.result/1"


class Evaluation:
    def __init__(self, session: Session, runner: Runner, request: Message):
        self.session, self.runner, self.request = session, runner, request
        self.deadline = time.monotonic() + float(request.get("time_budget_s") or 120)
        self.notes: list[str] = []
        self.rng = random.Random(session.seed ^ 0x5EED)
        self.time = Times()
        self.facts: Message = {}
        self.libraries: list[str] = []
        self.checker: Optional[Checker] = None
        self.alternation: Optional[Alternation] = None
        self.doing = "starting"

    # -- the whole --------------------------------------------------------------------------------------------------

    def run(self) -> Message:
        begin = time.monotonic()
        label, reason, message = "ok", "", ""
        try:
            self._evaluate()
        except Verdict as verdict:
            label, reason, message = verdict.label, verdict.reason, verdict.message
        except RunnerGone as gone:
            found = of_end(gone, self.doing)
            label, reason, message = found.label, found.reason, found.message
        except RunnerRefused as refused:
            found = of_refusal(refused, self.doing)
            label, reason, message = found.label, found.reason, found.message
        finally:
            self._end_runner()
        return self._result(label, reason, message, time.monotonic() - begin)

    def _end_runner(self) -> None:
        try:
            self.runner.stop()
        except (RunnerGone, RunnerRefused):
            pass

    def _evaluate(self) -> None:
        specs = self._signature()
        self._load(specs)
        assert self.checker is not None
        self._run_trials()
        self._check_libraries()
        if self.request.get("time", True) and self.session.baselines:
            self.alternation = Alternation(self)
            self.alternation.run()
            self._check_floor()
        self.doing = "closing"
        self.call("close", 30)

    def left(self) -> float:
        return self.deadline - time.monotonic()

    def call(self, op: str, patience_s: float, **fields: Any) -> Message:
        """A runner operation. A hang costs at most what is left of the time budget and a little more."""
        return self.runner.call(op, min(patience_s, max(self.left(), 0.0) + 6.0), **fields)

    # -- loading ----------------------------------------------------------------------------------------------------

    def _signature(self) -> tuple[list[TensorSpec], list[TensorSpec], list[TensorSpec]]:
        """The candidate's tensors, checked against the problem's."""
        self.doing = "comparing the signature"
        try:
            mine = tuple([read_spec(item) for item in self.request.get(key) or []] for key in ("inputs", "params", "outputs"))
            for spec in mine[1]:
                theirs = self.session.backend.param(spec.name, 0)
                shape = next((s.shape for s in self.session.facts.params if s.name == spec.name), None)
                if shape is not None and shape != spec.shape:
                    raise ValueError(f"parameter {spec.name} has shape {list(shape)}, not {list(spec.shape)}")
                del theirs
        except (ValueError, TypeError, ProblemError) as error:
            raise Verdict("broken", "signature", str(error)) from error
        facts = self.session.facts
        for kind, given, expected in (("input", mine[0], facts.inputs), ("output", mine[2], facts.outputs)):
            if len(given) != len(expected):
                raise Verdict("broken", "signature", f"{len(given)} {kind}s, the problem has {len(expected)}")
            for place, (a, b) in enumerate(zip(given, expected)):
                if a.shape != b.shape:
                    raise Verdict("broken", "signature", f"{kind} {place} has shape {list(b.shape)}, not {list(a.shape)}")
                if a.dtype != b.dtype or a.steps != b.steps:
                    self.notes.append(f"{kind} {place} is {a.dtype} with strides {list(a.stride)}, the problem's is "
                                      f"{b.dtype} with {list(b.stride)}: not the problem's own I/O")
        return mine[0], mine[1], mine[2]

    def _load(self, specs: tuple[list[TensorSpec], list[TensorSpec], list[TensorSpec]]) -> None:
        for attempt in (1, 2):
            self.doing = "loading"
            exchange = self.session.exchange_for(*specs)
            exchange.publish()
            self.session.backend.trim()
            self.runner.start(60)
            try:
                self.facts = self.call("load", 120, library=os.path.abspath(str(self.request.get("library", ""))),
                                       dims=[int(d) for d in self.request.get("dims") or []], **exchange.load_fields())
                break
            except RunnerRefused as refused:
                if refused.kind != "ipc" or attempt == 2 or self.session.transport == "file":
                    raise
                self.notes.append(f"CUDA IPC does not work here ({refused.text}): data goes through files")
                self.runner.stop()
                self.session.transport = "file"
        self.exchange = exchange
        self.checker = Checker(self.session, exchange, int(self.request.get("reduction") or 0))

    # -- correctness ------------------------------------------------------------------------------------------------

    def _run_trials(self) -> None:
        assert self.checker is not None
        exchange, session = self.exchange, self.session
        weights = -1
        for number_, (name, content) in enumerate(session.trials):
            self.doing = name
            index = number_ % exchange.sets
            exchange.fill(index, session.inputs(content))
            if content.weights != weights:
                self._use_weights(content.weights)
                weights = content.weights
            exchange.poison(index)
            session.backend.sync()
            exchange.publish(index)
            self.call("run", 20, set=index)
            exchange.collect(index)
            self.checker.trial(name, index, content)
        session.refill(exchange)
        exchange.publish()
        if weights != 0:
            self._use_weights(0)

    def _use_weights(self, weights: int) -> None:
        exchange = self.exchange
        exchange.fill_params([self.session.backend.param(spec.name, weights) for spec in exchange.param_specs])
        self.session.backend.sync()
        exchange.publish()
        reply = self.call("prepack", 60)
        self.facts["prepack_us"] = number(reply, "us")

    def _check_libraries(self) -> None:
        names = self.runner.libraries()
        self.libraries = sorted({name for name in names if name.startswith(VENDOR)})
        if self.libraries and not self.request.get("vendor_libraries", True):
            raise Verdict("library_only", "vendor_library", "the candidate loads " + ", ".join(self.libraries))

    def _check_floor(self) -> None:
        floor = float(self.request.get("sol_floor_us") or 0)
        if floor > 0 and 0 < self.time.gpu_us < 0.9 * floor:
            raise Verdict("sol_ceiling", "below_sol", f"{self.time.gpu_us:.2f} us is below 0.9 of the certified bound "
                                                      f"{floor:.2f} us")

    # -- the record -------------------------------------------------------------------------------------------------

    def _result(self, label: str, reason: str, message: str, seconds: float) -> Message:
        session = self.session
        comparisons = self.alternation.comparisons if self.alternation else []
        sustained = self.alternation.sustained if self.alternation else []
        return {
            "schema": SCHEMA, "id": self.request.get("id", ""), "label": label, "reason": reason, "message": message,
            "trials": [t.describe() for t in self.checker.trials] if self.checker else [],
            "time": asdict(self.time), "comparisons": comparisons, "sustained": sustained,
            "baselines": [b.describe() for b in session.baselines], "best_baseline": session.best,
            "notes": session.notes + self.notes, "libraries": self.libraries,
            "prepack_us": self.facts.get("prepack_us", 0.0), "packed_bytes": _count(self.facts.get("packed_bytes")),
            "workspace_bytes": _count(self.facts.get("workspace_bytes")), "seed": session.seed, "sets": session.sets,
            "math": session.math, "tolerance": session.problem["tolerance"], "device": session.device,
            "transport": session.transport, "seconds": seconds,
        }


def _count(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 62 else 0
