#!/usr/bin/env python3
"""Writes random programs of one convolution each, for the check (which must find a kernel for every one), and for the GPU.

    python3 tests/gpu/random_convs.py FOLDER [--count 200] [--seed 1] [--check build/ucutlass]
    python3 tests/gpu/run_programs.py FOLDER          # on the GPU: right, and the same bits every time

With --check each program is held against `ucutlass check`, and a table says which back ends were chosen. Exit code 1: some program
is refused."""
from __future__ import annotations

import argparse
import collections
import random
import re
import subprocess
import sys
from pathlib import Path

LAYOUT = {1: "nwc", 2: "nhwc", 3: "ndhwc"}


def number_list(values: list[int]) -> str:
    return str(values[0]) if len(set(values)) == 1 else "[" + ", ".join(map(str, values)) + "]"


class Conv:
    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.rank = rng.choice([1, 2, 2, 2, 2, 3])
        self.transposed = rng.random() < 0.35
        self.dtype, self.precision = rng.choice([("f16", "strict"), ("f16", "strict"), ("bf16", "strict"), ("f32", "tf32"), ("f32", "strict"), ("f64", "strict")])
        self.groups = rng.choice([1, 1, 1, 1, 2, 3, 4])
        self.channels = self.groups * rng.choice([1, 2, 3, 4, 5, 8, 16, 24, 32])
        self.results = self.groups * rng.choice([1, 2, 3, 8, 12, 16, 32, 40])
        if rng.random() < 0.2:
            self.groups = self.channels = self.results = rng.choice([4, 7, 16, 24, 64])
        self.filter = [rng.choice([1, 2, 3, 3, 4, 5, 7]) if self.rank < 3 else rng.choice([1, 2, 3]) for _ in range(self.rank)]
        if rng.random() < 0.15:
            self.filter = [1] * self.rank
        self.stride = [rng.choice([1, 1, 1, 2, 3]) for _ in range(self.rank)]
        self.dilation = [rng.choice([1, 1, 1, 2, 3]) for _ in range(self.rank)]
        spans = [(f - 1) * d + 1 for f, d in zip(self.filter, self.dilation)]
        self.size = [rng.randint(1, 20 if self.rank < 3 else 7) for _ in range(self.rank)]
        if self.transposed:
            self.padding = [rng.randint(0, span - 1) for span in spans]
            self.extra = [rng.randint(0, max(s, d) - 1) for s, d in zip(self.stride, self.dilation)]
            self.out = [(n - 1) * s - 2 * p + span + e for n, s, p, span, e in zip(self.size, self.stride, self.padding, spans, self.extra)]
        else:
            self.padding = [rng.randint(0, span) for span in spans]
            self.extra = [0] * self.rank
            self.size = [max(n, span - 2 * p) for n, span, p in zip(self.size, spans, self.padding)]
            self.out = [(n + 2 * p - span) // s + 1 for n, p, span, s in zip(self.size, self.padding, spans, self.stride)]

    def good(self) -> bool:
        return all(n > 0 for n in self.out)

    def text(self) -> str:
        rng, batch = self.rng, self.rng.choice([1, 2, 3])
        last = f" @{LAYOUT[self.rank]}"
        sizes = lambda values: ", ".join(map(str, values))
        shape = [self.channels, self.results // self.groups] if self.transposed else [self.results, self.channels // self.groups]
        out = sizes([batch, self.results, *self.out])
        lines = ["target sm_90a", f"precision {self.precision}",
                 f"input x: {self.dtype}[{sizes([batch, self.channels, *self.size])}]{rng.choice(['', last])}",
                 f"param W: {self.dtype}[{sizes([*shape, *self.filter])}]{rng.choice(['', last])}",
                 f"param b: {self.dtype}[{self.results}]",
                 f"input r: {self.dtype}[{out}]{rng.choice(['', last])}"]
        options = [("stride", self.stride, 1), ("padding", self.padding, 0), ("output_padding", self.extra, 0), ("dilation", self.dilation, 1)]
        settings = [f"{name}={number_list(values)}" for name, values, usual in options if any(v != usual for v in values)]
        if self.groups > 1:
            settings.append(f"groups={self.groups}")
        name = f"conv_transpose{self.rank}d" if self.transposed else f"conv{self.rank}d"
        knob = rng.choice(["", "", "", ".algorithm(direct)", ".algorithm(implicit_gemm)"])
        chain = rng.choice(["", " >> bias(b)", " >> bias(b) >> relu()", " >> residual(r)", " >> bias(b) >> add(r) >> tanh()", " >> store() >> mul(0.5)"])
        lay = rng.choice(["", f" >> to({LAYOUT[self.rank]})", " >> to(row)"])
        names = "s, y" if "store" in chain else "y"
        lines += [f"{names} = {name}({', '.join(['x', 'W', *settings])}){knob}{chain}{lay}", f"return {names}"]
        return "\n".join(lines) + "\n"


def checked(tool: str, path: Path) -> tuple[bool, str]:
    done = subprocess.run([tool, "explain", path], capture_output=True, text=True)
    chosen = re.search(r"^.*<- chosen", done.stdout, re.M)
    if done.returncode != 0 or chosen is None:
        return False, (done.stderr or done.stdout)[:600]
    backend = re.search(r"\.backend\((\w+)\)", chosen[0])
    can = re.findall(r"^  (\S+): can$", done.stdout, re.M)
    return True, f"{backend[1]}" if backend else can[0]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--check", default="")
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    rng, written, refused, used = random.Random(args.seed), 0, 0, collections.Counter()
    while written < args.count:
        conv = Conv(rng)
        if not conv.good():
            continue
        path = args.folder / f"conv_{args.seed}_{written:03d}.uc"
        path.write_text(conv.text())
        written += 1
        if args.check:
            good, what = checked(args.check, path)
            used[what if good else "refused"] += 1
            if not good:
                refused += 1
                print(f"== {path}\n{path.read_text()}{what}")
    print(f"{written} programs in {args.folder}", dict(used) if args.check else "")
    return 1 if refused else 0


if __name__ == "__main__":
    sys.exit(main())
