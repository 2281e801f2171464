"""The number of Monte Carlo trials, and where the work runs."""

from __future__ import annotations

from typing import Annotated, Literal, cast

from pydantic import AfterValidator, Field, Tag

from harness.config import experiment
from harness.config.models.constraints import Word, by_key, exactly_one, expecting
from harness.methods.user.process import TIMEOUT
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


def _trial_count(model: PerOutcome | PerSize | PerTruth) -> experiment.TrialCount:
    ((kind, count),) = model
    return experiment.TrialCount(cast(experiment.TrialsKind, kind), count)


_KEYS = ("per_outcome", "per_size", "per_truth")
Trials = Annotated[
    Annotated[PerOutcome, Tag("<per_outcome>")]
    | Annotated[PerSize, Tag("<per_size>")]
    | Annotated[PerTruth, Tag("<per_truth>")],
    by_key(_KEYS),
    exactly_one(
        _KEYS,
        elsewhere={
            "half_width": "expected one of the keys per_outcome, per_size, per_truth, found "
            "half_width: stopping on precision is not available yet; say how many trials instead"
        },
    ),
    AfterValidator(_trial_count),
]
"""The type of the key ``trials`` of a coverage experiment, which yields a `TrialCount`."""


class Execution(StrictModel):
    """Where the work runs; it changes no result, except of what exceeds the timeout."""

    jobs: Annotated[
        Literal[-1] | Annotated[int, Field(ge=1)],
        expecting("a whole number of at least 1, or -1 for every core"),
    ] = Field(-1, description="Processes or threads; -1 uses every core.")
    backend: Annotated[str, Word("a backend", ("threading", "loky"), later=("dask",))] = Field(
        "threading", description="joblib's backend."
    )
    timeout: Annotated[
        float, Field(gt=0, le=86_400), expecting("a number of seconds above 0, up to 86400")
    ] = Field(TIMEOUT, description="Seconds that a call of a user function may take.")


ExecutionSettings = Annotated[
    Execution, AfterValidator(lambda model: experiment.Execution(**dict(model)))
]
"""The type of the key ``execution``, which yields an `experiment.Execution`."""
