#!/usr/bin/env python3
"""Times configurations of rows kernels on this machine's GPU: how near each comes to the memory, and how far the cost model is off.

    python3 bench/rows_grid.py -o bench/results/h200_rows_grid.json [--build build] [--only softmax_l1_23,...] [--most 12]

A program is one rows step; its configurations are the model's best, and the best of each number of passes, cluster, split, and threads. Each
is compiled, its results are held against the first configuration's, and the median of several runs is reported beside the time in which a
copy would move the same bytes (--copy, measured here). Needs a GPU, torch and nvcc."""
from __future__ import annotations

import argparse
import concurrent.futures
import json
import math
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from forms import compiled, device_name, form_in, graph_of, median_us, model_in

ROOT = Path(__file__).resolve().parent.parent
HEAD = "target sm_90a\nprecision strict\n"

# name: inputs, the step up to its knobs, what follows the knobs
PROGRAMS: dict[str, tuple[str, str, str]] = {
    "softmax_l1_23": ("input x: f32[4096, 393216]", "softmax(x, dim=1)", ""),
    "log_softmax_l1_24": ("input x: f32[4096, 393216]", "log_softmax(x, dim=1)", ""),
    "instance_norm_l1_34": ("input x: f32[112, 64, 512, 512]", "instance_norm(x)", ""),
    "group_norm_l1_35": ("input x: f32[112, 64, 512, 512]", "group_norm(x, 8)", ""),
    "batch_norm_l1_33": ("input x: f32[64, 64, 512, 512]", "batch_norm(x)", ""),
    "rms_norm_l1_36": ("input x: f32[112, 64, 512, 512]", "rms_norm(x, dim=1, eps=1e-5)", ""),
    "frobenius_l1_37": ("input x: f32[112, 64, 512, 512]", "l2_normalize(x, dim=[0, 1, 2, 3], eps=0.0)", ""),
    "l1_norm_l1_38": ("input x: f32[32768, 65535]", "l1_normalize(x, dim=1, eps=0.0)", " >> mul(65535.0)"),
    "layer_norm_l1_40": ("input x: f32[16, 64, 256, 256]\nparam g: f32[64, 256, 256]\nparam b: f32[64, 256, 256]", "layer_norm(x, g, b)", ""),
    "sum_l1_47": ("input x: f32[128, 4096, 4095]", "sum(x, dim=1, keepdim=true)", ""),
    "max_l1_49": ("input x: f32[128, 4096, 4095]", "max(x, dim=1)", ""),
    "argmax_l1_51": ("input x: f32[128, 4096, 4095]", "argmax(x, dim=1)", ""),
    "mse_l1_94": ("input x: f32[32768, 32768]\ninput t: f32[32768, 32768]", "mean((x - t) ** 2, dim=[0, 1])", ""),
    "max_pool2d_l1_42": ("input x: f32[32, 64, 512, 512]", "max_pool2d(x, 4, stride=1, padding=1)", ""),
    "avg_pool2d_l1_45": ("input x: f32[16, 64, 2048, 2048]", "avg_pool2d(x, 11)", ""),
    "avg_pool3d_l1_46": ("input x: f32[16, 32, 128, 128, 256]", "avg_pool3d(x, 3, stride=2, padding=1)", ""),
    "softmax_llm_f16": ("input x: f16[8192, 32000]", "softmax(x, dim=1)", ""),
    "softmax_attention_f16": ("input x: f16[65536, 2048]", "softmax(x, dim=1)", ""),
    "softmax_short": ("input x: f32[4194304, 64]", "softmax(x, dim=1)", ""),
    "layer_norm_llm_bf16": ("input x: bf16[32768, 4096]\nparam g: bf16[4096]\nparam b: bf16[4096]", "layer_norm(x, g, b)", ""),
    "rms_norm_llm_bf16": ("input x: bf16[16384, 8192]\nparam g: bf16[8192]", "rms_norm(x, g)", ""),
    "layer_norm_odd": ("input x: f32[65536, 1023]", "layer_norm(x, dim=1)", ""),
    "sum_columns": ("input x: f32[65536, 4096]", "sum(x, dim=0)", ""),
    "sum_rows_tiny": ("input x: f32[64, 4096]", "sum(x, dim=1)", ""),
    "layer_norm_tiny": ("input x: f32[128, 768]", "layer_norm(x, dim=1)", ""),
}


def knobs_of(text: str) -> dict[str, str]:
    return dict(re.findall(r"\.(\w+)\(([^)]*)\)", text))


def chosen(ranked: list[dict[str, Any]], most: int) -> list[dict[str, Any]]:
    picked: list[dict[str, Any]] = list(ranked[:3])
    seen: set[tuple[str, ...]] = set()
    for row in ranked:
        knobs = knobs_of(row["knobs"])
        key = (knobs.get("passes", ""), knobs.get("cluster", ""), knobs.get("threads", ""), "split" if "split" in knobs else "")
        if key not in seen and len(picked) < most:
            seen.add(key)
            if row not in picked:
                picked.append(row)
    return picked


