"""Trace a module to a graph of aten operators, kept as whole as torch.export keeps them; in-place forms become functional."""
from __future__ import annotations

import contextlib
import inspect
import operator
import re
from collections.abc import Iterator
from typing import Any

import torch
from torch.export.graph_signature import ConstantArgument, InputKind, OutputKind, TensorArgument

from ucutlass.capture_graph import Graph, GraphOp, GraphTensor, array_base64, dtype_name, number_json
from ucutlass.capture_load import CaptureError, is_out_of_memory, one_line, problem_line

CONST_DATA_LIMIT = 4096  # bytes of a constant stored in the graph itself
ROLES = {InputKind.USER_INPUT: "input", InputKind.PARAMETER: "param", InputKind.BUFFER: "buffer",
         InputKind.CONSTANT_TENSOR: "const"}


class NeedsFunctional(Exception):
    """An in-place operator writes memory that another tensor still reads: let torch functionalise the graph."""


def untraceable(reason: str, line: int | None = None) -> CaptureError:
    return CaptureError("untraceable", f"Model cannot be traced: {reason}",
                        "forward must be tensor operations without control flow on tensor values", line)


@contextlib.contextmanager
def right_lstm_shapes() -> Iterator[None]:
    """PyTorch 2.11 infers the states of an LSTM with a dimension of 1 too many: give them the shape that they came in with."""
    rules = torch._decomp.decompositions
    select = getattr(rules, "select_one_layer_lstm_function", None)

    def selected(*choice: Any) -> Any:
        def layer(data: Any, hidden: Any, *rest: Any, **more: Any) -> Any:
            out, states = select(*choice)(data, hidden, *rest, **more)
            return out, tuple(new.reshape(old.shape) for new, old in zip(states, hidden))
        return layer

    if select is not None:
        rules.select_one_layer_lstm_function = selected
    try:
        yield
    finally:
        if select is not None:
            rules.select_one_layer_lstm_function = select


def export(model: torch.nn.Module, inputs: list[Any], path: str) -> Any:
    """torch.export in the model's own mode, without gradients. Errors: untraceable, out of memory."""
    try:
        with torch.no_grad(), right_lstm_shapes():
            return torch.export.export(model, tuple(inputs), strict=False)
    except (KeyboardInterrupt, TimeoutError, CaptureError):
        raise
    except BaseException as error:
        line = problem_line(error, path)
        if is_out_of_memory(error):
            raise CaptureError("out-of-memory", "out of memory while tracing Model", "make the problem smaller",
                               line) from error
        raise untraceable(one_line(error), line) from error


