"""The PyTorch module, the custom operator and the KernelBench file, over a library that works on host memory.

    test_forms.py UCUTLASS CXX
What needs no torch always runs; the rest says that torch is missing.
"""
import ast
import copy
import ctypes
import gc
import glob
import importlib.util
import os
import pickle
import re
import subprocess
import sys
import tempfile
import unittest

try:
    import torch
except ModuleNotFoundError:
    torch = None

HERE = os.path.dirname(os.path.abspath(__file__))
INCLUDE = os.path.join(HERE, "..", "..", "include")
UCUTLASS, CXX = sys.argv[1:3]
needs_torch = unittest.skipIf(torch is None, f"torch is missing in {sys.executable}")


def ucutlass(*words):
    return subprocess.run([UCUTLASS, *words], capture_output=True, text=True)


def compile_to(folder, *more):
    return ucutlass("compile", os.path.join(HERE, "linear.uc"), "-o", folder, "--no-build", *more)


def load(path, name):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # pickle finds classes by it
    spec.loader.exec_module(module)
    return module


class Forms(unittest.TestCase):
    """One folder with all forms, and the library that stands in."""

    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        cls.folder = folder = holder.name
        cls.said_without = compile_to(folder, "--emit", "torch,kernelbench", "--source", os.path.join(HERE, "problem.py"))
        cls.torch_path = glob.glob(f"{folder}/ucutlass_*.py")[0]
        cls.stem = os.path.splitext(cls.torch_path)[0]
        with open(f"{cls.stem}.json") as file, open(f"{folder}/manifest.h", "w") as out:
            out.write(f'static const char kManifest[] = R"JSON({file.read()})JSON";\n')
        subprocess.run([CXX, "-std=c++17", "-O2", "-shared", "-fPIC", f"-I{INCLUDE}", f"-I{folder}",
                        os.path.join(HERE, "fake_program.cpp"), "-o", f"{cls.stem}.so"], check=True)
        cls.said = compile_to(folder, "--emit", "kernelbench", "--source", os.path.join(HERE, "problem.py"))
        cls.bench_path = cls.said.stdout.split()[-1]
        tempfile.tempdir = folder  # where the file unpacks its library
        cls.addClassCleanup(setattr, tempfile, "tempdir", None)

    def text(self, path):
        with open(path) as file:
            return file.read()


class WithoutTorch(Forms):
    def test_both_are_python_with_a_module(self):
        for path in (self.torch_path, self.bench_path):
            classes = [node.name for node in ast.parse(self.text(path)).body if isinstance(node, ast.ClassDef)]
            self.assertIn("ModelNew", classes)

    def test_what_is_missing_is_said(self):
        self.assertEqual(self.said_without.returncode, 2)
        self.assertIn("there is none", self.said_without.stderr)
        self.assertEqual(self.said.returncode, 0, self.said.stderr)
        said = compile_to(self.folder, "--emit", "kernelbench")
        self.assertEqual(said.returncode, 2)
        self.assertIn("--source", said.stderr)
        said = compile_to(self.folder, "--emit", "kernelbench", "--source", self.folder + "/none.py")
        self.assertEqual(said.returncode, 2)
        said = compile_to(self.folder, "--emit", "kernelbench", "--source", os.path.join(HERE, "test_forms.py"))
        self.assertEqual(said.returncode, 2)
        self.assertIn("no class Model", said.stderr)

    def test_the_constructor_comes_without_the_computation(self):
        tree = ast.parse(self.text(self.bench_path))
        outer = next(node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "_constructor")
        methods = {node.name: [member.name for member in node.body if isinstance(member, ast.FunctionDef)]
                   for node in outer.body if isinstance(node, ast.ClassDef)}
        self.assertEqual(methods, {"Inner": ["__init__", "reset"], "Model": ["__init__"]})
        functions = [node.name for node in outer.body if isinstance(node, ast.FunctionDef)]
        self.assertEqual(functions, ["spread"])
        named = {target.id for node in outer.body if isinstance(node, ast.Assign) for target in node.targets}
        self.assertEqual(named, {"SCALE"})

    def test_what_a_static_check_of_solutions_looks_for(self):
        # KernelBench: no way around the kernel, no threads, no lazy tensors; CUDA C++ in sight.
        lines = [line.split("#")[0].split("//")[0] for line in self.text(self.bench_path).split("\n")]
        text = "\n".join(lines)
        for refused in (r"\bpass\b", r"\btry\s*:", r"\bexcept\b", r"import\s+threading", r"_make_subclass", r"\(torch\.Tensor\)\s*:",
                        r"\.wait_stream", r"\.record_stream", r"torch\.nn\.functional"):
            self.assertIsNone(re.search(refused, text), refused)
        self.assertIn("__global__", text)
        self.assertIn("cutlass::", text)


