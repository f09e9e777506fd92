"""Pages and pictures of `sol` and `report`: well-formed XML, nothing from outside, the numbers of the JSON."""

import json
import math
import os
import pathlib
import re
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[2]
CAPTURES = ROOT / "data" / "kernelbench"
PROGRAM = os.environ["UCUTLASS"]
SVG = "{http://www.w3.org/2000/svg}"
PROBLEMS = ["level2/76_Gemm_Add_ReLU", "level3/43_MinGPTCausalAttention", "level1/23_Softmax", "level1/14_Matmul_for_upper_triangular_matrices"]
UNITS = {"ns": 1e-3, "µs": 1, "ms": 1e3, "s": 1e6}


def run(*args, **more):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("UCUTLASS_")}
    return subprocess.run([PROGRAM, *map(str, args)], capture_output=True, text=True, timeout=60, cwd=ROOT, env=environment,
                          stdin=None if "input" in more else subprocess.DEVNULL, **more)


def words(element):
    """The text of an element without styles."""
    if element.tag.endswith("style"):
        return ""
    return (element.text or "") + "".join(words(child) + (child.tail or "") for child in element)


def duration(us):
    if us is None:
        return "no such unit"
    return f"{us / 1000:.3f} ms" if us >= 1000 else f"{us:.1f} µs" if us >= 100 else f"{us:.2f} µs"


def near(number, shown):
    """True when `shown` is `number` to the digits that it has, halves rounded either way."""
    return abs(number - shown) <= 0.5001 * 10 ** -(len(str(shown).partition(".")[2]))


