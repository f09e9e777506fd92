"""The program as its users start it: libraries, time to start, exit codes, broken surroundings."""

import json
import os
import pathlib
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import unittest

HERE = pathlib.Path(__file__).parent
PROGRAM = os.environ["UCUTLASS"]
TEN_LINES = HERE / "ten_lines.uc"


def run(*args, **more):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("UCUTLASS_")} | more.pop("env", {})
    more.setdefault("stdin", subprocess.DEVNULL)
    return subprocess.run([PROGRAM, *map(str, args)], capture_output=True, text=True, env=environment, timeout=60, **more)


class Libraries(unittest.TestCase):
    def test_only_glibc_is_needed(self):
        dynamic = subprocess.run(["readelf", "-d", PROGRAM], check=True, capture_output=True, text=True).stdout
        needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic))
        self.assertTrue(needed, "readelf shows no library at all")
        self.assertLessEqual(needed, {"libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"})


class StartUp(unittest.TestCase):
    LIMIT_MS = 20

    def test_check_of_ten_lines_is_quick(self):
        milliseconds = []
        for _ in range(21):
            begin = time.perf_counter()
            done = run("check", TEN_LINES)
            milliseconds.append((time.perf_counter() - begin) * 1e3)
            self.assertEqual(done.returncode, 0, done.stderr)
        median = statistics.median(milliseconds)
        print(f"ucutlass check of ten lines: median {median:.1f} ms as a process", file=sys.stderr)
        self.assertLess(median, self.LIMIT_MS)


class Manners(unittest.TestCase):
    def test_a_program_comes_from_a_file_or_from_standard_input(self):
        from_file = run("check", TEN_LINES)
        with TEN_LINES.open() as text:
            from_input = run("check", "-", stdin=text)
        self.assertEqual((from_file.returncode, from_input.returncode), (0, 0), from_input.stderr)

    def test_findings_exit_with_1_and_stay_off_standard_output(self):
        done = run("check", "-", stdin=None, input="target sm_90a\ny = lnear(x, W)\nreturn y\n")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stdout, "")
        self.assertIn("error[UC", done.stderr)

    def test_a_missing_file_says_so(self):
        done = run("check", "/nowhere/a.uc")
        self.assertEqual(done.returncode, 2)  # usage, as in every command
        self.assertIn("/nowhere/a.uc", done.stderr)

    def test_a_usage_error_exits_with_2(self):
        self.assertEqual(run("chek", TEN_LINES).returncode, 2)
        self.assertEqual(run("check").returncode, 2)

    def test_no_colour_off_a_terminal(self):
        self.assertNotIn("\x1b", run("doctor").stdout)

    def test_colour_on_a_terminal_unless_no_color(self):
        for environment, expected in (({"TERM": "xterm"}, True), ({"TERM": "xterm", "NO_COLOR": "1"}, False)):
            leader, follower = os.openpty()
            done = subprocess.run(
                [PROGRAM, "doctor"], stdin=subprocess.DEVNULL, stdout=follower, env=os.environ | environment, timeout=60
            )
            os.close(follower)
            text = b""
            try:
                while piece := os.read(leader, 65536):
                    text += piece
            except OSError:
                pass
            os.close(leader)
            self.assertEqual(done.returncode, 0)
            self.assertEqual(b"\x1b[" in text, expected)

    def test_doctor_speaks_json(self):
        done = run("doctor", "--json", "--require", "cutlass", env={"UCUTLASS_CUTLASS_DIR": "/nowhere"})
        self.assertEqual(done.returncode, 3)
        answer = json.loads(done.stdout)
        self.assertEqual(answer["schema"], "ucutlass.doctor/1")
        self.assertEqual(answer["missing_required"], ["cutlass"])

    def test_an_unknown_device_is_a_usage_error(self):
        for command in ("check", "compile", "sol"):
            done = run(command, TEN_LINES, "--device", "h201")
            self.assertEqual(done.returncode, 2, command)
            self.assertIn("h200", done.stderr)

    def test_a_variable_means_the_same_to_every_command(self):
        """Set for one command, it must not break another: a flag there may not be a value here."""
        commands = re.findall(r"^  ([a-z]+) +\S", run("--help").stdout, re.M)
        meaning, spellings = {}, {}
        for command in commands:
            text = re.sub(r"\n {10,}", " ", run(command, "--help").stdout)
            for names, placeholder, variable in re.findall(r"^  (-\S.*?--[a-z-]+|--[a-z-]+)( [A-Z|a-z0-9._-]+)?(?: \.\.\.)? .*\(\$(\w+)\)", text, re.M):
                kind = "value" if placeholder.strip() else "flag"
                self.assertEqual(meaning.setdefault(variable, kind), kind, f"{variable}: {command} {names}")
                choices = set(placeholder.strip().split("|"))
                if len(choices) > 1:
                    others = spellings.setdefault(variable, choices)
                    self.assertTrue(choices <= others or others <= choices, f"{variable}: {command} {names}")
        self.assertEqual(meaning["UCUTLASS_ATTEMPTS"], "value")
        self.assertEqual(meaning["UCUTLASS_JSON"], "flag")
        self.assertEqual(run("check", TEN_LINES, env={"UCUTLASS_DEVICE": "model:h200"}).returncode, 0)

    def test_every_command_opens_its_help_with_examples(self):
        overview = run("--help").stdout
        commands = re.findall(r"^  ([a-z]+) +\S", overview, re.M)
        self.assertIn("doctor", commands)
        for command in commands:
            done = run(command, "--help")
            self.assertEqual(done.returncode, 0, command)
            self.assertRegex(done.stdout, rf"\Aexamples:\n  (.*\| )?ucutlass {command}\b")