@needs_torch
class TorchModule(Forms):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.module = load(cls.torch_path, "forms_torch_module")
        cls.module._DEVICE_TYPE = "cpu"
        cls.library = ctypes.CDLL(f"{cls.stem}.so")
        cls.problem = load(os.path.join(HERE, "problem.py"), "forms_problem")

    def setUp(self):
        torch.manual_seed(1)
        self.reference = self.problem.Model(64)
        self.model = self.module.ModelNew(self.reference, device="cpu")
        self.x = torch.rand(64, 64)

    def expected(self, x):
        with torch.no_grad():
            return self.reference.net.up(x) - self.reference.net.up.bias + self.reference.shift

    def test_gives_what_the_library_computes(self):
        torch.testing.assert_close(self.model(self.x), self.expected(self.x))
        self.assertEqual(set(self.model.state_dict()), {"net.up.weight", "shift"})

    def test_weights_are_prepared_once_and_after_each_change(self):
        before = self.library.fake_prepacked()
        for _ in range(3):
            self.model(self.x)
        self.assertEqual(self.library.fake_prepacked(), before + 1)
        with torch.no_grad():
            self.model.net.up.weight.mul_(2)
            self.reference.net.up.weight.copy_(self.model.net.up.weight)
        torch.testing.assert_close(self.model(self.x), self.expected(self.x))
        self.assertEqual(self.library.fake_prepacked(), before + 2)
        self.model.net.up.weight = torch.nn.Parameter(torch.zeros(128, 64))
        torch.testing.assert_close(self.model(self.x), self.reference.shift.detach().expand(64, 128))

    def test_modules_do_not_share_weights_and_go_away(self):
        other = copy.deepcopy(self.model)
        with torch.no_grad():
            other.net.up.weight.zero_()
        for _ in range(2):
            torch.testing.assert_close(self.model(self.x), self.expected(self.x))
            torch.testing.assert_close(other(self.x), self.reference.shift.detach().expand(64, 128))
        again = pickle.loads(pickle.dumps(self.model))
        torch.testing.assert_close(again(self.x), self.expected(self.x))
        held = lambda: len([key for key in self.module._program._packed if key[0] == slot])
        slot = self.model._slot
        self.assertEqual(held(), 1)
        del self.model, other, again
        gc.collect()
        self.assertEqual(held(), 0)

    def test_changes_without_a_trace_are_told(self):
        self.model(self.x)
        self.model.net.up.weight.data.zero_()
        self.model.changed()
        torch.testing.assert_close(self.model(self.x), self.reference.shift.detach().expand(64, 128))

    def test_what_tests_on_a_gpu_rely_on(self):
        self.assertEqual([p.shape for p in self.model._params()], [(128, 64), (128,)])
        self.model._params()[0].data = torch.zeros(128, 64)
        seen = []

        def dirty(size, device):
            seen.append(size)
            return torch.full((size,), 0xFF, dtype=torch.uint8, device=device)

        self.module._program.workspace = dirty
        self.addCleanup(delattr, self.module._program, "workspace")
        torch.testing.assert_close(self.model(self.x), self.reference.shift.detach().expand(64, 128))
        self.assertEqual(seen, [1024])

    def test_opens_a_device_once(self):
        self.model(self.x)
        before = self.library.fake_opened()
        self.module.ModelNew(self.reference, device="cpu")(self.x)
        self.assertEqual(self.library.fake_opened(), before)

    def test_inference_tensors(self):
        with torch.inference_mode():
            model = self.module.ModelNew(device="cpu")
            model.load_state_dict({"net.up.weight": torch.ones(128, 64), "shift": torch.zeros(128)})
            torch.testing.assert_close(model(self.x), self.x.sum(1, keepdim=True).expand(64, 128))
            model.net.up.weight.zero_()  # without a version that would tell
            torch.testing.assert_close(model(self.x), torch.zeros(64, 128))

    def test_errors_say_how_to_mend_it(self):
        for given, error, words in (
                ((self.x.t(),), TypeError, r"input x has the strides \(1, 64\), the program needs \(64, 1\): give it as .contiguous"),
                ((self.x[:32],), ValueError, r"shape \(32, 64\), the program is compiled for \(64, 64\)"),
                ((self.x.half(),), TypeError, r"torch.float16, the program takes torch.float32: convert it with .to\(torch.float32\)"),
                ((), TypeError, r"forward takes 1 tensors: input x"),
                ((self.x.to("meta"),), TypeError, r"input x is on meta, the program runs on one cpu device"),
                ((self.x.clone().requires_grad_(),), RuntimeError, r"no backward pass: call it under torch.no_grad")):
            with self.assertRaisesRegex(error, words):
                self.model(*given)
        with torch.no_grad():
            self.model(self.x.clone().requires_grad_())

    def test_a_cpu_tensor_is_refused_by_a_gpu_program(self):
        self.module._DEVICE_TYPE = "cuda"
        try:
            with self.assertRaisesRegex(TypeError, "input x is on cpu, the program runs on one cuda device"):
                self.model(self.x)
        finally:
            self.module._DEVICE_TYPE = "cpu"

    def test_the_operator_is_registered_with_shapes(self):
        name = "program_" + os.path.basename(self.stem).removeprefix("ucutlass_")
        operator = getattr(torch.ops.ucutlass, name)
        from torch._subclasses.fake_tensor import FakeTensorMode
        with FakeTensorMode():
            x, w, b = torch.empty(64, 64), torch.empty(128, 64), torch.empty(128)
            (y,) = operator([x], [w, b], 0)
            self.assertEqual((tuple(y.shape), y.dtype, y.stride()), ((64, 128), torch.float32, (128, 1)))
            with self.assertRaisesRegex(TypeError, "needs .64, 1.: give it as .contiguous"):
                operator([x.t()], [w, b], 0)
            model = self.module.ModelNew(device="cpu")
            self.assertEqual(tuple(model(x).shape), (64, 128))  # the module under fake tensors runs nothing
        params = [parameter.detach() for parameter in (self.model.net.up.weight, self.model.shift)]
        torch.library.opcheck(operator, ([self.x], params, self.model._slot))

    def test_one_graph_under_torch_compile(self):
        seen = []

        def backend(graph, example):
            seen.append(graph)
            return graph.forward

        compiled = torch.compile(lambda x: self.model(x) + 1, fullgraph=True, backend=backend)
        with torch.no_grad():
            torch.testing.assert_close(compiled(self.x), self.expected(self.x) + 1)
        self.assertEqual(len(seen), 1)
        calls = [str(node.target) for node in seen[0].graph.nodes if node.op == "call_function"]
        self.assertEqual(sum("ucutlass.program_" in call for call in calls), 1, calls)
        with torch.no_grad():
            self.model.net.up.weight.zero_()
            torch.testing.assert_close(compiled(self.x), self.reference.shift.detach().expand(64, 128) + 1)

    def test_aot_autograd_keeps_it(self):
        compiled = torch.compile(self.model, fullgraph=True, backend="aot_eager")
        with torch.no_grad():
            torch.testing.assert_close(compiled(self.x), self.expected(self.x))


