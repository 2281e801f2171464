"""This harness beside other ways to simulate coverage: ``python -m benchmarks.beside``.

Each way draws p uniformly and x given p, and counts how often two intervals, Wilson's and that of
Clopper and Pearson, miss p at n = 100. All are timed in one run, each for as many trials as it
manages in about a second of the processor, and the fastest of three rounds counts; the rounds go
through all ways in turn.
"""

from __future__ import annotations

import platform
import shutil
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version

import numpy as np
from scipy.stats import binomtest
from statsmodels.stats.proportion import proportion_confint

import harness

N, ALPHA, SEED = 100, 0.05, 2003
ROUNDS = 3
STATSMODELS = ("wilson", "beta")
SCIPY = ("wilson", "exact")


def config(trials: int, draws: str = "numpy") -> dict[str, object]:
    return {
        "name": "benchmark",
        "family": "proportion",
        "n": N,
        "alpha": ALPHA,
        "methods": ["wilson", "clopper_pearson"],
        "truth": {"uniform": [0, 1]},
        "trials": {"per_size": trials},
        "engines": ["monte_carlo"],
        "draws": draws,
        "seed": SEED,
        "execution": {"jobs": 1},
    }


def by_harness(trials: int) -> float:
    return _misses(harness.run(config(trials), out=None))


def by_harness_thinned(trials: int) -> float:
    return _misses(harness.run(config(trials, "thinned"), out=None))


def _misses(results: harness.Results) -> float:
    return float(results.summary["actual_alpha"].sum())


def statsmodels_loop(trials: int) -> float:
    rng, missed = np.random.default_rng(SEED), 0
    for _ in range(trials):
        p = rng.random()
        x = rng.binomial(N, p)
        for method in STATSMODELS:
            lower, upper = proportion_confint(x, N, ALPHA, method)
            missed += not lower <= p <= upper
    return missed / trials


def scipy_loop(trials: int) -> float:
    rng, missed = np.random.default_rng(SEED), 0
    for _ in range(trials):
        p = rng.random()
        result = binomtest(int(rng.binomial(N, p)), N)
        for method in SCIPY:
            lower, upper = result.proportion_ci(1.0 - ALPHA, method)
            missed += not lower <= p <= upper
    return missed / trials


def vectorised(trials: int) -> float:
    rng = np.random.default_rng(SEED)
    p = rng.random(trials)
    x = rng.binomial(N, p)
    missed = 0
    for method in STATSMODELS:
        lower, upper = proportion_confint(x, N, ALPHA, method)
        missed += int(((p < lower) | (p > upper)).sum())
    return missed / trials


def looked_up(trials: int) -> float:
    rng = np.random.default_rng(SEED)
    p = rng.random(trials)
    x = rng.binomial(N, p)
    missed = 0
    for method in STATSMODELS:
        lower, upper = proportion_confint(np.arange(N + 1), N, ALPHA, method)
        missed += int(((p < lower[x]) | (p > upper[x])).sum())
    return missed / trials


def bare_draws(trials: int) -> float:
    rng = np.random.default_rng(SEED)
    for start in range(0, trials, 1 << 20):
        rng.binomial(N, rng.random(min(1 << 20, trials - start)))
    return 0.0


@dataclass(frozen=True)
class Way:
    what: str
    packages: tuple[str, ...]
    trials: int
    run: Callable[[int], float]


WAYS = (
    Way("this harness", ("coverage-harness",), 10**7, by_harness),
    Way("this harness, `draws: thinned`", ("coverage-harness",), 10**7, by_harness_thinned),
    Way("NumPy's draws of p and x alone", ("numpy",), 10**7, bare_draws),
    Way("NumPy, intervals of 0 … n looked up", ("numpy", "statsmodels"), 10**7, looked_up),
    Way("`proportion_confint` of all trials at once", ("statsmodels",), 10**6, vectorised),
    Way("a loop with `proportion_confint`", ("statsmodels",), 5_000, statsmodels_loop),
    Way("a loop with `binomtest(…).proportion_ci`", ("scipy",), 2_000, scipy_loop),
)

