"""Plays the answers of tests/llm/by_hand as a person would, one request at a time, and prints what was said as
Markdown: python3 tests/llm/by_hand.py > docs/optimize_by_hand.md (UCUTLASS names the program)."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).parents[2]
ANSWERS = pathlib.Path(__file__).parent / "by_hand"
ATTEMPTS = {"mlp_gelu": 4, "bmm_scale_clamp": 5, "linear_residuals_bf16": 3}

HEAD = """# Optimizing by hand

Three problems of `examples/` with `--proposer manual`, as somebody who writes programs sees them: a request, an answer in a
file beside it, and on with `--resume`. A coding agent does the same (docs/optimizer.md). The answers are in `tests/llm/by_hand`;
`python3 tests/llm/by_hand.py` plays them and printed this page. **All times of programs are modelled**, for one H200: nothing
here was measured but PyTorch's times where the report says so.
"""


def played(problem, folder):
    """Yields (request text, answer file, progress) for each step; the last request is the report."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("UCUTLASS_")}
    environment |= {"XDG_DATA_HOME": f"{folder}/data", "UCUTLASS_LOCK_DIR": folder}
    talk = pathlib.Path(folder) / "talk"
    begin = ["optimize", str(ROOT / "examples" / problem), "--device", "model:h200", "--precision", "f16", "--proposer", "manual",
             "--exchange", str(talk), "--attempts", str(ATTEMPTS[problem]), "--no-build"]
    args = begin
    while True:
        done = subprocess.run([os.environ.get("UCUTLASS", ROOT / "build/ucutlass"), *args], capture_output=True, text=True,
                              env=environment, stdin=subprocess.DEVNULL, timeout=120)
        if done.returncode != 130:
            yield done.stdout, None, done
            return
        name = re.search(r"answer it in \S+/(\d+-\w+)\.answer", done.stderr).group(1)
        (answer,) = (ANSWERS / problem).glob(f"{name}.answer.*")
        yield done.stdout, answer, done
        (talk / answer.name).write_text(answer.read_text())
        args = ["optimize", "--resume", "last", "--no-build"]


def fence(text, tag=""):
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    marks = "`" * max(3, longest + 1)
    return f"{marks}{tag}\n{text.rstrip()}\n{marks}\n"


def told(request, whole):
    """What is new in a request: all of it, or what follows the last answer or the report."""
    if whole:
        return request[request.index("# Problem"):]
    for mark in ("# Your last answer", "# What should be tried?", "# Write the program"):
        if mark in request:
            return "[...]\n\n" + request[request.rindex(mark):]
    return request


def page():
    out = [HEAD]
    for problem in ATTEMPTS:
        out.append(f"\n## {problem}\n\n```\nucutlass optimize examples/{problem} --device model:h200 --precision f16 "
                   f"--proposer manual --exchange talk --attempts {ATTEMPTS[problem]}\n```\n")
        with tempfile.TemporaryDirectory() as folder:
            for number, (text, answer, done) in enumerate(played(problem, folder)):
                if answer is None:
                    last = re.sub(r"Run \S+, files in \S+", "Run RUN, files in FOLDER", text)
                    last = re.sub(r"^Again: .*\n", "", last, flags=re.M)
                    out.append("\nNo attempt is left. The report:\n\n" + fence(last))
                    continue
                whole = number == 0 and problem == next(iter(ATTEMPTS))
                out.append(f"\nAsked{', in full' if whole else ''}:\n\n" + fence(told(text, whole), "markdown"))
                out.append(f"\nAnswered in `talk/{answer.name}`:\n\n" + fence(answer.read_text()))
    return "".join(out)


if __name__ == "__main__":
    sys.stdout.write(page())
