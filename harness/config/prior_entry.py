"""Priors as pydantic models: Beta for a proportion, Gamma for a rate."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, Field

from harness.config.constraints import expecting
from harness.config.form import Key, entry
from harness.config.strict import Pair
from harness.families import rate
from harness.families.family import Family


def _gamma(prior: list[float]) -> list[float]:
    if not rate.prior_fits((prior[0], prior[1])):
        raise ValueError(prior)
    return prior


PRIORS: dict[str, Any] = {
    "proportion": Annotated[Pair, expecting("two positive numbers [a, b]")],
    "rate": Annotated[
        list[Annotated[float, Field(ge=0)]],
        Field(min_length=2, max_length=2),
        AfterValidator(_gamma),
        expecting(rate.PRIOR_RANGE),
    ],
}
"""By the model of a sample."""

MEANING = {"proportion": "Beta(a, b)", "rate": "Gamma(a, b)"}


def prior_key(family: Family, whose: str) -> Key:
    """A prior that is flat where none is given; ``whose`` ends its description."""
    model = family.model
    flat = [int(value) for value in model.FLAT_PRIOR]
    about = f"{MEANING[model.NAME]} prior {whose}."
    return entry(PRIORS[model.NAME], about, flat)
