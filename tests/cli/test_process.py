"""The program as its users start it: libraries, time to start, exit codes, broken surroundings."""

import json
import os
import pathlib
import re
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
        self.assertEqual(done.returncode, 1)
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
            for path in ("/", noise.name):
                done = run("check", path)
                self.assertEqual(done.returncode, 1, path)
                self.assertIn("error", done.stderr)


if __name__ == "__main__":
    unittest.main()
