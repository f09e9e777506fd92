"""Scale a problem down: rewrite the sizes that its file writes, and check that the same graph remains."""
from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensorMode

from ucutlass.capture_graph import Graph
from ucutlass.capture_load import CaptureError, Problem, build_model, call_get_inputs, execute
from ucutlass.capture_trace import trace

PAYLOAD_LIMIT = 150_000  # base64 characters of all cases together
CASES = 3
FLOORS = (8, 16, 4, 32, 64, 2, 1)


@dataclass(frozen=True)
class Scale:
    """n becomes n / divisor but at least floor; with `halve`, n is halved while it is even and stays at or above floor, at most
    until it is n / divisor. Numbers up to floor stay."""

    divisor: int
    floor: int
    halve: bool = False

    def apply(self, n: int) -> int:
        if n <= self.floor or self.divisor == 1:
            return n
        if not self.halve:
            return max(n // self.divisor, self.floor)
        least = max(self.floor, n // self.divisor)
        while n % 2 == 0 and n // 2 >= least:
            n //= 2
        return n

    def text(self) -> str:
        if self.divisor == 1:
            return "full size"
        how = "halved while even, at most by" if self.halve else "divided by"
        return f"integers of the file {how} {self.divisor}, to no less than {self.floor}; smaller ones kept"


def constant_int(node: ast.expr) -> int | None:
    """The value of an integer written with + - * // ** and literals only."""
    if isinstance(node, ast.Constant):
        return node.value if type(node.value) is int else None
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Pow)):
        left, right = constant_int(node.left), constant_int(node.right)
        if left is None or right is None or (isinstance(node.op, ast.Pow) and not 0 <= right <= 40):
            return None
        if isinstance(node.op, ast.FloorDiv) and right == 0:
            return None
        value = eval(compile(ast.Expression(ast.fix_missing_locations(copy.deepcopy(node))), "", "eval"), {"__builtins__": {}})
        return value if abs(value) < 1 << 62 else None
    return None


class Rewriter(ast.NodeTransformer):
    """Replaces every integer written in an expression by its scaled value."""

    def __init__(self, scale: Scale):
        self.scale = scale

    def visit(self, node: ast.AST) -> Any:
        value = constant_int(node) if isinstance(node, ast.expr) else None
        if value is None:
            return self.generic_visit(node)
        return ast.copy_location(ast.Constant(self.scale.apply(value)), node)


def scaled_tree(tree: ast.Module, scale: Scale) -> ast.Module:
    """The file with the integers of module-level assignments and of get_inputs and get_init_inputs scaled."""
    tree = copy.deepcopy(tree)
    rewriter = Rewriter(scale)
    for node in tree.body:
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
            node.value = rewriter.visit(node.value)
        elif isinstance(node, ast.FunctionDef) and node.name in ("get_inputs", "get_init_inputs"):
            node.body = [rewriter.visit(statement) for statement in node.body]
    return ast.fix_missing_locations(tree)


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
        if [n == 1 for n in a.shape] != [n == 1 for n in b.shape] or [n == 0 for n in a.stride] != [n == 0 for n in b.stride]:
            return f"tensor {a.name} broadcasts otherwise"
        if order(a.stride) != order(b.stride):
            return f"tensor {a.name} lies otherwise in memory"
    return None if full.outputs == small.outputs else "other outputs"


def confuses_sizes(full: Graph, small: Graph) -> bool:
    """True when two sizes that differ have become equal: a mix-up of dimensions would go unseen."""
    sizes = {(n, m) for a, b in zip(full.tensors, small.tensors) for n, m in zip(a.shape, b.shape)}
    return len({m for _, m in sizes}) < len({n for n, _ in sizes})


def order(stride: list[int]) -> list[int]:
    """Dimensions from the slowest to the fastest."""
    return sorted(range(len(stride)), key=lambda i: -stride[i])


def payload(graph: Graph, sizes: dict[str, int]) -> int:
    """Base64 characters that the cases of this graph take."""
    inputs = sum(t.numel() * sizes[t.dtype] for t in graph.tensors if t.role in ("input", "param", "buffer", "const"))
    outputs = sum(graph.tensors[i].numel() * (sizes[graph.tensors[i].dtype] + 8) for i in graph.outputs)
    return (inputs + outputs) * 4 // 3 * CASES


def candidates(limit: int) -> Iterator[list[Scale]]:
    """For each floor and way: the divisors from the mildest on."""
    yield [Scale(1, 1)]
    for floor in FLOORS:
        for halve in (False, True):
            yield [Scale(1 << k, floor, halve) for k in range(1, 16) if (1 << k) <= max(2, limit)]


@dataclass
class Reduced:
    scale: Scale
    problem: Problem
    graph: Graph


SIZES = {"f64": 8, "i64": 8, "f32": 4, "i32": 4, "f16": 2, "bf16": 2, "i8": 1, "u8": 1, "bool": 1, "f8e4m3": 1, "f8e5m2": 1}


def attempt(problem: Problem, scale: Scale) -> Reduced:
    """The problem at this scale, traced without data."""
    scaled = execute(problem.path, scaled_tree(problem.tree, scale), problem.sha256)
    with FakeTensorMode(allow_non_fake_inputs=True), torch.no_grad():
        graph = trace(build_model(scaled), call_get_inputs(scaled), problem.path)
    return Reduced(scale, scaled, graph)


def first_that_fits(problem: Problem, full: Graph, scales: list[Scale], limit: int) -> tuple[Reduced | None, str]:
    """The mildest of these scales that keeps the graph and fits; or why there is none."""
    reason, tries = "no scale makes the data small enough", 0
    for scale in scales:
        try:
            found = attempt(problem, scale)
        except CaptureError as error:
            reason = f"at 1/{scale.divisor}: {error.message}"
            continue
        if payload(found.graph, SIZES) > limit:
            continue
        apart = difference(full, found.graph)
        if apart is None:
            return found, ""
        reason, tries = f"at 1/{scale.divisor}: {apart}", tries + 1
        if tries == 4:
            break
    return None, reason


def reduce_problem(problem: Problem, full: Graph, limit: int = PAYLOAD_LIMIT) -> tuple[Reduced | None, str]:
    """A scale at which the cases fit `limit` and the graph is the same, best one that keeps sizes apart; or None and why."""
    largest = max((n for t in full.tensors for n in t.shape), default=1)
    second_best, reason = None, ""
    for scales in candidates(largest):
        found, why = first_that_fits(problem, full, scales, limit)
        reason = reason if len(scales) == 1 and reason else why or reason
        if found and not confuses_sizes(full, found.graph):
            return found, ""
        second_best = second_best or found
    return second_best, reason
