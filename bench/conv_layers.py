#!/usr/bin/env python3
"""Times convolution layers against cuDNN on this machine's GPU: same type and layout, and from NCHW f32 end to end.

    python3 bench/conv_layers.py -o bench/results/h200_conv_layers.json [--build build] [--layers resnet3x3_64,...] [--only nhwc|nchw]
        [--backends auto,cutlass3,...]

24 layers: ResNet-50, VGG-16, ViT patch embedding, MobileNet depthwise and pointwise, 1D audio, 3D video, transposed decoders. In form
`nhwc` operands are f16 with their channels last, and cuDNN has them so too (channels_last, cudnn.benchmark); in form `nchw` they are f32 in
PyTorch's own layout, multiplied as TF32, and layout steps count. Both are held against f64, run in CUDA graphs of several calls in
alternating blocks, and the median of blocks is reported. Weights are prepared once. Needs a GPU, torch, nvcc and CUTLASS's headers."""
from __future__ import annotations

import argparse
import concurrent.futures
import json
import math
import os
import re
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from forms import compiled, device_name, graph_of, model_in, span_us

ROOT = Path(__file__).resolve().parent.parent
LAST = {1: "nwc", 2: "nhwc", 3: "ndhwc"}
CALLS, BLOCKS = 10, 15


def layer(name: str, batch: int, channels: int, size: tuple[int, ...], results: int, filter_: tuple[int, ...], **settings: Any) -> dict[str, Any]:
    rank = len(size)
    get = lambda key, usual: (settings.get(key, usual),) * rank if isinstance(settings.get(key, usual), int) else settings[key]
    return {"name": name, "batch": batch, "channels": channels, "size": size, "results": results, "filter": filter_, "rank": rank, "stride": get("stride", 1),
            "padding": get("padding", 0), "dilation": get("dilation", 1), "output_padding": get("output_padding", 0), "groups": settings.get("groups", 1),
            "transposed": settings.get("transposed", False)}


LAYERS = [
    layer("resnet_stem_7x7", 64, 3, (224, 224), 64, (7, 7), stride=2, padding=3),
    layer("resnet_3x3_64", 64, 64, (56, 56), 64, (3, 3), padding=1),
    layer("resnet_1x1_64_256", 64, 64, (56, 56), 256, (1, 1)),
    layer("resnet_3x3_128", 64, 128, (28, 28), 128, (3, 3), padding=1),
    layer("resnet_3x3_256", 64, 256, (14, 14), 256, (3, 3), padding=1),
    layer("resnet_3x3_512", 64, 512, (7, 7), 512, (3, 3), padding=1),
    layer("resnet_down_1x1", 64, 256, (56, 56), 512, (1, 1), stride=2),
    layer("vgg_3x3_64", 32, 64, (224, 224), 64, (3, 3), padding=1),
    layer("vgg_3x3_256", 32, 256, (56, 56), 256, (3, 3), padding=1),
    layer("vgg_3x3_512", 32, 512, (28, 28), 512, (3, 3), padding=1),
    layer("vit_patch_16", 64, 3, (224, 224), 768, (16, 16), stride=16),
    layer("mobilenet_dw_3x3_96", 64, 96, (112, 112), 96, (3, 3), stride=2, padding=1, groups=96),
    layer("mobilenet_dw_3x3_384", 64, 384, (14, 14), 384, (3, 3), padding=1, groups=384),
    layer("mobilenet_pw_96_24", 64, 96, (56, 56), 24, (1, 1)),
    layer("efficientnet_dw_5x5_240", 64, 240, (28, 28), 240, (5, 5), padding=2, groups=240),
    layer("resnext_3x3_32_groups", 64, 256, (28, 28), 256, (3, 3), padding=1, groups=32),
    layer("deeplab_3x3_dilated", 16, 512, (33, 33), 512, (3, 3), padding=4, dilation=4),
    layer("audio_conv1d_512", 16, 512, (8000,), 512, (3,), padding=1),
    layer("audio_stem_conv1d", 16, 1, (160000,), 512, (10,), stride=5),
    layer("video_3x3x3_64", 8, 64, (16, 56, 56), 64, (3, 3, 3), padding=1),
    layer("decoder_4x4_s2_256", 32, 256, (32, 32), 128, (4, 4), stride=2, padding=1, transposed=True),
    layer("unet_up_2x2_512", 16, 512, (32, 32), 256, (2, 2), stride=2, transposed=True),
    layer("decoder_3x3_s2_op1", 32, 128, (64, 64), 64, (3, 3), stride=2, padding=1, output_padding=1, transposed=True),
    layer("video_up_3d", 4, 64, (8, 32, 32), 32, (4, 4, 4), stride=2, padding=1, transposed=True),
]


