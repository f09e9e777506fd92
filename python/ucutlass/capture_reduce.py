"""Scale a problem down, and check that the same graph remains."""
from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils._pytree import tree_leaves

from ucutlass.capture_cases import run_forward, seeded
from ucutlass.capture_graph import Graph
from ucutlass.capture_load import CaptureError, Problem, build_fake, execute
from ucutlass.capture_sizes import Scale, scaled_tree
from ucutlass.capture_trace import trace

PAYLOAD_LIMIT = 150_000  # base64 characters of all cases together
RULE_LIMIT = 256 << 20  # bytes of parameters and inputs that are drawn by rule
RULE_VALUES = 3 << 20  # elements of all results then: the graph is also executed where it is tested
FLOORS = (8, 16, 4, 32, 64, 3)  # below 4, numbers are strides, paddings and kernel sizes rather than sizes


def numbers_apart(a: Any, b: Any) -> bool:
    """True when two argument trees differ in more than the values of numbers."""
    number = (int, float)
    if isinstance(a, bool) or isinstance(b, bool) or not isinstance(a, number) or not isinstance(b, number):
        if isinstance(a, list) and isinstance(b, list):
            return len(a) != len(b) or any(numbers_apart(x, y) for x, y in zip(a, b))
        return a != b
    return False


def difference(full: Graph, small: Graph) -> str | None:
    """How the scaled graph is another program than the full one, or None."""
    if len(full.ops) != len(small.ops) or len(full.tensors) != len(small.tensors):
        return "another number of operators"
    for a, b in zip(full.ops, small.ops):
        if a.target != b.target or a.out != b.out or numbers_apart(a.args, b.args) or a.kwargs.keys() != b.kwargs.keys() \
                or any(numbers_apart(a.kwargs[k], b.kwargs[k]) for k in a.kwargs):
            return f"operator {a.id} is another"
    for a, b in zip(full.tensors, small.tensors):
        if (a.name, a.role, a.dtype, a.storage, len(a.shape)) != (b.name, b.role, b.dtype, b.storage, len(b.shape)):
            return f"tensor {a.name} is another"
        if any(n == 1 != m for n, m in zip(a.shape, b.shape)) or [n == 0 for n in a.stride] != [n == 0 for n in b.stride]:
            return f"tensor {a.name} broadcasts otherwise"
    return None if full.outputs == small.outputs else "other outputs"


def confuses(full: Graph, small: Graph) -> bool:
    """True when sizes that differ have become equal, or one has become 1: a mix-up of dimensions could go unseen."""
    sizes = {(n, m) for a, b in zip(full.tensors, small.tensors) for n, m in zip(a.shape, b.shape)}
    return len({m for _, m in sizes}) < len({n for n, _ in sizes}) or any(m == 1 != n for n, m in sizes)


SIZES = {"f64": 8, "i64": 8, "f32": 4, "i32": 4, "f16": 2, "bf16": 2, "i8": 1, "u8": 1, "bool": 1, "f8e4m3": 1, "f8e5m2": 1}


def payload(graph: Graph) -> int:
    """Base64 characters that one case of this graph takes."""
    inputs = sum(t.numel() * SIZES[t.dtype] for t in graph.tensors if t.role in ("input", "param", "buffer", "const"))
    outputs = sum(graph.tensors[i].numel() * (SIZES[graph.tensors[i].dtype] + 8) for i in graph.outputs)
    return (inputs + outputs) * 4 // 3


def ladders(limit: int, few: bool) -> Iterator[list[Scale]]:
    """For each floor and way: the divisors from the mildest on."""
    yield [Scale(1, 1)]
    for floor in FLOORS:
        for halve in (False, True):
            yield [Scale(1 << k, floor, halve, few) for k in range(1, 16) if (1 << k) <= max(2, limit)]