class Tracer:
    """Builds a Graph from one exported program."""

    def __init__(self, program: Any, model: torch.nn.Module):
        self.program, self.graph, self.env = program, Graph(), {}
        self.storages: dict[int, int] = {}
        self.next_storage = 0
        self.names: set[str] = set()
        self.model = model

    def build(self) -> Graph:
        nodes = list(self.program.graph.nodes)
        self.last_use = {use: i for i, node in enumerate(nodes) for use in node.all_input_nodes}
        self.placeholders([n for n in nodes if n.op == "placeholder"])
        for position, node in enumerate(nodes):
            if node.op == "call_function":
                self.call(node, position)
            elif node.op not in ("placeholder", "output"):
                raise untraceable(f"the graph holds a {node.op} node")
        self.outputs({n.name: n for n in nodes})
        return self.graph

    def storage_of(self, value: torch.Tensor) -> int:
        key = value.untyped_storage()._cdata
        if key not in self.storages:
            self.storages[key] = self.new_storage()
        return self.storages[key]

    def new_storage(self) -> int:
        self.next_storage += 1
        return self.next_storage - 1

    def add(self, name: str, role: str, value: torch.Tensor, module: str) -> GraphTensor:
        if value.layout != torch.strided:
            raise untraceable(f"tensor `{name}` has layout {value.layout}")
        tensor = GraphTensor(len(self.graph.tensors), self.unique(name), role, dtype_name(value.dtype), list(value.shape),
                             list(value.stride()), self.storage_of(value), int(value.storage_offset()), module)
        if any(not isinstance(n, int) for n in tensor.shape + tensor.stride):
            raise untraceable(f"the shape of `{name}` depends on tensor values")
        self.graph.tensors.append(tensor)
        return tensor

    def unique(self, name: str) -> str:
        base = re.sub(r"\W", "_", name) or "t"
        name, count = base, 1
        while name in self.names:
            count += 1
            name = f"{base}_{count}"
        self.names.add(name)
        return name

    def placeholders(self, nodes: list[Any]) -> None:
        """Inputs first, in forward's order, then parameters, buffers and constants."""
        names = [p for p in inspect.signature(self.model.forward).parameters]
        specs = list(zip(self.program.graph_signature.input_specs, nodes, strict=True))
        user = [pair for pair in specs if pair[0].kind == InputKind.USER_INPUT]
        flat = len(user) <= len(names)
        for index, (spec, node) in enumerate(user):
            self.user_input(names[index] if flat else node.name, spec, node)
        for kind in (InputKind.PARAMETER, InputKind.BUFFER, InputKind.CONSTANT_TENSOR):
            for spec, node in specs:
                if spec.kind == kind:
                    tensor = self.add(spec.target, ROLES[kind], node.meta["val"], spec.target)
                    self.env[node] = tensor.id
                    if kind == InputKind.CONSTANT_TENSOR:
                        self.constant_data(tensor, spec.target)
        if any(spec.kind not in ROLES for spec, _ in specs):
            raise untraceable("the module holds objects that are not tensors")

    def user_input(self, name: str, spec: Any, node: Any) -> None:
        if isinstance(spec.arg, TensorArgument):
            self.env[node] = self.add(name, "input", node.meta["val"], "").id
            return
        value = spec.arg.value if isinstance(spec.arg, ConstantArgument) else None
        if value is None:
            return
        if not isinstance(value, (bool, int, float)):
            raise CaptureError("input-kind", f"input `{name}` is a {type(value).__name__}",
                               "get_inputs may return tensors and numbers")
        kind = "bool" if isinstance(value, bool) else "i64" if isinstance(value, int) else "f64"
        tensor = GraphTensor(len(self.graph.tensors), self.unique(name), "scalar", kind, [], [], self.new_storage(),
                             value=value)
        self.graph.tensors.append(tensor)

    def constant_data(self, tensor: GraphTensor, target: str) -> None:
        value = self.program.constants.get(target)
        real = isinstance(value, torch.Tensor) and type(value) in (torch.Tensor, torch.nn.Parameter)
        if real and value.device.type == "cpu" and value.numel() * value.element_size() <= CONST_DATA_LIMIT:
            tensor.data = array_base64(value)

    def argument(self, value: Any) -> Any:
        """An operator's argument as JSON."""
        if isinstance(value, torch.fx.Node):
            if not isinstance(self.env.get(value), int):
                raise untraceable(f"`{value.name}` is not a tensor but an operator takes it")
            return {"t": self.env[value]}
        if isinstance(value, (list, tuple)):
            return [self.argument(v) for v in value]
        if value is None or isinstance(value, (bool, int, float, str)):
            return number_json(value) if isinstance(value, float) else value
        if isinstance(value, torch.dtype):
            return {"dtype": dtype_name(value)}
        for kind, key in ((torch.device, "device"), (torch.layout, "layout"), (torch.memory_format, "memory_format")):
            if isinstance(value, kind):
                return {key: str(value).removeprefix("torch.")}
        raise untraceable(f"an operator takes a {type(value).__name__}")

    def call(self, node: Any, position: int) -> None:
        if node.target is operator.getitem:
            self.env[node] = self.env[node.args[0]][node.args[1]]
            return
        if not isinstance(node.target, torch._ops.OpOverload):
            raise untraceable(f"operator {getattr(node.target, '__name__', node.target)} has no aten form")
        target = str(node.target)
        if target in ("aten.lift_fresh_copy.default", "aten.lift_fresh.default", "aten.detach_.default"):
            self.env[node] = self.env[node.args[0]]  # left over from tracing: the constant itself
            return
        if target == "aten._assert_tensor_metadata.default":
            return
        if node.target._schema.is_mutable:
            self.in_place(node, position)
            return
        op = self.op(node, target)
        value = node.meta.get("val")
        if isinstance(value, torch.Tensor):
            self.env[node] = self.add(node.name, "value", value, op.module).id
            op.out = [self.env[node]]
        elif isinstance(value, (list, tuple)):
            self.env[node] = [self.add(f"{node.name}_{i}", "value", v, op.module).id if isinstance(v, torch.Tensor) else None
                              for i, v in enumerate(value)]
            op.out = list(self.env[node])
        elif value is not None:
            raise untraceable(f"{target} gives a {type(value).__name__}, not a tensor")

    def op(self, node: Any, target: str) -> GraphOp:
        stack = list(node.meta.get("nn_module_stack", {}).values())
        module = str(stack[-1][0]) if stack else ""
        op = GraphOp(len(self.graph.ops), target, self.argument(node.args),
                     {k: self.argument(v) for k, v in node.kwargs.items()}, [], module,
                     torch.Tag.nondeterministic_seeded in node.target.tags)
        self.graph.ops.append(op)
        return op

    def in_place(self, node: Any, position: int) -> None:
        """`aten.relu_` becomes `aten.relu`, when nothing else reads the memory that it writes."""
        match = re.fullmatch(r"aten\.(\w+)_\.(\w+)", str(node.target))
        packet = getattr(torch.ops.aten, match[1], None) if match else None
        if packet is None or match[2] not in packet.overloads() or not isinstance(node.args[0], torch.fx.Node):
            raise NeedsFunctional
        old = self.env[node.args[0]]
        storage = self.graph.tensors[old].storage
        aliases = [other for other, id in self.env.items()
                   if isinstance(id, int) and id != old and self.graph.tensors[id].storage == storage]
        if any(self.last_use.get(other, -1) > position for other in aliases):
            raise NeedsFunctional
        value = node.meta["val"]
        op = self.op(node, f"aten.{match[1]}.{match[2]}")
        self.storages[value.untyped_storage()._cdata] = self.new_storage()
        new = self.add(node.name.rstrip("_0123456789") or node.name, "value", value, op.module)
        new.offset = 0
        op.out = [new.id]
        for other, id in list(self.env.items()):
            if id == old:
                self.env[other] = new.id
        self.env[node] = new.id
        self.mutated(old, new.id)

    def mutated(self, old: int, new: int) -> None:
        for row in self.graph.mutates:
            if row["value"] == old:
                row["value"] = new
                return
        if self.graph.tensors[old].role != "value":
            self.graph.mutates.append({"t": old, "value": new})

    def outputs(self, by_name: dict[str, Any]) -> None:
        for index, spec in enumerate(self.program.graph_signature.output_specs):
            if spec.kind == OutputKind.USER_OUTPUT and not isinstance(spec.arg, TensorArgument):
                value = getattr(spec.arg, "value", None)
                raise CaptureError("non-tensor-output", f"output {index} of forward is a {type(value).__name__}",
                                   "forward must return a tensor, or a tuple, list or dict of tensors")
            id = self.env[by_name[spec.arg.name]]
            if spec.kind == OutputKind.USER_OUTPUT:
                self.graph.outputs.append(id)
            elif spec.target is not None:
                old = next(t.id for t in self.graph.tensors if t.module == spec.target or t.name == spec.target)
                self.graph.mutates.append({"t": old, "value": id})
        if not self.graph.outputs:
            raise CaptureError("non-tensor-output", "forward returns nothing", "return the result tensor")


