"""The limits of a method at the outcomes of one size, and the exact coverage that follows.

The tables hold the limits, unless enumeration alone has run; those of a method of the catalogue are
then computed once more. Limits of a user function are only read.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from harness.base.numerics.arrays import Floats, Integers
from harness.catalogue import scenario_for
from harness.families.combination import Span
from harness.families.family import STOPPED_AT, Family
from harness.figures import selection
from harness.figures.kind import EVERY_ENGINE

if TYPE_CHECKING:
    from harness.designs.design import Scenario
    from harness.designs.engines.solver import Solver
    from harness.designs.limits import Limits
    from harness.designs.miss_curve import MissCurve
    from harness.tables.results import Results


def exact_curve(
    results: Results,
    method: str,
    alpha: float,
    family: Family,
    size: selection.Size,
    over: Span,
    held: Sequence[float] = (),
) -> MissCurve | None:
    """The miss probability over a range of the truth, with both one-sided values at each jump.

    It is None where there is no such curve (of pairs, clusters and strata, and in a finite
    population), where limits are not known, and where they are too many to be seen.

    Args:
        results: the tables and the manifest of the run.
        method: the label of the method.
        alpha: one of the run.
        family: of the results.
        size: of each sample.
        over: the range of the first truth.
        held: the true value of each further sample.
    """
    key = method, alpha, family.name, tuple(size), tuple(over), tuple(held)
    if key not in results.curves:
        # A range of one point has no curve.
        curve, has_range = None, over[0] < over[1]
        scenario = scenario_with(results, family, size, over, held) if has_range else None
        if scenario is not None:
            within_reach = limits_in_reach(results, scenario, method, alpha)
            if within_reach is not None:
                solver, limits = within_reach
                curve = solver.miss_curve(limits)
        results.curves[key] = curve
    shared: MissCurve | None = results.curves[key]
    return shared


def limits_in_reach(
    results: Results, scenario: Scenario, method: str, alpha: float
) -> tuple[Solver, Limits] | None:
    """What computes a size, with the limits at all outcomes that its true values can have.

    It is None where limits are not known, and where they are too many to be seen.
    """
    # The engines are loaded only where a figure is drawn.
    from harness.designs.engines.solver import solver_of
    from harness.designs.miss_curve import LARGEST_CURVE

    solver = solver_of(scenario)
    if not solver.range_count(solver.hull()) <= LARGEST_CURVE:
        return None
    outcomes = solver.range_outcomes(solver.hull())
    limits = known_limits(results, scenario, method, alpha, outcomes)
    return None if limits is None else (solver, limits)


def scenario_with(
    results: Results,
    family: Family,
    size: selection.Size,
    first: tuple[float, ...],
    held: Sequence[float],
) -> Scenario | None:
    """A size of the run with other true values; None of other designs, and of an unknown law.

    Args:
        results: whose manifest says how outcomes arise.
        family: of the results.
        size: of each sample.
        first: true values of the first sample, ascending.
        held: the true value of each further sample.
    """
    # What computes is loaded only where a figure is drawn.
    from harness.distributions.sampling.laws import sampling_law
    from harness.distributions.truths import DiscreteTruth, PairTruth

    if not (family.has_counts_of_samples or family.stops):
        return None
    law, sampling = None, results.manifest.get("experiment", {}).get("sampling")
    if sampling is not None:
        law = sampling_law(family.model.NAME, sampling)
    elif "sampling" in results.cells.columns and STOPPED_AT not in results.cells.columns:
        return None
    values = DiscreteTruth(first)
    if family.samples == 1:
        return scenario_for(family, size[0], values, law=law)
    return scenario_for(family, size, PairTruth(values, *(DiscreteTruth((p,)) for p in held)))


def known_limits(
    results: Results, scenario: Scenario, method: str, alpha: float, outcomes: Integers
) -> Limits | None:
    """The limits of a method at outcomes; None where they are neither stored nor of the catalogue.

    Args:
        results: the tables and the manifest of the run.
        scenario: its size.
        method: the label of the method.
        alpha: one of the run.
        outcomes: ascending.
    """
    from harness.designs.limits import Limits

    pair = _stored(results, scenario, method, alpha, outcomes)
    if pair is None:
        pair = _computed(results, scenario, method, alpha, outcomes)
    if pair is None:
        return None
    lower, upper = pair
    return Limits.of(scenario, outcomes, lower[np.newaxis], upper[np.newaxis])


def _stored(
    results: Results, scenario: Scenario, method: str, alpha: float, outcomes: Integers
) -> tuple[Floats, Floats] | None:
    """The limits in the tables; NaN where a method failed. None unless all outcomes have a row."""
    family, cells = scenario.family, results.cells
    if STOPPED_AT in cells.columns and not family.stops:
        return None
    if not {*family.counts, "lower", "upper"} <= set(cells.columns) or "x_last" in cells.columns:
        return None
    at_size = selection.at(family.sizes, scenario.sizes)
    rows = cells.filter(at_size, given="outcome", method=method, alpha=alpha)
    for engine in EVERY_ENGINE:
        part = rows.filter(engine=engine).select(*family.counts, "lower", "upper")
        counts = (part[name].to_numpy().astype(np.int64) for name in family.counts)
        stored = scenario.outcomes(*counts)
        order = np.argsort(stored)
        place = np.searchsorted(stored, outcomes, sorter=order)
        if part.is_empty() or (place >= stored.size).any():
            continue
        place = order[place]
        if (stored[place] == outcomes).all():
            lower, upper = (part[name].cast(float).to_numpy() for name in ("lower", "upper"))
            return lower[place], upper[place]
    return None


def _computed(
    results: Results, scenario: Scenario, method: str, alpha: float, outcomes: Integers
) -> tuple[Floats, Floats] | None:
    """The limits of a method of the catalogue; None of a user's, and of one that draws limits."""
    from harness.callers.source import CatalogueSource
    from harness.designs.design import observed_at
    from harness.methods.catalogue import find

    listed: list[dict[str, Any]] = results.manifest.get("experiment", {}).get("methods", [])
    named = (entry for entry in listed if entry["label"] == method and "name" in entry)
    entry = next(named, None)
    if entry is None:
        return None
    prior = tuple(entry["prior"]) if "prior" in entry else None
    source = CatalogueSource(method, find(scenario.family, entry["name"]), prior)
    if not source.deterministic or source.method.needs_stopping:
        return None
    observed, side = observed_at(scenario, outcomes), entry["side"]
    answers = source.limits(observed, alpha, side).intervals(observed, alpha, side)
    return answers.lower, answers.upper
