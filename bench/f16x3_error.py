#!/usr/bin/env python3
"""`.math(f16x3)` against PyTorch's FP32 product: time, error against FP64, growth of the error with K, and what tiles and the
promotion interval cost. Needs a GPU with torch, nvcc, g++, CUTLASS headers and a build (make build); about 4 minutes on 16 cores.

    python3 bench/f16x3_error.py [--build build] [--jobs 14] [--work FOLDER] [--only shapes,growth,...] -o bench/results/h200_f16x3.json

Errors are two numbers: the norm of the difference over the norm of FP64's result, and the largest difference over sum |a||b|,
which check/f16x3.h bounds. Times are of alternating blocks, medians; ours include splitting both operands."""
from __future__ import annotations

import argparse
import concurrent.futures
import importlib.util
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Callable

ROOT = Path(__file__).resolve().parent.parent
# name: L, M, N, K, B as [N, K] (linear) or [K, N] (gemm)
SHAPES = {
    "square 1024": (1, 1024, 1024, 1024, "linear"),
    "square 2048": (1, 2048, 2048, 2048, "gemm"),
    "square 4096": (1, 4096, 4096, 4096, "gemm"),
    "square 4096 linear": (1, 4096, 4096, 4096, "linear"),
    "square 8192": (1, 8192, 8192, 8192, "linear"),
    "projection 1024x8192x8192": (1, 1024, 8192, 8192, "linear"),
    "projection 4096x11008x4096": (1, 4096, 11008, 4096, "linear"),
    "decode 64x8192x8192": (1, 64, 8192, 8192, "linear"),
    "tall 32768x256x256": (1, 32768, 256, 256, "gemm"),
    "odd 8205x5920x2949": (1, 8205, 5920, 2949, "gemm"),
    "long K 256x256x131072": (1, 256, 256, 131072, "gemm"),
    "batched 32x512x512x1024": (32, 512, 512, 1024, "gemm"),
}
KINDS = ["uniform", "normal", "linear-init", "wide spread", "denormal"]
GROWTH = [1024, 4096, 16384, 65536, 262144]
TILES = ["128x192x64 cooperative 2x1", "128x192x64 cooperative 1x2", "128x128x64 cooperative 2x1", "256x96x64 cooperative 2x1",
         "64x192x64 pingpong 2x1", "64x128x64 pingpong 2x1", "128x96x64 pingpong 2x1"]
WEIGHTS = ["square 4096 linear", "projection 1024x8192x8192"]  # again with the weight split once, when it is loaded
# Knobs that other schedules need, and the same shape without them.
SCHEDULES = {
    "256x256x131072 persistent": ((1, 256, 256, 131072, "linear"), ".tile(128x128x64).schedule(cooperative)"),
    "256x256x131072 stream_k": ((1, 256, 256, 131072, "linear"), ".tile(128x128x64).schedule(cooperative).scheduler(stream_k)"),
    "1024 pdl off": ((1, 1024, 1024, 1024, "linear"), ".tile(64x128x64).schedule(pingpong)"),
    "1024 pdl on": ((1, 1024, 1024, 1024, "linear"), ".tile(64x128x64).schedule(pingpong).pdl(on)"),
}
INTERVALS = [4, 8, 16, 32, 64, 1 << 30]


def program(l: int, m: int, n: int, k: int, form: str, knobs: str = "") -> str:
    batch = f"{l}, " if l > 1 else ""
    b = f"{batch}{n}, {k}" if form == "linear" else f"{batch}{k}, {n}"
    call = "linear(a, b)" if form == "linear" else "gemm(a, b)"
    return f"target sm_90a\ninput a: f32[{batch}{m}, {k}]\ninput b: f32[{b}]\nc = {call}.math(f16x3){knobs}\nreturn c\n"


