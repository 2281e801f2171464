"""The figures of a run whose config names none: a few that suit its family and its size."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from harness.base.plain_data import plain_number
from harness.families.family import EXACT_ENGINES
from harness.figures.catalogue import FIGURES
from harness.figures.requirements import (
    MOST_TRUTHS,
    ExperimentFacts,
    second_truths,
    unmet_requirements,
)

MOST_FIGURES = 4
MOST_METHODS = 8
"""The most methods of one figure; of more, the first ones are drawn."""
LARGEST_SIZE = 2_000
"""The largest size whose outcomes are drawn one by one."""
MOST_LISTED = 12
"""The most true values that each have a panel; of more, a curve goes over them."""

Figure = dict[str, Any]
"""A figure as a config writes it."""


def suitable_figures(facts: ExperimentFacts, settled: Sequence[str]) -> list[Figure]:
    """Return the figures that suit an experiment, the most telling first, four at the most.

    Each is of one nominal alpha, and of at most eight methods. Curves are drawn where the truth is
    a grid or a list, at the smallest and the largest size, or over the sizes if the true values
    are few; where the truth is a distribution the ranking of the methods, and the alpha of each
    outcome if n is at most 2000.

    Args:
        facts: what is known of the experiment, which is valid.
        settled: labels of the methods whose limits are known to be functions of the outcome.
    """
    found = []
    for figure in _candidates(facts, settled):
        kind = FIGURES[figure["kind"]]
        options = {key: value for key, value in figure.items() if key != "kind"}
        if not any(unmet_requirements(kind, kind.options.model_validate(options), facts)):
            found.append(figure)
    return found[:MOST_FIGURES]


def _candidates(facts: ExperimentFacts, settled: Sequence[str]) -> Iterator[Figure]:
    """Figures in the order of preference; some may ask for what the experiment lacks."""
    if facts.kind != "coverage":
        yield from ({"kind": kind.name} for kind in FIGURES.values() if kind.over == "bin")
    elif facts.has_true_values:
        yield from _over_truths(facts)
        yield {"kind": "ranking", **_alpha(facts)}
    else:
        yield {"kind": "ranking", **_alpha(facts)}
        yield from _over_size(facts)
        yield from _over_outcomes(facts, settled)


def _over_truths(facts: ExperimentFacts) -> Iterator[Figure]:
    """Coverage and length over the true values, or over the size where the values are few."""
    assert facts.truth is not None
    assert facts.truth.is_discrete
    if facts.truth.count > MOST_TRUTHS:
        return
    if facts.truth.count <= MOST_LISTED and len(facts.sizes) > 1:
        yield from _over_size(facts)
        return
    seconds = second_truths(facts.truth)
    held = {"second": seconds[len(seconds) // 2]} if len(seconds) > 1 else {}
    ends = dict.fromkeys((facts.sizes[0], facts.sizes[-1]))
    for kind in ("coverage_curve", "length_curve"):
        for size in ends:
            yield {"kind": kind, **_size(facts, size), **_chosen(facts), **held}


def _over_size(facts: ExperimentFacts) -> Iterator[Figure]:
    # Means of lengths are those of an exact engine, or of data that are lists.
    exact = not set(EXACT_ENGINES).isdisjoint(facts.engines or ())
    has_lengths = exact or not facts.family.has_outcomes
    for kind in ("coverage_over_size", *(["length_over_size"] if has_lengths else [])):
        yield {"kind": kind, **_chosen(facts)}


def _over_outcomes(facts: ExperimentFacts, settled: Sequence[str]) -> Iterator[Figure]:
    """The alpha of each outcome, exact and by Monte Carlo; of two samples the limits at one."""
    small = [size for size in facts.sizes if _largest(size) <= LARGEST_SIZE]
    if not small or not settled:
        return
    at = _size(facts, small[-1])
    yield {"kind": "alpha_over_outcome", **at, **_chosen(facts)}
    yield {"kind": "alpha_by_outcome", **at, "method": settled[0], **_alpha(facts)}
    yield {"kind": "bounds", **at, **_chosen(facts)}


def _chosen(facts: ExperimentFacts) -> Figure:
    """The methods and the alpha, where there is a choice."""
    methods = list(facts.sides or ())
    few = {"methods": methods[:MOST_METHODS]} if len(methods) > MOST_METHODS else {}
    return {**few, **_alpha(facts)}


def _alpha(facts: ExperimentFacts) -> Figure:
    alphas = facts.alphas or ()
    return {"alpha": alphas[0]} if len(alphas) > 1 else {}


def _size(facts: ExperimentFacts, size: Any) -> Figure:
    if len(facts.sizes) == 1:
        return {}
    several = isinstance(size, tuple)
    return {"n": [plain_number(n) for n in size] if several else plain_number(size)}


def _largest(size: Any) -> float:
    return max(size) if isinstance(size, tuple) else float(size)
