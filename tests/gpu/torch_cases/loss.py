"""Losses: reductions, settings, dtypes, edge values."""
from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import torch
import torch.nn.functional as F

from . import Case, Tensor, case, normal, numbers, whole

NAN, INF = math.nan, math.inf
REDUCTIONS = ("mean", "sum", "none")


def hinge(x: Tensor, t: Tensor, reduction: str) -> Tensor:
    terms = torch.clamp(1 - x * t, min=0)
    return {"mean": terms.mean, "sum": terms.sum, "none": lambda: terms}[reduction]()


def cosine(x: Tensor, t: Tensor, dim: int, reduction: str) -> Tensor:
    terms = 1 - F.cosine_similarity(x, t, dim=dim)
    return {"mean": terms.mean, "sum": terms.sum, "none": lambda: terms}[reduction]()


PAIRS: dict[str, Callable[[Tensor, Tensor, str], Tensor]] = {
    "mse": lambda x, t, r: F.mse_loss(x, t, reduction=r), "huber": lambda x, t, r: F.huber_loss(x, t, reduction=r),
    "smooth_l1": lambda x, t, r: F.smooth_l1_loss(x, t, reduction=r), "hinge": hinge,
}


def pairs() -> Iterator[Case]:
    for op, run in PAIRS.items():
        for reduction in REDUCTIONS:
            for at, shape in enumerate([(11,), (4, 7), (2, 3, 5)]):
                x, t = normal(*shape, seed=at, scale=2), normal(*shape, seed=at + 10)
                yield case(f"{op} of {list(shape)}, {reduction}", f"y = {op}(x, t, reduction={reduction})", {"x": x, "t": t},
                           lambda x, t, run=run, reduction=reduction: run(x, t, reduction))
        for dtype in ("f16", "bf16", "f64"):
            yield case(f"{op} of {dtype}", f"y = {op}(x, t)", {"x": normal(6, 8, dtype=dtype, seed=3), "t": normal(6, 8, dtype=dtype, seed=4)},
                       lambda x, t, run=run: run(x, t, "mean"))
        edges = numbers([1.0, NAN, INF, -INF, INF, 0.0, 1e30, 2.0, 1.0]), numbers([1.0, 1.0, 1.0, 1.0, INF, -0.0, 1.0, 1.0, NAN])
        yield case(f"{op} of edges", f"y = {op}(x, t, reduction=none)", {"x": edges[0], "t": edges[1]},
                   lambda x, t, run=run: run(x, t, "none"))
    x, t = normal(5, 6, seed=21, scale=2), normal(5, 6, seed=22)
    for number in (0.1, 0.5, 3.0):
        yield case(f"huber, delta={number}", f"y = huber(x, t, delta={number})", {"x": x, "t": t},
                   lambda x, t, number=number: F.huber_loss(x, t, delta=number))
        yield case(f"smooth_l1, beta={number}", f"y = smooth_l1(x, t, beta={number}, reduction=sum)", {"x": x, "t": t},
                   lambda x, t, number=number: F.smooth_l1_loss(x, t, beta=number, reduction="sum"))
    yield case("mse of differences at the bend", "y = huber(x, t, reduction=none)", {"x": numbers([1.0, -1.0, 0.5, 2.0]), "t": numbers([0.0, 0.0, 0.0, 0.0])},
               lambda x, t: F.huber_loss(x, t, reduction="none"))
    yield case("hinge with targets for all rows", "y = hinge(x, t)", {"x": x, "t": numbers([1.0, -1.0, 1.0, 1.0, -1.0, 1.0])},
               lambda x, t: hinge(x, t, "mean"))
    yield case("mse of f16 with f32", "y = mse(x, t)", {"x": normal(4, 6, dtype="f16", seed=23), "t": normal(4, 6, seed=24)},
               lambda x, t: ((x - t) ** 2).mean())
    yield case("mse from a number", "y = mse(x, 0.5)", {"x": x}, lambda x: F.mse_loss(x, torch.full_like(x, 0.5)))
    yield case("huber from a whole number", "y = huber(x, 1, reduction=none)", {"x": x},
               lambda x: F.huber_loss(x, torch.ones_like(x), reduction="none"))
    wide, tenth = normal(5, 6, dtype="f64", seed=25), lambda x: torch.full_like(x, 0.1)
    yield case("mse of f64 from a number", "y = mse(x, 0.1)", {"x": wide}, lambda x: F.mse_loss(x, tenth(x)))
    yield case("smooth_l1 of a number from f64", "y = smooth_l1(0.1, x, reduction=none)", {"x": wide},
               lambda x: F.smooth_l1_loss(tenth(x), x, reduction="none"))
    yield case("hinge of f64 with a number", "y = hinge(x, -0.1, reduction=none)", {"x": wide}, lambda x: hinge(x, -tenth(x), "none"))
    yield case("mse of expressions", "y = mse(relu(x), t * 2) >> sqrt()", {"x": x, "t": t}, lambda x, t: F.mse_loss(torch.relu(x), t * 2).sqrt())


