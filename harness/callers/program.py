"""Programs of any language as methods: the lines between, the process, and the source of limits.

A line of data and alpha goes to the program, and one of two limits comes back. A program is started
anew when it has ended or answered nonsense.
"""

from __future__ import annotations

import json
import math
import os
import re
import threading
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import IO, Any

import numpy as np

from harness.base.arguments import quoted
from harness.base.errors import InputError
from harness.callers.calls import (
    ON_ARRAYS,
    ON_NUMBERS,
    Call,
    Declared,
    FunctionError,
    Outcome,
    Pair,
    at_outcome,
    one_line,
    one_outcome,
    outcome_count,
    same,
)
from harness.callers.command import JSON, Command
from harness.callers.function import RestartedFunction
from harness.callers.messages import EndError, Patience, ProcessError, SilenceError
from harness.callers.process import ChildProcess
from harness.callers.source import Source

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
        try:
            answer = json.loads(text)
        except (ValueError, RecursionError):
            raise NoAnswerError(_found(text)) from None
        if isinstance(answer, Mapping):
            if answer.get("error") is not None:
                raise RefusalError(one_line(answer["error"], str))
            answer = [answer[name] for name in ("lower", "upper") if name in answer]
        limits = [math.nan if limit is None else limit for limit in answer]
        if len(limits) != 2 or not all(type(limit) in (int, float) for limit in limits):
            raise NoAnswerError(_found(text))
        try:
            return float(limits[0]), float(limits[1])
        except OverflowError:
            raise NoAnswerError(_found(text)) from None
    words = text.split()
    if len(words) == 2 and all(_NUMBER.fullmatch(word) for word in words):
        lower, upper = (math.nan if word.lower() == "na" else float(word) for word in words)
        return lower, upper
    begins = _ERROR.match(text)
    if begins:
        raise RefusalError(one_line(text[begins.end() :] or text, str))
    raise NoAnswerError(_found(text))


def _found(text: str) -> str:
    if not text:
        return "an empty line"
    line = one_line(text, repr)
    if _COMMAS.match(text):
        return f"{line}, with a comma where a decimal point is expected"
    if _NUMBER.fullmatch(text):
        return f"one number, {line}"
    return line


_AT_ONCE = 1 << 16
_LONGEST_LINE = 1 << 16
"""The most bytes of a line."""
_FITS = 4096
"""Bytes that an empty pipe takes without waiting for the program."""
_LOADING = 6.0
"""How many times as long as any other answer the first one may take, as a program loads before."""
_LAST_WORDS = 0.5
"""Seconds in which the error messages of a process that has ended are read."""


class CommandProcess(ChildProcess):
    """A running program."""

    def __init__(self, command: Command, timeout: float) -> None:
        """Start the program.

        Args:
            command: the program.
            timeout: seconds that an answer may take.

        Raises:
            InputError: there is no such program, or it says that it cannot answer.
        """
        self.answered = False
        """Whether the program has answered a line."""
        self._timeout = timeout
        self._lines: deque[str] = deque()
        self._rest = b""
        words = command.words()
        try:
            super().__init__(words, keeps_errors=True, folder=command.folder)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise InputError(
                f"{command.name}: the program {quoted(words[0])} cannot be started: {reason}"
            ) from None
        self._said = _LastLine(self.errors)
        greeting = command.greeting
        if greeting is None:
            return
        # A program of the harness begins with a line that names what is wrong, if anything is.
        try:
            line = self.line(_LOADING * timeout)
            while not line.startswith(greeting):
                line = self.line(_LOADING * timeout)
        except ProcessError as error:
            self.close()
            raise InputError(f"{command.name}: {error} before it was ready") from None
        fault = line.removeprefix(greeting).strip()
        if fault:
            self.close()
            raise InputError(f"{command.name}: {one_line(fault, str)}")

    def ask(self, questions: Sequence[str]) -> Iterator[str]:
        """The line that answers each question; the questions are written ahead.

        Raises:
            SilenceError: the next answer does not come in time.
            EndError: the process has ended before.
        """
        body = "".join(f"{question}\n" for question in questions).encode()
        if len(body) <= _FITS:
            self._write(body)
        else:
            threading.Thread(target=self._write, args=(body,), daemon=True).start()
        for _ in questions:
            line = self.line(self._timeout if self.answered else _LOADING * self._timeout)
            self.answered = True
            yield line

    def _write(self, body: bytes) -> None:
        left = memoryview(body)
        # What is not read is not answered either.
        with suppress(OSError, ValueError):
            while left:
                left = left[os.write(self.input.fileno(), left) :]

    def line(self, seconds: float) -> str:
        """The next line, waited for so many seconds.

        Raises:
            SilenceError: it does not come in time.
            EndError: the process has ended before.
        """
        patience = Patience(seconds, self.gone)
        while not self._lines:
            part = patience.read(self.output.fileno(), _AT_ONCE)
            if not part and self._rest:
                # The process has not finished this line before its end.
                line, self._rest = self._rest.decode("utf-8", "replace"), b""
                return line
            if not part:
                code = self.end()
                said = self._said.text(_LAST_WORDS)
                raise EndError(code, f" ({one_line(said, str)})" if said else "")
            *lines, self._rest = (self._rest + part).split(b"\n")
            self._lines += (line.decode("utf-8", "replace") for line in lines)
            if len(self._rest) > _LONGEST_LINE:
                self._lines.append(self._rest.decode("utf-8", "replace"))
                self._rest = b""
        return self._lines.popleft()


