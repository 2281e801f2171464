"""How long the intervals of a method are: beside the catalogue's shortest, and as n grows."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import polars as pl

from harness.base.errors import MethodError
from harness.checks.behaviour import LENGTH, mean_length_of
from harness.checks.contract.exact import cell_of
from harness.checks.findings import (
    CONTRACT,
    FAIL,
    LENGTH_NAME,
    PASS,
    REMARK,
    TAILS,
    Finding,
    FindingPlaces,
    and_more,
    format_cell,
)
from harness.checks.plans import checked_at, scenario_of
from harness.checks.scenarios import limits_at
from harness.checks.sizes import ANYWHERE, Restriction
from harness.checks.subject import Subject, side_of
from harness.designs.design import Scenario, data_of
from harness.designs.engines.solver import solver_of
from harness.families.family import POSTERIOR, Family
from harness.methods.catalogue import methods_for
from harness.methods.method import AT_LEAST, LOWER, NONE, TWO_SIDED, Contract

SHRINKS = "shrinks with n"
SHORTEST = 0.8
"""The largest ratio of the mean length at 4n to that at n; of a sound method it is near 0.5."""
FIRST_SIZE = 50.0


def check_length(contract: Contract, subject: Subject, exact: pl.DataFrame) -> list[Finding]:
    """Say how much longer a method is than the catalogue's shortest that keeps "at-least".

    That is the one with the smallest mean length under a uniform truth at that size and alpha, of
    those with limits of the same sides: of one-sided ones Clopper-Pearson's bound, or Garwood's.

    Args:
        contract: the contract of the method; of others than "at-least" nothing is said.
        subject: the method.
        exact: its exact numbers.

    Returns:
        A finding, which has passed; nothing for two samples, where each of the catalogue's methods
        takes minutes, and nothing without a posterior.
    """
    family = subject.family
    if contract != AT_LEAST or POSTERIOR not in family.engines:
        return []
    differences: list[tuple[float, str]] = []
    compared = checked_at(family).compared
    finite = exact.filter(pl.col(LENGTH).is_not_null() & pl.col(LENGTH).is_finite())
    for (alpha,), rows in finite.group_by("alpha", maintain_order=True):
        sizes = rows[family.sizes[0]].to_numpy()
        nearest = {int(np.abs(np.log(sizes / at)).argmin()) for at in compared}
        for place in sorted(nearest):
            row, level = rows.row(place, named=True), float(str(alpha))
            size = row[family.sizes[0]]
            shortest = _shortest(subject.family, size, level, side_of(subject))
            if shortest is not None:
                where = f"{shortest[1]}, {format_cell(cell_of(row, subject.family))}"
                differences.append((row[LENGTH] / shortest[0] - 1.0, where))
    if not differences:
        return []
    least, most = min(differences), max(differences)
    text = f"{_in_words(least[0])} than the catalogue's shortest at-least interval ({least[1]})"
    if len(differences) > 1:
        text += f" to {_in_words(most[0])} ({most[1]})"
    numbers = {"found": most[0], "from": least[0]}
    return [Finding(LENGTH_NAME, CONTRACT, PASS, f"mean length {text}", numbers)]


def _in_words(difference: float) -> str:
    return f"{abs(difference):.1%} {'longer' if difference >= 0 else 'shorter'}".replace("%", " %")


@lru_cache(maxsize=1024)
def _shortest(family: Family, size: float, alpha: float, side: str) -> tuple[float, str] | None:
    """The smallest mean length of the methods that promise "at-least", and the method's name."""
    scenario = scenario_of(family, size)
    outcomes = solver_of(scenario).possible_outcomes()
    lengths = []
    for name, method in methods_for(family).items():
        if method.promise != AT_LEAST or side not in method.sides:
            continue
        lower, upper = method.limits(data_of(scenario, outcomes), alpha, side)
        length = mean_length_of(scenario, outcomes, lower, upper)
        if np.isfinite(length) and length > 0:
            lengths.append((length, name))
    return min(lengths, default=None)


