"""Running an experiment of any kind: whole, a part of it, and the parts put together."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from harness.base.errors import InputError
from harness.config.form import AnyExperiment
from harness.kinds.catalogue import kind_of_config, kind_of_experiment
from harness.kinds.kind import Kind
from harness.runner.folder import (
    FRESH_REPLACES,
    RunFolder,
    open_run_folder,
    refuse_foreign,
    refuse_other_experiment,
    writing,
)
from harness.runner.journal.database import LARGEST_JOURNAL, Journal, opened
from harness.runner.journal.records import environment
from harness.runner.parts import FACT, Part, PartFile, refuse_unmergeable
from harness.runner.storage import content_hash, part_file
from harness.runner.workload import Progress, Workload, memory_for, refuse_too_long
from harness.runner.write import write_results
from harness.tables.results import Results


def workload_of(experiment: AnyExperiment, parts: int = 1) -> Workload:
    """Return what a run has to do.

    Args:
        experiment: what to run.
        parts: the number of machines, or of runs one after the other, that share the work.

    Raises:
        InputError: the run does not fit into memory or would take days, or it cannot be run at all;
            the message says what can.
    """
    kind = kind_of_experiment(experiment)
    work = kind.workload(experiment)
    refuse_too_long(experiment.name, work, parts, divisible=not kind.undivided(experiment))
    return work


def refuse_undivided(experiment: AnyExperiment) -> None:
    """Refuse an experiment that cannot be run in parts.

    Raises:
        InputError: its trials are one series, or their number depends on their results.
    """
    why = kind_of_experiment(experiment).undivided(experiment)
    if why:
        raise InputError(f"{experiment.name}: {why}")


def run_experiment(
    experiment: AnyExperiment,
    out: Path | None,
    progress: Progress,
    *,
    fresh: bool = False,
    take_over: bool = False,
) -> Results:
    """Run a loaded experiment and write its tables, not its figures.

    Args:
        experiment: the experiment.
        out: the folder for all experiments; None keeps the results in memory only.
        progress: is told of the trials to do and done.
        fresh: whether to compute everything again, and begin a new journal.
        take_over: whether to write to a folder that a process of another host has locked.
    """
    if out is None:
        return kind_of_experiment(experiment).compute(experiment, progress, None)
    with open_run_folder(experiment, out, take_over, fresh) as folder:
        if not fresh:
            refuse_other_experiment(experiment, folder, FRESH_REPLACES)
        if folder.note is not None:
            # Past this function and ``harness.run``.
            warnings.warn(folder.note, stacklevel=3)
        return run_in(folder, experiment, progress, fresh=fresh)


def run_in(
    folder: RunFolder,
    experiment: AnyExperiment,
    progress: Progress,
    *,
    fresh: bool,
) -> Results:
    """Run a loaded experiment in its open folder; the arguments are those of ``run_experiment``."""
    start, kind = time.perf_counter(), kind_of_experiment(experiment)
    with opened(folder.journal, fresh=fresh) as journal:
        program = journal.begun_by()
        if program:
            progress.begun(program)
        with _computing(journal, progress):
            results = kind.compute(experiment, progress, journal)
    return _written(kind, experiment, results, folder, start)


@contextmanager
def _computing(journal: Journal, progress: Progress) -> Iterator[None]:
    """Report what was damaged once a run ends; its interruption says if anything is recorded."""
    try:
        yield
    except KeyboardInterrupt as stop:
        if not str(stop):
            recorded = "what was finished is recorded, and the same command goes on from it"
            stop.args = ("nothing was finished yet" if journal.is_empty else recorded,)
        raise
    if journal.damaged:
        progress.damaged(journal.damaged)


def _written(
    kind: Kind[Any], experiment: AnyExperiment, results: Results, folder: RunFolder, start: float
) -> Results:
    """Write the results of a run that has begun at ``start``."""
    record = kind.run_record(experiment, results)
    with memory_for("the files"):
        seconds = time.perf_counter() - start
        return write_results(results, experiment, folder, seconds, record)


def run_part(
    experiment: AnyExperiment, part: Part, out: Path, progress: Progress, *, fresh: bool = False
) -> Path:
    """Compute one part of a run, and record it in ``out/<name>/part-i-of-m.sqlite``.

    Args:
        experiment: the whole experiment.
        part: which part of it.
        out: the folder for all experiments.
        progress: receives the numbers of trials to come and done.
        fresh: whether to compute what the file has again.

    Returns:
        The path of the file.

    Raises:
        InputError: the experiment cannot be run in parts or does not fit into memory, a user
            function cannot be loaded or its file has changed, or the file holds a part of another
            experiment, is in use, damaged or cannot be written.
    """
    refuse_undivided(experiment)
    kind = kind_of_experiment(experiment)
    folder = out / experiment.name
    with writing(folder):
        refuse_foreign(folder, out, fresh)
        folder.mkdir(parents=True, exist_ok=True)
    path = folder / part_file(part.number, part.count)
    sources = kind.sources(experiment)
    # What a merge has to know of a part.
    facts = {
        "part": [part.number, part.count],
        "experiment": experiment.document,
        "content_hash": content_hash(experiment.document, sources),
        "sources": sources,
        "files": kind.files(experiment),
        "environment": environment(),
        "finished": False,
    }
    with opened(path, fresh=fresh, largest=None) as journal:
        before = journal.fact(FACT)
        if before is not None and before.get("content_hash") != facts["content_hash"]:
            raise InputError(
                f"{path} holds a part of another experiment; move it, or run with --fresh"
            )
        journal.note(FACT, facts)
        with _computing(journal, progress):
            kind.compute_part(experiment, part, progress, journal)
            if kind.sources(experiment) != sources:
                raise InputError(
                    f"{experiment.name}: {kind.changeable(kind.files(experiment))} has changed "
                    f"since part {part} was begun; run it again with --fresh"
                )
        journal.note(FACT, {**facts, "finished": True})
    return path


def merge_parts(
    parts: Sequence[PartFile],
    out: Path,
    progress: Progress,
    *,
    say: Callable[[str], None],
    take_over: bool = False,
) -> tuple[AnyExperiment, Results]:
    """Make the tables of a run out of all of its parts, and write them without figures.

    Args:
        parts: the files of the parts of one run.
        out: the folder for all experiments.
        progress: is told of the trials to do and done.
        say: is told, in a sentence, where the folder cannot be locked.
        take_over: as in ``run_experiment``.

    Returns:
        The experiment and its results.

    Raises:
        ConfigError: the document of a part is not valid.
        InputError: a part is missing, double, unfinished, damaged, of another experiment or of a
            machine of another kind; the file of a user function has changed since; or the results
            cannot be written.
    """
    start = time.perf_counter()
    refuse_unmergeable(parts)
    # The experiment that the parts belong to.
    document, files = parts[0].facts["experiment"], parts[0].facts["files"]
    kind = kind_of_config(document)
    experiment: AnyExperiment = kind.restored(document, files)
    now = content_hash(experiment.document, kind.sources(experiment))
    if now != parts[0].facts["content_hash"]:
        raise InputError(
            f"{experiment.name}: {kind.changeable(files)} has changed since the parts were computed"
        )
    with open_run_folder(experiment, out, take_over) as folder:
        refuse_other_experiment(experiment, folder, "")
        if folder.note is not None:
            say(folder.note)
        with opened(folder.journal, fresh=True, largest=None) as journal:
            journal.has_all = True
            for part in sorted(parts, key=lambda part: part.part.number):
                journal.copy_from(part.path)
            results = kind.compute(experiment, progress, journal)
            if journal.damaged:
                progress.damaged(journal.damaged)
        if folder.journal.stat().st_size > LARGEST_JOURNAL:
            # The parts have it all.
            folder.journal.unlink()
        return experiment, _written(kind, experiment, results, folder, start)
