"""What a run will cost: trials, rows, memory and time, before anything large is made.

Counts and memory come from the plan. Time is the work of the plan times the speed of this machine,
which is measured with a few thousand draws and interval calls, and a small scenario solved exactly.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from harness.base.errors import HarnessError, InputError
from harness.callers.source import CatalogueSource
from harness.config.values import Precision, Size
from harness.designs.design import Scenario, design_for, observed_at
from harness.designs.engines.monte_carlo import SHARD, Shard, outcomes_drawn
from harness.designs.engines.solver import solver_of
from harness.designs.engines.stochastic import StochasticColumn, simulate_stochastic
from harness.designs.limits import Limits
from harness.families.family import ENUMERATION, MONTE_CARLO, POSTERIOR
from harness.kinds.coverage.columns import (
    Sources,
    catalogue_sources,
    deterministic_columns,
    stochastic_columns,
)
from harness.kinds.coverage.experiment import Experiment
from harness.kinds.coverage.limits import ask
from harness.kinds.coverage.plan import ScenarioCounts, count_scenarios, plan_scenarios
from harness.kinds.coverage.solve import solve_scenario
from harness.methods.catalogue import methods_of
from harness.runner.estimate import BASE, BYTES_OF_TRIAL, Estimate, fastest
from harness.runner.machine import machine_memory
from harness.runner.parallel import parallel_jobs

_BYTES_OF_TASK = 1000
_BYTES_OF_ROW = 400
"""Of a row of the cells, as a block and in the table that joins the blocks."""
_BYTES_OF_LIMITS = 16
_BYTES_OF_RESULT = 24
"""Of what an engine computes for a column at an outcome: misses below and above, and one more."""

_SMALL_TRIALS = 4_000_000
"""A run of fewer trials, and of fewer cells than the design says, takes seconds."""

_PROBED_TRIALS = 1 << 16
_PROBED_AGAIN = 64
"""Trials with the limits of methods that draw them."""
_ENOUGH = 4e-3
"""Seconds after which the time of a call is known well enough."""


def refuse_too_large(experiment: Experiment) -> None:
    """Refuse an experiment that does not fit into the memory of this machine.

    Raises:
        InputError: it does not; the message says what would.
    """
    limit = machine_memory()
    fitting = _sizes_that_fit(experiment, limit)
    sizes = len(experiment.sizes)
    if fitting == sizes:
        return
    raise InputError(
        f"{experiment.name}: the run would need more than the {limit / 1e9:.3g} GB of memory of "
        f"this machine; use {' or '.join(_what_would_fit(experiment, fitting, limit))}"
    )


def _sizes_that_fit(experiment: Experiment, limit: float) -> int:
    """The number of sizes, from the smallest on, that fit into the memory together."""
    held, fitting = _fixed_memory(experiment, SHARD), 0
    for counts in count_scenarios(experiment):
        held += _held(experiment, counts)
        if held > limit:
            return fitting
        fitting += 1
    return fitting


def _what_would_fit(experiment: Experiment, fitting: int, limit: float) -> Iterator[str]:
    if fitting:
        yield f"fewer sizes (of its {len(experiment.sizes):,} the smallest {fitting:,} fit)"
    family = experiment.family
    if experiment.outcomes is None and family.has_single_count and family.is_bounded:
        fewer = replace(experiment, outcomes=21, group=None)
        if _sizes_that_fit(fewer, limit) == len(experiment.sizes):
            yield "outcomes: {fractions: 21}"
    if not fitting:
        yield f"a smaller {family.model.SIZE}"
    if len(experiment.methods) * len(experiment.alphas) > 1:
        yield "fewer methods"


def coverage_estimate(experiment: Experiment, measure_small: bool) -> Estimate:
    sources = catalogue_sources(experiment)
    counts = list(count_scenarios(experiment))
    columns = len(experiment.methods) * len(experiment.alphas)
    trials = sum(each.trials for each in counts)
    exact = columns * sum(each.outcomes + each.truths for each in counts)
    small = (
        trials <= _SMALL_TRIALS
        and exact <= design_for(experiment.family).small_cells
        and not stochastic_columns(experiment, sources)
    )
    return Estimate(
        scenarios=len(counts),
        tasks=sum(each.tasks for each in counts),
        trials=trials,
        at_most=trials > 0 and isinstance(experiment.trials, Precision),
        cells=columns * sum(_rows(experiment, each) for each in counts),
        summary=columns * len(counts) * len(experiment.engines),
        memory=_fixed_memory(experiment, min(SHARD, max(each.trials for each in counts)))
        + sum(_held(experiment, each) for each in counts)
        + _BYTES_OF_TASK * sum(each.tasks for each in counts),
        seconds=0.0 if small and not measure_small else _seconds(experiment, sources, counts),
        without_user_functions=len(sources) < len(experiment.methods),
    )


def _rows(experiment: Experiment, counts: ScenarioCounts) -> int:
    """The rows of the table of cells of one column in one scenario, at most."""
    group = counts.outcome_cells.group

    def cells(outcomes: float) -> float:
        if group is None:
            return outcomes
        most = math.inf if group.last is None else group.last // group.width + 1
        return min(math.ceil(outcomes / group.width) + 1, most)

    rows = 0.0
    if MONTE_CARLO in experiment.engines:
        rows += counts.truths + (cells(counts.drawn) if counts.outcome_cells.present else 0)
    if POSTERIOR in experiment.engines:
        rows += cells(counts.shown)
    if ENUMERATION in experiment.engines:
        enumerated = min(counts.shown + counts.drawn, counts.outcomes)
        rows += counts.truths + (cells(enumerated) if counts.outcome_cells.present else 0)
    return int(rows)


def _fixed_memory(experiment: Experiment, largest_shard: int) -> float:
    """Bytes that a run takes whatever the number of its scenarios is."""
    return BASE + parallel_jobs(experiment.execution.jobs) * largest_shard * BYTES_OF_TRIAL


def _held(experiment: Experiment, counts: ScenarioCounts) -> float:
    """Bytes of the plan, the limits, the results and the rows of a scenario, kept to the end."""
    columns = len(experiment.methods) * len(experiment.alphas)
    engines = [engine for engine in experiment.engines if engine != MONTE_CARLO]
    results = counts.truths * len(experiment.engines) + counts.shown * len(engines)
    if MONTE_CARLO in experiment.engines:
        results += counts.drawn
    return (
        8.0 * (counts.outcomes + counts.shown)
        + columns * (_BYTES_OF_LIMITS * counts.outcomes + _BYTES_OF_RESULT * results)
        + columns * _BYTES_OF_ROW * _rows(experiment, counts)
    )


def _seconds(experiment: Experiment, sources: Sources, counts: list[ScenarioCounts]) -> float:
    """The time that a run takes with the speed of this machine at three of its sizes."""
    stochastic = stochastic_columns(experiment, sources)
    has_outcomes = experiment.family.has_outcomes
    speeds = {}
    for place in sorted({0, len(counts) // 2, len(counts) - 1}):
        limits = _per_outcome(experiment, counts[place].scenario, sources) if has_outcomes else ()
        speeds[place] = _per_trial(experiment, counts[place], stochastic), sum(limits)
    fixed, slope = _exact_rates(experiment) if has_outcomes else (0.0, 0.0)
    columns = len(experiment.methods) * len(experiment.alphas) - len(stochastic)
    seconds = 0.0
    for number, each in enumerate(counts):
        # A scenario takes the speed of the nearest size that was measured.
        per_trial, per_outcome = speeds[min(speeds, key=lambda place: abs(place - number))]
        seconds += per_trial * each.trials * (2 if each.drawn_first else 1)
        seconds += len(experiment.alphas) * per_outcome * each.outcomes
        seconds += fixed + slope * columns * each.outcomes
    tasks = max(len(counts), sum(each.tasks for each in counts))
    return seconds / parallel_jobs(experiment.execution.jobs, tasks)


def _per_trial(
    experiment: Experiment, counts: ScenarioCounts, stochastic: tuple[StochasticColumn, ...]
) -> float:
    """Seconds of a trial, with the limits that are drawn in it."""
    if not counts.trials:
        return 0.0
    truths = counts.truths
    assert experiment.trials is not None
    trials = min(counts.trials, max(_PROBED_TRIALS, 64 * truths))
    shard = Shard(counts.scenario, 0, 0, trials, experiment.seed, experiment.trials.per_truth)
    seconds = 0.0
    if experiment.family.has_outcomes:
        seconds = fastest(lambda: outcomes_drawn(shard)) / trials
    if stochastic:
        few = replace(shard, trials=min(trials, _PROBED_AGAIN))
        seconds += fastest(lambda: simulate_stochastic(few, stochastic)) / few.trials
    return seconds


def _per_outcome(experiment: Experiment, scenario: Scenario, sources: Sources) -> Iterator[float]:
    """Seconds of one interval of each method of the catalogue, at the first alpha."""
    alpha = experiment.alphas[0]
    for spec in experiment.methods:
        source = sources.get(spec.label)
        if source is None or not source.deterministic:
            continue
        count, seconds = 16, 0.0
        while seconds < _ENOUGH and count <= 4096:
            observed = observed_at(scenario, solver_of(scenario).spread_outcomes(count))
            start = time.perf_counter()
            try:
                ask(source, observed, alpha, spec.side)
            except HarnessError:
                # The run will say so itself.
                break
            seconds = time.perf_counter() - start
            count *= 4
        yield seconds / max(observed.count, 1)


def _exact_rates(experiment: Experiment) -> tuple[float, float]:
    """Seconds of the exact engines for a scenario, and for each limit of it.

    They are the line through two small sizes with one method of the catalogue.
    """
    name, method = next(
        (name, method)
        for name, method in methods_of(experiment.family).items()
        if method.deterministic
    )
    side = method.sides[0]
    spec = replace(experiment.methods[0], label=name, name=name, side=side, function=None)
    prior = next((each.prior for each in experiment.methods if each.name == name), None)
    sources = {name: CatalogueSource(name, method, prior)}
    engines = tuple(each for each in experiment.engines if each != MONTE_CARLO)
    sizes = tuple(
        dict.fromkeys(
            _smaller_size(experiment, largest)
            for largest in design_for(experiment.family).probed_counts
        )
    )
    probe = replace(
        experiment,
        sizes=sizes,
        alphas=experiment.alphas[:1],
        methods=(spec,),
        trials=None,
        outcomes=None,
        group=None,
        engines=engines or (ENUMERATION,),
    )
    # The first time takes longer, since it loads what it needs.
    *_, _ = _solved(replace(probe, sizes=sizes[:1]), sources)
    points = list(_solved(probe, sources))
    (first, base), (last, seconds) = points[0], points[-1]
    if last <= first:
        return 0.0, base / first
    slope = max(0.0, (seconds - base) / (last - first))
    return max(0.0, base - slope * first), slope


def _solved(probe: Experiment, sources: Sources) -> Iterator[tuple[int, float]]:
    """Yield the number of limits of each scenario, and the seconds that it takes to solve."""
    columns = deterministic_columns(probe, sources)
    for plan in plan_scenarios(probe, sources):
        observed = observed_at(plan.scenario, plan.outcomes)
        ((source, column),) = zip(sources.values(), columns, strict=True)
        found = ask(source, observed, column.alpha, column.side)
        limits = Limits.of(plan.scenario, plan.outcomes, *np.array([[found.lower], [found.upper]]))
        start = time.perf_counter()
        solve_scenario(probe, plan, columns, limits, None)
        yield plan.outcomes.size, time.perf_counter() - start


def _smaller_size(experiment: Experiment, largest: float) -> Size:
    """The first size of an experiment, made so small that mean counts are at most ``largest``."""
    scenario = next(count_scenarios(replace(experiment, sizes=experiment.sizes[-1:]))).scenario
    sizes = []
    # Each sample has a size and a range; all cells of pairs have the one size and the same range.
    for size, (_, high) in zip(scenario.sizes, solver_of(scenario).whole_range(), strict=False):
        small = min(size, largest / high) if high > 0 else size
        is_count = scenario.model.SIZE_IS_COUNT
        sizes.append(_at_least(max(1, int(small)), scenario) if is_count else small)
    found: Size = scenario.design.size_of(sizes)
    return found


def _at_least(size: int, scenario: Scenario) -> int:
    """The smallest size from this one on that the law of the scenario has."""
    while scenario.law is not None:
        try:
            scenario.law.validate_size(size)
            break
        except InputError:
            size += 1
    return size