def divergence() -> Iterator[Case]:
    logs, share = torch.log_softmax(normal(4, 9, seed=31), 1), torch.softmax(normal(4, 9, seed=32), 1)
    for reduction in (*REDUCTIONS, "batchmean"):
        yield case(f"kl_div, {reduction}", f"y = kl_div(x, t, reduction={reduction})", {"x": logs, "t": share},
                   lambda x, t, reduction=reduction: F.kl_div(x, t, reduction=reduction))
        yield case(f"kl_div of logs, {reduction}", f"y = kl_div(x, t, reduction={reduction}, log_target=true)", {"x": logs, "t": share.log()},
                   lambda x, t, reduction=reduction: F.kl_div(x, t, reduction=reduction, log_target=True))
    yield case("kl_div with zeros", "y = kl_div(x, t, reduction=none)", {"x": numbers([-1.0, -2.0, NAN, -INF, -INF]), "t": numbers([0.0, 1.0, 0.5, 0.5, 0.0])},
               lambda x, t: F.kl_div(x, t, reduction="none"))
    yield case("kl_div of a log", "y = kl_div(log(x), t, reduction=batchmean)", {"x": share, "t": share.flip(0)},
               lambda x, t: F.kl_div(torch.log(x), t, reduction="batchmean"))
    for dtype in ("f16", "bf16", "f64"):
        yield case(f"kl_div of {dtype}", "y = kl_div(x, t)", {"x": logs.to(getattr(torch, {"f16": "float16", "bf16": "bfloat16", "f64": "float64"}[dtype])),
                                                              "t": share.to(getattr(torch, {"f16": "float16", "bf16": "bfloat16", "f64": "float64"}[dtype]))},
                   lambda x, t: F.kl_div(x, t, reduction="mean"))


