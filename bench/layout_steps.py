#!/usr/bin/env python3
"""Times steps that only change how tensors lie in memory, beside PyTorch's: how near each comes to a copy of the same bytes.

    python3 bench/layout_steps.py [-o table.json] [--build build] [--only nhwc_56,...] [--jobs N]

Results must equal PyTorch's exactly. Needs a GPU, torch and nvcc."""
from __future__ import annotations

import argparse
import concurrent.futures
import json
import os
import sys
from pathlib import Path
from typing import Any

from forms import compiled, graph_of, median_us, model_in

ROOT = Path(__file__).resolve().parent.parent

# name: type, shape, the step, and what PyTorch calls it
CASES: dict[str, tuple[str, list[int], str, str]] = {
    "nhwc_56": ("f32", [64, 96, 56, 56], "to(x, nhwc)", "x.contiguous(memory_format=torch.channels_last)"),
    "nhwc_56_256": ("f32", [64, 256, 56, 56], "to(x, nhwc)", "x.contiguous(memory_format=torch.channels_last)"),
    "nchw_56": ("f32", [64, 56, 56, 96], "to(permute(x, [0, 3, 1, 2]), row)", "x.permute(0, 3, 1, 2).contiguous()"),
    "nhwc_three": ("f32", [64, 3, 512, 512], "to(x, nhwc)", "x.contiguous(memory_format=torch.channels_last)"),
    "nchw_three": ("f32", [64, 512, 512, 3], "to(permute(x, [0, 3, 1, 2]), row)", "x.permute(0, 3, 1, 2).contiguous()"),
    "nhwc_seven": ("f32", [1024, 512, 7, 7], "to(x, nhwc)", "x.contiguous(memory_format=torch.channels_last)"),
    "nchw_seven": ("f32", [1024, 7, 7, 512], "to(permute(x, [0, 3, 1, 2]), row)", "x.permute(0, 3, 1, 2).contiguous()"),
    "nhwc_16_channels": ("f32", [16, 16, 1024, 1024], "to(x, nhwc)", "x.contiguous(memory_format=torch.channels_last)"),
    "nhwc_odd": ("f32", [33, 67, 113, 127], "to(x, nhwc)", "x.contiguous(memory_format=torch.channels_last)"),
    "nhwc_f16": ("f16", [64, 256, 56, 56], "to(x, nhwc)", "x.contiguous(memory_format=torch.channels_last)"),
    "nchw_f16": ("f16", [64, 56, 56, 256], "to(permute(x, [0, 3, 1, 2]), row)", "x.permute(0, 3, 1, 2).contiguous()"),
    "nhwc_f16_odd": ("f16", [33, 67, 113, 127], "to(x, nhwc)", "x.contiguous(memory_format=torch.channels_last)"),
    "nhwc_i8": ("i8", [64, 256, 112, 112], "to(x, nhwc)", "x.contiguous(memory_format=torch.channels_last)"),
    "volume": ("f32", [16, 64, 16, 56, 56], "to(x, ndhwc)", "x.contiguous(memory_format=torch.channels_last_3d)"),
    "matrix": ("f32", [16384, 16384], "to(transpose(x), row)", "x.t().contiguous()"),
    "matrix_f16": ("f16", [16384, 16384], "to(transpose(x), row)", "x.t().contiguous()"),
    "matrix_f64": ("f64", [8192, 8192], "to(transpose(x), row)", "x.t().contiguous()"),
    "to_f16": ("f32", [64, 256, 56, 56], "to(x, f16, nhwc)", "x.to(torch.float16, memory_format=torch.channels_last)"),
    "heads": ("f16", [32, 2048, 16, 64], "to(permute(x, [0, 2, 3, 1]), row)", "x.permute(0, 2, 3, 1).contiguous()"),
    "shuffle": ("f32", [16, 64, 2, 2, 256, 256], "to(permute(x, [0, 1, 4, 2, 5, 3]), row)", "x.permute(0, 1, 4, 2, 5, 3).contiguous()"),
    "last_relu": ("f32", [64, 96, 112, 112], "relu(x)", "torch.relu(x)"),
    "concat_channels": ("f32", [64, 128, 56, 56], "concat(x, x, dim=1)", "torch.cat([x, x], 1)"),
    "pad_images": ("f32", [64, 96, 112, 112], "pad(x, [1, 1, 1, 1])", "torch.nn.functional.pad(x, (1, 1, 1, 1))"),
    "tril": ("f32", [16384, 16384], "tril(x)", "torch.tril(x)"),
    "roll": ("f32", [64, 56, 56, 96], "roll(x, [-3, -3], [1, 2])", "torch.roll(x, (-3, -3), (1, 2))"),
    "small": ("f32", [8, 64, 28, 28], "to(x, nhwc)", "x.contiguous(memory_format=torch.channels_last)"),
}
TORCH = {"f32": "float32", "f16": "float16", "i8": "int8", "f64": "float64"}


