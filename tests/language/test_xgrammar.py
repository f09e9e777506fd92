"""The GBNF export in XGrammar."""

import sys
import unittest

import xgrammar

from shared import NO_NUMBERS, NUMBERS, Ours, arguments, corpus, report, with_number

OURS = None


class Gbnf(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        grammar = xgrammar.Grammar.from_ebnf(OURS.export("gbnf"))
        # One token a byte; the last ends a text.
        vocabulary = [bytes([byte]) for byte in range(256)] + [b"</s>"]
        info = xgrammar.TokenizerInfo(vocabulary, vocab_type=xgrammar.VocabType.RAW, stop_token_ids=[256])
        cls.compiled = xgrammar.GrammarCompiler(info).compile_grammar(grammar)

    def reached(self, text):
        """(bytes taken, whether the program may end there)"""
        matcher = xgrammar.GrammarMatcher(self.compiled)
        for at, byte in enumerate(text):
            if not matcher.accept_token(byte):
                return at, False
        return len(text), matcher.accept_token(256)

    def test_accepts_every_valid_program(self):
        wrong = []
        for name, text in corpus("valid"):
            taken, accepted = self.reached(text)
            if not accepted:
                wrong.append((name, text, taken))
        report("valid programs refused", wrong)

    def test_refuses_every_broken_program(self):
        wrong = []
        for name, text in corpus("broken"):
            taken, accepted = self.reached(text)
            if accepted:
                wrong.append((name, text, taken))
        report("broken programs accepted", wrong)

    def test_numbers_are_ours(self):
        for numbers, good in ((NUMBERS, True), (NO_NUMBERS, False)):
            for number in numbers:
                self.assertEqual(self.reached(with_number(number))[1], good, number)

    def test_accepts_samples_of_the_table(self):
        wrong = [("sample", p, self.reached(p)[0]) for p in OURS.samples(300, 12) if not self.reached(p)[1]]
        report("samples refused", wrong)


if __name__ == "__main__":
    options, rest = arguments()
    OURS = Ours(options.ucutlass, options.corpus_tool)
    unittest.main(argv=[sys.argv[0], *rest], verbosity=2)
