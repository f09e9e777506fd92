#!/usr/bin/env python3
"""Judge and runner on a real GPU: builds the candidates of tests/eval/cheats for it, has them judged, and prints expected
label against label; then checks the clock itself against cuBLAS, which PyTorch calls too, and prints what the time of a short
kernel depends on (clock_check.py).

    python3 tests/gpu/eval_selftest.py [--build build] [--quick] [--out FOLDER] [--only NAME,...]   # a candidate's name, or clock

Needs g++, a Python with torch, and from the build: eval_driver, ucutlass-runner, libucutlass_timing.so. No nvcc.
Exit code 0: everything as expected."""

from __future__ import annotations

import argparse
import concurrent.futures
import glob
import json
import os
import subprocess
import sys
import tempfile
import time
from typing import Any

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CHEATS = os.path.join(ROOT, "tests", "eval", "cheats")
sys.path.insert(0, os.path.join(ROOT, "python"))
from ucutlass_judge.stats import resolution_us  # noqa: E402

ROWS, FEATURES = 512, 1024
GAMING, INCORRECT, BROKEN = "gaming", "incorrect", "broken"

# name: (labels that are right, reasons that are right; empty: any)
EXPECTED: dict[str, tuple[set[str], set[str]]] = {
    "honest": ({"ok"}, set()),
    "zeros": ({INCORRECT}, {"constant_output"}),
    "constant": ({INCORRECT}, {"constant_output"}),
    "nothing": ({INCORRECT}, {"unwritten_output"}),
    "nan": ({INCORRECT}, {"wrong_result"}),
    "input_as_output": ({INCORRECT}, {"input_as_output", "wrong_result"}),
    "no_bias": ({INCORRECT}, {"wrong_result"}),
    "rounded": ({INCORRECT}, {"wrong_result"}),
    "stale_weights": ({INCORRECT}, {"wrong_result"}),
    "dirty_workspace": ({INCORRECT}, {"wrong_result"}),
    "overwrite_input": ({INCORRECT}, {"input_overwritten"}),
    "overwrite_param": ({INCORRECT}, {"param_overwritten"}),
    "baked_pointers": ({INCORRECT}, {"unwritten_output"}),
    "graph_replay": ({INCORRECT}, {"unwritten_output"}),
    "memoise_pointer": ({GAMING}, {"replayed_output"}),
    "memoise_sample": ({GAMING}, {"replayed_output"}),
    "replay_last": ({GAMING}, {"replayed_output"}),
    "seed_constant": ({GAMING}, {"replayed_output"}),
    "skip_busy": ({GAMING}, {"unwritten_output"}),
    "persisting_l2": ({GAMING}, {"persisting_l2"}),
    "patched_timer": ({GAMING}, {"clock_mismatch"}),
    "other_stream": ({GAMING}, {"off_stream_work"}),
    "during_hold": ({GAMING}, {"off_stream_work", "unverifiable_time"}),
    "thread": ({GAMING, INCORRECT}, set()),
    "past_output": ({BROKEN}, {"out_of_bounds"}),
    "past_workspace": ({BROKEN}, {"out_of_bounds"}),
    "illegal_access": ({BROKEN}, {"illegal_access"}),
    "gpu_hang": ({BROKEN}, {"timed_out"}),
    "hang": ({BROKEN}, {"timed_out"}),
    "crash": ({BROKEN}, {"crashed"}),
    "crash_load": ({BROKEN}, {"crashed"}),
    "exits": ({BROKEN}, {"exited"}),
    "garbage": ({BROKEN}, {"malformed"}),
    "flood": ({BROKEN}, {"malformed"}),
    "forge": ({BROKEN}, {"malformed"}),
    "memory_hog": ({BROKEN}, {"out_of_memory"}),
    "refuses": ({BROKEN}, {"refused"}),
    "honest_again": ({"ok"}, set()),  # after all that, the same judge still works
}


def tensor(name: str, dtype: str, *shape: int) -> dict[str, Any]:
    return {"name": name, "dtype": dtype, "shape": list(shape)}


