"""Many trials, workers and scenarios, and a resumed run: ``python -m benchmarks.scale``.

``--long`` adds 10^9 trials to 10^6, 10^7 and 10^8. Times are those of the processor, except of two
workers beside each other.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import numpy as np

import harness
from benchmarks.timing import report
from harness.designs.engines.exact import solve
from harness.designs.engines.monte_carlo import SHARD, outcomes_drawn, shards, simulate
from harness.designs.limits import Limits
from harness.kinds.coverage.columns import catalogue_columns
from harness.kinds.coverage.experiment import Experiment
from harness.kinds.coverage.plan import plan_scenarios
from harness.kinds.coverage.solutions import ScenarioQuestion
from harness.kinds.load import load_experiment
from harness.methods.catalogue import PROPORTION

N = 100
CONFIG: dict[str, Any] = {
    "name": "benchmark",
    "family": "proportion",
    "n": N,
    "methods": [
        "wald",
        "wilson",
        "clopper_pearson",
        "jeffreys",
        "minimal_length",
        "balanced_tail",
    ],
    "truth": {"uniform": [0, 1]},
    "engines": ["monte_carlo"],
    "seed": 2003,
    "execution": {"jobs": 1},
}


def trials(largest: int) -> None:
    """The cost of a trial and the memory of runs of their own, from 10^6 trials on."""
    costs, count = {}, 10**6
    while count <= largest:
        warm_up, config = ({**CONFIG, "trials": {"per_size": each}} for each in (1000, count))
        code = (
            "import harness, resource, time; "
            f"harness.run({warm_up!r}, out=None); start = time.process_time(); "
            f"harness.run({config!r}, out=None); "
            "print(time.process_time() - start, "
            "resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
        took, peak = (float(each) for each in done.stdout.split())
        costs[count] = took / count * 1e9
        found = f"{costs[count]:.0f}, {peak / 2**10:.0f} MB"
        report(f"{count:.0e} trials of six methods, ns a trial, peak memory", found, "-")
        count *= 10
    ratio = costs[max(costs)] / costs[10**7]
    report(f"a trial of {max(costs):.0e} / one of 1e+07", f"{ratio:.3f}", "<= 1.05")


def workers() -> None:
    """What two threads gain, of this harness and of two bare generators, in turns."""
    count = 16 * SHARD
    config = {**CONFIG, "trials": {"per_size": count}}

    def bare(number: int) -> None:
        rng = np.random.default_rng(number)
        rng.binomial(N, rng.random(SHARD))

    def by_numpy(jobs: int) -> None:
        with ThreadPoolExecutor(jobs) as pool:
            list(pool.map(bare, range(16)))

    def by_harness(jobs: int) -> None:
        harness.run({**config, "execution": {"jobs": jobs}}, out=None)

    best: dict[tuple[str, int], float] = {}
    for _ in range(5):
        for what, run in (("numpy", by_numpy), ("harness", by_harness)):
            for jobs in (1, 2):
                took = wall(partial(run, jobs))
                best[what, jobs] = min(best.get((what, jobs), np.inf), took)
    gains = {what: best[what, 1] / best[what, 2] for what in ("numpy", "harness")}
    report("two threads of bare generators, times as fast as one", f"{gains['numpy']:.2f}", "-")
    report("two workers of this harness, times as fast as one", f"{gains['harness']:.2f}", "-")
    report("gain of the harness / of bare generators", _ratio(gains), ">= 0.95")


def _ratio(gains: dict[str, float]) -> str:
    return f"{gains['harness'] / gains['numpy']:.3f}"


def wall(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def processor(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def scenarios(count: int) -> None:
    """Many sizes with 20 trials each: the cost of each, and of it what no engine computes."""
    config = {
        **CONFIG,
        "n": list(range(1, count + 1)),
        "methods": ["wilson"],
        "truth": {"values": [0.001]},
        "trials": {"per_size": 20},
    }
    with tempfile.TemporaryDirectory() as folder:
        journal = processor(lambda: harness.run(config, out=f"{folder}/many"))
    whole = processor(lambda: harness.run(config, out=None))
    experiment = load_experiment(config)
    assert isinstance(experiment, Experiment)
    columns = catalogue_columns(experiment)
    tasks = []
    for plan in plan_scenarios(experiment, columns):
        (shard,) = shards(plan.scenario, 20, experiment.seed, None)
        outcomes = np.union1d(plan.outcomes, outcomes_drawn(shard))
        data = outcomes.astype(float), np.full(outcomes.size, plan.scenario.sizes[0])
        lower, upper = PROPORTION["wilson"].limits(data, 0.05)
        tasks.append((plan, shard, Limits(outcomes, lower[np.newaxis], upper[np.newaxis])))

    def engines() -> None:
        for plan, shard, limits in tasks:
            question = ScenarioQuestion(plan, limits, simulate(shard, limits))
            request = question.request(experiment)
            solve(plan.scenario, limits, columns.deterministic, request)

    inside = processor(engines)
    report(f"{count:,} scenarios of 20 trials, ms each", f"{journal / count * 1e3:.2f}", "-")
    report("of it trials and exact values", f"{inside / count * 1e3:.2f}", "-")
    report("of it plans, limits and tables", f"{(whole - inside) / count * 1e3:.2f}", "< 1")
    report("of it the files and the journal", f"{(journal - whole) / count * 1e3:.2f}", "-")


def resume() -> None:
    """A run of 100 shards of which its journal has 99, beside the run of these 99."""
    seconds = []
    with tempfile.TemporaryDirectory() as folder:
        for count in (99, 100):
            config = {**CONFIG, "trials": {"per_size": count * SHARD}, "draws": "thinned"}
            seconds.append(wall(partial(harness.run, config, out=f"{folder}/resumed")))
    report("a run of 1e+08 trials, s", f"{seconds[0]:.1f}", "-")
    report("the same with 99 % of it done, s", f"{seconds[1]:.2f}", "< 3")


if __name__ == "__main__":
    trials(10**9 if "--long" in sys.argv else 10**8)
    workers()
    resume()
    scenarios(10_000)