class Figures(unittest.TestCase):
    def page_of(self, problem):
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder) / "page.html"
            done = run("sol", CAPTURES / f"{problem}.json", "-o", page)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(done.stdout, "")
            text = page.read_text(encoding="utf-8")
        return text, ElementTree.fromstring(text)

    def test_text_json_and_page_have_the_same_figures(self):
        for problem in PROBLEMS:
            with self.subTest(problem):
                report = json.loads(run("sol", CAPTURES / f"{problem}.json", "--json").stdout)
                plain = run("sol", CAPTURES / f"{problem}.json").stdout
                page = words(self.page_of(problem)[1])
                times = [report["certified"]["us"], report["calibrated"]["us"]]
                times += [level[key] for level in report["levels"] for key in ("theoretical_us", "calibrated_us")]
                times += [each[key]["us"] for each in report["what_if"] for key in ("certified", "calibrated")]
                times += [step["calibrated"]["us"] for step in report["steps"] if not step["at_load"]]
                self.assertGreater(len(times), 20)
                for us in times:
                    self.assertIn(duration(us), page)
                    self.assertIn(duration(us).replace("µs", "us"), plain)
                for step in report["steps"]:
                    self.assertIn(step["what"], page)
                    self.assertIn(step["shapes"], page)
                for rule in report.get("rules", []):
                    self.assertIn(rule["id"], page)
                    self.assertIn(rule["justification"], page)
                for line in report["structure"] + report["reasons"] + report.get("uncovered", []):
                    self.assertIn(line, page)

    def test_recorded_times_stand_beside_the_bounds(self):
        rows = map(json.loads, (ROOT / "data" / "pytorch_h200.jsonl").read_text().splitlines())
        row = next(row for row in rows if row["name"] == "76_Gemm_Add_ReLU")
        page = words(self.page_of("level2/76_Gemm_Add_ReLU")[1])
        for column in ("eager_fp32_ms", "eager_tf32_ms", "compile_tf32_ms", "autocast_f16_ms"):
            self.assertIn(duration(row[column] * 1000), page)

    def test_pages_need_nothing_from_outside(self):
        text, page = self.page_of(PROBLEMS[1])
        for element in page.iter():
            self.assertNotIn(element.tag.rpartition("}")[2], {"script", "link", "img", "iframe", "object", "image"})
            for name, value in element.attrib.items():
                self.assertNotIn(name.rpartition("}")[2], {"src", "href"})
                self.assertNotIn("url(http", value)
        self.assertNotIn("@import", text)

    def test_a_hostile_name_stays_text(self):
        capture = json.loads((CAPTURES / "level1" / "19_ReLU.json").read_text())
        capture["name"] = hostile = "\"></title><script>alert('&')</script><b a='"
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(capture, file)
            file.flush()
            done = run("sol", file.name, "--format", "html")
        self.assertEqual(done.returncode, 0, done.stderr)
        page = ElementTree.fromstring(done.stdout)
        self.assertIn(hostile, words(page))
        self.assertFalse([element for element in page.iter() if element.tag.endswith("script")])

    def test_ids_are_unique(self):
        ids = [element.get("id") for element in self.page_of(PROBLEMS[0])[1].iter() if element.get("id")]
        self.assertEqual(len(ids), len(set(ids)))

    def test_a_program_from_standard_input(self):
        source = "target sm_90a\ninput a: f32[4096, 4096]\nb = exp(a)\nreturn b\n"
        done = run("sol", "-", "--format", "html", input=source)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("exp", words(ElementTree.fromstring(done.stdout)))

    def test_several_problems_are_a_table_with_each_below(self):
        paths = [CAPTURES / f"{problem}.json" for problem in PROBLEMS]
        page = ElementTree.fromstring(run("sol", *paths, "--format", "html").stdout)
        text = words(page)
        for path in paths:
            report = json.loads(run("sol", path, "--json").stdout)
            self.assertIn(report["program"] + report["device"]["full_name"], text)
            self.assertIn(duration(report["certified"]["us"]), text)
        self.assertEqual(sum(element.tag.endswith("details") for element in page.iter()), len(paths))
        with tempfile.TemporaryDirectory() as folder:
            whole = pathlib.Path(folder) / "suite.html"
            done = run("sol", CAPTURES, "-o", whole)
            self.assertEqual(done.returncode, 0, done.stderr)
            suite = ElementTree.parse(whole).getroot()
        self.assertGreaterEqual(sum(element.tag.endswith("}tr") for element in suite.iter()), 251)

    def test_mistakes_are_named(self):
        problem = CAPTURES / f"{PROBLEMS[0]}.json"
        done = run("sol", problem, "--json", "--format", "html")
        self.assertEqual(done.returncode, 2)
        self.assertIn("contradict", done.stderr)
        done = run("sol", problem, "--times", "x.jsonl")
        self.assertEqual(done.returncode, 2)
        self.assertEqual(run("sol", problem, "--reach", "0.1", "--format", "html").returncode, 2)
        with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as times:
            times.write('{"problem": "level1/1_other", "time_ms": 1}\n')
            times.flush()
            done = run("sol", problem, "--format", "html", "--times", times.name)
            self.assertEqual(done.returncode, 1)
            self.assertIn("no time of `76_Gemm_Add_ReLU` on h200", done.stderr)


