"""A table of limits as a source of limits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from harness.methods.source import NO_POINT, Answers, Observed
from harness.methods.user.calls import format_arguments, one_outcome
from harness.methods.user.table.table import Counts, Sizes, TablePoints


@dataclass(frozen=True)
class TableSource:
    """The limits of a table; an outcome that it does not have has none."""

    label: str
    points: TablePoints
    asked: set[tuple[Sizes, float, Counts]] = field(default_factory=set, compare=False)
    """The points of the table that were asked for."""

    @property
    def sides(self) -> tuple[str, ...]:
        return (self.points.side,)

    @property
    def deterministic(self) -> bool:
        return True

    @property
    def has_process(self) -> bool:
        return False

    @property
    def exceptions(self) -> Mapping[str, str]:
        return {}

    @property
    def standard_errors(self) -> None:
        """None: where the limits come from is not known."""
        return None

    def afresh(self) -> None:
        """None: a table remembers nothing."""

    def close(self) -> None:
        """There is nothing to end."""

    def text(self) -> None:
        """None: there is no process."""

    def content(self, alpha: float, side: str) -> Mapping[str, Any]:
        return {"table": self.label, "side": side, "alpha": alpha}

    def limits(self, observed: Observed, alpha: float, side: str) -> Answers:
        known = self.points.at(observed.sizes, alpha)
        lower, upper = np.full((2, observed.count), np.nan)
        failures = {}
        columns = (each.tolist() for each in observed.counts)
        for place, counts in enumerate(zip(*columns, strict=True)):
            if counts in known:
                lower[place], upper[place] = known[counts]
                self.asked.add((observed.sizes, alpha, counts))
            else:
                outcome = {**one_outcome(observed.arguments, place), "alpha": alpha}
                failures[place] = f"{NO_POINT} {format_arguments(outcome)}"
        return Answers(lower, upper, failures)

    def draw(
        self, observed: Observed, alpha: float, side: str, stream: np.random.Generator
    ) -> Answers:
        return self.limits(observed, alpha, side)
