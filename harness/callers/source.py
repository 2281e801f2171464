"""Sources of limits, in a run and in a check: methods of the catalogue and user functions.

A `LimitSource` is asked for the limits at `Observed` outcomes and returns `Answers`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from harness.base.numerics.arrays import Floats
from harness.callers.calls import format_arguments, one_outcome
from harness.distributions.truths import Prior
from harness.families.catalogue import family_of
from harness.families.family import Data
from harness.methods.method import Method, StandardErrors, are_intervals


@dataclass(frozen=True)
class FunctionText:
    """A user's function as the text of its file."""

    label: str
    """What the method is called."""
    function: str
    file: str
    """The name of the file, without its folder."""
    content: bytes
    timeout: float
    """Seconds that a call may take."""


@dataclass(frozen=True)
class Observed:
    """Outcomes that limits are asked for: m of them, all of one size."""

    family: str
    sizes: tuple[float, ...]
    """The size of each sample."""
    counts: tuple[Floats, ...]
    """The family's counts, whole numbers of shape (m,) each; or its lists, of shape (m, w)."""
    population: float | None = None
    """The size of the finite population that the cases are drawn from; None where there is none."""

    @property
    def count(self) -> int:
        """The number m of outcomes."""
        return len(self.counts[0])

    def part(self, places: slice) -> Observed:
        """The outcomes at these places."""
        return replace(self, counts=tuple(each[places] for each in self.counts))

    def columns(self) -> Data:
        """The family's columns, as methods of the catalogue take them: shape (m,) each."""
        return family_of(self.family).columns(self.counts, self.sizes)

    @cached_property
    def arguments(self) -> dict[str, Any]:
        """The arguments of a user's function by name, as ``Family.arguments`` has them."""
        return family_of(self.family).arguments(self.counts, self.sizes)


NOT_CALLED = "not called any more"
"""How the failure of an outcome begins that earlier outcomes have caused."""
NO_POINT = "the table has no"
"""How the failure of an outcome begins that a table of limits does not have."""
NOT_ASKED = (NOT_CALLED, NO_POINT)
"""How the failures of outcomes begin at which the method itself has not failed."""


@dataclass(frozen=True)
class Failures:
    """The failures of one column, as the manifest reports them."""

    first: str
    """Why there are none at the first of them, in a clause."""
    not_called: int
    """The number of outcomes at which the function was not called, as its process had ended too
    often."""

    def plus(self, later: Failures) -> Failures:
        """These failures together with those of later outcomes."""
        return Failures(self.first, self.not_called + later.not_called)


@dataclass(frozen=True)
class Answers:
    """Limits at m outcomes."""

    lower: Floats
    """Shape (m,)."""
    upper: Floats
    failures: Mapping[int, str] = field(default_factory=dict)
    """Why there are no limits at a place, in a clause; the limits there are not numbers."""

    def summary(self) -> Failures | None:
        """The failures in short; None where there are limits everywhere."""
        if not self.failures:
            return None
        not_called = sum(failure.startswith(NOT_CALLED) for failure in self.failures.values())
        return Failures(self.failures[min(self.failures)], not_called)

    def intervals(self, observed: Observed, alpha: float, side: str) -> Answers:
        """The answers with a failure where limits are no interval; they are not numbers there."""
        infinite = family_of(observed.family).is_ratio
        sound = are_intervals(self.lower, self.upper, side, infinite)
        if sound.all():
            return self
        failures = dict(self.failures)
        for place in np.flatnonzero(~sound).tolist():
            outcome = {**one_outcome(observed.arguments, place), "alpha": alpha}
            failures.setdefault(place, no_interval(self.lower[place], self.upper[place], outcome))
        lower, upper = np.where(sound, (self.lower, self.upper), np.nan)
        return Answers(lower, upper, failures)


def no_interval(lower: float, upper: float, outcome: Mapping[str, Any]) -> str:
    """The failure of limits that are not finite, or reversed."""
    found = f"{lower:g} and {upper:g} at {format_arguments(outcome)}"
    return f"expected finite limits with lower ≤ upper, found {found}"