def out_of(l: dict[str, Any]) -> list[int]:
    rows = zip(l["size"], l["filter"], l["stride"], l["padding"], l["dilation"], l["output_padding"])
    if l["transposed"]:
        return [(n - 1) * s - 2 * p + d * (f - 1) + 1 + e for n, f, s, p, d, e in rows]
    return [(n + 2 * p - d * (f - 1) - 1) // s + 1 for n, f, s, p, d, _ in rows]


def program_of(l: dict[str, Any], form: str, backend: str = "auto") -> str:
    rank, last = l["rank"], LAST[l["rank"]]
    numbers = lambda values: "[" + ", ".join(map(str, values)) + "]"
    weight = [l["channels"], l["results"] // l["groups"]] if l["transposed"] else [l["results"], l["channels"] // l["groups"]]
    kind = "f16" if form == "nhwc" else "f32"
    options = [f"{key}={numbers(l[key])}" for key in ("stride", "padding", "dilation") if any(v != (0 if key == "padding" else 1) for v in l[key])]
    if any(l["output_padding"]):
        options.append(f"output_padding={numbers(l['output_padding'])}")
    if l["groups"] > 1:
        options.append(f"groups={l['groups']}")
    swap = [1, 0, *range(2, rank + 2)]
    depthwise = l["groups"] == l["channels"]
    turn = [*range(2, rank + 2), 1, 0] if depthwise else swap  # filters of depthwise ones have their channels last
    back = [turn.index(d) for d in range(rank + 2)]
    if depthwise:
        filters, use = f"prepack(to(permute(W, {numbers(turn)}), row))", f"permute(Wc, {numbers(back)})"
    elif l["transposed"]:
        filters, use = f"prepack(to(permute(W, {numbers(turn)}), {last}))", f"permute(Wc, {numbers(back)})"
    else:
        filters, use = f"prepack(to(W, {last}))", "Wc"
    name = f"conv_transpose{rank}d" if l["transposed"] else f"conv{rank}d"
    direct = form == "nchw" and depthwise
    lines = ["target sm_90a", "precision tf32" if form == "nchw" else "precision f16",
             f"input x: {kind}{numbers([l['batch'], l['channels'], *l['size']])}{' @' + last if form == 'nhwc' else ''}",
             f"param W: {kind}{numbers([*weight, *l['filter']])}"]
    if not direct:
        lines.append(f"Wc = {filters}")
    if form == "nchw" and not direct:
        lines.append(f"xc = to(x, {last})")
    source, filter_ = ("xc" if form == "nchw" and not direct else "x"), ("W" if direct else use)
    end = " >> to(row)" if form == "nchw" and not direct else ""
    knob = "" if backend == "auto" else f".backend({backend})"
    lines += [f"y = {name}({', '.join([source, filter_, *options])}){knob}{end}", "return y"]
    return "\n".join(lines) + "\n"


def build(task: tuple[dict[str, Any], str, str], options: argparse.Namespace) -> dict[str, Any]:
    l, form, backend = task
    folder = Path(options.work).resolve() / f"{l['name']}_{form}_{backend}"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "program.uc").write_text(program_of(l, form, backend))
    why = compiled(options.build, folder)
    record = {"layer": l["name"], "form": form, "backend": backend, "program": program_of(l, form, backend), "folder": str(folder)}
    if why:
        return {**record, "error": why.replace(f"{folder}/", "")}
    return {**record, "ran": ran(options.build, folder / "program.uc")}


def ran(build_: str, program: Path) -> str:
    """The back end that the last step of a program was given to."""
    said = subprocess.run([f"{build_}/ucutlass", "explain", program], capture_output=True, text=True, check=True).stdout
    step = "\n" + said[said.rindex("\ny") if "\ny" in said else 0:]
    can = re.findall(r"^  (\S+): can$", step, re.M)
    named = re.search(r"\.backend\((\w+)\).*<- chosen", step)
    return next(each for each in can if named is None or each.startswith(named[1] + "."))


def block_us(graph: Any, turns: int) -> float:
    return span_us(graph.replay, turns) / CALLS


def measure(record: dict[str, Any]) -> dict[str, Any]:
    import torch
    import torch.nn.functional as F
    torch.backends.cudnn.benchmark = True
    torch.backends.cudnn.allow_tf32 = torch.backends.cuda.matmul.allow_tf32 = True
    l = next(each for each in LAYERS if each["name"] == record["layer"])
    model = model_in(Path(record["folder"]))
    kind = torch.float16 if record["form"] == "nhwc" else torch.float32
    torch.manual_seed(1)
    weight_shape = [l["channels"], l["results"] // l["groups"]] if l["transposed"] else [l["results"], l["channels"] // l["groups"]]
    x = torch.randn(l["batch"], l["channels"], *l["size"], device="cuda").to(kind)
    w = (torch.randn(*weight_shape, *l["filter"], device="cuda") / math.sqrt(l["channels"] / l["groups"] * math.prod(l["filter"]))).to(kind)
    model._params()[0].data = w
    given = {key: l[key] for key in ("stride", "padding", "dilation")} | {"groups": l["groups"]}
    function = getattr(F, f"conv_transpose{l['rank']}d" if l["transposed"] else f"conv{l['rank']}d")
    if l["transposed"]:
        given["output_padding"] = l["output_padding"]
    if record["form"] == "nhwc":
        order = [0, *range(2, l["rank"] + 2), 1]
        mine = torch.empty_strided(x.shape, x.permute(order).contiguous().permute([0, l["rank"] + 1, *range(1, l["rank"] + 1)]).stride(), dtype=kind, device="cuda").copy_(x)
        memory = {2: torch.channels_last, 3: torch.channels_last_3d}.get(l["rank"])
        theirs, their_w = (x.contiguous(memory_format=memory), w.contiguous(memory_format=memory)) if memory else (x, w)
    else:
        mine, theirs, their_w = x, x, w
    ours, cudnn = (lambda: model(mine)), (lambda: function(theirs, their_w, **given))
    exact = function(x[:2].double(), w.double(), **given)
    error = lambda y: ((y[:2].double() - exact).square().mean().sqrt() / exact.square().mean().sqrt()).item()
    out = {"error": error(ours()), "cudnn_error": error(cudnn())}
    graphs = [graph_of(call, CALLS, warm=3) for call in (ours, cudnn)]
    turns = [max(1, int(2000 / max(1e-3, block_us(graph, 2)) / CALLS)) for graph in graphs]
    times: list[list[float]] = [[], []]
    for _ in range(BLOCKS):
        for i in (0, 1):
            times[i].append(block_us(graphs[i], turns[i]))
    us, cudnn_us = (statistics.median(t) for t in times)
    flops = 2 * math.prod([l["batch"], l["channels"] // l["groups"], l["results"], *l["filter"], *(l["size"] if l["transposed"] else out_of(l))])
    return {**record, **out, "us": us, "cudnn_us": cudnn_us, "speedup": cudnn_us / us, "tflops": flops / us / 1e6}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=str(ROOT / "build"))
    parser.add_argument("--work", default=str(ROOT / "build/conv_layers"))
    parser.add_argument("--layers", default="")
    parser.add_argument("--only", choices=["nhwc", "nchw"])
    parser.add_argument("--backends", default="auto", help="with others beside auto, a row each where the check accepts them")
    parser.add_argument("--jobs", type=int, default=max(1, (os.cpu_count() or 2) - 2))
    parser.add_argument("--check", action="store_true", help="only say whether the programs are accepted: needs no GPU")
    parser.add_argument("-o", "--output", type=Path)
    options = parser.parse_args()
    wanted = set(options.layers.split(",")) if options.layers else {l["name"] for l in LAYERS}
    tasks = [(l, form, backend) for form in ("nhwc", "nchw") if options.only in (None, form) for l in LAYERS if l["name"] in wanted
             for backend in options.backends.split(",")]
    if options.check:
        Path(options.work).mkdir(parents=True, exist_ok=True)
        refused = 0
        for l, form, backend in tasks:
            path = Path(options.work) / f"{l['name']}_{form}_{backend}.uc"
            path.write_text(program_of(l, form, backend))
            done = subprocess.run([f"{options.build}/ucutlass", "explain", path], capture_output=True, text=True)
            refused += done.returncode != 0
            said = done.stdout if done.returncode == 0 else done.stderr
            print(f"{l['name']:<26}{form}  ", "refused: " + said[:300] if done.returncode != 0 else said.strip().splitlines()[-1])
        return 1 if refused else 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        built = list(pool.map(lambda task: build(task, options), tasks))
    done = []
    print(f"{'layer':<26}{'form':<6}{'back end':<10}{'ours us':>10}{'cuDNN us':>10}{'ratio':>8}{'TFLOP/s':>9}{'error':>10}{'cuDNN err':>10}")
    for record in built:
        result = record if "error" in record else measure(record)
        done.append(result)
        if "us" in result:
            print(f"{result['layer']:<26}{result['form']:<6}{result['backend']:<10}{result['us']:>10.1f}{result['cudnn_us']:>10.1f}{result['speedup']:>8.3f}{result['tflops']:>9.1f}"
                  f"{result['error']:>10.1e}{result['cudnn_error']:>10.1e}", flush=True)
        else:
            print(f"{record['layer']:<26}{record['form']:<6}{record['backend']:<10} does not build: {record['error']}", flush=True)
    for form in ("nhwc", "nchw"):
        ratios = [r["speedup"] for r in done if r["form"] == form and r["backend"] == "auto" and "speedup" in r]
        if ratios:
            print(f"geomean over cuDNN, {form}, {len(ratios)} layers: {math.exp(statistics.fmean(map(math.log, ratios))):.3f}")
    if options.output:
        options.output.parent.mkdir(parents=True, exist_ok=True)
        keep = [{k: v for k, v in r.items() if k != "folder"} for r in done]
        options.output.write_text(json.dumps({"schema": "ucutlass.conv_layers/1", "date": time.strftime("%Y-%m-%d"), "device": device_name(), "layers": keep}, indent=1) + "\n")
    return 0 if all("us" in r for r in done if r["backend"] == "auto") else 1


if __name__ == "__main__":
    sys.exit(main())
