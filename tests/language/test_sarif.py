"""SARIF of `ucutlass check` against the structure that OASIS publishes (sarif-schema-2.1.0): what a log, a run, a rule, a
result, a region and a fix must and may hold. The schema below is written from that standard, sections 3.13 to 3.59."""

import json
import subprocess
import sys
import unittest

import jsonschema

from shared import arguments, corpus

PROGRAM = None

MESSAGE = {"type": "object", "additionalProperties": False, "required": ["text"], "properties": {"text": {"type": "string", "minLength": 1}}}
LEVEL = {"enum": ["none", "note", "warning", "error"]}
POSITIVE = {"type": "integer", "minimum": 1}
REGION = {"type": "object", "additionalProperties": False, "required": ["startLine"],
          "properties": {name: POSITIVE for name in ("startLine", "startColumn", "endLine", "endColumn")}}
ARTIFACT = {"type": "object", "additionalProperties": False, "properties": {"uri": {"type": "string", "pattern": "^[^ ]+$"}}}
REPLACEMENT = {"type": "object", "additionalProperties": False, "required": ["deletedRegion"],
               "properties": {"deletedRegion": REGION, "insertedContent": MESSAGE}}
CHANGE = {"type": "object", "additionalProperties": False, "required": ["artifactLocation", "replacements"],
          "properties": {"artifactLocation": ARTIFACT, "replacements": {"type": "array", "minItems": 1, "items": REPLACEMENT}}}
FIX = {"type": "object", "additionalProperties": False, "required": ["artifactChanges"],
       "properties": {"description": MESSAGE, "artifactChanges": {"type": "array", "minItems": 1, "items": CHANGE}}}
LOCATION = {"type": "object", "additionalProperties": False,
            "properties": {"physicalLocation": {"type": "object", "additionalProperties": False,
                                                "properties": {"artifactLocation": ARTIFACT, "region": REGION}}}}
RESULT = {"type": "object", "additionalProperties": False, "required": ["message", "ruleId", "ruleIndex", "locations"],
          "properties": {"ruleId": {"type": "string"}, "ruleIndex": {"type": "integer", "minimum": 0}, "level": LEVEL, "message": MESSAGE,
                         "locations": {"type": "array", "minItems": 1, "items": LOCATION}, "fixes": {"type": "array", "items": FIX}}}
RULE = {"type": "object", "additionalProperties": False, "required": ["id", "shortDescription"],
        "properties": {"id": {"type": "string"}, "name": {"type": "string"}, "shortDescription": MESSAGE, "help": MESSAGE,
                       "defaultConfiguration": {"type": "object", "additionalProperties": False, "properties": {"level": LEVEL}}}}
DRIVER = {"type": "object", "additionalProperties": False, "required": ["name", "version", "rules"],
          "properties": {"name": {"type": "string"}, "version": {"type": "string"},
                         "rules": {"type": "array", "uniqueItems": True, "items": RULE}}}
RUN = {"type": "object", "additionalProperties": False, "required": ["tool", "results"],
       "properties": {"tool": {"type": "object", "additionalProperties": False, "required": ["driver"], "properties": {"driver": DRIVER}},
                      "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]}, "results": {"type": "array", "items": RESULT}}}
LOG = {"type": "object", "additionalProperties": False, "required": ["version", "runs"],
       "properties": {"$schema": {"type": "string", "format": "uri"}, "version": {"const": "2.1.0"},
                      "runs": {"type": "array", "minItems": 1, "items": RUN}}}


def sarif(text):
    done = subprocess.run([PROGRAM, "check", "--format", "sarif", "-"], input=text, capture_output=True, timeout=60, check=False)
    return done.returncode, json.loads(done.stdout)


def offset(lines, line, column):
    """Characters before a place; lines and columns count from 1."""
    return sum(len(text) for text in lines[:line - 1]) + column - 1


class Sarif(unittest.TestCase):
    def check(self, text):
        code, log = sarif(text)
        jsonschema.validate(log, LOG, cls=jsonschema.Draft202012Validator)
        run, = log["runs"]
        rules = run["tool"]["driver"]["rules"]
        self.assertEqual(code != 0, any(r["level"] == "error" for r in run["results"]))
        for result in run["results"]:
            self.assertEqual(rules[result["ruleIndex"]]["id"], result["ruleId"])
        return run

    def test_broken_programs(self):
        found = 0
        for _, text in list(corpus("broken"))[::10]:
            found += len(self.check(text)["results"])
        self.assertGreater(found, 50)

    def test_legal_programs(self):
        for _, text in list(corpus("valid"))[::25]:
            self.check(text)

    def test_a_fix_put_in_place_passes_its_rule(self):
        text = 'target sm_90a\ninput x: f32[64]  # é\ny = relu(x) >> mul(.5)\nreturn y\n'
        run = self.check(text.encode())
        result, = run["results"]
        change, = result["fixes"][0]["artifactChanges"]
        replacement, = change["replacements"]
        lines = text.splitlines(keepends=True)
        region = replacement["deletedRegion"]
        begin = offset(lines, region["startLine"], region["startColumn"])
        end = offset(lines, region["endLine"], region["endColumn"])
        self.assertEqual(text[begin:end], ".5")
        mended = text[:begin] + replacement["insertedContent"]["text"] + text[end:]
        self.assertEqual(self.check(mended.encode())["results"], [])


if __name__ == "__main__":
    options, rest = arguments()
    PROGRAM = options.ucutlass
    unittest.main(argv=[sys.argv[0], *rest], verbosity=2)