def payload_by_rule(graph: Graph) -> int:
    """The same where f32 data is drawn by rule; beyond any limit where executing the graph takes long."""
    if sum(t.numel() for t in graph.tensors if t.role == "value") > RULE_VALUES:
        return 1 << 62
    data = sum(t.numel() * SIZES[t.dtype] for t in graph.tensors
               if t.role == "const" or t.role in ("input", "param", "buffer") and t.dtype != "f32")
    outputs = sum(graph.tensors[i].numel() * (SIZES[graph.tensors[i].dtype] + 8) for i in graph.outputs)
    return (data + outputs) * 4 // 3


TOO_LARGE = "too large"


@dataclass
class Reduced:
    scale: Scale
    problem: Problem
    graph: Graph
    cases: int = 3  # 0: one whose data is drawn by rule


class Search:
    """Tries scales, each once."""

    def __init__(self, problem: Problem, full: Graph, budget: int, payload: Callable[[Graph], int] = payload):
        self.problem, self.full, self.budget, self.payload = problem, full, budget, payload
        self.reason = "no scale makes the data small enough"
        self.seen: dict[Scale, Reduced | str] = {}

    def attempt(self, scale: Scale) -> Reduced | str:
        """The problem at this scale, traced without data; or why not: TOO_LARGE, or what failed."""
        if scale not in self.seen:
            try:
                self.seen[scale] = self.trace(scale)
            except CaptureError as error:
                self.seen[scale] = self.reason = f"at 1/{scale.divisor}: {error.message}"
        return self.seen[scale]

    def trace(self, scale: Scale) -> Reduced | str:
        scaled = execute(self.problem.path, scaled_tree(self.problem.tree, scale), self.problem.sha256)
        with FakeTensorMode(allow_non_fake_inputs=True) as fake, torch.no_grad():
            model, inputs = build_fake(scaled, fake)
            known = [*model.parameters(), *model.buffers(), *(t for t in tree_leaves(inputs) if isinstance(t, torch.Tensor))]
            if sum(t.numel() * t.element_size() for t in known) * 4 // 3 > self.budget:
                return TOO_LARGE
            return Reduced(scale, scaled, trace(model, inputs, self.problem.path))

    def climb(self, scales: list[Scale], limit: int) -> Reduced | None:
        """The mildest of these scales that keeps the graph and whose case fits `limit`."""
        if self.attempt(scales[-1]) == TOO_LARGE:
            return None  # so are the milder ones
        tries = 0
        for scale in scales:
            found = self.attempt(scale)
            if isinstance(found, str) or self.payload(found.graph) > limit:
                continue
            apart = difference(self.full, found.graph) or self.forward_fault(found)
            if apart is None:
                return found
            self.reason, tries = f"at 1/{scale.divisor}: {apart}", tries + 1
            if tries == 4:
                break
        return None

    def forward_fault(self, found: Reduced) -> str | None:
        """Why forward does not run on data, where tracing without data let it pass."""
        try:
            run_forward(*seeded(found.problem, 0), self.problem.path, 0)
        except CaptureError as error:
            return error.message
        return None

    def best(self, limit: int) -> Reduced | None:
        """The first ladder's that keeps sizes apart, else the first. Large batches hold back sizes whose ratio must stay: where
        nothing else fits, batches become few."""
        largest = max((n for t in self.full.tensors for n in t.shape), default=1)
        for few in (False, True):
            second_best = None
            for scales in ladders(largest, few):
                found = self.climb(scales, limit)
                if found and not confuses(self.full, found.graph):
                    return found
                second_best = second_best or found
            if second_best:
                return second_best
        return None


def reduce_problem(problem: Problem, full: Graph) -> tuple[Reduced | None, str]:
    """A scale at which three cases (or at least one) fit, or None and why there is none."""
    search = Search(problem, full, PAYLOAD_LIMIT)
    for cases in (3, 1):
        found = search.best(PAYLOAD_LIMIT // cases)
        if found:
            found.cases = cases
            return found, ""
    by_rule = Search(problem, full, RULE_LIMIT * 4 // 3, payload_by_rule)
    found = by_rule.best(PAYLOAD_LIMIT // 3)
    if found:
        found.cases = 0
        return found, ""
    return None, by_rule.reason
