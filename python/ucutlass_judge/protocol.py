"""Lines of JSON to and from the supervisor, and through it to the runner."""

from __future__ import annotations

import json
import os
import time
from typing import Any, Optional

Message = dict[str, Any]


class Closed(Exception):
    """The supervisor has gone or wants an end."""


class RunnerGone(Exception):
    """The runner has ended: reason is one of crashed, exited, timed_out, out_of_memory, malformed, not_started."""

    def __init__(self, reason: str, detail: str):
        super().__init__(detail)
        self.reason = reason
        self.detail = detail


class RunnerRefused(Exception):
    """The runner has answered with an error: kind, where, code, text."""

    def __init__(self, error: Message):
        self.kind = str(error.get("kind", "device"))
        self.where = str(error.get("where", ""))
        code = error.get("code", -1)
        self.code = code if isinstance(code, int) else -1
        self.text = str(error.get("text", ""))
        super().__init__(f"{self.where}: {self.text}")


class Channel:
    """One descriptor, one JSON object a line. Floats that JSON has no words for travel as null."""

    def __init__(self, fd: int):
        self._fd = fd
        self._pending = b""

    def send(self, message: Message) -> None:
        data = (json.dumps(plain(message), allow_nan=False) + "\n").encode()
        try:
            while data:
                data = data[os.write(self._fd, data):]
        except OSError as error:
            raise Closed from error

    def receive(self) -> Message:
        while b"\n" not in self._pending:
            try:
                data = os.read(self._fd, 1 << 16)
            except OSError as error:
                raise Closed from error
            if not data:
                raise Closed
            self._pending += data
        line, self._pending = self._pending.split(b"\n", 1)
        message = json.loads(line)
        if not isinstance(message, dict):
            raise ValueError("a message is a JSON object")
        return message


def plain(value: Any) -> Any:
    """JSON without NaN and infinity: those become the texts "nan", "inf", "-inf"."""
    if isinstance(value, float):
        if value != value:
            return "nan"
        if value in (float("inf"), float("-inf")):
            return "inf" if value > 0 else "-inf"
        return value
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value


class Runner:
    """The runner as the judge sees it: requests relayed by the supervisor, each with a deadline."""

    def __init__(self, channel: Channel):
        self._channel = channel
        self._id = 0
        self.seconds = 0.0  # the last call, by the judge's own clock

    def call(self, op: str, deadline_s: float, **fields: Any) -> Message:
        self._id += 1
        request = {"id": self._id, "op": op, **fields}
        begin = time.perf_counter()
        self._channel.send({"op": "runner", "id": self._id, "deadline_ms": int(deadline_s * 1000), "request": request})
        reply = self._wait(op)
        self.seconds = time.perf_counter() - begin
        return reply

    def start(self, deadline_s: float) -> None:
        """A fresh runner; an older one is ended first."""
        self.call("@start", deadline_s)

    def stop(self) -> None:
        """Returns once the runner is dead, so that nothing of it holds a buffer any more."""
        self.call("@stop", 10.0)

    def libraries(self) -> list[str]:
        """Base names of the shared objects mapped by the runner, as the supervisor sees them from outside."""
        return [str(name) for name in self.call("@libraries", 10.0).get("libraries", [])]

    def _wait(self, op: str) -> Message:
        while True:
            message = self._channel.receive()
            if message.get("op") == "runner_reply" and message.get("id") == self._id:
                reply = message.get("reply")
                if not isinstance(reply, dict) or not isinstance(reply.get("ok"), bool):
                    raise RunnerGone("malformed", "the runner's answer has no ok")
                if reply.get("id", self._id if op.startswith("@") else None) != self._id:
                    raise RunnerGone("malformed", "the runner answered something that was not asked")
                if not reply["ok"]:
                    error = reply.get("error")
                    raise RunnerRefused(error if isinstance(error, dict) else {})
                return reply
            if message.get("op") == "runner_gone" and message.get("id") == self._id:
                raise RunnerGone(str(message.get("reason", "exited")), str(message.get("detail", "")))
            if message.get("op") == "close":
                raise Closed


def number(reply: Message, key: str) -> float:
    """A finite number of a runner's reply; anything else is a malformed answer."""
    value = reply.get(key)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value != value or abs(value) == float("inf"):
        raise RunnerGone("malformed", f"the runner's answer has no number {key}")
    return float(value)


def numbers(reply: Message, key: str, count: Optional[int] = None) -> list[float]:
    """A list of finite numbers of a runner's reply, of the given length."""
    values = reply.get(key)
    if not isinstance(values, list) or (count is not None and len(values) != count):
        raise RunnerGone("malformed", f"the runner's answer has no list {key} of the right length")
    return [number({"x": value}, "x") for value in values]
