"""Speed and memory, as ratios measured in one run: ``python -m benchmarks``.

``benchmarks.comparisons`` times score intervals that compare two samples,
``benchmarks.beside`` sets this harness beside other ways, ``benchmarks.scale`` measures
the cost of many trials, workers and scenarios, ``benchmarks.draws`` draws from tables,
``benchmarks.laws`` draws clustered outcomes, ``benchmarks.simulation`` sets simulation
studies beside bare loops, and ``benchmarks.page`` measures the page
of a large result in a browser. ``benchmarks.detection`` measures which faults a check finds
and which sound methods it accuses; as it takes about half an hour, it runs here only with
``--detection``. ``benchmarks.sentences`` measures nothing: it lists every sentence that a
reader can meet. ``benchmarks.random_truths`` holds published worst cases against random truths.
Timings depend on the machine and its load; ratios of timings much less. These are no tests, and
nothing passes or fails: each line has a measured value and the aim.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable

import numpy as np
from scipy.special import betainc, betaincc

from benchmarks import detection
from benchmarks.timing import report, seconds
from harness.catalogue import scenario_for
from harness.designs.engines.monte_carlo import SHARD, shards, simulate
from harness.designs.limits import Limits
from harness.designs.miss_sets import miss_probabilities
from harness.designs.one_sample.worst_case import worst_case
from harness.distributions.truths import UniformTruth
from harness.families.catalogue import family_of
from harness.methods.catalogue import CATALOGUE, PROPORTION, methods_for

SIX = ("wald", "wilson", "clopper_pearson", "jeffreys", "minimal_length", "balanced_tail")


def table(n: int, alphas: tuple[float, ...]) -> Limits:
    x = np.arange(n + 1)
    data = (x.astype(float), np.full(n + 1, float(n)))
    rows = [PROPORTION[name].limits(data, alpha) for name in SIX for alpha in alphas]
    return Limits(x, np.array([row[0] for row in rows]), np.array([row[1] for row in rows]))


def monte_carlo() -> None:
    trials, n = 10**7, 100
    scenario = scenario_for(family_of("proportion"), n, UniformTruth(0.0, 1.0))
    tasks = shards(scenario, trials, 2003, None)

    def draws() -> None:
        for number in range(0, trials, SHARD):
            rng = np.random.default_rng(number)
            rng.binomial(n, rng.random(min(SHARD, trials - number)))

    def run(limits: Limits) -> Callable[[], object]:
        return lambda: [simulate(task, limits) for task in tasks]

    plain = seconds(draws, 2)
    six = seconds(run(table(n, (0.05,))), 2)
    sixty = seconds(run(table(n, tuple(np.linspace(0.01, 0.3, 10)))), 2)
    report("10^7 draws of p and x by numpy, ns a trial", f"{plain / trials * 1e9:.0f}", "-")
    report("Monte Carlo of six methods / plain draws", f"{six / plain:.3f}", "<= 1.3")
    report("Monte Carlo of sixty methods / of six", f"{sixty / six:.3f}", "<= 1.15")


def limits() -> None:
    n = 1000
    x, sizes = np.arange(n + 1.0), np.full(n + 1, float(n))
    method = PROPORTION["minimal_length"]
    lower, upper = method.limits((x, sizes), 0.05)
    a, b = x + 1, n - x + 1
    base = seconds(lambda: (betainc(a, b, lower), betaincc(a, b, upper)), 20)
    took = seconds(lambda: method.limits((x, sizes), 0.05), 20)
    report(
        "minimal_length, all x at n = 1000 / betainc and betaincc", f"{took / base:.1f}", "<= 40"
    )
    report("minimal_length, us an interval", f"{took / (n + 1) * 1e6:.1f}", "about 20")
    truths = np.linspace(0.0, 1.0, 1001)
    took = seconds(lambda: miss_probabilities(n, 0, lower, upper, truths), 20)
    report("exact coverage of 1001 p at n = 1000, ms", f"{took * 1e3:.2f}", "< 10")


def every_outcome() -> None:
    """The time of every method for x = 0 … 1000, at n = 1000 or with an exposure of 1."""
    n = 1000
    x, rng = np.arange(n + 1.0), np.random.default_rng(1)
    for family, size in (("proportion", float(n)), ("rate", 1.0)):
        data = x, np.full(x.size, size)
        for name, method in methods_for(family_of(family)).items():
            side = "two-sided" if "two-sided" in method.sides else "upper"
            took = seconds(lambda m=method, s=side, d=data: m.limits(d, 0.05, s, rng=rng))  # type: ignore[misc]
            report(
                f"{family} {name}, x = 0 ... 1000, us an interval",
                f"{took / x.size * 1e6:.2f}",
                "< 2000",
            )


def differences() -> None:
    n, count = 100.0, 10_000
    rng = np.random.default_rng(2003)
    x1, x2 = rng.integers(0, int(n) + 1, (2, count)).astype(float)
    sizes = np.full(count, n)
    for family, data in (
        ("proportion_difference", (x1, sizes, x2, sizes)),
        ("rate_difference", (x1, np.ones(count), x2, np.full(count, 3.0))),
    ):
        method = CATALOGUE[family]["minimal_length"]
        took = seconds(lambda m=method, d=data: m.limits(d, 0.05), 2)  # type: ignore[misc]
        report(f"minimal_length of {family} a second", f"{count / took:,.0f}", "> 2,000")
        posterior = family_of(family).posterior(data, family_of(family).model.FLAT_PRIOR)
        delta = np.full(count, 0.1)
        took = seconds(lambda p=posterior, d=delta: p.sf(d), 5)  # type: ignore[misc]
        report(f"significances of {family} a second", f"{count / took:,.0f}", "> 30,000")


def worst_cases() -> None:
    n = 100_000
    data = (np.arange(n + 1.0), np.full(n + 1, float(n)))
    for name in ("wilson", "clopper_pearson", "minimal_length"):
        took = seconds(lambda name=name: worst_case(n, *PROPORTION[name].limits(data, 0.05)), 2)  # type: ignore[misc]
        report(f"limits and worst case of {name} at n = 10^5, s", f"{took:.2f}", "< 2")


LARGE = ["n=1000000", "engines=[enumeration]", "truth={grid: {start: 0, stop: 1, count: 1001}}"]


def memory() -> None:
    for what, overrides in (
        ("10^8 trials at n = 100, six methods", ["n=100", "trials={per_size: 100000000}"]),
        ("n = 10^6 with 1001 truths, wilson", [*LARGE, "methods=[wilson]"]),
        ("n = 10^6 with 1001 truths, six methods", LARGE),
    ):
        start = time.perf_counter()
        peak = _peak(["figures=[]", *overrides])
        found = f"{peak / 2**20:.2f} GB, {time.perf_counter() - start:.0f} s"
        report(f"peak memory of {what}", found, "< 1 GB")


def _peak(overrides: list[str]) -> int:
    """The peak resident memory of a run, in kB."""
    code = (
        "import resource, yaml, harness; "
        "config = yaml.safe_load(open('configs/quickstart.yaml')); "
        f"harness.run(config, out=None, overrides={overrides!r}); "
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return int(done.stdout.split()[-1])


def starts() -> None:
    def command(*words: str) -> Callable[[], object]:
        return lambda: subprocess.run(
            [sys.executable, "-m", "harness", *words], capture_output=True, check=True
        )

    report("python -m harness --help, s", f"{seconds(command('--help')):.2f}", "< 0.5")
    took = seconds(command("run", "configs/quickstart.yaml", "--out", "results"), 2)
    report("quickstart, s", f"{took:.2f}", "< 5")
    for half in ("proportions", "rates"):
        took = seconds(
            command("run", f"configs/ross2003/fig12-{half}.yaml", "--out", "results/speed"), 1
        )
        report(f"fig12-{half}, 200,000 trials, s", f"{took:.1f}", "< 20")


if __name__ == "__main__":
    if "--detection" in sys.argv[1:]:
        for part in detection.PARTS.values():
            part()
    else:
        for part in (monte_carlo, limits, differences, every_outcome, worst_cases, starts, memory):
            part()
