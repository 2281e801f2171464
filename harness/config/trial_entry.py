"""How many Monte Carlo trials, as pydantic models."""

from __future__ import annotations

from typing import Annotated

from pydantic import Discriminator, Field, Tag

from harness.config.constraints import by_key, exactly_one, expecting
from harness.models import StrictModel

Count = Annotated[
    int,
    Field(ge=1, le=10**12, description="Number of trials."),
    expecting("a whole number of trials from 1 to 10^12"),
]


class PerOutcome(StrictModel):
    """Trials in proportion to the number of outcomes."""

    per_outcome: Count = Field(
        description="This many times n + 1 trials at each n; of two samples (n1 + 1)(n2 + 1)."
    )


class PerSize(StrictModel):
    """The same number of trials at each size."""

    per_size: Count = Field(description="Trials at each size.")


class PerTruth(StrictModel):
    """The same number of trials at each true value."""

    per_truth: Count = Field(
        description="Trials at each true value of a grid or list, at each size."
    )


_TAGS = {"per_outcome": "<outcome>", "per_size": "<size>", "per_truth": "<truth>"}
TrialsEntry = Annotated[
    Annotated[PerOutcome, Tag("<outcome>")]
    | Annotated[PerSize, Tag("<size>")]
    | Annotated[PerTruth, Tag("<truth>")],
    Discriminator(by_key(_TAGS)),
    exactly_one(
        tuple(_TAGS),
        elsewhere={
            "half_width": "expected one of the keys per_outcome, per_size, per_truth, found "
            "half_width: stopping on precision is not available yet; say how many trials instead"
        },
    ),
]
TAGGED: dict[str, type[StrictModel]] = {
    "<outcome>": PerOutcome,
    "<size>": PerSize,
    "<truth>": PerTruth,
}
