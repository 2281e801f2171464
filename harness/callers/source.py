"""Sources of limits, in a run and in a check: methods of the catalogue and user functions.

A `Source` is asked for the limits at `Observed` outcomes and returns `Answers`.
"""

from __future__ import annotations

import pickle
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from harness.base.numerics.arrays import Floats, Positions
from harness.callers.calls import (
    RAISED_HERE,
    Asked,
    CallFaults,
    Probe,
    describe,
    format_arguments,
    one_outcome,
)
from harness.callers.expected_failures import ExpectedFailure, expected_failures
from harness.distributions.truths import Prior
from harness.families.family import Data, Family
from harness.methods.method import ANSWERED, Contract, Method, StandardErrors, are_intervals


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

    family: Family
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

    def part(self, places: slice | Positions) -> Observed:
        """The outcomes at these places."""
        return replace(self, counts=tuple(column[places] for column in self.counts))

    def columns(self) -> Data:
        """The family's columns, as methods of the catalogue take them: shape (m,) each."""
        return self.family.columns(self.counts, self.sizes)

    @cached_property
    def arguments(self) -> dict[str, Any]:
        """The arguments of a user's function by name, as ``Family.arguments`` has them."""
        return self.family.arguments(self.counts, self.sizes)


Stream = np.random.Generator | None
"""What limits are drawn from; None for the seed of the source."""

_ROUNDING = 1e-15
"""The rounding of a sum of a few numbers up to 1; every limit that is meant to be off the boundary
lies above it."""

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


def add_failures(found: dict[int, Failures], later: Mapping[int, Failures]) -> dict[int, Failures]:
    """Add those of later outcomes to the failures of columns, by their rows, and return them."""
    for row, failed in later.items():
        found[row] = found[row].plus(failed) if row in found else failed
    return found


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

    def snapped_to_boundary(self, observed: Observed) -> Answers:
        """The limits, those moved to the boundary that only rounding keeps from it.

        The exact worst case would else be only that a sum in double precision misses the boundary:
        the truths in between are always missed.
        """
        low, high = observed.family.support
        unit = _ROUNDING * max(1.0 / size if np.isinf(high) else 1.0 for size in observed.sizes)
        with np.errstate(invalid="ignore"):  # an infinite limit less an infinite boundary
            lower = np.where(np.abs(self.lower - low) <= unit, low, self.lower)
            upper = np.where(np.abs(self.upper - high) <= unit, high, self.upper)
        return Answers(lower, upper, self.failures)

    def intervals(self, observed: Observed, alpha: float, side: str) -> Answers:
        """The answers with a failure where limits are no interval; they are not numbers there."""
        sound = are_intervals(self.lower, self.upper, side, observed.family)
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
    limits = f"{lower:g} and {upper:g} at {format_arguments(outcome)}"
    return f"expected finite limits with lower ≤ upper, found {limits}"


@dataclass(eq=False)
class Source(ABC):
    """Something that gives limits; what is known of it before it is asked stands in its fields.

    What it does not override is that of a source which remembers nothing and has started nothing.
    """

    label: str
    """The name it goes by."""
    sides: tuple[str, ...]
    identity: Mapping[str, Any] = field(default_factory=dict)
    """What its limits are those of, as plain data."""
    deterministic: bool = True
    """Whether the limits are a function of the outcome."""
    expected_failures: tuple[ExpectedFailure, ...] = ()
    """Failures of checks that the method declares."""
    contract: Contract | None = None
    """What the method promises; None where it does not say."""
    is_of_catalogue: bool = False
    """Whether it is a method of the catalogue, and neither a user's function nor a table."""
    called_one_by_one: bool = False
    """Whether it is a user's function that took no array of outcomes where it was given one."""
    standard_errors: StandardErrors | None = None
    """How many standard errors of a mean its limits lie from the mean, as ``Method`` has it."""
    largest_size: float | None = None
    """The largest size of a sample that it takes; None where there is no such limit."""
    has_uneven_tails: bool = False
    """Whether one tail of an interval may by design have hardly any of alpha."""
    uses_both: bool = True
    """Whether the limits of a table depend on the whole of it, as ``Method`` has it."""
    takes_long: bool = False
    """Whether a hundred outcomes of two samples take it a good part of a second."""
    repeated: list[str] = field(default_factory=list)
    """Why calls for several outcomes were repeated, in clauses: a process of the user's function
    was ended or stopped, and the next one has answered."""
    has_process: bool = False
    """Whether a process that this one has started gives the limits.

    It is then asked in one order and by threads of this process, so that what ends it is the same
    in every run.
    """

    @property
    def exceptions(self) -> Mapping[str, str]:
        """Properties of the contract that its limits are known not to have, with the reason."""
        return {failure.check: failure.reason for failure in self.expected_failures}

    @abstractmethod
    def limits(self, observed: Observed, alpha: float, side: str, stream: Stream = None) -> Answers:
        """The limits at each outcome.

        What a user's function does wrong is a failure of the answers. A stochastic source draws
        those of each trial from the stream, in the trials' order; without one it draws from its
        seed, the same at every call.

        Raises:
            IntervalNotFoundError: a method of the catalogue has no interval at an outcome, and does
                not declare that it may have none.
        """

    def content(self, alpha: float, side: str) -> Mapping[str, Any]:
        """The plain data that keys the random stream of its limits."""
        return {**self.identity, "side": side, "alpha": alpha}

    def takes_arrays(self, observed: Observed, alpha: float) -> bool:
        """Whether it computes the limits of all of the outcomes in one call."""
        return True

    def probe(self, probe: Probe, observed: Observed, alpha: float) -> CallFaults:
        """What a probe finds wrong with calls of the method; nothing where there are none."""
        return {}

    def unpicklable(self) -> str | None:
        """Why the method cannot be pickled; None where it can be, or need not be."""
        return None

    def reload(self) -> Source | None:
        """The method as one that was asked nothing yet; None where it remembers nothing.

        Raises:
            InputError: it cannot be loaded once more.
        """
        return None

    def afresh(self) -> Source | None:
        """Another source of the same limits, asked nothing yet; None where that is no difference.

        It is to be closed like this one.

        Raises:
            InputError: it cannot be loaded once more.
        """
        return None

    def text(self) -> FunctionText | None:
        """The source text from which another machine can start the process.

        None where there is no process, the text does not suffice, or a call has ended the process:
        what is done then depends on all calls before.
        """
        return None

    def close(self) -> None:  # noqa: B027
        """End what the source has started."""


