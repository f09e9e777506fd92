"""R sets of exchanged inputs and outputs, and the parameters: all that a candidate sees, all owned by the judge."""

from __future__ import annotations

from typing import Any, Optional, Sequence

from .specs import Backend, Buffer, Tensor, TensorSpec
from .timing import Region, SetRegions, kind_of


class Exchange:
    def __init__(self, backend: Backend, inputs: Sequence[TensorSpec], params: Sequence[TensorSpec],
                 outputs: Sequence[TensorSpec], sets: int, transport: str, folder: str, modes: Sequence[int]):
        self.input_specs, self.param_specs, self.output_specs = list(inputs), list(params), list(outputs)
        self.transport = transport
        self.sets = sets
        self.modes = list(modes)
        self.seeds = [0] * sets

        def make(spec: TensorSpec) -> Buffer:
            return backend.buffer(spec, transport, folder)

        self.inputs: list[list[Buffer]] = [[make(spec) for spec in inputs] for _ in range(sets)]
        self.outputs: list[list[Buffer]] = [[make(spec) for spec in outputs] for _ in range(sets)]
        self.params: list[Buffer] = [make(spec) for spec in params]

    def matches(self, inputs: Sequence[TensorSpec], params: Sequence[TensorSpec], outputs: Sequence[TensorSpec],
                transport: str) -> bool:
        def shape(specs: Sequence[TensorSpec]) -> list[Any]:
            return [(s.dtype, s.shape, s.stride) for s in specs]

        return (transport == self.transport and shape(inputs) == shape(self.input_specs)
                and shape(outputs) == shape(self.output_specs) and list(params) == self.param_specs)

    def fill(self, index: int, inputs: Sequence[Tensor]) -> None:
        for buffer, value in zip(self.inputs[index], inputs):
            buffer.put(value)
        self.seeds[index] = 0

    def fill_params(self, values: Sequence[Tensor]) -> None:
        for buffer, value in zip(self.params, values):
            buffer.put(value)

    def poison(self, index: int) -> None:
        for buffer in self.outputs[index]:
            buffer.poison()

    def poison_all(self) -> None:
        for index in range(self.sets):
            self.poison(index)

    def buffers(self, index: Optional[int] = None) -> list[Buffer]:
        chosen = range(self.sets) if index is None else [index]
        return [b for i in chosen for b in (*self.inputs[i], *self.outputs[i])] + self.params

    def publish(self, index: Optional[int] = None) -> None:
        for buffer in self.buffers(index):
            buffer.publish()

    def collect(self, index: Optional[int] = None) -> None:
        for buffer in self.buffers(index):
            buffer.collect()

    def regions(self) -> SetRegions:
        """For the judge's own blocks: the same perturbation and poison as in the runner's. Shares self.seeds."""

        def region(place: int, buffer: Buffer) -> Region:
            return Region(buffer.address(), buffer.spec.bytes, kind_of(buffer.spec.dtype, self.modes[place]))

        inputs = [[region(i, b) for i, b in enumerate(one)] for one in self.inputs]
        outputs = [[Region(b.address(), b.spec.bytes) for b in one] for one in self.outputs]
        return SetRegions(inputs, outputs, self.seeds)

    def load_fields(self) -> dict[str, Any]:
        """The part of the runner's `load` request that describes the buffers."""
        def describe(buffers: Sequence[Buffer]) -> list[dict[str, Any]]:
            return [b.describe() for b in buffers]

        return {
            "transport": self.transport,
            "inputs": [s.describe() for s in self.input_specs],
            "params": [s.describe() for s in self.param_specs],
            "outputs": [s.describe() for s in self.output_specs],
            "perturbed": self.modes,
            "sets": [{"inputs": describe(i), "outputs": describe(o)} for i, o in zip(self.inputs, self.outputs)],
            "buffers": describe(self.params),
        }

    def close(self) -> None:
        for buffer in self.buffers():
            buffer.close()
