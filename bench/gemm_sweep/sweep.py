#!/usr/bin/env python3
"""Times every legal member of the default knob grid, shape by shape, against cuBLASLt's best, on this machine's GPU.

    python3 bench/gemm_sweep/sweep.py --type f16 -o bench/results/h200_gemm_grid_f16.json [--shapes all|SMALL] [--jobs 15] [--build build]

y = x W^T with x [M, K] and W [N, K], as torch.nn.Linear. The grid is that of `ucutlass explain`, with every cluster; kernels do
not depend on sizes, so each is compiled once. Both sides are timed as CUDA graphs of launches, caches warm; the best three of ours
and cuBLASLt's best of its 16 candidates are then timed in turns. Needs nvcc, the CUTLASS headers and a build."""
from __future__ import annotations

import argparse
import concurrent.futures
import datetime
import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
SHAPES = [
    # square
    (512, 512, 512), (1024, 1024, 1024), (2048, 2048, 2048), (4096, 4096, 4096), (8192, 8192, 8192), (16384, 16384, 16384),
    # projections of language models: tokens x features out x features in
    (2048, 4096, 4096), (4096, 4096, 4096 * 4), (4096, 12288, 4096), (4096, 11008, 4096), (4096, 4096, 11008), (8192, 5120, 5120),
    (8192, 13824, 5120), (8192, 5120, 13824), (2048, 8192, 8192), (4096, 28672, 8192), (4096, 8192, 28672), (2048, 1280, 8192),
    # decode: few tokens
    (1, 4096, 4096), (16, 4096, 4096), (16, 8192, 28672), (32, 11008, 4096), (64, 4096, 11008), (64, 8192, 8192), (128, 4096, 4096), (256, 12288, 4096),
    # skinny, small and large K
    (32768, 256, 1024), (256, 32768, 1024), (8192, 64, 8192), (32768, 128, 128), (16384, 16384, 64), (16384, 16384, 128), (256, 256, 131072), (1024, 1024, 32768),
    # odd
    (1000, 1000, 1000), (1024, 8192, 8184), (2312, 2312, 2312), (4104, 4104, 4104), (5000, 3000, 2000), (777, 1544, 3080),
]
CLUSTERS = ("1x1", "2x1", "1x2", "2x2", "4x1", "1x4")
KEYS = {"raster": {"auto": 0, "along_m": 1, "along_n": 2}}


def program(kind: str, m: int, n: int, k: int, knobs: str = "") -> str:
    dtype = "f32" if kind == "tf32" else kind
    return (f"target sm_90a\n{'precision tf32' if kind == 'tf32' else ''}\ninput x: {dtype}[{m}, {k}]\ninput W: {dtype}[{n}, {k}]\n"
            f"y = linear(x, W){knobs}\nreturn y\n")


def explain(options: argparse.Namespace, shape: tuple[int, int, int], knobs: str = "", limit: int = 1000) -> list[dict[str, Any]]:
    done = subprocess.run([f"{options.build}/ucutlass", "explain", "-", "--json", "--limit", str(limit)], input=program(options.type, *shape, knobs),
                          capture_output=True, text=True)
    return json.loads(done.stdout)["steps"][0]["ranked"] if done.returncode == 0 else []


def knob(text: str, name: str) -> str | None:
    found = re.search(rf"\.{name}\(([^)]*)\)", text)
    return found.group(1) if found else None


def kernel_of(knobs: str) -> str:
    """The knobs that are part of the kernel; the others are arguments."""
    return re.sub(r"\.(raster|swizzle|split|math)\([^)]*\)", "", knobs)


def members(options: argparse.Namespace, shape: tuple[int, int, int]) -> list[dict[str, Any]]:
    listed = explain(options, shape)
    rows = {row["knobs"]: row for row in listed if row["backend"].startswith("cutlass3")}
    for base in sorted({".tile({}).schedule({})".format(knob(row, "tile"), knob(row, "schedule")) for row in rows}):
        for cluster in CLUSTERS:
            for row in explain(options, shape, base + f".cluster({cluster})", 1):
                rows.setdefault(row["knobs"], {**row, "extra": True})
    best = sorted(rows.values(), key=lambda r: r["us"])[:3]
    for row in best:
        for raster in ("along_m", "along_n"):
            for swizzle in (1, 2, 4, 8):
                text = re.sub(r"\.swizzle\([^)]*\)", f".swizzle({swizzle})", re.sub(r"\.raster\([^)]*\)", f".raster({raster})", row["knobs"]))
                rows.setdefault(text, {**row, "knobs": text, "order": True})
    return [{**row, "rank": i, "listed": row in listed} for i, row in enumerate(sorted(rows.values(), key=lambda r: r["us"]))]


