"""Writes what fuzzing starts from: seeds.py FOLDER makes FOLDER/<target>/*, from programs, captures and arrays of this repository."""

import json
import pathlib
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def corpus_entries(path):
    """Texts of a file of `%%%% name` lines, each followed by a text."""
    texts = []
    for line in path.read_text(encoding="utf-8", errors="surrogateescape").splitlines(keepends=True):
        if line.startswith("%%%% "):
            texts.append("")
        elif texts:
            texts[-1] += line
    return texts


def programs():
    for path in sorted((ROOT / "tests/language/corpus").glob("*.txt")):
        for text in corpus_entries(path):
            yield text.encode("utf-8", "surrogateescape")
    for pattern in ("tests/syntax/*/*.uc", "tests/emit/programs/*.uc", "bench/programs/*.uc", "examples/**/*.uc"):
        for path in sorted(ROOT.glob(pattern)):
            yield path.read_bytes()


def graphs():
    """Captures without their arrays, which are noise to a mutator, and one whole small one."""
    for path in sorted(ROOT.glob("data/*/level*/*.json")) + sorted(ROOT.glob("examples/*/problem.json")):
        problem = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(problem, dict) or "graph" not in problem:
            continue
        problem.pop("reduced", None)
        yield json.dumps(problem, separators=(",", ":")).encode()
    yield TINY.encode()


# y = relu(x) of one element. AACAPw== is 1.0f.
TINY = """{"schema":"ucutlass.problem/1","name":"tiny","source":{"sha256":"00"},"torch":{"version":"2","device":"cpu"},
"flags":{"train":true,"matmul_tf32":false,"cudnn_tf32":true},"graph":{"tensors":[
{"id":0,"name":"x","role":"input","dtype":"f32","shape":[1],"stride":[1],"storage":0,"offset":0},
{"id":1,"name":"relu","role":"value","dtype":"f32","shape":[1],"stride":[1],"storage":1,"offset":0}],
"ops":[{"id":0,"target":"aten.relu.default","args":[{"t":0}],"kwargs":{},"out":[1]}],"outputs":[1]},
"reduced":{"scale":"","graph":{"tensors":[
{"id":0,"name":"x","role":"input","dtype":"f32","shape":[1],"stride":[1],"storage":0,"offset":0},
{"id":1,"name":"relu","role":"value","dtype":"f32","shape":[1],"stride":[1],"storage":1,"offset":0}],
"ops":[{"id":0,"target":"aten.relu.default","args":[{"t":0}],"kwargs":{},"out":[1]}],"outputs":[1]},
"cases":[{"seed":1,"distribution":"problem","tensors":[{"t":0,"data":"AACAPw=="}],
"outputs":[{"t":1,"data":"AACAPw==","f64":"AAAAAAAA8D8="}]}]}}"""


def arrays():
    for path in sorted((ROOT / "data/npy").glob("*.npy")):
        yield path.read_bytes()


PROGRAM = "target sm_90a\ninput x: f32[8, 8]\ny = relu(x)\nreturn y\n"
IDEAS = '{"hypotheses": [{"id": "a b", "what": "c", "why": "d", "speedup": 2, "implementation_risk": 1, "performance_risk": 9}]}'


def answers():
    """Words as language models say them, and bodies as their endpoints send them."""
    words = [PROGRAM, f"Sure:\n```uc\n{PROGRAM}```\nFast!", f"<think>\n```uc\n```\n</think>~~~~\n{PROGRAM}~~~~", "```uc\ninput x: f3",
             json.dumps({"program": PROGRAM}), IDEAS, f"Ideas:\n```json\n{IDEAS}\n```", "[1, {\"what\": \"x\"}]", "DONE", "I cannot.",
             "```cuda\n__global__ void k() {}\n```"]
    yield from (text.encode() for text in words)
    for message in ([{"content": text} for text in words] + [
            {"content": None, "tool_calls": [{"id": "1", "type": "function", "function": {"name": "submit_program", "arguments": "{}"}}]},
            {"content": [{"type": "text", "text": "a"}], "tool_calls": [{"id": "1", "type": "custom", "custom": {"name": "n", "input": "i"}}]}]):
        yield json.dumps({"choices": [{"finish_reason": "stop", "message": message}],
                          "usage": {"prompt_tokens": 3, "completion_tokens": 4}}).encode()
    yield b'{"error": {"message": "slow down", "code": "rate_limit", "param": null}}'
    yield b'{"base_url": "https://h/v1", "model": "m", "key_env": "K", "price": {"prompt": 1, "answer": 2}, "grammar": "vllm"}'
    yield b'{"choices": [{"message": {"content": "caf\xc3\xa9 \xff\xfe"}}]}'


def main():
    out = pathlib.Path(sys.argv[1])
    for name, texts in (("program", programs()), ("graph", graphs()), ("npy", arrays()), ("answer", answers())):
        folder = out / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for number, text in enumerate(texts):
            (folder / f"{number:04}").write_bytes(text)


main()
