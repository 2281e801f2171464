"""The model of the probabilities of a pair: proportions, with a Dirichlet prior of all four."""

from __future__ import annotations

from harness.distributions.truths import Prior
from harness.families import proportion

NAME = "pair"
COUNT, SIZE = proportion.COUNT, proportion.SIZE
COUNTED = "pairs"
PARAMETER = proportion.PARAMETER
QUANTITY, UNIT = proportion.QUANTITY, proportion.UNIT
SIZE_IS_COUNT = proportion.SIZE_IS_COUNT
IS_BOUNDED = proportion.IS_BOUNDED
HAS_MIRROR = proportion.HAS_MIRROR
SUPPORT = proportion.SUPPORT
FLAT_PRIOR: Prior = (1.0, 1.0, 1.0, 1.0)
PRIOR = "Dirichlet"
PRIOR_SYMBOLS: tuple[str, ...] = ("a11", "a10", "a01", "a00")
PRIOR_RANGE = "four numbers [a11, a10, a01, a00], each at least 0.05"
SMALLEST_SHAPE = 0.05
"""Nearly all mass of a smaller shape lies too close to 0 for doubles."""
LARGEST_SIZE = proportion.LARGEST_SIZE
SAMPLING = proportion.SAMPLING

validate_data = proportion.validate_data
estimate = proportion.estimate
posterior = proportion.posterior
evidence = proportion.evidence
outcome_weights = proportion.outcome_weights
effective_size = proportion.effective_size
prior_density = proportion.prior_density
prior_rule = proportion.prior_rule


def is_valid_prior(prior: Prior) -> bool:
    """Whether Dirichlet(a₁₁, a₁₀, a₀₁, a₀₀) is a prior: no shape below 0.05."""
    return min(prior) >= SMALLEST_SHAPE