def compile_one(options: argparse.Namespace, knobs: str) -> tuple[str, str, float] | None:
    begin = time.time()
    folder = Path(options.work) / re.sub(r"\W+", "_", knobs)
    done = subprocess.run([f"{options.build}/ucutlass", "compile", "-", "-o", folder, "--emit", "header"], input=program(options.type, 4096, 4096, 4096, knobs),
                          capture_output=True, text=True)
    if done.returncode != 0:
        print(f"{knobs}: {done.stderr[-400:]}", file=sys.stderr)
        return None
    manifest = json.loads(next(folder.glob("ucutlass_*.json")).read_text())
    return knobs, manifest["kernels"][0]["hash"], time.time() - begin


def link(options: argparse.Namespace, hashes: list[str]) -> Path:
    cache = Path(os.environ.get("UCUTLASS_CACHE", Path.home() / ".cache/ucutlass"))
    declare, rows, objects, includes = "", "", [], []
    for i, name in enumerate(hashes):
        folder = next(iter(cache.glob(f"kernels/{name}-*/{name}.cubin"))).parent
        declare += (f'asm(".pushsection .rodata\\n.balign 64\\nuck_{name}_cubin:\\n.incbin \\"{name}.cubin\\"\\n.popsection\\n");\n'
                    f'extern "C" {{ extern const unsigned char uck_{name}_cubin[] __attribute__((visibility("hidden")));\n'
                    f"int64_t uck_{name}_scratch(const uck_gemm*);\nint uck_{name}_params_bytes(int);\nvoid uck_{name}_shape(int, uck_geometry*);\n"
                    f"int uck_{name}_prepare(const uck_gemm*, int, void*, uck_geometry*); }}\n")
        rows += f'  {{"uck_{name}", uck_{name}_cubin, 1, {i}, uck_{name}_scratch, uck_{name}_params_bytes, uck_{name}_shape, uck_{name}_prepare}},\n'
        objects.append(folder / f"{name}.o")
        includes.append(f"-Wa,-I{folder}")
    work = Path(options.work)
    text = (HERE / "kernels.cpp.in").read_text().replace("@DECLARE@", declare).replace("@KERNELS@", rows).replace("@FUNCTIONS@", str(len(hashes)))
    (work / "kernels.cpp").write_text(text)
    templates, cuda = ROOT / "src/emit/templates", os.environ.get("CUDA_HOME", "/usr/local/cuda")
    shutil.copyfile(ROOT / "include/ucutlass/abi.h", work / "uc_abi.h")
    subprocess.run(["g++", "-std=c++17", "-O2", "-w", "-fPIC", "-shared", "-fvisibility=hidden", f"-I{templates}", f"-I{work}", f"-I{cuda}/include", *includes,
                    work / "kernels.cpp", *objects, "-ldl", "-o", work / "kernels.so"], check=True)
    subprocess.run(["nvcc", "-O2", "-std=c++17", "-arch=sm_90a", HERE / "sweep.cu", "-o", work / "sweep", "-lcublasLt", "-ldl"], check=True)
    return work / "kernels.so"


def tasks_of(shapes: list[tuple[int, int, int]], rows: dict[tuple[int, int, int], list[dict[str, Any]]], index: dict[str, int]) -> str:
    out = ""
    for shape in shapes:
        out += "shape {} {} {}\n".format(*shape)
        for i, row in enumerate(rows[shape]):
            kernel = index.get(kernel_of(row["knobs"]))
            if kernel is not None:
                out += f"run {i} {kernel} {KEYS['raster'][knob(row['knobs'], 'raster') or 'auto']} {knob(row['knobs'], 'swizzle') or 1} {knob(row['knobs'], 'split') or 0}\n"
    return out


def summary(shape: tuple[int, int, int], rows: list[dict[str, Any]], result: dict[str, Any]) -> dict[str, Any]:
    timed = []
    for i, row in enumerate(rows):
        us, error = result["runs"].get(str(i), (0, 0))
        timed.append({"knobs": row["knobs"], "listed": row["listed"], "us": us, "error": error})
    right = [t for t in timed if t["us"] > 0 and 0 <= t["error"] < 2e-2]
    best = min(right, key=lambda t: t["us"])
    listed = [t for t in right if t["listed"]]
    finals = result["finals"]
    ours = min(us for name, us in finals.items() if not name.startswith("cublaslt"))
    vendor = min(us for name, us in finals.items() if name.startswith("cublaslt"))
    flops = 2.0 * shape[0] * shape[1] * shape[2]
    return {"m": shape[0], "n": shape[1], "k": shape[2], "us": ours, "cublaslt_us": vendor, "cublaslt_first_us": finals["cublaslt_first"], "ratio": round(vendor / ours, 4),
            "tflops": round(flops / ours / 1e6, 1), "best": best["knobs"], "first_of_model": round(best["us"] / listed[0]["us"], 4),
            "eight_of_model": round(best["us"] / min(t["us"] for t in listed[:8]), 4), "wrong": sum(t["us"] > 0 and not 0 <= t["error"] < 2e-2 for t in timed), "worst_error": max(t["error"] for t in right),
            "grid": timed}


