"""lstm, gru, rnn: layers, directions, biases, initial states and types, in PyTorch's order of weights and gates."""
from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch

from . import Case, Tensor, case, normal, numbers

GATES = {"lstm": 4, "gru": 3, "rnn": 1}


def weights(cell: str, features: int, hidden: int, layers: int, directions: int, bias: bool, dtype: str) -> dict[str, Tensor]:
    rows = GATES[cell] * hidden
    out: dict[str, Tensor] = {}
    for layer in range(layers):
        width = features if layer == 0 else hidden * directions
        for direction in range(directions):
            shapes: list[tuple[str, tuple[int, ...]]] = [("w", (rows, width)), ("u", (rows, hidden))]
            if bias:
                shapes += [("b", (rows,)), ("d", (rows,))]
            for name, shape in shapes:
                out[f"{name}{layer}{'r' if direction else ''}"] = normal(*shape, dtype=dtype, seed=len(out) + 5, scale=0.4)
    return out


def torch_layers(function: Callable[..., Any], states: int, given: bool, layers: int, both: bool, bias: bool,
                 first: bool) -> Callable[..., Any]:
    def run(x: Tensor, *rest: Tensor) -> Any:
        params = list(rest[:len(rest) - (states if given else 0)])
        batch = x.shape[0] if first else x.shape[1]
        zeros = x.new_zeros((layers * (2 if both else 1), batch, params[1].shape[1]))
        hx = list(rest[len(params):]) if given else [zeros] * states
        return function(x, hx if states == 2 else hx[0], params, bias, layers, 0.0, False, both, first)
    return run


def layered(name: str, cell: str, *, layers: int = 1, both: bool = False, bias: bool = True, first: bool = False,
            given: bool = False, dtype: str = "f32", relu: bool = False, time: int = 5, batch: int = 3, features: int = 4,
            hidden: int = 6, x: Tensor | None = None) -> Case:
    directions = 2 if both else 1
    shape = (batch, time, features) if first else (time, batch, features)
    params = weights(cell, features, hidden, layers, directions, bias, dtype)
    inputs = {"x": normal(*shape, dtype=dtype, seed=1) if x is None else x, **params}
    states = ["h0", "c0"] if cell == "lstm" else ["h0"]
    arguments = list(inputs)
    if given:
        for seed, state in enumerate(states):
            inputs[state] = normal(layers * directions, batch, hidden, dtype=dtype, seed=seed + 2)
            arguments.append(f"{state}={state}")
    arguments += [text for text, said in ((f"layers={layers}", layers > 1), ("bidirectional=true", both),
                                          ("batch_first=true", first), ("nonlinearity=relu", relu)) if said]
    results = "y, h, c" if cell == "lstm" else "y, h"
    function = {"lstm": torch.lstm, "gru": torch.gru, "rnn": torch.rnn_relu if relu else torch.rnn_tanh}[cell]
    return case(f"{cell} {name}", f"{results} = {cell}({', '.join(arguments)})", inputs,
                torch_layers(function, len(states), given, layers, both, bias, first), list(params), results, sums=True)


def cases() -> Iterator[Case]:
    for cell in GATES:
        for dtype in ("f64", "f32", "f16", "bf16"):
            yield layered(f"one layer {dtype}", cell, dtype=dtype)
        yield layered("batch first", cell, first=True)
        yield layered("states", cell, given=True)
        yield layered("no biases", cell, bias=False)
        yield layered("no biases, states", cell, bias=False, given=True)
        yield layered("three layers", cell, layers=3, given=True)
        yield layered("both directions", cell, both=True)
        yield layered("both directions, two layers, states, batch first", cell, layers=2, both=True, given=True, first=True)
        yield layered("one step", cell, time=1)
        yield layered("one of everything", cell, time=1, batch=1, features=1, hidden=1)
        yield layered("f16 layers", cell, layers=2, both=True, dtype="f16", given=True)
        yield layered("large inputs", cell, x=normal(5, 3, 4, seed=1, scale=1e4))
        yield layered("nan and infinities", cell, time=3, batch=1, features=1, hidden=2,
                      x=numbers([[[1.0]], [[float("inf")]], [[float("nan")]]]))
    yield layered("relu", "rnn", relu=True)
    yield layered("relu, both directions", "rnn", relu=True, both=True, layers=2, given=True)
