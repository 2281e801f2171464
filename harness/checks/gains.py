"""What a change of a method gains and what it loses, side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

BASELINE = "its baseline"
"""What messages call the baseline of a method."""

_LEAST_CHANGE = 5e-7
"""A relative change of the mean length below this is none in a sentence."""


@dataclass(frozen=True)
class Tally:
    """At how many sizes and alphas a measure is better, the same and worse than the reference's."""

    measure: str
    better: int
    same: int
    worse: int
    change: float | None
    """The mean of the differences, of lengths of the relative ones.

    A difference within the tolerance is 0. None where no difference is finite.
    """
    is_relative: bool

    @property
    def cells(self) -> int:
        """The number of sizes and alphas."""
        return self.better + self.same + self.worse

    @property
    def mean_change(self) -> str:
        """The mean change in words: "+0.4 %", "-0.00021"."""
        if not self.change:
            return "none" if self.change == 0.0 else ""
        return f"{100.0 * self.change:+.2g} %" if self.is_relative else f"{self.change:+.2g}"

    def to_dict(self) -> dict[str, Any]:
        """The tally as plain data."""
        return {
            "measure": self.measure,
            "better": self.better,
            "same": self.same,
            "worse": self.worse,
            "mean_change": self.change,
            "relative": self.is_relative,
        }


@dataclass(frozen=True)
class Gains:
    """The gains and losses of a method against another one or a baseline."""

    reference: str
    tallies: tuple[Tally, ...]
    """Of the worst alpha, the mean alpha error and the length."""

    @property
    def sentence(self) -> str:
        """The tallies in words.

        As "against its baseline: safer at 112 of 176 sizes and alphas, less safe at 3; longer by
        0.4 % on average". Safer is a smaller worst alpha.
        """
        worst, _, length = self.tallies
        parts = [
            f"{words} at {count} of {worst.cells} sizes and alphas"
            for words, count in (("safer", worst.better), ("less safe", worst.worse))
            if count
        ]
        if len(parts) > 1:
            parts = [f"{parts[0]}, less safe at {worst.worse}"]
        parts = parts or [f"as safe at all {worst.cells} sizes and alphas"]
        if length.change and abs(length.change) >= _LEAST_CHANGE:
            words = "longer" if length.change > 0 else "shorter"
            parts.append(f"{words} by {100.0 * abs(length.change):.2g} % on average")
        else:
            parts.append("as long on average")
        return f"against {self.reference}: {'; '.join(parts)}"

    def rows(self) -> list[tuple[str, ...]]:
        """A heading and a row for each measure: better, same, worse and the mean change."""
        heading = (f"against {self.reference}", "better", "same", "worse", "mean change")
        return [
            heading,
            *(
                (each.measure, f"{each.better}", f"{each.same}", f"{each.worse}", each.mean_change)
                for each in self.tallies
            ),
        ]

    def lines(self) -> list[str]:
        """The sentence, and below it the rows as a table of text, unless all is the same."""
        if all(each.same == each.cells for each in self.tallies):
            return [self.sentence]
        rows = self.rows()
        widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
        return [
            self.sentence,
            *(
                "  ".join(
                    cell.rjust(width) if place else cell.ljust(width)
                    for place, (cell, width) in enumerate(zip(row, widths, strict=True))
                ).rstrip()
                for row in rows
            ),
        ]

    def to_dict(self) -> dict[str, Any]:
        """The gains and losses as plain data."""
        return {
            "reference": self.reference,
            "summary": self.sentence,
            "measures": [each.to_dict() for each in self.tallies],
        }
