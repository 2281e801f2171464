"""Draws from tables: their cost, and their law in many draws: ``python -m benchmarks.draws``.

``--draws 10000000000`` draws that many; without it 10^8 are drawn. Under a uniform truth the
probability of x and of a truth in (a, b) is (I_b(x + 1, n − x + 1) − I_a(x + 1, n − x + 1)) over
n + 1, and the counts of all x and of 64 parts of (0, 1) are compared with it by chi-squared.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import numpy as np
from scipy.special import betainc
from scipy.stats import chi2

from benchmarks.__main__ import table
from benchmarks.timing import report
from harness.base.numerics.arrays import Floats, Integers
from harness.catalogue import scenario_for
from harness.designs.engines.monte_carlo import SHARD, shards, simulate
from harness.distributions.truths import UniformTruth
from harness.families.catalogue import family_of

TRUTH = UniformTruth(0.0, 1.0)
PARTS = 64
FEWEST = 20.0
"""Cells with a smaller expected count are pooled."""
ROUNDS = 5


def costs(n: int) -> None:
    """A whole trial of six methods beside NumPy's draws of p and x, in turns."""
    rng, limits = np.random.default_rng(2003), table(n, (0.05,))
    works: dict[str, Callable[[], object]] = {"bare": lambda: rng.binomial(n, rng.random(SHARD))}
    for draws in ("numpy", "thinned"):
        (shard,) = shards(scenario_for(family_of("proportion"), n, TRUTH, draws), SHARD, 2003, None)
        works[draws] = lambda shard=shard: simulate(shard, limits)  # type: ignore[misc]
    best = dict.fromkeys(works, np.inf)
    for _ in range(ROUNDS):
        for what, work in works.items():
            start = time.thread_time()
            work()
            best[what] = min(best[what], time.thread_time() - start)
    for draws in ("numpy", "thinned"):
        found = f"{best[draws] / SHARD * 1e9:.0f}, {best[draws] / best['bare']:.2f}"
        aim = "<= 0.5" if (n, draws) == (100, "thinned") else "-"
        report(f"n = {n}, {draws}: ns a trial, ratio to bare draws", found, aim)


def law(n: int, draws: int) -> None:
    """Compare the counts of outcomes and of parts of the truth with their probabilities."""
    scenario = scenario_for(family_of("proportion"), n, TRUTH, "thinned")
    counts, done = np.zeros((PARTS, n + 1), np.int64), 0
    while done < draws:
        made = scenario.draw(SHARD, scenario.stream(2003, done // SHARD))
        part = (made.parameter * PARTS).astype(np.int64)
        cells = np.bincount(part * (n + 1) + made.codes, minlength=counts.size)
        counts += cells.reshape(counts.shape)
        done += SHARD
    x = np.arange(n + 1)
    edges = np.linspace(0.0, 1.0, PARTS + 1)[:, np.newaxis]
    expected = np.diff(betainc(x + 1.0, n - x + 1.0, edges), axis=0) / (n + 1) * done
    by_outcome = chi_squared(counts.sum(axis=0), expected.sum(axis=0))
    found = f"{by_outcome:.3f}, {chi_squared(counts.ravel(), expected.ravel()):.3f}"
    report(f"n = {n}, {done:,} draws: p of x, of x with p", found, "> 0.001")


def chi_squared(counts: Integers, expected: Floats) -> float:
    """The p-value, with all rare cells as one."""
    rare = expected < FEWEST
    observed = np.append(counts[~rare], counts[rare].sum())
    means = np.append(expected[~rare], max(expected[rare].sum(), 1e-9))
    statistic = float(((observed - means) ** 2 / means).sum())
    return float(chi2.sf(statistic, means.size - 1))


if __name__ == "__main__":
    asked = int(sys.argv[sys.argv.index("--draws") + 1]) if "--draws" in sys.argv else 10**8
    for size in (1, 10, 100, 500, 1000, 10_000):
        costs(size)
    for size in (10, 100, 500):
        law(size, -(-asked // 3))
