"""Run a choice: coverage and losses under each of its truths, and the rule over all of them.

The loss is the mean length of an interval, and the mean excess of one limit.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, replace
from itertools import product
from typing import Any

import numpy as np
import polars as pl

from harness.base.numerics.arrays import Floats
from harness.catalogue import family_in, scenario_for
from harness.designs.design import Scenario
from harness.designs.engines.solver import solver_of
from harness.designs.excess import excess_beyond, mean_excess, mean_scaled_length
from harness.designs.limits import Column, Limits
from harness.families.combination import Span
from harness.families.family import Family
from harness.findings.judgements import MethodJudgement, judgements
from harness.findings.manifest import agrees, failed_methods
from harness.kinds.choice.experiment import ChoiceExperiment
from harness.kinds.choice.search import searched
from harness.kinds.choice.tables import ChoiceResults, Losses, UnderTruth, choice_tables
from harness.kinds.coverage.columns import RunColumns, opened_columns
from harness.kinds.coverage.experiment import Experiment
from harness.kinds.coverage.kind import CoverageKind
from harness.kinds.coverage.limits import compute_limits
from harness.kinds.coverage.run import compute_with_limits, coverage_workload
from harness.methods.method import TWO_SIDED, UPPER
from harness.runner.journal.database import Journal
from harness.runner.storage import manifest_of
from harness.runner.workload import Progress, Workload
from harness.tables.wording import span_text

_MOST_SPANS = 2
"""The most ranges of a box that are written out."""
TRIALS = 2000
"""The data sets drawn at each listed truth where data are lists, by default."""


def compute_choice(
    experiment: ChoiceExperiment, progress: Progress, journal: Journal | None = None
) -> ChoiceResults:
    """Compute coverage under each truth, and apply the rule.

    Worst cases are searched under the truths that are within no other one alone.

    Args:
        experiment: what to compute.
        progress: receives the numbers of trials to come and done.
        journal: knows what former runs finished and keeps what this one does; None for neither.
    """
    outer, parts, failures = _outer(experiment.coverages), [], []
    disagreeing = []
    for name, coverage in experiment.coverages.items():
        asked_of = replace(coverage, worst_cases=name in outer)
        results, limits = compute_with_limits(asked_of, progress, journal)
        if not agrees(results.manifest):
            disagreeing.append(name)
        failures += [f"under {name}: {failure}" for failure in failed_methods(results.manifest)]
        parts.append(
            UnderTruth(
                name,
                name in experiment.truths,
                name in outer,
                judgements(results),
                losses_of(coverage, results.summary, limits),
            )
        )
    table, worst, asked = None, {}, experiment.search
    if asked is not None:
        table = searched(next(iter(experiment.coverages.values())), asked, progress)
        worst = _worst_judgements(parts[0], table, box_words(asked.over))
    truths, summary, answers = choice_tables(experiment, parts, worst)
    trials = truths["trials"].drop_nulls()
    content = {
        "trials": {"total": int(trials.sum())} if trials.len() else {},
        "failures": failures,
        "searched": [] if table is None else table.to_dicts(),
        **({"disagreeing": disagreeing} if disagreeing else {}),
    }
    sources = CoverageKind().sources(next(iter(experiment.coverages.values())))
    manifest = manifest_of(experiment.document, sources, content)
    return ChoiceResults(truths, summary, manifest, answers=answers)


def box_words(over: Mapping[str, Any]) -> str:
    """The box of a search in words; of many ranges, or of lists of them, that it is the config's.

    >>> box_words({"auc": [0.5, 0.99]})
    'auc in 0.5 … 0.99'
    """
    spans = [(name, *ends) for name, ends in over.items() if len(np.shape(ends)) == 1]
    if len(spans) < len(over) or len(spans) > _MOST_SPANS:
        return "the box of the config"
    return ", ".join(span_text(name, low, high) for name, low, high in spans)


def _worst_judgements(
    known: UnderTruth, table: pl.DataFrame, scope: str
) -> dict[tuple[str, float], MethodJudgement]:
    """The judgement of each method and alpha at the size with the largest alpha of the search.

    Args:
        known: the judgements under one of the truths.
        table: of the search.
        scope: the box that it was over, in words.
    """
    worst_judgements = {}
    for at_alpha in known.judged:
        for method in at_alpha.methods:
            rows = table.filter(method=method.method, alpha=at_alpha.alpha)
            if rows.is_empty():
                continue
            worst = rows.sort("worst_alpha", descending=True).row(0, named=True)
            sizes = family_in(method.rows[0]).sizes
            (row,) = (
                size_row
                for size_row in method.rows
                if all(size_row[name] == worst[name] for name in sizes)
            )
            worst_judgements[method.method, at_alpha.alpha] = replace(
                method,
                rows=(row,),
                worst_case=worst["worst_alpha"],
                worst=worst["worst_alpha"],
                std_error=worst["worst_std_error"] or 0.0,
                keeps=worst["worst_alpha"] <= at_alpha.alpha,
                is_exact=False,
                scope=scope,
            )
    return worst_judgements


def choice_workload(experiment: ChoiceExperiment) -> Workload:
    """What a choice has to do: the sum over its truths, and the memory of the largest."""
    works = [coverage_workload(coverage) for coverage in experiment.coverages.values()]
    whole = {
        part.name: sum(getattr(work, part.name) for work in works)
        for part in fields(Workload)
        if part.name not in ("at_most", "memory")
    }
    return Workload(
        **whole,
        at_most=any(work.at_most for work in works),
        memory=max(work.memory for work in works),
    )


def _outer(coverages: Mapping[str, Experiment]) -> set[str]:
    """The names of the truths whose range is within that of no other one; of equal ones the first.

    Where data are lists, truths have no range and all count.
    """
    hulls: dict[str, tuple[Span, ...]] = {}
    for name, coverage in coverages.items():
        scenario = scenario_for(coverage.family, coverage.sizes[-1], coverage.truth)
        hulls[name] = solver_of(scenario).hull()
    outer: set[str] = set()
    for place, (name, hull) in enumerate(hulls.items()):
        others = [
            other
            for position, (key, other) in enumerate(hulls.items())
            if key != name and (other != hull or position < place)
        ]
        if not hull or not any(_is_within(hull, other) for other in others):
            outer.add(name)
    return outer


def _is_within(inner: tuple[Span, ...], outer: tuple[Span, ...]) -> bool:
    return len(inner) == len(outer) and all(
        low <= first and last <= high
        for (first, last), (low, high) in zip(inner, outer, strict=True)
    )


def losses_of(experiment: Experiment, summary: pl.DataFrame, limits: Sequence[Limits]) -> Losses:
    """The mean loss of each method, alpha and size.

    Of an interval it is the mean length, of a ratio r that of r/(1 + r); of one limit it is the
    mean excess.

    Args:
        experiment: a coverage experiment.
        summary: its table.
        limits: those of its scenarios.
    """
    family, losses = experiment.family, {}
    for row in summary.drop_nulls("mean_length").iter_rows(named=True):
        if not _has_excess(family, row["side"]):
            sizes = tuple(float(row[name]) for name in family.sizes)
            losses[row["method"], row["alpha"], sizes] = row["mean_length"]
    if any(_has_excess(family, spec.side) for spec in experiment.methods):
        for row in excesses(experiment, known=limits).iter_rows(named=True):
            sizes = tuple(float(np.sum(row[name])) for name in family.sizes)
            if not math.isnan(row["mean_excess"]):
                losses[row["method"], row["alpha"], sizes] = row["mean_excess"]
    return losses


def _has_excess(family: Family, side: str) -> bool:
    """Whether a loss is on the scale of the excess, as that of each interval of a ratio is."""
    return side != TWO_SIDED or family.is_ratio


def excesses(
    experiment: Experiment, trials: int = TRIALS, known: Sequence[Limits] = ()
) -> pl.DataFrame:
    """Return the mean excess of every one-sided method of an experiment at every size and alpha.

    Of a ratio it is also the mean length of every interval, on the same scale.

    Of an upper limit U it is E[(g(U) − g(θ))⁺], of a lower one L it is E[(g(θ) − g(L))⁺], over the
    experiment's truth and all outcomes, with g(θ) = θ/(1 + θ) of a ratio and g(θ) = θ elsewhere.
    Where data are lists it is the mean over trials; elsewhere it has a relative error below 1e-4.

    Args:
        experiment: of any family; its engines and trials do not matter.
        trials: the data sets drawn at each listed truth, where data are lists.
        known: the limits of the deterministic columns in each scenario, where they are computed;
            those that they lack are computed here.

    Returns:
        A row for each size, method and alpha, with the columns method, side, alpha, the sizes of
        the family, mean_excess and std_error, the Monte Carlo standard error, which is 0 where
        there are no trials. The mean excess is not a number where a method failed at an outcome
        that can occur, or draws its limits although outcomes are numbered.

    Raises:
        InputError: a user function cannot be loaded, or data are lists and ``trials`` is below 2.
        HarnessError: there is no excess under the truth, as of a law under a distribution.
        IntervalNotFoundError: a method of the catalogue found no limit.
    """
    if trials < 2:
        experiment.family.refuse_lists(f"expected at least 2 trials, found {trials}")
    scenarios = experiment.scenarios
    rows: list[dict[str, Any]] = []
    with opened_columns(experiment) as columns:
        if experiment.family.has_outcomes:
            computed = _of_outcomes(experiment, scenarios, columns, known)
        else:
            computed = _of_lists(experiment, scenarios, columns, trials)
        for scenario, column, mean, error in computed:
            head = {"method": column.method, "side": column.side, "alpha": column.alpha}
            # Those of strata are lists.
            sizes = {
                name: list(size) if isinstance(size, tuple) else size
                for name, size in scenario.named_sizes.items()
            }
            rows.append({**head, **sizes, "mean_excess": mean, "std_error": error})
    return pl.DataFrame(rows)


_Row = tuple[Scenario, Column, float, float]
"""A column in a scenario, its mean excess and the standard error of that."""


def _of_outcomes(
    experiment: Experiment,
    scenarios: Sequence[Scenario],
    columns: RunColumns,
    known: Sequence[Limits],
) -> Iterator[_Row]:
    """Yield the excess of each one-sided column in each scenario, from the limits of outcomes."""
    family = experiment.family
    places = [
        place
        for place, column in enumerate(columns.deterministic)
        if _has_excess(family, column.side)
    ]
    asked = tuple(columns.deterministic[place] for place in places)
    drawn = [source.column for source in columns.stochastic if source.column.side != TWO_SIDED]
    outcomes = [solver_of(scenario).possible_outcomes() for scenario in scenarios]
    one_sided = replace(columns, deterministic=asked, stochastic=())
    computed = [
        limits.known_at(possible) for limits, possible in zip(known, outcomes, strict=False)
    ]
    tables = [limits.rows(places) for limits in computed if limits is not None]
    if len(tables) < len(scenarios):
        again = compute_limits(experiment, scenarios, outcomes, one_sided)
        tables = [scenario_limits.limits for scenario_limits in again]
    for scenario, table in zip(scenarios, tables, strict=True):
        excess_at = {column.position: np.nan for column in drawn}
        for side in {column.side for column in asked}:
            rows = [row for row, column in enumerate(asked) if column.side == side]
            limits = table.rows(rows)
            if side == TWO_SIDED:
                means = mean_scaled_length(scenario, limits).tolist()
            else:
                means = mean_excess(scenario, limits, side).tolist()
            excess_at |= zip([asked[row].position for row in rows], means, strict=True)
        for column in sorted((*asked, *drawn), key=lambda column: column.position):
            yield scenario, column, excess_at[column.position], 0.0


def _of_lists(
    experiment: Experiment, scenarios: Sequence[Scenario], columns: RunColumns, trials: int
) -> Iterator[_Row]:
    """Yield the excess of each one-sided column in each scenario, from trials at each truth."""
    one_sided = [drawn for drawn in columns.stochastic if drawn.column.side != TWO_SIDED]
    for scenario, drawn in product(scenarios, one_sided):
        source, column = drawn.source, drawn.column
        side, alpha = column.side, column.alpha
        at_truths: list[Floats] = []
        _, thetas = scenario.listed_truths()
        for number in range(scenario.truth.count):
            # The data sets are the same for all columns; what a method draws for its limits comes
            # from a stream of its own.
            stream = scenario.stream(experiment.seed, number)
            excess: list[Floats] = []
            for observed in scenario.draw_observed(number, trials, stream):
                own = np.random.default_rng([experiment.seed, number, column.position, len(excess)])
                limits = source.limits(observed, alpha, side, own).intervals(observed, alpha, side)
                bounds = limits.upper if side == UPPER else limits.lower
                excess.append(excess_beyond(scenario.family, bounds, float(thetas[number]), side))
            at_truths.append(np.concatenate(excess))
        variance = np.mean([excess.var(ddof=1) / trials for excess in at_truths])
        error = np.sqrt(variance / len(at_truths))
        yield scenario, column, float(np.mean(at_truths)), float(error)