class LightSpeed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.times = pathlib.Path(cls.folder.name) / "times.jsonl"
        cls.captures = pathlib.Path(cls.folder.name) / "few" / "level1"
        cls.captures.mkdir(parents=True)
        for name in ("1_Square_matrix_multiplication_", "19_ReLU"):
            (cls.captures / f"{name}.json").symlink_to(CAPTURES / "level1" / f"{name}.json")
        cls.json, cls.svg, cls.html = (run("report", "light-speed", "--format", each).stdout for each in ("json", "svg", "html"))
        cls.report = json.loads(cls.json)
        cls.problem = "level1/19_ReLU"
        cls.bound = next(point["bound_us"] for point in cls.report["series"][0]["points"] if point["problem"] == cls.problem)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def few(self, *options):
        return run("report", "light-speed", "--captures", self.captures.parent, *options)

    def write(self, *rows):
        self.times.write_text("".join(json.dumps(row) + "\n" for row in rows))
        return self.times

    def test_marks_stand_where_bound_and_time_say(self):
        picture = ElementTree.fromstring(self.svg)
        labels = {"middle": {}, "end": {}}
        for text in next(group for group in picture.iter(SVG + "g") if group.get("class") == "axes").iter(SVG + "text"):
            found = re.fullmatch(r"([\d.]+) (\S+)", text.text)
            if found and found[2] in UNITS:
                place = float(text.get("x")) if text.get("text-anchor") == "middle" else float(text.get("y")) - 4.5
                labels[text.get("text-anchor")][float(found[1]) * UNITS[found[2]]] = place

        def scale(ticks):
            low, high = min(ticks), max(ticks)
            slope = (ticks[high] - ticks[low]) / math.log(high / low)
            return lambda value: ticks[low] + slope * math.log(value / low)

        x, y = scale(labels["middle"]), scale(labels["end"])
        circles = {}
        for circle in picture.iter(SVG + "circle"):
            title = circle.find(SVG + "title")
            if title is not None:
                circles[title.text.partition("\n")[0]] = (float(circle.get("cx")), float(circle.get("cy")))
        points = [point for point in self.report["series"][0]["points"] if point["level"] == 1 and point["gap"] is not None]
        self.assertGreater(len(points), 90)
        for point in points:
            key = "L1/" + point["problem"].partition("/")[2].partition("_")[0] + " "
            place = next(place for label, place in circles.items() if label.startswith(key))
            self.assertAlmostEqual(place[0], x(point["bound_us"]), delta=0.05)
            self.assertAlmostEqual(place[1], y(point["time_us"]), delta=0.05)

    def test_every_point_is_in_the_picture_and_in_the_table(self):
        count = len(self.report["series"][0]["points"])
        picture = ElementTree.fromstring(self.svg)
        self.assertEqual(sum(1 for _ in picture.iter(SVG + "title")), count)
        page = ElementTree.fromstring(self.html)
        self.assertEqual(sum(element.tag.endswith("}tr") for element in page.iter()), count + 1)

    def test_the_picture_of_the_readme_is_what_would_be_drawn_now(self):
        drawn = (ROOT / "docs" / "images" / "light_speed.svg").read_text(encoding="utf-8")
        self.assertTrue(drawn == self.svg, "`make docs` draws it anew")

    def test_the_mean_gap_is_geometric(self):
        for series in self.report["series"]:
            gaps = [math.log(point["time_us"] / point["bound_us"]) for point in series["points"] if point["bound_us"] >= 0.1]
            self.assertAlmostEqual(series["geomean_gap"], math.exp(sum(gaps) / len(gaps)), delta=1e-6)

    def test_no_recorded_time_is_faster_than_light(self):
        for precision in ("strict", "tf32", "f16"):
            done = run("report", "light-speed", "--precision", precision)
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_faster_than_light_fails_and_is_listed(self):
        done = self.few("--times", self.write({"problem": self.problem, "time_us": self.bound * 0.99}))
        self.assertEqual(done.returncode, 4)  # as a time that `sol` calls impossible
        self.assertIn(f"faster than light: {self.problem}", done.stderr)
        done = self.few("--times", self.write({"problem": self.problem, "time_us": self.bound * 1.01}))
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_series_are_told_apart(self):
        rows = [{"problem": self.problem, "time_us": self.bound * 8}, {"problem": self.problem, "time_us": self.bound * 2, "series": "<mine> & \"others\""}]
        done = self.few("--times", self.write(*rows), "--format", "svg")
        self.assertEqual(done.returncode, 0, done.stderr)
        picture = ElementTree.fromstring(done.stdout)
        self.assertIn('<mine> & "others"', [text.text for text in picture.iter(SVG + "text")])
        self.assertEqual(sum(group.get("class") == "arrow" for group in picture.iter(SVG + "g")), 1)

    def test_mistakes_are_named(self):
        cases = {
            ("--captures", "/nowhere"): "--captures",
            ("--store", "/nowhere/runs.db"): "/nowhere/runs.db does not exist",
            ("--times", self.write()): "holds no time",
            ("--device", "h100"): "no times are recorded for h100",
            ("-o", "/tmp/picture.gif"): "what shall /tmp/picture.gif hold",
        }
        for options, message in cases.items():
            with self.subTest(options):
                done = self.few(*options)
                self.assertIn(done.returncode, (1, 2))
                self.assertIn(message, done.stderr)
        self.assertEqual(run("report", "dark-speed").returncode, 2)
        done = self.few("--times", self.write({"problem": "level1/1_none_of_ours", "time_ms": 1}))
        self.assertEqual(done.returncode, 1)
        self.assertIn("belongs to a capture", done.stderr)


if __name__ == "__main__":
    unittest.main()
