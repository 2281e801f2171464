"""The form of a config of calibration: how often what is called probable is so."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from harness.config.constraints import expecting
from harness.config.form import Form, Key, entry
from harness.config.pair_truth_entry import DISTRIBUTIONS, pair_key
from harness.config.prior_entry import prior_key
from harness.config.range_entry import SIZE_RANGES, delta_entry
from harness.config.shared_keys import CALIBRATION, first_keys, last_keys
from harness.config.trial_entry import Count
from harness.families.family import Family

Bins = Annotated[int, Field(ge=2, le=1000), expecting("a whole number of bins from 2 to 1000")]


def calibration(family: Family, families: Sequence[str]) -> Form:
    """The keys for a family of two samples, which is one of those ``families``."""
    title = f"Calibration of probabilities about {family.title}"
    keys = {
        **first_keys(CALIBRATION, family.name, families),
        **_sizes(family),
        "truth": pair_key(family, DISTRIBUTIONS),
        "delta": entry(
            delta_entry(family), "What the parameter is held against: one, or {uniform: [a, b]}."
        ),
        "trials": entry(Count, "How many Monte Carlo trials."),
        "bins": entry(Bins, "Equal parts of [0, 1] that the probabilities are counted in.", 20),
        "prior": prior_key(family, "of each sample"),
        **last_keys(),
    }
    return Form(CALIBRATION, family, title, keys)


def _sizes(family: Family) -> dict[str, Key]:
    size = SIZE_RANGES[family.model.SIZE]
    first, second = family.sizes
    return {
        first: entry(size, "Size of the first sample: one, or {uniform: [a, b]}."),
        second: entry(size, "Size of the second sample: one, or {uniform: [a, b]}."),
    }
