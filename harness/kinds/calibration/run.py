"""Run one calibration: draw its trials, keep them in a journal, and assemble its tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import polars as pl

from harness.agreement import LEVEL
from harness.designs.precision import fraction_interval, standard_error
from harness.kinds.calibration.engine import (
    SHARD,
    BinTally,
    CalibrationDesign,
    CalibrationShard,
    chi_squared,
    shards,
    simulate,
)
from harness.kinds.calibration.experiment import CALIBRATION, Calibration
from harness.runner.journal.database import ColumnKey, Journal
from harness.runner.journal.records import digest, pack, sources_digest
from harness.runner.parallel import (
    Round,
    Task,
    driver_backend,
    parallel_jobs,
    run_rounds,
    run_tasks,
)
from harness.runner.storage import manifest_of
from harness.runner.workload import BASE, BYTES_OF_TRIAL, Progress, Workload, memory_for
from harness.tables.columns import (
    CELLS,
    SUMMARY,
    TableKind,
    columns_of,
    tables_of,
)
from harness.tables.results import Results

Tallies = tuple[BinTally, ...]
"""A tally of each reference."""


@dataclass
class FirstShards:
    """The merged tallies of the first shards of a calibration.

    They are merged in the order of the shards, because sums of probabilities are rounded.
    """

    tallies: Tallies = ()
    done: int = 0
    """The number of merged shards with the full number of trials."""
    recordable: Tallies = field(default=(), repr=False)
    """The tallies of these: a last shard with fewer trials is no part of a longer run."""
    recorded: int = 0
    """The number of shards of which the journal has the tallies."""
    record: int | None = None
    """The number of the record that has them."""

    def find(self, journal: Journal, key: bytes, shards: int, full: int) -> None:
        """Begin with the tallies of as many first shards as a journal knows.

        Args:
            journal: the journal.
            key: of the trials in the journal.
            shards: the number of shards with the full number of trials.
            full: the full number of trials of a shard.

        Raises:
            InputError: the journal is damaged.
        """
        within = [stored for stored in journal.records(key) if stored.stop <= shards]
        for longest in sorted(within, key=lambda stored: stored.stop, reverse=True):
            tallies = journal.unpacked(longest, Tallies)
            if tallies and all(tally.trials.sum() == longest.stop * full for tally in tallies):
                self.tallies = self.recordable = tallies
                self.done = self.recorded = longest.stop
                self.record = longest.number
                break

    def add(self, whole: bool, tallies: Tallies) -> None:
        """Add the tallies of the next shard; ``whole``: it has the full number of trials."""
        if self.tallies:
            pairs = zip(self.tallies, tallies, strict=True)
            tallies = tuple(mine.plus(its) for mine, its in pairs)
        self.tallies = tallies
        if whole:
            self.recordable, self.done = tallies, self.done + 1

    def save(self, key: bytes, journal: Journal) -> None:
        """Put into the journal what it lacks."""
        if self.done > self.recorded:
            columns = (ColumnKey("", ""),)
            content, span = pack(self.recordable), (0, self.done)
            self.record = journal.put(key, span, columns, content, self.record)
            self.recorded = self.done


def compute_calibration(
    experiment: Calibration, progress: Progress, journal: Journal | None = None
) -> Results:
    """Run the trials of a calibration and assemble its tables.

    Args:
        experiment: what to compute.
        progress: receives the numbers of trials to come and done.
        journal: knows what former runs finished and keeps what this one does; None for neither.

    Returns:
        The tables and the manifest, not written yet.
    """
    design, execution = design_of(experiment), experiment.execution
    every = shards(design, experiment.trials, experiment.seed)
    full, key = every[0].trials, trials_key(design, every[0])
    merged = FirstShards()

    def name(shard: CalibrationShard) -> str:
        return f"shard {shard.number}"

    with memory_for("the trials"):
        if journal is not None:
            merged.find(journal, key, sum(shard.trials == full for shard in every), full)
        left = every[merged.done :]
        backend, arguments = driver_backend(execution), [(shard,) for shard in left]
        trials = Round(
            [Task(partial(merged.add, shard.trials == full), shard.trials) for shard in left],
            run_tasks(simulate, arguments, execution.jobs, backend, name),
            len(every) - len(left),
            len(every),
            partial(merged.save, key),
        )
        run_rounds([trials], progress, journal)
    summary = calibration_summary(design, merged.tallies)
    return Results(
        calibration_cells(design, merged.tallies),
        summary,
        calibration_manifest(experiment.document, summary),
    )


def design_of(experiment: Calibration) -> CalibrationDesign:
    """The design of the trials of a calibration."""
    first, second = ((span.lower, span.upper) for span in experiment.sizes)
    return CalibrationDesign(
        family=experiment.family,
        sizes=(first, second),
        truth=experiment.truth,
        delta=experiment.delta,
        prior=experiment.prior,
        bins=experiment.bins,
    )


def trials_key(design: CalibrationDesign, shard: CalibrationShard) -> bytes:
    """The key of the trials of a calibration in a journal, from one of its shards."""
    content = {
        "calibration": design.family.name,
        "sizes": [list(span) for span in design.sizes],
        "truth": dict(design.truth.content()),
        "delta": list(design.delta),
        "prior": list(design.prior),
        "bins": design.bins,
        "seed": shard.seed,
        "shard": shard.trials,
        "engines": sources_digest((simulate.__module__,)),
    }
    return digest(content)


def calibration_workload(experiment: Calibration) -> Workload:
    """What a calibration has to do; a probability is computed as an interval is."""
    references = len(design_of(experiment).references)
    tasks = -(-experiment.trials // SHARD)
    jobs = parallel_jobs(experiment.execution.jobs, tasks)
    return Workload(
        scenarios=1,
        tasks=tasks,
        trials=experiment.trials,
        intervals=references * experiment.trials,
        cells=references * experiment.bins,
        summary=references,
        memory=BASE + jobs * min(experiment.trials, SHARD) * 4 * BYTES_OF_TRIAL,
    )


TABLES = tables_of(CALIBRATION)


def calibration_cells(design: CalibrationDesign, tallies: Sequence[BinTally]) -> pl.DataFrame:
    """The table of cells: a row per reference × bin, in that order.

    The fraction of an empty bin and all that follows from it are empty.
    """
    tables = []
    schema = columns_of(TABLES[CELLS], TableKind(design.family))
    for reference, tally in zip(design.references, tallies, strict=True):
        cells: dict[str, Any] = {
            "family": [design.family.name] * design.bins,
            "reference": [reference] * design.bins,
            "bin": np.arange(1, design.bins + 1),
            "bin_lower": design.edges[:-1],
            "bin_upper": design.edges[1:],
            "trials": tally.trials,
            "true": tally.true,
        }
        used = tally.trials > 0
        trials, true = tally.trials[used], tally.true[used]
        lower, upper = fraction_interval(true, trials)
        of_used = {
            "mean_probability": tally.probability[used] / trials,
            "fraction": true / trials,
            "std_error": standard_error(true, trials),
            "ci_lower": lower,
            "ci_upper": upper,
        }
        for name, values in of_used.items():
            cells[name] = np.full(used.size, np.nan)
            cells[name][used] = values
        tables.append(pl.DataFrame(cells, schema=schema, nan_to_null=True))
    return pl.concat(tables, rechunk=True)


def calibration_summary(design: CalibrationDesign, tallies: Sequence[BinTally]) -> pl.DataFrame:
    """The summary: a row per reference."""
    rows = []
    for reference, tally in zip(design.references, tallies, strict=True):
        trials, test = int(tally.trials.sum()), chi_squared(tally)
        rows.append(
            {
                "family": design.family.name,
                "reference": reference,
                "trials": trials,
                "mean_probability": float(tally.probability.sum() / trials),
                "fraction": float(tally.true.sum() / trials),
                "chi_squared": None if test is None else test.statistic,
                "degrees_of_freedom": None if test is None else test.degrees_of_freedom,
                "p_value": None if test is None else test.p_value,
            }
        )
    return pl.DataFrame(rows, schema=columns_of(TABLES[SUMMARY], TableKind(design.family)))


def calibration_manifest(document: Mapping[str, Any], summary: pl.DataFrame) -> dict[str, Any]:
    """Return the content of manifest.json.

    The last reference is the posterior that the truths imply, which is always calibrated unless
    the harness is wrong. The posterior under a prior need not be calibrated.
    """
    references = [
        {key: value for key, value in row.items() if key != "family"}
        for row in summary.iter_rows(named=True)
    ]
    p_value = references[-1]["p_value"]
    content = {
        "trials": {"total": references[0]["trials"]},
        "calibration": {
            "checked": p_value is not None,
            "agrees": p_value is None or p_value >= LEVEL,
            "level": LEVEL,
            "references": references,
        },
    }
    return manifest_of(document, {}, content)
