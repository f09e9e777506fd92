"""Run the scaled problem on the CPU and keep inputs, parameters and torch's answers."""
from __future__ import annotations

import copy
import math
from typing import Any

import numpy as np
import torch

from ucutlass.capture_facts import facts_of, has_structure
from ucutlass.capture_graph import Graph, array_base64
from ucutlass.capture_load import CaptureError, Problem, build_model, call_get_inputs, running
from ucutlass.capture_trace import export

SEEDS = (42, 43)
OTHER_SEED = 44
FORWARD_HELP = "forward must run on get_inputs()"


def leaves(value: Any) -> list[Any]:
    return torch.utils._pytree.tree_leaves(value)


def run_forward(model: torch.nn.Module, inputs: list[Any], path: str, seed: int) -> list[torch.Tensor]:
    """forward's results on copies, so that neither inputs nor buffers change."""
    torch.manual_seed(seed)
    with running("forward", path, "forward-failed", FORWARD_HELP), torch.no_grad():
        result = copy.deepcopy(model)(*copy.deepcopy(inputs))
    return [t.detach() for t in leaves(result)]


def run_f64(model: torch.nn.Module, inputs: list[Any], path: str, seed: int) -> list[torch.Tensor] | None:
    """The same in float64, or None when the problem fixes another dtype."""
    wide = [torch.utils._pytree.tree_map(lambda t: t.double() if isinstance(t, torch.Tensor) and t.is_floating_point() else t, v)
            for v in inputs]
    before = torch.get_default_dtype()
    try:
        torch.set_default_dtype(torch.float64)
        return run_forward(copy.deepcopy(model).double(), wide, path, seed)
    except CaptureError:
        return None
    finally:
        torch.set_default_dtype(before)


def all_finite(outputs: list[torch.Tensor]) -> bool:
    return all(bool(torch.isfinite(t).all()) for t in outputs)


def draw(like: torch.Tensor, distribution: str) -> torch.Tensor:
    if distribution == "normal(0, 2)":
        return (torch.randn(like.shape) * 2).to(like.dtype)
    return torch.exp(torch.randn(like.shape)).to(like.dtype)


def other_inputs(inputs: list[Any], distribution: str) -> list[Any]:
    """Float inputs without structure drawn anew; the others kept."""
    def change(value: Any) -> Any:
        if not isinstance(value, torch.Tensor) or not value.is_floating_point() or has_structure(facts_of(value, "reduced")):
            return value
        return draw(value, distribution)
    return torch.utils._pytree.tree_map(change, inputs)


def change_weights(model: torch.nn.Module) -> None:
    """Parameters with 1.5 times the spread, none constant any more."""
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.is_floating_point() and parameter.numel():
                spread = float(parameter.double().std(correction=0))
                noise = torch.randn(parameter.shape)
                parameter.copy_(parameter + 0.25 * noise if spread == 0 else noise * 1.5 * spread)


def seeded(problem: Problem, seed: int) -> tuple[torch.nn.Module, list[Any]]:
    """Model and inputs, each made right after seeding, as KernelBench does."""
    torch.manual_seed(seed)
    model = build_model(problem)
    torch.manual_seed(seed)
    return model, call_get_inputs(problem)


def values_of(graph: Graph, model: torch.nn.Module, inputs: list[Any], path: str) -> dict[int, torch.Tensor]:
    """The data of each input, parameter, buffer and constant of the graph."""
    state = dict(model.named_parameters(remove_duplicate=False)) | dict(model.named_buffers(remove_duplicate=False))
    given = [v for v in leaves(inputs) if isinstance(v, torch.Tensor)]
    wanted = [t for t in graph.tensors if t.role == "input"]
    found = {t.id: v for t, v in zip(wanted, given, strict=True)}
    if any(t.role == "const" for t in graph.tensors):
        state = dict(export(model, inputs, path).constants) | state
    for tensor in graph.tensors:
        if tensor.role in ("param", "buffer", "const"):
            found[tensor.id] = state[tensor.module]
    return found


