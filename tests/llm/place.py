"""What tests of `ucutlass optimize` with an author share: a data folder, and a language model that is a script."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).parents[2]
PROGRAM = os.environ["UCUTLASS"]
RELU = ROOT / "data/kernelbench/level2/76_Gemm_Add_ReLU.json"
KEY = "sk-test-0123456789"


class Place(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)
        keep = {k: v for k, v in os.environ.items() if not k.startswith("UCUTLASS_") and "proxy" not in k.lower()}
        self.environment = keep | {"XDG_DATA_HOME": str(self.path / "data"), "UCUTLASS_LOCK_DIR": str(self.path), "TEST_KEY": KEY}

    def run_program(self, *args, **more):
        environment = self.environment | more.pop("env", {})
        return subprocess.run(
            [PROGRAM, *map(str, args)], capture_output=True, text=True, env=environment, stdin=subprocess.DEVNULL, timeout=120, **more
        )

    def optimize(self, *args, **more):
        return self.run_program("optimize", *args, "--device", "model:h200", "--no-build", **more)

    def run_folder(self):
        (folder,) = (self.path / "data/ucutlass/runs").iterdir()
        return folder

    def all_bytes(self):
        return b"".join(file.read_bytes() for file in self.path.rglob("*") if file.is_file())


class FakeModel:
    """tests/llm/fake_model.cpp under one of its scripts. `url`: its base URL."""

    def __init__(self, script):
        self.script = script

    def __enter__(self):
        self.process = subprocess.Popen([os.environ["FAKE_MODEL"], self.script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.url = f"http://127.0.0.1:{int(self.process.stdout.readline())}/v1"
        return self

    def wait_for_a_request(self):
        assert self.process.stdout.readline() == "asked\n"

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait(timeout=30)
        self.process.stdout.close()


def report(done):
    return json.loads(done.stdout)
