"""Draws of clustered outcomes beside NumPy's own: ``python -m benchmarks.laws``.

NumPy's are ``beta`` of shape (count, clusters), ``binomial`` and a sum over the clusters: at one
proportion, and at a proportion for each outcome. Times are those of the processor, in turns.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from benchmarks.timing import report
from harness.distributions.sampling.laws.clusters import Clusters

CLUSTERS_DRAWN = 1_000_000
ROUNDS = 5


def costs(size: int, clusters: int, p: float, rho: float) -> None:
    rng, count = np.random.default_rng(2003), CLUSTERS_DRAWN // clusters
    law, n, shape = Clusters(size, rho), size * clusters, (count, clusters)
    many = rng.uniform(0.5 * p, 0.5 * p + 0.5, count)

    def numpy_draws(p: float | np.ndarray) -> object:  # type: ignore[type-arg]
        a, b = p * (1 - rho) / rho, (1 - p) * (1 - rho) / rho
        return rng.binomial(size, rng.beta(a, b, shape)).sum(axis=1)

    works: dict[str, tuple[Callable[[], object], Callable[[], object]]] = {
        "one p": (lambda: numpy_draws(p), lambda: law.draw(p, n, rng, count)),
        "many p": (lambda: numpy_draws(many[:, np.newaxis]), lambda: law.draw(many, n, rng)),
    }
    for what, pair in works.items():
        best = [np.inf, np.inf]
        for _ in range(ROUNDS):
            for which, work in enumerate(pair):
                start = time.thread_time()
                work()
                best[which] = min(best[which], time.thread_time() - start)
        found = f"{best[1] / CLUSTERS_DRAWN * 1e9:.0f}, {best[1] / best[0]:.2f}"
        where = f"{clusters} clusters of {size}, rho {rho}, {what}"
        report(f"{where}: ns a cluster, ratio to NumPy", found, "<= 1.5")


if __name__ == "__main__":
    for case in ((10, 20, 0.3, 0.1), (10, 200, 0.9, 0.1), (50, 20, 0.3, 0.1), (5, 2000, 0.3, 0.01)):
        costs(*case)
