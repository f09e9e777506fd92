"""The problem in PyTorch, on a GPU (or on the host, for tests): loaded and run as KernelBench does it."""

from __future__ import annotations

import contextlib
import copy
import ctypes
import importlib.util
import math
import os
import random
import sys
from typing import Any, Callable, Iterator, Optional, Sequence

import torch

from .builtin_problems import builtin_source
from .host_buffer import GUARD, HostBuffer
from .specs import BaselineError, Buffer, Content, Difference, Facts, ProblemError, TensorSpec
from .timing import KINDS, Region, Timing

DTYPES = {"f64": torch.float64, "f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16,
          "f8e4m3": torch.float8_e4m3fn, "f8e5m2": torch.float8_e5m2, "i8": torch.int8, "u8": torch.uint8,
          "i32": torch.int32, "i64": torch.int64, "bool": torch.bool}
NAMES = {dtype: name for name, dtype in DTYPES.items()}
CHUNK = 1 << 26  # elements compared at a time
MODULE = "ucutlass_problem"
Tensors = list[torch.Tensor]


def spec_of(name: str, tensor: torch.Tensor) -> TensorSpec:
    if tensor.dtype not in NAMES:
        raise ProblemError(f"{name} has dtype {tensor.dtype}, which is not supported")
    return TensorSpec(name, NAMES[tensor.dtype], tuple(tensor.shape), tuple(tensor.stride()))


def flatten(value: Any) -> Tensors:
    """The tensors of a result, in order: a tensor, or nested tuples, lists and dicts of them."""
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (tuple, list)):
        return [tensor for item in value for tensor in flatten(item)]
    return []


