"""The judge's process: one problem, many candidates, until the supervisor closes the channel."""

from __future__ import annotations

import traceback
from typing import Any, Callable, Optional

from . import PROTOCOL
from .evaluation import Evaluation
from .protocol import Channel, Closed, Message, Runner
from .session import Session
from .specs import Backend, ProblemError
from .timing import Timing, TimingError


class Judge:
    def __init__(self, channel: Channel, device: str, timing_library: str):
        self.channel, self.device = channel, device
        self.timing_library = timing_library
        self.timing: Optional[Timing] = None
        self.session: Optional[Session] = None

    def serve(self) -> None:
        handlers: dict[str, Callable[[Message], Message]] = {
            "hello": self._hello, "open": self._open, "evaluate": self._evaluate}
        while True:
            message = self.channel.receive()
            op = str(message.get("op"))
            if op == "close":
                self._close()
                self.channel.send({"op": "closed"})
                return
            handler = handlers.get(op)
            if handler is None:
                self.channel.send({"op": "failed", "of": op, "error": "unknown operation"})
                continue
            try:
                self.channel.send(handler(message))
            except Closed:
                raise
            except (ProblemError, TimingError) as error:
                self.channel.send({"op": "failed", "of": op, "error": str(error)})
            except Exception as error:  # a bug of ours or of torch: told, never a silent death
                self.channel.send({"op": "failed", "of": op, "error": f"{type(error).__name__}: {error}",
                                   "trace": traceback.format_exc()[-4000:]})

    def _hello(self, _: Message) -> Message:
        """Who we are and which device: no context is made on it before the supervisor holds its lock."""
        places = {"fake": "host", "cpu": "host", "fake-cuda": "cuda:0"}
        self.timing = Timing(self.timing_library, places.get(self.device, self.device))
        return {"op": "hello", "v": PROTOCOL, "role": "judge", "device": self.timing.identify()}

    def _backend(self) -> Backend:
        assert self.timing is not None
        if self.device in ("fake", "fake-cuda"):
            from .fake_backend import FakeBackend
            fake: Backend = FakeBackend(self.timing)
            return fake
        try:
            from .torch_backend import TorchBackend
        except ImportError as error:
            raise ProblemError(f"this Python cannot import torch ({error}); name one that can with UCUTLASS_PYTHON") from error
        real: Backend = TorchBackend(self.timing, self.device)
        return real

    def _open(self, message: Message) -> Message:
        self._close()
        backend = self._backend()
        device = backend.open()
        problem = message.get("problem")
        if not isinstance(problem, dict):
            raise ProblemError("no problem was named")
        self.session = Session(backend, problem, device, str(message.get("folder", "")), str(message.get("transport") or ""),
                               lambda text: self.channel.send({"op": "progress", "text": text}))
        names = [str(name) for name in problem.get("baselines") or backend.baseline_names(self.session.math)]
        known: list[Any] = message.get("known_baselines") or []
        if names != ["none"]:
            self.session.measure_baselines(names, float(problem.get("baseline_budget_s") or 240), known)
        return {"op": "opened", "runner_device": backend.runner_device, "problem": self.session.describe()}

    def _evaluate(self, message: Message) -> Message:
        if self.session is None:
            raise ProblemError("no problem is open")
        request = message.get("request")
        if not isinstance(request, dict):
            raise ProblemError("no candidate was named")
        result = Evaluation(self.session, Runner(self.channel), request).run()
        return {"op": "evaluated", "result": result}

    def _close(self) -> None:
        if self.session is not None:
            self.session.close()
            self.session = None