class LimitSource(Protocol):
    """Something that gives limits."""

    @property
    def label(self) -> str:
        """The name it goes by."""
        ...

    @property
    def sides(self) -> tuple[str, ...]: ...

    @property
    def deterministic(self) -> bool:
        """Whether the limits are a function of the outcome."""
        ...

    def limits(self, observed: Observed, alpha: float, side: str) -> Answers:
        """The limits at each outcome.

        What a user's function does wrong is a failure of the answers. A stochastic source draws
        from its seed, the same at every call.

        Raises:
            IntervalNotFoundError: a method of the catalogue has no interval at an outcome.
        """
        ...


class DrawingSource(Protocol):
    """What draws limits from the stream of a shard."""

    @property
    def has_process(self) -> bool:
        """Whether a process that this one has started gives the limits.

        It is then asked in one order and by threads of this process, so that what ends it is the
        same in every run.
        """
        ...

    def content(self, alpha: float, side: str) -> Mapping[str, Any]:
        """The plain data that keys the random stream of its limits."""
        ...

    def draw(
        self, observed: Observed, alpha: float, side: str, stream: np.random.Generator
    ) -> Answers:
        """The limits of each trial, drawn from the stream in the trials' order."""
        ...

    def text(self) -> FunctionText | None:
        """The source text from which another machine can start the process.

        None where there is no process, the text does not suffice, or a call has ended the process:
        what is done then depends on all calls before.
        """
        ...


class RunSource(LimitSource, DrawingSource, Protocol):
    """A source of limits in a run."""

    @property
    def exceptions(self) -> Mapping[str, str]:
        """Properties of the contract that its limits are known not to have, with the reason."""
        ...

    @property
    def standard_errors(self) -> StandardErrors | None:
        """How many standard errors of a mean its limits lie from the mean, as ``Method`` has it."""
        ...

    def afresh(self) -> RunSource | None:
        """The same source as one that was asked nothing yet; None where that is no difference.

        It is to be closed like this one.

        Raises:
            InputError: it cannot be loaded once more.
        """
        ...

    def close(self) -> None:
        """End what the source has started."""
        ...


@dataclass(frozen=True)
class CatalogueSource:
    """A method of the catalogue with its prior."""

    label: str
    method: Method
    prior: Prior | None = None
    """None for the method's default."""
    seed: int | None = None
    """What a stochastic method draws from where it is given no stream."""

    @property
    def sides(self) -> tuple[str, ...]:
        return self.method.sides

    @property
    def deterministic(self) -> bool:
        return self.method.deterministic

    @property
    def has_process(self) -> bool:
        return False

    @property
    def exceptions(self) -> Mapping[str, str]:
        return self.method.exceptions

    @property
    def standard_errors(self) -> StandardErrors | None:
        return self.method.standard_errors

    def afresh(self) -> None:
        """None: a method of the catalogue remembers nothing."""

    def close(self) -> None:
        """There is nothing to end."""

    def text(self) -> None:
        """None: there is no process."""

    def content(self, alpha: float, side: str) -> Mapping[str, Any]:
        prior = self.prior or self.method.default_prior
        return {
            "method": self.method.name,
            "side": side,
            "alpha": alpha,
            "prior": None if prior is None else list(prior),
        }

    def limits(self, observed: Observed, alpha: float, side: str) -> Answers:
        stream = None if self.seed is None else np.random.default_rng(self.seed)
        return self._limits(observed, alpha, side, stream)

    def draw(
        self, observed: Observed, alpha: float, side: str, stream: np.random.Generator
    ) -> Answers:
        return self._limits(observed, alpha, side, stream)

    def _limits(
        self, observed: Observed, alpha: float, side: str, stream: np.random.Generator | None
    ) -> Answers:
        names = family_of(observed.family).sizes
        self.method.validate_sizes(dict(zip(names, observed.sizes, strict=True)))
        columns = observed.columns()
        if self.method.needs_population:
            self.method.validate_population(observed.population)
            columns = (*columns, np.full(observed.count, observed.population))
        return Answers(*self.method.limits(columns, alpha, side, self.prior, stream))
