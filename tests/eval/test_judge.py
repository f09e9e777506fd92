"""The judge's pure parts, and the timing library through ctypes on host memory. Needs no torch:
python3 tests/eval/test_judge.py path/to/libucutlass_timing.so"""

import array
import contextlib
import math
import os
import random
import sys
import types
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "python"))
from ucutlass_judge import alternation, builtin_problems, protocol, specs, stats, timing, trials, verdict  # noqa: E402

LIBRARY = ""


def samples(text, values, clocks=None):
    return [stats.Sample(side, value, clock) for side, value, clock in zip(text, values, clocks or [None] * len(text))]


class Stats(unittest.TestCase):
    def test_order_is_abba_and_its_mirror(self):
        self.assertEqual("".join(stats.abba(2)), "ABBABAAB")

    def test_a_linear_drift_leaves_the_ratio_at_one(self):
        order = stats.abba(4)
        drifting = [100.0 + i for i in range(len(order))]
        ratio = stats.compare(samples(order, drifting))
        self.assertAlmostEqual(ratio.speedup, 1.0, delta=0.005)
        self.assertEqual(ratio.verdict, "no difference")

    def test_a_clear_difference_is_one(self):
        order = stats.abba(3)
        rng = random.Random(3)
        times = [(200.0 if side == "A" else 100.0) * (1 + 0.01 * rng.random()) for side in order]
        ratio = stats.compare(samples(order, times))
        self.assertAlmostEqual(ratio.speedup, 2.0, delta=0.02)
        self.assertEqual((ratio.verdict, ratio.pairs, ratio.dropped), ("faster", 6, 0))
        self.assertLessEqual(ratio.low, ratio.speedup)

    def test_noise_larger_than_the_difference_is_no_difference(self):
        order = stats.abba(3)
        times = [100.0, 90.0, 110.0, 104.0, 98.0, 95.0, 105.0, 101.0, 99.0, 108.0, 96.0, 103.0]
        self.assertEqual(stats.compare(samples(order, times)).verdict, "no difference")

    def test_a_clock_that_falls_within_a_pair_drops_it(self):
        times = [1.0, 1.0, 1.0, 1.05, 1.0, 1.0, 1.0, 1.0]
        ratio = stats.compare(samples("ABBAABBA", times, [1980, 1980, 1980, 1900, 1980, 1945, 1980, 1980]))
        self.assertEqual((ratio.pairs, ratio.dropped), (3, 1))
        self.assertEqual(ratio.speedup, 1.0)

    def test_a_drift_that_both_blocks_of_a_pair_share_is_kept(self):
        times = [100.0, 50.0, 50.0, 100.0, 110.0, 55.0, 55.0, 110.0]
        ratio = stats.compare(samples("ABBAABBA", times, [1980] * 4 + [1800] * 4))
        self.assertEqual((ratio.pairs, ratio.dropped, ratio.speedup), (4, 0, 2.0))

    def test_what_the_clock_does_not_explain_is_kept(self):
        slow = [1.0, 1.0, 1.0, 1.05, 1.0, 1.0, 1.0, 1.0]
        for mhz in (1980, 2060, None):  # as ever, faster, unread
            ratio = stats.compare(samples("ABBAABBA", slow, [1980, 1980, 1980, mhz, 1980, 1980, 1980, 1980]))
            self.assertEqual((ratio.pairs, ratio.dropped), (4, 0))

    def test_sides_at_clocks_of_their_own_are_kept(self):
        # A kernel at the power limit against one below it: clocks read 1620 to 1845 MHz while times hold within 1 %.
        times = [189.0, 194.3, 194.8, 190.5, 190.6, 194.7, 195.1, 190.4]
        ratio = stats.compare(samples("ABBAABBA", times, [1845, 1740, 1815, 1755, 1785, 1725, 1620, 1755]))
        self.assertEqual((ratio.pairs, ratio.dropped, ratio.verdict), (4, 0, "slower"))

    def test_what_the_clock_cannot_resolve_is_no_difference(self):
        # The same 1024^3 product by cuBLAS on both sides: 3 % apart in every pair, 0.24 us.
        order, times = "ABBABAAB", {"A": 8.26, "B": 8.50}
        blocks = samples(order, [times[side] for side in order])
        self.assertEqual(stats.compare(blocks).verdict, "slower")
        ratio = stats.compare(blocks, 0.25)
        self.assertEqual(ratio.verdict, "no difference")
        self.assertAlmostEqual(ratio.speedup, 8.26 / 8.50)
        self.assertLess(ratio.low, ratio.speedup)
        for b, verdict_ in ((8.6, "slower"), (7.9, "faster")):
            far = samples(order, [8.26 if side == "A" else b for side in order])
            self.assertEqual(stats.compare(far, 0.25).verdict, verdict_)
        # Of a long kernel it is next to nothing.
        long = samples(order, [1000.0 if side == "A" else 998.0 for side in order])
        self.assertEqual(stats.compare(long, 0.25).verdict, "faster")

    def test_one_pair_says_nothing(self):
        self.assertEqual(stats.compare(samples("AB", [2.0, 1.0])).verdict, "too few pairs")

    def test_quantiles(self):
        self.assertEqual(stats.quantile([4.0, 1.0, 3.0, 2.0], 0.5), 2.5)
        self.assertEqual(stats.quantile([], 0.5), 0.0)

    def test_rounds_end_when_a_difference_is_clear_and_narrow(self) -> None:
        order = stats.abba(4)
        clear = [200.0 if side == "A" else 100.0 for side in order]
        self.assertFalse(stats.decided(samples("".join(order[:4]), clear[:4])))  # one round
        self.assertFalse(stats.decided(samples("".join(order[:6]), clear[:6])))  # not a whole one
        self.assertTrue(stats.decided(samples("".join(order[:8]), clear[:8])))
        self.assertFalse(stats.decided(samples("".join(order[:8]), clear[:8]), resolution_us=1.5))  # 1.5 us of 100 either way
        wide = [value * (1.0 if i % 3 else 1.05) for i, value in enumerate(clear)]
        self.assertFalse(stats.decided(samples("".join(order[:8]), wide[:8])))
        self.assertFalse(stats.decided(samples("".join(order), [100.0] * len(order))))  # no difference takes all rounds
        shifted = stats.decided(samples("ABBAABBA", [200, 100, 100, 200, 200, 100, 104, 200], [1980] * 6 + [1900, 1980]))
        self.assertFalse(shifted)  # a pair was dropped