class BrokenWorld(unittest.TestCase):
    def test_a_full_disk_is_an_error_not_a_silence(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run([PROGRAM, "--help"], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
        self.assertEqual(done.returncode, 1)
        self.assertIn("cannot write to standard output", done.stderr)

    def test_a_reader_that_leaves_ends_it_quietly(self):
        for _ in range(5):
            process = subprocess.Popen([PROGRAM, "explain", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            process.stdout.close()
            errors = process.stderr.read()
            process.stderr.close()
            self.assertIn(process.wait(60), (0, 1, -13))
            self.assertNotIn(b"internal fault", errors)

    def test_closed_streams_do_no_harm(self):
        done = subprocess.run(["sh", "-c", f'"{PROGRAM}" check - <&- >&- 2>&-'], timeout=60)
        self.assertIn(done.returncode, (1, 2))

    def test_a_folder_or_binary_in_place_of_a_program(self):
        with tempfile.NamedTemporaryFile() as noise:
            noise.write(bytes(range(256)) * 64)
            noise.flush()
            for path, code in (("/", 2), (noise.name, 1)):  # nothing to read; findings in what was read
                done = run("check", path)
                self.assertEqual(done.returncode, code, path)
                self.assertIn("error", done.stderr)


    def test_what_is_no_text_is_said_once(self):
        text = TEN_LINES.read_text()
        for bytes_, word in ((bytes(range(256)) * 64, "not a text file"), (text.encode("utf-16"), "UTF-16"), (text.replace("return", "\0return").encode(), "0x00")):
            with tempfile.NamedTemporaryFile() as file:
                file.write(bytes_)
                file.flush()
                done = run("check", file.name)
            self.assertEqual(done.returncode, 1)
            self.assertIn(word, done.stderr)
            self.assertLess(len(done.stderr.splitlines()), 20, done.stderr)

    def test_what_is_said_of_an_endless_name_is_short(self):
        done = run("check", "-", stdin=None, input=f"target sm_90a\ninput x: f16[64]\ny = relu({'w' * 1000000})\nreturn y\n")
        self.assertEqual(done.returncode, 1)
        self.assertIn("nothing is named `www", done.stderr)
        self.assertLess(len(done.stderr), 3000)

    def test_a_second_return_is_one_error(self):
        done = run("check", "-", stdin=None, input="target sm_90a\ninput x: f16[64]\ny = relu(x)\nreturn y\nreturn y\n")
        self.assertEqual(re.findall(r"error\[(UC\d+)\]", done.stderr), ["UC1031"])


class Python(unittest.TestCase):
    """Problems whose own code ends, crashes or hangs the Python that runs them."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)
        self.problem = self.path / "problem.py"
        self.problem.touch()

    def python(self, script):
        program = self.path / "python"
        program.write_text("#!/bin/sh\n" + script)
        program.chmod(0o755)
        return {"UCUTLASS_PYTHON": str(program), "TMPDIR": str(self.path)}

    def test_python_that_ends_by_itself_is_an_error(self):
        for script in ("exit 0", "exit 7", "kill -SEGV $$"):
            for command in ("capture", "import", "optimize"):
                done = run(command, self.problem, env=self.python(script) | {"XDG_DATA_HOME": str(self.path)})
                self.assertEqual(done.returncode, 1, f"{command} {script}: {done.stderr}")
                self.assertIn("Python ended without a capture", done.stderr)
                self.assertIn("help: ", done.stderr)
        self.assertEqual(list(self.path.glob("ucutlass-capture*")), [])

    def test_captures_go_where_they_are_asked_for(self):
        environment = self.python("echo warned >&2; echo '{}'")
        self.assertEqual(run("capture", self.problem, env=environment).stdout, "{}\n")
        done = run("capture", self.problem, "-o", self.path / "out.json", env=environment)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", "warned\n"))
        self.assertEqual((self.path / "out.json").read_text(), "{}\n")

    def test_no_child_outlives_a_killed_program(self):
        environment = os.environ | self.python(f"sleep 300 & echo $! $$ > {self.path}/pids.new; mv {self.path}/pids.new {self.path}/pids; wait")
        for how in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
            process = subprocess.Popen([PROGRAM, "import", self.problem], stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
            pids = wait_for(lambda: (self.path / "pids").exists() and (self.path / "pids").read_text().split())
            process.send_signal(how)
            process.wait(30)
            for pid in pids:
                self.assertTrue(wait_for(lambda: not running(pid)), f"{pid} goes on after {how!r}")
            (self.path / "pids").unlink()


class Build(unittest.TestCase):
    """The kernel cache, with compilers that copy an ELF file to what they are asked for."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)
        cuda, cutlass = self.path / "cuda", self.path / "cutlass"
        for folder in (cuda / "bin", cuda / "include", cutlass / "include/cutlass"):
            folder.mkdir(parents=True)
        (cuda / "include/cuda.h").touch()
        (cutlass / "include/cutlass/version.h").write_text("#define CUTLASS_MAJOR 4\n#define CUTLASS_MINOR 2\n#define CUTLASS_PATCH 0\n")
        for name, version in (("nvcc", "release 13.0, V13.0.1"), ("g++", "12.2.0")):
            (cuda / "bin" / name).write_text(
                f'#!/bin/sh\ncase "$1" in --version|-dumpfullversion) echo "{version}"; exit 0;; esac\n'
                'while [ "$1" != -o ]; do shift; done\n'
                f'cp {shutil.which("true")} "$2"\n')
            (cuda / "bin" / name).chmod(0o755)
        self.cache = self.path / "cache"
        self.environment = {"CUDA_HOME": str(cuda), "PATH": f"{cuda}/bin:{os.environ['PATH']}", "UCUTLASS_CUTLASS_DIR": str(cutlass), "UCUTLASS_CACHE": str(self.cache)}

    def compile(self):
        done = run("compile", TEN_LINES, "-o", self.path / "out", env=self.environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def test_a_damaged_kernel_is_compiled_again(self):
        self.assertIn("compiling", self.compile().stderr)
        self.assertNotIn("compiling", self.compile().stderr)
        for suffix in ("cubin", "o"):
            for part in self.cache.glob(f"kernels/*/*.{suffix}"):
                for left in (b"", part.read_bytes()[:-100]):
                    part.write_bytes(left)
                    self.assertIn("compiling", self.compile().stderr, part)
                    self.assertNotIn("compiling", self.compile().stderr)
                part.unlink()
                self.assertIn("compiling", self.compile().stderr, part)

    def test_what_killed_compilers_left_is_removed(self):
        old, new = self.cache / "kernels/a.1-1.part", self.cache / "kernels/b.1-1.part"
        for folder in (old, new):
            folder.mkdir(parents=True)
        os.utime(old, (time.time() - 7200,) * 2)
        self.compile()
        self.assertFalse(old.exists())
        self.assertTrue(new.exists())

    def test_files_are_named_once(self):
        names = self.compile().stdout.split()
        self.assertEqual(sorted(set(names)), sorted(names))


def running(pid):
    try:
        return " Z " not in pathlib.Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False


def wait_for(condition):
    for _ in range(600):
        if found := condition():
            return found
        time.sleep(0.05)
    return None


if __name__ == "__main__":
    unittest.main()