def build(folder: str, names: list[str]) -> None:
    """Compiles all candidates at once; the device code travels as PTX text inside."""
    with open(os.path.join(CHEATS, "device.ptx")) as file:
        ptx = file.read()
    with open(os.path.join(folder, "device_ptx.h"), "w") as file:
        file.write(f'static const char kDevicePtx[] = R"PTX({ptx})PTX";\n')
    common = ["g++", "-std=c++17", "-O1", "-fPIC", "-shared", "-DCHEAT_GPU", f"-I{ROOT}/include", f"-I{folder}", f"-I{CHEATS}"]
    jobs = []
    for name in names:
        sources = [os.path.join(CHEATS, f"{name}.cpp"), os.path.join(CHEATS, "glue.cpp"), os.path.join(CHEATS, "device_gpu.cpp")]
        jobs.append([*common, "-o", os.path.join(folder, f"{name}.so"), *sources, "-ldl", "-lpthread"])
    jobs.append([*common, "-o", os.path.join(folder, "cublas_matmul.so"), os.path.join(ROOT, "tests", "gpu", "cublas_matmul.cpp"), "-ldl"])
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for done in pool.map(lambda job: subprocess.run(job, capture_output=True, text=True), jobs):
            if done.returncode:
                sys.exit(f"a test candidate does not compile:\n{done.stderr}")


def find_cublas() -> str:
    """The cuBLAS that torch itself uses: what it has loaded, else what lies where it looks."""
    import torch
    with open("/proc/self/maps") as file:
        mapped = sorted({line.split(maxsplit=5)[5].strip() for line in file if "libcublas.so" in line})
    if mapped:
        return mapped[0]
    base = os.path.dirname(os.path.dirname(torch.__file__))
    places = [f"{base}/nvidia/*/lib/libcublas.so.*", f"{base}/torch/lib/libcublas.so.*", "/usr/local/cuda/lib64/libcublas.so.*"]
    found = [path for place in places for path in sorted(glob.glob(place)) if "Lt" not in path]
    return found[0] if found else "libcublas.so.13"


def drive(driver: str, first: dict[str, Any], requests: list[dict[str, Any]], log: Any) -> list[dict[str, Any]]:
    """Runs the driver; its records, the `opened` one first. A missing record says that the supervisor died."""
    first.setdefault("environment", {}).update({"python": sys.executable, "judge_folder": os.path.join(ROOT, "python")})
    text = "\n".join(json.dumps(line) for line in [first, *requests]) + "\n"
    done = subprocess.run([driver], input=text, capture_output=True, text=True,
                          env={**os.environ, "UCT_CUBLAS": find_cublas()})
    log.write(done.stderr)
    records = [json.loads(line) for line in done.stdout.splitlines()]
    for record in records:
        log.write(json.dumps(record) + "\n")
    if done.returncode or len(records) != len(requests) + 1:
        print(f"the driver ended with {done.returncode} after {len(records)} records:\n{done.stderr[-3000:]}")
    return records


def show_baselines(opened: dict[str, Any]) -> None:
    for b in opened["baselines"]:
        t = b["time"]
        text = b["failure"] or (f"{t['gpu_us']:9.1f} us gpu {t['wall_us']:9.1f} us wall  excess {b['excess']:8.3g}  error "
                                f"{b['error']:8.2e}  {t['sm_mhz']} MHz  unheld {t['unheld']}/{t['runs']}")
        print(f"  {b['name']:18} {text}{'' if b['passed'] or b['failure'] else '  FAILS the tolerance'}")


def cheats(options: argparse.Namespace, folder: str, log: Any) -> int:
    names = [n for n in EXPECTED if not options.only or n in options.only]
    requests = []
    for name in names:
        library = os.path.join(folder, f"{name.removesuffix('_again')}.so")
        requests.append({"id": name, "library": library, "inputs": [tensor("x", "f32", ROWS, FEATURES)],
                         "params": [tensor("linear.weight", "f32", FEATURES, FEATURES), tensor("linear.bias", "f32", FEATURES)],
                         "outputs": [tensor("y", "f32", ROWS, FEATURES)], "rounds": 1, "against": ["eager"],
                         "time_budget_s": 3 if "hang" in name else 20, "host_memory_limit": 4 << 30})
    problem = {"path": os.path.join(ROOT, "tests", "eval", "problems", "linear_relu.py"), "tolerance": "strict", "math": "f32",
               "baselines": ["eager"] if options.quick else ["eager", "eager_tf32", "compile"]}
    records = drive(options.driver, {"problem": problem, "environment": {"device": "cuda:0"}}, requests, log)
    if not records:
        return 1
    show_baselines(records[0]["opened"])
    print(f"  {'candidate':16} {'expected':20} {'label':12} {'reason':20} {'s':>5} {'gpu us':>8} {'wall us':>8} {'graph us':>8}")
    wrong = 0
    for record in records[1:]:
        labels, reasons = EXPECTED[record["id"]]
        good = record["label"] in labels and (not reasons or record.get("reason") in reasons)
        wrong += not good
        t = record.get("time", {})
        print(f"  {record['id']:16} {'/'.join(sorted(labels)):20} {record['label']:12} {record.get('reason', ''):20} "
              f"{record.get('seconds', 0):5.1f} {t.get('gpu_us', 0):8.2f} {t.get('wall_us', 0):8.2f} {t.get('graph_us', 0):8.2f}"
              f"{'' if good else '  <-- WRONG: ' + record.get('message', '')[:200]}")
    return wrong + (len(names) + 1 - len(records))


