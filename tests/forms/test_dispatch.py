"""The C++ entry over several sizes, with libraries that work on host memory.

    test_dispatch.py UCUTLASS CXX
"""
import glob
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
INCLUDE = os.path.join(HERE, "..", "..", "include")
UCUTLASS, CXX = sys.argv[1:3]


def compile_to(folder, *more, program="sizes.uc"):
    return subprocess.run([UCUTLASS, "compile", os.path.join(HERE, program), "-o", folder, "--no-build", *more], capture_output=True,
                          text=True)


class Dispatch(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = holder.name

    def test_picks_the_library_of_the_size(self):
        said = compile_to(self.folder, "--dims", "m=1:3,64:.5,4096:.5", "--emit", "dispatch")
        self.assertEqual(said.returncode, 0, said.stderr)
        for words in ("75.0 % of calls", "12.5 % of calls", "m = 4096", "modelled, not measured"):
            self.assertIn(words, said.stderr)
        for manifest in glob.glob(f"{self.folder}/*.json"):
            with open(manifest) as file:
                rows = json.load(file)["inputs"][0]["shape"][0]
            subprocess.run([CXX, "-std=c++17", "-shared", "-fPIC", f"-DM={rows}", f"-I{INCLUDE}", os.path.join(HERE, "fake_size.cpp"),
                            "-o", manifest.removesuffix(".json") + ".so"], check=True)
        entry, = glob.glob(f"{self.folder}/ucutlass_dispatch_*.h")
        with open(os.path.join(HERE, "dispatch_main.cpp.in")) as file, open(f"{self.folder}/main.cpp", "w") as out:
            out.write(file.read().replace("@HASH@", os.path.basename(entry)[len("ucutlass_dispatch_"):-2]))
        subprocess.run([CXX, "-std=c++17", "-Wall", "-Wextra", "-Werror", f"{self.folder}/main.cpp", "-o", f"{self.folder}/main", "-ldl"],
                       check=True)
        done = subprocess.run([f"{self.folder}/main", self.folder], capture_output=True, text=True)
        self.assertEqual(done.stdout.splitlines(), [
            "refused: no such device",
            "packed 16384 workspace 16384",  # one copy of the weights for all sizes; the workspace of the largest
            "m 64 weight 0.5 rows 64 prepared 0",
            "m 4096 weight 0.5 rows 4096 prepared 0",
            "m 1 weight 0.5 rows 1 prepared 1",
            "refused: no program was compiled for m = 65; there are: 1; 64; 4096"])

    def owners(self, text, dims):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "program.uc")
            with open(path, "w") as file:
                file.write(text)
            said = subprocess.run([UCUTLASS, "compile", path, "-o", folder, "--no-build", "--dims", dims, "--emit", "dispatch"],
                                  capture_output=True, text=True)
            self.assertEqual(said.returncode, 0, said.stderr)
            entry, = glob.glob(f"{folder}/ucutlass_dispatch_*.h")
            with open(entry) as file:
                return re.search(r"kOwner\[kCount\] = \{(.*?)\}", file.read())[1]

    def test_who_shares_prepared_weights(self):
        text = "target sm_90a\nprecision f16\ndim m = 8..4096\ninput x: f16[m, 64]\nparam W: f32[128, 64]\ny = linear(x, {})\nreturn y\n"
        self.assertEqual(self.owners(text.format("prepack(W, f16)"), "m=64,128,4096"), "0, 0, 0")
        # What a kernel keeps by itself has a layout of its own.
        text = text.replace("precision f16", "precision strict").replace("f16[m", "f32[m")
        self.assertEqual(self.owners(text.format("prepack(W, f32)").replace(")\nreturn", ").math(f16x3)\nreturn"), "m=64,128,4096"), "0, 1, 2")

    def test_shares_are_equal_when_none_is_given(self):
        said = compile_to(self.folder, "--dims", "m=8,16", "--emit", "dispatch")
        self.assertEqual(said.stderr.count("50.0 % of calls"), 2, said.stderr)

    def test_what_is_wrong_with_the_sizes(self):
        for dims, words in (("m=5000", "`m` is 1..4096 step 1, and 5000 is not in it"), ("n=1", "no `dim n`"), ("64", "'64' follows no name"),
                            ("m=1,1", "m = 1 stands twice"), ("m=1,m=2", "`m` stands twice"), ("m=1:.5,2", "some have none"),
                            ("m=1:-1", "no positive number"), ("m=1:nan", "no positive number"), ("m=x", "'x' is no size of `m`"),
                            ("m=", "'' is no size of `m`")):
            said = compile_to(self.folder, "--dims", dims, "--emit", "dispatch")
            self.assertEqual((dims, said.returncode), (dims, 2))
            self.assertIn(words, said.stderr)
            self.assertEqual(os.listdir(self.folder), [])

    def test_options_that_belong_together(self):
        for more in (("--dims", "m=1"), ("--emit", "dispatch"), ("--dims", "m=1", "--emit", "dispatch,torch")):
            said = compile_to(self.folder, *more)
            self.assertEqual(said.returncode, 2, more)
            self.assertIn("come together", said.stderr)
        said = compile_to(self.folder, "--dims", "m=1", "--emit", "dispatch", program="linear.uc")
        self.assertEqual(said.returncode, 2)
        self.assertIn("names no dimensions", said.stderr)
        said = compile_to(self.folder)
        self.assertEqual(said.returncode, 1)
        self.assertIn("--dims m=SIZE,... --emit dispatch", said.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
