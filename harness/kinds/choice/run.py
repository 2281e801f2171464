"""Run a choice: coverage under each of its truths, and the rule over all of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace

from harness.catalogue import scenario_for
from harness.designs.engines.solver import solver_of
from harness.families.combination import Span
from harness.findings.judgements import MethodJudgement, judgements
from harness.findings.manifest import failed_methods
from harness.kinds.choice.experiment import ChoiceExperiment
from harness.kinds.choice.losses import losses_of
from harness.kinds.choice.tables import ChoiceResults, UnderTruth, choice_tables
from harness.kinds.coverage.experiment import Experiment
from harness.kinds.coverage.kind import CoverageKind
from harness.kinds.coverage.run import compute
from harness.kinds.coverage.workload import coverage_workload
from harness.runner.journal.database import Journal
from harness.runner.manifest import manifest_of
from harness.runner.parallel import Progress
from harness.runner.workload import Workload


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
    for name, coverage in experiment.coverages.items():
        results = compute(replace(coverage, worst_cases=name in outer), progress, journal)
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
    worst: Mapping[tuple[str, float], MethodJudgement] = {}
    truths, summary, answers = choice_tables(experiment, found, worst)
    trials = truths["trials"].drop_nulls()
    content = {
        "trials": {"total": int(trials.sum())} if trials.len() else {},
        "failures": failures,
    }
    sources = CoverageKind().sources(next(iter(experiment.coverages.values())))
    manifest = manifest_of(experiment.document, sources, content)
    return ChoiceResults(truths, summary, manifest, answers=answers)


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
        hulls[name] = solver_of(scenario).hull() if each.family.has_outcomes else ()
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
