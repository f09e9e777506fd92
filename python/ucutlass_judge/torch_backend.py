"""The problem in PyTorch, on a GPU (or on the host, for tests): loaded and run as KernelBench does it."""

from __future__ import annotations

import contextlib
import copy
import importlib.util
import math
import os
import random
import sys
from typing import Any, Callable, Optional, Sequence

import torch

from .builtin_problems import builtin_source
from .specs import BaselineError, Buffer, Content, Difference, Facts, ProblemError, TensorSpec
from .timing import Region, Timing, input_seed, kind_of
from .torch_buffers import CudaBuffer, TorchHostBuffer
from .torch_tensors import (CHUNK, INTEGERS, Tensors, bitwise_equal, changed_weight, dense, difference,
                            fixed_because, flatten, other_distribution, spec_of, tf32)

MODULE = "ucutlass_problem"


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
        self._moving: dict[str, torch.Tensor] = {}  # buffers that forward changes, as the problem gave them

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
        kept = {name: tensor.clone() for name, tensor in self._model.named_buffers()}
        outputs = self.reference(first, 0)
        self._moving = {name: kept[name] for name, tensor in self._model.named_buffers()
                        if not bitwise_equal(tensor, kept[name])}
        del kept
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
                      [spec_of(name, t) for name, t in self._named().items()], [0] * len(first))
        self._modes = facts.modes
        for place, tensor in enumerate(first):
            why = fixed_because(tensor)
            if why:
                facts.fixed[place] = why
        self._choose_modes(facts, first, outputs)
        return facts

    def _choose_modes(self, facts: Facts, inputs: Tensors, outputs: Tensors) -> None:
        """The strongest perturbation under which the results stay finite where they were."""
        for mode, seed in ((2, 0x80000001), (1, 1)):
            symmetric = 3 if mode == 2 else 0  # of these only the signs may flip
            self._modes[:] = [mode if place not in facts.fixed else symmetric if facts.fixed[place] == "symmetric" else 0
                              for place in range(len(inputs))]
            changed = self.reference(self.perturbed(inputs, facts.inputs, seed), 0)
            if all(bool((torch.isfinite(a) >= torch.isfinite(b)).all()) for a, b in zip(changed, outputs)):
                break
            self._modes[:] = [0] * len(inputs)
        if not any(self._modes):
            facts.notes.append("no input is perturbed between timed runs: a result remembered by address would pass")
        elif max(self.difference(a, b, 1e-2).excess for a, b in zip(changed, outputs)) <= 2:
            facts.notes.append("results hardly depend on the perturbation: a result remembered by address may pass")

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
            if seed and self._modes[place]:
                self.sync()
                kind = kind_of(spec.dtype, self._modes[place])
                self.timing.perturb(Region(storage.data_ptr(), spec.bytes, kind), 0, input_seed(seed, place))
            result.append(copied)
        return result

    def param(self, name: str, weights: int) -> torch.Tensor:
        """As the problem gave it: forward itself may change a buffer (the running mean of batch normalisation)."""
        tensor = self._moving.get(name, self._named().get(name))
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
        if any(t.dtype not in (torch.float64, *INTEGERS) for t in outputs):
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
        total = 0.0
        for part in value.reshape(-1).split(CHUNK):
            total += float(part.double().square().nan_to_num(0.0, 0.0, 0.0).sum())
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
