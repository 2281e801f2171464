"""What the data of a family are called, in the tables and in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from harness.families.catalogue import family_of
from harness.families.family import Family

Size = tuple[float, ...]
"""The size of each sample."""

_SUCCESSES, _EVENTS = "successes", "events"


@dataclass(frozen=True)
class DataNames:
    """The columns that hold a family's data, and how an axis or a title speaks of them."""

    family: Family

    @property
    def sizes(self) -> tuple[str, ...]:
        return self.family.sizes

    @property
    def counts(self) -> tuple[str, ...]:
        return self.family.counts

    @property
    def truths(self) -> tuple[str, ...]:
        return self._numbered("truth")

    @property
    def of_rates(self) -> bool:
        return self.family.model.SUPPORT[1] > 1

    def sized(self, size: Size) -> str:
        """``n = 50``, or ``n1 = 50, n2 = 20``; likewise for exposures."""
        return ", ".join(f"{name} = {n:.12g}" for name, n in zip(self.sizes, size, strict=True))

    def size_in_stem(self, size: Size) -> list[str]:
        """The same as parts of a file name: ``n50``."""
        if len(size) == 1:
            return [f"{self.sizes[0]}{size[0]:.12g}"]
        return [f"{name}_{n:.12g}" for name, n in zip(self.sizes, size, strict=True)]

    def outcome_of(self, size: Size) -> str:
        """The label of an axis of outcomes of one sample."""
        (n,) = size
        if self.of_rates:
            return f"outcome x ({_EVENTS} in exposure {n:.12g})"
        return f"outcome x ({_SUCCESSES} of n = {n:.12g})"

    def parameters(self) -> tuple[str, ...]:
        """The symbol of each sample's parameter: ``p``, or ``p1`` and ``p2``."""
        return self._numbered(self.family.model.PARAMETER)

    def first_truth(self) -> str:
        """The label of an axis of true values, of the first sample where there are two."""
        first = self.parameters()[0]
        if self.of_rates:
            return f"true {first} (events per unit of exposure)"
        return f"true proportion {first}"

    def parameter(self) -> str:
        """The label of an axis of the family's parameter."""
        words = self.family.name.replace("_", " ")
        symbol = "" if self.family.parameter == words else f" {self.family.parameter}"
        unit = " (events per unit of exposure)" if self.of_rates else ""
        return words + symbol + unit

    def _numbered(self, name: str) -> tuple[str, ...]:
        samples = self.family.samples
        return (name,) if samples == 1 else tuple(f"{name}{i + 1}" for i in range(samples))


def data_names(cells: pl.DataFrame) -> DataNames:
    """Of the family whose results the cells are."""
    return DataNames(family_of(str(cells["family"][0])))


def as_written(level: Sequence[float]) -> str:
    """A level as a config gives it: one number, or two in brackets."""
    numbers = [f"{value:.12g}" for value in level]
    return numbers[0] if len(numbers) == 1 else f"[{', '.join(numbers)}]"
