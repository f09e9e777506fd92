"""The exports in parsers that others wrote: llguidance, Lark, jsonschema; the card in the tokenizer of o200k_base."""

import copy
import json
import random
import sys
import unittest

import bpe_openai
import jsonschema
import lark
import llguidance

from shared import NO_NUMBERS, NUMBERS, Ours, arguments, corpus, report, with_number

OURS = None
SAMPLES = 1000
SEED = 20260303


class Decoder:
    """llguidance over single bytes."""

    def __init__(self, grammar):
        self.tokenizer = llguidance.LLTokenizer("byte")
        self.matcher = llguidance.LLMatcher(self.tokenizer, grammar)
        if self.matcher.is_error():
            raise AssertionError(self.matcher.get_error())

    def reached(self, text):
        """(bytes taken, whether the program may end there)"""
        self.matcher.reset()
        taken = self.matcher.validate_tokens(list(text))
        if taken < len(text):
            return taken, False
        self.matcher.consume_tokens(list(text))
        return taken, self.matcher.is_accepting()

    def allowed(self):
        mask = self.matcher.compute_bitmask()
        return [byte for byte in range(256) if mask[byte >> 3] >> (byte & 7) & 1]


class Sampler:
    """Random programs by token masks. Whole words are tried first now and then, so that programs end and hold more than
    names; after `enough` bytes what closes and ends is preferred."""

    WORDS = [b"return y", b"input x: f32[4, 8]", b"param W: f16[8] = ", b"gemm(", b"relu(", b" >> ", b".tile(", b"x", b"0.5", b"128x64x64",
             b"dim N = 1..8", b"precision f16", b"target sm_90a", b"scalar s: f32", b"to(x, f16)", b"y = ", b"{", b"# c\n", b"\"a\""]
    ENDS = [b")", b"]", b"}", b"\nreturn y", b"return y", b"\n", b"\"", b"x"]

    def __init__(self, decoder, seed):
        self.decoder = decoder
        self.random = random.Random(seed)

    def one(self, enough):
        matcher = self.decoder.matcher
        matcher.reset()
        out = b""
        while len(out) < 6 * enough:
            if matcher.is_accepting() and self.random.random() < 0.6:
                return out
            late = len(out) > enough
            words = self.ENDS if late else self.WORDS
            word = self.random.choice(words)
            if self.random.random() < (0.9 if late else 0.5) and matcher.validate_tokens(list(word)) == len(word):
                pass
            else:
                allowed = self.decoder.allowed()
                if not allowed:
                    return out
                plain = [byte for byte in allowed if byte not in b"\r\t" and byte < 0x80]
                word = bytes([self.random.choice(plain or allowed)])
            assert matcher.consume_tokens(list(word)), word
            out += word
        return None  # still not at an end: too long for a test

    def many(self, count):
        out = []
        while len(out) < count:
            program = self.one(self.random.choice([20, 60, 150, 300]))
            if program is not None:
                out.append(program)
        return out