def with_weight(l: int, m: int, n: int, k: int, form: str) -> str:
    return f'target sm_90a\ninput a: f32[{m}, {k}]\nparam b: f32[{n}, {k}] = "b"\nc = linear(a, prepack(b)).math(f16x3)\nreturn c\n'


def knobs_of(tile: str) -> str:
    shape, schedule, cluster = tile.split()
    return f".tile({shape}).schedule({schedule}).cluster({cluster})"


# ---- building

def run(argv: list[Any], **more: Any) -> str:
    done = subprocess.run([str(a) for a in argv], capture_output=True, text=True, **more)
    if done.returncode != 0:
        raise RuntimeError(f"{argv[0]}: {(done.stderr or done.stdout)[-1500:]}")
    return done.stdout


def compile_one(name: str, text: str, options: argparse.Namespace, *more: str) -> Path:
    folder = Path(options.work) / re.sub(r"\W+", "_", name)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "program.uc").write_text(text)
    run([f"{options.build}/ucutlass", "compile", folder / "program.uc", "-o", folder, "--emit", "torch,cu", *more],
        env={**os.environ, "UCUTLASS_JOBS": "1", "UCUTLASS_CACHE": str(Path(options.work) / "cache")})
    return folder


def compile_all(programs: dict[str, str], options: argparse.Namespace) -> tuple[dict[str, Path], dict[str, str]]:
    """Folders by name, and what failed. Programs with the same kernel wait for the first of them."""
    built: dict[str, Path] = {}
    failed: dict[str, str] = {}

    def each(names: list[str], *more: str) -> None:
        jobs = {name: pool.submit(compile_one, name, programs[name], options, *more) for name in names}
        for name, job in jobs.items():
            try:
                built[name] = job.result()
            except RuntimeError as error:
                failed[name] = str(error)

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        each(list(programs), "--no-build")
        kernels = {next(built[name].glob("uck_*.cu")).stem: name for name in programs if name not in failed}
        each(list(kernels.values()))
        each([name for name in programs if name not in failed and name not in kernels.values()])
        if "square 4096 linear" in built and "intervals" in options.only:
            later = {f"interval {i}": pool.submit(with_interval, built["square 4096 linear"], i, options) for i in INTERVALS}
            for name, job in later.items():
                try:
                    built[name] = job.result()
                except (RuntimeError, StopIteration, OSError) as error:
                    failed[name] = repr(error)
    return {name: folder for name, folder in built.items() if name not in failed}, failed


def with_interval(folder: Path, interval: int, options: argparse.Namespace) -> Path:
    """The program with another promotion interval: a number in the host half, so the device half stays as it is."""
    out = Path(f"{folder}_promoted_{interval}")
    shutil.copytree(folder, out, dirs_exist_ok=True)
    log = next((Path(options.work) / "cache/kernels").glob(next(folder.glob("uck_*.cu")).stem[4:] + "-*/host.log"))
    command = log.read_text().splitlines()[0].split()
    host = next(out.glob("uck_*_host.cpp"))
    host.write_text(re.sub(r"mma_promotion_interval = \d+", f"mma_promotion_interval = {interval}", host.read_text()))
    run(command[:-4] + ["-c", host.name, "-o", "host.o"], cwd=out)
    library = next(out.glob("ucutlass_*.so"))
    includes = [f for f in command if f.startswith("-I") and "cuda" in f]
    run([command[0], "-std=c++17", "-O2", "-w", "-fPIC", "-shared", "-fvisibility=hidden", "-I.", *includes, f"-Wa,-I{log.parent}",
         next(out.glob("ucutlass_*.cpp")).name, "host.o", "-ldl", "-o", library.name], cwd=out)
    return out


