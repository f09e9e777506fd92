#!/usr/bin/env python3
"""What the time of a short kernel depends on besides the kernel, all in one process: how long the stream settles between the end
of its launches and the run, whether the host has to wait, which output is written, and who calls cuBLAS.

    python3 tests/gpu/clock_check.py --library cublas_matmul.so [--build build] [--size 1024] [--device cuda:0]

eval_selftest.py builds the library and calls this. The columns of a row must agree from some settling time on, and the judge's
(SETTLE_US) should not be below it; the rows of a column must agree within RESOLUTION_US, or what judge and runner do differently
is in the verdicts. Prints medians in microseconds with half the distance of their quartiles, then the kernels' names where
torch's profiler may see them."""

from __future__ import annotations

import argparse
import ctypes as c
import os
import sys
import tempfile
from collections.abc import Callable
from statistics import median
from typing import Any

import torch

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "python"))

from ucutlass_judge.baselines import HOLD_US, SETTLE_US, Plan  # noqa: E402
from ucutlass_judge.specs import TensorSpec, row_major  # noqa: E402
from ucutlass_judge.stats import RESOLUTION_US, quantile  # noqa: E402
from ucutlass_judge.timing import F16, Region, SetRegions, Timing  # noqa: E402
from ucutlass_judge.torch_buffers import CudaBuffer, TorchHostBuffer  # noqa: E402

SETS, WORKSPACE = 8, 32 << 20
SETTLE = (0, 2, 5, SETTLE_US, 2 * SETTLE_US)
WAIT_US = 40  # what the last column adds to the time from run to run
Call = Callable[[int], Any]


class AbiTensor(c.Structure):
    _fields_ = [("data", c.c_void_p), ("shape", c.POINTER(c.c_int64)), ("stride", c.POINTER(c.c_int64)), ("ndim", c.c_int32),
                ("dtype", c.c_int32)]


class Api(c.Structure):
    _fields_ = [("abi", c.c_uint32), ("struct_bytes", c.c_uint32), ("hash", c.c_char_p), ("manifest", c.c_char_p),
                ("open", c.CFUNCTYPE(c.c_int, c.c_int, c.POINTER(c.c_void_p), c.c_void_p)),
                *[(name, c.c_void_p) for name in ("close", "sizes", "prepack")],
                ("run", c.CFUNCTYPE(c.c_int, c.c_void_p, c.POINTER(AbiTensor), c.c_void_p, c.c_void_p, c.POINTER(AbiTensor),
                                    c.c_void_p, c.c_size_t, c.c_void_p, c.c_uint32, c.c_void_p, c.c_void_p))]


