"""The process of a program, and the lines between: data and alpha there, two limits back."""

from __future__ import annotations

import json
import math
import os
import re
import threading
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from harness.base.arguments import quoted
from harness.base.errors import InputError
from harness.callers.calls import one_line
from harness.callers.command import JSON, Command
from harness.callers.messages import EndError, Patience, ProcessError
from harness.callers.process import ChildProcess

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]?inf(inity)?|nan?", re.IGNORECASE)
_COMMAS = re.compile(r"[+-]?\d+,\d+(\s|;|$)")
_ERROR = re.compile(r"\s*error\b:?\s*", re.IGNORECASE)

EXPECTED = "a line with a lower and an upper limit"


class NoAnswerError(Exception):
    """The line is no answer; the text says what was found."""


class RefusalError(Exception):
    """The program says that there are no limits at the outcome; the text is what it says."""


def question(outcome: Mapping[str, Any], alpha: float, form: str) -> str:
    """The line that asks for the limits at an outcome, without its end."""
    plain = {name: np.asarray(value).tolist() for name, value in outcome.items()}
    if form == JSON:
        return json.dumps({**plain, "alpha": alpha})
    words = (
        ",".join(map(repr, value)) if isinstance(value, list) else repr(value)
        for value in plain.values()
    )
    return " ".join((*words, repr(alpha)))


def read_answer(line: str) -> tuple[float, float]:
    """The limits of a line; one that is missing, as R's NA, is not a number.

    Raises:
        NoAnswerError: the line is something else.
        RefusalError: it says that there are none.
    """
    text = line.strip()
    if text[:1] in ("{", "["):
        return _read_json(text)
    words = text.split()
    if len(words) == 2 and all(_NUMBER.fullmatch(word) for word in words):
        lower, upper = map(_number, words)
        return lower, upper
    begins = _ERROR.match(text)
    if begins:
        raise RefusalError(one_line(text[begins.end() :] or text, str))
    raise NoAnswerError(_found(text))


def _number(word: str) -> float:
    return math.nan if word.lower() == "na" else float(word)


def _read_json(text: str) -> tuple[float, float]:
    try:
        answer = json.loads(text)
    except (ValueError, RecursionError):
        raise NoAnswerError(_found(text)) from None
    if isinstance(answer, Mapping):
        if answer.get("error") is not None:
            raise RefusalError(one_line(answer["error"], str))
        answer = [answer[name] for name in ("lower", "upper") if name in answer]
    numbers = [math.nan if each is None else each for each in answer]
    is_pair = len(numbers) == 2
    if not is_pair or not all(type(each) in (int, float) for each in numbers):
        raise NoAnswerError(_found(text))
    try:
        return float(numbers[0]), float(numbers[1])
    except OverflowError:
        raise NoAnswerError(_found(text)) from None


def _found(text: str) -> str:
    if not text:
        return "an empty line"
    found = one_line(text, repr)
    if _COMMAS.match(text):
        return f"{found}, with a comma where a decimal point is expected"
    if _NUMBER.fullmatch(text):
        return f"one number, {found}"
    return found


_AT_ONCE = 1 << 16
_LONGEST_LINE = 1 << 16
"""The most bytes of a line."""
_FITS = 4096
"""Bytes that an empty pipe takes without waiting for the program."""
_LOADING = 6.0
"""How many times as long as any other answer the first one may take, as a program loads before."""
_LAST_WORDS = 0.5
"""Seconds in which the error messages of a process that has ended are read."""


