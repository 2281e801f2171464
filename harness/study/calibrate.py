"""Run one calibration: draw its trials and assemble its tables."""

from __future__ import annotations

from harness.config.experiment import Calibration
from harness.config.serialize import serialize
from harness.designs.calibration import Design, Shard, shards, simulate
from harness.study.journal.calibration import CalibrationRecord, Tallies
from harness.study.journal.database import Journal
from harness.study.memory import memory_for
from harness.study.parallel import Progress, driver_backend, run_tasks
from harness.tables.calibration_tables import (
    calibration_cells,
    calibration_manifest,
    calibration_summary,
)
from harness.tables.results import Results


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
    design = design_of(experiment)
    with memory_for("the trials"):
        tallies = _simulated(design, experiment, progress, journal)
    summary = calibration_summary(design, tallies)
    return Results(
        calibration_cells(design, tallies),
        summary,
        calibration_manifest(serialize(experiment), summary),
    )


def design_of(experiment: Calibration) -> Design:
    """The design of the trials of a calibration."""
    first, second = ((span.lower, span.upper) for span in experiment.sizes)
    return Design(
        family=experiment.family,
        sizes=(first, second),
        truth=experiment.truth,
        delta=experiment.delta,
        prior=experiment.prior,
        bins=experiment.bins,
    )


def _simulated(
    design: Design, experiment: Calibration, progress: Progress, journal: Journal | None
) -> Tallies:
    """The tally of each reference, merged in the order of the shards.

    The order matters, because sums of probabilities are rounded.
    """
    every = shards(design, experiment.trials, experiment.seed)
    # A last shard with fewer trials is no part of a longer run, and is not recorded.
    whole = [shard for shard in every if shard.trials == every[0].trials]
    record = CalibrationRecord(journal, design, every[0]) if journal is not None else None
    merged = record.find(len(whole)) if record is not None else ()
    left = every[record.done if record is not None else 0 :]
    progress.expect(sum(shard.trials for shard in left))
    execution = experiment.execution
    backend, tasks = driver_backend(execution), [(each,) for each in left]
    found = run_tasks(simulate, tasks, execution.jobs, backend, _shard_name)
    try:
        for shard, tallies in zip(left, found, strict=True):
            each = zip(merged, tallies, strict=True)
            merged = tuple(one.plus(other) for one, other in each) if merged else tallies
            if record is not None and shard.trials == every[0].trials:
                record.keep(merged, shard.number + 1)
            progress.advance(shard.trials)
    finally:
        if record is not None:
            record.save()
    return merged


def _shard_name(shard: Shard) -> str:
    return f"shard {shard.number}"
