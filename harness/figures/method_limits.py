"""The limits of a method at the outcomes of one size, from the tables or computed again.

The tables hold them, unless enumeration alone has run; those of a method of the catalogue are then
computed once more. Limits of a user function are only read.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from harness.base.numerics.arrays import Floats, Integers
from harness.families.catalogue import family_of
from harness.families.family import SINGLE_SAMPLE, TWO_SAMPLES, Family
from harness.figures import selection
from harness.figures.kind import EVERY_ENGINE

if TYPE_CHECKING:
    from harness.designs.scenario import Limits, Scenario

SAMPLES = (SINGLE_SAMPLE, TWO_SAMPLES)
"""The designs whose outcomes have limits at true values that a figure may choose."""


def scenario_with(
    results: selection.Tables,
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
    from harness.designs.paired_scenario import scenario_at
    from harness.distributions.sampling.laws.catalogue import sampling_law
    from harness.distributions.truths import DiscreteTruth, PairTruth

    if family.design not in SAMPLES:
        return None
    law, sampling = None, _experiment(results).get("sampling")
    if sampling is not None:
        law = sampling_law(family.model.NAME, sampling)
    elif "sampling" in results.cells.columns:
        return None
    values = DiscreteTruth(first)
    if family.design == SINGLE_SAMPLE:
        return scenario_at(family.name, size[0], values, law=law)
    return scenario_at(family.name, size, PairTruth(values, *(DiscreteTruth((p,)) for p in held)))


def known_limits(
    results: selection.Tables, scenario: Scenario, method: str, alpha: float, outcomes: Integers
) -> Limits | None:
    """The limits of a method at outcomes; None where they are neither stored nor of the catalogue.

    Args:
        results: the tables and the manifest of the run.
        scenario: its size.
        method: the label of the method.
        alpha: one of the run.
        outcomes: ascending.
    """
    from harness.designs.scenario import Limits

    found = _stored(results, scenario, method, alpha, outcomes)
    if found is None:
        found = _computed(results, scenario, method, alpha, outcomes)
    if found is None:
        return None
    lower, upper = (np.atleast_2d(each) for each in found)
    return Limits.of(scenario, outcomes, lower, upper)


def _stored(
    results: selection.Tables, scenario: Scenario, method: str, alpha: float, outcomes: Integers
) -> tuple[Floats, Floats] | None:
    """The limits in the tables; NaN where a method failed. None unless all outcomes have a row."""
    family, cells = family_of(scenario.family), results.cells
    if not {*family.counts, "lower", "upper"} <= set(cells.columns) or "x_last" in cells.columns:
        return None
    at_size = selection.at(family.sizes, scenario.sizes)
    rows = cells.filter(at_size, given="outcome", method=method, alpha=alpha)
    for engine in EVERY_ENGINE:
        part = rows.filter(engine=engine).select(*family.counts, "lower", "upper")
        counts = (part[name].to_numpy().astype(np.int64) for name in family.counts)
        known = scenario.outcomes(*counts)
        order = np.argsort(known)
        place = np.searchsorted(known, outcomes, sorter=order)
        if part.is_empty() or (place >= known.size).any():
            continue
        place = order[place]
        if (known[place] == outcomes).all():
            lower, upper = (part[name].cast(float).to_numpy() for name in ("lower", "upper"))
            return lower[place], upper[place]
    return None


def _computed(
    results: selection.Tables, scenario: Scenario, method: str, alpha: float, outcomes: Integers
) -> tuple[Floats, Floats] | None:
    """The limits of a method of the catalogue; None of a user's, and of one that draws limits."""
    from harness.callers.source import CatalogueSource
    from harness.designs.scenario import observed_at
    from harness.methods.catalogue import find

    listed: list[dict[str, Any]] = _experiment(results).get("methods", [])
    entry = next((each for each in listed if each["label"] == method and "name" in each), None)
    if entry is None:
        return None
    prior = tuple(entry["prior"]) if "prior" in entry else None
    source = CatalogueSource(method, find(scenario.family, entry["name"]), prior)
    if not source.deterministic:
        return None
    observed, side = observed_at(scenario, outcomes), entry["side"]
    answers = source.limits(observed, alpha, side).intervals(observed, alpha, side)
    return answers.lower, answers.upper


def _experiment(results: selection.Tables) -> dict[str, Any]:
    return dict(results.manifest.get("experiment", {}))
