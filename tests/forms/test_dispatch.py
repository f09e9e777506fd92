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

    def entry(self):
        path, = glob.glob(f"{self.folder}/ucutlass_dispatch_*.h")
        with open(path) as file:
            return os.path.basename(path)[len("ucutlass_dispatch_"):-2], file.read()

    def fake_libraries(self):
        """Libraries that say which they are, in the order of the entry's table."""
        names = re.findall(r'\{"(ucutlass_[0-9a-f]+\.so)"', self.entry()[1])
        for index, name in enumerate(names):
            subprocess.run([CXX, "-std=c++17", "-shared", "-fPIC", f"-DINDEX={index}", f"-I{INCLUDE}", os.path.join(HERE, "fake_size.cpp"),
                            "-o", os.path.join(self.folder, name)], check=True)
        return names

    def run_main(self, name, **more):
        text = self.read(name).replace("@HASH@", self.entry()[0])
        for key, value in more.items():
            text = text.replace(f"@{key}@", value)
        self.write("main.cpp", text)
        subprocess.run([CXX, "-std=c++17", "-O1", "-Wall", "-Wextra", "-Werror", f"{self.folder}/main.cpp", "-o", f"{self.folder}/main", "-ldl"],
                       check=True)
        environment = {**os.environ, "LD_LIBRARY_PATH": self.folder}
        return subprocess.run([f"{self.folder}/main", self.folder], capture_output=True, text=True, env=environment)

    def read(self, name):
        with open(os.path.join(HERE, name)) as file:
            return file.read()

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w") as file:
            file.write(text)
        return path

    def test_any_size_goes_to_the_kernel_that_serves_it(self):
        said = compile_to(self.folder, "--dims", "m=1:3,64:.5,4096:.5", "--emit", "dispatch")
        self.assertEqual(said.returncode, 0, said.stderr)
        for words in ("75.0 % of calls", "12.5 % of calls", "m = 4096", "modelled, not measured", "kernels 0: serve m = "):
            self.assertIn(words, said.stderr)
        self.fake_libraries()
        done = self.run_main("dispatch_main.cpp.in")
        lines = done.stdout.splitlines()
        self.assertEqual(lines[0], "refused: no such device")
        self.assertEqual(lines[1], "packed 16384 workspace 4096 260")  # one copy of the weights for all kernels
        for line, size in zip(lines[2:10], (1, 2, 3, 64, 65, 100, 2048, 4096)):
            self.assertRegex(line, rf"^m {size} by \d weight 0.5 rows {size} stride 64 prepared [01]$")
        out = "{}: outside of the declared ranges; declared: m 1..4096"
        self.assertEqual(lines[10:], ["refused: " + out.format("m = 0"), "refused: " + out.format("m = 4097"),
                                      "refused: workspace is too small"])

    def test_kernels_are_asked_in_the_order_of_the_model(self):
        text = "target sm_90a\nprecision f16\ndim m = 1..8192\ninput x: f16[m, 4096]\ninput w: f16[4096, 4096] @col\ny = gemm(x, w)\nreturn y\n"
        said = compile_to(self.folder, "--dims", "m=16,4096", "--emit", "dispatch", program=self.write("program.uc", text))
        self.assertEqual(said.returncode, 0, said.stderr)
        small, large = (re.search(rf"m = {size}: kernels (\d)", said.stderr)[1] for size in (16, 4096))
        self.assertNotEqual(small, large)
        self.write("ask.cpp", f"""#include "ucutlass_dispatch_{self.entry()[0]}.h"
            #include <cstdio>
            int main() {{
              const ucutlass_dispatch_{self.entry()[0]}::Program program;
              for (int64_t m : {{1, 15, 16, 17, 23, 3000, 4095, 4096, 4097, 8192}}) std::printf("%d ", program.choose({{m}}).kernel);
            }}""")
        subprocess.run([CXX, "-std=c++17", f"{self.folder}/ask.cpp", "-o", f"{self.folder}/ask", "-ldl"], check=True)
        asked = subprocess.run([f"{self.folder}/ask"], capture_output=True, text=True).stdout.split()
        self.assertEqual(asked, [small] * 5 + [large] * 5)

    def test_generated_libraries_are_right_at_all_sizes(self):
        said = compile_to(self.folder, "--dims", "m=1,8,512,n=4,1024", "--emit", "dispatch", program="doubled.uc")
        self.assertEqual(said.returncode, 0, said.stderr)
        kernels = subprocess.run([UCUTLASS, "compile", os.path.join(HERE, "..", "emit", "programs", "pointwise.uc"), "-o", self.folder + "/cu", "--no-build",
                                  "--emit", "cu"], capture_output=True, text=True)
        self.assertEqual(kernels.returncode, 0, kernels.stderr)
        flags = [CXX, "-std=c++17", "-O1", "-shared", "-fPIC", "-fvisibility=hidden", "-I" + os.path.join(HERE, "fake_cuda"), f"-I{self.folder}/cu", f"-I{self.folder}"]
        subprocess.run([*flags, os.path.join(HERE, "fake_cuda.cpp"), "-o", f"{self.folder}/libcuda.so.1"], check=True)
        for library in glob.glob(f"{self.folder}/ucutlass_*.cpp"):
            with open(library) as file:
                for cubin in re.findall(r"[0-9a-f]{16}\.cubin", file.read()):
                    self.write(cubin, "nothing")
            subprocess.run([*flags, f"-Wa,-I{self.folder}", library, "-o", library[:-4] + ".so", "-ldl"], check=True)
        done = self.run_main("doubled_main.cpp.in")
        self.assertEqual(done.stdout.splitlines(), ["91 right"] + [
            f"m = {m}, n = {n}: outside of the declared ranges; declared: m 1..512, n 4..1024 step 4"
            for m, n in ((0, 4), (513, 4), (8, 6), (-1, 4), (8, 1028))])

    def vendor(self, a, b, c, batch="", times=None, complete=True):
        shapes = [f"{batch}{shape}" for shape in ("m, 40", "40, 24")]
        text = (f"target sm_90a\nprecision strict\ndim m = 1..4096\ninput a: f32[{shapes[0]}]{a}\ninput b: f32[{shapes[1]}]{b}\n"
                f"c = gemm(a, b).math(f32){c}\nreturn c\n")
        more = [] if times is None else ["--vendor-times", self.write("times.json", json.dumps(times))]
        said = compile_to(self.folder, "--dims", "m=16,64", "--emit", "dispatch", *more, program=self.write("program.uc", text))
        self.assertEqual(said.returncode, 0, said.stderr)
        self.fake_libraries()
        source = os.path.join(HERE, "fake_cublaslt.cpp") if complete else self.write("nothing.cpp", "")
        subprocess.run([CXX, "-std=c++17", "-shared", "-fPIC", source, "-o", f"{self.folder}/libcublasLt.so.13"], check=True)
        return self.run_main("vendor_main.cpp.in", L="3" if batch else "1").stdout.splitlines()

    TIMES = {"type": "f32", "shapes": [{"m": 64, "n": 24, "k": 40, "us": 3, "cublaslt_us": 2}, {"m": 16, "n": 24, "k": 40, "us": 2, "cublaslt_us": 3}]}

    def test_cublaslt_is_called_where_it_was_faster(self):
        for a in ("", " @col"):
            for b in ("", " @col"):
                said = self.vendor(a, b, "", times=self.TIMES)
                self.assertEqual(said, ["cuBLASLt was not looked for yet", "cuBLASLt is ready", "m 1: kernel", "m 5: kernel", "m 8: kernel",
                                        "m 16: kernel", "m 64: cuBLASLt was measured to be faster here", "  right", "m 4096: kernel"])
                self.setUp()

    def test_without_a_usable_cublaslt_the_kernels_serve(self):
        said = self.vendor("", "", "", times=self.TIMES, complete=False)
        self.assertEqual(said[1], "cuBLASLt lacks functions of version 12")
        self.assertEqual(said[6], "m 64: kernel")

    def test_batches_and_other_programs(self):
        self.assertIn("cuBLASLt is ready", self.vendor("", " @col", "", batch="3, "))
        self.setUp()
        self.assertEqual(self.vendor("", "", " >> relu()", times=self.TIMES)[1], "cuBLASLt has no part in this program")

    def test_vendor_times_that_are_none(self):
        for text in ("", "[]", "{}", '{"type": "f16", "shapes": [1]}', '{"type": "f16", "shapes": [{"m": 1}]}'):
            program = self.write("program.uc", "target sm_90a\nprecision f16\ndim m = 1..64\ninput x: f16[m, 64]\ninput w: f16[64, 64] @col\ny = gemm(x, w)\nreturn y\n")
            said = compile_to(self.folder, "--dims", "m=8", "--emit", "dispatch", "--vendor-times", self.write("t.json", text), program=program)
            self.assertEqual(said.returncode, 2, text)
            self.assertIn("--vendor-times", said.stderr)

    def test_what_cannot_vary(self):
        head = "target sm_90a\nprecision f16\n"
        weights = head + "dim n = 8..64 step 8\ninput x: f16[64, 64]\nparam w: f16[n, 64]\ny = linear(x, w)\nreturn y\n"
        many = head + "".join(f"dim d{i} = 8..64 step 8\n" for i in range(4)) + "input x: f16[d0, d1, d2, d3]\ny = relu(x)\nreturn y\n"
        for text, dims, words in ((weights, "n=8", "param `w` has the named dimension `n`"), (many, "d0=8,d1=8,d2=8,d3=8", "names 4 dimensions")):
            said = compile_to(self.folder, "--dims", dims, "--emit", "dispatch", program=self.write("program.uc", text))
            self.assertEqual(said.returncode, 2, said.stderr)
            self.assertIn(words, said.stderr)

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
                return re.findall(r'^    \{"ucutlass_\w+\.so", ".*?", (\d+), ', file.read(), re.M)

    def test_who_shares_prepared_weights(self):
        text = ("target sm_90a\nprecision f16\ndim m = 8..4096 step 8\ninput x: f16[m, 1024]\nparam W: f32[1024, 1024]\n"
                "y = linear(x, {})\nreturn y\n")
        owners = self.owners(text.format("prepack(W, f16)"), "m=8,4096")
        self.assertGreaterEqual(len(owners), 2)
        self.assertEqual(set(owners), {"0"})
        # What a kernel keeps by itself has a layout of its own.
        text = text.replace("precision f16", "precision strict").replace("f16[m", "f32[m")
        owners = self.owners(text.format("prepack(W, f32)").replace(")\nreturn", ").math(f16x3)\nreturn"), "m=8,4096")
        self.assertGreaterEqual(len(owners), 2)
        self.assertEqual(owners, [str(i) for i in range(len(owners))])

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