class CommandProcess:
    """A running program."""

    def __init__(self, command: Command, timeout: float) -> None:
        """Start the program.

        Args:
            command: the program.
            timeout: seconds that an answer may take.

        Raises:
            InputError: there is no such program, or it says that it cannot answer.
        """
        self.ended = False
        self.answered = False
        """Whether the program has answered a line."""
        self._timeout = timeout
        self._lines: deque[str] = deque()
        self._rest = b""
        words = command.words()
        try:
            self._process = ChildProcess(words, keeps_errors=True, folder=command.folder)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise InputError(
                f"{command.name}: the program {quoted(words[0])} cannot be started: {reason}"
            ) from None
        self._errors = _LastLine(self._process)
        if command.greeting is not None:
            self._await(command.name, command.greeting)

    def _await(self, label: str, greeting: str) -> None:
        """Read lines up to the one with which a program of the harness begins.

        Raises:
            InputError: the line names what is wrong, or there is none.
        """
        try:
            while True:
                line = self._line(_LOADING * self._timeout)
                if line.startswith(greeting):
                    fault = line.removeprefix(greeting).strip()
                    if not fault:
                        return
                    self.close()
                    raise InputError(f"{label}: {one_line(fault, str)}")
        except ProcessError as error:
            self.close()
            raise InputError(f"{label}: {error} before it was ready") from None

    def ask(self, questions: Sequence[str]) -> Iterator[str]:
        """The line that answers each question; the questions are written ahead.

        Raises:
            SilenceError: the next answer does not come in time.
            EndError: the process has ended before.
        """
        body = "".join(f"{each}\n" for each in questions).encode()
        if len(body) <= _FITS:
            self._write(body)
        else:
            threading.Thread(target=self._write, args=(body,), daemon=True).start()
        for _ in questions:
            line = self._line(self._timeout if self.answered else _LOADING * self._timeout)
            self.answered = True
            yield line

    def ask_all(self, questions: Sequence[str]) -> list[str]:
        """All lines that the program writes until it ends, as no question follows.

        Raises:
            SilenceError: the next line, or the end, does not come in time.
        """
        found = list(self.ask(questions))
        self._process.input.close()
        with suppress(EndError):
            while True:
                found.append(self._line(self._timeout))
        return found

    def _write(self, body: bytes) -> None:
        left = memoryview(body)
        # What is not read is not answered either.
        with suppress(OSError, ValueError):
            while left:
                left = left[os.write(self._process.input.fileno(), left) :]

    def _line(self, seconds: float) -> str:
        patience = Patience(seconds, self._process.gone)
        while not self._lines:
            part = patience.read(self._process.output.fileno(), _AT_ONCE)
            if not part:
                return self._last()
            *lines, self._rest = (self._rest + part).split(b"\n")
            self._lines += (line.decode("utf-8", "replace") for line in lines)
            if len(self._rest) > _LONGEST_LINE:
                self._lines.append(self._rest.decode("utf-8", "replace"))
                self._rest = b""
        return self._lines.popleft()

    def _last(self) -> str:
        """The line that the process has not finished before its end.

        Raises:
            EndError: there is none.
        """
        if self._rest:
            line, self._rest = self._rest.decode("utf-8", "replace"), b""
            return line
        code = self._process.end()
        said = self._errors.text(_LAST_WORDS)
        reason = f" ({one_line(said, str)})" if said else ""
        raise EndError(code, reason)

    def close(self) -> None:
        """End the process, by force where it does not end with its input."""
        self.ended = True
        with suppress(OSError):
            self._process.input.close()
        self._process.end()
        with suppress(OSError):
            self._process.output.close()

    def kill(self) -> None:
        """End the process by force."""
        self._process.kill()
        self.close()


class _LastLine:
    """The last line that a process writes to standard error, which would else fill its pipe."""

    def __init__(self, process: ChildProcess) -> None:
        self._stream = process.errors
        self._tail = b""
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        with suppress(OSError, ValueError), self._stream:
            while part := self._stream.read(_AT_ONCE):
                self._tail = (self._tail + part)[-_LONGEST_LINE:]

    def text(self, seconds: float) -> str:
        """The last line that is not empty."""
        self._thread.join(seconds)
        lines = [
            line for line in self._tail.decode("utf-8", "replace").splitlines() if line.strip()
        ]
        return lines[-1] if lines else ""