class Specs(unittest.TestCase):
    def test_storage_of_strides(self):
        self.assertEqual(specs.TensorSpec("a", "f32", (3, 4), (4, 1)).bytes, 48)
        self.assertEqual(specs.TensorSpec("a", "f16", (3, 4), (8, 1)).bytes, 2 * (2 * 8 + 3 + 1))
        self.assertEqual(specs.TensorSpec("a", "f32", (0, 4), (4, 1)).bytes, 0)
        self.assertEqual(specs.row_major((2, 3, 4)), (12, 4, 1))

    def test_bad_tensors_are_refused(self):
        for item in ({"dtype": "f33", "shape": [1]}, {"dtype": "f32", "shape": [-1]},
                     {"dtype": "f32", "shape": [2, 2], "stride": [1]}):
            with self.assertRaises(ValueError):
                specs.read_spec(item)

    def rounded_dot_error(self, bits, k=512, outputs=100):
        """Relative error norm of dot products of normal numbers whose operands are rounded to `bits` of significand."""
        rng = random.Random(bits)

        def rounded(x):
            mantissa, exponent = math.frexp(x)
            return math.ldexp(round(mantissa * 2**bits) / 2**bits, exponent)

        off = size = 0.0
        for _ in range(outputs):
            a, b = ([rng.gauss(0, 1) for _ in range(k)] for _ in range(2))
            exact = math.fsum(x * y for x, y in zip(a, b))
            off += (math.fsum(rounded(x) * rounded(y) for x, y in zip(a, b)) - exact) ** 2
            size += exact**2
        return math.sqrt(off / size)

    def test_the_error_bound_separates_the_precisions(self):
        eleven, eight = self.rounded_dot_error(11), self.rounded_dot_error(8)
        bound = lambda math_: specs.error_bound(math_, 512, "f32", 0.0)  # noqa: E731
        self.assertGreater(eleven, bound("f32"))      # TF32 or FP16 where FP32 is asked for
        self.assertLess(eleven, bound("tf32") / 2)    # right, with room
        self.assertLess(eleven, bound("f16") / 2)
        self.assertGreater(eight, bound("f16"))       # BF16 where FP16 is asked for
        self.assertLess(eight, bound("bf16") / 2)
        self.assertGreater(bound("f32"), math.sqrt(512) * 2.0**-24)
        self.assertGreater(specs.error_bound("f32", 512, "bf16", 0.0), 2.0**-9)  # storing rounds too
        self.assertEqual(specs.error_bound("f32", 512, "f32", 1e-3), 4e-3)       # the problem itself amplifies


