"""`ucutlass optimize --proposer llm` and `manual` as their users start them."""

import json
import pathlib
import re
import signal
import subprocess
import tempfile
import unittest

import by_hand

from place import KEY, PROGRAM, RELU, Place, FakeModel, report

GOOD = """target sm_90a
precision f16
input x: f32[1024, 8192]
param bias_1: f32[8192] = "bias"
param gemm_weight: f32[8192, 8192] = "gemm.weight"
xh = to(x, f16)
y = linear(xh, prepack(gemm_weight, f16)) >> bias(bias_1) >> relu() >> to(f32)
return y
"""
SPLIT = GOOD.replace(") >> bias(bias_1) >> relu() >> to(f32)", ") >> to(f32)").replace("y = linear", "t = linear").replace(
    "return y", "y = relu(t + bias_1)\nreturn y")


class Llm(Place):
    def ask(self, url, *args, **more):
        return self.optimize(RELU, "--precision", "f16", "--proposer", "llm", "--base-url", url, "--model", "tester",
                             "--key-env", "TEST_KEY", *args, **more)

    def test_a_model_that_answers_well_finds_the_program(self):
        for controller, attempts in (("mi", 2), ("inprompt", 2), ("mantis", 3)):
            with self.subTest(controller), FakeModel("well") as model:
                done = self.ask(model.url, "--controller", controller, "--attempts", str(attempts), "--json", "--fresh")
                self.assertEqual(done.returncode, 0, done.stderr)
                found = report(done)
                self.assertGreater(found["best"]["attempt"], 1)
                self.assertNotIn(KEY.encode(), self.all_bytes())
                self.assertNotIn(KEY, done.stdout + done.stderr)

    def test_phases_leave_their_files(self):
        with FakeModel("well") as model:
            done = self.ask(model.url, "--attempts", "3")
        self.assertEqual(done.returncode, 0, done.stderr)
        folder = self.run_folder()
        for name in ("measure.json", "iteration-1/analysis.md", "iteration-1/hypotheses.json", "iteration-1/triage.json",
                     "iteration-1/summary.md", "exchanges/001-nominate.request.json", "exchanges/002-write.response.json"):
            self.assertTrue((folder / name).is_file(), name)
        body = json.loads((folder / "exchanges/001-nominate.request.json").read_text())
        self.assertEqual(body["model"], "tester")

    def test_phases_can_be_left_out(self):
        with FakeModel("well") as model:
            done = self.ask(model.url, "--attempts", "3", "--without", "analyze,triage", "--without", "summarize")
        self.assertEqual(done.returncode, 0, done.stderr)
        names = {str(file.relative_to(self.run_folder())) for file in self.run_folder().rglob("*")}
        self.assertIn("iteration-1/hypotheses.json", names)
        for name in ("iteration-1/analysis.md", "iteration-1/triage.json", "iteration-1/summary.md"):
            self.assertNotIn(name, names)
        wrong = self.ask("http://127.0.0.1:9", "--without", "nominatee")
        self.assertEqual(wrong.returncode, 2)
        self.assertIn("analyze, nominate, triage, summarize", wrong.stderr)

    def test_a_model_that_answers_badly_costs_its_attempts_and_no_more(self):
        with FakeModel("badly") as model:
            done = self.ask(model.url, "--controller", "mi", "--attempts", "6", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(report(done)["best"]["attempt"], 1)
        self.assertEqual(len(re.findall(r"^\[\d/6\] improve: broken", done.stderr, re.M)), 5)

    def test_a_model_that_attacks_gains_nothing(self):
        with FakeModel("adversarially") as model:
            done = self.ask(model.url, "--controller", "mi", "--attempts", "9", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(report(done)["best"]["attempt"], 1)
        self.assertNotIn("0.001 us", done.stdout)

    def test_faults_on_the_way_change_nothing_but_the_number_of_requests(self):
        with FakeModel("flaky") as model:
            done = self.ask(model.url, "--controller", "mi", "--attempts", "2", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(report(done)["best"]["attempt"], 2)
        self.assertIn("the model does not answer (status 503)", done.stderr)

    def test_a_run_that_is_resumed_asks_only_what_is_new(self):
        with FakeModel("well") as model:
            first = self.ask(model.url, "--controller", "mi", "--attempts", "2")
            self.assertEqual(first.returncode, 0, first.stderr)
        # The model is gone: what is stored is enough.
        again = self.run_program("optimize", "--resume", "last", "--no-build")
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertIn("[stored]", again.stderr)

    def begin_and_end(self, how):
        """Ends a run by a signal while the second request has no answer; then goes on with another endpoint."""
        with FakeModel("silent") as model:
            process = subprocess.Popen(
                [PROGRAM, "optimize", RELU, "--precision", "f16", "--device", "model:h200", "--no-build", "--proposer", "llm", "--base-url",
                 model.url, "--model", "tester", "--key-env", "TEST_KEY", "--controller", "mi", "--attempts", "3"],
                env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            model.wait_for_a_request()
            model.wait_for_a_request()
            process.send_signal(how)
            _, told = process.communicate(timeout=60)
        with FakeModel("well") as model:
            done = self.run_program("optimize", "--resume", "last", "--no-build", "--json", "--base-url", model.url, "--model", "tester",
                                    "--key-env", "TEST_KEY")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(report(done)["best"]["attempt"], 2)
        self.assertIn("[2/3] improve: ", done.stderr)
        self.assertIn("[stored]", done.stderr)
        self.assertEqual(report(done)["spent"]["calls"], 3)  # what was under way may have been served
        return process.returncode, told, report(done)

    def test_an_interrupt_does_not_wait_for_the_model(self):
        code, told, found = self.begin_and_end(signal.SIGINT)
        self.assertEqual(code, 130)
        self.assertIn("to go on: ucutlass optimize --resume", told)
        self.assertTrue(found["spent"]["estimated"])

    def test_a_run_that_is_killed_goes_on_where_it_was(self):
        code, _, found = self.begin_and_end(signal.SIGKILL)
        self.assertEqual(code, -signal.SIGKILL)
        self.assertTrue(found["spent"]["estimated"])

    def test_caps(self):
        with FakeModel("badly") as model:
            done = self.ask(model.url, "--controller", "mi", "--attempts", "40", "--max-tokens", "60000", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("cap of 60000 tokens is reached", done.stderr)
        spent = report(done)["spent"]
        self.assertLessEqual(spent["prompt_tokens"] + spent["answer_tokens"], 60000)
        self.assertGreater(spent["calls"], 1)
        refused = self.ask("http://127.0.0.1:9/v1", "--max-usd", "1")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("--price", refused.stderr)

    def test_settings_that_are_wrong_are_said_before_a_run_begins(self):
        for args, words in (
                (["--model", "m"], "no endpoint"),
                (["--base-url", "http://h/v1"], "no model"),
                (["--base-url", "h", "--model", "m"], "no address"),
                (["--base-url", "http://u:p@h", "--model", "m"], "--key-env"),
                (["--base-url", "http://h/v1", "--model", "m", "--price", "1"], "--price"),
                (["--llm", '{"api_key": "sk-1", "model": "m"}'], "hold a key"),
                (["--llm", "/nowhere.json"], "/nowhere.json")):
            done = self.optimize(RELU, "--proposer", "llm", *args)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(words, done.stderr)
        self.assertIn("no run is stored", self.run_program("show").stderr)
        done = self.optimize(RELU, "--proposer", "llm", "--base-url", "http://127.0.0.1:9/v1", "--model", "m", "--key-env", "NO_SUCH")
        self.assertEqual(done.returncode, 2)
        self.assertIn("NO_SUCH", done.stderr)


class Manual(Place):
    def begin(self, *args):
        return self.optimize(RELU, "--precision", "f16", "--proposer", "manual", "--controller", "mi", "--exchange", self.path / "talk",
                             "--attempts", "3", *args)

    def test_requests_and_answers_are_files(self):
        first = self.begin("--json")
        self.assertEqual(first.returncode, 130, first.stderr)
        request = json.loads(first.stdout)
        self.assertEqual(request["schema"], "ucutlass.request/1")
        self.assertIn("Problem 76_Gemm_Add_ReLU", request["text"])
        self.assertEqual((self.path / "talk/001-write.request.md").read_text(), request["text"])
        (self.path / "talk/001-write.answer.uc").write_text(SPLIT)
        second = self.run_program(*request["resume"].split()[1:], "--no-build")
        self.assertEqual(second.returncode, 130, second.stderr)
        self.assertIn("What became of it: right", second.stdout)
        answer = self.path / "mine.md"
        answer.write_text("I think this is it:\n```uc\n" + GOOD + "```\n")
        third = self.run_program("optimize", "--resume", "last", "--no-build", "--answer", answer, "--json")
        self.assertEqual(third.returncode, 0, third.stderr)
        self.assertEqual(report(third)["best"]["attempt"], 3)
        self.assertTrue((self.path / "talk/002-write.answer.md").is_file())

    def test_an_answer_without_a_request_is_told(self):
        self.assertEqual(self.begin().returncode, 130)
        (self.path / "talk/001-write.answer.md").write_text("```uc\n" + GOOD + "```\n")
        (self.path / "a.md").write_text("x")
        done = self.run_program("optimize", "--resume", "last", "--answer", self.path / "a.md")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("no request waits", done.stderr)

    def test_it_waits_when_told_to(self):
        folder = self.path / "talk"
        self.assertEqual(self.begin().returncode, 130)
        (folder / "001-write.answer.md").write_text("```uc\n" + GOOD + "```\n")
        (folder / "002-write.answer.md").write_text("enough")
        done = self.begin("--wait", "60", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(report(done)["best"]["attempt"], 2)


class ByHand(unittest.TestCase):
    """docs/optimize_by_hand.md is a session that can be had again."""

    def test_the_documented_answers_find_what_is_documented(self):
        fates = {"mlp_gelu": ["ok", "broken", "ok", "ok"], "bmm_scale_clamp": ["ok", "incorrect", "ok", "broken", "ok"],
                 "linear_residuals_bf16": ["ok", "ok", "ok"]}
        for problem, wanted in fates.items():
            with self.subTest(problem), tempfile.TemporaryDirectory() as folder:
                *_, (_, _, done) = by_hand.played(problem, folder)
                self.assertEqual(done.returncode, 0, done.stderr)
                (file,) = pathlib.Path(folder).glob("data/ucutlass/runs/*/report.json")
                found = json.loads(file.read_text())
                labels = [a["label"] for a in found["attempts"] if a["rewrite"] != "without-prepack"]
                self.assertEqual(labels, wanted)
                times = [a["us"] for a in found["attempts"] if a["label"] == "ok"]
                self.assertLess(found["best"]["us"], 0.8 * times[0])


if __name__ == "__main__":
    unittest.main()
