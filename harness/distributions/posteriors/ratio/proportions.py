"""The posteriors of p₁/p₂, the risk ratio, and of p₁(1 − p₂)/(p₂(1 − p₁)), the odds ratio."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from harness.base.numerics.arrays import Bools
from harness.distributions.posteriors.beta import Beta
from harness.distributions.posteriors.ratio.density import log_beta_density, logit_density
from harness.distributions.posteriors.ratio.posterior import Densities, LogRatioPosterior
from harness.distributions.posteriors.truncated import Truncated


def ratio_of_proportions(first: Beta | Truncated, second: Beta | Truncated) -> RiskRatio:
    """Return the posterior of p₁/p₂."""
    return RiskRatio(first, second)


def odds_ratio_of_proportions(first: Beta | Truncated, second: Beta | Truncated) -> OddsRatio:
    """Return the posterior of p₁(1 − p₂)/(p₂(1 − p₁))."""
    return OddsRatio(first, second)


@dataclass(frozen=True)
class RiskRatio(LogRatioPosterior):
    """The posterior of p₁/p₂: d is a difference of two logarithms, each at most 0."""

    def _densities_of_both(self) -> Densities:
        return log_beta_density(self.first), log_beta_density(self.second)

    def _may_have_cusp(self) -> Bools:
        first, second = self.first, self.second
        assert isinstance(first, Beta)
        assert isinstance(second, Beta)
        return first.b + second.b <= 2.0


@dataclass(frozen=True)
class OddsRatio(LogRatioPosterior):
    """The posterior of p₁(1 − p₂)/(p₂(1 − p₁)): d is a difference of two logits."""

    def _densities_of_both(self) -> Densities:
        return logit_density(self.first), logit_density(self.second)

    def _may_have_cusp(self) -> Bools:
        return np.zeros(self.size, dtype=bool)