class BuiltinProblems(unittest.TestCase):
    def test_matmul(self):
        text = builtin_problems.builtin_source("matmul:m=2,n=3,k=4,dtype=bf16,fill=uniform,b=nk,batch=5")
        self.assertIn("torch.rand(5, 2, 4)", text)
        self.assertIn("torch.rand(5, 3, 4)", text)
        self.assertIn("b.mT", text)

    def test_mistakes_are_told(self):
        for text in ("conv:m=1", "matmul:m=1,n=1", "matmul:m=x,n=1,k=1", "matmul:m=0,n=1,k=1",
                     "matmul:m=1,n=1,k=1,dtype=f99"):
            with self.assertRaises(specs.ProblemError):
                builtin_problems.builtin_source(text)


class Protocol(unittest.TestCase):
    def test_what_json_cannot_say_becomes_words(self):
        self.assertEqual(protocol.plain({"a": [math.nan, math.inf, -math.inf, 1.5, True, None]}),
                         {"a": ["nan", "inf", "-inf", 1.5, True, None]})

    def test_numbers_of_an_untrusted_reply(self):
        self.assertEqual(protocol.number({"a": 3}, "a"), 3.0)
        for value in (None, "3", True, math.inf, math.nan, [1]):
            with self.assertRaises(protocol.RunnerGone):
                protocol.number({"a": value}, "a")
        with self.assertRaises(protocol.RunnerGone):
            protocol.numbers({"a": [1.0]}, "a", 2)

    def test_refusals_become_labels(self):
        for error, reason in (({"kind": "device", "code": 700}, "illegal_access"), ({"kind": "device", "code": 1}, "cuda_error"),
                              ({"kind": "load"}, "load_failed"), ({}, "cuda_error")):
            found = verdict.of_refusal(protocol.RunnerRefused(error), "x")
            self.assertEqual((found.label, found.reason), ("broken", reason))


class Runs:
    """Stands for judge and runner: `real_us` a run by the judge's clock, `claimed_us` by the runner's events."""

    def __init__(self, real_us, claimed_us, blocks):
        nothing = lambda *_: None  # noqa: E731
        self.real_us, self.claimed_us, self.batches, self.spent = real_us, claimed_us, [], 0.0
        self.runner = types.SimpleNamespace(seconds=0.0)
        self.exchange = types.SimpleNamespace(sets=8, poison_all=nothing, publish=nothing, collect=nothing)
        self.session = types.SimpleNamespace(side=types.SimpleNamespace(sampler=contextlib.nullcontext()),
                                             backend=types.SimpleNamespace(sync=nothing))
        self.checker = types.SimpleNamespace(block=nothing)
        self.alternation = alternation.Alternation(self)
        self.alternation._seen = blocks

    def call(self, op, patience_s, runs=0):
        self.runner.seconds = 2e-4 + runs * self.real_us * 1e-6
        self.spent += min(self.runner.seconds, patience_s, 25.0)
        if self.runner.seconds > min(patience_s, 25.0):
            raise protocol.RunnerGone("timed_out", "no answer")
        if runs:
            self.batches.append(runs)
        return {"event_us": runs * self.claimed_us}

    def audit(self, guess_us):
        return self.alternation._bracket("batch", guess_us)