def compact(table: list[dict[str, Any]]) -> list[str]:
    """Replaces each grid by rows [kernel, raster, swizzle, us] and returns the kernels that they count."""
    kernels = sorted({kernel_of(t["knobs"]) for shape in table for t in shape["grid"]})
    at = {knobs: i for i, knobs in enumerate(kernels)}
    for shape in table:
        shape["grid"] = [[at[kernel_of(t["knobs"])], KEYS["raster"][knob(t["knobs"], "raster") or "auto"], int(knob(t["knobs"], "swizzle") or 1), t["us"]]
                         for t in shape["grid"]]
    return kernels


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--type", choices=["f16", "bf16", "tf32"], default="f16")
    parser.add_argument("--build", default=str(ROOT / "build"))
    parser.add_argument("--work", default="/tmp/gemm_sweep")
    parser.add_argument("--jobs", type=int, default=max(1, (os.cpu_count() or 2) - 1))
    parser.add_argument("--shapes", default="", help="indices into the list, e.g. 0,3,18")
    parser.add_argument("--commit", default="")
    parser.add_argument("-o", "--out", required=True)
    options = parser.parse_args()
    Path(options.work).mkdir(parents=True, exist_ok=True)
    shapes = [SHAPES[int(i)] for i in options.shapes.split(",")] if options.shapes else SHAPES
    begin = time.time()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        rows = dict(zip(shapes, pool.map(lambda shape: members(options, shape), shapes)))
        kernels = sorted({kernel_of(row["knobs"]) for each in rows.values() for row in each})
        print(f"{len(kernels)} kernels for {sum(map(len, rows.values()))} members, {time.time() - begin:.0f} s", flush=True)
        built = [each for each in pool.map(lambda knobs: compile_one(options, knobs), kernels) if each]
    seconds = sorted(each[2] for each in built)
    print(f"built {len(built)} in {time.time() - begin:.0f} s, median {seconds[len(seconds) // 2]:.1f} s each", flush=True)
    hashes = sorted({each[1] for each in built})
    library = link(options, hashes)
    index = {knobs: hashes.index(name) for knobs, name, _ in built}
    with open(Path(options.work) / "sweep.err", "w") as log:
        done = subprocess.run([Path(options.work) / "sweep", library, options.type], input=tasks_of(shapes, rows, index), stdout=subprocess.PIPE, stderr=log, text=True)
    print(f"measured, {time.time() - begin:.0f} s, exit code {done.returncode}", flush=True)
    results = [json.loads(line) for line in done.stdout.splitlines()]
    table = [summary((r["m"], r["n"], r["k"]), rows[(r["m"], r["n"], r["k"])], r) for r in results]
    for t in table:
        print(f"{t['m']:>6} {t['n']:>6} {t['k']:>6} {t['us']:>10.2f} us {t['tflops']:>6.1f} TFLOP/s  cuBLASLt {t['cublaslt_us']:>10.2f} us  x {t['ratio']:.3f}  auto {t['first_of_model']:.3f} "
              f"of 8 {t['eight_of_model']:.3f}  wrong {t['wrong']}  {t['best']}")
    product = 1.0
    for t in table:
        product *= t["ratio"]
    geomean = product ** (1 / max(1, len(table)))
    print(f"{len(table)} shapes, geomean {geomean:.4f}, least {min(t['ratio'] for t in table):.3f}")
    device = subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version,clocks.sm,clocks.max.sm,power.limit", "--format=csv,noheader"], capture_output=True, text=True).stdout.strip()
    document = {"what": "default knob grid against cuBLASLt", "type": options.type, "device": device, "date": datetime.date.today().isoformat(), "commit": options.commit,
                "command": f"python3 bench/gemm_sweep/sweep.py --type {options.type}", "build_s_median": seconds[len(seconds) // 2], "geomean": round(geomean, 4), "kernels": compact(table), "shapes": table}
    Path(options.out).write_text(json.dumps(document, separators=(",", ":")).replace('{"m":', '\n{"m":') + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
