"""Run a choice: coverage under each of its truths, and the rule over all of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

import numpy as np
import polars as pl

from harness.catalogue import family_in, scenario_for
from harness.designs.engines.solver import solver_of
from harness.families.combination import Span
from harness.findings.judgements import MethodJudgement, judgements
from harness.findings.manifest import agrees, failed_methods
from harness.findings.numbers import span_text
from harness.kinds.choice.experiment import ChoiceExperiment
from harness.kinds.choice.losses import losses_of
from harness.kinds.choice.search import Search, searched
from harness.kinds.choice.tables import ChoiceResults, UnderTruth, choice_tables
from harness.kinds.coverage.experiment import Experiment
from harness.kinds.coverage.kind import CoverageKind
from harness.kinds.coverage.run import compute
from harness.kinds.coverage.workload import coverage_workload
from harness.runner.journal.database import Journal
from harness.runner.progress import Progress
from harness.runner.storage import manifest_of
from harness.runner.workload import Workload

_MOST_SPANS = 2
"""The most ranges of a box that are written out."""


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
    outer, found, failures = _outer(experiment.coverages), [], []
    disagreeing = []
    for name, coverage in experiment.coverages.items():
        results = compute(replace(coverage, worst_cases=name in outer), progress, journal)
        if not agrees(results.manifest):
            disagreeing.append(name)
        failures += [f"under {name}: {each}" for each in failed_methods(results.manifest)]
        found.append(
            UnderTruth(
                name,
                name in experiment.truths,
                name in outer,
                judgements(results),
                losses_of(coverage, results.summary),
            )
        )
    table, worst, asked = None, {}, experiment.search
    if asked is not None:
        box = Search(asked.over, **asked.model_dump(exclude={"over"}))
        table = searched(next(iter(experiment.coverages.values())), box, progress)
        worst = _worst_judgements(found[0], table, box_words(asked.over))
    truths, summary, answers = choice_tables(experiment, found, worst)
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
    found = {}
    for at_alpha in known.judged:
        for method in at_alpha.methods:
            rows = table.filter(method=method.method, alpha=at_alpha.alpha)
            if rows.is_empty():
                continue
            worst = rows.sort("worst_alpha", descending=True).row(0, named=True)
            sizes = family_in(method.rows[0]).sizes
            (row,) = (
                each for each in method.rows if all(each[name] == worst[name] for name in sizes)
            )
            found[method.method, at_alpha.alpha] = replace(
                method,
                rows=(row,),
                worst_case=worst["worst_alpha"],
                worst=worst["worst_alpha"],
                std_error=worst["worst_std_error"] or 0.0,
                keeps=worst["worst_alpha"] <= at_alpha.alpha,
                is_exact=False,
                scope=scope,
            )
    return found


def choice_workload(experiment: ChoiceExperiment) -> Workload:
    """What a choice has to do: the sum over its truths, and the memory of the largest."""
    works = [coverage_workload(each) for each in experiment.coverages.values()]
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
    for name, each in coverages.items():
        scenario = scenario_for(each.family, each.sizes[-1], each.truth)
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
