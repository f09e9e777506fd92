"""What the language says through the commands: row-wise chains, sets in knobs, named dims, the cuda escape."""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

PROGRAM = os.environ["UCUTLASS"]

GEMM = "target sm_90a\ninput a: f16[512, 64]\ninput b: f16[64, 1024]\ny = gemm(a, b)%s >> to(f32)\nreturn y\n"


def run(*args, source=None):
    return subprocess.run([PROGRAM, *map(str, args)], input=source, capture_output=True, text=True, timeout=120)


def findings(source, *more):
    done = run("check", "-", "--format", "json", *more, source=source)
    return done.returncode, json.loads(done.stdout)


class Sets(unittest.TestCase):
    FAMILY = GEMM % ".tile({128x256x64, 64x128x64}).schedule({cooperative, pingpong})"

    def test_expand_lists_every_member_and_what_dropped_the_others(self):
        done = run("expand", "-", "--format", "json", source=self.FAMILY)
        self.assertEqual(done.returncode, 0, done.stderr)
        answer = json.loads(done.stdout)
        self.assertEqual(answer["schema"], "ucutlass.expand/1")
        members = answer["members"]
        self.assertEqual(
            [member["settings"] for member in members],
            [
                [f".tile({tile})", f".schedule({schedule})"]
                for tile in ("128x256x64", "64x128x64")
                for schedule in ("cooperative", "pingpong")
            ],
        )
        for member in members:
            if member["legal"]:
                code, found = findings(member["program"])
                self.assertEqual((code, found), (0, []), member["program"])
                self.assertNotIn("{", member["program"])
            else:
                self.assertRegex(member["id"], r"^UC2\d{3}$")
        dropped = {member["id"] for member in members if not member["legal"]}
        self.assertIn("UC2104", dropped, "a tile of 64 rows for two cooperating warpgroups")
        self.assertTrue(any(member["legal"] for member in members))

    def test_check_takes_a_family_with_a_legal_member(self):
        code, found = findings(self.FAMILY)
        self.assertEqual(code, 0)
        self.assertEqual([(each["id"], each["severity"]) for each in found], [("UC1903", "warning")])

    def test_check_says_when_no_member_is_legal(self):
        code, found = findings(GEMM % ".tile({100x256x64, 128x100x64})")
        self.assertEqual(code, 1)
        errors = [each for each in found if each["severity"] == "error"]
        self.assertEqual([each["id"] for each in errors], ["UC1505"])
        self.assertIn("UC2101", errors[0]["message"])

    def test_what_all_members_do_wrong_is_said_as_it_is(self):
        code, found = findings((GEMM % ".tile({128x256x64, 128x128x64})").replace("gemm(a, b)", "gemm(a, c)"))
        self.assertEqual((code, [each["id"] for each in found if each["severity"] == "error"]), (1, ["UC1101"]))

    def test_compile_refuses_and_names_expand(self):
        with tempfile.TemporaryDirectory() as folder:
            done = run("compile", "-", "-o", folder, "--no-build", source=self.FAMILY)
            self.assertEqual(done.returncode, 1)
            self.assertIn("UC1903", done.stderr)
            self.assertIn("ucutlass expand", done.stderr)
            self.assertEqual(os.listdir(folder), [])

    def test_too_many_members_are_an_error(self):
        tiles = ", ".join(f"{64 * m}x{64 * n}x64" for m in range(1, 18) for n in range(1, 18))
        source = GEMM % f".tile({{{tiles}}}).stages({{{', '.join(map(str, range(2, 20)))}}})"
        self.assertEqual(run("expand", "-", source=source).returncode, 1)
        code, found = findings(source)
        self.assertEqual((code, found[0]["id"]), (1, "UC1506"))


