"""A calibration: the record of a valid config, each attribute with the keys that decide it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from pydantic import Field

from harness.base.models import expecting
from harness.config.form import Key, Keys
from harness.config.models.sizes import delta_type, size_range_type, write_range
from harness.config.models.trials import Count
from harness.config.models.truths import distributions_type, truth_of, written_truth
from harness.config.shared_keys import (
    ExecutionKey,
    FamilyExperiment,
    SeedKey,
    figures_key,
    kind_and_family,
    prior_key,
)
from harness.config.values import Execution, SizeRange
from harness.distributions.truths import PairTruth, Prior
from harness.families.catalogue import FAMILIES
from harness.families.family import Family
from harness.figures.kind import FigureSpec

CALIBRATION = "calibration"
FAMILIES_OF_TWO = {name: family for name, family in FAMILIES.items() if family.samples == 2}

Bins = Annotated[int, Field(ge=2, le=1000), expecting("a whole number of bins from 2 to 1000")]


def _size_ranges(family: Family) -> Keys:
    def of_sample(sample: int, which: str) -> Key:
        about = f"Size of the {which} sample: one, or {{uniform: [a, b]}}."

        def write(sizes: Sequence[SizeRange]) -> Any:
            return write_range(sizes[sample].lower, sizes[sample].upper)

        return Key(size_range_type(family), about, write=write)

    first, second = family.sizes
    return {first: of_sample(0, "first"), second: of_sample(1, "second")}


def _distributions(family: Family) -> Key:
    about = "Where the true parameters come from: {first, second}."
    kind, default = distributions_type(family), truth_of(family).default
    return Key(kind, about, default, write=lambda truth: written_truth(truth.content()))


def _delta(family: Family) -> Key:
    about = "The value that the parameter is compared with: one, or {uniform: [a, b]}."
    return Key(delta_type(family), about, write=lambda delta: write_range(*delta))


@dataclass(frozen=True, kw_only=True)
class Calibration(FamilyExperiment):
    """A config of the kind ``calibration``, fully resolved: how often do probable events happen?

    In each trial both sizes, both true values and delta are drawn.
    """

    family: Annotated[
        Family, kind_and_family(CALIBRATION, "a family of two samples", FAMILIES_OF_TWO)
    ]
    sizes: Annotated[tuple[SizeRange, SizeRange], _size_ranges]
    truth: Annotated[PairTruth, _distributions]
    """Two distributions."""
    delta: Annotated[tuple[float, float], _delta]
    """Drawn uniformly between the two; fixed where they are equal."""
    trials: Annotated[int, Key(Count, "How many Monte Carlo trials.")]
    bins: Annotated[
        int, Key(Bins, "Equal parts of [0, 1] that the probabilities are counted in.", 20)
    ]
    prior: Annotated[Prior, prior_key("of each sample")]
    """The parameters of the prior of each sample."""
    seed: Annotated[int, SeedKey]
    execution: Annotated[Execution, ExecutionKey]
    figures: Annotated[tuple[FigureSpec, ...], figures_key]
    kind: ClassVar[str] = CALIBRATION
    form_title: ClassVar[str] = "Calibration of probabilities about"
