"""The probability of a miss over the truth, at the size and alpha where a contract is broken."""

from __future__ import annotations

import math

import numpy as np
import polars as pl

from harness.base.errors import HarnessError
from harness.base.numerics.arrays import Floats
from harness.checks.behaviour import WORST
from harness.checks.contract.terms import MEAN_NAME, TERMS, WORST_NAME
from harness.checks.counter_examples.records import MissExample, is_known
from harness.checks.report import Finding, format_cell
from harness.checks.restriction import Size
from harness.checks.scenarios import limits_table, scenario_of, truths_inside
from harness.checks.subjects.subject import Subject
from harness.designs.paired_scenario import scenario_at
from harness.designs.scenario import Limits, Scenario
from harness.designs.solvers import solver_of
from harness.distributions.truths import DiscreteTruth, PairTruth
from harness.families.catalogue import family_of
from harness.families.family import TWO_SAMPLES, Family
from harness.methods.method import NONE, Contract

_COLUMNS = 420
"""The most columns of a picture; of the curve in each its ends and extremes are kept."""
_LARGEST = 20_000
"""The most outcomes whose limits are asked for."""


def miss_example(
    finding: Finding, subject: Subject, exact: pl.DataFrame, contract: Contract
) -> MissExample | None:
    """The curve of a finding about the worst alpha or the mean alpha error.

    Args:
        finding: of the exact numbers.
        subject: the method, which has been asked for all limits already.
        exact: its exact numbers.
        contract: what it is held to.

    Returns:
        The curve; None where there is none, as of pairs.
    """
    family, cell = family_of(subject.family), finding.cell
    if finding.check not in (MEAN_NAME, WORST_NAME) or "alpha" not in cell:
        return None
    if any(name not in cell for name in family.sizes) or not subject.deterministic:
        return None
    sizes = tuple(float(cell[name]) for name in family.sizes)
    alpha = float(cell["alpha"])
    size: Size = sizes[0] if len(sizes) == 1 else (sizes[0], sizes[1])
    scenario = scenario_of(subject.family, size)
    try:
        if solver_of(scenario).possible_count() > _LARGEST:
            return None
        limits = limits_table(subject, scenario, [alpha])
        held, words = scenario, ""
        if family.design == TWO_SAMPLES:
            second = _second_truth(exact, family, sizes, alpha)
            held = _held(scenario, size, second)
            words = f"{family.symbols[1]} = {second:.4g}, "
            limits = Limits.of(held, limits.outcomes, limits.lower, limits.upper)
        curve = solver_of(held).miss_curve(limits)
    except HarnessError:
        return None
    if curve is None:
        return None
    truths, missed = _thinned(curve.truths, curve.missed)
    place = {**{name: cell[name] for name in family.sizes}, "alpha": alpha}
    is_mean = finding.check == MEAN_NAME
    everywhere = contract != NONE and TERMS[contract].everywhere
    inside = None if is_mean or everywhere else truths_inside(scenario)[0]
    worst = None if is_mean else _worst(curve.truths, curve.missed, inside)
    found, expected = float(cell["found"]), float(cell["expected"])
    supremum = cell.get(family.numbered("worst_truth")[0])
    if isinstance(supremum, int | float):
        # It may be the limit at a jump, or beyond the truths of the curve.
        worst = float(supremum), found
    return MissExample(
        sentence=_sentence(is_mean, alpha, found, expected, worst, family.symbols[0]),
        truth=family.symbols[0],
        unit=family.model.UNIT,
        held=words + format_cell(place),
        truths=truths,
        missed=missed,
        alpha=alpha,
        allowed=alpha - expected if is_mean else expected,
        mean=alpha - found if is_mean else None,
        inside=inside,
        worst=worst,
        grid={
            **{name: (each,) for name, each in zip(family.sizes, sizes, strict=True)},
            "alpha": (alpha,),
        },
    )


def _second_truth(
    exact: pl.DataFrame, family: Family, sizes: tuple[float, ...], alpha: float
) -> float:
    """The truth of the second sample where the worst alpha is."""
    row = exact.filter(pl.col("alpha") == alpha, pl.col(WORST).is_not_null())
    for name, size in zip(family.sizes, sizes, strict=True):
        row = row.filter(pl.col(name) == size)
    return float(row[family.numbered("worst_truth")[1]][0])


def _held(scenario: Scenario, size: Size, second: float) -> Scenario:
    """The scenario with one truth of the second sample."""
    truth = scenario.truth
    assert isinstance(truth, PairTruth)
    return scenario_at(scenario.family, size, PairTruth(truth.first, DiscreteTruth((second,))))


def _worst(
    truths: Floats, missed: Floats, inside: tuple[float, float] | None
) -> tuple[float, float] | None:
    """The truth with the largest miss probability."""
    where = np.ones(truths.size, np.bool_)
    if inside is not None:
        where = (truths >= inside[0]) & (truths <= inside[1])
    if not where.any():
        return None
    at = int(np.argmax(np.where(where, missed, -1.0)))
    return float(truths[at]), float(missed[at])


def _sentence(
    is_mean: bool,
    alpha: float,
    found: float,
    expected: float,
    worst: tuple[float, float] | None,
    symbol: str,
) -> str:
    if is_mean:
        side = "more" if found < 0 else "less"
        return (
            f"The intervals miss with {_percent(alpha - found)} on average, {side} often than the "
            f"{_percent(alpha)} that are desired; {_percent(alpha - expected)} would be allowed."
        )
    if worst is None or not is_known(*worst):
        return f"The worst miss probability is {_percent(found)}, {_percent(expected)} is allowed."
    return (
        f"Where {symbol} = {worst[0]:.4g}, the intervals miss it with {_percent(worst[1])}; "
        f"{_percent(expected)} is allowed, and {_percent(alpha)} desired."
    )


def _percent(value: float) -> str:
    return f"{100.0 * value:.3g} %" if math.isfinite(value) else "an unknown probability"


def _thinned(truths: Floats, missed: Floats) -> tuple[Floats, Floats]:
    """The curve as a picture shows it: in each column its first, lowest, highest and last point."""
    if truths.size <= 4 * _COLUMNS:
        return truths, missed
    edges = np.linspace(truths[0], truths[-1], _COLUMNS + 1)
    column = np.clip(np.searchsorted(edges, truths, side="right") - 1, 0, _COLUMNS - 1)
    kept: list[int] = []
    for places in np.split(np.arange(truths.size), np.flatnonzero(np.diff(column)) + 1):
        low, high = places[missed[places].argmin()], places[missed[places].argmax()]
        kept += sorted({int(places[0]), int(low), int(high), int(places[-1])})
    return truths[kept], missed[kept]
