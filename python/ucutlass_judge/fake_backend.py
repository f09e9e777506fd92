"""Host memory without torch: the same protocol, blocks and verdicts, for tests on a machine without a GPU.

A fake problem is a Python file with `class Model` (attribute `params`: name -> (shape, list of floats), method
`forward(*inputs) -> list of outputs` on flat lists of floats), `get_inputs(rng) -> list of (shape, list)` and
`output_shapes`. All tensors are f32."""

from __future__ import annotations

import array
import contextlib
import ctypes
import importlib.util
import math
import os
import random
from typing import Any, Callable, Optional, Sequence

from .host_buffer import GUARD, HostBuffer
from .specs import BaselineError, Buffer, Content, Difference, Facts, ProblemError, Tensor, TensorSpec, row_major
from .timing import Region, Timing, input_seed, kind_of


def _floats(values: Sequence[float]) -> "array.array[float]":
    return array.array("f", values)


class FakeBuffer(HostBuffer):
    def put(self, value: Tensor) -> None:
        self.memory[: self.spec.bytes] = value.tobytes()

    def get(self) -> Tensor:
        result = array.array("f")
        result.frombytes(self.memory[: self.spec.bytes])
        return result

    def same(self, value: Tensor) -> bool:
        return bool(self.memory[: self.spec.bytes] == value.tobytes())


class FakeCudaBuffer:
    """Memory of a test driver, which the host can touch, handed on as on a GPU."""

    def __init__(self, spec: TensorSpec, transport: str, path: str, timing: Timing):
        self.spec = spec
        self._timing = timing
        self._file: Optional[HostBuffer] = HostBuffer(spec, "shm", path) if transport == "file" else None
        self._data = timing.alloc(spec.bytes + len(GUARD))
        self._memory = memoryview((ctypes.c_char * (spec.bytes + len(GUARD))).from_address(self._data)).cast("B")
        self.guard()
        self._handle = timing.export(self._data) if transport == "ipc" else ""

    def address(self) -> int:
        return self._data

    def put(self, value: Tensor) -> None:
        self._memory[: self.spec.bytes] = value.tobytes()

    def get(self) -> Tensor:
        result = array.array("f")
        result.frombytes(self._memory[: self.spec.bytes])
        return result

    def same(self, value: Tensor) -> bool:
        return bool(self._memory[: self.spec.bytes] == value.tobytes())

    def poison(self) -> None:
        self._memory[: self.spec.bytes] = b"\xff" * self.spec.bytes

    def guard(self) -> None:
        self._memory[self.spec.bytes:] = GUARD

    def tail_intact(self) -> bool:
        return bool(self._memory[self.spec.bytes:] == GUARD)

    def describe(self) -> dict[str, Any]:
        return self._file.describe() if self._file else {"handle": self._handle, "bytes": self.spec.bytes}

    def publish(self) -> None:
        if self._file:
            self._timing.copy(self._file.address(), self._data, self.spec.bytes, False)

    def collect(self) -> None:
        if self._file:
            self._timing.copy(self._data, self._file.address(), self.spec.bytes, True)

    def close(self) -> None:
        self._memory.release()
        self._timing.free(self._data)
        if self._file:
            self._file.close()


