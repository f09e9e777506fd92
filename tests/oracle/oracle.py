#!/usr/bin/env python3
"""Asks CUTLASS about the programs that uc_oracle wrote, with g++ alone: no nvcc, no GPU.

    build/tests/oracle/uc_oracle rules FOLDER
    tests/oracle/oracle.py FOLDER --cutlass DIR -o tests/oracle/rules_cutlass42.txt

DIR holds include/ and tools/util/include/ of CUTLASS 4.2 to 4.7. One line a kernel, with the hash of its program and of the sources emitted for it:

    NAME 0123456789abcdef: compiles stages 4 smem 215040 threads 384 grid 2x66x1; can_implement ok; launch ok
    NAME 0123456789abcdef: refused cute/arch/mma_sm90.hpp:370: static assertion failed: ...
    NAME 0123456789abcdef: no source: why this compiler emits nothing for it

`launch` is what the documentation of the CUDA driver says of the descriptors and of the launch (probe.h).
Programs that the checker accepts must compile, launch and have the modelled shared memory: else the exit code is 1.
About 8 s for the precompiled header, then 1.5 s a kernel, 0.8 s for its types alone (they are compiled eight at a
time; what is expected to be refused, one by one).
"""
import argparse
import dataclasses
import hashlib
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent


@dataclasses.dataclass
class Case:
    name: str
    hash: str  # of the program and of its kernels' sources
    errors: str  # ids, or "accepted"
    kernels: int
    models: list[str]
    no_source: str

    @property
    def accepted(self) -> bool:
        return self.errors == "accepted"


def read_cases(folder: pathlib.Path) -> list[Case]:
    cases = []
    for line in (folder / "cases.tsv").read_text().splitlines():
        name, key, errors, kernels, models, no_source = line.split("\t")
        cases.append(Case(name, key, errors, int(kernels), models.split("|"), no_source))
    return cases


def headers(folder: pathlib.Path) -> str:
    """What the precompiled header includes: all headers of the emitted sources, in their order."""
    seen = {"uc_host_shim.h": None}
    for path in sorted(folder.glob("uck_*.cu")):
        for name in re.findall(r'^#include "([^"]+)"', path.read_text(), re.M):
            seen[name] = None
    names = [*seen, "uc_kernel_args.h", str(HERE / "probe.h")]
    return "#define UC_HOST_HALF\n" + "".join(f'#include "{name}"\n' for name in names) + "#include <string.h>\n"


class Compiler:
    """g++ with the flags of the project's split build, and a precompiled header in the folder."""

    def __init__(self, folder: pathlib.Path, cutlass: pathlib.Path, cuda: pathlib.Path):
        if not (cutlass / "include/cutlass/cutlass.h").exists():
            sys.exit(f"no CUTLASS in {cutlass}: it has no include/cutlass/cutlass.h")
        self.folder = folder
        self.cutlass = cutlass
        system = [cuda, cuda / "cccl", cutlass / "include", cutlass / "tools/util/include"]
        self.flags = ["-std=c++17", "-O0", "-w", "-fpermissive", "-DNDEBUG", "-pipe", "-ffunction-sections"]
        self.flags += [f"-I{folder}", f"-I{HERE}"]
        for path in system:
            self.flags += ["-isystem", str(path)]
        text = headers(folder)
        key = hashlib.sha256((text + " ".join(self.flags) + (HERE / "probe.h").read_text()).encode())
        self.header = folder / f"pre_{key.hexdigest()[:12]}.h"
        if not self.header.with_suffix(".h.gch").exists():
            self.header.write_text(text)
            self.run(["-x", "c++-header", str(self.header), "-o", f"{self.header}.gch"], check=True)

    def run(self, arguments: list[str], check: bool = False) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(["nice", "g++", *self.flags, *arguments], capture_output=True, text=True, check=False)
        if check and done.returncode != 0:
            sys.exit(done.stderr[-4000:])
        return done

    def types(self, probes: list[str], models: dict[str, str]) -> tuple[list[str], str]:
        """As `batch`, without code: half the time. Modelled numbers are asserted, others are not asked for."""
        source = self.folder / "types.cpp"
        rows, lines = [], []
        for probe in probes:
            rows.append(f'#include "{probe}.probe.h"\n')
            numbers = re.findall(r"\d+", models[probe])
            if numbers:
                rows.append(
                    f'static_assert(uc_oracle::same(facts_{probe}, {{{", ".join(numbers)}}}), "the model differs");\n'
                )
            lines.append(f"{probe}: compiles {models[probe]}; types alone")
        source.write_text(f'#include "{self.header.name}"\n{"".join(rows)}')
        done = self.run(["-fmax-errors=3", "-fsyntax-only", str(source)])
        return (lines, "") if done.returncode == 0 else ([], done.stderr)

    def batch(self, probes: list[str]) -> tuple[list[str], str]:
        """Lines that the probes print, or what the compiler says when they do not compile together."""
        source = self.folder / "batch.cpp"
        rows = "".join(f'#include "{probe}.probe.h"\n' for probe in probes)
        calls = "".join(f"  uc_oracle::report(probe_{probe});\n" for probe in probes)
        source.write_text(f'#include "{self.header.name}"\n{rows}int main() {{\n{calls}}}\n')
        program = self.folder / "batch"
        done = self.run(["-fmax-errors=3", str(source), "-o", str(program), "-Wl,--gc-sections"])
        if done.returncode != 0:
            return [], done.stderr
        ran = subprocess.run([str(program)], capture_output=True, text=True, check=False, timeout=60)
        if ran.returncode != 0:
            return [], f"the probes end with {ran.returncode}: error: {ran.stdout[-500:]}"
        return ran.stdout.splitlines(), ""

    def first_error(self, text: str) -> str:
        for line in text.splitlines():
            found = re.match(r"(.*?):(\d+):(?:\d+:)? (?:fatal )?(?:error: )?((?<=error: ).*|undefined reference.*)", line)
            if found:
                path = found[1].replace(f"{self.cutlass / 'include'}/", "").replace(f"{self.folder}/", "")
                return f"{path}:{found[2]}: {found[3][:240]}"
        return text.splitlines()[0][:240] if text else "no message"

    def ask(self, probes: list[str], models: dict[str, str], types: bool) -> list[str]:
        """A line a probe; a batch that does not compile is halved until the culprits stand alone."""
        lines, said = self.types(probes, models) if types else self.batch(probes)
        if not said:
            return lines
        if len(probes) == 1:
            return [f"{probes[0]}: refused {self.first_error(said)}"]
        half = len(probes) // 2
        return self.ask(probes[:half], models, types) + self.ask(probes[half:], models, types)