def model(folder: Path) -> Any:
    """The program's module. Its operator gets a name of its own: two folders may hold the same program."""
    generated = next(p for p in folder.glob("ucutlass_*.py"))
    path = folder / f"module_{folder.name}.py"
    path.write_text(generated.read_text().replace("ucutlass::program_", f"ucutlass::{folder.name.lower()}_"))
    spec = importlib.util.spec_from_file_location(folder.name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module.ModelNew()


# ---- measuring

def draw(kind: str, shape: tuple[int, ...], k: int, seed: int, second: bool = False) -> Any:
    import torch
    g = torch.Generator("cuda").manual_seed(seed)
    normal = lambda: torch.randn(shape, device="cuda", generator=g)
    if kind == "uniform":
        return torch.rand(shape, device="cuda", generator=g)
    if kind == "linear-init" and second:  # what nn.Linear starts with
        return (torch.rand(shape, device="cuda", generator=g) * 2 - 1) / k ** 0.5
    if kind == "wide spread":
        return torch.ldexp(normal(), torch.randint(-20, 21, shape, device="cuda", generator=g))
    if kind == "denormal":  # times large numbers: the results are ordinary
        return normal() * 2.0 ** 60 if second else normal() * 2.0 ** -100 * 2.0 ** -35
    return normal()


def errors(got: Any, a: Any, b: Any, want: Any, magnitude: Any) -> dict[str, float]:
    difference = (got.double() - want).abs_()
    return {"norm": (difference.norm() / want.norm()).item(), "largest": (difference / magnitude.clamp_min(1e-300)).max().item()}


def operands(shape: tuple, kind: str, seed: int) -> tuple[Any, Any, Any]:
    l, m, n, k, form = shape
    batch = (l,) if l > 1 else ()
    a = draw(kind, (*batch, m, k), k, seed)
    b = draw(kind, (*batch, n, k) if form == "linear" else (*batch, k, n), k, seed + 1, second=True)
    return a, b, b.transpose(-1, -2) if form == "linear" else b


def compare(module: Any, shape: tuple, kinds: list[str]) -> dict[str, Any]:
    import torch
    out = {}
    for seed, kind in enumerate(kinds):
        a, b, right = operands(shape, kind, 100 * seed)
        want = a.double() @ right.double()
        magnitude = a.double().abs() @ right.double().abs()
        out[kind] = {"f16x3": errors(module(a, b), a, b, want, magnitude), "f32": errors(a @ right, a, b, want, magnitude)}
        del want, magnitude
    torch.cuda.empty_cache()
    return out


def repeated(f: Callable[[], Any], target_ms: float) -> tuple[Callable[[], Any], int]:
    """Calls in one CUDA graph, so that launching from Python does not count; and how many."""
    import torch
    for _ in range(2):
        f()
    torch.cuda.synchronize()
    begin = time.perf_counter()
    f()
    torch.cuda.synchronize()
    count = max(1, min(50, int(target_ms / 1e3 / max(1e-6, time.perf_counter() - begin))))
    graph = torch.cuda.CUDAGraph()
    try:
        with torch.cuda.graph(graph):
            for _ in range(count):
                f()
        return graph.replay, count
    except RuntimeError as error:
        print(f"not in a graph: {str(error).splitlines()[0]}", flush=True)
        return lambda: [f() for _ in range(count)], count


def timed(functions: list[Callable[[], Any]], blocks: int = 9, target_ms: float = 20.0) -> list[float]:
    """Microseconds a call, medians over blocks that alternate."""
    import torch
    graphs = [repeated(f, target_ms) for f in functions]
    times: list[list[float]] = [[] for _ in functions]
    for block in range(blocks + 1):
        for i, (replay, count) in enumerate(graphs):
            first, last = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            first.record()
            replay()
            last.record()
            last.synchronize()
            if block > 0:
                times[i].append(first.elapsed_time(last) * 1e3 / count)
    return [statistics.median(t) for t in times]


def kernel_times(module: Any, a: Any, b: Any) -> dict[str, float]:
    """Microseconds of each device function, by name: parts in order."""
    from torch.profiler import ProfilerActivity, profile
    import torch
    for _ in range(3):
        module(a, b)
    torch.cuda.synchronize()
    with profile(activities=[ProfilerActivity.CUDA]) as seen:
        for _ in range(10):
            module(a, b)
        torch.cuda.synchronize()
    rows = [(e.key, e.self_device_time_total / 10) for e in seen.key_averages() if e.key.startswith("uck_")]
    return dict(sorted(rows, key=lambda row: (len(row[0]), row[0])))


def of_shapes(built: dict[str, Path]) -> dict[str, Any]:
    out = {}
    print(f"{'shape':28} {'f16x3 us':>9} {'f32 us':>9} {'speedup':>7} {'TFLOP/s':>8}  parts us   error norm f16x3 / f32 for {', '.join(KINDS)}")
    for name, shape in SHAPES.items():
        module = model(built[name])
        l, m, n, k, _ = shape
        a, b, right = operands(shape, "normal", 1)
        ours, theirs = timed([lambda: module(a, b), lambda: a @ right])
        row = {"shape": shape, "us": ours, "f32_us": theirs, "speedup": theirs / ours, "tflops": 2 * l * m * n * k / ours / 1e6,
               "parts_us": kernel_times(module, a, b), "errors": compare(module, shape, KINDS)}
        out[name] = row
        parts = "+".join(f"{t:.0f}" for t in row["parts_us"].values())
        told = "  ".join(f"{e['f16x3']['norm']:.1e}/{e['f32']['norm']:.1e}" for e in row["errors"].values())
        print(f"{name:28} {ours:9.1f} {theirs:9.1f} {theirs / ours:7.2f} {row['tflops']:8.1f}  {parts:10} {told}", flush=True)
    return out


def of_growth(built: dict[str, Path]) -> dict[str, Any]:
    out = {}
    print(f"{'K':>8}  error norm f16x3 / f32, largest over sum |a||b| f16x3 / f32: uniform, normal")
    for k in GROWTH:
        found = compare(model(built[f"growth {k}"]), (1, 256, 256, k, "linear"), ["uniform", "normal"])
        out[k] = found
        print(f"{k:8}  " + "   ".join(f"{e['f16x3']['norm']:.2e}/{e['f32']['norm']:.2e} {e['f16x3']['largest']:.2e}/{e['f32']['largest']:.2e}"
                                       for e in found.values()), flush=True)
    return out


def of_variants(built: dict[str, Path], shapes: dict[str, tuple], kinds: list[str]) -> dict[str, Any]:
    out = {}
    for name, shape in shapes.items():
        if name not in built:
            continue
        l, m, n, k, _ = shape
        a, b, _ = operands(shape, "normal", 1)
        module = model(built[name])
        us = timed([lambda: module(a, b)])[0]
        found = compare(module, shape, kinds)
        out[name] = {"us": us, "tflops": 2 * l * m * n * k / us / 1e6, "parts_us": kernel_times(module, a, b), "errors": found}
        told = "  ".join(f"{kind} {e['f16x3']['norm']:.2e}" for kind, e in found.items())
        print(f"{name:40} {us:8.1f} us {out[name]['tflops']:7.1f} TFLOP/s  parts {'+'.join(f'{t:.0f}' for t in out[name]['parts_us'].values())}  {told}", flush=True)
    return out


def of_weights(built: dict[str, Path]) -> dict[str, Any]:
    out = {}
    for name in WEIGHTS:
        module = model(built[f"weight {name}"])
        l, m, n, k, _ = SHAPES[name]
        a, b, right = operands(SHAPES[name], "normal", 1)
        module.b.copy_(b)  # a change that the module sees: the weight is split again
        error = errors(module(a), a, b, a.double() @ right.double(), a.double().abs() @ right.double().abs())
        us = timed([lambda: module(a)])[0]
        out[name] = {"us": us, "tflops": 2 * m * n * k / us / 1e6, "parts_us": kernel_times(lambda x, _: module(x), a, b), "error": error}
        print(f"prepacked weight, {name:28} {us:9.1f} us {out[name]['tflops']:7.1f} TFLOP/s  "
              f"parts {'+'.join(f'{t:.0f}' for t in out[name]['parts_us'].values())}  {error['norm']:.1e}", flush=True)
    return out


def of_edges(built: dict[str, Path]) -> dict[str, Any]:
    """Lines that are zero, tiny, huge, infinite or not numbers, beside ordinary ones."""
    import torch
    module = model(built["square 1024"])
    a, b, right = operands((1, 1024, 1024, 1024, "linear"), "normal", 3)
    for line, value in enumerate([0.0, 2.0 ** -140, 2.0 ** 120, float("inf"), float("nan")]):
        a[line] *= 0.0
        a[line, 5::7] = value
    b[2] *= 2.0 ** -120
    b[3] = 0.0
    got, want = module(a, b), (a.double() @ right.double())
    finite = want.abs() < 3.4e38
    same = (torch.isfinite(got) == finite) | (want.abs() > 3.3e38)
    close = (got.double() - want).abs() <= 1e-5 * (a.double().abs() @ right.double().abs()) + 2.0 ** -149
    result = {"not finite where f64 is": int((~same).sum()), "beyond 1e-5 of sum |a||b|": int((~close & finite & torch.isfinite(got)).sum())}
    print("edges:", result, flush=True)
    return result


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=str(ROOT / "build"))
    parser.add_argument("--jobs", type=int, default=14)
    parser.add_argument("--work", default="/tmp/ucutlass-f16x3")
    parser.add_argument("--only", default="shapes,weights,growth,tiles,schedules,intervals,edges")
    parser.add_argument("-o", "--out", default="")
    options = parser.parse_args()
    parts = options.only.split(",")
    programs = {name: program(*shape) for name, shape in SHAPES.items()}
    programs |= {f"growth {k}": program(1, 256, 256, k, "linear", knobs_of("128x128x64 cooperative 1x1")) for k in GROWTH}
    if "tiles" in parts:
        programs |= {f"tile {tile}": program(1, 4096, 4096, 4096, "linear", knobs_of(tile)) for tile in TILES}
    if "schedules" in parts:
        programs |= {name: program(*shape, knobs) for name, (shape, knobs) in SCHEDULES.items()}
    if "weights" in parts:
        programs |= {f"weight {name}": with_weight(*SHAPES[name]) for name in WEIGHTS}
    begin = time.time()
    built, failed = compile_all(programs, options)
    for name, why in failed.items():
        print(f"{name}: {why}")
    print(f"built {len(built)} programs in {time.time() - begin:.0f} s", flush=True)
    import torch
    torch.backends.cuda.matmul.allow_tf32 = False
    record: dict[str, Any] = {"gpu": torch.cuda.get_device_name(), "torch": torch.__version__, "failed": failed}
    for part, measure in [("shapes", lambda: of_shapes(built)), ("weights", lambda: of_weights(built)), ("growth", lambda: of_growth(built)),
                          ("tiles", lambda: of_variants(built, {f"tile {t}": SHAPES["square 4096 linear"] for t in TILES}, ["normal"])),
                          ("schedules", lambda: of_variants(built, {name: shape for name, (shape, _) in SCHEDULES.items()}, ["normal"])),
                          ("intervals", lambda: of_variants(built, {f"interval {i}": SHAPES["square 4096 linear"] for i in INTERVALS}, ["uniform", "normal"])),
                          ("edges", lambda: of_edges(built))]:
        if part in parts:
            try:
                record[part] = measure()
            except (KeyError, RuntimeError) as error:
                record[part] = {"failed": str(error)}
                print(f"{part}: {error}", flush=True)
    record["seconds"] = round(time.time() - begin)
    if options.out:
        Path(options.out).write_text(json.dumps(record, indent=1) + "\n")
    print(f"{record['seconds']} s in all")
    return 0 if not failed else 1


if __name__ == "__main__":
    sys.exit(main())
