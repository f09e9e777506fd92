#!/usr/bin/env python3
"""Times attention programs on this machine's GPU against PyTorch's scaled_dot_product_attention: f16 by its FlashAttention and cuDNN back ends,
and KernelBench's L1/97 (f32, 1,024 features) against PyTorch in FP32.

    python3 bench/attention.py -o bench/results/h200_attention.json [--build build] [--only d64_2k,...]

Configurations are those that `auto` chooses. A time is the median of three runs of many calls, caches as they are. Needs a GPU, torch and nvcc."""
from __future__ import annotations

import argparse
import concurrent.futures
import json
import math
import os
import statistics
import sys
import time
from pathlib import Path
from typing import Any, Callable

from forms import compiled, device_name, model_in, span_us

ROOT = Path(__file__).resolve().parent.parent

# name: batch, heads, queries and keys, features, causal
SHAPES = {
    "d64_512": (32, 16, 512, 64, False), "d64_2k": (8, 16, 2048, 64, False), "d64_8k": (2, 16, 8192, 64, False),
    "d64_2k_causal": (8, 16, 2048, 64, True), "d64_8k_causal": (2, 16, 8192, 64, True), "d96_512_causal": (128, 8, 512, 96, True),
    "d128_512": (32, 16, 512, 128, False), "d128_2k": (8, 16, 2048, 128, False), "d128_8k": (2, 16, 8192, 128, False),
    "d128_2k_causal": (8, 16, 2048, 128, True), "d128_8k_causal": (2, 16, 8192, 128, True), "d256_2k": (4, 8, 2048, 256, False),
    "d32_16k": (2, 4, 16384, 32, False),
}
L1_97 = (32, 32, 512, 1024, False)


def program(shape: tuple[int, int, int, int, bool], kind: str, precision: str) -> str:
    b, h, n, e, causal = shape
    names = "".join(f"input {name}: {kind}[{b}, {h}, {n}, {e}]\n" for name in "qkv")
    return f"target sm_90a\nprecision {precision}\n{names}o = attention(q, k, v, causal={str(causal).lower()})\nreturn o\n"


def halves() -> str:
    return program(L1_97, "f32", "f16").replace("o = attention(q, k, v, causal=false)", "a, b, c = to(q, k, v, f16)\no = attention(a, b, c) >> to(f32)")


def build(name: str, text: str, options: argparse.Namespace) -> tuple[Path, str]:
    folder = Path(options.work).resolve() / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "program.uc").write_text(text)
    return folder, compiled(options.build, folder)


def time_us(call: Callable[[], Any]) -> float:
    import torch
    for _ in range(2):
        call()
    torch.cuda.synchronize()
    calls = max(3, min(50, int(30000 / max(span_us(call), 1))))
    return statistics.median(span_us(call, calls) for _ in range(3))


def error_of(got: Any, want: Any) -> float:
    return ((got.float() - want.float()).square().mean().sqrt() / want.float().square().mean().sqrt()).item()


def measure(name: str, folder: Path) -> dict[str, Any]:
    import torch
    import torch.nn.functional as F
    from torch.nn.attention import SDPBackend, sdpa_kernel
    whole = name.startswith("l1_97")
    b, h, n, e, causal = L1_97 if whole else SHAPES[name]
    torch.manual_seed(1)
    q, k, v = (torch.randn(b, h, n, e, device="cuda", dtype=torch.float32 if whole else torch.float16) for _ in range(3))
    model = model_in(folder)
    row: dict[str, Any] = {"shape": name, "flops": 4.0 * b * h * n * n * e * (0.5 if causal else 1)}
    with torch.no_grad():
        sdpa = lambda: F.scaled_dot_product_attention(q, k, v, is_causal=causal)
        row["error"] = error_of(model(q, k, v), sdpa())
        row["us"] = time_us(lambda: model(q, k, v))
        if whole:
            row["eager_us"] = time_us(sdpa)
        else:
            for label, backend in (("flash", SDPBackend.FLASH_ATTENTION), ("cudnn", SDPBackend.CUDNN_ATTENTION)):
                try:
                    with sdpa_kernel(backend):
                        row[f"{label}_us"] = time_us(sdpa)
                except RuntimeError as refused:
                    row[f"{label}_refused"] = str(refused)[:120]
    return row


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=str(ROOT / "build"))
    parser.add_argument("--work", default=str(ROOT / "build/attention"))
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=max(1, (os.cpu_count() or 2) - 1))
    parser.add_argument("-o", "--output", type=Path)
    options = parser.parse_args()
    texts = {name: program(shape, "f16", "f16") for name, shape in SHAPES.items()}
    texts |= {"l1_97_f16": halves(), "l1_97_tf32": program(L1_97, "f32", "tf32")}
    names = options.only.split(",") if options.only else list(texts)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        built = dict(zip(names, pool.map(lambda name: build(name, texts[name], options), names)))
    import torch
    rows = []
    for name, (folder, why) in built.items():
        torch.cuda.empty_cache()
        row = {"shape": name, "refused": why} if why else measure(name, folder)
        rows.append(row)
        if why:
            print(f"{name:<18} does not build: {why}", flush=True)
            continue
        theirs = [row[key] for key in ("flash_us", "cudnn_us", "eager_us") if key in row]
        print(f"{name:<18}{row['us']:>10.1f} us{row['flops'] / row['us'] / 1e6:>7.0f} TFLOP/s  error {row['error']:.1e}  "
              + "  ".join(f"{key} {row[key]:.1f}" for key in ("flash_us", "cudnn_us", "eager_us") if key in row)
              + (f"  best of theirs / ours {min(theirs) / row['us']:.2f}" if theirs else ""), flush=True)
    for label in ("flash_us", "cudnn_us"):
        ratios = [row[label] / row["us"] for row in rows if label in row]
        if ratios:
            print(f"geomean over {label[:-3]}, {len(ratios)} shapes: {math.exp(statistics.fmean(map(math.log, ratios))):.3f}")
    if options.output:
        options.output.write_text(json.dumps({"schema": "ucutlass.attention_times/1", "date": time.strftime("%Y-%m-%d"), "device": device_name(),
                                              "command": "python3 bench/attention.py -o FILE", "shapes": rows}, indent=1) + "\n")
    return 0 if all("us" in row for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
