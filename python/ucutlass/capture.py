"""Capture a PyTorch problem as JSON: operators, shapes, dtypes, strides, storage, observed data, and recorded answers.

    python3 -m ucutlass.capture problem.py -o problem.json

The JSON (schema ucutlass.problem/1, docs/schemas/problem.schema.json) needs no torch to be read. Nothing of the problem's
source is stored. Exit codes: 0 done, 1 the problem cannot be captured, 2 usage, 3 no torch, 130 interrupted.
"""
from __future__ import annotations

import argparse
import contextlib
import json
import logging
import os
import signal
import sys
import tempfile
import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ucutlass.capture_load import (CaptureError, Problem, build_fake, call_get_inputs, execute, is_out_of_memory, one_line,
                                   problem_name, read_source, running, source_facts)

if TYPE_CHECKING:
    import torch

    from ucutlass.capture_graph import Graph

SCHEMA = "ucutlass.problem/1"


def parser() -> argparse.ArgumentParser:
    p = argparse.ArgumentParser(prog="ucutlass capture", formatter_class=argparse.RawDescriptionHelpFormatter,
                                description="Capture a PyTorch problem (Model, get_inputs, get_init_inputs) as JSON.",
                                epilog="example: ucutlass capture problem.py -o problem.json")
    p.add_argument("problem", help="the problem file (.py)")
    p.add_argument("-o", "--output", default="-", help="where to write; `-` is stdout (default)")
    p.add_argument("--name", help="the problem's name (default: from the file)")
    p.add_argument("--suite", help="the suite it belongs to (KernelBench is recognised)")
    p.add_argument("--no-reduced", action="store_true", help="leave out the scaled-down run")
    p.add_argument("--runs", type=int, default=3, choices=(1, 2, 3), help="recorded scaled-down runs: 1 the problem's own data, 2 also "
                   "other data and weights, 3 also another seed (default 3)")
    p.add_argument("--facts-limit", type=float, default=2.0, metavar="GIB",
                   help="look at the data of full-size inputs up to this many GiB, at reduced size above (default 2)")
    p.add_argument("--full-run", action="store_true", help="also run the problem at its full size, twice, on the CPU, and record "
                   "facts of its results (may take minutes)")
    p.add_argument("--memory-limit", type=float, default=8.0, metavar="GIB",
                   help="memory that the problem's own code may take (default 8)")
    p.add_argument("--timeout", type=int, default=600, metavar="S", help="give up after this many seconds (default 600)")
    p.add_argument("--json", action="store_true", help="report an error as one JSON object on stdout")
    return p


