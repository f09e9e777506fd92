#!/usr/bin/env python3
"""Measures the programs of bench/programs on this machine's GPU with the judge, against every baseline of docs/evaluation.md.

    python3 bench/measure.py --kernelbench DIR -o bench/results/h200_level2.json [PROGRAM.uc ...]

Each program names its problem in its first line: a file of KernelBench, or one of the judge's built-in problems. Needs a GPU,
torch, nvcc, CUTLASS headers (make setup) and a build (make build).
"""
from __future__ import annotations

import argparse
import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def problem_of(program: Path) -> str:
    first = program.read_text().splitlines()[0]
    if not first.startswith("# problem: "):
        sys.exit(f"{program}: its first line does not name a problem")
    return first.removeprefix("# problem: ").strip()


def build(binary: Path, program: Path, folder: Path) -> tuple[Path, dict]:
    out = folder / program.stem
    done = subprocess.run([binary / "ucutlass", "compile", program, "-o", out, "--emit", "header"], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{program}: {done.stderr}")
    library = next(out.glob("*.so"))
    return library.resolve(), json.loads(library.with_suffix(".json").read_text())


def judge(binary: Path, problem: dict, requests: list[dict]) -> list[dict]:
    environment = {"device": "cuda:0", "judge_folder": str(ROOT / "python"), "python": sys.executable}
    lines = [json.dumps({"problem": problem, "environment": environment}), *map(json.dumps, requests)]
    done = subprocess.run([binary / "eval_driver"], input="\n".join(lines) + "\n", capture_output=True, text=True)
    records = [json.loads(line) for line in done.stdout.splitlines()]
    if len(records) != len(lines):
        print(done.stderr[-2000:], file=sys.stderr)
    return records


def summary(record: dict) -> dict:
    keep = {key: record.get(key) for key in ("id", "label", "reason", "message", "prepack_us", "seed", "notes")}
    keep["time"] = record.get("time")
    keep["trials"] = [{k: t.get(k) for k in ("name", "passed", "excess", "error", "error_bound")} for t in record.get("trials", [])]
    for key in ("comparisons", "sustained"):
        keep[key] = [{k: c.get(k) for k in ("baseline", "speedup", "low", "high", "verdict", "pairs", "dropped", "candidate_time", "baseline_time")}
                     for c in record.get(key, [])]
    return keep


def show(name: str, record: dict) -> None:
    worst = max((t["excess"] for t in record.get("trials", [])), default=float("nan"))
    print(f"{name:22s} {record.get('label'):9s} {record.get('time', {}).get('gpu_us', 0):8.1f} us  worst {worst:.3f} of tolerance", end="")
    for kind in ("comparisons", "sustained"):
        for c in record.get(kind, []):
            mark = " sustained" if kind == "sustained" else ""
            print(f" | {c['baseline']}{mark} {c['speedup']:.3f}x [{c['low']:.3f}, {c['high']:.3f}] {c['verdict']}", end="")
    print(f" {record.get('message', '')}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="*", type=Path)
    parser.add_argument("--kernelbench", type=Path, help="KernelBench's folder that holds level1, level2")
    parser.add_argument("--binary", type=Path, default=ROOT / "build", help="folder of ucutlass, eval_driver, ucutlass-runner")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--sustained", type=float, default=1.0, help="seconds a sustained block lasts (matmul problems)")
    parser.add_argument("--commit", default="", help="recorded in the result")
    parser.add_argument("-o", "--output", type=Path, required=True)
    args = parser.parse_args()
    programs = args.programs or sorted((ROOT / "bench/programs").glob("*.uc"))
    result = {"schema": "ucutlass.bench/1", "date": time.strftime("%Y-%m-%d"), "commit": args.commit, "command": " ".join(["python3", *sys.argv]), "problems": []}
    result["device"] = subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version,clocks.max.sm,clocks.max.mem,power.limit", "--format=csv,noheader"],
                                      capture_output=True, text=True).stdout.strip()
    with tempfile.TemporaryDirectory() as folder:
        with concurrent.futures.ThreadPoolExecutor(max(1, (os.cpu_count() or 2) - 2)) as pool:
            built = dict(zip(programs, pool.map(lambda p: build(args.binary, p, Path(folder)), programs)))
        groups: dict[str, list[Path]] = {}
        for program in programs:
            groups.setdefault(problem_of(program), []).append(program)
        for name, members in groups.items():
            builtin = ":" in name
            problem = {"tolerance": "reduced", "math": "f16", "baseline_budget_s": 60}
            problem.update({"builtin": name, "baselines": ["eager"]} if builtin else {
                "path": str((args.kernelbench or Path(".")) / name), "baselines": ["eager", "eager_tf32", "compile_tf32", "eager_autocast", "compile_autocast"]})
            requests = []
            for program in members:
                library, manifest = built[program]
                requests.append({"id": program.stem, "library": str(library), "manifest": manifest, "rounds": args.rounds,
                                 "against": ["eager"] if builtin else ["best", "eager_tf32"],
                                 "sustained_s": args.sustained if builtin else 0})
            records = judge(args.binary, problem, requests)
            opened = records[0].get("opened", {}) if records else {}
            result["problems"].append({"problem": name, "baselines": opened.get("baselines"), "best_baseline": opened.get("best_baseline"),
                                       "candidates": [summary(r) for r in records[1:]]})
            print(f"# {name}: PyTorch's best is {opened.get('best_baseline')}")
            for record in records[1:]:
                show(record.get("id", "?"), record)
            args.output.parent.mkdir(parents=True, exist_ok=True)
            args.output.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
