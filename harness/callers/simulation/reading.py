"""What is recorded of trials: the numbers of answers, also of sets and of draws, and truths.

The numbers of an answer are a table of estimands × numbers; truths stand beside a model's data.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from harness.base.errors import did_you_mean
from harness.base.numerics.arrays import Bools, Floats
from harness.callers.calls import FunctionError, one_line
from harness.callers.simulation.answers import (
    AGAINST_TRUTH,
    CONVERGED,
    FIELDS,
    Answers,
    column,
    read_answer,
    read_answers,
)
from harness.callers.simulation.requests import ONLY, StudyProgram

DATA, TRUTH = "data", "truth"
"""The keys of what a model returns that draws truths."""
Truth = Any
"""A number or a label; of a batch an array of them, shape (trials,)."""


def data_and_truths(
    found: Any, drawn: Sequence[tuple[str, str]], batch: int
) -> tuple[Any, dict[str, Truth]]:
    """What a model that draws truths returned: its data, and the truths by estimand.

    Args:
        found: what it returned.
        drawn: the estimands, each with the name of its truth.
        batch: the number of trials of a call; 0 where each is a call of its own.

    Raises:
        FunctionError: it has another form; the message is a clause.
        ValueError: a truth is not a finite number or a label; the message is a clause.
    """
    named = [name for _, name in drawn if name != ONLY]
    form = f"{{{', '.join(f'{name!r}: …' for name in named)}}}" if named else "…"
    why = f"estimand {', '.join(named)} is no factor" if named else "estimand is truth"
    expected = f"should return {{'data': …, 'truth': {form}}}, as {why},"
    if not isinstance(found, Mapping) or set(found) != {DATA, TRUTH}:
        raise FunctionError(f"{expected} and returned {one_line(found, repr)}")
    given = found[TRUTH]
    if named:
        if not isinstance(given, Mapping):
            raise FunctionError(f"{expected} and returned the truth {one_line(given, repr)}")
        for name in named:
            if name not in given:
                guess = did_you_mean(name, [str(key) for key in given])
                held = ", ".join(map(str, given))
                raise FunctionError(f"{expected} and returned the truths {held}{guess}")
    return found[DATA], {
        estimand: _truth(name, given if name == ONLY else given[name], batch)
        for estimand, name in drawn
    }


def _truth(name: str, value: Any, batch: int) -> Truth:
    """A truth that shares nothing with the data."""
    if not batch and isinstance(value, float) and math.isfinite(value):
        return float(value)
    of = f"the truth {name}" if name else "the truth"
    array = np.array(value)
    if batch and array.shape != (batch,):
        raise ValueError(f"drew {of} of shape {array.shape}, expected shape ({batch},)")
    is_label = array.dtype.kind == "U"
    if array.dtype.kind not in "biufU" or (not batch and array.size != 1):
        raise ValueError(f"drew {one_line(value, repr)} as {of}, expected a number or a label")
    if not is_label and not np.isfinite(array).all():
        raise ValueError(f"drew {of} that is not finite")
    if not batch:
        return str(array.item()) if is_label else float(array.item())
    return array if is_label else array.astype(np.float64)


ESTIMATES, SET, DRAWS = "estimates", "set", "draws"
Ties = Callable[[], Floats]
"""Gives a number in [0, 1) for each estimand and trial, shape (estimands, trials)."""


def number_name(estimand: str, number: str) -> str:
    """What a number of an estimand is called in records."""
    return number if estimand == ONLY else f"{estimand}.{number}"


@dataclass(frozen=True)
class AnswerReader:
    """Reads the answers of a study."""

    program: StudyProgram

    @cached_property
    def numbers(self) -> tuple[str, ...]:
        """The numbers of one estimand; the last one is of the model, where it draws truths."""
        return (*FIELDS, *AGAINST_TRUTH, TRUTH) if self.program.drawn else FIELDS

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The numbers of all estimands."""
        return tuple(
            number_name(estimand, name)
            for estimand in self.program.estimands
            for name in self.numbers
        )

    def read(
        self, answer: Any, number: int, truths: Mapping[str, Truth], ties: Ties
    ) -> Sequence[float] | Answers:
        """The numbers of an answer in the order of ``names``; of a batch those of its trials.

        Args:
            answer: of a method.
            number: of the method, from 1 on.
            truths: those that the model has drawn, by estimand.
            ties: places a truth among draws that are equal to it.

        Raises:
            ValueError: it is no answer; the message is a clause.
        """
        thin = self.program.thin[number - 1] if self.program.thin else 1
        if self.program.estimands == (ONLY,):
            return self._of_one(ONLY, answer, truths, ties, thin)
        forms = self._forms(answer)
        tables: list[Any] = []
        for name, form in forms.items():
            try:
                tables.append(self._of_one(name, form, truths, ties, thin))
            except ValueError as error:
                raise ValueError(f"{name}: {error}") from None
        if not self.program.batch:
            return [number for table in tables for number in table]
        converged, firsts = _converged(answer, self.program.batch)
        for name, (_, _, first) in zip(forms, tables, strict=True):
            firsts += [] if first is None else [(first[0], f"{name}: {first[1]}")]
        numbers = np.concatenate([table[0] for table in tables])
        answered = np.all([converged, *(table[1] for table in tables)], axis=0)
        numbers[:, ~answered] = np.nan
        return numbers, answered, min(firsts, key=lambda first: first[0], default=None)

    def _forms(self, answer: Any) -> dict[str, Any]:
        """The answer about each estimand, in their order.

        Raises:
            ValueError: the answer has another form, or says that it has not converged.
        """
        expected = f"expected {{'estimates': …}} with {', '.join(self.program.estimands)}"
        is_table = isinstance(answer, Mapping) and isinstance(answer.get(ESTIMATES), Mapping)
        if not is_table or not set(answer) <= {ESTIMATES, CONVERGED}:
            raise ValueError(f"{expected}, found {one_line(answer, repr)}")
        given = answer[ESTIMATES]
        if set(given) != set(self.program.estimands):
            names = ", ".join(map(str, given)) or "none"
            raise ValueError(f"{expected}, found {names}")
        if not self.program.batch and not answer.get(CONVERGED, True):
            raise ValueError("converged is false")
        return {name: given[name] for name in self.program.estimands}

    def _of_one(
        self, estimand: str, answer: Any, truths: Mapping[str, Truth], ties: Ties, thin: int
    ) -> Sequence[float] | Answers:
        """The numbers of the answer about one estimand."""
        if isinstance(answer, Mapping) and (SET in answer or DRAWS in answer):
            truth = truths.get(estimand)
            if truth is not None and not self.program.batch:
                truth = np.array([truth])
            if SET in answer:
                answers = self._of_set(answer, truth)
            else:
                place = self.program.estimands.index(estimand)
                answers = self._of_draws(answer, truth, lambda: ties()[place], thin)
            if self.program.batch:
                return answers
            numbers, _, failed = answers
            if failed is not None:
                raise ValueError(failed[1])
            return [float(number) for number in numbers[:, 0]]
        if self.program.batch:
            numbers, answered, failed = read_answers(answer, self.program.batch)
            return self._widened(numbers), answered, failed
        if not self.program.drawn:
            return read_answer(answer)
        return [*read_answer(answer), *[np.nan] * (len(self.numbers) - len(FIELDS))]

    def _widened(self, numbers: Floats, **against: Floats) -> Floats:
        """All numbers of an estimand, from its fields and those against the truth by name."""
        if not self.program.drawn:
            return numbers
        all_numbers = np.full((len(self.numbers), numbers.shape[1]), np.nan)
        all_numbers[: len(FIELDS)] = numbers
        for name, values in against.items():
            all_numbers[self.numbers.index(name)] = values
        return all_numbers

    def _of_set(self, answer: Mapping[str, Any], truth: Truth | None) -> Answers:
        """Whether each set has the truth, and the number of its labels."""
        if truth is None:
            raise ValueError("a set needs a truth that the model draws, as estimand: truth")
        beside = [str(name) for name in answer if name not in (SET, CONVERGED)]
        if beside:
            raise ValueError(f"expected a set alone, found {', '.join(beside)} beside it")
        count = self.program.batch or 1
        sets = answer[SET] if self.program.batch else [answer[SET]]
        if isinstance(sets, str | Mapping) or not np.iterable(sets) or len(list(sets)) != count:
            raise ValueError(f"expected a list of {count} sets, found {one_line(sets, repr)}")
        members = [_labels(label_set) for label_set in sets]
        converged, firsts = _converged(answer, count)
        pairs = zip(truth.tolist(), members, strict=True)
        all_numbers = self._widened(
            np.full((len(FIELDS), count), np.nan),
            covered=np.array([label in held for label, held in pairs], np.float64),
            set_size=np.array([len(held) for held in members], np.float64),
        )
        all_numbers[:, ~converged] = np.nan
        return all_numbers, converged, next(iter(firsts), None)

    def _of_draws(
        self, answer: Mapping[str, Any], truth: Truth | None, ties: Ties, thin: int
    ) -> Answers:
        """Mean, deviation and quantiles of draws, and how many are below the truth.

        The quantile of p among L draws is the (L + 1)p-th smallest, by a line between two of them:
        a truth with the distribution of the draws is below it with probability p, where that place
        is one of 1 … L.

        A truth that is equal to k of the ranked draws is placed among them at random: of the k + 1
        places each has the same probability.
        """
        count = self.program.batch or 1
        draws = np.asarray(answer[DRAWS])
        if not self.program.batch:
            draws = draws[None]
        if draws.dtype.kind not in "iuf" or draws.ndim != 2 or draws.shape[0] != count:
            form = f"of shape ({count}, draws)" if self.program.batch else "of one axis"
            raise ValueError(
                f"expected an array of draws {form}, found {one_line(answer[DRAWS], repr)}"
            )
        ranked = draws[:, thin - 1 :: thin]
        if draws.shape[1] < 2 or not ranked.shape[1]:
            raise ValueError(f"expected {max(2, thin)} draws or more, found {draws.shape[1]}")
        draws = draws.astype(np.float64)
        finite = np.isfinite(draws).all(axis=1)
        with np.errstate(all="ignore"):
            levels = [self.program.alpha / 2, 1 - self.program.alpha / 2]
            lower, upper = np.quantile(draws, levels, axis=1, method="weibull")
            made = {
                "estimate": draws.mean(axis=1),
                "se": draws.std(axis=1, ddof=1),
                "lower": lower,
                "upper": upper,
            }
        for values in made.values():
            values[~finite] = 0.0
        own = {name: value for name, value in answer.items() if name != DRAWS}
        lacking = {"draws has numbers that are not finite": ~finite}
        numbers, answered, first = read_answers({**made, **own}, count, lacking)
        if truth is None or truth.dtype.kind == "U":
            return self._widened(numbers), answered, first
        below = (ranked < truth[:, None]).sum(axis=1)
        equal = (ranked == truth[:, None]).sum(axis=1)
        rank = below + np.floor(ties() * (equal + 1)) if equal.any() else below
        size = np.full(count, ranked.shape[1])
        all_numbers = self._widened(numbers, rank=rank, draws=size)
        all_numbers[:, ~answered] = np.nan
        return all_numbers, answered, first


def _converged(answer: Mapping[str, Any], count: int) -> tuple[Bools, list[tuple[int, str]]]:
    """Which trials have converged, shape (count,), and the first one that has not, if any."""
    converged = column(CONVERGED, answer.get(CONVERGED, True), count) > 0
    failed = [] if converged.all() else [(int(np.argmin(converged)), "converged is false")]
    return converged, failed


def _labels(found: Any) -> set[Any]:
    """The labels of a set."""
    if isinstance(found, str | bytes | Mapping) or not isinstance(found, Iterable):
        raise ValueError(f"expected a set of labels, found {one_line(found, repr)}")
    values = found.tolist() if isinstance(found, np.ndarray) else found
    try:
        return {value.item() if isinstance(value, np.generic) else value for value in values}
    except TypeError:
        raise ValueError(f"expected a set of labels, found {one_line(found, repr)}") from None
