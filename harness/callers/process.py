"""The process that calls a user's function: arguments go there and limits come back."""

from __future__ import annotations

import json
import os
import sys
import threading
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from harness.base.errors import HarnessError, InputError, MethodError
from harness.callers.calls import format_arguments, outcome_count
from harness.callers.child import ChildProcess
from harness.callers.loaded import Call, Declared
from harness.callers.messages import (
    LOAD,
    LONGEST_TEXT,
    Message,
    MessageError,
    decode_answer,
    receive,
    send,
)

_WORKER = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from harness.callers.worker import main; sys.exit(main())"
)
TIMEOUT = 10.0
"""Seconds that a call may take by default."""
_LOADING = 60.0
"""Seconds that a process has at least to import what it needs."""
_SECOND_ANSWER = 0.5
"""Seconds that a copy of the process, which the function has made, has to answer as well."""


@dataclass(frozen=True)
class FunctionLocation:
    """Where a user's function is: its name, with a file, an importable module or its pickle."""

    function: str
    path: str | None = None
    module: str | None = None
    pickled: str | None = field(default=None, repr=False)
    """Of a function of this Python session: its pickle in base64."""

    def __str__(self) -> str:
        place = self.path or self.module
        return self.function if place is None else f"{place}:{self.function}"


class UserProcess:
    """A Python process that holds one user's function and answers one call at a time."""

    def __init__(self, label: str, location: FunctionLocation, timeout: float) -> None:
        """Start the process and load the function.

        Args:
            label: what the method is called.
            location: where the function is.
            timeout: seconds that a call may take before the process is ended.

        Raises:
            InputError: the file or module cannot be loaded, or has no such function.
        """
        self.label = label
        self.timeout = timeout
        self.ended = False
        """Whether the process is gone: a call ended it, or did not end in time."""
        self.hung = False
        """Whether the process was ended because it did not answer in time."""
        self.refused: str | None = None
        """Why no answer of the process is used any more, in a clause: another one came with it."""
        self._lock = threading.Lock()
        self._number = 0
        self._forked = False
        # The path of this process, so that no file in the working folder goes before a library.
        self._process = ChildProcess([sys.executable, "-P", "-c", _WORKER, json.dumps(sys.path)])
        self._replies = self._process.output.fileno()
        self._location = location
        self._pid: int | None = None
        try:
            self.declared: Declared = self.load()
        except BaseException:
            self.close()
            raise

    def load(self) -> Any:
        """Load the function, or load it once more, so that it remembers nothing.

        Returns:
            What the function declares.

        Raises:
            InputError: the file or module cannot be loaded, or has no such function.
        """
        location = self._location
        where = f"while {location} was loaded"
        return self._ask(LOAD, asdict(location), {}, InputError, where, max(self.timeout, _LOADING))

    def ask(self, call: Call) -> Any:
        """Return the process's answer to a request; each call may take the timeout.

        Raises:
            MethodError: the function failed, or the process ended, or took too long.
        """
        fixed = {name: value for name, value in call.arguments.items() if np.ndim(value) == 0}
        arrays = {name: value for name, value in call.arguments.items() if name not in fixed}
        where = f"at {format_arguments({**fixed, 'alpha': call.alpha})}"
        request = {
            "names": list(call.arguments),
            "numbers": fixed,
            "alpha": float(call.alpha),
            "seed": None if call.seed is None else [int(each) for each in call.seed],
        }
        seconds = call.most * self.timeout
        return self._ask(call.task, request, arrays, MethodError, where, seconds)

    def _ask(
        self,
        task: str,
        request: dict[str, Any],
        arrays: dict[str, Any],
        kind: type[HarnessError],
        where: str,
        seconds: float,
    ) -> Any:
        count = outcome_count(arrays) if arrays else 0
        with self._lock:
            self._number += 1
            message = Message(self._number, os.getpid(), {"task": task, **request}, arrays)
            try:
                if self._pid is None:
                    # What the process writes before it loads the function.
                    self._pid = receive(
                        self._replies, seconds, LONGEST_TEXT, self._process.gone
                    ).process
                self._send(message)
                reply = self._receive(seconds, LONGEST_TEXT + 16 * count)
                self._await_second(reply)
                fault = reply.content.get("fault")
                answer = None if fault is not None else decode_answer(task, reply, count)
            except TimeoutError:
                self.ended = self.hung = True
                self._process.kill()
                raise kind(f"{self.label}: no answer within {seconds:g} s {where}") from None
            except MessageError as error:
                self.ended, self.refused = True, str(error)
                self._process.kill()
                raise kind(f"{self.label}: {error} {where}") from None
            except (EOFError, OSError):
                self.ended = True
                code = self._process.end()
                raise kind(
                    f"{self.label}: its process ended with exit code {code} {where}"
                ) from None
        if fault is not None:
            raise kind(f"{self.label}: {fault}")
        return answer

    def _receive(self, seconds: float, longest: float) -> Message:
        """The reply to the last request.

        Raises:
            MessageError: it is the reply to another one, or of another process.
        """
        reply = receive(self._replies, seconds, longest, self._process.gone)
        if reply.process != self._pid:
            raise MessageError("a copy of its process answered too")
        if reply.number != self._number:
            raise MessageError("its process answered another request")
        return reply

    def _await_second(self, reply: Message) -> None:
        """Wait, once, for the answer of a copy of the process that the function has made.

        A later one would be seen only at the next request, so that whether there is a failure, and
        at which outcome, would differ from run to run.

        Raises:
            MessageError: there is one.
        """
        if self._forked or not reply.content.get("forked"):
            return
        self._forked = True
        with suppress(TimeoutError, EOFError):
            self._receive(_SECOND_ANSWER, LONGEST_TEXT)
            raise MessageError("its process answered twice")

    def close(self) -> None:
        """End the process, by force where it goes on computing, and what the function started."""
        if self._lock.acquire(blocking=False):
            try:
                # Without this, the process takes the end of the pipe for the death of this one.
                with suppress(OSError):
                    self._send(Message(0, os.getpid(), {"task": None}))
                self._process.input.close()
            finally:
                self._lock.release()
        else:  # another thread waits for an answer, and lets go at the end of the process
            self._process.kill()
        self._process.end()
        with self._lock:
            self._process.input.close()
            self._process.output.close()

    def _send(self, message: Message) -> None:
        stream = self._process.input
        if stream.closed:
            raise BrokenPipeError
        send(stream.fileno(), message)
