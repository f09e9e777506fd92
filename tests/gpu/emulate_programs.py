#!/usr/bin/env python3
"""Runs programs of convolutions and pointwise steps on the CPU through the code that was emitted for the GPU: tables, host halves,
expressions, widths of accesses, iterators and epilogues are those of the build; only CUTLASS's instructions and exchanges are not.
Kernels of other kinds are not emulated. Needs g++, CUTLASS's and CUDA's headers, torch and numpy, and no GPU.

    python3 tests/gpu/emulate_programs.py [--build build] [--cutlass FOLDER] [--cuda /usr/local/cuda] [--jobs N] [--work FOLDER] [PROGRAM.uc | FOLDER ...]

Default: tests/gpu/programs/conv. Exit code 0: all that can be emulated is right."""
from __future__ import annotations

import argparse
import concurrent.futures
import ctypes
import importlib.util
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from run_programs import ROOT, difference, load_array, name_of, programs_in, tolerance_of

BEGIN = """#define UC_HOST_HALF
#include "uc_host_shim.h"
#include "{kernel}.cu"
#include "emulate_conv2.h"
"""
CONV2 = """extern "C" void emulate_{kernel}(const void* params, const unsigned* grid) {{
  using namespace {kernel}_types;
  for (unsigned block = 0; block < grid[0]; ++block)
    emulate::compute<Kernel, Visitor, typename Base::Epilogue::OutputTileIterator>(*static_cast<const typename Kernel::Params*>(params), int(block));
}}
"""
CONV2_SUM = """extern "C" void emulate_{kernel}_1(const void* params, const unsigned* grid) {{
  gridDim.x = grid[0];
  for (blockIdx.x = 0; blockIdx.x < grid[0]; ++blockIdx.x)
    for (threadIdx.x = 0; threadIdx.x < grid[3]; ++threadIdx.x)
      {kernel}_types::Reduction::run(*static_cast<const typename {kernel}_types::Reduction::Params*>(params));
  blockIdx.x = threadIdx.x = 0;
}}
"""
DIRECT = """#define UC_HOST_HALF
#include "{kernel}.cu"
extern "C" void emulate_{kernel}(const void* params, const unsigned* grid) {{
  using Kernel = {kernel}_types::Kernel;
  for (unsigned image = 0; image < grid[1]; ++image)
    for (unsigned block = 0; block < grid[0]; ++block)
      for (unsigned thread = 0; thread < grid[3]; ++thread)
        Kernel::run(*static_cast<const typename Kernel::Params*>(params), block, grid[0], thread, image, grid[1]);
}}
"""
MAP = """#include "uc_host_shim.h"
#undef __launch_bounds__
#define __launch_bounds__(threads)
#undef __grid_constant__
#define __grid_constant__
#define UC_SHARED(name, bytes) alignas(16) static char name[bytes]
struct Waits {{}};
static bool until_all_wait;
static void wait_for_all() {{
  if (until_all_wait) throw Waits();
}}
#define __syncthreads wait_for_all
#include "{kernel}.cu"
// Threads wait for each other once at most: all come to there, then all begin again and go on.
extern "C" void emulate_{kernel}(const void* params, const unsigned* grid) {{
  blockDim.x = grid[3];
  for (blockIdx.y = 0; blockIdx.y < grid[1]; ++blockIdx.y)
    for (blockIdx.x = 0; blockIdx.x < grid[0]; ++blockIdx.x)
      for (int times = {times}; times-- > 0;)
        for (threadIdx.x = 0; threadIdx.x < grid[3]; ++threadIdx.x) try {{
            until_all_wait = times > 0;
            {kernel}(*static_cast<const uck_map*>(params));
          }} catch (Waits) {{
          }}
  blockIdx.x = blockIdx.y = threadIdx.x = 0;
}}
"""


def emulation_of(source: str, kernel: str) -> str | None:
    if '"uc_conv2.cuh"' in source:
        tf32 = "float, cutlass::layout::RowMajor" in re.sub(r"\s+", " ", source) and "OpClassTensorOp" in source and "FastF32" not in source
        return ("#define UC_EMULATE_TF32\n" if tf32 else "") + (BEGIN + CONV2 + (CONV2_SUM if "uc2::Reduction" in source else "")).format(kernel=kernel)
    if '"uc_conv_direct.cuh"' in source:
        return DIRECT.format(kernel=kernel)
    return MAP.format(kernel=kernel, times=2 if "__syncthreads()" in source else 1) if "uck_map map" in source else None


def run(argv: list[Any], folder: Path | None = None) -> None:
    done = subprocess.run([str(each) for each in argv], capture_output=True, text=True, cwd=folder)
    if done.returncode != 0:
        raise RuntimeError((done.stderr or done.stdout)[-1500:])


