"""Priors as pydantic models: Beta for a proportion, Gamma for a rate."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, Field

from harness.config.constraints import expecting
from harness.config.form import Key, entry
from harness.config.strict import Pair
from harness.families.family import Family


def prior_of(family: Family) -> Any:
    """The type of a prior of the family."""

    def fits(prior: list[float]) -> list[float]:
        if not family.is_valid_prior((prior[0], prior[1])):
            raise ValueError(prior)
        return prior

    if family.name == "proportion":
        return Annotated[Pair, expecting("two positive numbers [a, b]")]
    return Annotated[
        list[Annotated[float, Field(ge=0)]],
        Field(min_length=2, max_length=2),
        AfterValidator(fits),
        expecting(family.prior_range),
    ]


MEANING = {"proportion": "Beta(a, b)", "rate": "Gamma(a, b)"}


def prior_key(family: Family, whose: str) -> Key:
    """A prior that is flat where none is given; ``whose`` ends its description."""
    model = family.model
    flat = [int(value) for value in model.FLAT_PRIOR]
    about = f"{MEANING[model.NAME]} prior {whose}."
    return entry(prior_of(family), about, flat)