class Matmul:
    """SETS pairs of matrices with their outputs, in buffers such as the judge's, and ways to multiply them."""

    def __init__(self, device: str, build: str, size: int, folder: str):
        self.cuda = device.startswith("cuda")
        self.timing = Timing(os.path.join(build, "libucutlass_timing.so"), device if self.cuda else "host")
        if self.cuda:
            torch.cuda.set_device(device)
        self.info = self.timing.open()
        spec = TensorSpec("x", "f16", (size, size), row_major((size, size)))
        self.buffers = [[self._buffer(spec, os.path.join(folder, f"{s}{i}")) for i in range(3)] for s in range(SETS)]
        self.tensors = [[buffer.get() for buffer in one] for one in self.buffers]
        for a, b, _ in self.tensors:
            a.normal_(), b.normal_()
        inputs = [[Region(buffer.address(), spec.bytes, F16) for buffer in one[:2]] for one in self.buffers]
        self.regions = SetRegions(inputs, [[Region(one[2].address(), spec.bytes)] for one in self.buffers], [0] * SETS)
        self.dims = (c.c_int64 * 2)(size, size), (c.c_int64 * 2)(size, 1)

    def _buffer(self, spec: TensorSpec, path: str) -> Any:
        return CudaBuffer(spec, "none", path, self.timing) if self.cuda else TorchHostBuffer(spec, "shm", path)

    def calls(self, library: str) -> dict[str, Call]:
        t = self.tensors
        found: dict[str, Call] = {"torch, an output of its own": lambda s: torch.mm(t[s][0], t[s][1]),
                                  "torch, the sets' outputs": lambda s: torch.mm(t[s][0], t[s][1], out=t[s][2])}
        if library:
            found["the library, the sets' outputs"] = self._library(library)
        return found

    def _library(self, path: str) -> Call:
        get_api = c.CDLL(path).ucutlass_get_api
        get_api.restype = c.POINTER(Api)
        api, program = get_api(1).contents, c.c_void_p()
        if api.open(0, c.byref(program), None) != 0:
            sys.exit(f"{path} does not open")
        workspace, stream = self.timing.alloc(WORKSPACE), self.timing.stream
        bound = [(AbiTensor * 3)(*[AbiTensor(b.address(), *self.dims, 2, 2) for b in one]) for one in self.buffers]
        outputs = [c.cast(c.byref(one, 2 * c.sizeof(AbiTensor)), c.POINTER(AbiTensor)) for one in bound]

        def call(index: int) -> None:
            if api.run(program, bound[index], None, None, outputs[index], workspace, WORKSPACE, None, 0, stream, None) != 0:
                raise RuntimeError("the library refuses")

        return call

    def on_stream(self) -> Any:
        return torch.cuda.stream(torch.cuda.ExternalStream(self.timing.stream)) if self.cuda else torch.no_grad()

    def block(self, call: Call, seed: int, plan: Plan, settle_us: int, period_us: int) -> tuple[float, float, float]:
        """Median, half the distance of the quartiles, time from run to run."""
        if self.cuda:
            torch.cuda.synchronize()
        with self.on_stream():
            got = self.timing.block(self.regions, seed, plan.warm, plan.runs, period_us, HOLD_US, lambda s: (call(s), None)[1],
                                    settle_us)
        spread = (quantile(got.times_us, 0.75) - quantile(got.times_us, 0.25)) / 2
        return median(got.times_us), spread, got.period_us

    def kernels(self, call: Call) -> str:
        try:
            from torch.profiler import ProfilerActivity, profile
            with profile(activities=[ProfilerActivity.CUDA]) as seen, self.on_stream():
                call(0)
                torch.cuda.synchronize()
            return ", ".join(sorted({event.name for event in seen.events() if not event.name.startswith("cuda")})) or "none seen"
        except Exception as error:  # counters may be forbidden: the names are for information
            return f"not seen ({type(error).__name__}: {str(error)[:80]})"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--library", default="", help="a candidate for a matmul in FP16; without it only torch is timed")
    parser.add_argument("--size", type=int, default=1024)
    parser.add_argument("--device", default="cuda:0", help="cpu: to try this script")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        work = Matmul(options.device, options.build, options.size, folder)
        calls = work.calls(options.library)
        plans = {name: Plan.for_period(work.block(call, 1, Plan(3, 20), SETTLE_US, 0)[2]) for name, call in calls.items()}
        columns = [(settle, 0) for settle in SETTLE] + [(0, WAIT_US), (SETTLE_US, WAIT_US)]
        found: dict[tuple[str, int], list[tuple[float, float, float]]] = {}
        for turn in range(2):  # there and back, so that a drift falls on all alike
            for place, (settle, wait) in list(enumerate(columns))[:: 1 - 2 * turn]:
                for name in list(calls)[:: 1 - 2 * turn]:
                    period = int(found[name, 0][0][2]) + wait if wait and (name, 0) in found else 0
                    found.setdefault((name, place), []).append(work.block(calls[name], 7 + turn, plans[name], settle, period))
        print(f"  matmul {options.size}^3 f16 in one process on {work.info['name']}, us by settling time (w: the host waits too)")
        print(f"  {'':32}" + "".join(f"{f'{settle}{chr(119) if wait else str()}':>13}" for settle, wait in columns))
        for name in calls:
            cells = [found[name, place] for place in range(len(columns))]
            print(f"  {name:32}" + "".join(f"{median(x[0] for x in cell):7.2f} ±{median(x[1] for x in cell):4.2f}" for cell in cells))
        at = SETTLE.index(SETTLE_US)
        medians = [median(x[0] for x in found[name, at]) for name in calls]
        apart = max(medians) - min(medians)
        print(f"  rows at {SETTLE_US} us are {apart:.2f} us apart; the judge's resolution is {RESOLUTION_US} us"
              f"{'' if apart <= RESOLUTION_US else '  <-- more'}")
        if work.cuda:
            for name, call in calls.items():
                print(f"  {name}: {work.kernels(call)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
