"""What the tests of the exports share: corpora, and our own parser over many programs at once."""

import argparse
import pathlib
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
MARK = b"%%%% "


def read(data):
    """(name, text) of each program of a corpus file; see corpus.h."""
    out = []
    for piece in (b"\n" + data).split(b"\n" + MARK)[1:]:
        name, _, text = piece.partition(b"\n")
        out.append((name.decode(), text))
    if out and out[-1][1].endswith(b"\n"):
        out[-1] = (out[-1][0], out[-1][1][:-1])
    return out


def write(programs):
    return b"".join(MARK + b"%d\n" % i + text + b"\n" for i, text in enumerate(programs))


def corpus(name):
    return read((HERE / "corpus" / f"{name}.txt").read_bytes())


# Floats have digits on both sides of a point, where there is one: `1e-5` has none.
NUMBERS = ["0", "12", "0.5", "12.25", "1e-5", "1e5", "1E+5", "0e0", "2.5e10", "1.0E-05", "1e-05", "123456789012345678"]
NO_NUMBERS = [".5", ".5e1", "1.", "1.e5", "1e", "1e+", "1.5e", "1.5e-", "01", "00", "01.5", "01e5", "1_000", "0x10", "1f", "1.5.5", "1e5.5",
              "1e5e5", "1234567890123456789"]


def with_number(number):
    return f"input x: f32[4]\ny = mul(x, {number})\nreturn y".encode()


class Ours:
    """The two programs under test."""

    def __init__(self, ucutlass, corpus_tool):
        self.ucutlass = ucutlass
        self.tool = corpus_tool

    def export(self, name):
        return subprocess.run([self.ucutlass, "language", "--format", name], check=True, capture_output=True, text=True).stdout

    def _each(self, what, programs):
        done = subprocess.run([self.tool, what], input=write(programs), check=True, capture_output=True)
        lines = done.stdout.decode().splitlines()
        assert len(lines) == len(programs), (len(lines), len(programs))
        return lines

    def parse(self, programs):
        """"ok" or ids of errors, one a program."""
        return self._each("parse", programs)

    def trees(self, programs):
        return self._each("trees", programs)

    def samples(self, count, seed):
        done = subprocess.run([self.tool, "sample", str(count), str(seed)], check=True, capture_output=True)
        return [text for _, text in read(done.stdout)]


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--ucutlass", required=True)
    parser.add_argument("--corpus-tool", required=True)
    return parser.parse_known_args()


def report(kind, wrong):
    """Fails with the first few programs that went wrong."""
    if not wrong:
        return
    shown = "\n".join(f"--- {name} (stopped at byte {at})\n{text.decode(errors='replace')}" for name, text, at in wrong[:5])
    raise AssertionError(f"{len(wrong)} {kind}:\n{shown}")
