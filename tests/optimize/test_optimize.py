"""`ucutlass import`, `optimize` and `show` as their users start them, without a GPU."""

import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import sqlite3
import subprocess
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).parents[2]
PROGRAM = os.environ["UCUTLASS"]
# Problems of products and what is applied to their elements.
PRODUCTS = {"level1": (1, 2, 3, 10, 16, 17, 18), "level2": (12, 29, 40, 53, 63, 70, 76, 81, 86, 95)}
RELU = ROOT / "data/kernelbench/level2/76_Gemm_Add_ReLU.json"


class Place(unittest.TestCase):
    """A data folder of its own for each test."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)
        keep = {k: v for k, v in os.environ.items() if not k.startswith("UCUTLASS_")}
        self.environment = keep | {"XDG_DATA_HOME": str(self.path / "data"), "UCUTLASS_LOCK_DIR": str(self.path)}

    def run_program(self, *args, **more):
        environment = self.environment | more.pop("env", {})
        return subprocess.run(
            [PROGRAM, *map(str, args)], capture_output=True, text=True, env=environment, stdin=subprocess.DEVNULL, timeout=120, **more
        )

    def optimize(self, *args, **more):
        return self.run_program("optimize", *args, "--device", "model:h200", "--no-build", **more)

    def assertTells(self, done, code, *words):
        """An error of this exit code that says these words and what to do, without a trace."""
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertIn("error: ", done.stderr)
        self.assertIn("help: ", done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)
        for noise in ("terminate called", "Traceback", "Aborted", "Segmentation"):
            self.assertNotIn(noise, done.stderr)


class Optimize(Place):
    def test_reports_what_a_user_needs(self):
        done = self.optimize(RELU, "--precision", "f16")
        self.assertEqual(done.returncode, 0, done.stderr)
        for words in ("Best program", "us modelled", "Proof", "3 of 3 trials passed", "same precision", "PyTorch's best", "precision ", "prepack ", "kernel ",
                      "Without prepared weights", "Speed of light", "All times of ours are modelled", "Again: ucutlass optimize"):
            self.assertIn(words, done.stdout)
        self.assertRegex(done.stderr, r"(?m)^\[1/40\] import: ")
        self.assertEqual([*self.path.glob("*.lock")], [])
        again = re.search(r"^Again: ucutlass (.*)$", done.stdout, re.M).group(1).split()
        second = self.run_program(*again, "--no-build")
        without_run = lambda text: re.sub(r"Run \S+, files in \S+|^compiled.*|not compiled.*", "", text)
        self.assertEqual(without_run(second.stdout), without_run(done.stdout))

    def test_commands_that_it_prints_can_be_run(self):
        place = self.path / "a place"
        place.mkdir()
        shutil.copy(RELU, place / "problem.json")
        done = self.optimize(place, "--precision", "f16", "--attempts", "1", "--store", place / "it's.db")
        again = shlex.split(re.search(r"^Again: ucutlass (.*)$", done.stdout, re.M).group(1))
        self.assertEqual(self.run_program(*again, "--no-build").returncode, 0)

    def test_a_run_folder_that_cannot_be_is_said_before_anything_is_done(self):
        (self.path / "file").touch()
        self.assertTells(self.optimize(RELU, "--precision", "f16", "--run-dir", self.path / "file"), 1, str(self.path / "file"), "--run-dir")
        self.assertIn("no run is stored", self.run_program("show").stderr)

    def test_precisions_that_the_report_names_are_taken(self):
        said = self.optimize(RELU).stdout
        for precision in re.findall(r"--precision (\w+)", said):
            self.assertNotEqual(self.optimize(RELU, "--precision", precision, "--attempts", "1").returncode, 2, precision)

    def test_the_best_program_is_a_program(self):
        done = self.optimize(RELU, "--precision", "f16", "--json")
        answer = json.loads(done.stdout)
        self.assertEqual(answer["schema"], "ucutlass.optimize/1")
        self.assertEqual(answer["best"]["kind"], "modelled")
        factors = 1.0
        for share in answer["causes"]["shares"]:
            factors *= share["factor"]
        self.assertAlmostEqual(factors, answer["causes"]["total"], places=6)
        program = self.path / "best.uc"
        program.write_text(answer["best"]["program"])
        self.assertEqual(self.run_program("check", program).returncode, 0)

    def test_strict_is_served_by_faithful_products(self):
        done = self.optimize(RELU, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotRegex(json.loads(done.stdout)["best"]["program"], r"precision|f16\b|math\((tf32|f16|bf16)\)")

    def test_no_prepack_prepares_nothing(self):
        done = self.optimize(RELU, "--precision", "f16", "--no-prepack")
        self.assertEqual(done.returncode, 0)
        self.assertNotIn("prepack(", done.stdout)

    def test_run_dir_holds_readable_files(self):
        done = self.optimize(RELU, "--precision", "f16", "--run-dir", self.path / "here")
        self.assertEqual(done.returncode, 0)
        for name in ("problem.json", "measure.json", "best.uc", "report.txt", "report.json", "iteration-1/analysis.md", "iteration-1/hypotheses.json",
                     "iteration-1/triage.json", "iteration-1/summary.md", "attempts/001-import.uc"):
            self.assertTrue((self.path / "here" / name).stat().st_size > 0, name)

    def test_every_problem_of_the_repository_is_improved(self):
        problems = [path for level, ids in PRODUCTS.items() for id in ids for path in ROOT.glob(f"data/kernelbench/{level}/{id}_*.json")]
        self.assertEqual(len(problems), 17)
        for problem in problems + sorted(ROOT.glob("examples/*/problem.json")):
            done = self.optimize(problem, "--precision", "bf16" if "bf16" in str(problem) else "f16", "--json")
            self.assertEqual(done.returncode, 0, f"{problem}\n{done.stderr}")
            answer = json.loads(done.stdout)
            self.assertTrue(all(trial["passed"] for trial in answer["best"]["trials"]), problem)
            self.assertGreaterEqual(answer["best"]["gap"], 0.9, problem)


class Show(Place):
    def test_shows_the_report_again(self):
        done = self.optimize(RELU, "--precision", "f16")
        shown = self.run_program("show", "last")
        self.assertEqual(shown.returncode, 0)
        self.assertEqual(shown.stdout, re.sub(r"(?m)^(not )?compiled.*\n", "", done.stdout))
        self.assertEqual(json.loads(self.run_program("show", "last", "--json").stdout)["schema"], "ucutlass.optimize/1")

    def test_lists_runs_and_attempts(self):
        self.optimize(RELU, "--precision", "f16")
        self.assertRegex(self.run_program("show").stdout, r"^\S+ +done +h200 .*76_Gemm_Add_ReLU")
        attempts = json.loads(self.run_program("show", "last", "--attempts", "--json").stdout)["attempts"]
        self.assertEqual([each["number"] for each in attempts], list(range(1, len(attempts) + 1)))
        self.assertIn("target sm_90a", self.run_program("show", "last", "--attempt", "2").stdout)
        self.assertTells(self.run_program("show", "last", "--attempt", "99"), 2, "no attempt 99")

    def test_without_runs(self):
        self.assertTells(self.run_program("show"), 1, "no run is stored")
        self.optimize(RELU, "--precision", "f16")
        self.assertTells(self.run_program("show", "nothing"), 1, "no run is named")


class Resume(Place):
    def start(self, *args):
        return subprocess.Popen(
            [PROGRAM, "optimize", str(RELU), "--precision", "f16", "--device", "model:h200", *args],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=self.environment, stdin=subprocess.DEVNULL,
        )

    def stop_at(self, process, words, how):
        """Sends the signal once a line with these words has come; what was said, and the rest of it."""
        said = ""
        for line in process.stderr:
            said += line
            if words in line:
                process.send_signal(how)
                break
        out, rest = process.communicate(timeout=60)
        return process.returncode, out, said + rest

    def test_kill_loses_nothing_and_the_same_command_goes_on(self):
        code, _, said = self.stop_at(self.start("--no-build"), "[2/40]", signal.SIGKILL)
        if code == 0:
            self.skipTest("the run was over before it could be killed")
        done = self.optimize(RELU, "--precision", "f16")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("going on with run", done.stderr)
        self.assertIn("[2/40] lower-precision", done.stderr)
        self.assertRegex(done.stderr, r"\[2/40\].*\[stored\]")
        for line in re.findall(r"(?m)^\[\d+/40\].*us modelled", said):
            self.assertIn(line, done.stderr)

    def slow_toolchain(self):
        """Compilers that take their time, so that an interrupt comes while one works."""
        cuda, cutlass = self.path / "cuda", self.path / "cutlass"
        for folder in (cuda / "bin", cuda / "include", cutlass / "include/cutlass"):
            folder.mkdir(parents=True)
        (cuda / "include/cuda.h").touch()
        (cutlass / "include/cutlass/version.h").write_text("#define CUTLASS_MAJOR 4\n#define CUTLASS_MINOR 2\n#define CUTLASS_PATCH 0\n")
        for name, version in (("nvcc", "release 13.0, V13.0.1"), ("g++", "12.2.0")):
            (cuda / "bin" / name).write_text(f'#!/bin/sh\ncase "$1" in --version|-dumpfullversion) echo "{version}"; exit 0;; esac\nsleep 60\n')
            (cuda / "bin" / name).chmod(0o755)
        return {"CUDA_HOME": str(cuda), "PATH": f"{cuda}/bin:{os.environ['PATH']}", "UCUTLASS_CUTLASS_DIR": str(cutlass), "UCUTLASS_CACHE": str(self.path / "cache")}

    def test_interrupt_says_the_best_and_how_to_go_on(self):
        self.environment |= self.slow_toolchain()
        process = self.start()
        begin = time.monotonic()
        code, out, said = self.stop_at(process, "compiling the best program", signal.SIGINT)
        self.assertEqual(code, 130, said)
        self.assertLess(time.monotonic() - begin, 20)
        self.assertIn("Best program", out)
        resume = re.search(r"interrupted; to go on: ucutlass (.*)", said).group(1).split()
        self.assertRegex(self.run_program("show").stdout, "interrupted")
        done = self.run_program(*resume, "--no-build")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("Interrupted", done.stdout)

    def test_resume_by_id(self):
        done = self.optimize(RELU, "--precision", "f16", "--attempts", "2", "--json")
        run = json.loads(done.stdout)["run"]
        more = self.run_program("optimize", "--resume", run[:13], "--attempts", "12", "--no-build", "--json")
        self.assertEqual(more.returncode, 0, more.stderr)
        answer = json.loads(more.stdout)
        self.assertEqual(answer["run"], run)
        self.assertGreater(len(answer["attempts"]), 3)
        self.assertIn("[stored]", more.stderr)

    def test_fresh_starts_anew(self):
        store = self.path / "data/ucutlass/runs.db"
        self.optimize(RELU, "--precision", "f16")
        with sqlite3.connect(store) as database:
            database.execute("UPDATE runs SET state = 'interrupted'")
        self.assertNotIn("going on", self.optimize(RELU, "--precision", "f16", "--fresh").stderr)
        with sqlite3.connect(store) as database:
            self.assertEqual(database.execute("SELECT count(*) FROM runs").fetchone()[0], 2)


class BrokenWorld(Place):
    def test_usage(self):
        self.assertTells(self.run_program("optimize"), 2, "neither a problem nor a run")
        self.assertTells(self.run_program("optimize", RELU, "--resume", "last"), 2, "a problem and a run")
        self.assertTells(self.run_program("optimize", RELU, "--device", "model:h201"), 2, "h201", "model:h200")
        self.assertTells(self.run_program("optimize", RELU, "--device", "gpx"), 2, "gpx")
        self.assertTells(self.optimize("--resume", "nothing"), 1, "no run is")
        self.assertEqual(self.run_program("optimize", RELU, "--attempts", "0").returncode, 2)

    @unittest.skipIf(os.path.exists("/dev/nvidiactl"), "there is a GPU here")
    def test_no_gpu(self):
        self.assertTells(self.run_program("optimize", RELU, "--device", "gpu"), 3, "GPU", "model:h200")

    def test_broken_captures(self):
        whole = RELU.read_text()
        broken = {
            "empty": "", "not json": "{", "another schema": '{"schema": "ucutlass.sol/1"}', "a list": "[1, 2]", "cut": whole[: len(whole) // 2],
            "an unknown dtype": whole.replace('"f32"', '"f33"'), "a negative extent": whole.replace("[1024,8192]", "[-1,8192]", 1),
            "no such tensor": whole.replace('{"t":0}', '{"t":99}', 1), "binary": "\x00\x01\x02",
            "an unknown operator": whole.replace("aten.relu.default", "aten.rulu.default"),
        }
        for what, text in broken.items():
            with self.subTest(what):
                path = self.path / "problem.json"
                path.write_text(text)
                for command in ("import", "optimize"):
                    done = self.run_program(command, path)
                    self.assertEqual(done.returncode, 1, f"{command}: {done.stdout} {done.stderr}")
                    self.assertIn("error: ", done.stderr)
                    self.assertNotIn("terminate called", done.stderr)

    def test_a_python_problem_without_torch(self):
        (self.path / "torch.py").write_text("raise ImportError('no torch here')\n")
        problem = self.path / "problem.py"
        problem.write_text("import torch\n")
        for command in ("import", "optimize"):
            done = self.run_program(command, problem, env={"PYTHONPATH": str(self.path)})
            self.assertTells(done, 3, "PyTorch", "no torch here")
        self.assertTells(self.run_program("optimize", problem, env={"UCUTLASS_PYTHON": "/nowhere/python"}), 3, "python3")

    def test_missing_problems(self):
        for problem in ("/nowhere/problem.json", "/nowhere", self.path):
            self.assertTells(self.optimize(problem), 2, str(problem))
        self.assertTells(self.optimize(self.path), 2, "a folder without problem.json")
        (self.path / "notes.txt").write_text("x")
        self.assertTells(self.optimize(self.path / "notes.txt"), 2, "neither a .py nor a .json")

    def test_a_store_that_is_none(self):
        (self.path / "notes.db").write_text("x" * 4000)
        self.assertTells(self.optimize(RELU, "--store", self.path / "notes.db"), 1, "not a database", "--store")
        self.assertTells(self.optimize(RELU, "--store", "/proc/none/runs.db"), 1, "/proc/none")
        self.assertTells(self.run_program("optimize", RELU, env={"XDG_DATA_HOME": "", "HOME": ""}), 1, "--store")

    def test_a_full_disk_keeps_what_was_stored(self):
        self.optimize(RELU, "--precision", "f16", "--attempts", "1")
        done = subprocess.run(  # files of this process may grow to 64 KiB: what a full disk is to SQLite
            ["sh", "-c", 'trap "" XFSZ; ulimit -f 64; exec "$@"', "sh", PROGRAM, "optimize", str(ROOT / "examples/mlp_gelu"), "--precision", "f16",
             "--device", "model:h200", "--no-build"], capture_output=True, text=True, env=self.environment, stdin=subprocess.DEVNULL, timeout=120)
        self.assertTells(done, 1)
        self.assertRegex(self.run_program("show").stdout, "76_Gemm_Add_ReLU")

    def test_two_processes_share_a_store(self):
        pair = [
            subprocess.Popen([PROGRAM, "optimize", str(problem), "--precision", "f16", "--device", "model:h200", "--no-build", "--json"],
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=self.environment, stdin=subprocess.DEVNULL)
            for problem in (RELU, ROOT / "examples/mlp_gelu", RELU, ROOT / "examples/mlp_two_layers")
        ]
        answers = [each.communicate(timeout=120) for each in pair]
        for process, (out, said) in zip(pair, answers):
            self.assertEqual(process.returncode, 0, said)
            self.assertTrue(json.loads(out)["best"])
        self.assertEqual(len(self.run_program("show").stdout.splitlines()), 4)


if __name__ == "__main__":
    unittest.main()