def kept(record: pathlib.Path | None) -> dict[str, list[str]]:
    """Answers of the record, by "NAME HASH"."""
    answers: dict[str, list[str]] = {}
    if record and record.exists():
        for line in record.read_text().splitlines():
            if not line.startswith("#"):
                key, answer = line.split(": ", 1)
                answers.setdefault(key, []).append(answer)
    return answers


def split(names: list[str], size: int) -> list[list[str]]:
    return [names[i : i + size] for i in range(0, len(names), size)]


def gather(compiler: Compiler, cases: list[Case], args: argparse.Namespace) -> dict[str, str]:
    models = {f"{case.name}_{i}": case.models[i] for case in cases for i in range(case.kernels)}
    accepted = [[f"{case.name}_{i}" for i in range(case.kernels)] for case in cases if case.accepted]
    rejected = [[f"{case.name}_{i}"] for case in cases if not case.accepted for i in range(case.kernels)]
    every = args.run_every
    run = [name for at, names in enumerate(accepted) if at % every == every - 1 for name in names]
    types = [name for at, names in enumerate(accepted) if at % every != every - 1 for name in names]
    batches = [(names, True) for names in split(types, args.batch)]
    batches += [(names, False) for names in split(run, args.batch) + rejected]
    answers = {}
    for done, (batch, no_code) in enumerate(batches):
        for name, line in zip(batch, compiler.ask(batch, models, no_code), strict=True):
            answers[name] = line.split(": ", 1)[1]
        refused = [f"{name} {answers[name]}" for name in batch if not answers[name].startswith("compiles")]
        print(f"{done + 1}/{len(batches)}", *refused, sep="\n  ", file=sys.stderr, flush=True)
    return answers


def faults_of(case: Case, answers: list[str]) -> list[str]:
    """What is wrong for a program that the checker accepts."""
    out = []
    for answer, model in zip(answers, case.models, strict=True):
        if not answer.startswith("compiles"):
            out.append(answer)
        elif not answer.endswith(("; launch ok", "; types alone")):
            out.append(answer)
        elif model and not answer.startswith((f"compiles {model} ", f"compiles {model};")):
            out.append(f"{answer}, and the model says {model}")
    return out


def ask(args: argparse.Namespace, cases: list[Case]) -> tuple[list[str], int, int]:
    """The record's lines, kernels asked, and accepted programs that are wrong."""
    known = kept(args.output) if args.keep else {}
    fresh = [case for case in cases if f"{case.name} {case.hash}" not in known]
    answers = {}
    if any(case.kernels for case in fresh):
        compiler = Compiler(args.folder.resolve(), args.cutlass.resolve(), args.cuda)
        answers = gather(compiler, fresh, args)
    rows, wrong = [], 0
    for case in cases:
        key = f"{case.name} {case.hash}"
        said = known.get(key) or [answers[f"{case.name}_{i}"] for i in range(case.kernels)]
        rows += [f"{key}: {answer}" for answer in said or [f"no source: {case.no_source}"]]
        faults = faults_of(case, said) if case.accepted and case.kernels else []
        wrong += bool(faults)
        for fault in faults:
            print(f"WRONG {case.name}: accepted, and {fault}", file=sys.stderr)
    return rows, len(answers), wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--cutlass", type=pathlib.Path, required=True)
    parser.add_argument("--cuda", type=pathlib.Path, default=pathlib.Path("/usr/local/cuda/include"))
    parser.add_argument("--batch", type=int, default=8, help="kernels compiled at once")
    parser.add_argument(
        "--run-every",
        type=int,
        default=1,
        help="prepare launches of every so many accepted programs; of the others instantiate the types alone",
    )
    parser.add_argument("--keep", action="store_true", help="ask only about programs that the record lacks")
    parser.add_argument("-o", "--output", type=pathlib.Path, help="the record; default: standard output")
    args = parser.parse_args()
    cases = read_cases(args.folder)
    rows, asked, wrong = ask(args, cases)
    version = (args.cutlass / "include/cutlass/version.h").read_text()
    numbers = ".".join(re.findall(r"#define CUTLASS_M(?:AJOR|INOR) (\d+)", version))
    title = f"# Printed by tests/oracle/oracle.py with CUTLASS {numbers}; `make test-oracle` writes it again.\n"
    text = title + "\n".join(rows) + "\n"
    if args.output:
        args.output.write_text(text)
    else:
        print(text, end="")
    compiled = sum(1 for row in rows if ": compiles " in row)
    print(
        f"{len(cases)} programs, {asked} kernels asked about, {compiled} compile, {wrong} accepted ones are wrong",
        file=sys.stderr,
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
