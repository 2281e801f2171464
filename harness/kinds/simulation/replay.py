"""One trial of a simulation study, drawn again."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from harness.base.arguments import validate_whole
from harness.base.errors import InputError
from harness.callers.calls import FunctionError
from harness.callers.simulation.process import close_trial_processes
from harness.callers.simulation.r_functions import is_of_r
from harness.callers.simulation.reading import TRUTH, number_name
from harness.callers.simulation.requests import MODEL_ROW, MODEL_STREAM, Stream, stream_key
from harness.config.load import document_of, validated
from harness.config.models.trials import MOST_TRIALS
from harness.kinds.simulation.experiment import SIMULATION, Simulation
from harness.kinds.simulation.functions import study_files, truths
from harness.kinds.simulation.keys import simulation_of
from harness.kinds.simulation.trials import MethodTrials, TrialShard, simulate_trials
from harness.runner.storage import RUN_FILE
from harness.tables.results import Results


@dataclass(frozen=True)
class Replay:
    """One trial as its methods answered it."""

    alpha: float
    factors: Mapping[str, Any]
    truths: Mapping[str, float]
    """The true values by estimand; NaN for one that is a text."""
    answers: Mapping[str, MethodTrials]
    """The answers in the one trial, by the labels of the methods."""
    changed: tuple[str, ...]
    """The functions whose files have changed since the run, as the config names them."""


def replay(results: Results, scenario: int, trial: int) -> Replay:
    """Draw a trial again and call all methods with its data.

    Args:
        results: of a simulation study, in their folder.
        scenario: its number, from 1 on.
        trial: its number, from 1 on; it need not be one that the run made.

    Raises:
        InputError: they are the results of something else, there is no such scenario, or a
            function cannot be loaded.
    """
    experiment, factors = _asked(results, scenario, trial)
    batch = experiment.batch or 1
    first = (trial - 1) // batch * batch + 1
    methods = tuple(range(1, len(experiment.methods) + 1))
    methods += (MODEL_ROW,) if experiment.drawn else ()
    shard = TrialShard(scenario, factors, experiment.seed, first, batch, methods)
    try:
        answers = simulate_trials(experiment.program, shard, lines=True).methods
        (true,) = truths(experiment, [factors])
    finally:
        close_trial_processes()
    place = [trial - first]
    rows = [
        replace(batched, values=batched.values[:, place], answered=batched.answered[place])
        for batched in answers
    ]
    of_trial = {method.label: row for method, row in zip(experiment.methods, rows, strict=False)}
    drawn = dict(zip(rows[-1].given, rows[-1].values[:, 0].tolist(), strict=True))
    truths_of_trial = {
        name: true[name] if name in true else drawn.get(number_name(name, TRUTH), math.nan)
        for name in experiment.estimands
    }
    then, now = results.manifest["sources"], study_files(experiment).by_function
    changed = tuple(name for name, digest in now.items() if then.get(name) != digest)
    return Replay(experiment.alpha, factors, truths_of_trial, of_trial, changed)


def drawn_again(results: Results, scenario: int, trial: int) -> Any:
    """The data of one trial, as the model returns them in this process.

    Args and raises: as of ``replay``.
    """
    experiment, factors = _asked(results, scenario, trial)
    place = experiment.model.place
    if is_of_r(place.path):
        raise InputError(f"{place} is a function of R, whose data stay there; `replay` runs it")
    try:
        model = place.load()
    except FunctionError as fault:
        raise InputError(str(fault)) from None
    stream = Stream(stream_key(experiment.seed, factors, experiment.batch, MODEL_STREAM))
    if not experiment.batch:
        return model(stream.at(trial), **factors)
    row = (trial - 1) % experiment.batch
    data = model(stream.at(trial - row), experiment.batch, **factors)
    return _row(data, row, experiment.batch)


def _row(data: Any, row: int, batch: int) -> Any:
    """The part of one trial in the data of a batch."""
    if isinstance(data, Mapping):
        return {name: _row(value, row, batch) for name, value in data.items()}
    if isinstance(data, tuple | list):
        return type(data)(_row(value, row, batch) for value in data)
    if isinstance(data, np.ndarray) and data.shape[:1] == (batch,):
        return data[row]
    return data


def _asked(results: Results, scenario: int, trial: int) -> tuple[Simulation, Mapping[str, Any]]:
    """The study of some results, and the factors of a scenario."""
    document = results.manifest["experiment"]
    if document.get("kind") != SIMULATION:
        raise InputError("replay: these are no results of a simulation study")
    # Of a search the manifest has the scenarios that were tried.
    scenarios = results.manifest.get("scenarios", document["factors"])
    validate_whole("scenario", scenario, 1)
    validate_whole("trial", trial, 1)
    count = len(scenarios)
    for name, value, most in (("scenario", scenario, count), ("trial", trial, MOST_TRIALS)):
        if value > most:
            raise InputError(f"{name} should be at most {most}, found {value}")
    folder = Path()
    if results.path is not None:
        # Of results that were copied without run.json, paths are relative to the working folder.
        with suppress(OSError, ValueError, KeyError, TypeError):
            folder = Path(json.loads((results.path / RUN_FILE).read_text("utf-8"))["folder"])
    experiment = validated(document_of(document), (), folder, simulation_of).experiment
    assert isinstance(experiment, Simulation)
    return experiment, scenarios[scenario - 1]