class _LastLine:
    """The last line that a process writes to standard error, which would else fill its pipe."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
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


_USUAL_ALPHA = 0.05


class Program(RestartedFunction):
    """A program of any language.

    The lines of all outcomes are written ahead of the answers, as long as they are then those of
    the outcomes by themselves, and no line ends the process.
    """

    computes_one_by_one = True
    ended_words = "was started anew"
    process: CommandProcess

    def __init__(self, command: Command, timeout: float) -> None:
        """Start the program.

        Args:
            command: the program.
            timeout: seconds that an answer may take.

        Raises:
            InputError: it cannot be started.
        """
        declared = Declared(deterministic=True, side=command.side)
        super().__init__(command.name, command.name, declared, None)
        self._command, self._timeout = command, timeout
        self.process = self.start()
        self._ever_answered = False
        self._refusals: dict[str, FunctionError] = {}
        """The failures of the outcomes that were asked for last, by the question."""

    def start(self) -> CommandProcess:
        return CommandProcess(self._command, self._timeout)

    def answer(self, call: Call) -> Any:
        if call.task == ON_ARRAYS:
            self._refusals = {}
        if call.task == ON_NUMBERS:
            asked = self._question(call.arguments, call.alpha)
            if asked in self._refusals:
                raise self._refusals[asked]
        return super().answer(call)

    def ask(self, call: Call) -> Any:
        arguments, alpha = call.arguments, call.alpha
        if call.task == ON_NUMBERS:
            (pair,) = self.pairs([arguments], alpha)
            if pair is None:
                raise self._refusals[self._question(arguments, alpha)]
            return pair
        outcomes = [one_outcome(arguments, place) for place in range(outcome_count(arguments))]
        if call.probe is not None:
            return call.probe.of_program(self, outcomes, alpha)
        # The limits of all outcomes; None where one has none, or others when it is asked alone.
        count = len(outcomes)
        pairs = self.pairs(outcomes, alpha)
        for place in {0, count // 2, count - 1} if count > 1 else ():
            (alone,) = self.pairs([outcomes[place]], alpha)
            first = pairs[place]
            if alone is not None and first is not None and not same(alone, first):
                self._takes_arrays = False
        if not self._takes_arrays or None in pairs:
            return None
        lower, upper = np.array(pairs, np.float64).T
        return lower, upper

    def _question(self, outcome: Outcome, alpha: float) -> str:
        return question(outcome, alpha, self._command.lines)

    def pairs(self, outcomes: Sequence[Outcome], alpha: float) -> list[Pair]:
        """The limits of outcomes; None where the program says that there are none.

        Raises:
            FunctionError: an outcome has ended the process, which includes an answer that is none:
                the lines after it may be those of other outcomes.
        """
        questions = [self._question(outcome, alpha) for outcome in outcomes]
        self.start_anew()
        process = self.process
        answers = process.ask(questions)
        pairs: list[Pair] = []
        for outcome, asked in zip(outcomes, questions, strict=True):
            where = at_outcome(outcome, alpha)
            is_first = not process.answered
            try:
                pairs.append(read_answer(next(answers)))
            except RefusalError as error:
                self._refusals[asked] = FunctionError(f"failed {where}: {error}")
                pairs.append(None)
            except (NoAnswerError, ProcessError) as error:
                process.kill()
                process.close()
                if len(outcomes) == 1:
                    self._ends.add(hung=isinstance(error, SilenceError))
                if isinstance(error, EndError) and not self._ever_answered:
                    self._refuse_dead(outcomes[len(outcomes) // 2])
                ended = f"{error} {where}"
                if isinstance(error, NoAnswerError):
                    first = " as its first line" if is_first else ""
                    ended = f"expected {EXPECTED} {where}, found {error}{first}"
                elif isinstance(error, SilenceError):
                    ended += f"; expected {EXPECTED}, which a program has to flush after each line"
                failure = FunctionError(ended)
                if isinstance(error, SilenceError) and is_first:
                    # It took as long as a program has to load, and is not waited for once more.
                    self._refused = "it has answered no line so far"
                    self._refusals[asked] = failure
                raise failure from None
            self._ever_answered = True
        return pairs

    def _refuse_dead(self, outcome: Outcome) -> None:
        """Ask a program that has ended without any answer once more, at a usual alpha.

        Raises:
            InputError: it ends again: it is a program that does not start.
        """
        process = self.start()
        asked = self._question(outcome, _USUAL_ALPHA)
        try:
            next(process.ask([asked]))
        except SilenceError:
            pass
        except EndError as error:
            raise InputError(
                f"{self.name}: {error} before it answered a line; expected {EXPECTED} for the "
                f"line {asked!r}"
            ) from None
        finally:
            process.close()

    def answer_count(self, outcomes: Sequence[Outcome], alpha: float) -> int:
        """The number of lines that a new process answers to those of outcomes, until it ends.

        Raises:
            ProcessError: it answers less lines and ends, or does not end.
        """
        process = self.start()
        try:
            count = len(list(process.ask([self._question(outcome, alpha) for outcome in outcomes])))
            # The process ends, as no question follows.
            process.input.close()
            with suppress(EndError):
                while True:
                    process.line(self._timeout)
                    count += 1
            return count
        finally:
            process.close()

    def reload(self) -> Source:
        """The program, which is started anew at the next question and then remembers nothing."""
        self.process.close()
        return self

    def afresh(self) -> Source:
        return Program(self._command, self._timeout)