class CatalogueSource(Source):
    """A method of the catalogue with its prior."""

    def __init__(
        self, label: str, method: Method, prior: Prior | None = None, seed: int | None = None
    ) -> None:
        """
        Args:
            label: what the method is called.
            method: of the catalogue.
            prior: None for the method's default.
            seed: what a stochastic method draws from where it is given no stream.
        """
        chosen = prior or method.default_prior
        super().__init__(
            label,
            method.sides,
            {"method": method.name, "prior": None if chosen is None else list(chosen)},
            method.deterministic,
            expected_failures(method.exceptions),
            method.contract,
            is_of_catalogue=True,
            standard_errors=method.standard_errors,
            largest_size=method.largest_size,
            has_uneven_tails=method.uneven_tails,
            uses_both=method.uses_both,
            # It searches tables of outcomes, or integrates over posteriors of two samples.
            takes_long=method.largest_size is not None or method.takes_prior,
        )
        self.method, self.prior = method, prior
        self._seed = None if method.deterministic else seed

    def _stream(self) -> np.random.Generator | None:
        return None if self._seed is None else np.random.default_rng(self._seed)

    def limits(self, observed: Observed, alpha: float, side: str, stream: Stream = None) -> Answers:
        names = observed.family.sizes
        self.method.validate_sizes(dict(zip(names, observed.sizes, strict=True)))
        columns = observed.columns()
        if self.method.needs_population:
            self.method.validate_population(observed.population)
            columns = (*columns, np.full(observed.count, observed.population))
        rng = self._stream() if stream is None else stream
        if ANSWERED not in self.method.exceptions:
            return Answers(*self.method.limits(columns, alpha, side, self.prior, rng))
        lower, upper = self.method.limits_if_any(columns, alpha, side, self.prior, rng)
        lacking = np.flatnonzero(np.isnan(lower) | np.isnan(upper)).tolist()
        reason = self.method.exceptions[ANSWERED]
        return Answers(lower, upper, dict.fromkeys(lacking, reason))

    def probe(self, probe: Probe, observed: Observed, alpha: float) -> CallFaults:
        def function(*arguments: Any) -> tuple[Any, Any]:
            """The method as a user's function of the data and alpha; of lists, rows for several."""
            *data, alpha = arguments
            rows = [np.asarray(column, np.float64) for column in data]
            columns, on_arrays = observed.family.data_of_arguments(rows)
            limits = self.method.limits(columns, alpha, self.sides[0], rng=self._stream())
            return limits if on_arrays else (limits[0][0], limits[1][0])

        # Counts of the type that the formulas work on, so that a change in place is seen.
        arguments = {
            name: value.astype(np.float64) if np.ndim(value) else value
            for name, value in observed.arguments.items()
        }
        return probe.of_function(Asked(function, arguments, alpha, RAISED_HERE), self.deterministic)

    def unpicklable(self) -> str | None:
        return pickling_error(self.method)


def pickling_error(thing: object) -> str | None:
    """Why the object cannot be pickled; None where it can."""
    try:
        pickle.loads(pickle.dumps(thing))
    except Exception as error:
        return describe(error)
    return None
