"""A run in parts: each part computes a share of the tasks, and a merge makes the tables of them.

The trials of all sizes stand in one row, which is cut into parts of equal numbers of shards. The
exact engines of a size belong to one part where they do not depend on what is drawn; the rest is
computed by the merge. What a part finds is its journal, one file.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from harness.base.errors import InputError
from harness.config.experiment import AnyExperiment, Calibration, Experiment
from harness.config.load import load_experiment
from harness.config.resolve import serialize
from harness.config.simulation import Simulation
from harness.config.values import Precision
from harness.designs.results import Counts, Tally
from harness.designs.simulation import SIMULATION
from harness.families.family import MONTE_CARLO
from harness.study.columns import (
    deterministic_columns,
    limit_sources,
    stochastic_columns,
)
from harness.study.estimate import refuse_too_large
from harness.study.journal.database import Journal, facts_of, opened
from harness.study.journal.environment import environment, environment_text
from harness.study.journal.keys import ColumnKeys
from harness.study.journal.trials import Recorder, Span, spans_of
from harness.study.limits import compute_limits
from harness.study.machine import memory_for
from harness.study.parallel import Progress, opened_backend
from harness.study.plan import ScenarioPlan, plan_scenarios
from harness.study.run import solve_scenarios, source_digests
from harness.study.run_folder import refuse_foreign, writing
from harness.study.simulate import compute_share, function_digests
from harness.study.trials import Simulator, outcomes_needed
from harness.tables.manifest import content_hash
from harness.tables.storage import part_file

_FACT = "part"
_FACTS = {"content_hash": str, "files": dict, "environment": dict, "finished": bool}
"""What else is known of a part beside its number and the experiment, with the types."""


@dataclass(frozen=True)
class Part:
    """One of several parts of a run."""

    number: int
    """From 1 to ``count``."""
    count: int

    @classmethod
    def read(cls, text: str) -> Part:
        """Return the part that a text like "3/8" means.

        Raises:
            InputError: the text is no such part.
        """
        found = re.fullmatch(r"([1-9]\d{0,6})/([1-9]\d{0,6})", text)
        if found is None or int(found[1]) > int(found[2]):
            raise InputError(f"--shard should be i/m with 1 ≤ i ≤ m, as in 3/8; found {text!r}")
        return cls(int(found[1]), int(found[2]))

    def __str__(self) -> str:
        return f"{self.number}/{self.count}"

    def share(self, total: int) -> Span:
        """Return the first of this part's tasks, and one more than the last, out of ``total``."""
        return total * (self.number - 1) // self.count, total * self.number // self.count


