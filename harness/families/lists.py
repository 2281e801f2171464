"""Families whose data are lists: values of runs, counts of clusters, or counts of strata.

A trial draws a whole data set, which is no whole number that limits could be looked up by. The
methods of these families compute their limits for every trial, and there are cells given the
truth, and none given the outcome.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from harness.base.errors import HarnessError, InputError
from harness.base.numerics.arrays import Floats
from harness.base.text import enumerated
from harness.distributions.truths import Prior
from harness.families.combination import Span
from harness.families.data import numbers
from harness.families.family import CLOSED_FORM, RUNS, Data, Family


@dataclass(frozen=True)
class ListData(ABC):
    """The data of a family of lists: what they are, and what is estimated from them."""

    data: tuple[str, ...]
    """The names of the lists."""
    sizes: tuple[str, ...]
    """The names of the sizes of an experiment."""
    size_in_words: str
    """What the first size is a number of."""
    truths: tuple[str, ...]
    """The names of the columns of the true values; the first one is of the parameter."""
    symbols: tuple[str, ...]
    """The symbols of the true values."""
    quantity: str
    """The parameter in words, before its symbol; empty where the symbol says it."""
    support: Span
    counts_are_whole: bool = True
    """Whether the numbers of the lists are counts."""
    summary: tuple[str, ...] = ()
    """The names of the data that may be given in place of the lists."""

    @property
    def options(self) -> tuple[str, ...]:
        """The names of all data that may be given: the lists, and summaries of them."""
        return (*self.data, *self.summary)

    @abstractmethod
    def validate(self, given: Mapping[str, npt.ArrayLike]) -> Data:
        """Return the columns that methods take; their last axis, if any, is that of the lists.

        Raises:
            InputError: a list is missing or unknown, or a value is out of range.
        """

    def columns(self, lists: Sequence[Floats]) -> Data:
        """Return the columns that methods take of m drawn data sets.

        Args:
            lists: an array of shape (m, w) for each name of ``data``.
        """
        return tuple(lists)

    @abstractmethod
    def estimate(self, data: Data) -> Floats:
        """Return the estimate of each data set."""

    @abstractmethod
    def mirrored(self, lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
        """Return the limits of the mirrored data."""


@dataclass(frozen=True)
class ListFamily(Family):
    """A parameter that is estimated from lists."""

    of_lists: ListData | None = None

    @property
    def lists(self) -> ListData:
        """The data of the family."""
        assert self.of_lists is not None
        return self.of_lists

    @property
    def has_outcomes(self) -> bool:
        return False

    @property
    def samples(self) -> int:
        return 1

    @property
    def is_weighted_sum(self) -> bool:
        return False

    @property
    def counts(self) -> tuple[str, ...]:
        return ()

    @property
    def data(self) -> tuple[str, ...]:
        return self.lists.data

    @property
    def options(self) -> tuple[str, ...]:
        return self.lists.options

    @property
    def sizes(self) -> tuple[str, ...]:
        return self.lists.sizes

    @property
    def size_in_words(self) -> str:
        return self.lists.size_in_words

    @property
    def truths(self) -> tuple[str, ...]:
        return self.lists.truths

    @property
    def symbols(self) -> tuple[str, ...]:
        return self.lists.symbols

    @property
    def truth_is_of_sample(self) -> bool:
        return self.support == self.model.SUPPORT

    @property
    def quantity(self) -> str:
        return self.lists.quantity

    @property
    def directions(self) -> tuple[float, ...]:
        return ()

    @property
    def support(self) -> Span:
        return self.lists.support

    @property
    def is_bounded(self) -> bool:
        return bool(np.isfinite(self.support).all())

    @property
    def names_sampling(self) -> bool:
        return self.design == RUNS

    @property
    def sampling_remark(self) -> str:
        return "Student's interval is exact for normal values; other values need Monte Carlo."

    @property
    def truth_parts(self) -> dict[str, str]:
        return {}

    @property
    def has_mirror(self) -> bool:
        nothing = np.ones(0)
        return self.mirrored(nothing, nothing) is not None

    def mirrored(self, lower: Floats, upper: Floats) -> tuple[Floats, Floats] | None:
        return self.lists.mirrored(lower, upper)

    def has_closed_form(self, truth: Any) -> bool:
        return CLOSED_FORM in self.engines and bool(truth.law.is_normal)

    def numbered(self, name: str) -> tuple[str, ...]:
        return (name,)

    def columns(self, counts: Sequence[Floats], sizes: Sequence[float]) -> Data:
        return self.lists.columns(counts)

    def arguments(self, lists: Sequence[Floats], sizes: Sequence[float]) -> dict[str, Any]:
        kind = np.int64 if self.lists.counts_are_whole else np.float64
        named = zip(self.data, lists, strict=True)
        return {name: each.astype(kind) for name, each in named}

    def estimate(self, data: Data) -> Floats:
        return self.lists.estimate(data)

    def validate_data(self, given: Mapping[str, npt.ArrayLike]) -> Data:
        return self.lists.validate(given)

    def outcomes_shape(self, data: Data) -> tuple[int, ...]:
        return data[-1].shape[:-1]

    def posterior(self, data: Data, prior: Prior) -> Any:
        raise HarnessError(f"the parameter of {self.name} has no closed posterior")


def validate_names(family: str, expected: Sequence[str], given: Mapping[str, object]) -> None:
    """Refuse data with other names than those expected.

    Raises:
        InputError: a name is missing or unknown.
    """
    if set(given) != set(expected):
        found = ", ".join(sorted(given)) or "nothing"
        raise InputError(f"{family} needs the data {enumerated(expected)}, found {found}")


def list_of_numbers(name: str, given: npt.ArrayLike, each: str) -> Floats:
    """Return a list of finite numbers, or an array whose last axis is that of the lists.

    Args:
        name: the name of the data in a message.
        given: the list.
        each: what the list has a number for: run, cluster, stratum.

    Raises:
        InputError: a value is no finite number, or there is no list.
    """
    values = numbers(name, given, f"a list of numbers, one for each {each}")
    if values.ndim == 0 or values.shape[-1] == 0:
        found = "an empty one" if values.ndim else f"{float(values):g}"
        raise InputError(f"{name} should be a list with a number for each {each}, found {found}")
    if not np.isfinite(values).all():
        found = f"{values[~np.isfinite(values)][0]:g}"
        raise InputError(f"{name} should be finite numbers, found {found}")
    return values
