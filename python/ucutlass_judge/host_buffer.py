"""Exchanged buffers in host memory: a file mapped by judge and runner (shm), or private memory copied through a file."""

from __future__ import annotations

import contextlib
import ctypes
import mmap
import os
from typing import Any

from .specs import TensorSpec

GUARD = b"\xa5" * 4096


class HostBuffer:
    """Bytes; subclasses say how a tensor is put in and taken out."""

    def __init__(self, spec: TensorSpec, transport: str, path: str):
        self.spec = spec
        self._path = path
        self._fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        size = max(spec.bytes, 1) + len(GUARD)
        os.ftruncate(self._fd, size)
        self._file = mmap.mmap(self._fd, size)
        self._copied = transport == "file"
        self.memory = mmap.mmap(-1, size) if self._copied else self._file
        self.guard()

    def address(self) -> int:
        return ctypes.addressof(ctypes.c_char.from_buffer(self.memory))

    def poison(self) -> None:
        self.memory[: self.spec.bytes] = b"\xff" * self.spec.bytes

    def guard(self) -> None:
        self.memory[-len(GUARD):] = GUARD

    def tail_intact(self) -> bool:
        return bool(self.memory[-len(GUARD):] == GUARD)

    def describe(self) -> dict[str, Any]:
        return {"file": self._path, "bytes": self.spec.bytes}

    def publish(self) -> None:
        if self._copied:
            self._file[: self.spec.bytes] = self.memory[: self.spec.bytes]

    def collect(self) -> None:
        if self._copied:
            self.memory[: self.spec.bytes] = self._file[: self.spec.bytes]

    def close(self) -> None:
        os.close(self._fd)
        with contextlib.suppress(OSError):
            os.unlink(self._path)
