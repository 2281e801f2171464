"""Speed of methods that compare two samples: ``python -m tests.benchmarks.comparisons``."""

from __future__ import annotations

import numpy as np

from harness.methods.catalogue import (
    odds_ratio,
    paired_difference,
    paired_ratio,
    proportion_difference,
    rate_difference,
    rate_ratio,
    risk_ratio,
)
from harness.methods.method import TWO_SIDED, Method
from harness.numerics.arrays import Floats
from tests.benchmarks.timing import report, seconds

COUNT = 10_000
PRIOR = (1.0, 1.0)


def proportions(rng: np.random.Generator) -> tuple[Floats, ...]:
    """Two samples each of up to 500 cases."""
    n1, n2 = rng.integers(1, 500, (2, COUNT))
    x1, x2 = rng.binomial(n1, rng.random(COUNT)), rng.binomial(n2, rng.random(COUNT))
    return tuple(column.astype(float) for column in (x1, n1, x2, n2))


def rates(rng: np.random.Generator) -> tuple[Floats, ...]:
    """Two counts of up to some 100 events, and their exposures."""
    exposures = rng.uniform(0.1, 10.0, (2, COUNT))
    x1, x2 = rng.poisson(exposures * rng.uniform(0.0, 10.0, (2, COUNT))).astype(float)
    return x1, exposures[0], x2, exposures[1]


def pairs(rng: np.random.Generator) -> tuple[Floats, ...]:
    """Tables of 200 pairs."""
    return tuple(rng.multinomial(200, rng.dirichlet([0.7] * 4, COUNT)).T.astype(float))


FAMILIES = {
    "proportion_difference": (proportion_difference.METHODS, proportions),
    "risk_ratio": (risk_ratio.METHODS, proportions),
    "odds_ratio": (odds_ratio.METHODS, proportions),
    "rate_difference": (rate_difference.METHODS, rates),
    "rate_ratio": (rate_ratio.METHODS, rates),
    "paired_difference": (paired_difference.METHODS, pairs),
    "paired_ratio": (paired_ratio.METHODS, pairs),
}


def score_intervals() -> None:
    """The time of every score method for distinct outcomes."""
    for family, (methods, outcomes) in FAMILIES.items():
        data = outcomes(np.random.default_rng(2003))
        for name, method in methods.items():
            if method.category == "score":
                took = seconds(lambda m=method, d=data: intervals(m, d))  # type: ignore[misc]
                report(f"10,000 intervals of {family} {name}, s", f"{took:.3f}", "< 2")


def intervals(method: Method, data: tuple[Floats, ...]) -> None:
    method.formula(data, 0.05, TWO_SIDED, PRIOR)


if __name__ == "__main__":
    score_intervals()