def raw_bytes(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.reshape(-1).view(torch.uint8) if tensor.numel() else torch.empty(0, dtype=torch.uint8)


def bitwise_equal(a: torch.Tensor, b: torch.Tensor) -> bool:
    return a.shape == b.shape and a.dtype == b.dtype and torch.equal(raw_bytes(a.contiguous()), raw_bytes(b.contiguous()))


class _View:
    """Memory of the timing library as an object that torch wraps without a copy."""

    def __init__(self, data: int, size: int):
        self.__cuda_array_interface__ = {"shape": (size,), "typestr": "|u1", "data": (data, False), "version": 3}


class TorchBufferMixin:
    spec: TensorSpec
    storage: torch.Tensor  # uint8, the used bytes

    @property
    def tensor(self) -> torch.Tensor:
        typed = self.storage.view(DTYPES[self.spec.dtype])
        return torch.as_strided(typed, self.spec.shape, self.spec.stride)

    def put(self, value: torch.Tensor) -> None:
        self.tensor.copy_(value)

    def get(self) -> torch.Tensor:
        return self.tensor

    def same(self, value: torch.Tensor) -> bool:
        return bitwise_equal(self.tensor, value)


class TorchHostBuffer(TorchBufferMixin, HostBuffer):
    def __init__(self, spec: TensorSpec, transport: str, path: str):
        HostBuffer.__init__(self, spec, transport, path)
        self.storage = torch.frombuffer(self.memory, dtype=torch.uint8)[: spec.bytes]


class CudaBuffer(TorchBufferMixin):
    """A block of its own on the device, given away by IPC handle or copied through a file."""

    def __init__(self, spec: TensorSpec, transport: str, path: str, timing: Timing):
        self.spec = spec
        self._timing = timing
        self._file: Optional[HostBuffer] = HostBuffer(spec, "shm", path) if transport == "file" else None
        self._data = timing.alloc(spec.bytes + len(GUARD))
        whole = torch.as_tensor(_View(self._data, spec.bytes + len(GUARD)), device="cuda")
        self.storage = whole[: spec.bytes]
        self._tail = whole[spec.bytes:]
        self.guard()
        self._handle = timing.export(self._data) if transport == "ipc" else ""

    def address(self) -> int:
        return self._data

    def poison(self) -> None:
        self.storage.fill_(0xFF)

    def guard(self) -> None:
        self._tail.fill_(GUARD[0])

    def tail_intact(self) -> bool:
        return bool((self._tail == GUARD[0]).all().item())

    def describe(self) -> dict[str, Any]:
        if self._file is not None:
            return self._file.describe()
        return {"handle": self._handle, "bytes": self.spec.bytes}

    def publish(self) -> None:
        if self._file is not None:
            torch.cuda.synchronize()
            self._timing.copy(self._file.address(), self._data, self.spec.bytes, False)

    def collect(self) -> None:
        if self._file is not None:
            self._timing.copy(self._data, self._file.address(), self.spec.bytes, True)

    def close(self) -> None:
        self._timing.free(self._data)
        if self._file is not None:
            self._file.close()


class TorchBackend:
    def __init__(self, timing: Timing, device: str):
        self.timing = timing
        self.cuda = device.startswith("cuda")
        if self.cuda and not torch.cuda.is_available():
            raise ProblemError("torch sees no CUDA device")
        self.device = torch.device(device)
        self.noisy = not self.cuda
        self.runner_device = device if self.cuda else "host"
        self.transports = ["ipc", "file"] if self.cuda else ["shm", "file"]
        self._buffers = 0
        self._model16: dict[torch.dtype, torch.nn.Module] = {}
        self._model64: Optional[torch.nn.Module] = None

    def open(self) -> dict[str, Any]:
        if self.cuda:
            torch.cuda.set_device(self.device)
            torch.cuda.init()
        return {**self.timing.open(), "torch": torch.__version__, "python": sys.version.split()[0]}

    # -- the problem ------------------------------------------------------------------------------------------------

    def load(self, problem: dict[str, Any]) -> Facts:
        module = self._import(problem)
        for name in ("Model", "get_inputs", "get_init_inputs"):
            if not hasattr(module, name):
                raise ProblemError(f"the problem has no {name}: it must define Model, get_inputs and get_init_inputs")
        self._get_inputs = module.get_inputs
        self._sixteen = torch.bfloat16 if problem.get("math") == "bf16" else torch.float16
        try:
            self._seed(42)
            init = [self._move(value) for value in module.get_init_inputs()]
            with torch.no_grad():
                self._seed(42)
                self._model = module.Model(*init).to(self.device)
            return self._facts()
        except ProblemError:
            raise
        except Exception as error:
            raise ProblemError(f"the problem does not run: {type(error).__name__}: {error}") from error

    def _import(self, problem: dict[str, Any]) -> Any:
        path = str(problem.get("path") or "")
        if problem.get("builtin"):
            module = type(sys)(MODULE)
            exec(compile(builtin_source(str(problem["builtin"])), "<built-in problem>", "exec"), module.__dict__)
            return module
        if not os.path.isfile(path):
            raise ProblemError(f"no problem file {path}")
        spec = importlib.util.spec_from_file_location(MODULE, path)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[MODULE] = module
        try:
            spec.loader.exec_module(module)
        except Exception as error:
            raise ProblemError(f"{path} does not load: {type(error).__name__}: {error}") from error
        return module

    def _facts(self) -> Facts:
        # The problem file may have set flags: those are the defaults that baselines start from.
        self._default_tf32 = (torch.backends.cuda.matmul.allow_tf32, torch.backends.cudnn.allow_tf32)
        first = self.inputs(Content(42))
        before = [tensor.clone() for tensor in first]
        outputs = self.reference(first, 0)
        again = self.reference(first, 0)
        if not outputs:
            raise ProblemError("forward returns no tensor")
        if not all(bitwise_equal(a, b) for a, b in zip(first, before)):
            raise ProblemError("forward changes its inputs in place, which is not supported")
        for a, b in zip(outputs, again):
            if self.difference(a, b, 1e-5).excess > 1:
                raise ProblemError("forward is not deterministic (dropout or random numbers): nothing to compare with")
        facts = Facts([spec_of(f"input {i}", t) for i, t in enumerate(first)],
                      [spec_of(f"output {i}", t) for i, t in enumerate(outputs)],
                      [spec_of(name, t) for name, t in self._named().items()])
        for place, tensor in enumerate(first):
            why = fixed_because(tensor)
            if why:
                facts.fixed[place] = why
        self._fixed = facts.fixed
        return facts

    def _named(self) -> dict[str, torch.Tensor]:
        return {**dict(self._model.named_parameters()), **dict(self._model.named_buffers())}

    def _seed(self, seed: int) -> None:
        torch.manual_seed(seed)
        random.seed(seed)
        if "numpy" in sys.modules:
            sys.modules["numpy"].random.seed(seed % 2**32)

    def _move(self, value: Any) -> Any:
        return value.to(self.device) if isinstance(value, torch.Tensor) else value

    def free_bytes(self) -> int:
        self.trim()
        return int(torch.cuda.mem_get_info(self.device)[0]) if self.cuda else 4 << 30

    def inputs(self, content: Content) -> Tensors:
        self._seed(content.seed)
        try:
            with torch.device(self.device):
                arguments = list(self._get_inputs())
        except Exception:
            self._seed(content.seed)
            arguments = list(self._get_inputs())
        self._arguments = [None if isinstance(a, torch.Tensor) else a for a in arguments]
        tensors = [dense(self._move(a)) for a in arguments if isinstance(a, torch.Tensor)]
        return [other_distribution(t) for t in tensors] if content.kind == "other" else tensors

    def _call(self, model: torch.nn.Module, tensors: Sequence[torch.Tensor]) -> Any:
        queue = list(tensors)
        return model(*[queue.pop(0) if a is None else a for a in self._arguments])

    def perturbed(self, inputs: Sequence[torch.Tensor], specs: Sequence[TensorSpec], seed: int) -> Tensors:
        result = []
        for place, (tensor, spec) in enumerate(zip(inputs, specs)):
            storage = torch.zeros(spec.bytes, dtype=torch.uint8, device=self.device)
            copied = torch.as_strided(storage.view(tensor.dtype), spec.shape, spec.stride)
            copied.copy_(tensor)
            if seed and place not in self._fixed:
                self.sync()
                self.timing.perturb(Region(storage.data_ptr(), spec.bytes, KINDS.get(spec.dtype, 0)), 0, seed)
            result.append(copied)
        return result

    def param(self, name: str, weights: int) -> torch.Tensor:
        tensor = self._named().get(name)
        if tensor is None:
            value: Any = self._model
            for part in name.split("."):
                value = getattr(value, part, None)
            tensor = value if isinstance(value, torch.Tensor) else None
        if tensor is None:
            raise ProblemError(f"the module has no parameter or buffer {name}")
        return changed_weight(name, tensor.detach(), weights)

    # -- references -------------------------------------------------------------------------------------------------

    def reference(self, inputs: Sequence[torch.Tensor], weights: int) -> Tensors:
        """FP32 without TF32 anywhere: what the problem means."""
        with torch.no_grad(), tf32(False, False):
            return flatten(self._with_weights(self._model, inputs, weights))

    def reference64(self, inputs: Sequence[torch.Tensor], weights: int) -> Optional[Tensors]:
        """None when the model cannot run in FP64 (its own casts, or memory)."""
        try:
            if self._model64 is None:
                self._model64 = copy.deepcopy(self._model).double()
            wide = [t.double() if t.is_floating_point() else t for t in inputs]
            with torch.no_grad():
                outputs = flatten(self._with_weights(self._model64, wide, weights))
        except (RuntimeError, TypeError, ValueError):
            return None
        if any(t.dtype not in (torch.float64, *_INTEGERS) for t in outputs):
            return None
        return outputs

    def _with_weights(self, model: torch.nn.Module, inputs: Sequence[torch.Tensor], weights: int) -> Any:
        if not weights:
            return self._call(model, inputs)
        changed = {}
        for name, tensor in {**dict(model.named_parameters()), **dict(model.named_buffers())}.items():
            changed[name] = self.param(name, weights).to(tensor.dtype)
        queue = list(inputs)
        arguments = tuple(queue.pop(0) if a is None else a for a in self._arguments)
        return torch.func.functional_call(model, changed, arguments)

    # -- buffers and comparison -------------------------------------------------------------------------------------

    def buffer(self, spec: TensorSpec, transport: str, folder: str) -> Buffer:
        self._buffers += 1
        path = os.path.join(folder, f"buffer{self._buffers}")
        if self.cuda:
            return CudaBuffer(spec, transport, path, self.timing)
        return TorchHostBuffer(spec, transport, path)

    def difference(self, out: torch.Tensor, ref: torch.Tensor, tolerance: float) -> Difference:
        return difference(out, ref, tolerance)

    def error(self, out: torch.Tensor, ref64: torch.Tensor) -> float:
        off = size = 0.0
        for a, b in zip(out.reshape(-1).split(CHUNK), ref64.reshape(-1).split(CHUNK)):
            a, b = a.double(), b.double()
            good = torch.isfinite(b) & torch.isfinite(a)
            a, b = torch.where(good, a, 0.0), torch.where(good, b, 0.0)
            off += float((a - b).square().sum())
            size += float(b.square().sum())
        return math.sqrt(off / size) if size else math.sqrt(off)

    def norm(self, value: torch.Tensor) -> float:
        total = sum(float(part.double().square().nan_to_num(0.0, 0.0, 0.0).sum()) for part in value.reshape(-1).split(CHUNK))
        return math.sqrt(total)

    def is_poison(self, buffer: Any) -> bool:
        return buffer.spec.bytes > 0 and bool((buffer.storage == 0xFF).all().item())

    def is_constant(self, value: torch.Tensor) -> bool:
        return value.numel() == 0 or bool((value == value.reshape(-1)[0]).all().item())

    def equal(self, a: torch.Tensor, b: torch.Tensor) -> bool:
        return bitwise_equal(a, b)

    # -- baselines --------------------------------------------------------------------------------------------------

    def baseline_names(self, math: str) -> list[str]:
        return ["eager", "eager_tf32", "eager_autocast", "compile", "compile_tf32", "compile_autocast", "whole_16",
                "compile_whole_16"]

    def baseline(self, name: str, sets: Sequence[Sequence[torch.Tensor]]) -> tuple[Callable[[int], Tensors], bool]:
        compiled = name.startswith("compile")
        kind = name.removeprefix("compile").removeprefix("eager").strip("_")
        if kind not in ("", "tf32", "autocast", "whole_16"):
            raise BaselineError(f"no baseline {name}")
        model, own_io = self._model, True
        if kind == "whole_16":
            own_io = False
            model = self._in_sixteen()
            sets = [[t.to(self._sixteen) if t.is_floating_point() else t.clone() for t in one] for one in sets]
        step = self._autocast_step(sets) if kind == "autocast" else None

        def forward(*tensors: torch.Tensor) -> Any:
            if step is not None:
                return step(tensors)
            return self._call(model, tensors)

        run = torch.compile(forward, dynamic=False) if compiled else forward
        flags = (True, True) if kind == "tf32" else self._default_tf32

        def call(index: int) -> Tensors:
            with torch.no_grad(), tf32(*flags):
                return flatten(run(*sets[index]))

        return call, own_io

    def _in_sixteen(self) -> torch.nn.Module:
        if self._sixteen not in self._model16:
            self._model16[self._sixteen] = copy.deepcopy(self._model).to(self._sixteen)
        return self._model16[self._sixteen]

    def _autocast_step(self, sets: Sequence[Sequence[torch.Tensor]]) -> Callable[[Sequence[torch.Tensor]], Any]:
        """Autocast, and the results back in the problem's own dtypes: the same I/O as the problem."""
        dtypes = [t.dtype for t in self.reference(sets[0], 0)]

        def step(tensors: Sequence[torch.Tensor]) -> Any:
            with torch.autocast(self.device.type, dtype=self._sixteen):
                outputs = flatten(self._call(self._model, tensors))
            return [out.to(dtype) for out, dtype in zip(outputs, dtypes)]

        return step

    def on_stream(self) -> Any:
        if not self.cuda:
            return contextlib.nullcontext()
        return torch.cuda.stream(torch.cuda.ExternalStream(self.timing.stream, device=self.device))

    def sync(self) -> None:
        if self.cuda:
            torch.cuda.synchronize(self.device)

    def trim(self) -> None:
        if self.cuda:
            torch.cuda.synchronize(self.device)
            torch.cuda.empty_cache()


_INTEGERS = (torch.int8, torch.uint8, torch.int32, torch.int64, torch.bool)


@contextlib.contextmanager
def tf32(matmul: bool, cudnn: bool) -> Iterator[None]:
    before = torch.backends.cuda.matmul.allow_tf32, torch.backends.cudnn.allow_tf32
    torch.backends.cuda.matmul.allow_tf32, torch.backends.cudnn.allow_tf32 = matmul, cudnn
    try:
        yield
    finally:
        torch.backends.cuda.matmul.allow_tf32, torch.backends.cudnn.allow_tf32 = before


def dense(tensor: torch.Tensor) -> torch.Tensor:
    """As it is when each element has its own place and there are no gaps (transposed too), else row-major."""
    step = 1
    for size, stride in sorted(zip(tensor.shape, tensor.stride()), key=lambda pair: pair[1]):
        if size != 1 and stride != step:
            return tensor.contiguous()
        step *= size
    return tensor


def fixed_because(tensor: torch.Tensor) -> str:
    """Why an input must keep its values; empty when it may be perturbed (signs, zeros and scale are kept anyway)."""
    if NAMES.get(tensor.dtype) not in KINDS:
        return "not a float type that is perturbed"
    if tensor.numel() == 0:
        return "empty"
    if tensor.dim() == 2 and tensor.shape[0] == tensor.shape[1] > 1 and torch.equal(tensor, tensor.T):
        return "symmetric"
    if tensor.reshape(-1)[: 1 << 20].unique().numel() <= 4:
        return "takes few values"
    return ""


def other_distribution(tensor: torch.Tensor) -> torch.Tensor:
    """Another distribution and scale, with zeros, signs, symmetry and the range [0, 1] kept."""
    if not tensor.is_floating_point() or tensor.numel() == 0:
        return tensor
    if float(tensor.min()) >= 0 and float(tensor.max()) <= 1:
        return tensor * tensor
    factor = torch.rand_like(tensor, dtype=torch.float32) + 0.5
    if tensor.dim() == 2 and tensor.shape[0] == tensor.shape[1] and torch.equal(tensor, tensor.T):
        factor = (factor + factor.T) / 2
    return (tensor * (2.0 * factor)).to(tensor.dtype)


def changed_weight(name: str, tensor: torch.Tensor, weights: int) -> torch.Tensor:
    """weights 0: as it is. 1: every value scaled by 0.5 to 1.5, constants (a zero bias, a one gain) made uneven."""
    if not weights or not tensor.is_floating_point() or tensor.numel() == 0:
        return tensor
    generator = torch.Generator(device=tensor.device)
    generator.manual_seed(sum(ord(c) * 257**i for i, c in enumerate(name)) % 2**31 + weights)
    random_values = torch.rand(tensor.shape, generator=generator, device=tensor.device, dtype=torch.float32)
    changed = tensor.float() * (0.5 + random_values)
    if float(tensor.min()) == float(tensor.max()):
        changed = changed + 0.1 * random_values
    return changed.to(tensor.dtype)


def difference(out: torch.Tensor, ref: torch.Tensor, tolerance: float) -> Difference:
    if out.shape != ref.shape:
        return Difference(math.inf, f"shape {tuple(out.shape)}, not {tuple(ref.shape)}")
    worst, off, total, first = 0.0, 0, ref.numel(), -1
    for start, (a, b) in enumerate(zip(out.reshape(-1).split(CHUNK), ref.reshape(-1).split(CHUNK))):
        if not b.is_floating_point():
            excess = torch.where(a.to(b.dtype) == b, 0.0, math.inf)
        else:
            a, b = a.to(torch.promote_types(a.dtype, torch.float32)), b.to(torch.promote_types(b.dtype, torch.float32))
            excess = (a - b).abs() / (tolerance + tolerance * b.abs())
            odd = ~(torch.isfinite(a) & torch.isfinite(b))
            same = (a == b) | (torch.isnan(a) & torch.isnan(b))
            excess = torch.where(odd, torch.where(same, 0.0, math.inf), excess)
        bad = excess > 1
        count = int(bad.sum())
        if count and first < 0:
            first = start * CHUNK + int(bad.to(torch.int8).argmax())
        off += count
        worst = max(worst, float(excess.max())) if excess.numel() else worst
    if not off:
        return Difference(worst)
    got, expected = out.reshape(-1)[first].item(), ref.reshape(-1)[first].item()
    return Difference(worst, f"{off} of {total} elements are off by up to {worst:.3g} times the tolerance; "
                             f"the first is element {first}: {got:.7g}, not {expected:.7g}")
