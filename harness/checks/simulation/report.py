"""The report about a method that was checked on a model of the user's own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from harness.checks.findings import format_cell
from harness.checks.report import MOST_LINES, CheckReport


@dataclass(frozen=True, kw_only=True)
class ModelReport(CheckReport):
    """All findings about one method on a model; ``behaviour`` has a row for each scenario."""

    model: str
    """The function that draws the data."""
    estimand: str
    factors: tuple[str, ...]

    @property
    def headline(self) -> str:
        """The verdict in one line, with the model."""
        return f"{self.method} (on {self.model}): {self.verdict_in_words}"

    @property
    def about(self) -> str:
        """What the method is for, in a sentence."""
        return f"A method on the model {self.model}, whose true value is {self.estimand}."

    @property
    def place_names(self) -> tuple[str, ...]:
        """What says where a finding is, in the headline."""
        return (*self.factors, "alpha")

    def number_rows(self) -> list[tuple[str, ...]]:
        """A heading, and a row for each scenario with what its trials have shown."""
        rows = self.behaviour.rows()
        heading = tuple(name.replace("_", " ") for name in self.behaviour.columns)
        return [
            heading,
            *(
                tuple(f"{value:.4g}" if isinstance(value, float) else str(value) for value in row)
                for row in rows
            ),
        ]

    def format_numbers(self) -> list[str]:
        """A line for each of the scenarios with the lowest coverage."""
        if self.behaviour.is_empty():
            return []
        lowest = self.behaviour.sort("coverage", maintain_order=True).head(MOST_LINES)
        lines = []
        for row in lowest.iter_rows(named=True):
            place = format_cell({name: row[name] for name in self.place_names})
            lines.append(f"  coverage {row['coverage']:.4f} ± {row['mcse']:.4f} at {place}")
        return ["", *lines]

    def to_dict(self) -> dict[str, Any]:
        """The report as plain data, as in the JSON format."""
        return {**super().to_dict(), "model": self.model, "estimand": self.estimand}