def classes() -> Iterator[Case]:
    for shape in ((7,), (6, 5), (3, 5, 4), (2, 5, 3, 2)):
        x = normal(*shape, seed=41, scale=2)
        count = shape[0] if len(shape) == 1 else 5
        samples = [n for d, n in enumerate(shape) if d != (0 if len(shape) == 1 else 1)]
        index = whole(*samples, dtype="i64", seed=42, low=0, high=count - 1)
        share = torch.softmax(normal(*shape, seed=43), 0 if len(shape) == 1 else 1)
        weight = normal(count, seed=44).abs()
        for reduction in REDUCTIONS:
            of = f"{list(shape)}, {reduction}"
            yield case(f"cross_entropy of {of}", f"y = cross_entropy(x, t, reduction={reduction})", {"x": x, "t": index},
                       lambda x, t, r=reduction: F.cross_entropy(x, t, reduction=r))
            yield case(f"cross_entropy of {of}, weighted", f"y = cross_entropy(x, t, w, reduction={reduction})", {"x": x, "t": index, "w": weight},
                       lambda x, t, w, r=reduction: F.cross_entropy(x, t, w, reduction=r))
            yield case(f"cross_entropy of {of}, smoothed", f"y = cross_entropy(x, t, reduction={reduction}, label_smoothing=0.1)",
                       {"x": x, "t": index}, lambda x, t, r=reduction: F.cross_entropy(x, t, reduction=r, label_smoothing=0.1))
            yield case(f"cross_entropy of {of}, of probabilities", f"y = cross_entropy(x, t, reduction={reduction})", {"x": x, "t": share},
                       lambda x, t, r=reduction: F.cross_entropy(x, t, reduction=r))
        yield case(f"cross_entropy of {list(shape)}, all settings", "y = cross_entropy(x, t, w, ignore_index=1, label_smoothing=0.3)",
                   {"x": x, "t": index, "w": weight}, lambda x, t, w: F.cross_entropy(x, t, w, ignore_index=1, label_smoothing=0.3))
        yield case(f"cross_entropy of {list(shape)}, probabilities weighted and smoothed", "y = cross_entropy(x, t, w, label_smoothing=0.2)",
                   {"x": x, "t": share, "w": weight}, lambda x, t, w: F.cross_entropy(x, t, w, label_smoothing=0.2))
    for dtype in ("f16", "bf16", "f64"):
        yield case(f"cross_entropy of {dtype}", "y = cross_entropy(x, t)", {"x": normal(6, 5, dtype=dtype, seed=45), "t": whole(6, dtype="i64", seed=46, low=0, high=4)},
                   lambda x, t: F.cross_entropy(x, t))
    x = numbers([[1.0, 2.0, -INF], [NAN, 0.0, 1.0], [1000.0, 0.0, 1.0]])
    yield case("cross_entropy of edges", "y = cross_entropy(x, t, reduction=none)", {"x": x, "t": numbers([2, 1, 1], "i64")},
               lambda x, t: F.cross_entropy(x, t, reduction="none"))
    yield case("cross_entropy, all ignored", "y = cross_entropy(x, t)", {"x": normal(2, 3, seed=47), "t": numbers([-100, -100], "i64")},
               lambda x, t: F.cross_entropy(x, t))


def vectors() -> Iterator[Case]:
    a, p, n = (normal(5, 8, seed=s) for s in (51, 52, 53))
    for reduction in REDUCTIONS:
        for words, kw in (("", {}), (", margin=0.2", {"margin": 0.2}), (", p=1", {"p": 1.0}), (", p=inf", {"p": INF}), (", p=3, swap=true", {"p": 3.0, "swap": True}),
                          (", swap=true, eps=1e-3", {"swap": True, "eps": 1e-3})):
            yield case(f"triplet_margin{words}, {reduction}", f"y = triplet_margin(a, p, n, reduction={reduction}{words})", {"a": a, "p": p, "n": n},
                       lambda a, p, n, r=reduction, kw=kw: F.triplet_margin_loss(a, p, n, reduction=r, **kw))
        for dim in (0, 1, -1):
            yield case(f"cosine, dim={dim}, {reduction}", f"y = cosine(a, p, dim={dim}, reduction={reduction})", {"a": a, "p": p},
                       lambda a, p, dim=dim, r=reduction: cosine(a, p, dim, r))
    yield case("triplet_margin of one vector", "y = triplet_margin(a, p, n)", {"a": a[0], "p": p[0], "n": n[0]},
               lambda a, p, n: F.triplet_margin_loss(a, p, n))
    yield case("triplet_margin of equal vectors", "y = triplet_margin(a, p, n)", {"a": a, "p": a, "n": a},
               lambda a, p, n: F.triplet_margin_loss(a, p, n))
    yield case("cosine of zeros", "y = cosine(a, p, reduction=none)", {"a": numbers([[0.0, 0.0], [1.0, 0.0]]), "p": numbers([[1.0, 2.0], [NAN, 0.0]])},
               lambda a, p: cosine(a, p, 1, "none"))
    for dtype in ("f16", "bf16", "f64"):
        x, y, z = (normal(4, 16, dtype=dtype, seed=s) for s in (54, 55, 56))
        yield case(f"triplet_margin of {dtype}", "y = triplet_margin(a, p, n)", {"a": x, "p": y, "n": z}, lambda a, p, n: F.triplet_margin_loss(a, p, n))
        yield case(f"cosine of {dtype}", "y = cosine(a, p)", {"a": x, "p": y}, lambda a, p: cosine(a, p, 1, "mean"))


def cases() -> Iterator[Case]:
    for part in (pairs, divergence, classes, vectors):
        yield from part()
