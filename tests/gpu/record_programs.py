"""Records what PyTorch answers for whole programs of the language, as expectations for our executor and kernels.

    python3 tests/gpu/record_programs.py --device cuda -o data/torch                  # on a machine with a GPU
    python3 tests/gpu/record_programs.py --device cpu -o data/torch --only reduce

The cases are those of tests/gpu/torch_cases/*.py. Writes programs_<family>_<device>.jsonl; docs/schemas/torch_programs.md
says what a line means. float64 answers are always computed on the CPU.
"""
from __future__ import annotations

import argparse
import base64
import importlib
import json
import pkgutil
import sys
from pathlib import Path
from typing import Any

import torch

sys.path.insert(0, str(Path(__file__).parent))
import torch_cases  # noqa: E402
from torch_cases import NAMES, Case, Tensor  # noqa: E402


def array_json(tensor: Tensor) -> dict[str, Any]:
    flat = tensor.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy().tobytes()
    return {"dtype": NAMES[tensor.dtype], "shape": list(tensor.shape), "data": base64.b64encode(flat).decode("ascii")}


def answers(run: Any, inputs: list[Tensor], device: torch.device) -> list[Tensor]:
    """Of a callable that may make tensors of its own: those are made on the device too."""
    with device:
        out = run(*(x.to(device) for x in inputs))
    return [out] if isinstance(out, Tensor) else list(out)


def widened(inputs: list[Tensor]) -> list[Tensor]:
    return [x.double() if x.is_floating_point() else x for x in inputs]


class Writer:
    """Lines of one file: arrays before the programs that use them, equal arrays once."""

    def __init__(self, device: torch.device) -> None:
        self.device = device
        self.lines: list[str] = []
        self.known: dict[str, str] = {}
        self.names: set[str] = set()

    def line(self, row: dict[str, Any]) -> None:
        self.lines.append(json.dumps(row, separators=(",", ":"), allow_nan=False))

    def array(self, tensor: Tensor) -> str:
        row = array_json(tensor)
        key = json.dumps(row)
        if key not in self.known:
            self.known[key] = f"{row['dtype']}_{len(self.known)}"
            self.line({"array": self.known[key], **row})
        return self.known[key]

    def program(self, case: Case) -> None:
        if case.name in self.names:
            raise ValueError(f"two cases are named `{case.name}`")
        inputs = list(case.inputs)
        outputs = answers(case.torch, inputs, self.device)
        self.names.add(case.name)
        row: dict[str, Any] = {"name": case.name, "source": case.source, "inputs": [self.array(x) for x in inputs],
                               "outputs": [array_json(x) for x in outputs]}
        if case.sums:
            row["sums"] = True
        if any(x.is_floating_point() for x in outputs):
            exact = answers(case.torch, widened(inputs), torch.device("cpu"))
            if [x.shape for x in exact] != [x.shape for x in outputs]:
                raise ValueError(f"`{case.name}` has other shapes in float64")
            row["f64"] = [array_json(e.double())["data"] if x.is_floating_point() else None
                          for x, e in zip(outputs, exact)]
        self.line(row)

    def save(self, folder: Path, family: str) -> None:
        gpu = self.device.type == "cuda"
        header = {"schema": "ucutlass.torch_programs/1", "family": family, "torch": torch.__version__, "device": self.device.type,
                  "device_name": torch.cuda.get_device_name(self.device) if gpu else "CPU", "programs": len(self.names)}
        path = folder / f"programs_{family}_{self.device.type}.jsonl"
        text = "\n".join([json.dumps(header, separators=(",", ":")), *self.lines]) + "\n"
        path.write_text(text, encoding="ascii")
        print(f"{path}: {len(self.names)} programs, {len(text)} bytes", file=sys.stderr)


def main() -> int:
    families = [m.name for m in pkgutil.iter_modules(torch_cases.__path__) if not m.name.startswith("_")]
    parser = argparse.ArgumentParser(description="Record PyTorch's answers to whole programs.")
    parser.add_argument("--device", default="cuda", choices=("cpu", "cuda"))
    parser.add_argument("-o", "--output", default="data/torch", help="folder (default data/torch)")
    parser.add_argument("--only", choices=families, help="one family (default all)")
    args = parser.parse_args()
    if args.device == "cuda" and not torch.cuda.is_available():
        print("error: this torch sees no GPU\nhelp: --device cpu", file=sys.stderr)
        return 3
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction = False
    torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction = False
    folder = Path(args.output)
    folder.mkdir(parents=True, exist_ok=True)
    missing = 0
    for family in [args.only] if args.only else families:
        writer = Writer(torch.device(args.device))
        with torch.no_grad():
            for case in importlib.import_module(f"torch_cases.{family}").cases():
                try:
                    writer.program(case)
                except RuntimeError as error:  # PyTorch has no such kernel on this device
                    missing += 1
                    print(f"not recorded: {family} `{case.name}`: {str(error).splitlines()[0]}", file=sys.stderr)
        writer.save(folder, family)
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
