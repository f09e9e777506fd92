#!/usr/bin/env python3
"""Counts what CUTLASS said of random programs: the table of bench/results/oracle_random.json.

    build/tests/oracle/uc_oracle random FOLDER SEED 400 40
    tests/oracle/oracle.py FOLDER --cutlass DIR --run-every 4 -o FOLDER/answers.txt
    python3 bench/oracle_random.py FOLDER --commit COMMIT --seed SEED --cutlass 4.2 -o bench/results/oracle_random.json

Several FOLDERs may hold parts of one set. An accepted program is wrong when it is refused, does not launch, or has other stages or bytes than
the model. Of a rejected one that CUTLASS takes, `caught by` says whether that is what the rule claims (`nobody`: it runs, slowly or with
wrong numbers, which only a GPU shows)."""
from __future__ import annotations

import argparse
import collections
import datetime
import json
import pathlib
import re
from typing import Any


def traits(text: str) -> dict[str, str]:
    step = next(line for line in text.splitlines() if "gemm(" in line)

    def knob(name: str) -> str:
        found = re.search(rf"\.{name}\((\w+)\)", step)
        return found[1] if found else "auto"

    def layout(name: str) -> str:
        shape = re.search(rf"input {name}: \w+\[[^\]]*\](.*)", text)
        assert shape, text
        strides = re.search(r"@strides\(([^)]*)\)", shape[1])
        return "col" if "@col" in shape[1] or (strides and strides[1].split(",")[-1].strip() != "1") else "row"

    dtype = re.search(r"input a: (\w+)\[", text)
    near = re.search(r"one step from (\w+)", text)
    assert dtype, text
    return {"type": dtype[1], "math": f"{dtype[1]} as {knob('math')}", "layout": f"{layout('a')} x {layout('b')}", "schedule": knob("schedule"),
            "back end asked for": knob("backend"), "scheduler": knob("scheduler"), "one step from a rule": near[1] if near else "no"}


def read(folder: pathlib.Path) -> list[dict[str, Any]]:
    answers: dict[str, list[str]] = collections.defaultdict(list)
    for line in (folder / "answers.txt").read_text().splitlines():
        if not line.startswith("#"):
            key, answer = line.split(": ", 1)
            answers[key.split()[0]].append(answer)
    out = []
    for line in (folder / "cases.tsv").read_text().splitlines():
        name, _, errors, kernels, models, _ = line.split("\t")
        if name in answers:
            out.append({"name": name, "errors": errors, "kernels": int(kernels), "models": models.split("|"), "answers": answers[name],
                        "text": (folder / f"{name}.uc").read_text()})
    return out


def is_wrong(answer: str, model: str) -> bool:
    if not answer.startswith("compiles") or not answer.endswith(("; launch ok", "; types alone")):
        return True
    return bool(model) and not answer.startswith((f"compiles {model} ", f"compiles {model};"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path, nargs="+")
    for name in ("commit", "seed", "cutlass"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True)
    options = parser.parse_args()
    cases = {case["name"]: case for folder in options.folder for case in read(folder)}
    accepted = [case for case in cases.values() if case["errors"] == "accepted"]
    rejected = [case for case in cases.values() if case["errors"] != "accepted"]
    wrong = [case for case in accepted if any(is_wrong(a, m) for a, m in zip(case["answers"], case["models"]))]
    counts: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)
    for case in accepted:
        for key, value in traits(case["text"]).items():
            counts[key][value] += 1
    near = sum(count for rule, count in counts["one step from a rule"].items() if rule != "no")
    document = {
        "what": "random programs, accepted and forced past the rule book, as CUTLASS and the driver's documentation judge them (g++ alone)",
        "command": "see bench/oracle_random.py", "date": datetime.date.today().isoformat(), "commit": options.commit, "seed": options.seed,
        "cutlass": options.cutlass, "accepted": len(accepted), "kernels of these": sum(case["kernels"] for case in accepted),
        "launch prepared": sum(1 for case in accepted if any(a.endswith("; launch ok") for a in case["answers"])),
        "wrong": [{"name": case["name"], "answers": case["answers"], "program": case["text"]} for case in wrong], "one step from a rule": near,
        "counts": {key: dict(sorted(value.items(), key=lambda item: -item[1])) for key, value in counts.items()},
        "rejected, forced": [{"name": case["name"], "rules": case["errors"], "answers": case["answers"],
                              "step": next(line for line in case["text"].splitlines() if "gemm(" in line)} for case in rejected]}
    options.output.write_text(json.dumps(document, indent=1) + "\n")
    print(f"{len(accepted)} accepted, {len(wrong)} of them wrong, {near} one step from a rule; {len(rejected)} rejected")


if __name__ == "__main__":
    main()