class Audit(unittest.TestCase):
    def test_a_false_claim_is_told_by_small_batches(self):
        # Work on another stream: 1.3 us by events, 2.2 ms by the judge's clock, in blocks too.
        runs = Runs(2230.0, 1.3, [(5000.0, 65.0), (2232.0, 70.0), (2228.0, 70.0)])
        with self.assertRaises(verdict.Verdict) as caught:
            runs.audit(5.2)
        self.assertEqual((caught.exception.label, caught.exception.reason), ("gaming", "clock_mismatch"))
        self.assertLess(runs.spent, 1.5)

    def test_an_honest_candidate_is_audited_by_one_batch(self):
        for real_us, claimed_us, blocks in ((7.4, 7.4, [(900.0, 69.0), (64.1, 69.0), (64.0, 69.0)]), (2230.0, 2230.0, [(2290.0, 2295.0)])):
            runs = Runs(real_us, claimed_us, blocks)
            self.assertAlmostEqual(runs.audit(claimed_us), real_us, delta=0.01 * real_us)
            self.assertEqual(runs.batches, [math.ceil(0.25e6 / claimed_us)])

    def test_a_timer_that_is_off_by_little_is_told_too(self):
        with self.assertRaises(verdict.Verdict):
            Runs(100.0, 90.0, [(160.0, 150.0)]).audit(90.0)


class Replays(unittest.TestCase):
    """Results are numbers here: that of a run on set s with perturbation p is 1000 s + p."""

    def checker(self, carries):
        backend = types.SimpleNamespace(
            perturbed=lambda base, specs, seed: base + seed, reference=lambda value, weights: [value],
            difference=lambda a, b, tolerance: types.SimpleNamespace(passed=a == b))
        session = types.SimpleNamespace(backend=backend, bases=[0, 1000], inputs=lambda base: base, tolerance=None)
        exchange = types.SimpleNamespace(sets=2, input_specs=[], seeds=carries)
        return trials.Checker(session, exchange, reduction=1)

    def test_a_result_of_any_earlier_run_on_the_buffer_is_one(self):
        checker = self.checker([99, 7])
        checker.ran([0] * 60, range(1, 61), [0, 0])
        checker.ran([0, 1, 0], [80, 7, 99], [60, 0])
        for seed in (0, 1, 55, 60, 80):
            self.assertEqual(checker._replayed(0, seed), "an earlier run on this buffer", seed)
        self.assertEqual(checker._replayed(0, 1007), "a run on another buffer")

    def test_what_no_run_gave_is_an_error(self):
        checker = self.checker([99, 7])
        checker.ran([0, 1, 0], [80, 7, 99], [60, 0])
        self.assertEqual(checker._replayed(0, 81), "")
        self.assertEqual(checker._replayed(0, 99), "")  # what this run was to give


