"""Labels, and how failures of the runner become labels."""

from __future__ import annotations

from .protocol import RunnerGone, RunnerRefused

_CUDA = {2: "out_of_memory", 700: "illegal_access", 702: "launch_timeout", 710: "assertion", 715: "illegal_instruction",
         716: "misaligned_address", 717: "invalid_address_space", 718: "invalid_pc", 719: "launch_failure"}


class Verdict(Exception):
    """Ends an evaluation with a label that is not ok."""

    def __init__(self, label: str, reason: str, message: str):
        super().__init__(message)
        self.label, self.reason, self.message = label, reason, message


def of_refusal(refused: RunnerRefused, doing: str) -> Verdict:
    """The runner is alive but could not do something."""
    said = f"{doing}: {refused.where}: {refused.text}"
    reasons = {"load": "load_failed", "status": "refused", "out_of_bounds": "out_of_bounds", "memory": "out_of_memory",
               "protocol": "malformed", "ipc": "ipc_failed"}
    if refused.kind in reasons:
        return Verdict("broken", reasons[refused.kind], said)
    return Verdict("broken", _CUDA.get(refused.code, "cuda_error"), said)


def of_end(gone: RunnerGone, doing: str) -> Verdict:
    """The runner has ended, or answered nonsense and was ended."""
    return Verdict("broken", gone.reason, f"{doing}: {gone.detail}")
