"""Measures what PyTorch's matrix products reach on a GPU. One JSON object a line on stdout.

    python3 products.py [DEVICE [quick]]
"""
import ctypes
import json
import sys
import time

import torch


class Clock:
    """The SM clock now, MHz, by NVML; 0 when it cannot be read."""

    def __init__(self, device: int) -> None:
        self.library, self.handle = None, ctypes.c_void_p()
        try:
            library = ctypes.CDLL("libnvidia-ml.so.1")
            bus = torch.cuda.get_device_properties(device)
            name = f"{bus.pci_domain_id:08x}:{bus.pci_bus_id:02x}:{bus.pci_device_id:02x}.0".encode()
            if library.nvmlInit_v2() == 0 and library.nvmlDeviceGetHandleByPciBusId_v2(name, ctypes.byref(self.handle)) == 0:
                self.library = library
        except (OSError, AttributeError):
            pass

    def now(self) -> int:
        clock = ctypes.c_uint()
        if self.library is None or self.library.nvmlDeviceGetClockInfo(self.handle, 1, ctypes.byref(clock)) != 0:
            return 0
        return clock.value


DATA = {
    "normal": lambda shape: torch.randn(shape, device="cuda"),
    "uniform [0, 1)": lambda shape: torch.rand(shape, device="cuda"),
    "normal, negatives zero": lambda shape: torch.randn(shape, device="cuda").relu_(),
}
SHAPES = [(4096, 4096, 4096), (8192, 8192, 8192), (8192, 8192, 2048), (16384, 4096, 8192)]
# Name of the math, and what its operands are made of.
MATHS = ["f32", "tf32", "f16", "bf16", "f8", "i8", "f64"]


def operands(math: str, a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    kinds = {"f32": torch.float32, "tf32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16, "f64": torch.float64}
    if math == "f8":
        return a.to(torch.float8_e4m3fn), b.to(torch.float8_e4m3fn)
    if math == "i8":
        return (a * 16).clamp(-127, 127).to(torch.int8), (b * 16).clamp(-127, 127).to(torch.int8)
    return a.to(kinds[math]), b.to(kinds[math])


def product(math: str, a: torch.Tensor, b: torch.Tensor):
    """b is [N, K]."""
    if math == "f8":
        one = torch.ones((), device="cuda")
        return lambda: torch._scaled_mm(a, b.t(), scale_a=one, scale_b=one, out_dtype=torch.bfloat16, use_fast_accum=True)
    if math == "i8":
        return lambda: torch._int_mm(a, b.t())
    return lambda: a @ b.t()


def measure(run, clock: Clock, runs: int) -> tuple[float, float, int]:
    """Best and median seconds, and the clock while it ran."""
    for _ in range(3):
        run()
    events = [torch.cuda.Event(enable_timing=True) for _ in range(runs + 1)]
    events[0].record()
    for event in events[1:]:
        run()
        event.record()
    events[runs // 2].synchronize()
    mhz = clock.now()
    torch.cuda.synchronize()
    times = sorted(a.elapsed_time(b) * 1e-3 for a, b in zip(events, events[1:]))
    return times[0], times[len(times) // 2], mhz


def main() -> None:
    device = int(sys.argv[1]) if len(sys.argv) > 1 else 0
    quick = sys.argv[2:] == ["quick"]
    torch.cuda.set_device(device)
    torch.manual_seed(1)
    clock = Clock(device)
    deadline = time.monotonic() + (20 if quick else 90)
    shapes = SHAPES[:2] if quick else SHAPES
    for name, make in list(DATA.items())[: 1 if quick else 3]:
        for m, n, k in shapes:
            a, b = make((m, k)), make((n, k))
            for math in MATHS:
                if time.monotonic() > deadline or (math == "f64" and m * n * k > 4096**3 and quick):
                    continue
                torch.backends.cuda.matmul.allow_tf32 = math == "tf32"
                try:
                    best, median, mhz = measure(product(math, *operands(math, a, b)), clock, 5 if quick or math in ("f32", "f64") else 20)
                except (RuntimeError, AttributeError, NotImplementedError) as error:
                    print(f"{math}: {str(error).splitlines()[0]}", file=sys.stderr)
                    continue
                work = 2 * m * n * k * 1e-12
                print(json.dumps({"record": "product", "what": math, "best": work / best, "median": work / median, "shape": f"{m}x{n}x{k}", "data": name,
                                  "by": f"torch {torch.__version__} matmul" + (", fast accumulation" if math == "f8" else ""), "sm_mhz": mhz}), flush=True)


if __name__ == "__main__":
    main()
