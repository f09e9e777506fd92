#!/usr/bin/env python3
"""Speed of light beside NVlabs/SOLAR's, both held against figures worked out by hand: docs/sol_peer.md.

    python3 bench/sol_peer.py            # writes the page's tables: the peer's figures as recorded, ours as they are now
    python3 bench/sol_peer.py --check    # fails when the page says something else
    python3 bench/sol_peer.py --measure SOLAR KERNELBENCH TORCHVIEW    # runs the peer (checkouts), records its figures;
                                         # with --suite of every problem that it needs no gigabytes for

The first two need a build (build/ucutlass, or $UCUTLASS) and nothing else. The last needs torch, pyyaml, networkx, einops,
pandas, scipy, matplotlib and graphviz in the python that runs it.
"""
from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RECORD = ROOT / "bench/results/sol_peer.json"
PAGE = ROOT / "docs/sol_peer.md"
SMALL = ROOT / "bench/sol_peer"
BEGIN, END = "<!-- {}: made by bench/sol_peer.py -->\n", "<!-- end -->\n"

# An H100 PCIe as a hand counts it (src/devices/nvidia_hopper.cpp), and as its datasheet has TF32 and memory.
TF32, MEMORY, L2 = 2048 * 114 * 1755e6, 5120 * 3.186e9 / 8, 52428800
SHEET_TF32, SHEET_MEMORY = 378e12, 2.0388e12


# ---- by hand

def references() -> dict[tuple[int, int], dict]:
    """Figures of tests/sol by (level, id): the tables there are C++ whose expressions are Python's too."""
    out = {}
    for path in sorted((ROOT / "tests/sol").glob("reference_*_test.cpp")):
        text = re.sub(r"//[^\n]*", "", path.read_text())
        for case in re.findall(r"\{(\.level.*?)\}", text, re.S):
            fields = dict(re.findall(r"\.(\w+) =\s*(.*?)(?=,\s*\.|\s*$)", case.strip(), re.S))
            value = {key: eval(f"({term})", {"kWeight": 19 / 8}) for key, term in fields.items()}  # arithmetic of this repository
            out[value["level"], value["id"]] = value
    return out


def by_hand(value: dict) -> dict:
    dense = value.get("dense", 0)
    least = value.get("minimum", dense)
    read, written = value.get("read", 0), value["written"]
    seconds = max(least / TF32, (read + max(0, written - L2)) / MEMORY)
    return {"dense": dense, "least": least, "bytes": read + written, "ms": seconds * 1e3}


# ---- ours

