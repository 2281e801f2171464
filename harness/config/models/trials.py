"""The number of Monte Carlo trials, and where the work runs."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self, cast

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    model_validator,
)

from harness.base.models import StrictModel, Word, expecting, one_of, refused
from harness.base.text import plain_number
from harness.callers.process import TIMEOUT
from harness.config import values
from harness.config.values import DASK
from harness.designs.precision import FIRST_LOOK_DRAWN

MOST_TRIALS = 10**11
"""The most trials of one scenario: hours on any machine."""


def _whole(value: Any) -> Any:
    """A number such as 1e3, which YAML and Python read as 1000.0, as the whole number it is."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


Count = Annotated[
    int,
    Field(ge=1, le=10**12, description="Number of trials."),
    BeforeValidator(_whole),
    expecting("a whole number of trials from 1 to 10^12"),
]


LargestCount = Annotated[
    int,
    Field(ge=FIRST_LOOK_DRAWN, le=MOST_TRIALS),
    BeforeValidator(_whole),
    expecting(f"a whole number of trials from {FIRST_LOOK_DRAWN} to 10^11"),
]
SmallHalfWidth = Annotated[
    float, Field(gt=0, lt=0.5), expecting("a half-width above 0 and below 0.5")
]


class PerOutcome(StrictModel):
    """Trials in proportion to the number of outcomes."""

    per_outcome: Count = Field(
        description="This many times n + 1 trials at each n; of two samples (n1 + 1)(n2 + 1), of "
        "pairs (n + 1)(n + 2)/2."
    )


class PerSize(StrictModel):
    """The same number of trials at each size."""

    per_size: Count = Field(description="Trials at each size.")


class PerTruth(StrictModel):
    """The same number of trials at each true value."""

    per_truth: Count = Field(
        description="Trials at each true value of a grid or list, at each size."
    )


class HalfWidth(StrictModel):
    """As many trials as a precision takes."""

    half_width: SmallHalfWidth = Field(
        description="Trials until the 95 % interval of every method's actual alpha reaches at "
        "most this far to each side."
    )
    max: LargestCount = Field(description="The most trials at each size.")


def _trials(model: PerOutcome | PerSize | PerTruth | HalfWidth) -> values.Trials:
    if isinstance(model, HalfWidth):
        return values.Precision(model.half_width, model.max)
    ((kind, count),) = model
    return values.TrialCount(cast(values.TrialsKind, kind), count)


def write_trials(trials: values.Trials | None) -> dict[str, Any] | None:
    """The trials as a config has them."""
    if isinstance(trials, values.Precision):
        return {"half_width": plain_number(trials.half_width), "max": trials.most}
    return None if trials is None else {trials.kind: trials.count}


_MODELS = {
    "per_outcome": PerOutcome,
    "per_size": PerSize,
    "per_truth": PerTruth,
    "half_width": HalfWidth,
}
Trials: Any = Annotated[one_of(_MODELS), AfterValidator(_trials)]
"""The type of the key ``trials`` of a coverage experiment, which yields `values.Trials`."""


_PORT = r"([1-9]\d{0,3}|[1-5]\d{4}|6[0-4]\d{3}|65[0-4]\d{2}|655[0-2]\d|6553[0-5])"
_ADDRESS = rf"^tcp://(\[[0-9A-Fa-f:]+\]|[^\s:/\[\]]+):{_PORT}$"


class Execution(StrictModel):
    """Where the work runs; it changes no result, except of what exceeds the timeout."""

    jobs: Annotated[
        Literal[-1] | Annotated[int, Field(ge=1)],
        expecting("a whole number of at least 1, or -1 for every core"),
    ] = Field(
        -1,
        description="Processes or threads; -1 uses every core. At an address all workers are used.",
    )
    backend: Annotated[str, Word("a backend", ("threading", "loky", DASK))] = Field(
        "threading", description="joblib's backend."
    )
    address: Annotated[
        Annotated[str, Field(pattern=_ADDRESS)] | None,
        expecting("the address of a Dask scheduler, as in tcp://10.0.0.1:8786"),
    ] = Field(
        None,
        description="Of the Dask scheduler; left out, backend dask starts workers on this machine.",
    )
    timeout: Annotated[
        float, Field(gt=0, le=86_400), expecting("a number of seconds above 0, up to 86400")
    ] = Field(TIMEOUT, description="Seconds that a call of a user function may take.")

    @model_validator(mode="after")
    def _address_is_of_a_dask_scheduler(self) -> Self:
        if self.address is not None and self.backend != DASK:
            raise refused(
                f"expected backend: {DASK}, which an address is for, found backend: {self.backend}",
                at="address",
            )
        return self


ExecutionSettings = Annotated[
    Execution, AfterValidator(lambda model: values.Execution(**dict(model)))
]
"""The type of the key ``execution``, which yields an `values.Execution`."""


def write_execution(execution: values.Execution) -> dict[str, Any]:
    """The execution as a config has it; what seldom differs is written only where it does."""
    timeout = {"timeout": plain_number(execution.timeout)} if execution.timeout != TIMEOUT else {}
    address = {} if execution.address is None else {"address": execution.address}
    return {"jobs": execution.jobs, "backend": execution.backend, **address, **timeout}
