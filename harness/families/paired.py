"""Families of pairs: two systems judge the same cases, and the data are a table of counts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from harness.base.errors import HarnessError, InputError
from harness.base.numerics.arrays import Floats
from harness.base.text import enumerated
from harness.distributions.paired_truths import CELLS, PARTS, ROUNDING, Cells
from harness.distributions.truths import Prior
from harness.families.combination import Span, inverted, logarithm
from harness.families.data import broadcast_columns, validate_values, whole_numbers
from harness.families.family import Data, Family
from harness.families.pairs import LARGEST_SIZE


class PairedParameter(Protocol):
    """A parameter of the probabilities of a pair, of which p₁ = p₁₁ + p₁₀ and p₂ = p₁₁ + p₀₁."""

    @property
    def directions(self) -> tuple[float, ...]:
        """How it moves with the count of each cell: 1 rises, −1 falls, 0 either."""
        ...

    @property
    def uses_both(self) -> bool:
        """Whether it depends on the concordant cells."""
        ...

    @property
    def is_ratio(self) -> bool:
        """Whether it is a ratio, of which logarithms are compared."""
        ...

    @property
    def support(self) -> Span: ...

    def scale(self, parameter: Floats) -> Floats:
        """Return the parameter, or of a ratio its logarithm."""
        ...

    def mirrored(self, lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
        """Return the limits when first and second change places."""
        ...

    def at(self, cells: Sequence[Floats]) -> Floats:
        """Return the parameter at tables of probabilities.

        Args:
            cells: both, first_only, second_only and neither, shape (t,) each.
        """
        ...

    def estimate(self, data: Data) -> Floats:
        """Return the parameter at the observed proportions, shape (m,)."""
        ...

    def moved_mass(self, cells: Sequence[Floats], parameter: Floats) -> Floats:
        """Return the mass that moves a table to another value of the parameter.

        Args:
            cells: both, first_only, second_only and neither, shape (t,) each.
            parameter: the other value, shape (t,).

        Returns:
            What second_only loses and first_only gains, shape (t,).
        """
        ...

    def constraint(self, parameter: Floats) -> tuple[Floats, ...]:
        """Return a of each cell, with Σ a·p = 0 at the tables p that have the parameter.

        Args:
            parameter: shape (t,).

        Returns:
            Four arrays of shape (t,): of both, first_only, second_only and neither.
        """
        ...


@dataclass(frozen=True)
class PairedDifference:
    """The difference p₁ − p₂ = p₁₀ − p₀₁."""

    @property
    def directions(self) -> tuple[float, ...]:
        return 0.0, 1.0, -1.0, 0.0

    @property
    def uses_both(self) -> bool:
        return False

    @property
    def is_ratio(self) -> bool:
        return False

    @property
    def support(self) -> Span:
        return -1.0, 1.0

    def scale(self, parameter: Floats) -> Floats:
        return parameter

    def mirrored(self, lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
        return -upper, -lower

    def at(self, cells: Sequence[Floats]) -> Floats:
        _, first_only, second_only, _ = cells
        return np.asarray(first_only - second_only)

    def estimate(self, data: Data) -> Floats:
        return np.asarray(self.at(data) / sum_of(data))

    def moved_mass(self, cells: Sequence[Floats], parameter: Floats) -> Floats:
        return np.asarray(0.5 * (parameter - self.at(cells)))

    def constraint(self, parameter: Floats) -> tuple[Floats, ...]:
        # p₁₀ − p₀₁ = θ · (the sum of the cells)
        return -parameter, 1.0 - parameter, -1.0 - parameter, -parameter


@dataclass(frozen=True)
class PairedRatio:
    """The ratio p₁/p₂ = (p₁₁ + p₁₀)/(p₁₁ + p₀₁)."""

    @property
    def directions(self) -> tuple[float, ...]:
        return 0.0, 1.0, -1.0, 0.0

    @property
    def uses_both(self) -> bool:
        return True

    @property
    def is_ratio(self) -> bool:
        return True

    @property
    def support(self) -> Span:
        return 0.0, np.inf

    def scale(self, parameter: Floats) -> Floats:
        return logarithm(parameter)

    def mirrored(self, lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
        return inverted(lower, upper)

    def at(self, cells: Sequence[Floats]) -> Floats:
        both, first_only, second_only, _ = cells
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray((both + first_only) / (both + second_only))

    def estimate(self, data: Data) -> Floats:
        return self.at(data)

    def moved_mass(self, cells: Sequence[Floats], parameter: Floats) -> Floats:
        both, first_only, second_only, _ = cells
        first, second = both + first_only, both + second_only
        return np.asarray((parameter * second - first) / (1.0 + parameter))

    def constraint(self, parameter: Floats) -> tuple[Floats, ...]:
        return 1.0 - parameter, np.ones_like(parameter), -parameter, np.zeros_like(parameter)


@dataclass(frozen=True)
class PairedFamily(Family):
    """A parameter of one table of pairs.

    The data are the four counts; the size n is their sum.
    """

    of_pairs: PairedParameter = PairedDifference()
    posterior_of_pairs: Callable[[Data, Prior], Any] | None = None
    """The posterior of the parameter given the data and a Dirichlet prior."""

    @property
    def samples(self) -> int:
        return 1

    @property
    def is_weighted_sum(self) -> bool:
        return False

    @property
    def is_ratio(self) -> bool:
        return self.of_pairs.is_ratio

    @property
    def counts(self) -> tuple[str, ...]:
        return CELLS

    @property
    def data(self) -> tuple[str, ...]:
        return CELLS

    @property
    def sizes(self) -> tuple[str, ...]:
        return (self.model.SIZE,)

    @property
    def symbols(self) -> tuple[str, ...]:
        return "p11", "p10", "p01", "p00"

    @property
    def uses_both(self) -> bool:
        """Whether the parameter depends on the concordant cells."""
        return self.of_pairs.uses_both

    @property
    def directions(self) -> tuple[float, ...]:
        return self.of_pairs.directions

    @property
    def support(self) -> Span:
        return self.of_pairs.support

    @property
    def truth_parts(self) -> dict[str, str]:
        return dict(zip(PARTS, ("p10", "p01", "p11", "p1", "p2", "φ"), strict=True))

    @property
    def free_symbols(self) -> tuple[str, ...]:
        return self.symbols[:-1]

    def all_truths(self, given: Sequence[Floats]) -> tuple[Floats, ...]:
        # 1 − p11 − p10 − p01, in which rounding may leave less than 0.
        left = np.asarray(1.0 - sum(given))
        validate_values(left, left < -ROUNDING, "p00 = 1 − p11 − p10 − p01", "at least 0")
        return (*given, np.maximum(left, 0.0))

    @property
    def curve_truths(self) -> tuple[tuple[str, str], ...]:
        # The concordant cells follow where they share what the discordant ones leave.
        return tuple(zip(self.truths, self.symbols, strict=True))[1:3]

    def numbered(self, name: str) -> tuple[str, ...]:
        """Return the name for each cell of the table."""
        return tuple(f"{name}_{cell}" for cell in CELLS)

    def columns(self, counts: Sequence[Floats], sizes: Sequence[float]) -> Data:
        return tuple(counts)

    def validate_truth(self, cells: Cells) -> None:
        """Refuse a table of probabilities at which the parameter is no number.

        Raises:
            InputError: it is 0/0 or infinite there.
        """
        found = float(self.of_pairs.at([np.array(each) for each in cells]))
        if not np.isfinite(found):
            raise InputError(
                f"expected both or second_only above 0, where {self.parameter} is a number, "
                f"found 0 for both"
            )

    def parameter_at(self, truths: Sequence[Floats]) -> Floats:
        return self.of_pairs.at(truths)

    def constraint(self, parameter: Floats) -> tuple[Floats, ...]:
        """Return a of each cell, with Σ a·p = 0 at the tables p that have the parameter."""
        return self.of_pairs.constraint(parameter)

    def scale(self, parameter: Floats) -> Floats:
        return self.of_pairs.scale(parameter)

    def mirrored(self, lower: Floats, upper: Floats) -> tuple[Floats, Floats] | None:
        return self.of_pairs.mirrored(lower, upper)

    def estimate(self, data: Data) -> Floats:
        return self.of_pairs.estimate(data)

    def posterior(self, data: Data, prior: Prior) -> Any:
        if self.posterior_of_pairs is None:
            raise HarnessError(f"the parameter of {self.name} has no closed posterior")
        return self.posterior_of_pairs(data, prior)

    def validate_data(self, given: dict[str, npt.ArrayLike]) -> Data:
        """Return the four counts as float arrays of one shape.

        Raises:
            InputError: a column is missing or unknown, a value is no whole number from 0 to 10^9,
                or the sum of a table is 0 or above 10^9.
        """
        if set(given) != set(CELLS):
            found = ", ".join(sorted(given)) or "nothing"
            raise InputError(f"{self.name} needs the data {names_in_words()}, found {found}")
        columns = broadcast_columns(CELLS, [whole_numbers(name, given[name]) for name in CELLS])
        for name, column in zip(CELLS, columns, strict=True):
            outside = (column < 0) | (column > LARGEST_SIZE)
            validate_values(column, outside, name, "a whole number from 0 to 10^9")
        total = np.asarray(sum_of(columns))
        outside = (total < 1) | (total > LARGEST_SIZE)
        validate_values(total, outside, f"the sum of {names_in_words()}", "from 1 to 10^9")
        return columns


def sum_of(data: Data) -> Floats:
    """Return the number of pairs of each table, shape (m,)."""
    both, first_only, second_only, neither = data
    return np.asarray(both + first_only + second_only + neither)


def names_in_words() -> str:
    """The names of the four counts: ``both, first_only, second_only and neither``."""
    return enumerated(CELLS)
