"""The baseline of a method on a model: the answers of the first trials, and the numbers of misses.

They stand in the file ``simulation/METHOD-on-MODEL.jsonl`` of the folder of a baseline: a line with
the seed and the digest of the model's files, and a line for each scenario.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from harness.base.errors import InputError
from harness.base.numerics.arrays import Floats
from harness.callers.location import sources_digest
from harness.callers.naming import Named
from harness.callers.simulation.answers import FIELDS
from harness.checks.baseline.changes import NOTHING
from harness.checks.baseline.folder import PATIENCE, Files, files_of, provenance, write_entry
from harness.checks.baseline.limits import differ
from harness.checks.baseline.tables import read_text
from harness.checks.findings import AGAINST, FAIL, INCONCLUSIVE, PASS, Finding
from harness.checks.report import BASELINE, CheckReport
from harness.checks.simulation.scenario import ModelTrials, changes
from harness.kinds.simulation.experiment import SIMULATION, Simulation
from harness.kinds.simulation.trials import MethodTrials
from harness.runner.folder import writing
from harness.runner.lock import hold

ANSWERS_KEPT = 20
"""The number of trials of a scenario whose answers are kept."""
LIMITS, MISSES = f"against {BASELINE}: answers", f"against {BASELINE}: misses"

Stored = Mapping[str, Any]
"""The content of a file."""


@dataclass(frozen=True)
class ModelBaseline:
    """What a folder holds, or is to hold, of one method on one model."""

    method: Named
    study: Simulation

    @property
    def named(self) -> Named:
        """The method on the model, as folders know it."""
        label = f"{self.study.reference}-on-{self.study.model.label}"
        return replace(self.method, label=label)

    def files(self, folder: str | Path) -> Files:
        """The files of the method in the folder of a baseline."""
        return files_of(folder, SIMULATION, self.named.label)

    def file(self, folder: str | Path) -> Path:
        """The file of the method in a folder."""
        return self.files(folder).numbers.with_suffix(".jsonl")

    def read(self, folder: object) -> Stored:
        """What a folder holds.

        Raises:
            InputError: it holds no baseline of this method on this model, or cannot be read.
        """
        label = f"{self.study.reference} on {self.study.model.label}"
        if not isinstance(folder, str | Path) or not self.file(folder).is_file():
            raise InputError(f"{folder} holds no baseline of {label}; --update FOLDER writes one")
        file = self.file(folder)
        try:
            found, *scenarios = map(json.loads, read_text(file).splitlines())
            found["scenarios"] = scenarios
            for each in scenarios:
                np.array(each["answers"], np.float64).reshape(-1, len(FIELDS))
                each["factors"], each["alpha"], each["misses"], each["trials"]
            found["seed"], found["model"]
        except (ValueError, KeyError, TypeError):
            raise InputError(f"{file} is no baseline of a method on a model") from None
        return found  # type: ignore[no-any-return]

    def compare(self, old: Stored, trials: ModelTrials) -> Iterator[Finding]:
        """The findings about one scenario: first answers, and the numbers of misses."""
        wanted = (dict(trials.shard.factors), trials.program.alpha)
        found = [each for each in old["scenarios"] if (each["factors"], each["alpha"]) == wanted]
        if not found:
            message = "the baseline has no such scenario; --update stores it"
            yield trials.finding(LIMITS, AGAINST, INCONCLUSIVE, message)
            return
        (stored,) = found
        before = np.array(stored["answers"], np.float64).reshape(-1, len(FIELDS))
        again = replace(trials.shard, seed=old["seed"], first=1, count=len(before))
        now = _rows(trials.asked(again))
        places = np.flatnonzero(differ(now, before, trials.tolerance).any(axis=1)).tolist()
        verdict, message = PASS, f"the same in {len(before)} trials"
        if places:
            words = changes(now[places[0]], before[places[0]], trials.tolerance)
            same_model = old["model"] == sources_digest(self.study.model.place)
            model = "" if same_model else "; the file of the model has changed as well"
            verdict = FAIL
            message = f"trial {places[0] + 1}: {words} (in {len(places)} of {len(before)}){model}"
        yield trials.finding(LIMITS, AGAINST, verdict, message, 1.0)
        if (old["seed"], stored["trials"]) == (trials.shard.seed, trials.shard.count):
            new = [
                f"{a} below, {b} above, {c} missing"
                for a, b, c in (trials.misses, stored["misses"])
            ]
            verdict, message = PASS, f"the same: {new[0]}"
            if new[0] != new[1]:
                verdict, message = FAIL, f"{new[0]}, where {BASELINE} has {new[1]}"
            yield trials.finding(MISSES, AGAINST, verdict, message, 0.5)

    def store(
        self, folder: str | Path, report: CheckReport, checked: Sequence[ModelTrials], force: bool
    ) -> str:
        """Store the answers of a method that was checked, if it has passed.

        Returns:
            What was stored, or why nothing was.

        Raises:
            InputError: the folder cannot be written.
        """
        if not report.passed and not force:
            return (
                f"{folder} is left as it is: the check did not pass; --force stores it all the same"
            )
        scenarios = [
            {
                "factors": dict(each.shard.factors),
                "alpha": each.program.alpha,
                "trials": each.shard.count,
                "misses": list(each.misses),
                "answers": [
                    [None if math.isnan(value) else value for value in answer]
                    for answer in _rows(each.found)[:ANSWERS_KEPT].tolist()
                ],
            }
            for each in checked
        ]
        model = sources_digest(self.study.model.place)
        lines = [{"seed": self.study.seed, "model": model}, *scenarios]
        text = "".join(f"{json.dumps(line)}\n" for line in lines)
        files, file = self.files(folder), self.file(folder)
        with writing(files.root, InputError):
            file.parent.mkdir(parents=True, exist_ok=True)
            with hold(files.root, patience=PATIENCE):
                is_new = not file.is_file() or file.read_text("utf-8") != text
                file.write_text(text, "utf-8")
                write_entry(files, {**provenance(self.named), "scenarios": len(scenarios)})
        what = f"the answers of {len(scenarios)} scenarios written" if is_new else NOTHING
        return f"{folder}: {what}"


def _rows(answers: MethodTrials) -> Floats:
    """The answers by trial, shape (trials, 6)."""
    numbers = answers.fields()
    return np.stack([numbers[name] for name in FIELDS], axis=1)