class LarkExport(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.text = OURS.export("lark")
        cls.decoder = Decoder(llguidance.LLMatcher.grammar_from_lark(cls.text))

    def test_accepts_every_valid_program(self):
        wrong = []
        for name, text in corpus("valid"):
            taken, accepted = self.decoder.reached(text)
            if not accepted:
                wrong.append((name, text, taken))
        report("valid programs refused", wrong)

    def test_refuses_every_broken_program(self):
        wrong = []
        for name, text in corpus("broken"):
            taken, accepted = self.decoder.reached(text)
            if accepted:
                wrong.append((name, text, taken))
        report("broken programs accepted", wrong)

    def test_what_token_masks_allow_parses(self):
        programs = Sampler(self.decoder, SEED).many(SAMPLES)
        verdicts = OURS.parse(programs)
        report("sampled programs refused by our parser", [(v, p, 0) for v, p in zip(verdicts, programs) if v != "ok"])
        self.assertGreater(len(set(programs)), SAMPLES * 0.9)
        self.assertGreater(sum(map(len, programs)), SAMPLES * 60)

    def test_accepts_samples_of_the_table(self):
        programs = OURS.samples(300, 11)
        # A float in the making takes the point of a knob behind an integer, which a lexer cannot give back.
        wrong = [("sample", p, self.decoder.reached(p)[0]) for p in programs if not self.decoder.reached(p)[1]]
        report("samples refused", [w for w in wrong if not w[1][: w[2]].rstrip(b".")[-1:].isdigit()])
        self.assertLess(len(wrong), 30)

    def test_numbers_are_ours(self):
        for numbers, good in ((NUMBERS, True), (NO_NUMBERS, False)):
            programs = [with_number(number) for number in numbers]
            for program, verdict in zip(programs, OURS.parse(programs)):
                self.assertEqual(verdict == "ok", good, program)
                self.assertEqual(self.decoder.reached(program)[1], good, program)

    def test_is_lark(self):
        parser = lark.Lark(self.text, parser="earley", lexer="dynamic", ambiguity="resolve", regex=False)
        short = [text for _, text in corpus("valid") if len(text) < 160 and text.isascii()][:25]
        self.assertGreater(len(short), 10)
        for text in short:
            parser.parse(text.decode())
        for _, text in [entry for entry in corpus("broken") if len(entry[1]) < 120 and entry[1].isascii()][:25]:
            with self.assertRaises(lark.exceptions.LarkError, msg=text.decode()):
                parser.parse(text.decode())


class Schema(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.schema = json.loads(OURS.export("json-schema"))
        jsonschema.Draft202012Validator.check_schema(cls.schema)
        cls.validator = jsonschema.Draft202012Validator(cls.schema)
        cls.trees = [json.loads(line) for line in OURS.trees([text for _, text in corpus("valid")])]

    def test_every_valid_program_has_a_tree_of_the_schema(self):
        for tree in self.trees:
            self.assertTrue(self.validator.is_valid(tree), json.dumps(tree)[:400])

    def test_constrained_decoders_take_it(self):
        decoder = Decoder(llguidance.LLMatcher.grammar_from_json_schema(json.dumps(self.schema)))
        wrong = []
        for tree in self.trees[::5]:
            text = json.dumps(tree, ensure_ascii=False).encode()
            taken, accepted = decoder.reached(text)
            if not accepted:
                wrong.append(("tree", text, taken))
        report("trees refused", wrong)
        for text in [b"{}", b'{"schema": "ucutlass.tree/2"', b'{"schema": "ucutlass.tree/1", "statements": [{"header": "x"']:
            self.assertLess(decoder.reached(text)[0], len(text), text)

    def test_other_trees_are_refused(self):
        """Each object loses a member, each gains one: no such tree is of the schema."""
        tried = 0
        for tree in self.trees[::20]:
            for path in list(objects(tree)):
                for change in (lambda o: o.pop(next(iter(o))), lambda o: o.update(surplus=1)):
                    broken = copy.deepcopy(tree)
                    target = broken
                    for key in path:
                        target = target[key]
                    change(target)
                    self.assertFalse(self.validator.is_valid(broken), path)
                    tried += 1
                if tried > 1500:
                    return
        self.assertGreater(tried, 300)


def objects(value, path=()):
    if isinstance(value, dict):
        yield path
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from objects(inner, (*path, key))


class Tools(unittest.TestCase):
    def test_schemas_of_tools_are_schemas(self):
        tools = json.loads(OURS.export("mcp"))
        self.assertEqual([t["name"] for t in tools], ["check", "sol", "compile", "optimize", "explain", "language", "evaluate"])
        for tool in tools:
            jsonschema.Draft202012Validator.check_schema(tool["inputSchema"])
        check = jsonschema.Draft202012Validator(tools[0]["inputSchema"])
        self.assertTrue(check.is_valid({"program": "return y", "emit": True}))
        self.assertFalse(check.is_valid({"emit": True}))
        self.assertFalse(check.is_valid({"program": "return y", "device": "z80"}))
        self.assertFalse(check.is_valid({"program": "return y", "shape": 1}))


class Card(unittest.TestCase):
    def test_is_at_most_2500_tokens(self):
        text = OURS.export("card")
        encoding = bpe_openai.get_encoding("o200k_base")
        self.assertEqual(encoding.encode("hello world"), [24912, 2375], "this is another vocabulary")
        count = len(encoding.encode(text))
        print(f"the card: {count} tokens of o200k_base", file=sys.stderr)
        self.assertLessEqual(count, 2500)


if __name__ == "__main__":
    options, rest = arguments()
    OURS = Ours(options.ucutlass, options.corpus_tool)
    unittest.main(argv=[sys.argv[0], *rest], verbosity=2)
