"""JSON of `sol` and `report` against the schemas that are published for it."""

import json
import os
import pathlib
import subprocess
import unittest

import jsonschema

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ["UCUTLASS"]


def validator(name):
    schema = json.loads((ROOT / "docs" / "schemas" / f"{name}.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def output(*args):
    done = subprocess.run([PROGRAM, *map(str, args)], capture_output=True, text=True, timeout=60, cwd=ROOT, stdin=subprocess.DEVNULL)
    return json.loads(done.stdout)


class Schemas(unittest.TestCase):
    def test_bounds_of_captured_problems(self):
        check = validator("sol")
        seen = 0
        for path in sorted((ROOT / "data" / "kernelbench").glob("level*/*[05]_*.json")):
            report = output("sol", path, "--json")
            if report["schema"] != "ucutlass.error/1":
                check.validate(report)
                seen += 1
        self.assertGreater(seen, 40)

    def test_bounds_with_a_verdict(self):
        path = ROOT / "data" / "kernelbench" / "level2" / "76_Gemm_Add_ReLU.json"
        for precision in ("strict", "tf32", "f16", "bf16", "f8"):
            validator("sol").validate(output("sol", path, "--json", "--time", "0.4", "--base", "0.5", "--precision", precision))

    def test_several_devices(self):
        path = ROOT / "data" / "kernelbench" / "level2" / "76_Gemm_Add_ReLU.json"
        missing = 0
        for row in output("sol", path, "--json", "--device", "all", "--precision", "f8"):
            if "missing" in row:
                self.assertEqual(set(row), {"device", "missing"})
                missing += 1
            else:
                validator("sol").validate(row)
        self.assertGreater(missing, 0)  # not every device multiplies f8

    def test_a_suite(self):
        done = subprocess.run([PROGRAM, "sol", "data/kernelbench", "--json"], capture_output=True, text=True, timeout=60, cwd=ROOT)
        rows = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual(len(rows), 250)
        check = validator("sol_row")
        for row in rows:
            check.validate(row)

    def test_what_a_time_needs(self):
        path = ROOT / "data" / "kernelbench" / "level2" / "76_Gemm_Add_ReLU.json"
        for precision in ("tf32", "f8"):
            validator("sol_need").validate(output("sol", path, "--json", "--reach", "0.2", "--precision", precision))

    def test_calibrations_that_ship(self):
        check = validator("calibration")
        for path in (ROOT / "data" / "calibration").glob("*.json"):
            check.validate(json.loads(path.read_text()))

    def test_what_does_not_belong_is_refused(self):
        path = ROOT / "data" / "kernelbench" / "level1" / "1_Square_matrix_multiplication_.json"
        report = output("sol", path, "--json")
        for broken in ({**report, "more": 1}, {**report, "work": {}}, {**report, "precision": "f12"}):
            with self.assertRaises(jsonschema.ValidationError):
                validator("sol").validate(broken)

    def test_light_speed(self):
        validator("light_speed").validate(output("report", "light-speed", "--json"))

    def test_recorded_times(self):
        check = validator("times")
        for line in (ROOT / "data" / "pytorch_h200.jsonl").read_text().splitlines():
            check.validate(json.loads(line))

    def test_times_as_the_reader_takes_them(self):
        check = validator("times")
        check.validate({"problem": "level1/1_x", "time_us": 7})
        for wrong in ({"problem": "x"}, {"problem": "x", "time_ms": 0}, {"problem": "x", "time_ms": 1, "time_us": 1},
                      {"problem": "x", "time_ms": 1, "precision": "f12"}, {"time_ms": 1}, {"name": "x"}):
            with self.assertRaises(jsonschema.ValidationError, msg=wrong):
                check.validate(wrong)

    def test_logs_of_attempts_as_the_reader_takes_them(self):
        check = validator("attempt_log")
        lines = [{"problem": "a", "reference_us": 3, "sol_us": 1}, {"problem": "a", "label": "ok", "us": 2, "tokens": 7, "model": "x"},
                 {"problem": "a", "label": "broken"}]
        wrong = [{"problem": "a"}, {"problem": "", "label": "broken"}, {"problem": "a", "label": "fine"}, {"problem": "a", "label": "ok"},
                 {"problem": "a", "label": "ok", "us": 0}, {"problem": "a", "label": "broken", "tokens": -1}, {"problem": "a", "sol_us": 1}]
        for each in lines:
            check.validate(each)
        for each in wrong:
            with self.assertRaises(jsonschema.ValidationError, msg=each):
                check.validate(each)
            text = "\n".join(map(json.dumps, [lines[0], each]))
            done = subprocess.run([PROGRAM, "replay", "-"], input=text, capture_output=True, text=True, timeout=60)
            self.assertNotEqual(done.returncode, 0, each)
        done = subprocess.run([PROGRAM, "replay", "-", "--json"], input="\n".join(map(json.dumps, lines)), capture_output=True, text=True)
        self.assertEqual(json.loads(done.stdout)["problems"], 1)


if __name__ == "__main__":
    unittest.main()
