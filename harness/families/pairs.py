"""The model of the probabilities of a pair: proportions, with a Dirichlet prior of all four."""

from __future__ import annotations

import numpy as np

from harness.families import proportion

NAME = "pair"
COUNT, SIZE = proportion.COUNT, proportion.SIZE
COUNTED = "pairs"
PARAMETER = proportion.PARAMETER
QUANTITY, UNIT = proportion.QUANTITY, proportion.UNIT
SIZE_IS_COUNT = proportion.SIZE_IS_COUNT
IS_BOUNDED = proportion.IS_BOUNDED
SUPPORT = proportion.SUPPORT
FLAT_PRIOR = (1.0, 1.0, 1.0, 1.0)
PRIOR = "Dirichlet"
PRIOR_SYMBOLS = ("a11", "a10", "a01", "a00")
