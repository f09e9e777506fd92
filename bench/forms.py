"""What benchmarks of compiled programs share: a program as PyTorch module, calls in a graph, the device's name."""
from __future__ import annotations

import importlib.util
import os
import statistics
import subprocess
from pathlib import Path
from typing import Any, Callable


def compiled(build: str, folder: Path) -> str:
    """Compiles program.uc of the folder there, with one compiler at a time; what went wrong, or an empty text."""
    done = subprocess.run([f"{build}/ucutlass", "compile", folder / "program.uc", "-o", folder, "--emit", "torch"], capture_output=True, text=True,
                          env={**os.environ, "UCUTLASS_JOBS": "1"})
    return "" if done.returncode == 0 else (done.stderr or done.stdout)[-1500:]


def form_in(folder: Path) -> Path:
    """The PyTorch module; its manifest has the ending .json."""
    return next(folder.glob("ucutlass_*.py"))


def model_in(folder: Path) -> Any:
    form = form_in(folder)
    spec = importlib.util.spec_from_file_location(form.stem, form)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.ModelNew()


def graph_of(call: Callable[[], Any], calls: int, warm: int = 1) -> Any:
    """A CUDA graph of several calls: without what a launch costs the host."""
    import torch
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for _ in range(warm):
            call()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(calls):
            call()
    return graph


def span_us(call: Callable[[], Any], times: int = 1) -> float:
    """Between two events around so many calls, of one."""
    import torch
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    begin.record()
    for _ in range(times):
        call()
    end.record()
    end.synchronize()
    return begin.elapsed_time(end) * 1000 / times


def median_us(call: Callable[[], Any], runs: int) -> float:
    call()
    return statistics.median(span_us(call) for _ in range(runs))


def device_name() -> str:
    return subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"], capture_output=True, text=True).stdout.strip()
