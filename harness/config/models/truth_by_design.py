"""The key ``truth`` of a config, by the design of the family."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from harness.config.models.list_truth import ABOUT, list_truth_type
from harness.config.models.paired_truth import paired_truth_type
from harness.config.models.truth import default_truth, truth_type
from harness.families.family import (
    CLUSTERS,
    PAIRS,
    POSTERIOR,
    RUNS,
    SINGLE_SAMPLE,
    STRATA,
    TWO_SAMPLES,
    Family,
)


@dataclass(frozen=True)
class TruthKey:
    """What the key ``truth`` of a family holds."""

    kind: Any
    """The type of its value, which yields the truth."""
    about: str
    default: Any
    """The truth where a config gives none; ... where it has to."""
    parts: tuple[str, ...]
    """The keys below it that may hold a list of values."""


def truth_of(family: Family) -> TruthKey:
    """What the key ``truth`` of the family holds."""
    return _BY_DESIGN[family.design](family)


def _of_one(family: Family) -> TruthKey:
    about = "Where the true parameter comes from."
    return TruthKey(truth_type(family), about, default_truth(family), ())


def _of_two(family: Family) -> TruthKey:
    about = "Where the true parameters come from: {first, second}."
    return TruthKey(truth_type(family), about, default_truth(family), tuple(family.truth_parts))


def _of_pairs(family: Family) -> TruthKey:
    about = (
        "Where the true probabilities of a pair come from: the discordant ones {first_only, "
        "second_only}, or with the third {first_only, second_only, both}; the margins {first, "
        "second, correlation}; or {dirichlet}."
    )
    # Exact values under a distribution are those of a posterior.
    has_posterior = POSTERIOR in family.engines
    shapes = [int(shape) for shape in family.model.FLAT_PRIOR]
    flat = {"dirichlet": shapes} if has_posterior else ...
    return TruthKey(paired_truth_type(family), about, flat, tuple(family.truth_parts))


def _of_lists(family: Family) -> TruthKey:
    # Of strata only the differences are a list of values.
    parts = {CLUSTERS: ("p", "rho"), STRATA: ("difference",)}.get(family.design, ())
    return TruthKey(list_truth_type(family), ABOUT[family.design], ..., parts)


_BY_DESIGN: dict[str, Callable[[Family], TruthKey]] = {
    SINGLE_SAMPLE: _of_one,
    TWO_SAMPLES: _of_two,
    PAIRS: _of_pairs,
    **dict.fromkeys((RUNS, CLUSTERS, STRATA), _of_lists),
}