def ours(path: Path) -> dict:
    program = os.environ.get("UCUTLASS", ROOT / "build/ucutlass")
    command = [program, "sol", path, "--device", "h100_pcie", "--precision", "tf32", "--calibration", "none", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{path}: {done.stderr}")
    report = json.loads(done.stdout)
    least = report["minimum"]
    return {"dense": report["work"]["dense_flops"], "least": least["minimum_flops"],
            "bytes": least["read_bytes"] + least["write_bytes"], "ms": report["certified"]["us"] / 1e3}


def capture(row: dict) -> Path:
    return next((ROOT / f"data/kernelbench/level{row['level']}").glob(f"{row['id']}_*.json"))


# ---- theirs

# Stages as SOLAR's README runs them. Inputs take no memory: it does the same with randn, zeros, ones and empty.
STAGE = """
import os, sys, torch
made = torch.rand
def rand(*shape, **more):
    more.pop("device", None)
    return made(*shape, device="meta", **more)
if os.environ["INPUTS"] == "meta": torch.rand = rand
import importlib
sys.argv = sys.argv[1:]
importlib.import_module("solar.cli." + sys.argv[0]).main()
"""


def stages(model: Path, out: Path) -> list[list[str]]:
    return [["process_model", "--model-file", model, "--output-dir", out / "graph", "--force-rerun"],
            ["toeinsum_model", "--graph-path", out / "graph/pytorch_graph.yaml", "--output-dir", out / "einsum",
             "--no-copy-graph"],
            ["analyze_model", "--einsum-graph-path", out / "einsum/einsum_graph_renamed.yaml", "--output-dir",
             out / "analysis", "--precision", "tf32"],
            ["predict_perf_model", "--analysis-path", out / "analysis/analysis.yaml", "--output-dir", out / "perf",
             "--arch-config", "H100_PCIe", "--precision", "tf32"]]


def run_peer(model: Path, environment: dict) -> dict:
    import yaml
    error = ""
    for inputs in ("meta", "real"):
        with tempfile.TemporaryDirectory() as folder:
            for stage in stages(model, Path(folder)):
                done = subprocess.run([sys.executable, "-c", STAGE, *map(str, stage)], capture_output=True, text=True,
                                      check=False, env=environment | {"INPUTS": inputs})
                if done.returncode != 0:
                    said = [line for line in done.stderr.splitlines() if re.match(r"\w*(Error|Exception)\b", line)]
                    error = f"{stage[0]}: {said[-1] if said else done.stdout.strip().splitlines()[-1]}"
                    break
            else:
                perf = yaml.safe_load((Path(folder) / "perf/perf_H100_PCIe.yaml").read_text())
                best = perf["fused_prefetched"]
                return {"flops": 2 * perf["workload"]["total_macs"], "bytes": best["memory_bytes"], "ms": best["runtime_ms"]}
    return {"error": error.split(". ")[0].rstrip(":")}


def measure(record: dict, kernelbench: Path, environment: dict) -> None:
    for row in record["problems"]:
        model = next((kernelbench / f"KernelBench/level{row['level']}").glob(f"{row['id']}_*.py"))
        row["peer"] = run_peer(model, environment)
        print(f"L{row['level']}/{row['id']}", row["peer"], flush=True)
    for row in record["programs"]:
        row["peer"] = run_peer(SMALL / f"{row['name']}.py", environment)
        print(row["name"], row["peer"], flush=True)


# Weights or inputs of several GB, which tracing makes in memory.
LARGE = {(1, 37), (2, 55), (2, 56), (3, 1), (3, 2), (3, 33)}


def measure_suite(record: dict, kernelbench: Path, environment: dict) -> None:
    record["suite_flops"] = []
    for path in sorted((ROOT / "data/kernelbench").glob("level*/*.json")):
        level, id_ = int(path.parent.name[-1]), int(path.name.split("_")[0])
        if (level, id_) in LARGE:
            continue
        model = next((kernelbench / f"KernelBench/level{level}").glob(f"{id_}_*.py"))
        record["suite_flops"].append([level, id_, run_peer(model, environment).get("flops")])


# ---- the page

def number(value: float) -> str:
    if value == 0:
        return "0"
    for size, letter in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:.4g} {letter}"
    return f"{value:.4g}"


def milliseconds(value: float) -> str:
    return "0" if value < 1e-6 else f"{value:.4g}"


def mended(peer: dict) -> float:
    return max(peer["flops"] / SHEET_TF32, peer["bytes"] / SHEET_MEMORY) * 1e3


def cells(hand: dict, own: dict, peer: dict) -> list[str]:
    failed = "error" in peer
    theirs = ["-"] * 4 if failed else [number(peer["flops"]), number(peer["bytes"]), milliseconds(peer["ms"]),
                                       milliseconds(mended(peer))]
    return [number(hand["dense"]), number(own["dense"]), theirs[0], number(hand["bytes"]), number(own["bytes"]), theirs[1],
            milliseconds(hand["ms"]), milliseconds(own["ms"]), theirs[2], theirs[3]]


HEAD = ("| {} | FLOP hand | ours | theirs | bytes hand | ours | theirs | ms hand | ours | theirs | rates mended | right |\n"
        "|---|---|---|---|---|---|---|---|---|---|---|---|\n")


def table(first: str, rows: list[tuple[str, list[str], str]]) -> str:
    return HEAD.format(first) + "".join(f"| {name} | {' | '.join(values)} | {right} |\n" for name, values, right in rows)


