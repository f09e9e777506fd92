#!/usr/bin/env python3
"""Builds programs, runs them on this machine's GPU and holds their results against the CPU executor's.

    python3 tests/gpu/run_programs.py [--build build] [--jobs N] [--work FOLDER] [-o table.json] [--tool "compute-sanitizer --tool memcheck"] [PROGRAM.uc | FOLDER ...]

Default: all of tests/emit/programs and tests/gpu/programs; a program with sets in its knobs stands for its legal members. Each program is compiled (nvcc), opened through its PyTorch module, run three times in
dirty memory, and must give the same bits each time and the executor's numbers within the tolerance of its types. A program's
first line may say `# tolerance: 1e-3` where the types do not tell. Exit code 0: all right; 1: some are not; 2: no program."""
from __future__ import annotations

import argparse
import concurrent.futures
import importlib.util
import json
import os
import shlex
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
FLOAT_TOLERANCE = {"f64": 1e-12, "f32": 2e-5, "f16": 5e-3, "bf16": 2e-2, "f8e4m3": 0.1, "f8e5m2": 0.2}
PRECISION_TOLERANCE = {"strict": 0.0, "tf32": 5e-3, "f16": 5e-3, "bf16": 2e-2, "f8": 0.1}
RAW = {"f16": "float16", "bf16": "bfloat16", "f8e4m3": "float8_e4m3fn", "f8e5m2": "float8_e5m2"}


def programs_in(paths: list[str]) -> list[Path]:
    found = []
    for path in map(Path, paths or [str(ROOT / "tests/emit/programs"), str(ROOT / "tests/gpu/programs")]):
        found += sorted(path.rglob("*.uc")) if path.is_dir() else [path]
    return found


def members_of(program: Path, options: argparse.Namespace) -> list[Path]:
    """A program whose knobs hold sets stands for several."""
    text = program.read_text()
    if "({" not in text and ", {" not in text:
        return [program]
    listed = subprocess.run([f"{options.build}/ucutlass", "expand", program, "--format", "json"], capture_output=True, text=True, check=True)
    folder = Path(options.work) / "members" / program.parent.name
    folder.mkdir(parents=True, exist_ok=True)
    found = []
    for i, member in enumerate(json.loads(listed.stdout)["members"]):
        if member["legal"]:
            found.append(folder / f"{program.stem}.{i}.uc")
            found[-1].write_text(member["program"])
    return found


def name_of(program: Path) -> str:
    return f"{program.parent.name}/{program.stem}"


# ---- building: one compiler a program

def prepare(program: Path, options: argparse.Namespace) -> dict[str, Any]:
    folder = Path(options.work) / name_of(program)
    folder.mkdir(parents=True, exist_ok=True)
    begin = time.time()
    record: dict[str, Any] = {"program": name_of(program), "folder": str(folder), "source": str(program)}
    for what, argv in [("compile", [f"{options.build}/ucutlass", "compile", program, "-o", folder, "--emit", "torch"]),
                       ("answers", [f"{options.build}/tests/gpu/uc_answers", program, folder])]:
        done = subprocess.run(argv, capture_output=True, text=True, env={**os.environ, "UCUTLASS_JOBS": "1"})
        if done.returncode != 0:
            return {**record, "verdict": f"{what} failed", "message": (done.stderr or done.stdout)[-1500:]}
    return {**record, "verdict": "built", "build_s": round(time.time() - begin, 1)}


# ---- running: a process takes programs until one of them takes it down

def load_array(path: Path, row: dict[str, Any], device: str = "cuda") -> Any:
    import numpy as np
    import torch
    array = np.load(path)
    if array.dtype.kind == "V" or (row["dtype"] in RAW and array.dtype.kind == "u"):
        tensor = torch.from_numpy(array.view(np.uint8 if array.dtype.itemsize == 1 else np.uint16).copy()).view(getattr(torch, RAW[row["dtype"]]))
    else:
        tensor = torch.from_numpy(array)
    placed = torch.empty_strided(row["shape"], row["stride"], dtype=tensor.dtype, device=device)
    return placed.copy_(tensor.reshape(row["shape"]))


def difference(got: Any, want: Any, tolerance: float) -> tuple[float, float]:
    """Worst element over the tolerance of the data's scale, and the relative error norm."""
    import torch
    if not want.is_floating_point():
        return (0.0, 0.0) if torch.equal(got, want) else (float("inf"), float("inf"))
    got, want = got.double(), want.double()
    same = (got == want) | (got.isnan() & want.isnan())
    finite = want.isfinite()
    norm = want[finite].square().mean().sqrt() if finite.any() else torch.zeros((), device=want.device, dtype=want.dtype)
    off = torch.where(same, 0.0, (got - want).abs() / (tolerance * (norm + want.abs()))).nan_to_num(nan=float("inf"))
    error = torch.where(same | ~finite, 0.0, got - want).square().mean().sqrt() / norm.clamp_min(1e-300)
    return (off.max().item() if off.numel() else 0.0), error.item()


