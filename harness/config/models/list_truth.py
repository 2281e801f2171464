"""Where the true values of families of lists come from."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, Field, Tag, model_validator

from harness.base.errors import InputError
from harness.base.models import StrictModel
from harness.config.models.constraints import by_key, exactly_one, expecting, refused
from harness.config.models.paired_truth import Probabilities, list_of
from harness.config.models.truth import LONGEST_GRID, GridSpan
from harness.distributions.list_truths import ClusterTruth, RunTruth, StratumTruth
from harness.distributions.run_truths import runs_truth
from harness.families.family import CLUSTERS, RUNS, STRATA, Family

_RHO = "a number from 0 to below 1"
_DIFFERENCE = "a number from -1 to 1"
_PROBABILITY = "a number from 0 to 1"

Rho = Annotated[float, Field(ge=0, lt=1), expecting(_RHO)]
Difference = Annotated[float, Field(ge=-1, le=1), expecting(_DIFFERENCE)]
Strata = Annotated[
    list[Annotated[float, Field(ge=0, le=1), expecting(_PROBABILITY)]], Field(min_length=1)
]


class _RhoValues(StrictModel):
    """A list of correlations within a cluster."""

    values: Annotated[list[Rho], Field(min_length=1)] = Field(description=f"Each {_RHO}.")


class _RhoSpan(GridSpan):
    """Evenly spaced correlations, both ends included."""

    start: Rho = Field(description="Smallest correlation.")
    stop: Rho = Field(description="Largest correlation.")


class _RhoGrid(StrictModel):
    """A grid of correlations within a cluster."""

    grid: _RhoSpan = Field(description="The first, the last and how many.")


class _DifferenceValues(StrictModel):
    """A list of differences."""

    values: Annotated[list[Difference], Field(min_length=1)] = Field(
        description=f"Each {_DIFFERENCE}."
    )


class _DifferenceSpan(GridSpan):
    """Evenly spaced differences, both ends included."""

    start: Difference = Field(description="Smallest difference.")
    stop: Difference = Field(description="Largest difference.")


class _DifferenceGrid(StrictModel):
    """A grid of differences."""

    grid: _DifferenceSpan = Field(description="The first, the last and how many.")


Correlations: Any = list_of(_RhoValues, _RhoGrid)
Differences: Any = list_of(_DifferenceValues, _DifferenceGrid)


class OfClusters(StrictModel):
    """Proportions, and correlations within a cluster; the values of each are crossed."""

    p: Probabilities = Field(description="True proportions.")
    rho: Correlations = Field(
        description="The correlation of two cases of a cluster: 0 where all are independent."
    )


def _cluster_truth(model: OfClusters) -> ClusterTruth:
    truth = ClusterTruth(model.p, model.rho)
    if truth.count > LONGEST_GRID:
        raise refused(f"expected at most {LONGEST_GRID} pairs of p and rho, found {truth.count}")
    return truth


class OfStrata(StrictModel):
    """Probabilities of the second sample over the strata, with those of the first or differences.

    With ``difference`` it is p1 − p2 in every stratum.
    """

    second: Strata = Field(description="p2 in each stratum.")
    first: Strata | None = Field(None, description="p1 in each stratum.")
    difference: Differences | None = Field(None, description="p1 - p2, the same in all strata.")

    @model_validator(mode="after")
    def _one_of_two(self) -> OfStrata:
        if (self.first is None) == (self.difference is None):
            raise refused("expected second with either first or difference")
        if self.first is not None and len(self.first) != len(self.second):
            raise refused(
                f"expected as many probabilities in first as in second ({len(self.second)}), "
                f"found {len(self.first)}"
            )
        return self


def _stratum_truth(model: OfStrata) -> StratumTruth:
    second = tuple(p + 0.0 for p in model.second)
    if model.first is not None:
        return StratumTruth(((tuple(p + 0.0 for p in model.first), second),))
    try:
        return StratumTruth.of_differences(second, model.difference or ())
    except InputError as error:
        raise refused(str(error)) from None


class _Normal(StrictModel):
    """A normal distribution."""

    mean: float = Field(description="Mean.")
    sd: float = Field(description="Standard deviation, above 0.")


class _Gamma(_Normal):
    """A shifted gamma distribution."""

    skewness: float = Field(description="Skewness, not 0; below 0 the long tail is the lower one.")


class _Failed(StrictModel):
    """Runs that fail."""

    share: float = Field(description="The probability that a run fails, above 0 and below 1.")
    mean: float = Field(description="Mean of failed runs.")
    sd: float = Field(description="Standard deviation of failed runs, from 0 on.")


class _Mixture(StrictModel):
    """Normal runs, some of which fail."""

    normal: _Normal = Field(description="The runs that do not fail.")
    failed: _Failed = Field(description="The runs that do.")


class OfNormal(StrictModel):
    """Normal values of runs."""

    normal: _Normal = Field(description="{mean, sd}.")


class OfGamma(StrictModel):
    """Skewed values of runs."""

    gamma: _Gamma = Field(description="{mean, sd, skewness}.")


class OfBeta(StrictModel):
    """Accuracies of runs."""

    beta: list[float] = Field(min_length=2, max_length=2, description="[s, t] of Beta(s, t).")


class OfMixture(StrictModel):
    """Values of runs that may fail."""

    mixture: _Mixture = Field(description="{normal, failed}.")


_LAWS = ("normal", "gamma", "beta", "mixture")


def _run_truth(model: OfNormal | OfGamma | OfBeta | OfMixture) -> RunTruth:
    ((name, settings),) = model.model_dump().items()
    try:
        return RunTruth(runs_truth(name, settings))
    except InputError as error:
        raise refused(str(error)) from None


_RUNS: Any = Annotated[
    Annotated[OfNormal, Tag("<normal>")]
    | Annotated[OfGamma, Tag("<gamma>")]
    | Annotated[OfBeta, Tag("<beta>")]
    | Annotated[OfMixture, Tag("<mixture>")],
    by_key(_LAWS),
    exactly_one(_LAWS),
    AfterValidator(_run_truth),
]

_TYPES: dict[str, Any] = {
    RUNS: _RUNS,
    CLUSTERS: Annotated[OfClusters, AfterValidator(_cluster_truth)],
    STRATA: Annotated[OfStrata, AfterValidator(_stratum_truth)],
}

ABOUT = {
    RUNS: "The distribution of the value of a run, whose mean is estimated.",
    CLUSTERS: "True proportions p and correlations rho within a cluster: {p, rho}.",
    STRATA: "True probabilities over the strata: {second, difference} or {first, second}.",
}


def list_truth_type(family: Family) -> Any:
    """The type of the truth of a family of lists, which yields a truth."""
    return _TYPES[family.design]
