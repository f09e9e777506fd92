"""Runs clang-tidy-19 over the sources of src/ (no tests), or over the FILES given, as many at a time as there are cores.

A file that passed is not looked at again until it, a header of the project that it includes, its command line,
.clang-tidy or clang-tidy itself changes: the passes are kept by content below $XDG_CACHE_HOME/ucutlass/tidy.
"""

import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(os.environ.get("UCUTLASS_BUILD_DIR", ROOT / "build"))
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "ucutlass" / "tidy"
TIDY = "clang-tidy-19"


def read_dependencies():
    """{object file: project files that it was built from}, from ninja's log of the last build."""
    text = subprocess.run(["ninja", "-C", BUILD, "-t", "deps"], check=True, capture_output=True, text=True).stdout
    dependencies, current = {}, []
    for line in text.splitlines():
        if line.startswith("    "):
            path = pathlib.Path(os.path.normpath(BUILD / line.strip()))
            if path.is_relative_to(ROOT):
                current.append(path)
        elif ":" in line:
            current = dependencies.setdefault(line.split(":")[0], [])
    return dependencies


def key_of(entry, dependencies, common):
    digest = hashlib.sha256(common)
    digest.update(entry["command"].replace(str(ROOT), "").encode())
    for path in sorted(dependencies):
        digest.update(str(path.relative_to(ROOT)).encode())
        digest.update(path.read_bytes() if path.exists() else b"gone")
    return digest.hexdigest()


def output_of(entry):
    words = entry["command"].split()
    return words[words.index("-o") + 1]


def tidy(source):
    done = subprocess.run([TIDY, "--quiet", "-p", BUILD, source], capture_output=True, text=True)
    return source, done.returncode, done.stdout + ("" if done.returncode == 0 else done.stderr)


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("files", nargs="*", metavar="FILE", help="sources to look at (default: all of src/)")
    wanted = {pathlib.Path(name).resolve() for name in options.parse_args().files}
    database = BUILD / "compile_commands.json"
    if not database.exists():
        sys.exit(f"{database} is not there: run `make build-all` first")
    version = subprocess.run([TIDY, "--version"], check=True, capture_output=True).stdout
    common = version + (ROOT / ".clang-tidy").read_bytes()
    dependencies = read_dependencies()
    todo = {}
    total = 0
    for entry in json.loads(database.read_text()):
        source = pathlib.Path(entry["file"])
        if not source.is_relative_to(ROOT / "src") or source.name.endswith("_test.cpp"):
            continue
        if wanted and source not in wanted:
            continue
        total += 1
        key = key_of(entry, dependencies.get(output_of(entry), [source]), common)
        if not (CACHE / key).exists():
            todo[str(source)] = key
    started = time.monotonic()
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for source, code, text in pool.map(tidy, todo):
            if code == 0:
                CACHE.mkdir(parents=True, exist_ok=True)
                (CACHE / todo[source]).touch()
            else:
                failed += 1
                print(text.strip(), flush=True)
    seconds = time.monotonic() - started
    print(f"clang-tidy: {total} files, {len(todo)} looked at in {seconds:.0f} s, {failed} with findings", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