def trace(model: torch.nn.Module, inputs: list[Any], path: str) -> Graph:
    """The graph of Model on these inputs (real or fake)."""
    program = export(model, inputs, path)
    try:
        graph = Tracer(program, model).build()
    except NeedsFunctional:
        try:
            graph = Tracer(program.run_decompositions({}), model).build()
        except NeedsFunctional:
            raise untraceable("an in-place operator has no functional form") from None
        except CaptureError:
            raise
        except Exception as error:
            raise untraceable(one_line(error)) from error
    free_scalars(graph, model, inputs, path)
    return graph


def free_scalars(graph: Graph, model: torch.nn.Module, inputs: list[Any], path: str) -> None:
    """Number inputs are baked in by tracing: trace again with another number and free the arguments that follow it."""
    scalars = [t for t in graph.tensors if t.role == "scalar"]
    places = [i for i, value in enumerate(inputs) if isinstance(value, (bool, int, float))]
    for tensor, place in zip(scalars, places, strict=len(scalars) == len(places)):
        if tensor.dtype != "f64":
            tensor.facts = {"observed": True, "baked": True}
            continue
        other = list(inputs)
        other[place] = inputs[place] * 1.375 + 0.71875
        try:
            changed = Tracer(export(model, other, path), model).build()
            pairs = [free(a.args, b.args, inputs[place], other[place], tensor.id)
                     for a, b in zip(graph.ops, changed.ops, strict=True)]
        except (CaptureError, NeedsFunctional, ValueError):
            tensor.facts = {"observed": True, "baked": True}
            continue
        for op, args in zip(graph.ops, pairs):
            op.args = args


def free(a: Any, b: Any, first: float, second: float, id: int) -> Any:
    """Argument `a` with the number that changed from first to second replaced. Errors (ValueError): another change."""
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        return [free(x, y, first, second, id) for x, y in zip(a, b)]
    if a == b:
        return a
    if isinstance(a, float) and a == first and b == second:
        return {"t": id}
    raise ValueError("a value computed from the scalar")