class Dims(unittest.TestCase):
    SOURCE = (
        "target sm_90a\ndim m = 8..8192 step 8\ninput a: f16[m, 64]\ninput b: f16[64, 512]\n"
        "y = gemm(a, b).tile(128x256x64) >> to(f32)\nreturn y\n"
    )

    def test_check_accepts_and_keeps_the_names(self):
        done = run("check", "-", "--resolved", source=self.SOURCE)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("dim m = 8..8192 step 8", done.stdout)
        self.assertIn("f16[m, 64]", done.stdout)

    def test_rules_hold_at_every_size(self):
        code, found = findings(self.SOURCE.replace("f16[64, 512]", "f16[64, m]").replace(" step 8", ""))
        self.assertEqual(code, 1)
        self.assertTrue(any("when m = " in each["message"] for each in found), found)

    def test_compile_says_what_is_missing(self):
        with tempfile.TemporaryDirectory() as folder:
            done = run("compile", "-", "-o", folder, "--no-build", source=self.SOURCE)
            self.assertEqual(done.returncode, 1)
            self.assertIn("UC1901", done.stderr)


class Edits(unittest.TestCase):
    def test_a_refusal_carries_the_two_step_program(self):
        source = "target sm_90a\ninput a: f16[64, 64]\ny = relu(gemm(a, a)) >> to(f32)\nreturn y\n"
        code, found = findings(source)
        self.assertEqual((code, [each["id"] for each in found]), (1, ["UC1401"]))
        place = found[0]["replaces"]
        lines = source.splitlines(keepends=True)
        begin = sum(map(len, lines[: place["line"] - 1])) + place["column"] - 1
        mended = source[:begin] + found[0]["replacement"] + source[begin + place["length"] :]
        code, found = findings(mended)
        self.assertEqual((code, found), (0, []), mended)


class Escape(unittest.TestCase):
    SOURCE = (
        "target sm_90a\ninput x: f32[1024]\n"
        'y = cuda("""\n'
        'extern "C" __global__ void twice(const float* x, float* y) {\n'
        "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "  y[i] = 2 * x[i];\n"
        '}\n""", inputs=[x], out=f32[1024], grid=[4], block=[256])\nreturn y\n'
    )

    def test_the_signature_is_checked_on_its_own_line(self):
        self.assertEqual(findings(self.SOURCE)[0], 0)
        for wrong, right, line in (
            ("const float* x, float* y", "const double* x, float* y", 4),
            ("const float* x, float* y", "const float* x", 4),
            ("const float* x, float* y", "float* x, float* y", 4),
            ('extern "C" __global__', "__global__", 4),
        ):
            code, found = findings(self.SOURCE.replace(wrong, right))
            self.assertEqual((code, [each["id"] for each in found if each["severity"] == "error"]), (1, ["UC1290"]), right)
            self.assertEqual(found[0]["line"], line, found)
            self.assertIn('extern "C" __global__ void', found[0]["help"])

    def test_launches_have_limits(self):
        for wrong in ("block=[2048]", "block=[256, 8]", "grid=[0]", "grid=[1, 70000]"):
            source = self.SOURCE.replace(wrong.split("=")[0] + ("=[256]" if "block" in wrong else "=[4]"), wrong)
            self.assertEqual([each["id"] for each in findings(source)[1] if each["severity"] == "error"], ["UC1291"], wrong)

    @unittest.skipUnless(shutil.which("nvcc") or pathlib.Path("/usr/local/cuda/bin/nvcc").exists(), "needs nvcc")
    def test_nvcc_speaks_about_lines_of_the_program(self):
        code, found = findings(self.SOURCE.replace("2 * x[i]", "2 * z[i]"), "--emit")
        self.assertEqual(code, 1)
        compiled = [each for each in found if each["id"] == "UC1292"]
        self.assertEqual([each["line"] for each in compiled], [6], found)
        self.assertIn("z", compiled[0]["message"])
        _, found = findings(self.SOURCE, "--emit")
        self.assertEqual([each["id"] for each in found], ["UC1907"])


if __name__ == "__main__":
    unittest.main()
