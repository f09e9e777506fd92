"""The completion scripts in the shells that read them. Bash is always there; zsh and fish are tried where they are installed."""

import os
import shutil
import subprocess
import unittest

PROGRAM = os.environ["UCUTLASS"]


def script(shell):
    return subprocess.run([PROGRAM, "completion", shell], check=True, capture_output=True, text=True, timeout=60).stdout


def bash(*words):
    """What bash offers for the last of `words`."""
    quoted = " ".join(f"'{word}'" for word in words)
    text = script("bash") + f"\nCOMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; _ucutlass\nprintf '%s\\n' \"${{COMPREPLY[@]}}\"\n"
    done = subprocess.run(["bash", "--norc", "-u", "-c", text], check=True, capture_output=True, text=True, timeout=60)
    assert not done.stderr, done.stderr
    return done.stdout.split()


def fish(line):
    done = subprocess.run(["fish", "--no-config", "-c", script("fish") + f"\ncomplete -C '{line}'"], check=True,
                          capture_output=True, text=True, timeout=60)
    assert not done.stderr, done.stderr
    return [text.split("\t")[0] for text in done.stdout.splitlines()]


class Bash(unittest.TestCase):
    def test_commands(self):
        self.assertEqual(bash("ucutlass", "che"), ["check"])
        self.assertIn("optimize", bash("ucutlass", ""))
        self.assertIn("check", bash("ucutlass", "help", ""))

    def test_options_and_their_values(self):
        self.assertEqual(bash("ucutlass", "check", "--fo"), ["--format"])
        self.assertEqual(bash("ucutlass", "check", "--format", "sa"), ["sarif"])
        self.assertEqual(bash("ucutlass", "check", "--format", "=", "js"), ["json"])
        self.assertEqual(bash("ucutlass", "check", "--format", "="), ["full", "concise", "json", "sarif"])

    def test_names_of_the_catalog(self):
        self.assertEqual(bash("ucutlass", "explain", "group_n"), ["group_norm"])
        self.assertEqual(bash("ucutlass", "explain", "UC2104"), ["UC2104"])
        self.assertIn("fish", bash("ucutlass", "completion", ""))

    def test_files_are_left_to_the_shell(self):
        self.assertEqual(bash("ucutlass", "check", ""), [])
        self.assertEqual(bash("ucutlass", "language", "-o", ""), [])


@unittest.skipUnless(shutil.which("fish"), "fish is not installed")
class Fish(unittest.TestCase):
    def test_commands_options_values_and_names(self):
        self.assertIn("check", fish("ucutlass che"))
        self.assertIn("--format", fish("ucutlass check --fo"))
        self.assertEqual(fish("ucutlass check --format sa"), ["sarif"])
        self.assertIn("group_norm", fish("ucutlass explain group_n"))


@unittest.skipUnless(shutil.which("zsh"), "zsh is not installed")
class Zsh(unittest.TestCase):
    def test_is_read_without_complaint(self):
        text = "autoload -Uz compinit && compinit -D\n" + script("zsh") + "\nprint -r -- $_comps[ucutlass]\n"
        done = subprocess.run(["zsh", "-f", "-c", text], check=True, capture_output=True, text=True, timeout=60)
        self.assertEqual((done.stdout.strip(), done.stderr), ("_ucutlass", ""))


if __name__ == "__main__":
    unittest.main(verbosity=2)
