"""The SM clock while blocks run, read and never set: NVML, else nvidia-smi, else unknown."""

from __future__ import annotations

import ctypes as c
import shutil
import subprocess
import threading
import time
from statistics import median
from typing import Callable, Optional

_SM_CLOCK = 1


def _nvml_reader(uuid: str) -> Optional[Callable[[], Optional[float]]]:
    try:
        nvml = c.CDLL("libnvidia-ml.so.1")
        handle = c.c_void_p()
        if nvml.nvmlInit_v2() != 0 or nvml.nvmlDeviceGetHandleByUUID(uuid.encode(), c.byref(handle)) != 0:
            return None
    except (OSError, AttributeError):
        return None

    def read() -> Optional[float]:
        value = c.c_uint()
        return float(value.value) if nvml.nvmlDeviceGetClockInfo(handle, _SM_CLOCK, c.byref(value)) == 0 else None

    return read if read() is not None else None


def _smi_reader(uuid: str) -> Optional[Callable[[], Optional[float]]]:
    if not shutil.which("nvidia-smi"):
        return None
    command = ["nvidia-smi", "-i", uuid, "--query-gpu=clocks.sm", "--format=csv,noheader,nounits"]

    def read() -> Optional[float]:
        try:
            text = subprocess.run(command, capture_output=True, timeout=5, check=True).stdout
            return float(text.split()[0])
        except (OSError, subprocess.SubprocessError, ValueError, IndexError):
            return None

    return read if read() is not None else None


class ClockSampler:
    """`with sampler:` around a block; then `mhz` is the median of the second half of what was seen, or None."""

    def __init__(self, uuid: str, period_s: float = 0.01):
        self._read = (_nvml_reader(uuid) or _smi_reader(uuid)) if uuid.startswith(("GPU-", "MIG-")) else None
        self._period = period_s
        self._seen: list[float] = []
        self._stop = threading.Event()
        self._thread: Optional[threading.Thread] = None
        self.mhz: Optional[float] = None

    @property
    def available(self) -> bool:
        return self._read is not None

    def __enter__(self) -> "ClockSampler":
        self.mhz = None
        self._seen = []
        if self._read is not None:
            self._stop.clear()
            self._thread = threading.Thread(target=self._sample, daemon=True)
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._thread is not None:
            self._stop.set()
            self._thread.join()
            self._thread = None
        if self._seen:
            self.mhz = median(self._seen[len(self._seen) // 2:])

    def _sample(self) -> None:
        assert self._read is not None
        while not self._stop.is_set():
            value = self._read()
            if value is not None:
                self._seen.append(value)
            time.sleep(self._period)