R_LOOP = f"""
trials <- 2000
one <- function(i) {{
  p <- runif(1); x <- rbinom(1, {N}, p)
  w <- prop.test(x, {N}, correct = FALSE)$conf.int; e <- binom.test(x, {N})$conf.int
  c(w[1] <= p && p <= w[2], e[1] <= p && p <= e[2])
}}
took <- sum(system.time(rowMeans(replicate(trials, one())))[1:2])
cat(paste(R.version$major, R.version$minor, sep = "."), took / trials * 1e9)
"""
SIMDESIGN = f"""
library(SimDesign)
Generate <- function(condition, fixed_objects) {{
  p <- runif(1); c(p = p, x = rbinom(1, {N}, p))
}}
Analyse <- function(condition, dat, fixed_objects) {{
  p <- dat[["p"]]; x <- dat[["x"]]
  w <- prop.test(x, {N}, correct = FALSE)$conf.int; e <- binom.test(x, {N})$conf.int
  c(wilson = w[1] <= p && p <= w[2], exact = e[1] <= p && p <= e[2])
}}
Summarise <- function(condition, results, fixed_objects) colMeans(results)
trials <- 2000
took <- sum(system.time(runSimulation(createDesign(n = {N}), replications = trials,
  generate = Generate, analyse = Analyse, summarise = Summarise,
  verbose = FALSE, progress = FALSE))[1:2])
cat(as.character(packageVersion("SimDesign")), took / trials * 1e9)
"""
BINOM = f"""
library(binom)
p <- seq(0.001, 0.999, length.out = 999)
took <- sum(system.time(for (m in c("wilson", "exact")) binom.coverage(p, {N}, 0.95, m))[1:2])
cat(as.character(packageVersion("binom")), took)
"""


def by_r(script: str) -> tuple[str, float] | None:
    """The version of the package and the number that the script prints; None without it."""
    if shutil.which("Rscript") is None:
        return None
    done = subprocess.run(["Rscript", "-e", script], capture_output=True, text=True)
    if "there is no package called" in done.stderr:
        return None
    if done.returncode:
        raise RuntimeError(done.stderr)
    package, number = done.stdout.split()[-2:]
    return package, float(number)


def enumerated() -> float:
    """The seconds of this harness for exact coverage at 999 truths, of both methods."""
    exact = {key: value for key, value in config(1).items() if key not in {"trials", "draws"}}
    exact["truth"] = {"grid": {"start": 0.001, "stop": 0.999, "count": 999}}
    exact["engines"] = ["enumeration"]
    start = time.process_time()
    harness.run(exact, out=None)
    return time.process_time() - start


def main() -> None:
    nanoseconds = dict.fromkeys((way.what for way in WAYS), float("inf"))
    for way in WAYS:
        way.run(min(way.trials, 1000))
    for _ in range(ROUNDS):
        for way in WAYS:
            start = time.process_time()
            way.run(way.trials)
            took = (time.process_time() - start) / way.trials * 1e9
            nanoseconds[way.what] = min(nanoseconds[way.what], took)
    ours = nanoseconds[WAYS[0].what]
    print("| Monte Carlo, two intervals at n = 100 | version | trials | ns a trial | times |")
    print("|---|---|---|---|---|")
    for way in WAYS:
        versions = ", ".join(f"{package} {version(package)}" for package in way.packages)
        found = nanoseconds[way.what]
        print(
            f"| {way.what} | {versions} | {way.trials:,} | {found:,.0f} | {_times(found / ours)} |"
        )
    for what, script in (
        ("R, `prop.test` and `binom.test`", R_LOOP),
        ("R, `SimDesign`", SIMDESIGN),
    ):
        found_by_r = by_r(script)
        if found_by_r is None:
            print(f"| {what} | not installed | | | |")
        else:
            package, found = found_by_r
            print(f"| {what} | {package} | 2,000 | {found:,.0f} | {_times(found / ours)} |")
    print()
    seconds = min(enumerated() for _ in range(ROUNDS))
    print("| exact coverage at 999 truths | version | s | times |")
    print("|---|---|---|---|")
    print(
        f"| this harness, checked by itself | {version('coverage-harness')} | {seconds:.2f} | 1 |"
    )
    covered = by_r(BINOM)
    if covered is None:
        print("| R, `binom.coverage` | not installed | | |")
    else:
        package, took = covered
        print(f"| R, `binom.coverage` | {package} | {took:.2f} | {_times(took / seconds)} |")
    print(f"\nPython {platform.python_version()}, {platform.machine()}, one thread, processor time")


def _times(ratio: float) -> str:
    return f"{ratio:.2g}" if ratio < 10 else f"{ratio:,.0f}"


if __name__ == "__main__":
    main()