class FakeBackend:
    noisy = True

    def __init__(self, timing: Timing):
        self.timing = timing
        self.runner_device = timing.device
        self.transports = ["shm", "file"] if timing.device == "host" else ["ipc", "file"]
        self._model: Any = None
        self._module: Any = None
        self._buffers = 0

    def open(self) -> dict[str, Any]:
        return self.timing.open()

    def load(self, problem: dict[str, Any]) -> Facts:
        path = str(problem.get("path", ""))
        if not os.path.isfile(path):
            raise ProblemError(f"no problem file {path}")
        spec = importlib.util.spec_from_file_location("ucutlass_problem", path)
        assert spec is not None and spec.loader is not None
        self._module = importlib.util.module_from_spec(spec)
        try:
            spec.loader.exec_module(self._module)
            self._model = self._module.Model()
            shapes = [shape for shape, _ in self._module.get_inputs(random.Random(42))]
        except Exception as error:
            raise ProblemError(f"{path} does not load: {type(error).__name__}: {error}") from error
        inputs = [self._spec(f"x{i}", shape) for i, shape in enumerate(shapes)]
        outputs = [self._spec(f"y{i}", shape) for i, shape in enumerate(self._model.output_shapes)]
        params = [self._spec(name, shape) for name, (shape, _) in self._model.params.items()]
        return Facts(inputs, outputs, params, [2] * len(inputs))

    @staticmethod
    def _spec(name: str, shape: Sequence[int]) -> TensorSpec:
        return TensorSpec(name, "f32", tuple(shape), row_major(shape))

    def free_bytes(self) -> int:
        return 64 << 20

    def inputs(self, content: Content) -> list[Tensor]:
        rng = random.Random(content.seed)
        result = [_floats(values) for _, values in self._module.get_inputs(rng)]
        if content.kind == "other":
            result = [_floats([2.0 * x * (0.5 + rng.random()) for x in values]) for values in result]
        return result

    def perturbed(self, inputs: Sequence[Tensor], specs: Sequence[TensorSpec], seed: int) -> list[Tensor]:
        result = [array.array("f", values) for values in inputs]
        for place, values in enumerate(result):
            address, _ = values.buffer_info()
            self.timing.perturb(Region(address, 4 * len(values), kind_of("f32", 2)), 0, input_seed(seed, place))
        return result

    def param(self, name: str, weights: int) -> Tensor:
        if name not in self._model.params:
            raise ProblemError(f"the module has no parameter or buffer {name}")
        values = self._model.params[name][1]
        if weights:
            rng = random.Random(f"{name} {weights}")
            values = [x * (0.5 + rng.random()) + 0.05 for x in values]
        return _floats(values)

    def reference(self, inputs: Sequence[Tensor], weights: int) -> list[Tensor]:
        params = {name: self.param(name, weights) for name in self._model.params}
        return [_floats(out) for out in self._model.forward(params, *inputs)]

    def reference64(self, inputs: Sequence[Tensor], weights: int) -> Optional[list[Tensor]]:
        params = {name: self.param(name, weights) for name in self._model.params}
        return [array.array("d", out) for out in self._model.forward(params, *inputs)]

    def buffer(self, spec: TensorSpec, transport: str, folder: str) -> Buffer:
        self._buffers += 1
        path = os.path.join(folder, f"buffer{self._buffers}")
        if self.runner_device == "host":
            return FakeBuffer(spec, transport, path)
        return FakeCudaBuffer(spec, transport, path, self.timing)

    def difference(self, out: Tensor, ref: Tensor, tolerance: float) -> Difference:
        if len(out) != len(ref):
            return Difference(math.inf, f"{len(out)} elements, not {len(ref)}")
        worst = 0.0
        for place, (a, b) in enumerate(zip(out, ref)):
            if math.isnan(a) != math.isnan(b) or (math.isinf(b) or math.isinf(a)) and a != b:
                return Difference(math.inf, f"element {place} is {a}, not {b}")
            if not math.isnan(b) and not math.isinf(b):
                worst = max(worst, abs(a - b) / (tolerance + tolerance * abs(b)))
        return Difference(worst, "" if worst <= 1 else f"off by {worst:.3g} times the tolerance")

    def error(self, out: Tensor, ref64: Tensor) -> float:
        off = math.sqrt(sum((a - b) ** 2 for a, b in zip(out, ref64)))
        size = math.sqrt(sum(b * b for b in ref64))
        return off / size if size else off

    def norm(self, value: Tensor) -> float:
        return math.sqrt(sum(x * x for x in value))

    def is_poison(self, buffer: Buffer) -> bool:
        size = buffer.spec.bytes
        return size > 0 and bytes(buffer.get().tobytes()) == b"\xff" * size

    def is_constant(self, value: Tensor) -> bool:
        return all(x == value[0] for x in value)

    def equal(self, a: Tensor, b: Tensor) -> bool:
        return bool(a.tobytes() == b.tobytes())

    def baseline_names(self, math: str) -> list[str]:
        return ["eager", "eager_slow"]

    def baseline(self, name: str, sets: Sequence[Sequence[Tensor]]) -> tuple[Callable[[int], list[Tensor]], bool]:
        repeats = {"eager": 1, "eager_slow": 3}.get(name)
        if repeats is None:
            raise BaselineError(f"no baseline {name}")
        return lambda index: [self.reference(sets[index], 0) for _ in range(repeats)][0], True

    def on_stream(self) -> Any:
        return contextlib.nullcontext()

    def sync(self) -> None:
        pass

    def trim(self) -> None:
        pass
