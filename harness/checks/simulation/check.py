"""Check a method on a model of the user's own, report about it, and hold it to its baseline.

The trials of some scenarios are made. The baseline has the answers of the first of them and the
numbers of misses, in the file ``simulation/METHOD-on-MODEL.jsonl`` of the folder of a baseline: a
line with the seed and the digest of the model's files, and a line for each scenario.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from harness.base.arguments import quoted
from harness.base.errors import ConfigError, InputError
from harness.base.numerics.arrays import Floats
from harness.callers.location import name_of, sources_digest
from harness.callers.naming import AnyMethod, Named, named
from harness.callers.process import TIMEOUT
from harness.callers.simulation.answers import FIELDS
from harness.callers.simulation.process import close_trial_processes
from harness.callers.simulation.requests import ONLY
from harness.checks.baseline.changes import NOTHING
from harness.checks.baseline.folder import (
    PATIENCE,
    Files,
    files_of,
    provenance,
    validate_place,
    write_entry,
)
from harness.checks.baseline.limits import differ
from harness.checks.baseline.tables import read_text
from harness.checks.findings import (
    AGAINST,
    CONFORMANCE,
    FAIL,
    FINISHES,
    INCONCLUSIVE,
    PASS,
    Finding,
    format_cell,
)
from harness.checks.options import SEED, CheckOptions, Tolerance, validate_ranges, validate_seconds
from harness.checks.report import BASELINE, MOST_LINES, CheckReport
from harness.checks.simulation.scenario import ERROR, ModelTrials, changes
from harness.checks.sizes import validate_alphas
from harness.checks.watch import TimeUpError, steps, watching
from harness.config import yaml12
from harness.kinds.simulation.experiment import SIMULATION, Simulation
from harness.kinds.simulation.functions import truths
from harness.kinds.simulation.keys import simulation_of
from harness.kinds.simulation.trials import MethodTrials, TrialShard
from harness.methods.method import NOMINAL, validate_contract
from harness.runner.folder import writing
from harness.runner.lock import hold

TRIALS = 4_000
"""The default number of trials of each scenario."""
_NOT_TAKEN: CheckOptions = {
    "same": None,
    "config": None,
    "sizes": None,
    "grid": None,
    "margin": None,
    "expected_failures": None,
    "family": "proportion",
    "thorough": False,
}
"""Options of other checks, with their defaults."""
_FUNCTION = "file.py:function or package.module:function"


@dataclass(frozen=True, kw_only=True)
class ModelReport(CheckReport):
    """All findings about one method on a model; ``behaviour`` has a row for each scenario."""

    model: str
    """The function that draws the data."""
    estimand: str
    factors: tuple[str, ...]

    @property
    def headline(self) -> str:
        """The verdict in one line, with the model."""
        return f"{self.method} (on {self.model}): {self.verdict_in_words}"

    @property
    def about(self) -> str:
        """What the method is for, in a sentence."""
        return f"A method on the model {self.model}, whose true value is {self.estimand}."

    @property
    def place_names(self) -> tuple[str, ...]:
        """What says where a finding is, in the headline."""
        return (*self.factors, "alpha")

    def number_rows(self) -> list[tuple[str, ...]]:
        """A heading, and a row for each scenario with what its trials have shown."""
        rows = self.behaviour.rows()
        heading = tuple(name.replace("_", " ") for name in self.behaviour.columns)
        return [
            heading,
            *(
                tuple(f"{value:.4g}" if isinstance(value, float) else str(value) for value in row)
                for row in rows
            ),
        ]

    def format_numbers(self) -> list[str]:
        """A line for each of the scenarios with the lowest coverage."""
        if self.behaviour.is_empty():
            return []
        lowest = self.behaviour.sort("coverage", maintain_order=True).head(MOST_LINES)
        lines = []
        for row in lowest.iter_rows(named=True):
            place = format_cell({name: row[name] for name in self.place_names})
            lines.append(f"  coverage {row['coverage']:.4f} ± {row['mcse']:.4f} at {place}")
        return ["", *lines]

    def to_dict(self) -> dict[str, Any]:
        """The report as plain data, as in the JSON format."""
        return {**super().to_dict(), "model": self.model, "estimand": self.estimand}


def check_on_model(method: AnyMethod, options: CheckOptions) -> ModelReport:
    """Check a method on a model.

    Args:
        method: a function, or the name of one of a file or a module.
        options: those of ``harness.check``.

    Raises:
        InputError: a function cannot be loaded, or an option is wrong or is not one of models.
    """
    for name, default in _NOT_TAKEN.items():
        if repr(options.get(name, default)) != repr(default):
            raise InputError(f"{name} is no option of a check on a model; leave it out")
    validate_ranges(options)
    timeout = options.get("timeout")
    if timeout is not None:
        validate_seconds("timeout", timeout)
    called = named(method)
    if called.function is None and called.location is None:
        raise InputError(f"a method on a model should be {_FUNCTION}, found {quoted(method)}")
    asked = options.get("alphas")
    alphas = (0.05,) if asked is None else validate_alphas(asked)
    study = _simulation(called, options, alphas[0])
    promised = options.get("contract")
    contract = NOMINAL if promised is None else validate_contract(promised)
    tolerance = Tolerance.of(options.get("tolerance")).limits
    baseline = ModelBaseline(called, study)
    against, update = options.get("against"), options.get("update")
    old = None if against is None else baseline.read(against)
    if update is not None:
        validate_place(baseline.files(update), baseline.named)
    places = [(alpha, number) for alpha in alphas for number in range(len(study.scenarios))]
    findings: list[Finding] = []
    checked: list[ModelTrials] = []
    limited = nullcontext() if timeout is None else watching(seconds=timeout)
    try:
        true = [by_estimand[ONLY] for by_estimand in truths(study, study.scenarios)]
        with limited:
            for alpha, number in steps(places):
                program, factors = replace(study, alpha=alpha).program, study.scenarios[number]
                shard = TrialShard(number + 1, factors, study.seed, 1, study.trials.count, (1,))
                level = ERROR / len(places)
                scenario = ModelTrials(program, shard, true[number], contract, tolerance, level)
                findings += scenario.findings()
                checked.append(scenario)
                if old is not None:
                    findings += baseline.compare(old, scenario)
    except TimeUpError as fault:
        findings.append(Finding(FINISHES, CONFORMANCE, INCONCLUSIVE, str(fault), {}))
    finally:
        close_trial_processes()
    report = ModelReport(
        method=called.label,
        family=SIMULATION,
        contract=contract,
        findings=tuple(findings),
        behaviour=pl.DataFrame(
            [scenario.row for scenario in checked if scenario.row],
            infer_schema_length=None,
            strict=False,
        ),
        seed=study.seed,
        model=_words(options["model"]),
        estimand=_words(options["estimand"]),
        factors=tuple(study.scenarios[0]),
    )
    if update is None:
        return report
    stored = baseline.store(update, report, checked, options.get("force", False))
    return replace(report, stored=stored)


def _simulation(called: Named, options: CheckOptions, alpha: float) -> Simulation:
    """The study whose trials are made.

    Raises:
        InputError: the model, its factors or the estimand is wrong.
    """
    estimand, place = options.get("estimand"), called.location
    if isinstance(estimand, str):
        is_function = ":" in estimand
        estimand = _place("estimand", estimand) if is_function else yaml12.read(estimand).data
    if estimand is None:
        raise InputError(f"estimand should be a factor, a number or {_FUNCTION}, found none")
    if place is None:
        method: dict[str, Any] = {"function": called.function}
    else:
        file = "path" if place.path else "module"
        method = {file: place.path or place.module, "function": place.function}
    trials = options.get("trials")
    raw = {
        "kind": SIMULATION,
        "name": "check",
        "model": _place("model", options["model"]),
        "factors": _factors(options.get("factors")),
        "estimand": estimand,
        "methods": [method],
        "alpha": alpha,
        "trials": {"per_scenario": TRIALS if trials is None else trials},
        "seed": options.get("seed", SEED),
        "execution": {"timeout": options.get("call_timeout", TIMEOUT)},
        "figures": [],
    }
    study, issues = simulation_of(raw, Path())
    if study is None:
        raise ConfigError(issues)
    if study.drawn or ONLY not in study.estimands:
        factors = ", ".join(study.scenarios[0]) or "there is none"
        what = f"a factor ({factors}), a number or a function"
        raise InputError(f"estimand: expected {what} in a check, found {quoted(estimand)}")
    if "alpha" in study.scenarios[0]:
        raise InputError("expected another name of a factor than alpha, a column of the report")
    return study


def _words(value: object) -> str:
    """A model or an estimand in words: a function by its name."""
    return name_of(value) if callable(value) else str(value)


def _place(name: str, text: object) -> Any:
    """The keys of a config for a function, or the function that was given itself.

    Raises:
        InputError: it is no name of a function.
    """
    if callable(text):
        return text
    place, colon, function = text.rpartition(":") if isinstance(text, str) else ("", "", "")
    if not colon:
        raise InputError(f"{name} should be {_FUNCTION}, found {quoted(text)}")
    return {"path" if place.endswith(".py") else "module": place, "function": function}


def _factors(factors: Mapping[str, Any] | Sequence[Any] | None) -> Any:
    """The levels of factors, or rows of them, as a config has them; of a text one factor.

    Raises:
        InputError: a text is not NAME=LEVEL,LEVEL, or a factor is there twice.
    """
    if isinstance(factors, Mapping):
        return {
            name: list(levels) if isinstance(levels, tuple) else levels
            for name, levels in factors.items()
        }
    texts = [factors] if isinstance(factors, str) else list(factors or ())
    if not all(isinstance(text, str) for text in texts):
        return texts
    levels_of: dict[str, list[Any]] = {}
    for text in texts:
        name, _, levels = (part.strip() for part in text.partition("="))
        if not (name and levels) or name in levels_of:
            form = "NAME=LEVEL,LEVEL, each name once"
            raise InputError(f"a factor should be {form}, found {quoted(text)}")
        levels_of[name] = [yaml12.read(level).data for level in levels.split(",")]
    return levels_of


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
            content, *scenarios = map(json.loads, read_text(file).splitlines())
            content["scenarios"] = scenarios
            for scenario in scenarios:
                np.array(scenario["answers"], np.float64).reshape(-1, len(FIELDS))
                scenario["factors"], scenario["alpha"], scenario["misses"], scenario["trials"]
            content["seed"], content["model"]
        except (ValueError, KeyError, TypeError):
            raise InputError(f"{file} is no baseline of a method on a model") from None
        return content  # type: ignore[no-any-return]

    def compare(self, old: Stored, trials: ModelTrials) -> Iterator[Finding]:
        """The findings about one scenario: first answers, and the numbers of misses."""
        wanted = (dict(trials.shard.factors), trials.program.alpha)
        matches = [
            scenario
            for scenario in old["scenarios"]
            if (scenario["factors"], scenario["alpha"]) == wanted
        ]
        if not matches:
            message = "the baseline has no such scenario; --update stores it"
            yield trials.finding(LIMITS, AGAINST, INCONCLUSIVE, message)
            return
        (stored,) = matches
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
                "factors": dict(trials.shard.factors),
                "alpha": trials.program.alpha,
                "trials": trials.shard.count,
                "misses": list(trials.misses),
                "answers": [
                    [None if math.isnan(value) else value for value in answer]
                    for answer in _rows(trials.found)[:ANSWERS_KEPT].tolist()
                ],
            }
            for trials in checked
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