def refuse_undivided(experiment: AnyExperiment) -> None:
    """Refuse an experiment that cannot be run in parts.

    Raises:
        InputError: its trials are one series, or their number depends on their results.
    """
    if isinstance(experiment, Calibration):
        raise InputError(f"{experiment.name}: a calibration cannot be run in parts; run it whole")
    if isinstance(experiment, Simulation):
        if not experiment.trials.is_fixed:
            raise InputError(
                f"{experiment.name}: trials that depend on results cannot be run in parts; give "
                "per_scenario"
            )
        return
    if isinstance(experiment.trials, Precision):
        raise InputError(
            f"{experiment.name}: trials: {{half_width, max}} are decided on from all results and "
            f"cannot be run in parts; give a number of trials"
        )


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
            function cannot be loaded, or the file holds a part of another experiment, is in use,
            damaged or cannot be written.
    """
    refuse_undivided(experiment)
    assert not isinstance(experiment, Calibration)
    refuse_too_large(experiment)
    folder = out / experiment.name
    with writing(folder):
        refuse_foreign(folder, out)
        folder.mkdir(parents=True, exist_ok=True)
    path = folder / part_file(part.number, part.count)
    facts = _facts(experiment, part)
    with opened(path, fresh=fresh, largest=None) as journal:
        before = journal.fact(_FACT)
        if before is not None and before["content_hash"] != facts["content_hash"]:
            raise InputError(
                f"{path} holds a part of another experiment; move it, or run with --fresh"
            )
        journal.note(_FACT, facts)
        if isinstance(experiment, Simulation):
            compute_share(experiment, part.share, progress, journal)
        else:
            _compute_part(experiment, part, progress, journal)
        journal.note(_FACT, {**facts, "finished": True})
    return path


def _facts(experiment: Experiment | Simulation, part: Part) -> dict[str, Any]:
    """What a merge has to know of a part."""
    document = serialize(experiment)
    if isinstance(experiment, Simulation):
        digests, files = function_digests(experiment), {"folder": experiment.folder}
    else:
        digests = source_digests(experiment)
        files = {spec.label: spec.path for spec in experiment.methods if spec.path is not None}
    return {
        "part": [part.number, part.count],
        "experiment": document,
        "content_hash": content_hash(document, digests),
        "files": files,
        "environment": environment(),
        "finished": False,
    }


def _compute_part(experiment: Experiment, part: Part, progress: Progress, journal: Journal) -> None:
    execution = experiment.execution
    with limit_sources(experiment) as sources, opened_backend(execution) as backend:
        with memory_for("the outcomes of all sizes"):
            plans = plan_scenarios(experiment, sources)
        columns = deterministic_columns(experiment, sources)
        stochastic = stochastic_columns(experiment, sources)
        spans = list(_share(plans, part, singly=bool(stochastic)))
        solved = [
            bool(columns) and _is_solved_apart(plan) and number % part.count == part.number - 1
            for number, plan in enumerate(plans)
        ]
        needed = [number for number, each in enumerate(spans) if each or solved[number]]
        chosen, spans = [plans[number] for number in needed], [spans[number] for number in needed]
        with memory_for("the limits at all outcomes"):
            outcomes = outcomes_needed(chosen, spans, execution.jobs, journal)
            limits = compute_limits(experiment, chosen, outcomes, sources)
        recorder = Recorder(journal, ColumnKeys.of(experiment, sources))
        with memory_for("the trials"):
            made = Simulator(experiment, sources, chosen, limits, backend, progress, recorder)
            made.run(spans)
    to_solve = [
        (plan, found)
        for number, plan, found in zip(needed, chosen, limits, strict=True)
        if solved[number]
    ]
    nothing = np.empty(0, np.int64)
    drawn = (
        Tally(Counts.empty(nothing, len(columns))) if MONTE_CARLO in experiment.engines else None
    )
    with memory_for("the exact values"):
        solve_scenarios(
            experiment,
            [plan for plan, _ in to_solve],
            columns,
            [found for _, found in to_solve],
            [drawn] * len(to_solve),
            journal,
            progress,
        )


def _is_solved_apart(plan: ScenarioPlan) -> bool:
    """Whether the exact engines report the same outcomes whatever is drawn."""
    return plan.complete and plan.shown is None


def _share(plans: Sequence[ScenarioPlan], part: Part, singly: bool) -> Iterator[list[Span]]:
    """The part's shards of each scenario; one by one where their sums are rounded."""
    first, last = part.share(sum(len(plan.shards) for plan in plans))
    before = 0
    for plan in plans:
        start, stop = max(first - before, 0), max(last - before, 0)
        cut = [(max(a, start), min(b, stop)) for a, b in spans_of(plan)]
        inside = [(a, b) for a, b in cut if a < b]
        if singly:
            inside = [(each, each + 1) for a, b in inside for each in range(a, b)]
        yield inside
        before += len(plan.shards)


@dataclass(frozen=True)
class PartFile:
    """The file of one part, and what it says of itself."""

    path: Path
    facts: Mapping[str, Any]

    @property
    def part(self) -> Part:
        number, count = self.facts["part"]
        return Part(int(number), int(count))

    @property
    def name(self) -> str:
        """The name of the experiment."""
        return str(self.facts["experiment"]["name"])


def find_parts(paths: Sequence[Path]) -> dict[str, list[PartFile]]:
    """Return the parts in some folders, by the names of their experiments.

    Args:
        paths: files of parts, and folders that hold some, at any depth.

    Raises:
        InputError: a path leads to no part, or a file is damaged.
    """
    found: dict[str, list[PartFile]] = {}
    seen: set[str] = set()
    for path in paths:
        files = sorted(path.rglob(part_file("*", "*"))) if path.is_dir() else [path]
        if not files:
            raise InputError(f"{path} holds no part of a run, as `run --shard i/m` writes it")
        for file in files:
            if file.is_file() and file.suffix != ".sqlite":
                raise InputError(f"{file} is no part of a run, as `run --shard i/m` writes it")
            # Unlike ``resolve``, it raises nothing for a loop of links.
            place = os.path.realpath(file)
            if place in seen:
                continue
            seen.add(place)
            facts = facts_of(file).get(_FACT)
            if facts is None or not _is_part(facts):
                raise InputError(f"{file} is no part of a run, as `run --shard i/m` writes it")
            part = PartFile(file, facts)
            found.setdefault(part.name, []).append(part)
    return found


