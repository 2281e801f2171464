"""A method under check: a source of limits that caches them and never raises.

What its method raises is a failure of its answers, or a finding.
"""

from __future__ import annotations

from copy import copy

import numpy as np

from harness.base.errors import HarnessError
from harness.callers.calls import CallFaults, Probe, describe, one_outcome
from harness.callers.source import Answers, Observed, Source, Stream
from harness.checks.watch import refuse_late
from harness.families.family import Family
from harness.methods.method import TWO_SIDED
from harness.methods.remarks import leaves_range

_Key = tuple[tuple[float, ...], tuple[bytes, ...], float, str]
"""Sizes, the bytes of the counts, alpha and side."""


class Subject(Source):
    """A source under check with its family.

    Where it has no two-sided limits it gives those of its one side in their place.
    """

    def __init__(self, source: Source, family: Family) -> None:
        super().__init__(
            label=source.label,
            sides=source.sides,
            deterministic=source.deterministic,
            expected_failures=source.expected_failures,
            contract=source.contract,
            is_of_catalogue=source.is_of_catalogue,
            largest_size=source.largest_size,
            has_uneven_tails=source.has_uneven_tails,
            takes_long=source.takes_long,
        )
        self.family = family
        self._source = source
        self._answers: dict[_Key, Answers] = {}
        self.asked: list[tuple[Observed, float, str]] = []
        """The outcomes, the alpha and the side of each answer."""
        self.outside: list[dict[str, float]] = []
        """The outcomes, alphas and limits of answers that were outside the range by rounding."""

    @property
    def has_limits_by_outcome(self) -> bool:
        """Whether limits are a function of a numbered outcome: no lists, and nothing is drawn."""
        return self.deterministic and self.family.has_outcomes

    def at_side(self, side: str) -> Subject:
        """The same method with one of its sides alone."""
        alone = copy(self)
        alone.sides = (side,)
        return alone

    def limits(self, observed: Observed, alpha: float, side: str, stream: Stream = None) -> Answers:
        if side == TWO_SIDED:
            side = side_of(self)
        counts = tuple(column.tobytes() for column in observed.counts)
        key = (observed.sizes, counts, alpha, side)
        if key not in self._answers:
            refuse_late()
            try:
                answers = self._source.limits(observed, alpha, side)
            except Exception:
                if not self.is_of_catalogue:
                    raise
                answers = self._one_by_one(observed, alpha, side)
            if not self.is_of_catalogue:
                self._note_outside(answers, observed, alpha)
                answers = answers.snapped_to_boundary(observed)
            self._answers[key] = answers
            self.asked.append((observed, alpha, side))
        return self._answers[key]

    def _note_outside(self, answers: Answers, observed: Observed, alpha: float) -> None:
        """Note the limits that are outside the range, and so near that they pass for inside."""
        (low, high), lower, upper = self.family.support, answers.lower, answers.upper
        is_outside = (lower < low) | (upper > high)
        is_outside &= ~leaves_range(lower, upper, self.family, observed.sizes)
        for place in np.flatnonzero(is_outside).tolist():
            limits = {"lower": float(lower[place]), "upper": float(upper[place])}
            data = {} if self.family.lists else one_outcome(observed.arguments, place)
            self.outside.append({**data, "alpha": alpha, **limits})

    def _one_by_one(self, observed: Observed, alpha: float, side: str) -> Answers:
        """The limits of each outcome by itself, so that only those fail that have none."""
        lower, upper = np.full((2, observed.count), np.nan)
        failures = {}
        for place in range(observed.count):
            try:
                answers = self._source.limits(observed.part(slice(place, place + 1)), alpha, side)
                lower[place], upper[place] = answers.lower[0], answers.upper[0]
            except HarnessError as error:
                failures[place] = str(error)
            except Exception as error:
                failures[place] = describe(error)
        return Answers(lower, upper, failures)

    def takes_arrays(self, observed: Observed, alpha: float) -> bool:
        return self._source.takes_arrays(observed, alpha)

    def probe(self, probe: Probe, observed: Observed, alpha: float) -> CallFaults:
        refuse_late()
        return self._source.probe(probe, observed, alpha)

    def reload(self) -> Source | None:
        source = self._source.reload()
        return None if source is None else Subject(source, self.family)

    def unpicklable(self) -> str | None:
        return self._source.unpicklable()

    def close(self) -> None:
        self._source.close()


def side_of(subject: Source) -> str:
    """The side of a subject's numbers: two-sided where it has that, or its last one.

    Of the two one-sided ones that is the upper limit, which is finite also for a rate.
    """
    return TWO_SIDED if TWO_SIDED in subject.sides else subject.sides[-1]
