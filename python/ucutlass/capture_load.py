"""Load a problem file (Model, get_inputs, get_init_inputs) as KernelBench does, with errors that say what to do."""
from __future__ import annotations

import ast
import contextlib
import hashlib
import os
import re
import subprocess
import sys
import traceback
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch


class CaptureError(Exception):
    """What is wrong with a problem and what its author can do about it."""

    def __init__(self, code: str, message: str, help: str = "", line: int | None = None, exit_code: int = 1):
        super().__init__(message)
        self.code, self.message, self.help, self.line, self.exit_code = code, message, help, line, exit_code


@dataclass
class Problem:
    """A problem file that ran: its functions, and its syntax tree for rewriting sizes."""

    path: str
    tree: ast.Module
    sha256: str
    model: Callable[..., Any]
    get_inputs: Callable[[], Any]
    get_init_inputs: Callable[[], Any]


def read_source(path: str) -> tuple[ast.Module, str]:
    """The file's syntax tree and the sha256 of its bytes."""
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError as error:
        raise CaptureError("cannot-read", f"cannot read {path}: {error.strerror}",
                           "give the path of a problem file (.py)", exit_code=2) from None
    try:
        return ast.parse(data, path), hashlib.sha256(data).hexdigest()
    except SyntaxError as error:
        raise CaptureError("syntax-error", f"{path} is not Python: {error.msg}",
                           "the file must run under this Python version", error.lineno) from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise CaptureError("syntax-error", f"{path} is not Python: {error or type(error).__name__}",
                           "the file must be text") from None


def problem_line(error: BaseException, path: str) -> int | None:
    """The innermost line of the problem file in the error's traceback."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename == path]
    return frames[-1].lineno if frames else None


def one_line(error: BaseException) -> str:
    """'RuntimeError: first line of the message', bounded."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return f"{type(error).__name__}: {lines[0]}"[:300] if lines else type(error).__name__


def is_out_of_memory(error: BaseException) -> bool:
    """True for Python's, numpy's and torch's ways to say that memory ran out."""
    text = str(error).lower()
    return isinstance(error, MemoryError) or "allocate memory" in text or "out of memory" in text


@contextlib.contextmanager
def running(what: str, path: str, code: str, help: str) -> Iterator[None]:
    """Turns whatever the problem's code raises into a CaptureError."""
    try:
        yield
    except (CaptureError, KeyboardInterrupt, TimeoutError):
        raise
    except BaseException as error:  # SystemExit too: a problem file must not end the capture
        line = problem_line(error, path)
        if is_out_of_memory(error):
            raise CaptureError("out-of-memory", f"out of memory while {what}",
                               "make the problem smaller, or give more with --memory-limit", line) from error
        if isinstance(error, ModuleNotFoundError) and error.name:
            help = f"install the package that has `{error.name}` for {sys.executable}"
        raise CaptureError(code, f"{what} failed: {one_line(error)}", help, line) from error


def execute(path: str, tree: ast.Module, sha256: str) -> Problem:
    """Runs the file in a fresh module and takes its three names."""
    module = types.ModuleType("ucutlass_problem")
    module.__file__ = path
    sys.modules[module.__name__] = module
    with running("running the file", path, "file-failed", "the file must run on its own: `python FILE`"):
        exec(compile(tree, path, "exec"), module.__dict__)
    model = getattr(module, "Model", None)
    if not isinstance(model, type):
        raise CaptureError("no-model", f"{path} has no class Model", "name the nn.Module class `Model`")
    get_inputs = getattr(module, "get_inputs", None)
    if not callable(get_inputs):
        raise CaptureError("no-get-inputs", f"{path} has no function get_inputs",
                           "define get_inputs() that returns the list of forward's arguments")
    get_init = getattr(module, "get_init_inputs", None)
    return Problem(path, tree, sha256, model, get_inputs, get_init if callable(get_init) else list)


def call_get_inputs(problem: Problem) -> list[Any]:
    """forward's arguments. Errors: get_inputs raises, or returns something else than a list or tuple."""
    with running("get_inputs", problem.path, "get-inputs-failed", "get_inputs() must run without arguments"):
        values = problem.get_inputs()
    if not isinstance(values, (list, tuple)):
        raise CaptureError("inputs-not-list", f"get_inputs returns {type(values).__name__.removeprefix('Fake')}, not a list",
                           "return [x] rather than x")
    return list(values)


def build_model(problem: Problem) -> Any:
    """Model(*get_init_inputs())."""
    import torch

    with running("get_init_inputs", problem.path, "get-init-inputs-failed", "get_init_inputs() must return a list"):
        init = list(problem.get_init_inputs())
    with running("building Model", problem.path, "model-failed", "Model(*get_init_inputs()) must work"):
        model = problem.model(*init)
    if not isinstance(model, torch.nn.Module):
        raise CaptureError("no-model", "Model is not a torch.nn.Module", "derive Model from torch.nn.Module")
    register_tensors(model)
    return model


def register_tensors(model: Any) -> None:
    """Tensors that modules hold as plain attributes become buffers, so that tracing knows them and forward may assign them."""
    import torch

    for module in model.modules():
        for name, value in list(vars(module).items()):
            if isinstance(value, torch.Tensor):
                delattr(module, name)
                module.register_buffer(name, value, persistent=False)


def source_facts(path: str, sha256: str) -> dict[str, Any]:
    """Where the problem comes from. Recognises KernelBench's folders; everything else is named by its file."""
    place = os.path.abspath(path)
    facts: dict[str, Any] = {"sha256": sha256, "suite": None, "level": None, "id": None, "commit": None}
    match = re.search(r"KernelBench/level(\d+)/(\d+)_[^/]*\.py$", place)
    if match:
        facts |= {"suite": "KernelBench", "level": int(match[1]), "id": int(match[2])}
        with contextlib.suppress(OSError, subprocess.SubprocessError):
            done = subprocess.run(["git", "-C", os.path.dirname(place), "rev-parse", "HEAD"], capture_output=True,
                                  text=True, timeout=10, check=True)
            facts["commit"] = done.stdout.strip()
    return facts


def problem_name(path: str) -> str:
    """The file's stem; for a file called problem.py, its folder's name."""
    stem = os.path.splitext(os.path.basename(path))[0]
    return os.path.basename(os.path.dirname(os.path.abspath(path))) if stem == "problem" else stem


def to_fake(model: torch.nn.Module, fake: Any) -> torch.nn.Module:
    """The module's parameters and buffers without their data; tied ones stay tied."""
    import torch

    known: dict[int, Any] = {}
    for module in model.modules():
        for table in (module._parameters, module._buffers):
            for key, value in table.items():
                if value is not None:
                    known.setdefault(id(value), fake.from_tensor(value))
                    new = known[id(value)]
                    table[key] = torch.nn.Parameter(new, requires_grad=False) if table is module._parameters else new
    return model


def build_fake(problem: Problem, fake: Any) -> tuple[torch.nn.Module, list[Any]]:
    """Model and inputs without data, within the mode `fake`; with data first where Model's own code needs values."""
    import torch

    try:
        return build_model(problem), call_get_inputs(problem)
    except CaptureError as first:
        if first.code == "inputs-not-list":
            raise
    with torch._subclasses.fake_tensor.unset_fake_temporarily():
        model, inputs = build_model(problem), call_get_inputs(problem)
    return to_fake(model, fake), torch.utils._pytree.tree_map(lambda v: fake.from_tensor(v) if isinstance(v, torch.Tensor) else v, inputs)
