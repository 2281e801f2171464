"""A method against another one, or against its own baseline."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from harness.checks.against import against
from harness.checks.baseline import stored
from harness.checks.measures import measures
from harness.checks.naming import Named
from harness.checks.records import AGAINST, FAIL, Finding
from harness.checks.same_draws import against_draws
from harness.errors import InputError, IntervalNotFoundError, MethodError
from harness.methods.method import Method

DRAWN_SIZES = (10, 30, 100)
"""Where stochastic methods are looked at, which takes longer than exact numbers do."""

_ENDS_ALL = 1e9
"""The severity of what leaves nothing to compare."""


def against_method(
    method: Method,
    reference: Method,
    name: str,
    family: str,
    sizes: Sequence[float],
    alphas: Sequence[float],
    *,
    drawn_sizes: Sequence[float] = DRAWN_SIZES,
    margin: float | None = None,
    seed: int = 2003,
) -> list[Finding]:
    """Both exactly, cell by cell; on the same draws where one of them is stochastic.

    Args:
        method, reference: two-sided methods of a family of one sample.
        name: what the reference is called.
        family: what is estimated.
        sizes, alphas: the cells of deterministic methods.
        drawn_sizes: the sizes, with the same alphas, where one is stochastic.
        margin: of the miss rate where one is stochastic.
        seed: of the draws.
    """
    try:
        if method.deterministic and reference.deterministic:
            found = measures(method, family, sizes, alphas)
            return against(found, measures(reference, family, sizes, alphas), name)
        return against_draws(
            method, reference, name, family, drawn_sizes, alphas, margin=margin, seed=seed
        )
    except (MethodError, IntervalNotFoundError) as fault:
        return [_failed(name, fault)]


def against_baseline(method: Method, named: Named, folder: str | Path) -> list[Finding]:
    """Against what a baseline holds of the method, at its sizes and alphas.

    Raises:
        InputError: there is no baseline of this method, or the method is stochastic.
    """
    if not method.deterministic:
        raise InputError(f"{named.label} is stochastic and has no baseline, only exact numbers do")
    old = stored(folder, named)
    try:
        return against(measures_at(old, method, named.family), old, "its baseline")
    except (MethodError, IntervalNotFoundError) as fault:
        return [_failed("its baseline", fault)]


def measures_at(cells: pl.DataFrame, method: Method, family: str) -> pl.DataFrame:
    """The measures of a method at the sizes and alphas of a table."""
    size = cells.columns[0]
    parts = [
        measures(method, family, [at], part["alpha"].to_list())
        for (at,), part in cells.group_by(size, maintain_order=True)
        if isinstance(at, float)
    ]
    return pl.concat(parts)


def _failed(name: str, fault: Exception) -> Finding:
    return Finding(f"against {name}", AGAINST, FAIL, str(fault), {}, _ENDS_ALL)
