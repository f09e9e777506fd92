"""libucutlass_timing.so through ctypes: the same measuring code that the runner links (runner/timing.h)."""

from __future__ import annotations

import ctypes as c
from dataclasses import dataclass, field
from typing import Any, Callable, Optional, Sequence

VERSION = 2
LEAVE, F32, F16, BF16, F64 = range(5)
SIGNS, SIGNS_ONLY = 256, 512
KINDS = {"f32": F32, "f16": F16, "bf16": BF16, "f64": F64}


def kind_of(dtype: str, mode: int) -> int:
    """mode 0: left alone; 1: perturbed, signs kept; 2: all signs may flip too; 3: only the signs."""
    return KINDS[dtype] | (0, 0, SIGNS, SIGNS_ONLY)[mode] if mode and dtype in KINDS else LEAVE


def input_seed(seed: int, place: int) -> int:
    """The perturbation of one input of a set that carries `seed`: rotated, so that signs do not flip together."""
    turn = 5 * place % 32
    return (seed << turn | seed >> (32 - turn)) & 0xFFFFFFFF


class _Message(c.Structure):
    _fields_ = [("code", c.c_int32), ("where", c.c_char * 48), ("text", c.c_char * 512)]


class _Info(c.Structure):
    _fields_ = [("name", c.c_char * 128), ("uuid", c.c_char * 64), ("l2_bytes", c.c_uint64),
                ("memory_bytes", c.c_uint64), ("sm_count", c.c_int32), ("compute", c.c_int32),
                ("driver", c.c_int32), ("ordinal", c.c_int32)]


class _Region(c.Structure):
    _fields_ = [("data", c.c_void_p), ("bytes", c.c_uint64), ("kind", c.c_uint32), ("pad", c.c_uint32)]


class _Sets(c.Structure):
    _fields_ = [("sets", c.c_uint32), ("inputs_per_set", c.c_uint32), ("outputs_per_set", c.c_uint32),
                ("pad", c.c_uint32), ("inputs", c.POINTER(_Region)), ("outputs", c.POINTER(_Region)),
                ("seeds", c.POINTER(c.c_uint32))]


class _Block(c.Structure):
    _fields_ = [("seed", c.c_uint64), ("warm_runs", c.c_uint32), ("runs", c.c_uint32), ("flush_bytes", c.c_uint64),
                ("hold_us", c.c_uint32), ("period_us", c.c_uint32), ("settle_us", c.c_uint32), ("pad", c.c_uint32)]


class _BlockResult(c.Structure):
    _fields_ = [("wall_us", c.c_double), ("period_us", c.c_double), ("enqueue_us", c.c_double),
                ("unheld", c.c_uint32), ("early", c.c_uint32), ("late", c.c_uint32), ("pad", c.c_uint32)]


class _BatchResult(c.Structure):
    _fields_ = [("event_us", c.c_double), ("wall_us", c.c_double), ("runs", c.c_uint32), ("pad", c.c_uint32)]


_ENQUEUE = c.CFUNCTYPE(c.c_int, c.c_void_p, c.c_uint32, c.c_void_p)


class TimingError(Exception):
    pass


@dataclass(frozen=True)
class Region:
    """A float buffer with its perturbation kind, or an output (kind LEAVE)."""
    data: int
    bytes: int
    kind: int = LEAVE


@dataclass
class SetRegions:
    """The buffers of R sets, and which perturbation each set's inputs carry now."""
    inputs: list[list[Region]]
    outputs: list[list[Region]]
    seeds: list[int]


@dataclass
class BlockTimes:
    times_us: list[float] = field(default_factory=list)
    wall_us: float = 0.0
    period_us: float = 0.0
    enqueue_us: float = 0.0
    unheld: int = 0
    early: int = 0
    late: int = 0


