"""Families of pairs: two systems judge the same cases, and the data are a table of counts.

The data are the four counts; the size n is their sum.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from harness.base.errors import InputError
from harness.base.numerics.arrays import Floats
from harness.base.text import enumerated
from harness.distributions.paired_truths import CELLS, PARTS, ROUNDING, Cells
from harness.distributions.truths import Prior
from harness.families import proportion
from harness.families.combination import LOGARITHM, PairedParameter, inverted
from harness.families.data import broadcast_columns, validate_counts, validate_values, whole_numbers
from harness.families.family import MONTE_CARLO, Data, Family, validate_names
from harness.families.model import model_like

PAIRS = "pairs"
"""The design: a table of pairs."""

SMALLEST_SHAPE = 0.05
"""Nearly all mass of a smaller shape lies too close to 0 for doubles."""
PAIR = model_like(
    proportion,
    NAME="pair",
    COUNTED="pairs",
    FLAT_PRIOR=(1.0, 1.0, 1.0, 1.0),
    PRIOR="Dirichlet",
    PRIOR_SYMBOLS=("a11", "a10", "a01", "a00"),
    PRIOR_RANGE="four numbers [a11, a10, a01, a00], each at least 0.05",
    is_valid_prior=lambda prior: min(prior) >= SMALLEST_SHAPE,
    # In a sum over all cells of (count − mean)²/mean each has the variance of a count of events.
    count_variance=lambda mean, p: mean,
)
"""The model of the probabilities of a pair: proportions, with a Dirichlet prior of all four."""


def _correlation_at(cells: Sequence[Any]) -> Any:
    """Return φ at the probabilities of both, first_only, second_only and neither."""
    p11, p10, p01, p00 = cells
    first, second = p11 + p10, p11 + p01
    scale = np.sqrt(first * second * (p01 + p00) * (p10 + p00))
    return (p11 * p00 - p10 * p01) / scale


MARGINS_AT: dict[str, Callable[[Sequence[Any]], Any]] = {
    "first": lambda cells: cells[0] + cells[1],
    "second": lambda cells: cells[0] + cells[2],
    "correlation": _correlation_at,
}
"""The margins at the probabilities of both, first_only, second_only and neither."""


def family_of_pairs(
    name: str,
    title: str,
    parameter: str,
    of_pairs: PairedParameter,
    exact_engines: Sequence[str],
    posterior: Callable[[Data, Prior], Any] | None = None,
) -> Family:
    """Return a family of one table of pairs.

    Args:
        name, title, parameter, of_pairs: as of ``Family``.
        exact_engines: the engines beside Monte Carlo.
        posterior: the posterior of the parameter given the data and a Dirichlet prior; None where
            there is none in closed form.
    """

    suffixes = tuple(f"_{cell}" for cell in CELLS)
    return Family(
        name,
        title,
        parameter,
        PAIR,
        PAIRS,
        engines=(MONTE_CARLO, *exact_engines),
        data=CELLS,
        sizes=(PAIR.SIZE,),
        truths=tuple(f"truth{suffix}" for suffix in suffixes),
        symbols=("p11", "p10", "p01", "p00"),
        support=of_pairs.support,
        validate_data=partial(validated_table, name, CELLS),
        estimate=of_pairs.estimate,
        counts=CELLS,
        directions=(0.0, 1.0, -1.0, 0.0),
        suffixes=suffixes,
        of_pairs=of_pairs,
        shares_size=True,
        scale=of_pairs.scale,
        parameter_at=of_pairs.at,
        mirrored=of_pairs.mirrored,
        all_truths=with_last_cell("p00 = 1 − p11 − p10 − p01"),
        closed_posterior=posterior,
        truth_parts=dict(zip(PARTS, ("p10", "p01", "p11", "p1", "p2", "φ"), strict=True)),
        part_at=MARGINS_AT,
        # The concordant cells follow where they share what the discordant ones leave.
        held=("p11", "p00"),
        quantity=PAIR.QUANTITY,
        counts_of_cases=_cells_of_verdicts,
    )


def _cells_of_verdicts(verdicts: Sequence[Sequence[int]]) -> list[int]:
    """The counts of the cells: right in both, in the first only, in the second only, in neither."""
    pairs = Counter(zip(*verdicts, strict=True))
    return [pairs[cell] for cell in ((1, 1), (1, 0), (0, 1), (0, 0))]


def with_last_cell(words: str) -> Callable[[Sequence[Floats]], tuple[Floats, ...]]:
    """Return the function that adds the last cell, which the others leave; ``words`` name it."""

    def with_rest(given: Sequence[Floats]) -> tuple[Floats, ...]:
        # Rounding may leave less than 0.
        left = np.asarray(1.0 - sum(given))
        validate_values(left, left < -ROUNDING, words, "at least 0")
        return (*given, np.maximum(left, 0.0))

    return with_rest


def validated_table(family: str, cells: Sequence[str], given: Mapping[str, npt.ArrayLike]) -> Data:
    """Return the counts of a table as float arrays of one shape.

    Args:
        family: the name of the family.
        cells: the names of the counts.
        given: the counts by their names.

    Raises:
        InputError: a count is missing or unknown, or no whole number from 0 to 10^9; or the sum of
            a table is 0 or above 10^9.
    """
    validate_names(family, cells, given)
    columns = broadcast_columns(cells, [whole_numbers(name, given[name]) for name in cells])
    for name, column in zip(cells, columns, strict=True):
        validate_counts(column, name)
    total = np.asarray(sum_of(columns))
    outside = (total < 1) | (total > proportion.LARGEST_SIZE)
    validate_values(total, outside, f"the sum of {enumerated(cells)}", "from 1 to 10^9")
    return columns


def validate_table(family: Family, cells: Cells) -> None:
    """Refuse a table of probabilities at which the parameter is no number.

    Raises:
        InputError: it is 0/0 or infinite there.
    """
    parameter = float(family.parameter_at([np.array(cell) for cell in cells]))
    if np.isfinite(parameter):
        return
    if family.of_pairs is not None:
        needed, where = "both or second_only above 0", "0 for both"
    else:
        named = zip(family.symbols, cells, strict=True)
        where = f"0/0 at {', '.join(f'{symbol} = {p:.6g}' for symbol, p in named)}"
        needed = "probabilities"
    raise InputError(f"expected {needed}, where {family.parameter} is a number, found {where}")


def sum_of(data: Sequence[Floats]) -> Floats:
    """Return the number of pairs of each table, shape (m,)."""
    both, first_only, second_only, neither = data
    return np.asarray(both + first_only + second_only + neither)


def _difference(cells: Sequence[Floats]) -> Floats:
    _, first_only, second_only, _ = cells
    return np.asarray(first_only - second_only)


OF_DIFFERENCE = PairedParameter(
    at=_difference,
    estimate=lambda data: np.asarray(_difference(data) / sum_of(data)),
    # p₁₀ − p₀₁ = θ · (the sum of the cells)
    constraint=lambda theta: (-theta, 1.0 - theta, -1.0 - theta, -theta),
    mirrored=lambda lower, upper: (-upper, -lower),
    support=(-1.0, 1.0),
)
"""The difference p₁ − p₂ = p₁₀ − p₀₁."""


def _ratio(cells: Sequence[Floats]) -> Floats:
    both, first_only, second_only, _ = cells
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray((both + first_only) / (both + second_only))


OF_RATIO = PairedParameter(
    at=_ratio,
    estimate=_ratio,
    constraint=lambda theta: (1.0 - theta, np.ones_like(theta), -theta, np.zeros_like(theta)),
    mirrored=inverted,
    support=(0.0, np.inf),
    uses_both=True,
    scale=LOGARITHM,
)
"""The ratio p₁/p₂ = (p₁₁ + p₁₀)/(p₁₁ + p₀₁)."""