def build(name: str, options: argparse.Namespace) -> dict[str, Any]:
    dtype, shape, step, _ = CASES[name]
    folder = Path(options.work).resolve() / name
    folder.mkdir(parents=True, exist_ok=True)
    layout = " @nhwc" if name.startswith("last") else ""
    (folder / "program.uc").write_text(
        f"target sm_90a\nprecision f16\ninput x: {dtype}[{', '.join(map(str, shape))}]{layout}\ny = {step}\nreturn y\n")
    why = compiled(options.build, folder)
    return {"case": name, "folder": str(folder), **({"error": why} if why else {})}


def graphed_us(call: Any) -> float:
    return median_us(graph_of(call, 20).replay, 9) / 20


def measure(record: dict[str, Any]) -> dict[str, Any]:
    import torch
    if "error" in record:
        return record
    name = record["case"]
    dtype, shape, _, torch_call = CASES[name]
    model = model_in(Path(record["folder"]))
    x = torch.randint(-100, 100, shape, device="cuda").to(getattr(torch, TORCH[dtype]))
    if name.startswith("last"):
        x = x.contiguous(memory_format=torch.channels_last)
    theirs = eval(f"lambda: {torch_call}", {"torch": torch, "x": x})
    want, got = theirs(), model(x)
    got = got[0] if isinstance(got, tuple) else got
    bytes_ = x.numel() * x.element_size() + want.numel() * want.element_size()
    flat, copied = (torch.empty(bytes_ // 2, dtype=torch.uint8, device="cuda") for _ in range(2))
    same = bool(torch.equal(got.reshape(want.shape) if got.shape != want.shape else got, want))
    del got, want
    us, torch_us = graphed_us(lambda: model(x)), graphed_us(theirs)
    copy_us = graphed_us(lambda: copied.copy_(flat))
    return {**record, "bytes": bytes_, "us": us, "torch_us": torch_us, "copy_us": copy_us, "same": same}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=str(ROOT / "build"))
    parser.add_argument("--work", default=str(ROOT / "build/layout_steps"))
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=max(1, (os.cpu_count() or 2) - 1))
    parser.add_argument("-o", "--output", type=Path)
    options = parser.parse_args()
    names = options.only.split(",") if options.only else list(CASES)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        built = list(pool.map(lambda name: build(name, options), names))
    print(f"{'case':<18} {'ours us':>9} {'TB/s':>6} {'of copy':>8} {'torch us':>9} {'copy us':>9}  equal")
    done = []
    for record in built:
        row = measure(record)
        done.append(row)
        if "error" in row:
            print(f"{row['case']:<18} {row['error'][-200:]}", flush=True)
            continue
        print(f"{row['case']:<18} {row['us']:>9.1f} {row['bytes'] / row['us'] / 1e6:>6.2f} {row['copy_us'] / row['us']:>8.2f} {row['torch_us']:>9.1f} "
              f"{row['copy_us']:>9.1f}  {'yes' if row['same'] else 'NO'}", flush=True)
    if options.output:
        options.output.write_text(json.dumps([{k: v for k, v in row.items() if k != "folder"} for row in done], indent=1) + "\n")
    return 0 if all(row.get("same") for row in done) else 1


if __name__ == "__main__":
    sys.exit(main())