def check_shrinking(
    contract: Contract,
    subject: Subject,
    alphas: Sequence[float],
    restriction: Restriction = ANYWHERE,
) -> list[Finding]:
    """Whether the intervals of a method become shorter as n grows.

    At each size, from n = 50 on, the mean length over outcomes spread over the range is at most 0.8
    of that at a quarter of the size. Of a one-sided limit the distance from the estimate takes the
    place of the length.

    Args:
        contract: the contract of the method; of "none" a length that does not shrink is a remark.
        subject: a deterministic method.
        alphas: the alphas.
        restriction: the only sizes that the method is asked for.

    Returns:
        A finding, about the alpha and the size where it shrinks least; nothing where the method
        has no limits at two of the sizes.
    """
    largest = np.inf if subject.largest_size is None else subject.largest_size
    rungs = range(checked_at(subject.family).rungs)
    taken = set()
    for size in restriction.sizes_or([FIRST_SIZE * 4.0**rung for rung in rungs]):
        # Of several samples all have the same size where lengths are compared.
        first, *others = size if isinstance(size, tuple) else (size,)
        if {*others} <= {first} and FIRST_SIZE <= first <= largest:
            taken.add(float(first))
    sizes = sorted(size for size in taken if 4.0 * size in taken or size / 4.0 in taken)
    ratios: list[tuple[float, float, Scenario, float, float]] = []
    for alpha in alphas:
        means = {size: _mean_of_some(subject, size, alpha) for size in sizes}
        for size, before in means.items():
            length = means.get(4.0 * size)
            if before and length is not None:
                scenario = _scenario(subject.family, 4.0 * size)
                ratios.append((length / before, alpha, scenario, before, length))
    if not ratios:
        return []
    ratio, alpha, scenario, before, length = max(ratios, key=lambda at: at[0])
    cell = {**scenario.named_sizes, "alpha": alpha}
    message = (
        f"mean length {length:.4g} at {format_cell(cell)}, {ratio:.3g} of the {before:.4g} at a "
        f"quarter of the size"
    )
    numbers = {**cell, "found": ratio, "expected": SHORTEST}
    if ratio <= SHORTEST:
        return [Finding(SHRINKS, TAILS, PASS, f"at worst {message}", numbers)]
    message += f", where at most {SHORTEST:g} of it is allowed"
    cells = [
        {**at.named_sizes, "alpha": level, "found": share}
        for share, level, at, _, _ in ratios
        if share > SHORTEST
    ]
    message += and_more(len(cells), " sizes and alphas")
    places = FindingPlaces({name: np.array([place[name] for place in cells]) for name in cells[0]})
    verdict = REMARK if contract == NONE else FAIL
    return [Finding(SHRINKS, TAILS, verdict, message, numbers, ratio, places)]


def _scenario(family: Family, size: float) -> Scenario:
    """The scenario of that size, or where there are two samples of it for each."""
    return scenario_of(family, (size,) * len(family.sizes))


def _mean_of_some(subject: Subject, size: float, alpha: float) -> float | None:
    """The mean length over some outcomes; None where the method has no finite limits there.

    Of a ratio they are those whose estimate is neither 0 nor infinite: next to these a length does
    not shrink.
    """
    scenario = _scenario(subject.family, size)
    family, side = subject.family, side_of(subject)
    outcomes = solver_of(scenario).spread_outcomes(checked_at(family).spread)
    estimate = family.estimate(data_of(scenario, outcomes))
    inside = family.scale.has_place(estimate)
    outcomes, estimate = outcomes[inside], estimate[inside]
    try:
        lower, upper = limits_at(subject, scenario, outcomes, alpha)
    except MethodError:
        return None
    lengths = upper - lower
    if side != TWO_SIDED:
        lengths = np.abs((lower if side == LOWER else upper) - estimate)
    lengths = lengths[np.isfinite(lengths)]
    return float(lengths.mean()) if lengths.size else None
