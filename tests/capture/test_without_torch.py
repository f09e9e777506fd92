"""What capture does before it needs torch: reading files, rewriting sizes, its command line."""
import ast
import json
import os
import subprocess
import sys
import tempfile
import unittest

from ucutlass import capture_load as load
from ucutlass.capture_sizes import Scale, constant_int, scaled_tree

HERE = os.path.dirname(os.path.abspath(__file__))
PYTHON = os.path.join(HERE, "..", "..", "python")


class Files(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def file(self, text, name="problem.py"):
        path = os.path.join(self.folder.name, name)
        with open(path, "wb") as out:
            out.write(text if isinstance(text, bytes) else text.encode())
        return path

    def problem(self, text):
        path = self.file(text)
        return load.execute(path, *load.read_source(path))

    def fails(self, code, call, *args):
        with self.assertRaises(load.CaptureError) as caught:
            call(*args)
        self.assertEqual(caught.exception.code, code)
        self.assertTrue(caught.exception.help)
        self.assertNotIn("\n", caught.exception.message)
        return caught.exception


class Load(Files):
    def test_sources_that_cannot_be_read(self):
        self.assertEqual(self.fails("cannot-read", load.read_source, "/nowhere/problem.py").exit_code, 2)
        self.fails("cannot-read", load.read_source, self.folder.name)
        error = self.fails("syntax-error", load.read_source, self.file("x = 1\ny = = 2\n"))
        self.assertEqual(error.line, 2)
        self.fails("syntax-error", load.read_source, self.file(b"x = 1\0"))
        self.fails("syntax-error", load.read_source, self.file(b"\xff\xfe\x00x"))
        self.fails("syntax-error", load.read_source, self.file("(" * 5000))

    def test_files_that_do_not_define_a_problem(self):
        self.fails("no-model", self.problem, "def get_inputs(): return []\n")
        self.fails("no-model", self.problem, "Model = 3\ndef get_inputs(): return []\n")
        self.fails("no-get-inputs", self.problem, "class Model: pass\n")
        self.fails("no-get-inputs", self.problem, "class Model: pass\nget_inputs = [1]\n")

    def test_files_that_raise(self):
        error = self.fails("file-failed", self.problem, "a = 1\nb = a / 0\n")
        self.assertEqual(error.line, 2)
        self.assertIn("ZeroDivisionError", error.message)
        self.fails("file-failed", self.problem, "import sys\nsys.exit(0)\n")
        error = self.fails("file-failed", self.problem, "import package_that_is_not_there\n")
        self.assertIn("install the package that has `package_that_is_not_there`", error.help)
        self.fails("out-of-memory", self.problem, "raise MemoryError\n")

    def test_get_inputs(self):
        head = "class Model: pass\n"
        self.fails("get-inputs-failed", load.call_get_inputs, self.problem(head + "def get_inputs(): return unknown\n"))
        self.fails("inputs-not-list", load.call_get_inputs, self.problem(head + "def get_inputs(): return 1.5\n"))
        self.assertEqual(load.call_get_inputs(self.problem(head + "def get_inputs(): return (1, 2)\n")), [1, 2])

    def test_names(self):
        self.assertEqual(load.problem_name("a/b/problem.py"), "b")
        self.assertEqual(load.problem_name("a/76_Gemm_Add_ReLU.py"), "76_Gemm_Add_ReLU")
        facts = load.source_facts("/nowhere/KernelBench/level2/76_Gemm_Add_ReLU.py", "00")
        self.assertEqual((facts["suite"], facts["level"], facts["id"], facts["commit"]), ("KernelBench", 2, 76, None))
        self.assertIsNone(load.source_facts("/nowhere/76_Gemm_Add_ReLU.py", "00")["suite"])


class Sizes(unittest.TestCase):
    def scaled(self, text, scale):
        return ast.unparse(scaled_tree(ast.parse(text), scale))

    def test_dividing(self):
        scale = Scale(64, 8)
        self.assertEqual([scale.apply(n) for n in (1, 8, 9, 512, 1024, 8192)], [1, 8, 8, 8, 16, 128])
        self.assertEqual(Scale(1, 1).apply(4096), 4096)

    def test_halving_keeps_odd_parts(self):
        scale = Scale(64, 4, halve=True)
        self.assertEqual([scale.apply(n) for n in (96, 128, 1536, 7, 1000)], [6, 4, 24, 7, 125])

    def test_what_is_rewritten(self):
        text = ("N = 2048 * 2\nshape = (M, 4096)\nscale = 0.5\neps = 1024.0\n"
                "def get_inputs():\n    return [torch.rand(2 ** 12, N)]\n"
                "class Model:\n    width = 4096\n    def forward(self, x):\n        return x * 4096\n")
        self.assertEqual(self.scaled(text, Scale(64, 8)),
                         "N = 64\nshape = (M, 64)\nscale = 0.5\neps = 1024.0\n\ndef get_inputs():\n"
                         "    return [torch.rand(64, N)]\n\nclass Model:\n    width = 4096\n\n    def forward(self, x):\n"
                         "        return x * 4096")

    def test_booleans_and_negative_numbers_stay(self):
        self.assertEqual(self.scaled("a = True\nb = -2\nc = 'x' * 3", Scale(64, 8)), "a = True\nb = -2\nc = 'x' * 3")

    def test_constant_integers(self):
        values = {"2048 * 2": 4096, "7 // 2": 3, "2 ** 10": 1024, "1 // 0": None, "2 ** 1000": None, "9 ** 40": None, "n": None,
                  "1.5": None, "True": None, "2 ** -1": None}
        for text, value in values.items():
            self.assertEqual(constant_int(ast.parse(text, mode="eval").body), value, text)


class CommandLine(Files):
    def run_capture(self, *args, torch="raise ImportError('broken build')"):
        self.file(torch, "torch.py")
        paths = os.pathsep.join((self.folder.name, PYTHON))
        return subprocess.run([sys.executable, "-m", "ucutlass.capture", *args], capture_output=True, text=True, timeout=60,
                              env={**os.environ, "PYTHONPATH": paths})

    def test_no_torch(self):
        done = self.run_capture(self.file("x = 1\n"))
        self.assertEqual((done.returncode, done.stdout), (3, ""))
        self.assertRegex(done.stderr, r"^error\[no-torch\]: .*broken build\nhelp: install it")

    def test_no_torch_as_json(self):
        done = self.run_capture(self.file("x = 1\n"), "--json")
        row = json.loads(done.stdout)
        self.assertEqual((done.returncode, row["schema"], row["code"]), (3, "ucutlass.error/1", "no-torch"))

    def test_usage(self):
        self.assertEqual(self.run_capture().returncode, 2)
        self.assertIn("example:", self.run_capture("--help").stdout)


if __name__ == "__main__":
    unittest.main()
