"""The model of one sample: what a family asks of a proportion or a rate."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, Protocol, cast

import numpy as np
import numpy.typing as npt

from harness.base.numerics.arrays import Floats, Integers
from harness.base.numerics.points import RealPoints, UnitPoints
from harness.distributions.posteriors.truncated import Truncated
from harness.distributions.sampling.law import Sampling
from harness.distributions.truths import ContinuousTruth, Prior
from harness.families.combination import Span


class Model(Protocol):
    """The model of one sample: its data, its posterior and the probabilities of its outcomes.

    A module that has these names satisfies the protocol, and so does a ``model_like`` it.
    """

    NAME: str
    COUNT: str
    """The name of the column of counts."""
    SIZE: str
    """The name of the column of sizes."""
    COUNTED: str
    """What is counted, in the plural: successes, events."""
    PARAMETER: str
    """The symbol of the parameter."""
    QUANTITY: str
    """The parameter in words, before its symbol: "proportion "; empty where the symbol says it."""
    UNIT: str
    """The unit of the parameter, in words; empty where it has none."""
    SIZE_IS_COUNT: bool
    """Whether the size is a whole number of trials; otherwise it is any amount above 0."""
    IS_BOUNDED: bool
    """Whether the number of outcomes and the range of the parameter are finite."""
    HAS_MIRROR: bool
    """Whether successes and failures may change places, with limits that follow."""
    SUPPORT: Span
    """The range of the parameter."""
    FLAT_PRIOR: Prior
    PRIOR: str
    """The family of its priors: "Beta" or "Gamma"."""
    PRIOR_SYMBOLS: tuple[str, ...]
    """The symbols of a prior's parameters: a and b."""
    PRIOR_RANGE: str
    """What the parameters of a prior may be, in words."""
    SAMPLING: Sampling

    def validate_data(
        self, x: npt.ArrayLike, n: npt.ArrayLike, names: tuple[str, str] = ...
    ) -> tuple[Floats, Floats]: ...

    def is_valid_prior(self, prior: Prior) -> bool: ...

    def estimate(self, x: Floats, n: Floats) -> Floats: ...

    def counts_of(self, x: Floats, n: float | Floats) -> tuple[Floats, ...]:
        """Return all counts of a sample: successes and failures, or events alone."""

    def score(self, x: Floats, n: float, p: Floats) -> Floats:
        """Return the derivative of the log likelihood of the parameter."""

    def count_variance(self, mean: Floats, p: Floats) -> Floats:
        """Return the variance of a count, from its mean and the parameter."""

    def posterior(self, x: Floats, n: Floats, prior: Prior) -> Any: ...

    def outcome_weights(self, truth: ContinuousTruth, x: Integers, n: float) -> Floats: ...

    def effective_size(self, n: float, prior: Prior) -> float: ...

    def prior_density(self, prior: Prior, p: Floats) -> Floats: ...

    def prior_rule(
        self, breaks: Floats, prior: Prior, n: float
    ) -> tuple[RealPoints | UnitPoints, Floats]: ...


def model_like(model: Model, **own: Any) -> Model:
    """Return a model that is as another one, but for some of its names."""
    names = {name: value for name, value in vars(model).items() if not name.startswith("__")}
    return cast(Model, SimpleNamespace(**{**names, **own}))


def truth_posterior(
    model: Model, truth: ContinuousTruth, x: Integers | Floats, size: float | Floats
) -> Any:
    """Return the posterior of a sample's parameter under the truth's own distribution.

    Args:
        model: the model of the sample.
        truth: the distribution of the parameter.
        x: counts, shape (m,).
        size: the size of all counts, or of each, shape (m,).
    """
    counts, sizes = x.astype(np.float64), np.full(x.shape, size, np.float64)
    whole = model.posterior(counts, sizes, truth.conjugate_prior or model.FLAT_PRIOR)
    return whole if truth.support == model.SUPPORT else Truncated(whole, *truth.support)
