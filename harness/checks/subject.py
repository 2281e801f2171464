"""A method under check: a source of limits that caches them and never raises.

What its method raises is a failure of its answers, or a finding.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from dataclasses import fields

import numpy as np

from harness.base.errors import HarnessError
from harness.callers.calls import CallFaults, Probe, describe
from harness.callers.source import Answers, Observed, Source, Stream
from harness.checks.findings import Places
from harness.checks.watch import refuse_late
from harness.families.catalogue import family_of
from harness.methods.expected_failures import SIDE
from harness.methods.method import TWO_SIDED

_Key = tuple[tuple[float, ...], tuple[bytes, ...], float, str]
"""Sizes, the bytes of the counts, alpha and side."""


class Subject(Source):
    """A source under check with its family.

    Where it has no two-sided limits it gives those of its one side in their place.
    """

    def __init__(self, source: Source, family: str) -> None:
        super().__init__(**{each.name: getattr(source, each.name) for each in fields(Source)})
        self.takes_long = source.takes_long and not family_of(family).has_single_count
        self.family = family
        self._source = source
        self._answers: dict[_Key, Answers] = {}

    def at_side(self, side: str) -> Subject:
        """The same method with one of its sides alone."""
        alone = copy(self)
        alone.sides = (side,)
        return alone

    def limits(self, observed: Observed, alpha: float, side: str, stream: Stream = None) -> Answers:
        if side == TWO_SIDED:
            side = side_of(self)
        counts = tuple(each.tobytes() for each in observed.counts)
        key = (observed.sizes, counts, alpha, side)
        if key not in self._answers:
            refuse_late()
            self._answers[key] = self._limits(observed, alpha, side)
        return self._answers[key]

    def _limits(self, observed: Observed, alpha: float, side: str) -> Answers:
        if not self.is_of_catalogue:
            return self._source.limits(observed, alpha, side).snapped_to_boundary(observed)
        try:
            return self._source.limits(observed, alpha, side)
        except Exception:
            return self._one_by_one(observed, alpha, side)

    def _one_by_one(self, observed: Observed, alpha: float, side: str) -> Answers:
        """The limits of each outcome by itself, so that only those fail that have none."""
        lower, upper = np.full((2, observed.count), np.nan)
        failures = {}
        for place in range(observed.count):
            try:
                found = self._source.limits(observed.part(slice(place, place + 1)), alpha, side)
                lower[place], upper[place] = found.lower[0], found.upper[0]
            except HarnessError as error:
                failures[place] = str(error)
            except Exception as error:
                failures[place] = describe(error)
        return Answers(lower, upper, failures)

    def asked(self) -> Iterator[Places]:
        """The outcomes, sizes, alphas and sides that limits were asked for, in parts."""
        family = family_of(self.family)
        for sizes, counts, alpha, side in self._answers:
            columns = {
                name: np.frombuffer(each, np.float64)
                for name, each in zip(family.counts, counts, strict=True)
                if family.has_outcomes
            }
            shape = next((each.shape for each in columns.values()), (1,))
            sized = zip(family.sizes, sizes, strict=True)
            columns |= {name: np.full(shape, size) for name, size in sized}
            yield Places({**columns, "alpha": np.full(shape, alpha), SIDE: np.full(shape, side)})

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
