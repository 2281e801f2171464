"""The model of a run, as far as a family of runs has one: the names of its size and its mean."""

from __future__ import annotations

import math

from harness.distributions.truths import Prior
from harness.families import proportion

NAME = "run"
COUNT, SIZE = "values", "k"
COUNTED = "runs"
PARAMETER = "mean"
QUANTITY, UNIT = "", ""
SIZE_IS_COUNT = True
IS_BOUNDED = False
HAS_MIRROR = True
SUPPORT = (-math.inf, math.inf)
FLAT_PRIOR: Prior = ()
PRIOR = ""
PRIOR_SYMBOLS: tuple[str, ...] = ()
PRIOR_RANGE = "none"
SAMPLING = proportion.SAMPLING

validate_data = proportion.validate_data
is_valid_prior = proportion.is_valid_prior
estimate = proportion.estimate
posterior = proportion.posterior
evidence = proportion.evidence
outcome_weights = proportion.outcome_weights
effective_size = proportion.effective_size
prior_density = proportion.prior_density
prior_rule = proportion.prior_rule
