"""Calls of a program, which is started anew when it has ended or answered nonsense."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from harness.base.errors import InputError
from harness.callers.call_checks import SCALARS, SHAPE, TWICE, CallChecks
from harness.callers.calls import (
    FunctionError,
    Pair,
    format_arguments,
    one_outcome,
    outcome_count,
    pair_in_words,
    same,
)
from harness.callers.command import Command
from harness.callers.function import RestartedFunction
from harness.callers.loaded import CALL_CHECKS, ON_ARRAYS, ON_NUMBERS, Call, Declared
from harness.callers.program_process import (
    EXPECTED,
    CommandProcess,
    EndError,
    NoAnswerError,
    RefusalError,
    SilenceError,
    question,
    read_answer,
)
from harness.callers.source import Source
from harness.methods.method import LimitPair

_USUAL_ALPHA = 0.05

Outcome = dict[str, Any]


class Program(RestartedFunction):
    """A program of any language.

    The lines of all outcomes are written ahead of the answers, as long as they are then those of
    the outcomes by themselves, and no line ends the process.
    """

    computes_one_by_one = True
    ended_words = "was started anew"

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
        self._process: CommandProcess | None = CommandProcess(command, timeout)
        self._ever_answered = False
        self._counted = False
        self._refusals: dict[str, FunctionError] = {}
        """The failures of the outcomes that were asked for last, by the question."""

    def answer(self, call: Call) -> Any:
        if call.task == ON_ARRAYS:
            self._refusals = {}
        if call.task == ON_NUMBERS:
            asked = question(call.arguments, call.alpha, self._command.lines)
            if asked in self._refusals:
                raise self._refusals[asked]
        return super().answer(call)

    def ask(self, call: Call) -> Any:
        task, arguments, alpha = call.task, call.arguments, call.alpha
        if task == ON_NUMBERS:
            pair = self._ask_ahead([arguments], alpha)[0]
            if pair is None:
                raise self._refusals[question(arguments, alpha, self._command.lines)]
            return pair
        count = outcome_count(arguments)
        outcomes = [one_outcome(arguments, place) for place in range(count)]
        if task == ON_ARRAYS:
            return self._ask_at_once(outcomes, alpha)
        # A line of text has no types that could be checked.
        return self._check_lines(outcomes, alpha) if task == CALL_CHECKS else {}

    def _ask_at_once(self, outcomes: Sequence[Outcome], alpha: float) -> LimitPair | None:
        """The limits of all outcomes; None where one has none, or others when it is asked alone."""
        count = len(outcomes)
        pairs = self._ask_ahead(outcomes, alpha)
        places = {0, count // 2, count - 1} if count > 1 else set()
        alone = {place: self._ask_ahead([outcomes[place]], alpha)[0] for place in places}
        for place, pair in alone.items():
            first = pairs[place]
            if pair is not None and first is not None and not same(pair, first):
                self._takes_arrays = False
        if not self._takes_arrays or None in pairs:
            return None
        lower, upper = np.array(pairs, np.float64).T
        return lower, upper

    def _ask_ahead(self, outcomes: Sequence[Outcome], alpha: float) -> list[Pair]:
        """The limits of outcomes; None where the program says that there are none.

        Raises:
            FunctionError: an outcome has ended the process, which includes an answer that is none:
                the lines after it may be those of other outcomes.
        """
        questions = [question(each, alpha, self._command.lines) for each in outcomes]
        process = self._running()
        answers = process.ask(questions)
        pairs: list[Pair] = []
        for outcome, asked in zip(outcomes, questions, strict=True):
            where = _where(outcome, alpha)
            is_first = not process.answered
            try:
                pairs.append(read_answer(next(answers)))
            except RefusalError as error:
                self._refusals[asked] = FunctionError(f"failed {where}: {error}")
                pairs.append(None)
            except NoAnswerError as error:
                self._end(alone=len(outcomes) == 1)
                first = " as its first line" if is_first else ""
                raise FunctionError(f"expected {EXPECTED} {where}, found {error}{first}") from None
            except SilenceError as error:
                self._end(alone=len(outcomes) == 1, hung=True)
                failure = FunctionError(
                    f"{error} {where}; expected {EXPECTED}, which a program has to flush after "
                    "each line"
                )
                if is_first:
                    # It took as long as a program has to load, and is not waited for once more.
                    self._refused = "it has answered no line so far"
                    self._refusals[asked] = failure
                raise failure from None
            except EndError as error:
                self._end(alone=len(outcomes) == 1)
                if not self._ever_answered:
                    self._refuse_dead(outcomes[len(outcomes) // 2])
                raise FunctionError(f"{error} {where}") from None
            self._ever_answered = True
        return pairs

    def _running(self) -> CommandProcess:
        """The process, started anew where it has ended.

        Raises:
            FunctionError: it cannot be started any more.
        """
        if self._process is None:
            if self._closed:
                raise FunctionError("its process was closed")
            try:
                self._process = CommandProcess(self._command, self._timeout)
            except InputError as error:
                raise FunctionError(str(error).removeprefix(f"{self.name}: ")) from None
        return self._process

    def _end(self, alone: bool, hung: bool = False) -> None:
        """End the process, and count that where one outcome by itself has ended it."""
        if self._process is not None:
            self._process.kill()
            self._process = None
        if alone:
            self._ends.add(hung)

    def _refuse_dead(self, outcome: Outcome) -> None:
        """Ask a program that has ended without any answer once more, at a usual alpha.

        Raises:
            InputError: it ends again: it is a program that does not start.
        """
        process = CommandProcess(self._command, self._timeout)
        asked = question(outcome, _USUAL_ALPHA, self._command.lines)
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
            process.kill()

    def _check_lines(self, outcomes: Sequence[Outcome], alpha: float) -> CallChecks:
        """What is wrong with the number and the order of the answers, by the name of the check."""
        found: CallChecks = dict.fromkeys((SHAPE, SCALARS, TWICE))
        found[SHAPE] = self._miscounted(outcomes, alpha)
        ahead = self._ask_ahead(outcomes, alpha)
        backwards = [self._ask_ahead([each], alpha)[0] for each in reversed(outcomes)][::-1]
        again = [self._ask_ahead([each], alpha)[0] for each in outcomes]
        for outcome, first, second, third in zip(outcomes, ahead, backwards, again, strict=True):
            where = _where(outcome, alpha)
            if not _equal(first, second) and found[SCALARS] is None:
                found[SCALARS] = (
                    f"{pair_in_words(first)} with the lines of all outcomes written ahead, "
                    f"{pair_in_words(second)} with this one alone {where}"
                )
            if not _equal(second, third) and found[TWICE] is None:
                found[TWICE] = f"{pair_in_words(second)} and then {pair_in_words(third)} {where}"
        return found

    def _miscounted(self, outcomes: Sequence[Outcome], alpha: float) -> str | None:
        """What is wrong with the number of lines that a new process answers; asked once."""
        if self._counted:
            return None
        self._counted = True
        questions = [question(each, alpha, self._command.lines) for each in outcomes]
        process = CommandProcess(self._command, self._timeout)
        try:
            lines = process.ask_all(questions)
        except (SilenceError, EndError) as error:
            return f"{error} after {len(questions)} lines and the end of the input"
        finally:
            process.kill()
        if len(lines) == len(questions):
            return None
        return f"expected {len(questions)} lines for {len(questions)}, found {len(lines)}"

    def reload(self) -> Source:
        """The program, which is started anew at the next question and then remembers nothing."""
        if self._process is not None:
            self._process.close()
            self._process = None
        return self

    def afresh(self) -> Source:
        return Program(self._command, self._timeout)

    def close(self) -> None:
        """End the process, for good: a thread that still asks is to start no other."""
        self._closed = True
        self.reload()


def _where(outcome: Outcome, alpha: float) -> str:
    return f"at {format_arguments({**outcome, 'alpha': alpha})}"


def _equal(first: Pair, second: Pair) -> bool:
    if first is None or second is None:
        return first is second
    return bool(np.array_equal(first, second, equal_nan=True))
