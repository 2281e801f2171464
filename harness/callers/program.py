"""Calls of a program, which is started anew when it has ended or answered nonsense."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

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
    one_outcome,
    outcome_count,
    same,
)
from harness.callers.command import Command
from harness.callers.function import RestartedFunction
from harness.callers.messages import EndError, ProcessError, SilenceError
from harness.callers.program_process import (
    EXPECTED,
    CommandProcess,
    NoAnswerError,
    RefusalError,
    question,
    read_answer,
)
from harness.callers.source import Source
from harness.methods.method import LimitPair

_USUAL_ALPHA = 0.05


class Program(RestartedFunction[CommandProcess]):
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
        self._process = self.start()
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
        return self._ask_at_once(outcomes, alpha)

    def _ask_at_once(self, outcomes: Sequence[Outcome], alpha: float) -> LimitPair | None:
        """The limits of all outcomes; None where one has none, or others when it is asked alone."""
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
        process = self.running()
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
                if len(outcomes) == 1:
                    self._ends.add(hung=isinstance(error, SilenceError))
                if isinstance(error, EndError) and not self._ever_answered:
                    self._refuse_dead(outcomes[len(outcomes) // 2])
                failure = FunctionError(_failure_words(error, where, is_first))
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
            process.kill()

    def answer_count(self, outcomes: Sequence[Outcome], alpha: float) -> int:
        """The number of lines that a new process answers to those of outcomes, until it ends.

        Raises:
            ProcessError: it answers less lines and ends, or does not end.
        """
        process = self.start()
        try:
            return len(process.ask_all([self._question(outcome, alpha) for outcome in outcomes]))
        finally:
            process.kill()

    def reload(self) -> Source:
        """The program, which is started anew at the next question and then remembers nothing."""
        self._process.close()
        return self

    def afresh(self) -> Source:
        return Program(self._command, self._timeout)


def _failure_words(error: Exception, where: str, is_first: bool) -> str:
    """What has ended the process at an outcome, in a clause."""
    if isinstance(error, NoAnswerError):
        first = " as its first line" if is_first else ""
        return f"expected {EXPECTED} {where}, found {error}{first}"
    if isinstance(error, SilenceError):
        return f"{error} {where}; expected {EXPECTED}, which a program has to flush after each line"
    return f"{error} {where}"