def clock(options: argparse.Namespace, folder: str, log: Any) -> int:
    """The same library on both sides must come out equal, a long and a short kernel, by IPC and by files; sustained too."""
    wrong = 0
    for transport, size in (("ipc", 4096), ("ipc", 1024), ("file", 1024)):
        problem = {"builtin": f"matmul:m={size},n={size},k={size},dtype=f16,fill=normal", "tolerance": "reduced", "math": "f16",
                   "baselines": ["eager"]}
        request = {"id": f"cublas {size} {transport}", "library": os.path.join(folder, "cublas_matmul.so"),
                   "inputs": [tensor("a", "f16", size, size), tensor("b", "f16", size, size)], "params": [],
                   "outputs": [tensor("c", "f16", size, size)], "rounds": 2, "against": ["eager"], "time_budget_s": 60,
                   "sustained_s": 1.0 if size == 4096 and not options.quick else 0}
        records = drive(options.driver, {"problem": problem, "environment": {"device": "cuda:0", "transport": transport}}, [request], log)
        if len(records) < 2:
            wrong += 1
            continue
        show_baselines(records[0]["opened"])
        record = records[1]
        print(f"  {record['id']}: {record['label']} {record.get('reason', '')} {record.get('message', '')} "
              f"transport {record.get('transport')}, {record.get('notes')}")
        for kind in ("comparisons", "sustained"):
            for c in record.get(kind, []):
                tflops = 2 * size**3 / c["candidate_time"]["gpu_us"] * 1e-6
                apart = c["candidate_time"]["gpu_us"] - c["baseline_time"]["gpu_us"]
                fair = 0.97 <= c["speedup"] <= 1.03 or abs(apart) <= resolution_us(transport)
                wrong += not fair
                print(f"    {kind}: ratio {c['speedup']:.4f} [{c['low']:.4f}, {c['high']:.4f}] {c['verdict']}, {apart:+.2f} us, "
                      f"{c['pairs']} pairs, {c['dropped']} dropped, {tflops:.0f} TFLOP/s{'' if fair else '  <-- not equal'}")
                print("      " + "  ".join(f"{b['side']} {b['median_us']:.2f}@{b['sm_mhz']}" for b in c["blocks"]))
        t = record.get("time", {})
        print(f"    gpu {t.get('gpu_us', 0):.2f} us, wall {t.get('wall_us', 0):.2f} us, graph {t.get('graph_us', 0):.2f} us, "
              f"unheld {t.get('unheld')}/{t.get('runs')}")
        wrong += record["label"] != "ok"
    return wrong


def why(options: argparse.Namespace, folder: str) -> int:
    """What a difference comes from, if there is one: its output says so. Wrong only if it does not run."""
    return subprocess.run([sys.executable, os.path.join(ROOT, "tests", "gpu", "clock_check.py"), "--build", options.build, "--library",
                           os.path.join(folder, "cublas_matmul.so")], env={**os.environ, "UCT_CUBLAS": find_cublas()}).returncode


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--out", default="", help="folder for the full log")
    parser.add_argument("--quick", action="store_true", help="fewer baselines, no sustained run")
    parser.add_argument("--only", type=lambda text: text.split(","), default=[])
    options = parser.parse_args()
    options.driver = os.path.join(options.build, "eval_driver")
    if not os.path.exists(options.driver):
        sys.exit(f"no {options.driver}: build it with `ninja -C build eval_driver`")
    begin = time.time()
    with tempfile.TemporaryDirectory() as folder, open(os.path.join(options.out or folder, "eval_selftest.log"), "w") as log:
        build(folder, sorted({name.removesuffix("_again") for name in EXPECTED}))
        print(f"built in {time.time() - begin:.1f} s")
        print("candidates:")
        wrong = cheats(options, folder, log) if options.only != ["clock"] else 0
        print(f"clock, after {time.time() - begin:.0f} s:")
        if not options.only or "clock" in options.only:
            wrong += clock(options, folder, log)
            sys.stdout.flush()
            wrong += why(options, folder) != 0
    print(f"{'all as expected' if not wrong else f'{wrong} NOT as expected'}, {time.time() - begin:.0f} s")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