def tolerance_of(manifest: dict[str, Any], row: dict[str, Any]) -> float:
    first = manifest["source"].splitlines()[0] if manifest.get("source") else ""
    if first.startswith("# tolerance:"):
        return float(first.split(":")[1])
    kinds = [r["dtype"] for key in ("inputs", "params") for r in manifest[key]] + [row["dtype"]]
    return max([PRECISION_TOLERANCE[manifest["precision"]]] + [FLOAT_TOLERANCE[k] for k in kinds if k in FLOAT_TOLERANCE])


def judge(record: dict[str, Any]) -> dict[str, Any]:
    import torch
    folder = Path(record["folder"])
    form = next(folder.glob("ucutlass_*.py"))
    manifest = json.loads(form.with_suffix(".json").read_text())
    spec = importlib.util.spec_from_file_location(form.stem, form)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    model = module.ModelNew()
    params = [load_array(folder / f"params_{i}.npy", row) for i, row in enumerate(manifest["params"])]
    for mine, given in zip(model._params(), params):
        mine.data = given
    inputs = [load_array(folder / f"inputs_{i}.npy", row) for i, row in enumerate(manifest["inputs"])]
    runs = []
    for byte in (0xFF, 0x00, 0x7F):
        module._program.workspace = lambda size, device, byte=byte: torch.full((size,), byte, dtype=torch.uint8, device=device)
        out = model(*inputs)
        torch.cuda.synchronize()
        runs.append([t.clone() for t in (out if isinstance(out, tuple) else (out,))])
    worst, error = 0.0, 0.0
    for i, (row, got) in enumerate(zip(manifest["outputs"], runs[0])):
        want = load_array(folder / f"results_{i}.npy", row)
        off, norm = difference(got, want, tolerance_of(manifest, row))
        worst, error = max(worst, off), max(error, norm)
    stable = all(torch.equal(*(x.contiguous().reshape(-1).view(torch.uint8) for x in (a, b))) for other in runs[1:] for a, b in zip(runs[0], other))
    verdict = "right" if worst <= 1 and stable else "WRONG" if worst > 1 else "UNSTABLE"
    return {**record, "verdict": verdict, "excess": round(worst, 4), "error": float(f"{error:.3g}")}


def work() -> None:
    for line in sys.stdin:
        record = json.loads(line)
        try:
            record = judge(record)
        except Exception as error:  # noqa: BLE001 - whatever a generated module raises is the verdict
            record = {**record, "verdict": "FAILED", "message": f"{type(error).__name__}: {error}"[:1000]}
        print("RESULT " + json.dumps(record), flush=True)
        if record["verdict"] == "FAILED":
            return  # its CUDA context may be gone


def run_all(records: list[dict[str, Any]], options: argparse.Namespace) -> list[dict[str, Any]]:
    done = []
    waiting = list(records)
    argv = [*shlex.split(options.tool), sys.executable, __file__, "--worker"]
    while waiting:
        text = "".join(json.dumps(record) + "\n" for record in waiting)
        try:
            child = subprocess.run(argv, input=text, capture_output=True, text=True, timeout=options.limit)
            out, err = child.stdout, child.stderr
        except subprocess.TimeoutExpired as late:
            out, err = (late.stdout or b"").decode(), "timed out"
        new = [json.loads(line[len("RESULT "):]) for line in out.splitlines() if line.startswith("RESULT ")]
        if options.tool:
            print(out[-3000:] if "ERROR SUMMARY: 0" not in out and "0 hazards" not in out else [l for l in out.splitlines() if "SUMMARY" in l][-1])
        done += new
        waiting = waiting[len(new):]
        if waiting and (not new or new[-1]["verdict"] != "FAILED"):
            done.append({**waiting.pop(0), "verdict": "CRASHED", "message": err[-800:]})
    return done


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("programs", nargs="*")
    parser.add_argument("--build", default="build")
    parser.add_argument("--jobs", type=int, default=max(1, (os.cpu_count() or 2) - 2))
    parser.add_argument("--work", default="build/gpu_programs")
    parser.add_argument("--tool", default="")
    parser.add_argument("--limit", type=int, default=300, help="seconds that all programs may take to run")
    parser.add_argument("-o", "--out")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        work()
        return 0
    programs = [member for program in programs_in(options.programs) for member in members_of(program, options)]
    if not programs:
        print("no programs", file=sys.stderr)
        return 2
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        built = list(pool.map(lambda program: prepare(program, options), programs))
    done = run_all([r for r in built if r["verdict"] == "built"], options) + [r for r in built if r["verdict"] != "built"]
    done.sort(key=lambda r: r["program"])
    for r in done:
        print(f"{r['program']:<48} {r['verdict']:<16} {r.get('excess', ''):>8} of the tolerance, error {r.get('error', '')}, built in {r.get('build_s', '')} s")
        if r.get("message"):
            print("    " + r["message"].replace("\n", "\n    "))
    right = sum(r["verdict"] == "right" for r in done)
    print(f"{right} of {len(done)} right")
    if options.out:
        Path(options.out).write_text(json.dumps([{k: v for k, v in r.items() if k not in ("folder", "source")} for r in done], indent=1) + "\n")
    return 0 if right == len(done) else 1


if __name__ == "__main__":
    sys.exit(main())
