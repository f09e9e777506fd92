"""The captured graph as plain values, and its JSON (docs/schemas/problem.schema.json)."""
from __future__ import annotations

import base64
import json
import math
from dataclasses import dataclass, field
from typing import Any

import torch
from torch._subclasses.fake_tensor import unset_fake_temporarily

from ucutlass.capture_load import CaptureError

DTYPES: dict[torch.dtype, str] = {
    torch.float64: "f64", torch.float32: "f32", torch.float16: "f16", torch.bfloat16: "bf16",
    torch.float8_e4m3fn: "f8e4m3", torch.float8_e5m2: "f8e5m2", torch.int8: "i8", torch.uint8: "u8",
    torch.int32: "i32", torch.int64: "i64", torch.bool: "bool",
}


def dtype_name(dtype: torch.dtype) -> str:
    """'f32'. Errors: a dtype that the language does not have."""
    if dtype not in DTYPES:
        raise CaptureError("unsupported-dtype", f"the problem uses {dtype}", "supported: " + " ".join(DTYPES.values()))
    return DTYPES[dtype]


@dataclass
class GraphTensor:
    """One tensor: geometry, where its memory lies (storage, offset in elements), and what was seen in its data."""

    id: int
    name: str
    role: str  # input param buffer const scalar value
    dtype: str
    shape: list[int]
    stride: list[int]
    storage: int
    offset: int = 0
    module: str = ""
    facts: dict[str, Any] | None = None
    data: str | None = None  # base64 of a constant's elements
    value: float | int | bool | None = None  # of a scalar input

    def numel(self) -> int:
        return math.prod(self.shape)


@dataclass
class GraphOp:
    """One aten operator. `args` hold JSON values; a tensor is {"t": id}."""

    id: int
    target: str
    args: list[Any]
    kwargs: dict[str, Any]
    out: list[int | None]
    module: str = ""
    random: bool = False


@dataclass
class Graph:
    tensors: list[GraphTensor] = field(default_factory=list)
    ops: list[GraphOp] = field(default_factory=list)
    outputs: list[int] = field(default_factory=list)
    mutates: list[dict[str, int]] = field(default_factory=list)


def number_json(value: float | int) -> Any:
    """A number; the floats that JSON lacks as {"f": "inf"}."""
    if isinstance(value, float) and not math.isfinite(value):
        return {"f": "nan" if math.isnan(value) else ("inf" if value > 0 else "-inf")}
    return value


def array_base64(tensor: torch.Tensor) -> str:
    """The elements in row-major order, little endian, base64."""
    with unset_fake_temporarily():
        flat = tensor.detach().cpu().contiguous().reshape(-1)
        return base64.b64encode(flat.view(torch.uint8).numpy().tobytes() if flat.numel() else b"").decode("ascii")


def tensor_json(tensor: GraphTensor) -> dict[str, Any]:
    row: dict[str, Any] = {"id": tensor.id, "name": tensor.name, "role": tensor.role, "dtype": tensor.dtype,
                           "shape": tensor.shape, "stride": tensor.stride, "storage": tensor.storage,
                           "offset": tensor.offset}
    if tensor.module:
        row["module"] = tensor.module
    if tensor.value is not None:
        row["value"] = number_json(tensor.value)
    if tensor.facts:
        row["facts"] = {key: number_json(v) if isinstance(v, float) else v for key, v in tensor.facts.items()}
    if tensor.data is not None:
        row["data"] = tensor.data
    return row


def op_json(op: GraphOp) -> dict[str, Any]:
    row: dict[str, Any] = {"id": op.id, "target": op.target, "args": op.args, "kwargs": op.kwargs, "out": op.out}
    if op.module:
        row["module"] = op.module
    if op.random:
        row["random"] = True
    return row


def graph_json(graph: Graph) -> dict[str, Any]:
    row: dict[str, Any] = {"tensors": [tensor_json(t) for t in graph.tensors], "ops": [op_json(o) for o in graph.ops],
                           "outputs": graph.outputs}
    if graph.mutates:
        row["mutates"] = graph.mutates
    return row


def dump(value: Any, depth: int = 4) -> str:
    """JSON text with one line for each tensor, op and array, so that captures can be read as diffs."""
    def text(item: Any) -> str:
        return json.dumps(item, separators=(",", ":"), ensure_ascii=True, allow_nan=False)

    def write(item: Any, level: int) -> str:
        nested = isinstance(item, (dict, list)) and item and level < depth
        if isinstance(item, dict) and nested and any(isinstance(v, (dict, list)) and v for v in item.values()) \
                and not {"target", "role", "t"} & item.keys():
            body = [text(key) + ":" + write(v, level + 1) for key, v in item.items()]
            return "{\n" + ",\n".join(body) + "}"
        if isinstance(item, list) and nested and isinstance(item[0], dict):
            return "[\n" + ",\n".join(write(v, level + 1) for v in item) + "]"
        return text(item)

    return write(value, 0) + "\n"
