"""Captures of small problems, compared with values written by hand and with NumPy."""
import base64
import contextlib
import io
import json
import os
import tempfile
import types
import unittest

import numpy as np

from ucutlass import capture

HERE = os.path.dirname(os.path.abspath(__file__))
HEAD = "import torch\nimport torch.nn as nn\n\n\n"
NUMPY = {"f32": np.float32, "f64": np.float64, "i64": np.int64, "bool": np.bool_}

BROKEN = {  # file: code, part of the message, line of the problem
    "no_model": ("no-model", "has no class Model", None),
    "model_is_no_module": ("no-model", "not a torch.nn.Module", None),
    "no_get_inputs": ("no-get-inputs", "has no function get_inputs", None),
    "syntax_error": ("syntax-error", "is not Python", 3),
    "get_inputs_raises": ("get-inputs-failed", "NameError: name 'batch_size' is not defined", 11),
    "inputs_not_list": ("inputs-not-list", "returns Tensor, not a list", None),
    "model_raises": ("model-failed", "missing 1 required positional argument: 'size'", None),
    "branches_on_values": ("untraceable", "cannot be traced", 7),
    "shapes_do_not_fit": ("untraceable", "must have same reduction dim", 7),
    "output_is_a_number": ("non-tensor-output", "output 1 of forward is a float", None),
    "output_is_none": ("non-tensor-output", "output 0 of forward is a NoneType", None),
    "complex_numbers": ("unsupported-dtype", "torch.complex64", None),
    "text_input": ("input-kind", "input `mode` is a str", None),
    "too_much_memory": ("out-of-memory", "out of memory while building Model", 8),
    "never_ends": ("timeout", "longer than 5 s", None),
    "exits": ("untraceable", "SystemExit", 9),
}


