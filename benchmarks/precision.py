"""Coverage and bias of trials that stop at looks: ``python -m benchmarks.precision``.

Misses are simulated as counts, without limits of any method. The last block is exact.
"""

from __future__ import annotations

import numpy as np

from benchmarks.__main__ import report
from harness.designs.precision import FIRST_LOOK, FIRST_LOOK_DRAWN, planned_looks
from tests.engines.stopping import bias, coverage, simulated, stops

RUNS = 10_000
SIX = (0.004, 0.012, 0.04, 0.05, 0.06, 0.08)
"""The actual alphas of six methods; their misses lie within each other."""
CASES = (
    (FIRST_LOOK, 0.002, 10**6),
    (FIRST_LOOK, 0.0006, 4 * 10**6),
    (FIRST_LOOK_DRAWN, 0.008, 10**5),
    (FIRST_LOOK_DRAWN, 0.005, 10**8),
)
"""The first look, the half-width and the most trials."""


def simulated_coverage() -> None:
    """Coverage of the intervals of one method and of the worst of six, with its error."""
    for first, aim, most in CASES:
        looks = planned_looks(most, first)
        where = f"± {aim:g}, {len(looks)} looks from {first:,} to {most:,}"
        for what, alphas in (("alpha 0.01", (0.01,)), ("alpha 0.05", (0.05,)), ("six", SIX)):
            runs = simulated(alphas, aim, looks, RUNS, seed=2003)
            worst = float(runs.covered.mean(axis=1).min())
            error = np.sqrt(max(worst * (1 - worst), 1 / RUNS) / RUNS)
            found = f"{worst:.4f} ± {error:.4f}"
            report(f"{where}: {'worst of ' * (what == 'six')}{what}", found, ">= 0.95")
            used, count = np.unique(runs.trials, return_counts=True)
            shares = ", ".join(
                f"{trials:,}: {share / RUNS:.2%}" for trials, share in zip(used, count, strict=True)
            )
            print(f"    stopped at {shares}", flush=True)


def exact_bias() -> None:
    """The bias of the estimate and the coverage of one method, by the law of the counts."""
    for most in (10**4, 10**6, 10**8):
        looks = planned_looks(most, FIRST_LOOK_DRAWN)
        found = list(stops(0.01, 0.005, looks))
        what = f"alpha 0.01, ± 0.005, {len(looks)} looks from 1,024 to {most:,}, exact"
        report(f"{what}: bias", f"{bias(0.01, found):+.2%}", "named")
        report(f"{what}: coverage", f"{coverage(0.01, found):.4f}", ">= 0.95")
    found = list(stops(0.01, 0.005, planned_looks(10**6, FIRST_LOOK)))
    report("the same with the first look at 16,384: bias", f"{bias(0.01, found):+.2%}", "named")


if __name__ == "__main__":
    simulated_coverage()
    exact_bias()