def tables(record: dict) -> dict[str, str]:
    hand = references()
    problems = [(f"L{row['level']}/{row['id']}", cells(by_hand(hand[row["level"], row["id"]]), ours(capture(row)), row["peer"]),
                 row["right"]) for row in record["problems"]]
    programs = [(row["name"], cells(by_hand(row["hand"]), ours(SMALL / f"{row['name']}.uc"), row["peer"]), row["right"])
                for row in record["programs"]]
    reasons = [f"- **L{row['level']}/{row['id']}** ({row['what']}): {row['why']}\n" for row in record["problems"]]
    failures = [f"- {name}: `{row['peer']['error']}`\n"
                for name, row in [(f"L{row['level']}/{row['id']}", row) for row in record["problems"]] +
                [(row["name"], row) for row in record["programs"]] if "error" in row["peer"]]
    small = [f"- **{row['name']}**: {row['why']}\n" for row in record["programs"]]
    return {"problems": table("problem", problems) + "\n" + "".join(reasons), "failures": "".join(failures),
            "programs": table("program", programs) + "\n" + "".join(small), "suite": suite(record)}


def suite(record: dict) -> str:
    """How many of KernelBench's problems both count, and where their FLOPs as written differ."""
    command = [os.environ.get("UCUTLASS", ROOT / "build/ucutlass"), "sol", ROOT / "data/kernelbench", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    own = {(row["level"], row["id"]): row["dense_flops"] for row in rows}
    theirs = {(level, id_): flops for level, id_, flops in record["suite_flops"]}
    bounded = {key: flops for key, flops in theirs.items() if flops is not None}
    named = [f"L{level}/{id_}: {number(own[level, id_])} here, {number(flops)} there" for (level, id_), flops in bounded.items()
             if abs(flops - own[level, id_]) > 1e-9 * own[level, id_]]
    stopped = ", ".join(f"L{level}/{id_}" for (level, id_), flops in theirs.items() if flops is None)
    return (f"Of {len(theirs)} problems it bounds {len(bounded)} and stops at {stopped}. FLOPs as written are the same in "
            f"{len(bounded) - len(named)}; they differ in {'; '.join(named) or 'none'}.\n")


def written(record: dict) -> str:
    """JSON of which the long list has some entries a line."""
    rows = [json.dumps(row) for row in record["suite_flops"]]
    lines = ["  " + ", ".join(rows[i:i + 8]) for i in range(0, len(rows), 8)]
    rest = json.dumps({key: value for key, value in record.items() if key != "suite_flops"}, indent=1)
    return rest[:-2] + ',\n "suite_flops": [\n' + ",\n".join(lines) + "\n ]\n}\n"


def filled(page: str, parts: dict[str, str]) -> str:
    for name, text in parts.items():
        begin = BEGIN.format(name)
        head, found, rest = page.partition(begin)
        if not found:
            sys.exit(f"{PAGE}: no line `{begin.strip()}`")
        page = head + begin + text + END + rest.partition(END)[2]
    return page


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="fail when the page is not what the figures say")
    parser.add_argument("--measure", nargs=3, type=Path, metavar=("SOLAR", "KERNELBENCH", "TORCHVIEW"))
    parser.add_argument("--suite", action="store_true", help="with --measure: all problems")
    arguments = parser.parse_args()
    record = json.loads(RECORD.read_text())
    if arguments.measure:
        solar, kernelbench, torchview = (path.resolve() for path in arguments.measure)
        paths = [torchview / "src", solar, *filter(None, os.environ.get("PYTHONPATH", "").split(":"))]
        environment = os.environ | {"PYTHONPATH": ":".join(map(str, paths))}
        measure(record, kernelbench, environment)
        if arguments.suite:
            measure_suite(record, kernelbench, environment)
        RECORD.write_text(written(record))
    page = PAGE.read_text()
    new = filled(page, tables(record))
    if not arguments.check:
        PAGE.write_text(new)
    elif new != page:
        wrong = [f"- {a}\n+ {b}" for a, b in zip(page.splitlines(), new.splitlines()) if a != b]
        sys.exit(f"{PAGE} does not say what the figures say; `python3 bench/sol_peer.py` writes it\n" + "\n".join(wrong[:10]))


if __name__ == "__main__":
    main()
