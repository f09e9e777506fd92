"""attention: layouts, grouped heads, masks, and scores that are expressions."""
from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch.nn.functional import scaled_dot_product_attention as sdpa

from . import Case, Tensor, case, normal, numbers, whole

NAN, INF = float("nan"), float("inf")


def operands(*, batch: int = 2, heads: int = 4, kv_heads: int = 0, queries: int = 6, keys: int = 7, dim: int = 8,
             value_dim: int = 0, dtype: str = "f32", scale: float = 1.0) -> dict[str, Tensor]:
    """q, k, v in bhsd."""
    kv = kv_heads or heads
    return {"q": normal(batch, heads, queries, dim, dtype=dtype, seed=1, scale=scale),
            "k": normal(batch, kv, keys, dim, dtype=dtype, seed=2),
            "v": normal(batch, kv, keys, value_dim or dim, dtype=dtype, seed=3)}


def swapped(tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    return {name: x.transpose(1, 2).contiguous() for name, x in tensors.items()}


def in_bshd(run: Callable[..., Tensor]) -> Callable[..., Tensor]:
    def of(q: Tensor, k: Tensor, v: Tensor, *rest: Tensor) -> Tensor:
        return run(q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2), *rest).transpose(1, 2)
    return of


def plain(causal: bool = False, scale: float | None = None, gqa: bool = False) -> Callable[..., Tensor]:
    return lambda q, k, v: sdpa(q, k, v, is_causal=causal, scale=scale, enable_gqa=gqa)


def masked(q: Tensor, k: Tensor, v: Tensor, mask: Tensor) -> Tensor:
    return sdpa(q, k, v, attn_mask=mask.expand(*q.shape[:-1], k.shape[-2]))


def scores(q: Tensor, k: Tensor, scale: float | None = None) -> Tensor:
    return (q @ k.transpose(-2, -1)) * (1 / math.sqrt(q.shape[-1]) if scale is None else scale)


def lower(x: Tensor) -> Tensor:
    return torch.ones(x.shape[-2:], dtype=torch.bool, device=x.device).tril()


def program(name: str, arguments: str, inputs: dict[str, Tensor], run: Callable[..., Any]) -> Case:
    names = ", ".join(list(inputs)[:3])
    return case(name, f"y = attention({names}{', ' if arguments else ''}{arguments})", inputs, run, sums=True)


def layouts() -> Iterator[Case]:
    for dtype in ("f64", "f32", "f16", "bf16"):
        yield program(f"bhsd {dtype}", "", operands(dtype=dtype), plain())
        yield program(f"bshd causal {dtype}", "layout=bshd, causal=true", swapped(operands(dtype=dtype)),
                      in_bshd(plain(True)))
    yield program("rank 3", "", {n: x[:, 0].contiguous() for n, x in operands().items()}, plain())
    yield program("rank 3 bshd is the same", "layout=bshd, causal=true",
                  {n: x[:, 0].contiguous() for n, x in operands().items()}, plain(True))
    yield program("value dimension of its own", "", operands(value_dim=5), plain())
    yield program("more queries than keys", "causal=true", operands(queries=9, keys=4), plain(True))
    yield program("fewer queries than keys", "causal=true", operands(queries=3, keys=8), plain(True))
    yield program("one query, one key", "", operands(queries=1, keys=1), plain())
    yield program("scale 1", "scale=1", operands(), plain(scale=1.0))
    yield program("scale negative", "scale=-0.25", operands(), plain(scale=-0.25))
    yield program("large scores", "", operands(scale=300.0), plain())
    yield program("whole numbers", "scale=1", {n: whole(2, 2, 5, 4, seed=i) for i, n in enumerate("qkv")}, plain(scale=1.0))


def grouped_heads() -> Iterator[Case]:
    for kv in (1, 2):
        yield program(f"{kv} heads of keys", "", operands(kv_heads=kv), plain(gqa=True))
        yield program(f"{kv} heads of keys bshd causal", "layout=bshd, causal=true", swapped(operands(kv_heads=kv)),
                      in_bshd(plain(True, gqa=True)))
    yield program("heads of keys with a score", "score=relu(it)", operands(kv_heads=2),
                  lambda q, k, v: torch.softmax(torch.relu(scores(q, k.repeat_interleave(2, 1))), -1)
                  @ v.repeat_interleave(2, 1))


def masks() -> Iterator[Case]:
    shapes = {"whole": (2, 4, 6, 7), "keys": (7,), "of a batch": (2, 1, 1, 7), "of a head": (4, 6, 7), "queries": (6, 1)}
    for seed, (name, shape) in enumerate(shapes.items()):
        mask = normal(*shape, seed=seed + 10) > -0.5
        yield program(f"mask {name}", "mask=seen", {**operands(), "seen": mask}, masked)
    rows = torch.ones(6, 7, dtype=torch.bool)
    rows[2] = False
    yield program("nothing seen by a query", "mask=seen", {**operands(), "seen": rows}, masked)
    yield program("nothing seen at all", "seen", {**operands(), "seen": torch.zeros(1, dtype=torch.bool)}, masked)
    some = normal(6, 7, seed=20) > -0.5
    yield program("mask and causal", "mask=seen, causal=true", {**operands(), "seen": some},
                  lambda q, k, v, m: sdpa(q, k, v, attn_mask=m & lower(m)))
    yield program("mask in bshd", "mask=seen, layout=bshd", {**swapped(operands()), "seen": some}, in_bshd(masked))