def run(*args):
    """capture's command in this process: importing torch for each call would take most of the time."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = capture.main(list(args))
    return types.SimpleNamespace(returncode=code, stdout=out.getvalue(), stderr=err.getvalue())


class Capture(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def capture(self, body, *args):
        path = os.path.join(self.folder.name, "sample.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write(HEAD + body)
        done = run(path, *args)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def model(self, forward, inputs, init="", *args, given="x"):
        body = "class Model(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        body += "".join(f"        {line}\n" for line in init.splitlines())
        body += f"\n    def forward(self, {given}):\n" + "".join(f"        {line}\n" for line in forward.splitlines())
        return self.capture(body + f"\n\ndef get_inputs():\n    return [{inputs}]\n", *args)


def targets(row):
    return [op["target"] for op in row["graph"]["ops"]]


def tensor(graph, name):
    return next(t for t in graph["tensors"] if t["name"] == name)


def array(text, graph, id, dtype=None):
    info = graph["tensors"][id]
    return np.frombuffer(base64.b64decode(text), NUMPY[dtype or info["dtype"]]).reshape(info["shape"])


class Graphs(Capture):
    def test_linear_and_relu(self):
        row = self.model("return torch.relu(self.lin(x))", "torch.rand(1024, 512)", "self.lin = nn.Linear(512, 256)", "--no-reduced")
        graph = row["graph"]
        self.assertEqual([(t["name"], t["role"], t["shape"], t["stride"], t["storage"], t.get("module")) for t in graph["tensors"]],
                         [("x", "input", [1024, 512], [512, 1], 0, None),
                          ("lin_weight", "param", [256, 512], [512, 1], 1, "lin.weight"),
                          ("lin_bias", "param", [256], [1], 2, "lin.bias"),
                          ("linear", "value", [1024, 256], [256, 1], 3, "lin"),
                          ("relu", "value", [1024, 256], [256, 1], 4, None)])
        self.assertEqual([(o["target"], o["args"], o["out"]) for o in graph["ops"]],
                         [("aten.linear.default", [{"t": 0}, {"t": 1}, {"t": 2}], [3]), ("aten.relu.default", [{"t": 3}], [4])])
        self.assertEqual(graph["outputs"], [4])
        self.assertEqual(row["flags"], {"train": True, "matmul_tf32": False, "cudnn_tf32": True})
        self.assertEqual((row["reduced"], row["reduced_missing"]), (None, "left out"))

    def test_precision_flags_and_mode_of_the_problem(self):
        row = self.model("return x + 1", "torch.rand(4)", "torch.backends.cuda.matmul.allow_tf32 = True\nself.eval()", "--no-reduced")
        self.assertEqual(row["flags"], {"train": False, "matmul_tf32": True, "cudnn_tf32": True})

    def test_views_share_storage(self):
        graph = self.model("y = x[:, 2:6].t()\nreturn y.contiguous(), x.reshape(-1).expand(3, 32)", "torch.rand(4, 8)", "",
                           "--no-reduced")["graph"]
        x, cut, turned = (tensor(graph, n) for n in ("x", "slice_2" if any(t["name"] == "slice_2" for t in graph["tensors"])
                                                     else "slice_1", "t"))
        self.assertEqual((cut["storage"], cut["offset"], cut["stride"]), (x["storage"], 2, [8, 1]))
        self.assertEqual((turned["storage"], turned["offset"], turned["stride"]), (x["storage"], 2, [1, 8]))
        self.assertNotEqual(graph["tensors"][graph["outputs"][0]]["storage"], x["storage"])
        self.assertEqual(tensor(graph, "expand")["stride"], [0, 1])

    def test_tied_weights_share_storage(self):
        graph = self.model("return self.b(self.a(x))", "torch.rand(4, 8)",
                           "self.a = nn.Linear(8, 8)\nself.b = nn.Linear(8, 8)\nself.b.weight = self.a.weight", "--no-reduced")["graph"]
        weights = [t for t in graph["tensors"] if t["role"] == "param" and t["name"].endswith("weight")]
        self.assertEqual(len({t["storage"] for t in weights}), 1)

    def test_in_place_operators_become_functional(self):
        row = self.model("y = x * 2\ny.relu_()\ny += 1\nreturn y * 3", "torch.rand(4, 8)", "", "--no-reduced")
        self.assertEqual(targets(row), ["aten.mul.Tensor", "aten.relu.default", "aten.add.Tensor", "aten.mul.Tensor"])
        self.assertEqual([o["args"][0] for o in row["graph"]["ops"]], [{"t": 0}, {"t": 1}, {"t": 2}, {"t": 3}])
        self.assertEqual(len({t["storage"] for t in row["graph"]["tensors"]}), 5)
        self.assertNotIn("mutates", row["graph"])

    def test_written_inputs_and_buffers_are_named(self):
        row = self.model("x.add_(1)\nself.count += 1\nreturn x * 2", "torch.rand(4)", "self.register_buffer('count', torch.zeros(1))",
                         "--no-reduced")
        names = {t["id"]: t["name"] for t in row["graph"]["tensors"]}
        self.assertEqual({names[m["t"]] for m in row["graph"]["mutates"]}, {"x", "count"})

    def test_writing_a_part_that_is_read_later(self):
        row = self.model("y = x * 2\ny[:, 0] = 0\nreturn y + 1", "torch.rand(8, 8)")
        self.assertFalse(any(t.split(".")[1].endswith("_") for t in targets(row)), targets(row))
        self.check_against(row, lambda x, *_: np.where(np.arange(8) == 0, 1, 2 * x + 1))

    def check_against(self, row, meaning):
        graph = row["reduced"]["graph"]
        for case in row["reduced"]["cases"]:
            given = [array(t["data"], graph, t["t"]).astype(np.float64) for t in case["tensors"]]
            for output, wanted in zip(case["outputs"], [meaning(*given)]):
                np.testing.assert_allclose(array(output["data"], graph, output["t"]), wanted, rtol=2e-6, atol=2e-6)
                np.testing.assert_allclose(array(output["f64"], graph, output["t"], "f64"), wanted, rtol=1e-12, atol=1e-12)

    def test_several_results(self):
        graph = self.model("a, b = x.split(4, dim=1)\nv, i = torch.max(a, dim=1)\nreturn {'v': v, 'i': i, 'b': b}", "torch.rand(4, 8)",
                           "", "--no-reduced")["graph"]
        self.assertEqual([len(op["out"]) for op in graph["ops"]], [2, 2])
        self.assertEqual([graph["tensors"][i]["dtype"] for i in graph["outputs"]], ["f32", "i64", "f32"])

    def test_constants_have_their_data(self):
        graph = self.model("return x * torch.tensor([1.0, -2.0])", "torch.rand(4, 2)", "", "--no-reduced")["graph"]
        const = next(t for t in graph["tensors"] if t["role"] == "const")
        np.testing.assert_array_equal(array(const["data"], graph, const["id"]), [1, -2])

    def test_number_inputs(self):
        graph = self.model("return x * s + 3.14", "torch.rand(4), 3.14", "", "--no-reduced", given="x, s")["graph"]
        scalar = tensor(graph, "s")
        self.assertEqual((scalar["role"], scalar["dtype"], scalar["value"]), ("scalar", "f64", 3.14))
        self.assertEqual(graph["ops"][0]["args"], [{"t": 0}, {"t": scalar["id"]}])
        self.assertEqual(graph["ops"][1]["args"][1], 3.14)

    def test_a_number_that_is_computed_with_is_baked_in(self):
        graph = self.model("return x * (s * 2)", "torch.rand(4), 1.5", "", "--no-reduced", given="x, s")["graph"]
        self.assertEqual(graph["ops"][0]["args"][1], 3.0)
        self.assertTrue(tensor(graph, "s")["facts"]["baked"])

    def test_states_of_an_lstm(self):
        graph = self.model("out, (h, c) = self.lstm(x)\nreturn out, h[-1], c", "torch.rand(4, 50, 8)",
                           "self.lstm = nn.LSTM(8, 6, 3, batch_first=True)", "--no-reduced")["graph"]
        self.assertEqual([graph["tensors"][i]["shape"] for i in graph["outputs"]], [[4, 50, 6], [4, 6], [3, 4, 6]])

    def test_state_that_forward_assigns(self):
        row = self.model("self.hidden = torch.tanh(x + self.hidden)\nreturn self.hidden * 2", "torch.rand(4, 8)",
                         "self.hidden = torch.randn(4, 8)", "--no-reduced")
        hidden = tensor(row["graph"], "hidden")
        self.assertEqual((hidden["role"], hidden["module"]), ("buffer", "hidden"))
        self.assertEqual([m["t"] for m in row["graph"]["mutates"]], [hidden["id"]])

    def test_what_the_problem_prints_does_not_mix_with_the_json(self):
        row = self.model("print('forward')\nreturn x + 1", "torch.rand(4)", "print('init')")
        self.assertEqual(targets(row), ["aten.add.Tensor"])

    def test_special_numbers_in_arguments(self):
        graph = self.model("return x.masked_fill(x > 0.5, float('-inf')).clamp(max=2)", "torch.rand(4)", "", "--no-reduced")["graph"]
        self.assertEqual(graph["ops"][1]["args"][2], {"f": "-inf"})
        self.assertEqual(graph["ops"][2]["args"], [{"t": 2}, None, 2])

    def test_large_parameters_take_no_memory(self):
        row = self.model("return self.lin(x)", "torch.rand(4, 400000)", "self.lin = nn.Linear(400000, 400000)", "--no-reduced",
                         "--memory-limit", "2")
        self.assertEqual(tensor(row["graph"], "lin_weight")["shape"], [400000, 400000])

    def test_a_constructor_that_needs_values(self):
        row = self.model("return x * self.rates[2]", "torch.rand(4)", "self.rates = [r.item() for r in torch.linspace(0, 1, 3)]",
                         "--no-reduced")
        self.assertEqual(row["graph"]["ops"][0]["args"], [{"t": 0}, 1.0])


class Facts(Capture):
    def facts(self, inputs):
        return self.model("return x + 1", inputs, "", "--no-reduced")["graph"]["tensors"][0]["facts"]

    def test_structure(self):
        for inputs, wanted in (("torch.tril(torch.rand(64, 64))", {"lower"}), ("torch.triu(torch.rand(3, 64, 64))", {"upper"}),
                               ("torch.diag(torch.rand(64))", {"diagonal", "symmetric"}),
                               ("(lambda a: a + a.t())(torch.rand(64, 64))", {"symmetric"}), ("torch.rand(64, 64)", set())):
            found = self.facts(inputs)
            self.assertEqual({k for k in ("lower", "upper", "diagonal", "symmetric") if k in found}, wanted, inputs)

    def test_nearly_structured_is_not(self):
        self.assertNotIn("lower", self.facts("(lambda a: a.index_put((torch.tensor(5), torch.tensor(9)), torch.tensor(1e-30)))"
                                             "(torch.tril(torch.rand(64, 64)))"))

    def results(self, forward, inputs="torch.rand(16, 8)", init=""):
        graph = self.model(forward, inputs, init, "--no-reduced", "--full-run")["graph"]
        return graph["tensors"][graph["outputs"][0]].get("facts")

    def test_results_of_runs_at_full_size(self):
        self.assertEqual(self.results("return torch.relu(-1 - x)")["constant"], 0.0)
        found = self.results("return torch.clamp(x, 0.25, 0.5)")
        self.assertEqual((found["at"], found["min"], found["max"]), ("full", 0.25, 0.5))
        self.assertNotIn("constant", found)
        # What one run makes constant, another may not: a bias of the model is, a number of the inputs is not.
        self.assertEqual(self.results("return 0 * x + self.b", init="self.b = nn.Parameter(torch.full((1,), 2.5))")["constant"], 2.5)
        self.assertNotIn("constant", self.results("return 0 * x + x[0, 0]"))

    def test_results_need_no_run(self):
        graph = self.model("return torch.relu(-1 - x)", "torch.rand(16, 8)", "", "--no-reduced")["graph"]
        self.assertNotIn("facts", graph["tensors"][graph["outputs"][0]])

    def test_inputs_are_not_the_weights_numbers(self):
        # x W' of weights drawn from the same seed would be x x' on its diagonal: far from zero.
        found = self.results("return self.l(x).abs().amax()", "torch.rand(512, 512)", "self.l = nn.Linear(512, 512)")
        self.assertLess(found["max"], 3)

    def test_range(self):
        found = self.facts("torch.arange(6.0).reshape(2, 3) - 2")
        self.assertEqual((found["min"], found["max"], found["finite"], found["at"]), (-2, 3, True, "full"))
        self.assertEqual(self.facts("torch.full((4, 4), 2.5)")["constant"], 2.5)
        self.assertEqual(self.facts("torch.tensor([1.0, float('inf'), -1.0])")["max"], {"f": "inf"})
        self.assertEqual(self.facts("torch.tensor([1.0, float('nan')])")["finite"], False)
        self.assertEqual(self.facts("torch.tensor([0.0, 1.0, 0.0, 2.0])")["zeros"], 0.5)


class Reduced(Capture):
    def test_recorded_answers_agree_with_numpy(self):
        row = self.capture("M = 2048\nK = 1024 * 3\nN = 4096\n\n\nclass Model(nn.Module):\n    def __init__(self, k, n):\n"
                           "        super().__init__()\n        self.lin = nn.Linear(k, n)\n\n    def forward(self, x):\n"
                           "        return torch.relu(self.lin(x)) / 2\n\n\ndef get_inputs():\n    return [torch.rand(M, K)]\n\n\n"
                           "def get_init_inputs():\n    return [K, N]\n")
        graph, cases = row["reduced"]["graph"], row["reduced"]["cases"]
        x, w = graph["tensors"][0]["shape"], graph["tensors"][1]["shape"]
        self.assertEqual(x[1] * 2, x[0] * 3)
        self.assertEqual(w[0], 2 * x[0])
        self.assertEqual([(c["seed"], c["distribution"]) for c in cases], [(42, "problem"), (43, "problem"), (44, "normal(0, 2)")])
        for case in cases:
            a, weight, bias = (array(t["data"], graph, t["t"]).astype(np.float64) for t in case["tensors"])
            wanted = np.maximum(a @ weight.T + bias, 0) / 2
            out = case["outputs"][0]
            np.testing.assert_allclose(array(out["f64"], graph, out["t"], "f64"), wanted, rtol=1e-12, atol=1e-13)
            np.testing.assert_allclose(array(out["data"], graph, out["t"]), wanted, rtol=1e-4, atol=1e-5)
        weights = [array(c["tensors"][1]["data"], graph, 1) for c in cases]
        self.assertGreater(weights[2].std() / weights[0].std(), 1.3)

    def test_structure_is_kept_when_inputs_change(self):
        row = self.model("return x @ x", "torch.tril(torch.rand(512, 512))")
        graph = row["reduced"]["graph"]
        for case in row["reduced"]["cases"]:
            x = array(case["tensors"][0]["data"], graph, 0)
            np.testing.assert_array_equal(x, np.tril(x))

    def test_random_outputs_are_not_recorded(self):
        row = self.model("return nn.functional.dropout(x, 0.5, self.training)", "torch.rand(64, 64)")
        self.assertIsNone(row["reduced"])
        self.assertIn("random", row["reduced_missing"])
        self.assertTrue(row["graph"]["ops"][0]["random"])

    def test_chunks_are_kept_beside_a_large_batch(self):
        row = self.capture(
            "batch_size = 65536\nlength = 128\nchunk = 64\nfeatures = 64\n\n\n"
            "class Model(nn.Module):\n    def __init__(self, chunk):\n        super().__init__()\n        self.chunk = chunk\n\n"
            "    def forward(self, x):\n        parts = [p.sum(1) for p in x.split(self.chunk, 1)]\n"
            "        return torch.stack(parts, 1)\n\n\n"
            "def get_inputs():\n    return [torch.rand(batch_size, length, features)]\n\n\n"
            "def get_init_inputs():\n    return [chunk]\n", "--facts-limit", "0.001")
        self.assertIsNotNone(row["reduced"], row.get("reduced_missing"))
        shape = tensor(row["reduced"]["graph"], "x")["shape"]
        self.assertEqual(targets(row["reduced"]), targets(row))
        self.assertLess(shape[0] * shape[1] * shape[2] * 16, 150_000)

    def test_two_runs_give_the_same_bytes_and_no_source(self):
        path = os.path.join(HERE, "..", "..", "examples", "mlp_gelu", "problem.py")
        first, second = run(path), run(path)
        self.assertEqual(first.returncode, 0, first.stderr)
        self.assertEqual(first.stdout, second.stdout)
        for word in ("One layer", "def forward", "import", "__init__"):
            self.assertNotIn(word, first.stdout)


class Errors(Capture):
    def test_broken_problems(self):
        self.assertEqual({f.removesuffix(".py") for f in os.listdir(os.path.join(HERE, "broken")) if f.endswith(".py")}, set(BROKEN))
        for name, (code, message, line) in BROKEN.items():
            with self.subTest(name):
                out = os.path.join(self.folder.name, "out.json")
                args = ("--timeout", "5") if name == "never_ends" else ()
                done = run(os.path.join(HERE, "broken", name + ".py"), "--json", "-o", out, *args)
                self.assertEqual(done.returncode, 1, done.stderr)
                row = json.loads(done.stdout)
                self.assertEqual(row["code"], code, row)
                self.assertIn(message, row["message"])
                self.assertEqual(row["line"], line, row)
                self.assertTrue(row["help"])
                self.assertNotIn("Traceback", done.stderr)
                self.assertFalse(os.path.exists(out))

    def test_places_that_cannot_be_written(self):
        path = os.path.join(HERE, "..", "..", "examples", "mlp_gelu", "problem.py")
        done = run(path, "--no-reduced", "--facts-limit", "0", "-o", "/nowhere/out.json")
        self.assertEqual(done.returncode, 2)
        self.assertIn("error[cannot-write]", done.stderr)
        self.assertEqual(os.listdir(self.folder.name), [])


if __name__ == "__main__":
    unittest.main()