@contextlib.contextmanager
def memory_limit(gib: float) -> Iterator[None]:
    """Bounds the address space, so that a problem that is too large fails rather than takes the machine down."""
    import resource

    with open("/proc/self/statm", encoding="ascii") as statm:
        now = int(statm.read().split()[0]) * resource.getpagesize()
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    bound = now + int(gib * 2**30)
    resource.setrlimit(resource.RLIMIT_AS, (bound if hard == resource.RLIM_INFINITY else min(bound, hard), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def full_graph(problem: Problem) -> tuple[Graph, list[Any], bool]:
    """The graph at full size, its inputs, and Model.training. Parameters and inputs have no data, unless Model's own
    code needs values (then real memory, bounded by --memory-limit)."""
    import torch
    from torch._subclasses.fake_tensor import FakeTensorMode

    from ucutlass.capture_trace import trace

    with FakeTensorMode(allow_non_fake_inputs=True) as fake, torch.no_grad():
        model, inputs = build_fake(problem, fake)
        return trace(model, inputs, problem.path), inputs, model.training


def input_bytes(inputs: list[Any]) -> int:
    import torch

    return sum(t.numel() * t.element_size() for t in torch.utils._pytree.tree_leaves(inputs) if isinstance(t, torch.Tensor))


def add_facts(graph: Graph, values: dict[int, torch.Tensor], at: str) -> None:
    from ucutlass.capture_facts import facts_of

    for id, value in values.items():
        facts = facts_of(value, at)
        if facts and graph.tensors[id].role == "param":  # their range follows from the scaled sizes
            facts = {key: v for key, v in facts.items() if key not in ("min", "max", "zeros")}
        graph.tensors[id].facts = facts


def observe_inputs(problem: Problem, graph: Graph) -> None:
    """Facts of the inputs at full size."""
    import torch

    torch.manual_seed(42)
    inputs = call_get_inputs(problem)
    given = [v for v in torch.utils._pytree.tree_leaves(inputs) if isinstance(v, torch.Tensor)]
    with running("looking at the inputs", problem.path, "get-inputs-failed", "get_inputs() must return CPU tensors"):
        add_facts(graph, {t.id: v for t, v in zip([t for t in graph.tensors if t.role == "input"], given)}, "full")


def observe_outputs(problem: Problem, graph: Graph) -> None:
    """Facts of the outputs of two runs at full size: weights and inputs as KernelBench makes them for its first two trials. (Inputs
    from the weights' own seed would be the weights' numbers, scaled.) Outputs that are inputs or weights have theirs already."""
    import torch

    from ucutlass.capture_cases import build_model
    from ucutlass.capture_facts import both, facts_of

    with running("running at full size", problem.path, "full-run-failed", "leave out --full-run"), torch.no_grad():
        torch.manual_seed(42)
        model = build_model(problem)
        torch.manual_seed(42)
        trials = [int(torch.randint(0, 2**32 - 1, (1,)).item()) for _ in range(2)]
        wanted = [graph.tensors[id] for id in graph.outputs]
        for trial in trials:
            torch.manual_seed(trial)
            given = torch.utils._pytree.tree_leaves(model(*call_get_inputs(problem)))
            outputs = [v for v in given if isinstance(v, torch.Tensor)]
            for tensor, value in zip(wanted, outputs, strict=True):
                if tensor.role == "value":
                    facts = facts_of(value, "full")
                    tensor.facts = facts if trial == trials[0] else both(tensor.facts, facts)


def reduced_json(problem: Problem, graph: Graph, runs: int) -> tuple[dict[str, Any] | None, str]:
    """The scaled-down run, or None and why there is none. Adds facts to `graph` where it has none yet."""
    from ucutlass.capture_cases import is_random, record_cases, rule_case, seeded, values_of
    from ucutlass.capture_graph import graph_json
    from ucutlass.capture_reduce import reduce_problem

    found, reason = reduce_problem(problem, graph)
    if found is None:
        return None, reason
    model, inputs = seeded(found.problem, 42)
    values = values_of(found.graph, model, inputs, problem.path)
    add_facts(found.graph, values, "reduced")
    add_facts(graph, {id: v for id, v in values.items() if graph.tensors[id].facts is None}, "reduced")
    if is_random(found.problem, found.graph):
        return None, "the outputs depend on random numbers drawn in forward"
    cases = record_cases(found.problem, found.graph, min(found.cases, runs)) if found.cases else [rule_case(found.problem, found.graph)]
    return {"scale": found.scale.text(), "graph": graph_json(found.graph), "cases": cases}, ""


def capture(args: argparse.Namespace) -> dict[str, Any]:
    """The problem's JSON as a value."""
    import torch

    from ucutlass.capture_graph import graph_json

    torch.backends.cuda.matmul.allow_tf32 = False  # PyTorch's defaults, unless the problem says otherwise
    torch.backends.cudnn.allow_tf32 = True
    tree, sha256 = read_source(args.problem)
    problem = execute(args.problem, tree, sha256)
    graph, inputs, training = full_graph(problem)
    flags = {"train": training, "matmul_tf32": torch.backends.cuda.matmul.allow_tf32,
             "cudnn_tf32": torch.backends.cudnn.allow_tf32}
    if input_bytes(inputs) <= args.facts_limit * 2**30:
        observe_inputs(problem, graph)
    if args.full_run:
        observe_outputs(problem, graph)
    reduced, reason = (None, "left out") if args.no_reduced else reduced_json(problem, graph, args.runs)
    source = source_facts(args.problem, sha256)
    if args.suite:
        source["suite"] = args.suite
    row = {"schema": SCHEMA, "name": args.name or problem_name(args.problem), "source": source,
           "torch": {"version": torch.__version__, "device": "cpu"}, "flags": flags, "graph": graph_json(graph),
           "reduced": reduced}
    if reduced is None:
        row["reduced_missing"] = reason
        print(f"capture: no scaled-down run: {reason}", file=sys.stderr)
    return row


def write(text: str, path: str) -> None:
    """Whole file or nothing."""
    if path == "-":
        sys.stdout.write(text)
        return
    folder = os.path.dirname(os.path.abspath(path))
    temporary = ""
    try:
        with tempfile.NamedTemporaryFile("w", dir=folder, delete=False, suffix=".tmp", encoding="ascii") as file:
            temporary = file.name
            file.write(text)
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except OSError as error:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise CaptureError("cannot-write", f"cannot write {path}: {error.strerror}", "choose another place with -o",
                           exit_code=2) from None


def report(error: CaptureError, args: argparse.Namespace) -> int:
    """Says what went wrong, as text on stderr or as JSON on stdout."""
    if args.json:
        print(json.dumps({"schema": "ucutlass.error/1", "code": error.code, "message": error.message, "help": error.help,
                          "file": args.problem, "line": error.line}))
        return error.exit_code
    place = f"  --> {args.problem}:{error.line}\n" if error.line else ""
    help = f"help: {error.help}\n" if error.help else ""
    sys.stderr.write(f"error[{error.code}]: {error.message}\n{place}{help}")
    return error.exit_code


def load_torch() -> None:
    try:
        import torch  # noqa: F401
    except ImportError as error:
        raise CaptureError("no-torch", f"PyTorch cannot be imported by {sys.executable}: {error}",
                           "install it (`pip install torch`, the CPU build is enough), or use a capture that exists",
                           exit_code=3) from None
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")


def on_alarm(*_: object) -> None:
    raise TimeoutError


def main(argv: list[str] | None = None) -> int:
    args = parser().parse_args(argv)
    try:
        load_torch()
        signal.signal(signal.SIGALRM, on_alarm)
        signal.alarm(max(0, args.timeout))
        from ucutlass.capture_graph import dump

        with memory_limit(args.memory_limit), contextlib.redirect_stdout(sys.stderr):  # what the problem prints
            try:
                row = capture(args)
            finally:
                signal.alarm(0)  # nothing may fire while an error is told or Python ends
        write(dump(row), args.output)
        return 0
    except CaptureError as error:
        return report(error, args)
    except TimeoutError:
        return report(CaptureError("timeout", f"capture took longer than {args.timeout} s", "give more with --timeout"), args)
    except KeyboardInterrupt:
        return 130
    except Exception as error:
        code = "out-of-memory" if is_out_of_memory(error) else "internal"
        return report(CaptureError(code, one_line(error), "this is a defect of capture: please report it"), args)


if __name__ == "__main__":
    sys.exit(main())
