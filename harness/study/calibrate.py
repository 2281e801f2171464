"""Run one calibration: draw its trials and assemble its tables."""

from __future__ import annotations

from harness.config.experiment import Calibration
from harness.config.serialize import serialize
from harness.engines.calibration import BinTally, Design, Shard, shards, simulate
from harness.study.memory import memory_for
from harness.study.parallel import Progress, driver_backend, run_tasks
from harness.tables.calibration_tables import (
    calibration_cells,
    calibration_manifest,
    calibration_summary,
)
from harness.tables.results import Results


def compute_calibration(experiment: Calibration, progress: Progress) -> Results:
    """Run the trials of a calibration and assemble its tables.

    Args:
        experiment: what to compute.
        progress: receives the numbers of trials to come and done.

    Returns:
        The tables and the manifest, not written yet.
    """
    design = design_of(experiment)
    with memory_for("the trials"):
        tallies = _simulated(design, experiment, progress)
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


def _simulated(design: Design, experiment: Calibration, progress: Progress) -> tuple[BinTally, ...]:
    """The tally of each reference, merged in the order of the shards.

    The order matters, because sums of probabilities are rounded.
    """
    progress.expect(experiment.trials)
    tasks = [(shard,) for shard in shards(design, experiment.trials, experiment.seed)]
    execution = experiment.execution
    merged: tuple[BinTally, ...] = ()
    for tallies in run_tasks(
        simulate, tasks, execution.jobs, driver_backend(execution), _shard_name
    ):
        each = zip(merged, tallies, strict=True)
        merged = tuple(one.plus(other) for one, other in each) if merged else tallies
        progress.advance(int(tallies[0].trials.sum()))
    return merged


def _shard_name(shard: Shard) -> str:
    return f"shard {shard.number}"