class Clock(unittest.TestCase):
    def setUp(self):
        self.timing = timing.Timing(LIBRARY, "host")
        self.timing.open()

    def test_the_plan_uses_all_sets_and_checks_runs_from_all_over_the_block(self):
        for sets in (2, 3, 8):
            ends = []
            for seed in range(200):
                set_of, seed_of = self.timing.plan(seed, 400, sets)
                self.assertEqual(set(set_of), set(range(sets)))
                self.assertEqual(set(set_of[:sets]), set(range(sets)))
                self.assertTrue(all(seed_of))
                last = {which: run for run, which in enumerate(set_of)}
                self.assertEqual(set(sorted(last.values())[-2:]), {398, 399})
                ends += [run for run in last.values() if run < 398]
            if sets == 8:  # the last outputs of the other six spread over the last three quarters
                self.assertLess(min(ends), 130)
                for low, high in ((100, 200), (200, 300), (300, 398)):
                    self.assertGreater(sum(low <= run < high for run in ends), len(ends) / 6)

    def test_the_plan_is_a_function_of_its_seed(self):
        self.assertEqual(self.timing.plan(5, 50, 4), self.timing.plan(5, 50, 4))
        self.assertNotEqual(self.timing.plan(5, 50, 4), self.timing.plan(6, 50, 4))

    def perturb(self, values, kind, before, after):
        address, count = values.buffer_info()
        self.timing.perturb(timing.Region(address, count * values.itemsize, kind), before, after)

    def test_perturbation_is_undone_and_chains(self):
        base = array.array("f", [random.Random(1).gauss(0, 1) for _ in range(4096)])
        a, b = array.array("f", base), array.array("f", base)
        self.perturb(a, timing.F32, 0, 7)
        changed = sum(x != y for x, y in zip(a, base))
        self.assertGreater(changed, 800)
        self.assertLess(changed, 1250)  # a quarter
        self.assertTrue(all(0.6 < x / y < 1.6 for x, y in zip(a, base)))  # sign and scale stay
        self.perturb(a, timing.F32, 7, 9)
        self.perturb(b, timing.F32, 0, 9)
        self.assertEqual(a.tobytes(), b.tobytes())
        self.perturb(a, timing.F32, 9, 0)
        self.assertEqual(a.tobytes(), base.tobytes())

    def test_signs_flip_all_together_where_they_may(self):
        for code, kind, ones in (("f", timing.F32, [1.0]), ("H", timing.F16, [0x3C00]), ("H", timing.BF16, [0x3F80]),
                                 ("d", timing.F64, [1.0])):
            kept, flipped = array.array(code, ones * 512), array.array(code, ones * 512)
            self.perturb(kept, kind, 0, 0x80000005)
            self.perturb(flipped, kind | timing.SIGNS, 0, 0x80000005)
            sign = (lambda x: x < 0) if code in "fd" else (lambda x: bool(x & 0x8000))
            self.assertFalse(any(map(sign, kept)))
            self.assertTrue(all(map(sign, flipped)))
            self.perturb(flipped, kind | timing.SIGNS, 0x80000005, 5)
            self.assertFalse(any(map(sign, flipped)))
            self.perturb(flipped, kind | timing.SIGNS, 5, 0)
            self.assertEqual(list(flipped), ones * 512)
            only = array.array(code, ones * 512)
            self.perturb(only, kind | timing.SIGNS_ONLY, 0, 0x80000005)
            self.assertEqual(len(set(only)), 1)
            self.assertTrue(sign(only[0]))

    def test_zeros_infinities_and_nan_stay(self):
        values = array.array("f", [0.0, -0.0, math.inf, -math.inf, math.nan] * 50)
        before = values.tobytes()
        self.perturb(values, timing.F32, 0, 3)
        self.assertEqual(values.tobytes(), before)

    def test_other_types_flip_their_top_mantissa_bit(self):
        doubles = array.array("d", [1.0] * 1024)
        self.perturb(doubles, timing.F64, 0, 5)
        self.assertEqual(set(doubles), {1.0, 1.5})
        halves = array.array("H", [0x3C00] * 1024)
        self.perturb(halves, timing.F16, 0, 5)
        self.assertEqual(set(halves), {0x3C00, 0x3E00})
        bfloats = array.array("H", [0x3F80] * 1024)
        self.perturb(bfloats, timing.BF16, 0, 5)
        self.assertEqual(set(bfloats), {0x3F80, 0x3FC0})

    def test_a_block_gives_each_run_its_own_inputs_and_poisoned_outputs(self):
        sets, runs = 3, 40
        inputs = [array.array("f", [1.0] * 64) for _ in range(sets)]
        outputs = [array.array("f", [0.0] * 8) for _ in range(sets)]
        regions = timing.SetRegions([[timing.Region(x.buffer_info()[0], 256, timing.F32)] for x in inputs],
                                    [[timing.Region(y.buffer_info()[0], 32)] for y in outputs], [0] * sets)
        seen = []

        def run(index):
            self.assertTrue(all(math.isnan(y) for y in outputs[index]))
            seen.append((index, inputs[index].tobytes()))
            for place in range(8):
                outputs[index][place] = 1.0

        times = self.timing.block(regions, 11, 5, runs, 0, 0, run)
        self.assertEqual(len(times.times_us), runs)
        self.assertEqual((times.early, times.late), (0, 0))
        set_of, seed_of = self.timing.plan(11, runs + 5, sets)
        self.assertEqual([index for index, _ in seen], set_of)
        self.assertEqual(len({content for _, content in seen}), runs + 5)
        self.assertEqual(regions.seeds, timing.last_use(set_of, seed_of, sets, [0] * sets))
        for index in range(sets):
            expected = array.array("f", [1.0] * 64)
            self.perturb(expected, timing.F32, 0, regions.seeds[index])
            self.assertEqual(inputs[index].tobytes(), expected.tobytes())

    def test_inputs_of_a_set_flip_signs_independently(self):
        inputs = [array.array("f", [1.0] * 4) for _ in range(4)]
        regions = timing.SetRegions(
            [[timing.Region(x.buffer_info()[0], 16, timing.F32 | timing.SIGNS_ONLY) for x in inputs[2 * s:2 * s + 2]]
             for s in range(2)], [[], []], [0, 0])
        products = []
        self.timing.block(regions, 4, 0, 60, 0, 0, lambda s: products.append(inputs[2 * s][0] * inputs[2 * s + 1][0]))
        self.assertGreater(products.count(1.0), 10)
        self.assertGreater(products.count(-1.0), 10)
        for place, values in enumerate(inputs):
            again = array.array("f", [1.0] * 4)
            self.perturb(again, timing.F32 | timing.SIGNS_ONLY, 0, timing.input_seed(regions.seeds[place // 2], place % 2))
            self.assertEqual(values, again)

    def test_outputs_that_change_after_their_last_run_are_counted(self):
        outputs = [array.array("f", [0.0] * 8) for _ in range(4)]
        regions = timing.SetRegions([[] for _ in outputs], [[timing.Region(y.buffer_info()[0], 32)] for y in outputs], [0] * 4)
        before = []

        def run(index):  # one run behind
            for other in before[-1:]:
                outputs[other][3] += 1.0
            outputs[index][:] = array.array("f", [1.0] * 8)
            before.append(index)

        times = self.timing.block(regions, 4, 0, 60, 0, 0, run)
        self.assertEqual((times.early, times.late), (0, 3))  # none comes after the last

    def test_a_callback_that_raises_ends_the_block(self):
        regions = timing.SetRegions([[], []], [[], []], [0, 0])

        def run(index):
            raise KeyError("mine")

        with self.assertRaises(KeyError):
            self.timing.block(regions, 1, 1, 1, 0, 0, run)

    def test_the_period_is_kept(self):
        regions = timing.SetRegions([[], []], [[], []], [0, 0])
        times = self.timing.block(regions, 1, 2, 20, 2000, 0, lambda index: None)
        self.assertGreater(times.period_us, 1900)

    def test_bad_devices_are_told(self):
        for device in ("gpu", "cuda:x", "cuda:", ""):
            with self.assertRaises(timing.TimingError):
                timing.Timing(LIBRARY, device).open()


if __name__ == "__main__":
    LIBRARY = sys.argv.pop(1)
    unittest.main()