def prepare(name: str, options: argparse.Namespace) -> list[dict[str, Any]]:
    inputs, step, end = PROGRAMS[name]
    folder = Path(options.work).resolve() / name
    folder.mkdir(parents=True, exist_ok=True)
    plain = folder / "plain.uc"
    plain.write_text(f"{HEAD}{inputs}\ny = {step}{end}\nreturn y\n")
    said = subprocess.run([f"{options.build}/ucutlass", "explain", plain, "--json", "--limit", "1000"], capture_output=True, text=True)
    if said.returncode != 0:
        return [{"program": name, "error": said.stderr[-600:]}]
    out = []
    for i, row in enumerate(chosen(json.loads(said.stdout)["steps"][0]["ranked"], options.most)):
        where = folder / str(i)
        where.mkdir(exist_ok=True)
        (where / "program.uc").write_text(f"{HEAD}{inputs}\ny = {step}{row['knobs']}{end}\nreturn y\n")
        out.append({"program": name, "knobs": row["knobs"], "modelled_us": row["us"], "folder": str(where)})
    return out


def build(record: dict[str, Any], options: argparse.Namespace) -> dict[str, Any]:
    if "error" in record:
        return record
    why = compiled(options.build, Path(record["folder"]))
    return {**record, "error": why} if why else record


def graphed_us(call: Any) -> float:
    """Of a call: small ones in a graph of 20."""
    once = median_us(call, 3)
    return median_us(call, 7) if once > 300 else median_us(graph_of(call, 20).replay, 11) / 20


def tensors(rows: list[dict[str, Any]]) -> list[Any]:
    import torch
    kinds = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}
    return [torch.randn(row["shape"], device="cuda", dtype=kinds[row["dtype"]]) for row in rows]


def measure(records: list[dict[str, Any]], copy_gbs: float) -> list[dict[str, Any]]:
    import torch
    out, given, first = [], None, None
    for record in records:
        if "error" in record:
            out.append(record)
            continue
        folder = Path(record["folder"])
        manifest = json.loads(form_in(folder).with_suffix(".json").read_text())
        model = model_in(folder)
        if given is None:
            torch.manual_seed(1)
            given = (tensors(manifest["inputs"]), tensors(manifest["params"]))
        for mine, value in zip(model._params(), given[1]):
            mine.data = value
        result = model(*given[0])
        result = result[0] if isinstance(result, tuple) else result
        bytes_ = sum(t.numel() * t.element_size() for t in (*given[0], *given[1], result))
        if first is None:
            first = result.clone()
            same = True
        else:
            same = bool(torch.allclose(result.float(), first.float(), rtol=2e-2 if result.element_size() == 2 else 1e-3, atol=1e-3))
        del result
        us = graphed_us(lambda: model(*given[0]))
        out.append({**record, "us": us, "bytes": bytes_, "of_copy": bytes_ / copy_gbs / 1e3 / us, "same": same})
    return out


def copy_rate() -> float:
    import torch
    source = torch.empty(1 << 30, dtype=torch.float32, device="cuda").normal_()
    target = torch.empty_like(source)
    us = median_us(lambda: target.copy_(source), 9)
    return 2 * source.numel() * 4 / us / 1e3


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=str(ROOT / "build"))
    parser.add_argument("--work", default=str(ROOT / "build/rows_grid"))
    parser.add_argument("--only", default="")
    parser.add_argument("--most", type=int, default=12, help="configurations of a program")
    parser.add_argument("--jobs", type=int, default=max(1, (os.cpu_count() or 2) - 1))
    parser.add_argument("--check", action="store_true", help="only say whether the programs are accepted: needs no GPU")
    parser.add_argument("-o", "--output", type=Path)
    options = parser.parse_args()
    names = options.only.split(",") if options.only else list(PROGRAMS)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        prepared = [record for each in pool.map(lambda name: prepare(name, options), names) for record in each]
        if options.check:
            for record in prepared:
                print(f"{record['program']:<24}", record.get("error") or f"{record['modelled_us']:>10.1f} modelled {record['knobs']}")
            return 1 if any("error" in record for record in prepared) else 0
        built = list(pool.map(lambda record: build(record, options), prepared))
    import torch
    copy_gbs = copy_rate()
    print(f"copy: {copy_gbs:.0f} GB/s")
    done = []
    for name in names:
        torch.cuda.empty_cache()
        rows = measure([r for r in built if r["program"] == name], copy_gbs)
        done += rows
        timed = [r for r in rows if "us" in r]
        best = min((r["us"] for r in timed), default=math.nan)
        for r in rows:
            if "us" not in r:
                print(f"{name:<22} does not run: {r.get('error')}")
            elif r is timed[0] or r["us"] == best or not r["same"]:
                print(f"{name:<22}{'best ' if r['us'] == best else 'first'}{r['us']:>10.1f} us{r['of_copy']:>7.3f} of copy  model {r['modelled_us']:>9.1f}  {r['knobs']}"
                      f"{'' if r['same'] else '  DIFFERS'}", flush=True)
    if options.output:
        keep = [{k: v for k, v in r.items() if k != "folder"} for r in done]
        options.output.write_text(json.dumps({"schema": "ucutlass.rows_grid/1", "date": time.strftime("%Y-%m-%d"), "device": device_name(), "copy_gbs": copy_gbs,
                                              "configurations": keep}, indent=1) + "\n")
    return 0 if all(r.get("same") for r in done) else 1


if __name__ == "__main__":
    sys.exit(main())