class Timing:
    """One context of the library on one device."""

    def __init__(self, library: str, device: str):
        self._lib = c.CDLL(library)
        self._lib.uct_stream.restype = c.c_void_p
        if self._lib.uct_version() != VERSION:
            raise TimingError(f"{library} has another version than this judge: rebuild it")
        self.device = device
        self._context: Any = None

    def identify(self) -> dict[str, Any]:
        """Name and UUID, without making a context on the device."""
        info = _Info()
        self._try("uct_identify", self.device.encode(), c.byref(info))
        return _describe(info)

    def open(self) -> dict[str, Any]:
        context = c.c_void_p()
        self._try("uct_open", self.device.encode(), c.byref(context))
        self._context = context
        info = _Info()
        self._try("uct_get_info", context, c.byref(info))
        return _describe(info)

    @property
    def stream(self) -> int:
        return int(self._lib.uct_stream(self._context) or 0)

    def alloc(self, size: int) -> int:
        data = c.c_void_p()
        self._try("uct_alloc", self._context, c.c_uint64(size), c.byref(data))
        return int(data.value or 0)

    def free(self, data: int) -> None:
        self._try("uct_free", self._context, c.c_void_p(data))

    def export(self, data: int) -> str:
        handle = (c.c_uint8 * 64)()
        self._try("uct_ipc_export", self._context, c.c_void_p(data), handle)
        return bytes(handle).hex()

    def sync(self) -> None:
        self._try("uct_sync", self._context)

    def poison(self, data: int, size: int) -> None:
        self._try("uct_poison", self._context, c.c_void_p(data), c.c_uint64(size))

    def copy(self, to: int, source: int, size: int, to_device: bool) -> None:
        self._try("uct_copy", self._context, c.c_void_p(to), c.c_void_p(source), c.c_uint64(size), int(to_device))

    def perturb(self, region: Region, before: int, after: int) -> None:
        raw = _Region(region.data, region.bytes, region.kind, 0)
        self._try("uct_perturb", self._context, c.byref(raw), c.c_uint32(before), c.c_uint32(after))

    def plan(self, seed: int, total: int, sets: int) -> tuple[list[int], list[int]]:
        """Set and perturbation of each run of a block with this seed: what anybody who ran it must have left."""
        set_of, seed_of = (c.c_uint32 * total)(), (c.c_uint32 * total)()
        self._lib.uct_plan(c.c_uint64(seed), c.c_uint32(total), c.c_uint32(sets), set_of, seed_of)
        return list(set_of), list(seed_of)

    def block(self, sets: SetRegions, seed: int, warm_runs: int, runs: int, period_us: int, hold_us: int,
              enqueue: Callable[[int], None], settle_us: int = 0) -> BlockTimes:
        """Times `runs` runs; changes sets.seeds. `enqueue(set)` puts one run into the current stream."""
        regions = _Regions(sets)
        block = _Block(seed, warm_runs, runs, 0, hold_us, period_us, settle_us, 0)
        times, result = (c.c_double * max(runs, 1))(), _BlockResult()
        caught: list[BaseException] = []
        callback = _guarded(enqueue, caught)
        try:
            self._try("uct_run_block", self._context, c.byref(regions.raw), c.byref(block), callback, None, times,
                      c.byref(result))
        except TimingError:
            if caught:
                raise caught[0]
            raise
        sets.seeds[:] = list(regions.seeds)
        return BlockTimes(list(times)[:runs], result.wall_us, result.period_us, result.enqueue_us, result.unheld,
                          result.early, result.late)

    def batch(self, sets: int, runs: int, enqueue: Callable[[int], None]) -> tuple[float, float]:
        """(microseconds by events, by the host clock) of `runs` runs back to back."""
        result = _BatchResult()
        caught: list[BaseException] = []
        callback = _guarded(enqueue, caught)
        try:
            self._try("uct_run_batch", self._context, c.c_uint32(sets), c.c_uint32(runs), callback, None,
                      c.byref(result))
        except TimingError:
            if caught:
                raise caught[0]
            raise
        return result.event_us, result.wall_us

    def _try(self, name: str, *arguments: Any) -> None:
        message = _Message()
        if getattr(self._lib, name)(*arguments, c.byref(message)) != 0:
            raise TimingError(f"{message.where.decode()}: {message.text.decode(errors='replace')}")


class _Regions:
    """ctypes arrays of a SetRegions, kept alive together."""

    def __init__(self, sets: SetRegions):
        inputs = [region for one in sets.inputs for region in one]
        outputs = [region for one in sets.outputs for region in one]
        self.inputs = (_Region * max(len(inputs), 1))(*[_Region(r.data, r.bytes, r.kind, 0) for r in inputs])
        self.outputs = (_Region * max(len(outputs), 1))(*[_Region(r.data, r.bytes, LEAVE, 0) for r in outputs])
        self.seeds = (c.c_uint32 * len(sets.seeds))(*sets.seeds)
        count = len(sets.seeds)
        self.raw = _Sets(count, len(inputs) // count, len(outputs) // count, 0, self.inputs, self.outputs, self.seeds)


def _guarded(enqueue: Callable[[int], None], caught: list[BaseException]) -> Any:
    def call(_user: Optional[int], index: int, _stream: Optional[int]) -> int:
        try:
            enqueue(index)
            return 0
        except BaseException as error:  # must not pass through C
            caught.append(error)
            return 1
    return _ENQUEUE(call)


def _describe(info: _Info) -> dict[str, Any]:
    return {"name": info.name.decode(errors="replace"), "uuid": info.uuid.decode(), "l2_bytes": info.l2_bytes,
            "memory_bytes": info.memory_bytes, "sm_count": info.sm_count, "compute": info.compute,
            "driver": info.driver}


def last_use(set_of: Sequence[int], seed_of: Sequence[int], sets: int, start: Sequence[int]) -> list[int]:
    """The perturbation that each set carries after the planned runs."""
    result = list(start)
    for index, seed in zip(set_of, seed_of):
        result[index] = seed
    assert len(result) == sets
    return result