def case_json(graph: Graph, problem: Problem, seed: int, distribution: str, model: torch.nn.Module,
              inputs: list[Any], outputs: list[torch.Tensor], rules: dict[int, dict[str, Any]] | None = None) -> dict[str, Any]:
    """One recorded run; tensors in `rules` are written as the rule that made them."""
    values = values_of(graph, model, inputs, problem.path)
    wide = run_f64(model, inputs, problem.path, seed)
    rows = []
    for place, (id, output) in enumerate(zip(graph.outputs, outputs, strict=True)):
        if list(output.shape) != graph.tensors[id].shape:
            raise CaptureError("untraceable", "forward gives other shapes than its trace", "report this problem")
        row: dict[str, Any] = {"t": id, "data": array_base64(output)}
        if wide is not None and wide[place].dtype == torch.float64:
            row["f64"] = array_base64(wide[place])
        rows.append(row)
    tensors = [{"t": id} | ((rules or {}).get(id) or {"data": array_base64(values[id])}) for id in sorted(values)]
    return {"seed": seed, "distribution": distribution, "tensors": tensors, "outputs": rows}


def uniform(shape: torch.Size, seed: int, scale: float, offset: float) -> torch.Tensor:
    """offset + scale * u, u uniform on [-1, 1) in steps of 2^-23 from SplitMix64: the same numbers wherever they are drawn."""
    count = math.prod(shape)
    with np.errstate(over="ignore"):
        z = np.uint64(seed) + np.arange(1, count + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        z = z ^ (z >> np.uint64(31))
    u = ((z >> np.uint64(40)).astype(np.float64) - 2.0**23) * 2.0**-23
    return torch.from_numpy((offset + scale * u).astype(np.float32).reshape(shape))


def drawn_by_rule(graph: Graph, values: dict[int, torch.Tensor]) -> dict[int, dict[str, Any]]:
    """Replaces f32 data by data of the same mean and spread that a rule gives; returns the rules. What is constant stays so."""
    rules: dict[int, dict[str, Any]] = {}
    known: dict[int, dict[str, Any]] = {}
    for id in sorted(values):
        value, role = values[id], graph.tensors[id].role
        if value.dtype != torch.float32 or value.numel() < 16 or role == "const":
            continue
        if value.data_ptr() in known:
            rules[id] = known[value.data_ptr()]
            continue
        first = float(value.reshape(-1)[0])
        if bool((value == first).all()) and math.isfinite(first):
            rule: dict[str, Any] = {"constant": first}
        elif has_structure(facts_of(value, "reduced")) or not value.is_contiguous():
            continue
        else:
            scale, offset = (float(f"{x:.6g}") for x in (value.double().std(correction=0) * 3**0.5, value.double().mean()))
            rule = {"uniform": {"seed": 1000 + id, "scale": scale, "offset": offset}}
            with torch.no_grad():
                value.copy_(uniform(value.shape, 1000 + id, scale, offset))
        rules[id] = known[value.data_ptr()] = rule
    return rules


def rule_case(problem: Problem, graph: Graph) -> dict[str, Any]:
    """One run whose data is mostly given by rules: for weights too large to write down."""
    model, inputs = seeded(problem, SEEDS[0])
    rules = drawn_by_rule(graph, values_of(graph, model, inputs, problem.path))
    outputs = run_forward(model, inputs, problem.path, SEEDS[0])
    return case_json(graph, problem, SEEDS[0], "by rule", model, inputs, outputs, rules)


def is_random(problem: Problem, graph: Graph) -> bool:
    """True when the outputs depend on torch's random state."""
    if not any(op.random for op in graph.ops):
        return False
    model, inputs = seeded(problem, SEEDS[0])
    first, second = (run_forward(model, inputs, problem.path, seed) for seed in (1, 2))
    return not all(torch.equal(a, b) for a, b in zip(first, second))


def record_cases(problem: Problem, graph: Graph, count: int) -> list[dict[str, Any]]:
    """The problem's own data; from 2 on other data with other weights last; with 3 another seed of its own between."""
    cases, finite = [], True
    for seed in SEEDS[:max(1, count - 1)]:
        model, inputs = seeded(problem, seed)
        outputs = run_forward(model, inputs, problem.path, seed)
        finite = finite and all_finite(outputs)
        cases.append(case_json(graph, problem, seed, "problem", model, inputs, outputs))
    if count == 1:
        return cases
    model, inputs = seeded(problem, OTHER_SEED)
    change_weights(model)
    for distribution in ("normal(0, 2)", "lognormal(0, 1)"):
        changed = other_inputs(inputs, distribution)
        outputs = run_forward(model, changed, problem.path, OTHER_SEED)
        if not finite or all_finite(outputs):
            cases.append(case_json(graph, problem, OTHER_SEED, distribution, model, changed, outputs))
            break
    return cases
