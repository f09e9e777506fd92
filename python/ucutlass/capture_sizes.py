"""Rewrite the sizes that a problem file writes. Needs no torch."""
from __future__ import annotations

import ast
import copy
import operator
from dataclasses import dataclass
from typing import Any


BATCH_FLOOR = 2


@dataclass(frozen=True)
class Scale:
    """n becomes n / divisor but at least floor; with `halve`, n is halved while it is even and stays at or above floor, at most
    until it is n / divisor. Numbers up to floor stay. With `few`, batch sizes become BATCH_FLOOR whatever the divisor is."""

    divisor: int
    floor: int
    halve: bool = False
    few: bool = False

    def of_batches(self) -> Scale:
        """The scale of batch sizes, which may become very small."""
        return Scale(1 << 62 if self.few else self.divisor, min(self.floor, BATCH_FLOOR), self.halve and not self.few)

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
        least = min(self.floor, BATCH_FLOOR)
        return f"integers of the file {how} {self.divisor}, to no less than {self.floor} (batch sizes: {'' if not self.few else 'all '}{least}); smaller ones kept"


OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.FloorDiv: operator.floordiv,
             ast.Pow: operator.pow}


def constant_int(node: ast.expr) -> int | None:
    """The value of an integer written with + - * // ** and literals only, below 2^62."""
    if isinstance(node, ast.Constant):
        return node.value if type(node.value) is int and abs(node.value) < 1 << 62 else None
    if not isinstance(node, ast.BinOp) or type(node.op) not in OPERATORS:
        return None
    left, right = constant_int(node.left), constant_int(node.right)
    if left is None or right is None:
        return None
    if isinstance(node.op, ast.FloorDiv) and right == 0 or isinstance(node.op, ast.Pow) and not 0 <= right <= 40:
        return None
    value = OPERATORS[type(node.op)](left, right)
    return value if abs(value) < 1 << 62 else None


class Rewriter(ast.NodeTransformer):
    """Replaces every integer written in an expression by its scaled value."""

    def __init__(self, scale: Scale):
        self.scale = scale

    def visit(self, node: ast.AST) -> Any:
        value = constant_int(node) if isinstance(node, ast.expr) else None
        if value is None:
            return self.generic_visit(node)
        return ast.copy_location(ast.Constant(self.scale.apply(value)), node)


def is_batch(node: ast.Assign | ast.AnnAssign) -> bool:
    """True for `batch_size = 128`: a size that may become very small."""
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return any(isinstance(t, ast.Name) and "batch" in t.id.lower() for t in targets)


def scaled_tree(tree: ast.Module, scale: Scale) -> ast.Module:
    """The file with the integers of module-level assignments and of get_inputs and get_init_inputs scaled."""
    tree = copy.deepcopy(tree)
    rewriter, batch = Rewriter(scale), Rewriter(scale.of_batches())
    for node in tree.body:
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
            node.value = (batch if is_batch(node) else rewriter).visit(node.value)
        elif isinstance(node, ast.FunctionDef) and node.name in ("get_inputs", "get_init_inputs"):
            node.body = [rewriter.visit(statement) for statement in node.body]
    return ast.fix_missing_locations(tree)
