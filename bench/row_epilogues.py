#!/usr/bin/env python3
"""Times row-wise operators in the epilogue of a product beside the two steps that they stand for, on this machine's GPU.

    python3 bench/row_epilogues.py [--build build] [--jobs N] [--work FOLDER] [--only NAME,...] [-o table.json]

Each case is three programs over the same random data: `fused` with automatic knobs, `two` steps with automatic knobs, and
`product` alone with its result in f16 or f32, which is what a fused kernel can at best come near to. Times are medians of alternating rounds of
calls through the PyTorch module, in microseconds; results of `fused` and `two` are held against each other."""
from __future__ import annotations

import argparse
import concurrent.futures
import importlib.util
import json
import os
import statistics
import subprocess
from pathlib import Path
from typing import Any

# name, rows, columns, K, what stands between product and norm, the row-wise operator, what follows, what else is read
CASES = [
    ("group_norm_l2_88", 1024, 8192, 8192, ["bias(c)"], "group_norm(256, g, e)", ["silu()", "mul(u)", "silu()", "to(f32)"]),
    ("softmax_1024", 8192, 1024, 1024, ["bias(c)"], "softmax()", ["to(f16)"]),
    ("softmax_2048", 8192, 2048, 1024, ["bias(c)"], "softmax()", ["to(f16)"]),
    ("softmax_256", 32768, 256, 512, ["bias(c)"], "softmax()", ["to(f16)"]),
    ("layer_norm_768", 16384, 768, 768, ["bias(c)"], "layer_norm(g, e)", ["to(f16)"]),
    ("rms_norm_1024", 16384, 1024, 1024, ["bias(c)"], "rms_norm(g)", ["to(f16)"]),
    ("logsumexp_1024", 8192, 1024, 1024, ["bias(c)"], "logsumexp(dim=1, keepdim=true)", ["to(f32)"]),
]
FORMS = ("fused", "two", "product")
VECTORS = ("c", "g", "e", "u")


def text(case: tuple[Any, ...], form: str) -> str:
    _, m, n, k, before, row, after = case
    used = [v for v in VECTORS if any(f"({v})" in call or f", {v})" in call or f", {v}," in call or f"({v}," in call for call in (*before, row, *after))]
    if form == "product":
        used = [v for v in used if any(f"({v})" in call for call in before)]
    lines = ["target sm_90a", "precision f16", f"input x: f16[{m}, {k}]", f"input w: f16[{n}, {k}]"]
    lines += [f"input {v}: f32[{n}]" for v in used]
    if form == "fused":
        lines.append("y = " + " >> ".join(["linear(x, w)", *before, row, *after]))
    elif form == "product":
        lines.append("y = " + " >> ".join(["linear(x, w)", *before, "to(f16)"]))
    else:
        lines.append("t = " + " >> ".join(["linear(x, w)", *before, "to(f16)"]))
        name, arguments = row.split("(", 1)
        inner = "t" if arguments == ")" else "t, " + arguments[:-1]
        lines.append("y = " + " >> ".join([f"{name}({inner})", *after]))
    return "\n".join([*lines, "return y", ""])


def build(job: tuple[tuple[Any, ...], str], options: argparse.Namespace) -> tuple[str, str, Path, str]:
    case, form = job
    folder = Path(options.work) / f"{case[0]}_{form}"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "p.uc").write_text(text(case, form))
    done = subprocess.run([f"{options.build}/ucutlass", "compile", folder / "p.uc", "-o", folder, "--emit", "torch"], capture_output=True, text=True,
                          env={**os.environ, "UCUTLASS_JOBS": "1"})
    return case[0], form, folder, "" if done.returncode == 0 else (done.stderr or done.stdout)[-500:]


def load(folder: Path) -> Any:
    form = next(folder.glob("ucutlass_*.py"))
    spec = importlib.util.spec_from_file_location(form.stem, form)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.ModelNew()


def round_us(torch: Any, call: Any, count: int) -> float:
    first, last = torch.cuda.Event(True), torch.cuda.Event(True)
    first.record()
    for _ in range(count):
        call()
    last.record()
    last.synchronize()
    return float(first.elapsed_time(last)) / count * 1e3


def measure(case: tuple[Any, ...], folders: dict[str, Path]) -> dict[str, Any]:
    import torch

    _, m, n, k = case[:4]
    torch.manual_seed(1)
    data = {"x": torch.randn(m, k, device="cuda", dtype=torch.float16), "w": torch.randn(n, k, device="cuda", dtype=torch.float16) / k**0.5}
    data |= {v: torch.randn(n, device="cuda") for v in VECTORS}
    calls, outs = {}, {}
    for form, folder in folders.items():
        names = [line.split()[1][:-1] for line in (folder / "p.uc").read_text().splitlines() if line.startswith("input")]
        model = load(folder)
        inputs = [data[name] for name in names]
        calls[form] = lambda model=model, inputs=inputs: model(*inputs)
        with torch.no_grad():
            outs[form] = calls[form]()
    row: dict[str, Any] = {"case": case[0]}
    if {"fused", "two"} <= outs.keys():
        want = outs["two"].double()
        row["apart"] = float((outs["fused"].double() - want).square().mean().sqrt() / want.square().mean().sqrt())
    with torch.no_grad():
        for call in calls.values():
            round_us(torch, call, 3)
        count = max(3, min(50, int(8e3 / round_us(torch, next(iter(calls.values())), 3))))
        seen: dict[str, list[float]] = {form: [] for form in calls}
        for _ in range(7):
            for form, call in calls.items():
                seen[form].append(round_us(torch, call, count))
    row |= {form: round(statistics.median(times), 2) for form, times in seen.items()}
    return row


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--work", default="/tmp/row_epilogues")
    parser.add_argument("--only", default="")
    parser.add_argument("-o", "--output")
    parser.add_argument("--build-only", action="store_true")
    options = parser.parse_args()
    wanted = [case for case in CASES if not options.only or case[0] in options.only.split(",")]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        built = list(pool.map(lambda job: build(job, options), [(case, form) for case in wanted for form in FORMS]))
    for name, form, _, why in built:
        if why:
            print(f"{name} {form}: {why}")
    if options.build_only:
        return 0
    rows = []
    for case in wanted:
        folders = {form: folder for name, form, folder, why in built if name == case[0] and not why}
        try:
            rows.append(measure(case, folders))
        except Exception as error:  # a case that fails is told, and the others still run
            rows.append({"case": case[0], "error": str(error)[:300]})
        print(json.dumps(rows[-1]), flush=True)
    if options.output:
        Path(options.output).write_text(json.dumps(rows, indent=1) + "\n")
    return 1 if any("error" in row for row in rows) else 0


if __name__ == "__main__":
    raise SystemExit(main())