def build(program: Path, options: argparse.Namespace) -> dict[str, Any]:
    folder = (Path(options.work) / name_of(program)).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*"):
        old.unlink()
    record = {"program": name_of(program), "folder": str(folder)}
    gxx = ["g++", "-std=c++17", "-O1", "-w", "-fpermissive", "-fPIC", "-DNDEBUG", "-I.", f"-I{ROOT}/tests/emit", f"-I{options.cuda}/include",
           f"-I{options.cuda}/include/cccl", f"-I{options.cutlass}/include", f"-I{options.cutlass}/tools/util/include"]
    try:
        run([f"{options.build}/ucutlass", "compile", program, "-o", folder, "--emit", "cu,torch", "--no-build"])
        run([f"{options.build}/tests/gpu/uc_answers", program, folder])
        objects, emulated = [], []
        for source in sorted(folder.glob("uck_*.cu")):
            kernel = source.stem
            text = emulation_of(source.read_text(), kernel)
            if text is None:
                return {**record, "verdict": "not emulated", "message": source.read_text().splitlines()[0]}
            (folder / f"{kernel}_emulated.cpp").write_text(text)
            (folder / f"{kernel.removeprefix('uck_')}.cubin").write_text(kernel)
            run([*gxx, "-c", f"{kernel}_emulated.cpp", "-o", f"{kernel}_emulated.o"], folder)
            emulated.append(f"{kernel}_emulated.o")
            if (folder / f"{kernel}_host.cpp").exists():
                run([*gxx, "-c", f"{kernel}_host.cpp", "-o", f"{kernel}_host.o"], folder)
                objects.append(f"{kernel}_host.o")
        glue = next(folder.glob("ucutlass_*.cpp"))
        run([*gxx, "-shared", "-fvisibility=hidden", glue.name, *objects, "-ldl", "-o", glue.with_suffix(".so").name], folder)
        run(["g++", "-shared", *emulated, "-o", "emulated.so"], folder)
    except RuntimeError as error:
        return {**record, "verdict": "does not build", "message": str(error)}
    return {**record, "verdict": "built"}


def judge(folder: Path) -> dict[str, Any]:
    import torch
    ctypes.CDLL(str(folder / "emulated.so"), mode=ctypes.RTLD_GLOBAL)
    form = next(path for path in folder.glob("ucutlass_*.py"))
    manifest = json.loads(form.with_suffix(".json").read_text())
    spec = importlib.util.spec_from_file_location(form.stem, form)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module._DEVICE_TYPE = "cpu"
    program = module._program
    tensors = {kind: [load_array(folder / f"{kind}_{i}.npy", row, "cpu") for i, row in enumerate(manifest[kind])] for kind in ("inputs", "params")}
    handle, packed_bytes, workspace_bytes = program.open(0)
    memory = [torch.full((n + 512,), 0x7F, dtype=torch.uint8) for n in (packed_bytes, workspace_bytes)]
    packed, workspace = ((m.data_ptr() + 255) // 256 * 256 for m in memory)
    outputs = [row.empty("cpu") for row in program.outputs]
    for out in outputs:
        out.fill_(77)
    slots = {"inputs": module._tell(program.inputs, tensors["inputs"]), "params": module._tell(program.params, tensors["params"]),
             "outputs": module._tell(program.outputs, outputs)}
    if packed_bytes:
        module._check(lambda m: program._api.prepack(handle, slots["params"], packed, workspace, workspace_bytes, None, m))
    module._check(lambda m: program._api.run(handle, slots["inputs"], slots["params"], packed, slots["outputs"], workspace, workspace_bytes, None, 0, None, m))
    worst = 0.0
    for i, (row, got) in enumerate(zip(manifest["outputs"], outputs)):
        worst = max(worst, difference(got, load_array(folder / f"results_{i}.npy", row, "cpu"), tolerance_of(manifest, row))[0])
    return {"verdict": "right" if worst <= 1 else "WRONG", "excess": round(worst, 4)}


def judged(record: dict[str, Any], options: argparse.Namespace) -> dict[str, Any]:
    if record["verdict"] != "built":
        return record
    done = subprocess.run([sys.executable, __file__, "--judge", record["folder"]], capture_output=True, text=True, timeout=900,
                          env={**os.environ, "LD_LIBRARY_PATH": options.driver})
    line = re.search(r"^RESULT (.*)$", done.stdout, re.M)
    return {**record, **json.loads(line[1])} if line else {**record, "verdict": "CRASHED", "message": done.stderr[-800:]}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="*")
    parser.add_argument("--build", default=str(ROOT / "build"))
    parser.add_argument("--cutlass", default=os.environ.get("UCUTLASS_CUTLASS_DIR", str(ROOT / "third_party/cutlass")))
    parser.add_argument("--cuda", default="/usr/local/cuda")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--work", default="build/emulated")
    parser.add_argument("--judge", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.judge:
        print("RESULT " + json.dumps(judge(Path(options.judge))))
        return 0
    driver = Path(options.work).resolve() / "driver"
    driver.mkdir(parents=True, exist_ok=True)
    options.driver = str(driver)
    run(["g++", "-shared", "-fPIC", "-O1", f"-I{options.cuda}/include", ROOT / "tests/gpu/emulate_cuda.cpp", "-ldl", "-o", driver / "libcuda.so.1"])
    programs = programs_in(options.programs or [str(ROOT / "tests/gpu/programs/conv")])
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        done = []
        for r in pool.map(lambda program: judged(build(program, options), options), programs):
            done.append(r)
            print(f"{r['program']:<40} {r['verdict']:<14} {r.get('excess', '')}", flush=True)
            if r.get("message") and r["verdict"] != "not emulated":
                print("    " + r["message"].replace("\n", "\n    "), flush=True)
    good = sum(r["verdict"] in ("right", "not emulated") for r in done)
    print(f"{good} of {len(done)} right or not emulated")
    return 0 if good == len(done) else 1


if __name__ == "__main__":
    sys.exit(main())
