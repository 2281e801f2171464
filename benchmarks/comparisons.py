"""Speed of what compares two samples or pairs: ``python -m benchmarks.comparisons``."""

from __future__ import annotations

import numpy as np

from benchmarks.timing import report, seconds
from harness.base.numerics.arrays import Floats
from harness.catalogue import scenario_for
from harness.designs.design import observed_at
from harness.designs.engines.solver import solver_of
from harness.designs.limits import Limits
from harness.distributions.paired_truths import TableTruth, table_of_cells
from harness.families.catalogue import family_of
from harness.methods.catalogue import CATALOGUE
from harness.methods.method import TWO_SIDED, Method
from harness.planning.coverage import coverage

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
    "proportion_difference": (CATALOGUE["proportion_difference"], proportions),
    "risk_ratio": (CATALOGUE["risk_ratio"], proportions),
    "odds_ratio": (CATALOGUE["odds_ratio"], proportions),
    "rate_difference": (CATALOGUE["rate_difference"], rates),
    "rate_ratio": (CATALOGUE["rate_ratio"], rates),
    "paired_difference": (CATALOGUE["paired_difference"], pairs),
    "paired_ratio": (CATALOGUE["paired_ratio"], pairs),
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


def paired_enumeration() -> None:
    """The time of enumeration of 200 pairs at one truth, without limits and worst case."""
    truth = TableTruth.of([table_of_cells(0.1, 0.05)])
    scenario = scenario_for(family_of("paired_difference"), 200, truth, with_both=False)
    solver = solver_of(scenario)
    n = 200
    first_only, second_only = (each.ravel() for each in np.indices((n + 1, n + 1)))
    inside = first_only + second_only <= n
    outcomes = (first_only * (n + 1) + second_only)[inside]
    data = observed_at(scenario, outcomes).columns()
    lower, upper = CATALOGUE["paired_difference"]["wald"].formula(data, 0.05, TWO_SIDED, PRIOR)
    limits = Limits.of(scenario, outcomes, lower[np.newaxis], upper[np.newaxis])
    took = seconds(lambda: solver.at_truths(limits))
    report(f"enumeration of {outcomes.size:,} tables of 200 pairs, s", f"{took:.4f}", "< 1")


def unconditional_intervals() -> None:
    """The time of one exact unconditional interval of two samples of 30 cases, asked for once."""
    data = tuple(np.array([value]) for value in (17.0, 30.0, 9.0, 30.0))
    for name in ("santner_snell", "chan_zhang", "agresti_min_exact"):
        method = CATALOGUE["proportion_difference"][name]
        took = seconds(lambda m=method: intervals(m, data), repeats=1)  # type: ignore[misc]
        report(f"one interval of {name} at n1 = n2 = 30, s", f"{took:.3f}", "< 1")


def coverage_in_one_line() -> None:
    """The time of the exact coverage of 1001 proportions at n = 1000."""
    p = np.linspace(0.0, 1.0, 1001)
    for name in ("wilson", "clopper_pearson"):
        took = seconds(lambda n=name: coverage("proportion", n, n=1000, p=p))  # type: ignore[misc]
        report(f"coverage of {name} at 1001 p, n = 1000, ms", f"{1000 * took:.1f}", "some ms")


def coverage_of_posterior_limits() -> None:
    """The time of the exact coverage of paired posterior limits at one truth."""
    truth = {"n": 1000, "p11": 0.86, "p10": 0.04, "p01": 0.02}
    for name in ("balanced_width", "minimal_length", "balanced_tail"):
        took = seconds(  # type: ignore[misc]
            lambda n=name: coverage("paired_difference", n, **truth), repeats=1
        )
        report(f"coverage of paired {name} at n = 1000, s", f"{took:.2f}", "< 2")


if __name__ == "__main__":
    score_intervals()
    paired_enumeration()
    unconditional_intervals()
    coverage_in_one_line()
    coverage_of_posterior_limits()
