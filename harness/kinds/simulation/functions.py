"""The functions of a simulation study: their files, and the true values and measures they give."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from harness.base.numerics.arrays import Floats, Integers
from harness.callers.calls import FunctionError
from harness.callers.location import source_files, source_paths, sources_digest
from harness.callers.simulation.answers import AGAINST_TRUTH, FIELDS
from harness.callers.simulation.measuring import MeasureProcess
from harness.callers.simulation.process import trial_process
from harness.callers.sources import file_digests, loaded_files
from harness.kinds.simulation.experiment import Estimand, Level, Simulation, UserFunction
from harness.kinds.simulation.measures import Measure, Replicates
from harness.kinds.simulation.trials import SentFiles


@dataclass(frozen=True)
class StudyFiles:
    """The files of the functions of a study."""

    by_function: Mapping[str, str]
    """The SHA-256 of all files of each function, by what it is in the config."""
    by_path: Mapping[str, str]
    """The SHA-256 of each file."""


def study_files(experiment: Simulation) -> StudyFiles:
    """The files of the functions of a study, which a process loads where that is to be known."""
    functions = {name: function.place for name, function in experiment.functions.items()}
    loaded = loaded_files(functions.values(), experiment.execution.timeout)
    paths = {place: source_paths(place).values() for place in functions.values()}
    by_path: dict[str, str] = {}
    for place, files in loaded.items():
        by_path |= file_digests(paths[place]) | files.digests
    by_function = {
        name: sources_digest(place, loaded[place].beside(paths[place]))
        for name, place in functions.items()
    }
    return StudyFiles(by_function, by_path)


def sent_files(experiment: Simulation) -> SentFiles:
    """The files of the functions, by the folder of the function and their names there."""
    by_folder: dict[str, dict[str, bytes]] = {}
    for function in experiment.functions.values():
        if function.place.path is not None:
            folder = str(Path(function.place.path).parent)
            by_folder.setdefault(folder, {}).update(source_files(function.place))
    return by_folder


def truths(
    experiment: Simulation, scenarios: Iterable[Mapping[str, Level]]
) -> list[dict[str, float]]:
    """The true values in each of some scenarios, by estimand, but for those that are drawn.

    Raises:
        InputError: a function cannot be loaded, or does not take the factors.
    """
    drawn = dict(experiment.drawn)
    fixed = {name: estimand for name, estimand in experiment.estimands.items() if name not in drawn}
    # The process is started in any case, since it says what is wrong with a function.
    with trial_process(experiment.program, experiment.scenarios[0]) as process:

        def value(estimand: Estimand, factors: Mapping[str, Any]) -> float:
            if isinstance(estimand, UserFunction):
                return process.truth(estimand.place, factors)
            return float(factors[estimand] if isinstance(estimand, str) else estimand)

        return [
            {name: value(estimand, factors) for name, estimand in fixed.items()}
            for factors in scenarios
        ]


GROUPS = 100
"""The most groups of trials that are left out in turn."""


def jackknife_error(value: float, left_out: Floats, sizes: Integers) -> float:
    """The standard error of a statistic by the delete-a-group jackknife.

    Of n values in G groups of m₁, …, m_G, with θ̂ of all of them, θ̂₋ⱼ of all but those of group j,
    and hⱼ = n/mⱼ, the pseudo-values are θ̃ⱼ = hⱼ·θ̂ − (hⱼ − 1)·θ̂₋ⱼ, and the estimate of the
    jackknife is θ̂_J = G·θ̂ − Σ(1 − mⱼ/n)·θ̂₋ⱼ. The standard error is

        √(Σ(θ̃ⱼ − θ̂_J)²/(hⱼ − 1)/G),

    of groups of one value that of the ordinary jackknife, and of a mean about s/√n. Busing, Meijer
    and van der Leeden (1999), "Delete-m jackknife for unequal m", Statistics and Computing 9:3.

    Args:
        value: θ̂.
        left_out: θ̂₋ⱼ, shape (G,).
        sizes: mⱼ, shape (G,).

    Returns:
        The standard error; NaN of fewer than two groups.
    """
    if left_out.size < 2:
        return math.nan
    parts = sizes.sum() / sizes
    pseudo = parts * value - (parts - 1.0) * left_out
    estimate = left_out.size * value - ((1.0 - 1.0 / parts) * left_out).sum()
    return math.sqrt(((pseudo - estimate) ** 2 / (parts - 1.0)).mean())


class OwnMeasures:
    """The measures of a study, called in a process of their own."""

    def __init__(self, experiment: Simulation) -> None:
        """Start the process.

        Raises:
            InputError: a function cannot be loaded, or does not take a table and alpha.
        """
        self._experiment = experiment
        self._labels = [measure.label for measure in experiment.measures]
        self._process = self._started()
        self._stopped: set[int] = set()
        """The functions that have ended the process, or hung; they are not called any more."""
        self.failures: list[dict[str, Any]] = []
        """Where there is no value, with the reason."""

    def _started(self) -> MeasureProcess:
        places = [measure.place for measure in self._experiment.measures]
        return MeasureProcess(places, self._experiment.execution.timeout)

    def close(self) -> None:
        """End the process."""
        self._process.close()

    def measured(
        self, place: Mapping[str, Any], replicates: Replicates, truth: float | Floats
    ) -> dict[str, Measure]:
        """The measures of a method in a scenario, of the trials that it answered, by their labels.

        Args:
            place: the number of the scenario and the label of the method, and the estimand of
                several.
            replicates: the answers.
            truth: the true value; of each trial where it is drawn.
        """
        answered = np.flatnonzero(replicates.answered)
        count, no_influence = answered.size, np.full(replicates.answered.shape, np.nan)
        groups = np.arange(count) % GROUPS
        names = (*FIELDS, *AGAINST_TRUTH) if isinstance(truth, np.ndarray) else FIELDS
        table: dict[str, Any] = {name: getattr(replicates, name)[answered] for name in names}
        true = np.broadcast_to(truth, replicates.answered.shape)[answered]
        table |= {"truth": true, "trial": answered + 1, "group": groups}
        sizes = np.bincount(groups)
        self._send(table)
        measures = {}
        for function, label in enumerate(self._labels):
            try:
                value, error = self._value(function, table, sizes)
            except FunctionError as fault:
                self.failures.append({**place, "measure": label, "why": str(fault)})
            else:
                measures[label] = Measure(value, error, count, no_influence)
        return measures

    def _send(self, table: Mapping[str, Any]) -> None:
        """Send a table to the process, or to a new one where it has ended."""
        if self._process.ended:
            self._process.close()
            self._process = self._started()
        self._process.take(table, self._experiment.alpha)

    def _value(
        self, function: int, table: Mapping[str, Any], sizes: Integers
    ) -> tuple[float, float]:
        """The value of a function and its standard error.

        Raises:
            FunctionError: the function fails.
        """
        if not sizes.size:
            raise FunctionError("no trial has an answer")
        if function in self._stopped:
            raise FunctionError("was not called any more, as it had ended its process or hung")
        if self._process.ended:
            self._send(table)
        try:
            value = self._process.value(function)
            left_out = [
                self._process.value(function, group)
                for group in range(sizes.size if sizes.size > 1 else 0)
            ]
        except FunctionError:
            if self._process.ended:
                self._stopped.add(function)
            raise
        return value, jackknife_error(value, np.array(left_out), sizes)