def expressions() -> Iterator[Case]:
    yield program("added bias", "score=it + bias", {**operands(), "bias": normal(4, 6, 7, seed=4)}, masked)
    hidden = normal(6, 7, seed=5).masked_fill(normal(6, 7, seed=6) > 0.5, -INF)
    yield program("added -inf", "score=it + bias", {**operands(), "bias": hidden}, masked)
    nothing = normal(6, 7, seed=21)
    nothing[1::3] = -INF
    yield program("added -inf to all of a row", "score=it + bias", {**operands(), "bias": nothing}, masked)
    yield program("soft cap", "score=20 * tanh(it / 20), causal=true", operands(scale=30.0),
                  lambda q, k, v: torch.softmax((20 * torch.tanh(scores(q, k) / 20))
                                                .masked_fill(~lower(scores(q, k)), -INF), -1) @ v)
    yield program("relu without softmax", "causal=true, scale=0.125, norm=none, score=relu(it)", operands(queries=7),
                  lambda q, k, v: torch.relu(scores(q, k, 0.125)).masked_fill(~lower(scores(q, k)), 0) @ v)
    yield program("no softmax, mask", "mask=seen, norm=none", {**operands(), "seen": normal(6, 7, seed=7) > 0},
                  lambda q, k, v, m: scores(q, k).masked_fill(~m, 0) @ v)
    yield program("hidden scores that overflow", "causal=true, norm=none, scale=1, score=it * exp(t)",
                  {**operands(queries=7), "t": (torch.ones(7, 7) * 200).triu(1)},
                  lambda q, k, v, t: torch.where(lower(t), scores(q, k, 1.0) * torch.exp(t), 0.0) @ v)
    state = {**swapped(operands(dim=4, queries=7, value_dim=6)), "t": normal(2, 7, 4, seed=8)}
    yield case("decay of a state space", "ct = permute(t, [0, 2, 1])\ny = attention(q, k, v, layout=bshd, causal=true, scale=1, "
               "norm=none, score=it * exp(unsqueeze(ct, 3) - unsqueeze(ct, 2)))", state, decay, sums=True)
    yield program("score reads nothing of it", "score=it * 0 + 1", operands(),
                  lambda q, k, v: v.mean(-2, keepdim=True).expand(2, 4, 6, 8))
    yield case("f16 with a score in f32", "y = attention(q, k, v, score=it + bias)",
               {**operands(dtype="f16"), "bias": normal(6, 7, seed=9)}, precision="f16", sums=True, run=
               lambda q, k, v, b: (torch.softmax(scores(q.to(b.dtype), k.to(b.dtype)) + b, -1) @ v.to(b.dtype)).to(q.dtype))
    yield case("after the sum", "y = attention(q, k, v) >> mul(2) >> relu()", operands(),
               lambda q, k, v: torch.relu(2 * sdpa(q, k, v)), sums=True)


def decay(q: Tensor, k: Tensor, v: Tensor, t: Tensor) -> Tensor:
    each = t.transpose(1, 2)
    weights = torch.exp((each[..., :, None] - each[..., None, :]).masked_fill(~lower(each[..., None] * each[..., None, :]), -INF))
    return in_bshd(lambda a, b, c: (scores(a, b, 1.0) * weights) @ c)(q, k, v)


def edges() -> Iterator[Case]:
    q = numbers([[[1.0, 0.0], [NAN, 0.0], [INF, 0.0], [-INF, 0.0]]])
    k = numbers([[[1.0, 0.0], [2.0, 1.0], [-1.0, 0.0]]])
    v = numbers([[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]])
    yield program("nan and infinite queries", "", {"q": q, "k": k, "v": v},
                  lambda q, k, v: torch.softmax(scores(q, k), -1) @ v)
    seen = torch.tensor([True, True, False])
    yield program("an infinite key that is hidden", "mask=seen",
                  {"q": q[:, :1].contiguous(), "k": numbers([[[1.0, 0.0], [2.0, 1.0], [INF, 0.0]]]), "v": v, "seen": seen},
                  lambda q, k, v, m: torch.softmax(scores(q, k).masked_fill(~m, -INF), -1) @ v)
    yield program("an infinite value", "", {"q": q[:, :1].contiguous(), "k": k, "v": numbers([[[1.0, INF], [3.0, 4.0], [5.0, NAN]]])},
                  lambda q, k, v: torch.softmax(scores(q, k), -1) @ v)


def cases() -> Iterator[Case]:
    for group in (layouts, grouped_heads, masks, expressions, edges):
        yield from group()
