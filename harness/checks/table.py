"""A table of limits under check, and the sizes and alphas at which it has all outcomes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from harness.base.text import plain_number
from harness.callers.table import TablePoints, TableSource
from harness.checks.behaviour import EXACT_NUMBERS
from harness.checks.findings import CONFORMANCE, PASS, Finding
from harness.checks.plans import scenario_of
from harness.checks.sizes import Restriction, Size
from harness.designs.engines.solver import solver_of

POINTS = "points of the table"


def restriction_of(points: TablePoints, restriction: Restriction) -> Restriction:
    """The restriction, with the sizes and the alphas of a table where it names none."""
    sizes: list[Size] = [
        (size[0], size[1]) if len(size) == 2 else plain_number(size[0]) for size in points.sizes
    ]
    return Restriction(restriction.sizes_or(sizes), restriction.alphas_or(points.alphas))


def complete_grid(
    points: TablePoints, sizes: Sequence[Size], alphas: Sequence[float]
) -> tuple[tuple[Size, ...], tuple[float, ...]]:
    """The sizes and the alphas at which a table has all outcomes that can occur.

    At all of these sizes it has them at all of these alphas. Where it has them at more alphas for
    some sizes than for others, most sizes times alphas are chosen.

    Args:
        points: the limits of the table.
        sizes: to choose from; those with fewer alphas may be left out.
        alphas: to choose from.
    """
    at = {alpha: [size for size in sizes if _is_complete(points, size, alpha)] for alpha in alphas}
    ranked = sorted(alphas, key=lambda alpha: (-len(at[alpha]), alpha))
    best: tuple[tuple[Size, ...], tuple[float, ...]] = ((), ())
    for count in range(1, len(ranked) + 1):
        chosen = ranked[:count]
        shared = tuple(size for size in sizes if all(size in at[alpha] for alpha in chosen))
        if len(shared) * count > len(best[0]) * len(best[1]):
            best = shared, tuple(sorted(chosen))
    return best


def _is_complete(points: TablePoints, size: Size, alpha: float) -> bool:
    scenario = scenario_of(points.family, size)
    stored = points.at(tuple(map(float, scenario.sizes)), alpha)
    solver = solver_of(scenario)
    if len(stored) < solver.possible_count():
        return False
    counts = scenario.counts(solver.possible_outcomes())
    outcomes = zip(*(column.astype(np.float64).tolist() for column in counts), strict=True)
    return all(outcome in stored for outcome in outcomes)


def points_finding(source: TableSource, sizes: Sequence[Size], alphas: Sequence[float]) -> Finding:
    """How many points of a table were checked, and where there were exact numbers.

    Args:
        source: the table, after the check.
        sizes: those at which exact numbers were computed.
        alphas: likewise.
    """
    points = source.points
    numbers = (
        f"exact numbers are computed at {len(sizes)} of {len(points.sizes)} sizes and "
        f"{len(alphas)} of {len(points.alphas)} alphas, where it has all outcomes"
        if sizes
        else "exact numbers do not apply: it has all outcomes of no size and alpha"
    )
    message = f"{len(source.asked)} of {points.count} points of the table were checked; {numbers}"
    return Finding(POINTS, CONFORMANCE, PASS, message, {})


def no_exact_numbers(kind: str, name: str = EXACT_NUMBERS) -> Finding:
    """The finding in place of those about exact numbers, where a table suffices for none."""
    message = "does not apply: the table has all outcomes of no size and alpha"
    return Finding(name, kind, PASS, message, {})
