"""The results of a simulation study: its tables and its manifest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any, ClassVar

import numpy as np
import polars as pl

from harness.base.numerics.arrays import Floats
from harness.callers.simulation.answers import AGAINST_TRUTH, FIELDS
from harness.callers.simulation.guard import consequence
from harness.callers.simulation.requests import ONLY
from harness.kinds.simulation.experiment import ALL, SIMULATION
from harness.kinds.simulation.functions import OwnMeasures
from harness.kinds.simulation.measures import (
    JOINT_COVERAGE,
    MEASURES,
    RELATIVE_PRECISION,
    Measure,
    Replicates,
    differences,
    intervals,
    joint_coverage,
    measures,
    relative_precision,
)
from harness.kinds.simulation.trials import Event, MethodTrials
from harness.runner.storage import manifest_of
from harness.tables.columns import (
    DIFFERENCES,
    REPLICATES,
    SOLVE,
    SUMMARY,
    Columns,
    columns_of,
    table_kind,
    tables_of,
)
from harness.tables.results import Results


@dataclass(frozen=True)
class SimulationResults(Results):
    """The tables and the manifest of a simulation study.

    ``cells`` has a row per scenario × trial × method, and no row unless replicates are kept;
    ``summary`` has one per scenario × method × measure.
    """

    differences: pl.DataFrame = field(default_factory=pl.DataFrame)
    """A row per scenario × method × measure: the method minus the reference."""
    solve: pl.DataFrame = field(default_factory=pl.DataFrame)
    """A row per scenario × method of a search: the level that it found."""
    calls: Mapping[str, Any] = field(default_factory=dict, compare=False)
    """The number and the seconds of the calls of this run, without those that were recorded."""
    compares: ClassVar[bool] = False

    @property
    def tables(self) -> dict[str, pl.DataFrame]:
        """The tables of the study, by the names of their files without the ending."""
        tables = {
            SOLVE: self.solve,
            SUMMARY: self.summary,
            DIFFERENCES: self.differences,
            REPLICATES: self.cells,
        }
        return {name: table for name, table in tables.items() if table.height or name == SUMMARY}

    def data(self, scenario: int, trial: int) -> Any:
        """Draw the data of one trial again, as the model returned them.

        The model is called in this process.

        Args:
            scenario: the number of the scenario, from 1 on.
            trial: the number of the trial, from 1 on.

        Returns:
            What the model returns; of a study in batches the part of this trial.

        Raises:
            InputError: there is no such scenario, the results are not written, or the model
                cannot be loaded.
        """
        from harness.kinds.simulation.replay import drawn_again

        return drawn_again(self, scenario, trial)


ByEstimand = Mapping[str, Mapping[str, Replicates]]
"""Answers by method, and by estimand."""
Truths = Mapping[str, float | Floats]
"""The true values by estimand; an array of shape (trials,) where they are drawn, NaN for labels."""


@dataclass(frozen=True)
class ScenarioTrials:
    """What all methods answered in one scenario."""

    number: int
    """The number of the scenario, from 1 on."""
    factors: Mapping[str, Any]
    truths: Truths
    answers: Mapping[str, MethodTrials]
    """The answers by the labels of the methods."""
    looks: int
    """The number of planned looks at which the trials might have stopped; 0 where it was fixed."""

    @property
    def trials(self) -> int:
        """The number of trials."""
        return next(iter(self.answers.values())).answered.size

    @property
    def key(self) -> dict[str, Any]:
        """The first columns of all tables."""
        return {"scenario": self.number, **self.factors}

    def replicates(self, alpha: float) -> ByEstimand:
        """The answers by method and estimand, with the limits that follow from standard errors."""
        return {
            label: {
                estimand: Replicates(
                    answered=answers.answered.astype(bool), **answers.fields(estimand)
                ).with_limits(alpha)
                for estimand in self.truths
            }
            for label, answers in self.answers.items()
        }


ByMethod = dict[str, dict[str, dict[str, Measure]]]
"""Measures by method, by estimand, and by their names; ``ALL`` are those of all estimands."""


def measured(
    answers: ByEstimand, truths: Truths, alpha: float, null: float | None, reference: str
) -> ByMethod:
    """The measures of each method in one scenario, with its precision relative to a reference."""
    by_method: ByMethod = {label: {} for label in answers}
    for estimand, truth in truths.items():
        own = {label: by_estimand[estimand] for label, by_estimand in answers.items()}
        found_here = {
            label: measures(replicates, truth, alpha, null) for label, replicates in own.items()
        }
        if isinstance(truth, np.ndarray):
            own = {label: replicates.less(truth) for label, replicates in own.items()}
        for label, by_name in found_here.items():
            if "empirical_se" in by_name and "empirical_se" in found_here[reference]:
                by_name[RELATIVE_PRECISION] = relative_precision(own[label], own[reference])
            by_method[label][estimand] = {
                name: by_name[name] for name in MEASURES if name in by_name
            }
    if len(truths) > 1:
        for label, of_method in answers.items():
            joint = joint_coverage(of_method, truths)
            by_method[label] |= {} if joint is None else {ALL: {JOINT_COVERAGE: joint}}
    return by_method


def simulation_results(
    document: Mapping[str, Any],
    scenarios: Sequence[ScenarioTrials],
    sources: Mapping[str, str],
    calls: Mapping[str, Any],
    solved: Sequence[Mapping[str, Any]],
    unrepeated: Sequence[Mapping[str, Any]],
    own: OwnMeasures | None,
) -> SimulationResults:
    """The tables and the manifest, not written yet.

    Args:
        document: the resolved config.
        scenarios: what the methods answered in each scenario.
        sources: the digest of the files of each function.
        calls: the number of calls of each function and their seconds.
        solved: the rows of the table of a search.
        unrepeated: the methods with other answers in trials that were asked for again.
        own: measures of the user's own.
    """
    alpha, reference, null = document["alpha"], document["reference"], document.get("null")
    kind = table_kind(document)
    columns = {name: columns_of(table, kind) for name, table in tables_of(SIMULATION).items()}
    summary: list[dict[str, Any]] = []
    compared: list[dict[str, Any]] = []
    kept: list[pl.DataFrame] = []
    for scenario in scenarios:
        answers = scenario.replicates(alpha)
        by_method = measured(answers, scenario.truths, alpha, null, reference)
        if own is not None:
            for label, estimand in product(answers, scenario.truths):
                place = {"scenario": scenario.number, "method": label}
                place |= {} if estimand == ONLY else {"estimand": estimand}
                by_method[label][estimand] |= own.measured(
                    place, answers[label][estimand], scenario.truths[estimand]
                )
        summary += [{**scenario.key, **row} for row in summary_rows(by_method, scenario.looks)]
        compared += [{**scenario.key, **row} for row in _compared(by_method, reference)]
        if "keep" in document:
            kept += _replicates(scenario, answers, columns[REPLICATES])
    noted: dict[str, Sequence[Mapping[str, Any]]] = {
        "unrepeated": unrepeated,
        "unmeasured": () if own is None else own.failures,
    }
    return SimulationResults(
        pl.concat(kept) if kept else pl.DataFrame(schema=columns[REPLICATES]),
        _table(summary, columns[SUMMARY]),
        _manifest(document, scenarios, sources, noted),
        differences=_table(compared, columns[DIFFERENCES]),
        solve=_table(solved, columns[SOLVE]),
        calls=calls,
    )


def _table(rows: Sequence[Mapping[str, Any]], columns: Columns) -> pl.DataFrame:
    data = {name: [row[name] for row in rows] for name in columns}
    return pl.DataFrame(data, schema=columns, nan_to_null=True, strict=False)


def _compared(found: ByMethod, reference: str) -> Iterator[dict[str, Any]]:
    """The rows of differences of a scenario."""
    for label, of_method in found.items():
        for estimand, by_name in of_method.items() if label != reference else ():
            of_reference = found[reference].get(estimand, {})
            for name, difference in differences(by_name, of_reference).items():
                yield {
                    "method": label,
                    "estimand": estimand,
                    "reference": reference,
                    "measure": name,
                    "difference": difference.estimate,
                    "mcse": difference.mcse,
                    "trials": difference.trials,
                }


def summary_rows(found: ByMethod, looks: int) -> Iterator[dict[str, Any]]:
    """The rows of a scenario: a measure each, those of fractions with an interval."""
    named = [
        (label, estimand, name, measure)
        for label, of_method in found.items()
        for estimand, by_name in of_method.items()
        for name, measure in by_name.items()
    ]
    limits = intervals([(name, measure) for *_, name, measure in named], looks)
    for (label, estimand, name, measure), (lower, upper) in zip(named, limits, strict=True):
        yield {
            "method": label,
            "estimand": estimand,
            "measure": name,
            "estimate": measure.estimate,
            "mcse": measure.mcse,
            "trials": measure.trials,
            "ci_lower": lower,
            "ci_upper": upper,
        }


def _replicates(
    scenario: ScenarioTrials, answers: ByEstimand, columns: Columns
) -> Iterator[pl.DataFrame]:
    """The answers, a table of each method and estimand."""
    names = (*FIELDS, *AGAINST_TRUTH, "answered")
    for label, of_method in answers.items():
        for estimand, replicates in of_method.items():
            fixed = {**scenario.key, "method": label, "estimand": estimand}
            data: dict[str, Any] = {
                name: [value] * scenario.trials for name, value in fixed.items()
            }
            data |= {name: getattr(replicates, name) for name in names}
            data["truth"] = np.broadcast_to(scenario.truths[estimand], (scenario.trials,))
            data["trial"] = np.arange(1, scenario.trials + 1)
            for name in set(AGAINST_TRUTH) & columns.keys():
                data[name] = pl.Series(data[name], nan_to_null=True).cast(columns[name])
            ordered = {name: data[name] for name in columns}
            yield pl.DataFrame(ordered, schema=columns, nan_to_null=True, strict=False)


def _manifest(
    document: Mapping[str, Any],
    scenarios: Sequence[ScenarioTrials],
    sources: Mapping[str, str],
    noted: Mapping[str, Sequence[Mapping[str, Any]]],
) -> dict[str, Any]:
    tried = [dict(scenario.factors) for scenario in scenarios]
    # A true value that is drawn is none of the scenario.
    fixed = [
        {
            name: truth if isinstance(truth, float) else None
            for name, truth in scenario.truths.items()
        }
        for scenario in scenarios
    ]
    failures, changed = [], []
    for scenario in scenarios:
        for label, answers in scenario.answers.items():
            place = {"scenario": scenario.number, "method": label}
            if answers.failed:
                lost = scenario.trials - int(answers.answered.sum())
                failures.append(
                    {**place, "trials": scenario.trials, "failed": lost, **_first(answers.failed)}
                )
            if answers.changed:
                changed.append({**place, **_first(answers.changed)})
    content = {
        "trials": {
            "total": sum(scenario.trials for scenario in scenarios),
            "by_scenario": [scenario.trials for scenario in scenarios],
            **({"looks": scenarios[0].looks} if scenarios[0].looks else {}),
        },
        **({"scenarios": tried} if "solve" in document else {}),
        "truths": [truths.get(ONLY, truths) for truths in fixed],
        "failures": failures,
        "changed": changed,
        **{name: list(places) for name, places in noted.items() if places},
        "sources": dict(sources),
    }
    return manifest_of(document, sources, content)


def _first(event: Event) -> dict[str, Any]:
    assert event
    return {"first_trial": event[0], "first": event[1]}


def failed_calls(manifest: Mapping[str, Any]) -> Iterator[str]:
    """A sentence for each method and scenario with failures, changes, and answers not repeated.

    Each names the first trial, and how it is drawn again.
    """
    for line in manifest["failures"]:
        yield (
            f"{line['method']}: no answer in {line['failed']:,} of {line['trials']:,} trials of "
            f"scenario {line['scenario']}, which count as misses in `coverage`; first in trial "
            f"{line['first_trial']}: {line['first']}"
        )
    for line in manifest["changed"]:
        yield (
            f"{line['method']}: {line['first']} in scenario {line['scenario']}, first in trial "
            f"{line['first_trial']}; {consequence(line['first'])}"
        )
    for line in manifest.get("unrepeated", ()):
        yield (
            f"{line['method']}: another answer in trial {line['first_trial']} of scenario "
            f"{line['scenario']} when a new process is asked again for this trial alone; it or the "
            "model keeps something between calls, or draws from elsewhere than `rng`, so that "
            "results differ with the number of jobs"
        )
    for line in manifest.get("unmeasured", ()):
        of = ", ".join(line[name] for name in ("method", "estimand") if name in line)
        yield f"{line['measure']}: no value of {of} in scenario {line['scenario']}: {line['why']}"
