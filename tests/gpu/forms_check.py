#!/usr/bin/env python3
"""The forms on a GPU: the PyTorch module under torch.compile, streams and graphs, and KernelBench's own judgement of the KernelBench file.

    python3 tests/gpu/forms_check.py [--build build] [--kernelbench CHECKOUT] [--work FOLDER]

CHECKOUT is a folder with KernelBench's src/kernelbench; without it that part is left out, and said so. What KernelBench imports
and does not need for a judgement (access to models, data sets) may be missing. Exit code 0: all right."""
from __future__ import annotations

import argparse
import importlib.util
import subprocess
import sys
import types
from pathlib import Path

import torch

FORMS = Path(__file__).resolve().parent.parent / "forms"


def build(options: argparse.Namespace) -> Path:
    folder = Path(options.work)
    subprocess.run([f"{options.build}/ucutlass", "compile", FORMS / "gelu.uc", "-o", folder, "--emit", "torch,kernelbench", "--source",
                    FORMS / "gelu_problem.py"], check=True)
    return folder


def load(path: Path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


@torch.no_grad()
def check_module(folder: Path) -> None:
    problem = load(FORMS / "gelu_problem.py")
    reference = problem.Model(*problem.get_init_inputs()).cuda()
    model = load(next(folder.glob("ucutlass_*.py"))).ModelNew(reference)
    inputs = [torch.randn(512, 1024, device="cuda") for _ in range(4)]
    wanted = [reference(x) for x in inputs]

    def close(got, want, what):
        torch.testing.assert_close(got, want, atol=1e-4, rtol=1e-4, msg=lambda text: f"{what}: {text}")
        print(f"right: {what}")

    close(model(inputs[0]), wanted[0], "eager")
    close(torch.compile(model, fullgraph=True)(inputs[0]), wanted[0], "torch.compile, one graph")
    close(torch.compile(lambda x: model(x) * 2 + 1, fullgraph=True, mode="reduce-overhead")(inputs[1]), wanted[1] * 2 + 1,
          "torch.compile with CUDA graphs, other operators around")
    streams = [torch.cuda.Stream() for _ in inputs]
    results = []
    for _ in range(50):
        results.clear()
        for stream, x in zip(streams, inputs):
            stream.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(stream):
                results.append(model(x))
        torch.cuda.synchronize()
        for got, want in zip(results, wanted):
            torch.testing.assert_close(got, want, atol=1e-4, rtol=1e-4)
    print("right: four streams at once, 50 times")
    graph, x = torch.cuda.CUDAGraph(), inputs[0].clone()
    with torch.cuda.graph(graph):
        y = model(x)
    x.copy_(inputs[2])
    graph.replay()
    close(y, wanted[2], "captured in a graph, replayed on other data")
    model.up.weight.mul_(2)
    reference.up.weight.mul_(2)
    close(model(inputs[0]), reference(inputs[0]), "after a change of the weights")
    if torch.cuda.device_count() > 1:
        other = model.to("cuda:1")
        close(other(inputs[0].to("cuda:1")), reference(inputs[0]).to("cuda:1"), "on the second device")
    else:
        print("left out: a second device (there is one)")


def stand_in(*names: str) -> None:
    """Empty modules for what KernelBench imports and this check does not use."""
    for name in names:
        if importlib.util.find_spec(name) is not None:
            continue
        module = types.ModuleType(name)
        for member in ("load_dotenv", "tqdm", "OpenAI", "completion"):
            setattr(module, member, lambda *_, **__: None)
        module.BaseModel = type("BaseModel", (), {"__init__": lambda self, **fields: self.__dict__.update({
            **{k: v for k, v in type(self).__dict__.items() if not k.startswith("_")}, **fields})})
        sys.modules[name] = module


def check_kernelbench(folder: Path, checkout: str) -> None:
    stand_in("pydantic", "requests", "dotenv", "tqdm", "openai", "litellm")
    sys.path.insert(0, str(Path(checkout) / "src"))
    from kernelbench.eval import eval_kernel_against_ref
    from kernelbench.kernel_static_checker import validate_kernel_static

    solution = next(folder.glob("kernelbench_*.py")).read_text()
    valid, errors, warnings = validate_kernel_static(solution, backend="cute", precision="fp32")
    print(f"static check: valid {valid}, errors {errors}, warnings {warnings}")
    assert valid, errors
    if not torch.cuda.is_available():
        raise SystemExit("no GPU: the static check alone was made")
    for backend in ("cute", "cuda"):  # a file of its own, and one namespace with the problem
        result = eval_kernel_against_ref((FORMS / "gelu_problem.py").read_text(), solution, num_correct_trials=5, num_perf_trials=100,
                                         measure_performance=True, device=torch.device("cuda:0"), backend=backend)
        print(f"backend={backend}: compiled {result.compiled}, correct {result.correctness}, {result.metadata.get('correctness_trials')}, "
              f"{result.runtime} ms, reference {result.ref_runtime} ms")
        assert result.compiled and result.correctness, result.metadata


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build")
    parser.add_argument("--kernelbench")
    parser.add_argument("--work", default="/tmp/ucutlass-forms")
    options = parser.parse_args()
    folder = build(options)
    check_module(folder)
    if options.kernelbench is None:
        print("left out: KernelBench (--kernelbench CHECKOUT)")
    else:
        check_kernelbench(folder, options.kernelbench)
    return 0


if __name__ == "__main__":
    sys.exit(main())
