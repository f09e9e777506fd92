"""Checks every #include "folder/..." of src/ against the table in docs/architecture.md.

A folder may include itself, folders of lower layers, and of its own layer those that its row names and what those may
include. The rows of one layer must not form a cycle. Headers must not include heavy third-party headers. Exits with 1 on findings.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TABLE = re.compile(r"<!-- layers: read by .*?-->(.*?)<!-- layers: end -->", re.S)
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)
HEAVY = re.compile(r"^(nlohmann/json\.hpp|CLI/|sqlite3\.h|toml\+\+|httplib\.h|curl/)")
PUBLIC = {"ucutlass"}  # include/ucutlass: every layer may use it


def read_table(text):
    """{folder: (layer, set of folders of the same layer)}"""
    match = TABLE.search(text)
    if match is None:
        sys.exit("docs/architecture.md: the table between '<!-- layers: ... -->' comments is gone")
    table = {}
    for line in match.group(1).splitlines():
        cells = [cell.strip() for cell in line.split("|")[1:-1]]
        if len(cells) == 4 and cells[1].isdigit():
            table[cells[0]] = (int(cells[1]), set(cells[2].split()))
    return table


def reaches(table, start, goal, seen):
    """True when rows of one layer lead from `start` to `goal`."""
    peers = table.get(start, (0, set()))[1]
    return any(p == goal or (p not in seen and reaches(table, p, goal, seen | {p})) for p in peers)


def table_faults(table):
    """Same-layer rights must name folders of that layer and must not form a cycle."""
    for folder, (layer, peers) in table.items():
        for peer in peers:
            if peer not in table or table[peer][0] != layer:
                yield f"docs/architecture.md: {folder} may include {peer}, which is not a folder of layer {layer}"

    for folder in table:
        if reaches(table, folder, folder, set()):
            yield f"docs/architecture.md: {folder} may include itself through others of its layer: a cycle"


def allowed(table, source, target):
    if source == target:
        return True
    return table[target][0] < table[source][0] or reaches(table, source, target, set())


def file_faults(table, path, folder):
    text = path.read_text(encoding="utf-8")
    where = path.relative_to(ROOT)
    for match in INCLUDE.finditer(text):
        bracket, name = match.groups()
        line = text.count("\n", 0, match.start(1)) + 1
        if bracket == "<":
            if path.suffix == ".h" and HEAVY.match(name):
                yield f"{where}:{line}: <{name}> is heavy: include it in .cpp files only"
            continue
        target = name.split("/")[0]
        if "/" not in name:
            yield f'{where}:{line}: "{name}": write it from src/, as "{folder}/{name}"'
        elif target in PUBLIC:
            continue
        elif target not in table:
            yield f'{where}:{line}: "{name}": {target} has no row in docs/architecture.md'
        elif not allowed(table, folder, target):
            yield (
                f'{where}:{line}: {folder} (layer {table[folder][0]}) must not include "{name}" '
                f"(layer {table[target][0]}); docs/architecture.md says what it may"
            )


def main():
    table = read_table((ROOT / "docs/architecture.md").read_text(encoding="utf-8"))
    faults = list(table_faults(table))
    files = 0
    for folder in sorted(p for p in (ROOT / "src").iterdir() if p.is_dir()):
        if folder.name not in table:
            faults.append(f"src/{folder.name}: has no row in docs/architecture.md")
            continue
        for path in sorted(folder.rglob("*")):
            if path.suffix in (".h", ".cpp") and "templates" not in path.parts:
                files += 1
                faults += file_faults(table, path, folder.name)
    for fault in faults:
        print(fault)
    if faults or files == 0:
        print(f"layers: {len(faults)} faults in {files} files")
        return 1
    print(f"layers: {files} files of {len(table)} folders keep to them", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