def _is_part(facts: Any) -> bool:
    if not isinstance(facts, dict):
        return False
    number, experiment = facts.get("part"), facts.get("experiment")
    return (
        isinstance(number, list)
        and len(number) == 2
        and all(isinstance(each, int) for each in number)
        and 1 <= number[0] <= number[1]
        and isinstance(experiment, dict)
        and isinstance(experiment.get("name"), str)
        and all(isinstance(facts.get(key), kind) for key, kind in _FACTS.items())
    )


def refuse_unmergeable(parts: Sequence[PartFile]) -> None:
    """Check that parts are all parts of one run, each once and finished.

    Raises:
        InputError: they are not; the message names the files or the parts that are missing.
    """
    first, name = parts[0], parts[0].name
    by_number: dict[int, PartFile] = {}
    for each in parts:
        if each.facts["content_hash"] != first.facts["content_hash"]:
            raise InputError(
                f"{name}: {first.path} and {each.path} are parts of different experiments"
            )
        if each.part.count != first.part.count:
            raise InputError(
                f"{name}: {first.path} is one of {first.part.count} parts and {each.path} one of "
                f"{each.part.count}; merge those of one division"
            )
        other = by_number.setdefault(each.part.number, each)
        if other is not each:
            raise InputError(
                f"{name}: {other.path} and {each.path} are both part {each.part}; give one of them"
            )
    _refuse_missing(name, first.part.count, by_number)
    here = environment()
    for each in parts:
        there = each.facts["environment"]
        if there.get("program") != here["program"]:
            raise InputError(
                f"{each.path} was computed by another program: there {environment_text(there)}; "
                f"here {environment_text(here)}. Merge with that program, or run all parts again"
            )


def _refuse_missing(name: str, count: int, by_number: Mapping[int, PartFile]) -> None:
    missing = [number for number in range(1, count + 1) if number not in by_number]
    if missing:
        listed = ", ".join(f"{number}/{count}" for number in missing[:20])
        more = f" and {len(missing) - 20} more" if len(missing) > 20 else ""
        raise InputError(f"{name}: missing parts {listed}{more}; run them with --shard")
    for number, each in sorted(by_number.items()):
        if not each.facts["finished"]:
            raise InputError(
                f"{each.path} has not finished; run the config with --shard {number}/{count} again"
            )


def experiment_of(parts: Sequence[PartFile]) -> AnyExperiment:
    """Return the experiment that parts belong to.

    Raises:
        ConfigError: the document of the parts is not valid.
        InputError: the file of a user function has changed since.
    """
    facts = parts[0].facts
    document, files = dict(facts["experiment"]), facts["files"]
    if document.get("kind") == SIMULATION:
        study = load_experiment(document, folder=Path(files["folder"]))
        assert isinstance(study, Simulation)
        if content_hash(serialize(study), function_digests(study)) != facts["content_hash"]:
            raise InputError(f"{study.name}: a function has changed since the parts were computed")
        return study
    written = {
        each["label"]: {key: each[key] for key in each if key not in ("side", "label")}
        for each in document["methods"]
    }
    document["methods"] = [
        {**each, _file_key(each): files[each["label"]]} if each["label"] in files else each
        for each in document["methods"]
    ]
    experiment = load_experiment(document)
    if not isinstance(experiment, Experiment):
        return experiment
    methods = tuple(
        replace(spec, written=written[spec.label]) if spec.path is not None else spec
        for spec in experiment.methods
    )
    experiment = replace(experiment, methods=methods)
    if content_hash(serialize(experiment), source_digests(experiment)) != facts["content_hash"]:
        changed = ", ".join(sorted(map(os.path.basename, files.values()))) or "the config"
        raise InputError(f"{experiment.name}: {changed} has changed since the parts were computed")
    return experiment


def _file_key(method: Mapping[str, Any]) -> str:
    """The key of a method's file in a config."""
    return "table" if "table" in method else "path"


def copy_parts(parts: Sequence[PartFile], journal: Journal) -> None:
    """Copy the records of all parts into a journal.

    Raises:
        InputError: a file is damaged, or the journal cannot be written.
    """
    for each in sorted(parts, key=lambda each: each.part.number):
        journal.copy_from(each.path)
