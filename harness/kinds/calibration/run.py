"""Run one calibration: draw its trials, keep them in a journal, and assemble its tables."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from harness.designs.engines import monte_carlo
from harness.kinds.calibration.engine import BinTally, Design, Shard, shards, simulate
from harness.kinds.calibration.experiment import Calibration
from harness.kinds.calibration.tables import (
    calibration_cells,
    calibration_manifest,
    calibration_summary,
)
from harness.runner.estimate import BASE, BYTES_OF_TRIAL, Estimate, fastest
from harness.runner.journal.database import ColumnKey, Journal
from harness.runner.journal.environment import engines_digest
from harness.runner.journal.records import DamagedRecordError, digest, pack, unpack
from harness.runner.machine import memory_for
from harness.runner.parallel import Progress, driver_backend, parallel_jobs, run_tasks
from harness.tables.results import Results

Tallies = tuple[BinTally, ...]
"""One of each reference."""


@dataclass
class CalibrationRecord:
    """What a journal knows of the trials of a calibration."""

    journal: Journal
    design: Design
    first: Shard
    done: int = 0
    """The number of the shards at the start that are recorded or merged."""
    _record: int | None = None
    _unsaved: Tallies | None = field(default=None, repr=False)

    def find(self, shards: int) -> Tallies:
        """Return the merged tallies of as many first shards as are known; none for nothing.

        Args:
            shards: the number of shards with the full number of trials.

        Raises:
            InputError: the journal is damaged.
        """
        with self.journal.faults():
            known = [each for each in self.journal.records(self._key()) if each.stop <= shards]
            if not known:
                return ()
            longest = max(known, key=lambda each: each.stop)
            self.done, self._record = longest.stop, longest.number
            tallies = unpack(longest.content, tuple)
            if not all(isinstance(each, BinTally) for each in tallies):
                raise DamagedRecordError("a record is no tally of a calibration")
            return tallies

    def keep(self, merged: Tallies, done: int) -> None:
        """Keep the merged tallies of the first shards; they are written from time to time."""
        self._unsaved, self.done = merged, done
        if self.journal.is_due:
            start = time.monotonic()
            self.save()
            self.journal.commit(start)

    def save(self) -> None:
        """Put what was kept into the journal."""
        if self._unsaved is not None:
            columns = (ColumnKey("", ""),)
            content, span = pack(self._unsaved), (0, self.done)
            self._record = self.journal.put(self._key(), span, columns, content, self._record)
            self._unsaved = None

    def _key(self) -> bytes:
        design = self.design
        content = {
            "calibration": design.family.name,
            "sizes": [list(span) for span in design.sizes],
            "truth": dict(design.truth.content()),
            "delta": list(design.delta),
            "prior": list(design.prior),
            "bins": design.bins,
            "seed": self.first.seed,
            "shard": self.first.trials,
            "engines": engines_digest(),
        }
        return digest(content)


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
        calibration_manifest(experiment.document, summary),
    )


def design_of(experiment: Calibration) -> Design:
    """The design of the trials of a calibration."""
    first, second = ((span.lower, span.upper) for span in experiment.sizes)
    shared = ("family", "truth", "delta", "prior", "bins")
    return Design(sizes=(first, second), **{name: getattr(experiment, name) for name in shared})


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
    progress.found(len(every) - len(left), len(every))
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


_PROBED = 512


def calibration_estimate(experiment: Calibration) -> Estimate:
    """What a calibration is expected to cost."""
    design = design_of(experiment)
    probed = min(experiment.trials, _PROBED)
    (shard,) = shards(design, probed, experiment.seed)
    rate = 0.0
    if experiment.trials > probed:
        rate = fastest(lambda: simulate(shard)) / probed
    tasks = -(-experiment.trials // monte_carlo.SHARD)
    jobs = parallel_jobs(experiment.execution.jobs, tasks)
    references = len(simulate(shard))
    return Estimate(
        scenarios=1,
        tasks=tasks,
        trials=experiment.trials,
        cells=references * experiment.bins,
        summary=references,
        memory=BASE + jobs * min(experiment.trials, monte_carlo.SHARD) * 4 * BYTES_OF_TRIAL,
        seconds=rate * experiment.trials / jobs,
    )