@needs_torch
class KernelBench(Forms):
    """As KernelBench does it: the problem and the solution as text, in one namespace or the solution as a file; seeds before each."""

    def evaluate(self, make):
        space = {}
        exec(self.text(os.path.join(HERE, "problem.py")), space)
        torch.manual_seed(42)
        reference = space["Model"](*space["get_init_inputs"]())
        new = make(space)
        torch.manual_seed(42)
        solution = new(*space["get_init_inputs"]())
        ours, theirs = solution.state_dict(), reference.state_dict()
        self.assertEqual(list(ours), list(theirs))
        for name, value in theirs.items():
            self.assertTrue(torch.equal(ours[name], value), name)
        self.assertEqual([name for name, _ in solution.named_buffers()], ["seen", "mask"])
        x, = space["get_inputs"]()
        with torch.no_grad():
            answer = solution.to(device="cpu", dtype=torch.float32)(x)
            # The reference still works: nothing of its own was replaced. The fake library leaves relu out and takes no bias.
            expected = reference(x)
            torch.testing.assert_close(answer + reference.net.up.bias, reference.net(x) + reference.shift)
            self.assertEqual(expected.shape, answer.shape)
        return new

    def on_host(self, space):
        space["_DEVICE_TYPE"] = "cpu"
        return space["ModelNew"]

    def test_in_one_namespace_with_the_problem(self):
        def make(space):
            exec(self.text(self.bench_path), space)
            return self.on_host(space)
        self.evaluate(make)

    def test_as_a_file(self):
        self.evaluate(lambda space: self.on_host(vars(load(self.bench_path, "forms_kernelbench"))))

    def test_other_sizes_are_refused_at_construction(self):
        module = load(self.bench_path, "forms_kernelbench_sizes")
        with self.assertRaisesRegex(ValueError, r"net.up.weight has the shape \(128, 32\), the program is compiled for \(128, 64\)"):
            module.ModelNew(32)
        with self.assertRaises(TypeError):
            module.ModelNew()

    def test_a_damaged_copy_of_the_library_is_written_again(self):
        load(self.bench_path, "forms_kernelbench_first")
        path, = glob.glob(f"{self.folder}/ucutlass-*/*.so")
        os.rename(path, path + ".old")
        with open(path, "wb") as file:
            file.write(b"not a library")
        load(self.bench_path, "forms_kernelbench_second")
        with open(path, "rb") as one, open(path + ".old", "rb") as other:
            self.assertEqual(one.read(), other.read())


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
