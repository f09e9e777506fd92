"""Exchanged buffers that torch sees as tensors: on the device, and (for tests) in host memory."""

from __future__ import annotations

from typing import Any, Optional

import torch

from .host_buffer import GUARD, HostBuffer
from .specs import TensorSpec
from .timing import Timing
from .torch_tensors import DTYPES, bitwise_equal


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
