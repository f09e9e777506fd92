#!/usr/bin/env python3
"""Holds the choices of NVIDIA's nvidia-matmul-heuristics (PyPI) against those of our cost model, on times that were measured already.

    python3 -m venv v && v/bin/pip install nvidia-matmul-heuristics==0.1.0.27
    v/bin/python bench/matmul_heuristics.py bench/results/h200_gemm_grid_f16.json -o bench/results/h200_matmul_heuristics.json

No GPU is needed: the grid holds every legal member of our default knobs on 39 shapes, with the time of each on one H200. A suggestion of
NVIDIA's names a tile, a cluster, stages, an order of tiles and parts of K, and no schedule. It is looked up by tile and cluster; of what was
measured with these the fastest is taken (`best`: the most favourable reading, schedule and order being left open) and the slowest
(`worst`). Suggestions that differ in warp tiles or stages alone are one. Suggestions that the grid does not hold (tile K other than 64, parts
of K, small tiles) have no time: theirs are taken in the library's order, and those that the grid does not hold are passed over. So this
compares two orders of one list of kernels, not what either could find beyond it. Ratios are of the best time of the grid, so 1 is the best
there is; ours are those that the file records for the model of its commit."""
from __future__ import annotations

import argparse
import datetime
import json
import math
import os
import pathlib
import re
from typing import Any

KEPT: list[Any] = []  # 0.1.0.27 crashes where it closes its library: it stays open, and the process ends without cleaning up
PRECISION = "HSH"  # operands f16, computed in f32, result f16


def suggestions(count: int, shapes: list[dict[str, Any]]) -> tuple[list[list[dict[str, int]]], str]:
    from importlib.metadata import version

    import nvMatmulHeuristics as nvmmh

    flags = nvmmh.NvMatmulHeuristicsFlags.PERF_MODEL_BASED_AUTO_TUNING
    library = nvmmh.NvMatmulHeuristicsInterface(nvmmh.NvMatmulHeuristicsTarget.CUTLASS3, precision=PRECISION, flags=flags)
    layout = nvmmh.NvMatmulHeuristicsMatmulLayout.NT_ROW_MAJOR  # y = x W^T, all rows contiguous
    hardware = library.createHardwareDescriptor()
    library.setHardwarePredefinedGpu(hardware, nvmmh.NvMatmulHeuristicsNvidiaGpu.H200_SXM)
    library.loadInternalDiscoverySet(layout, hardware)
    out = []
    for shape in shapes:
        found = library.get_with_mnk(shape["m"], shape["n"], shape["k"], layout, 16 * count, hardware)
        different: list[dict[str, int]] = []
        for kernel in (each["kernel"] for each in found):
            each = {"tile_m": kernel.cta_tile_m, "tile_n": kernel.cta_tile_n, "tile_k": kernel.cta_tile_k, "cluster_m": kernel.cluster_m,
                    "cluster_n": kernel.cluster_n, "split_k": kernel.split_k}
            if each not in different:
                different.append(each)
        out.append(different)
    KEPT.append(library)
    return out, version("nvidia-matmul-heuristics")


def key_of(knobs: str) -> tuple[int, ...]:
    tile = re.search(r"\.tile\((\d+)x(\d+)x(\d+)\)", knobs)
    cluster = re.search(r"\.cluster\((\d+)x(\d+)\)", knobs)
    assert tile and cluster, knobs
    return (*map(int, tile.groups()), *map(int, cluster.groups()))


def times_of(grid: dict[str, Any], shape: dict[str, Any]) -> dict[tuple[int, ...], list[float]]:
    out: dict[tuple[int, ...], list[float]] = {}
    for kernel, _raster, _swizzle, us in shape["grid"]:
        out.setdefault(key_of(grid["kernels"][kernel]), []).append(us)
    return out


def geomean(values: list[float]) -> float:
    return round(math.exp(sum(map(math.log, values)) / len(values)), 4) if values else math.nan


def row_of(shape: dict[str, Any], times: dict[tuple[int, ...], list[float]], asked: list[dict[str, int]], count: int) -> dict[str, Any]:
    fastest = min(us for each in times.values() for us in each)
    found = []
    for each in asked:
        key = (each["tile_m"], each["tile_n"], each["tile_k"], each["cluster_m"], each["cluster_n"])
        if each["split_k"] == 1 and key in times:
            found.append(times[key])
    row = {name: shape[name] for name in ("m", "n", "k")} | {
        "best_us": fastest, "ours_first": shape["first_of_model"], "ours_eight": shape["eight_of_model"],
        "suggested": [f"{s['tile_m']}x{s['tile_n']}x{s['tile_k']} {s['cluster_m']}x{s['cluster_n']} split {s['split_k']}" for s in asked],
        "measured": len(found)}
    if found:
        row |= {"theirs_first_best": round(fastest / min(found[0]), 4), "theirs_first_worst": round(fastest / max(found[0]), 4),
                "theirs_eight_best": round(fastest / min(us for each in found[:count] for us in each), 4)}
    return row


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("grid", type=pathlib.Path)
    parser.add_argument("--count", type=int, default=8)
    parser.add_argument("-o", "--output", type=pathlib.Path)
    options = parser.parse_args()
    grid = json.loads(options.grid.read_text())
    asked, version = suggestions(options.count, grid["shapes"])
    rows = [row_of(shape, times_of(grid, shape), each, options.count) for shape, each in zip(grid["shapes"], asked, strict=True)]
    known = [row for row in rows if row["measured"]]
    summary = {
        "shapes": len(rows),
        "suggestions a shape": {"all": round(sum(len(r["suggested"]) for r in rows) / len(rows), 1),
                                "in the grid": round(sum(r["measured"] for r in rows) / len(rows), 1)},
        "shapes with a suggestion in the grid": len(known),
        "on these, first choice, share of the best time": {"theirs, schedule and order at best": geomean([r["theirs_first_best"] for r in known]),
                                                           "theirs, schedule and order at worst": geomean([r["theirs_first_worst"] for r in known]),
                                                           "ours": geomean([r["ours_first"] for r in known])},
        "on these, best of eight": {"theirs, schedule and order at best": geomean([r["theirs_eight_best"] for r in known]),
                                    "ours": geomean([r["ours_eight"] for r in known])},
    }
    document = {"what": "nvidia-matmul-heuristics beside our cost model, both on recorded times", "command": "see bench/matmul_heuristics.py",
                "date": datetime.date.today().isoformat(), "package": f"nvidia-matmul-heuristics {version}", "times": options.grid.name,
                "times_commit": grid["commit"], "summary": summary, "shapes": rows}
    text = json.dumps(document, indent=1) + "\n"
    if options.output:
        options.output.write_text(text)
    print(json.dumps(summary, indent=1), flush=True)
    os._exit(0)


if __name__ == "__main__":
    main()
