"""The functions of a simulation study: their files, and the true values that they give."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.callers.location import source_files, source_paths, sources_digest
from harness.callers.simulation.process import trial_process
from harness.callers.sources import file_digests, loaded_files
from harness.kinds.simulation.experiment import Estimand, Level, Simulation, UserFunction
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
    functions = {name: each.place for name, each in experiment.functions.items()}
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
    found: dict[str, dict[str, bytes]] = {}
    for each in experiment.functions.values():
        if each.place.path is not None:
            folder = str(Path(each.place.path).parent)
            found.setdefault(folder, {}).update(source_files(each.place))
    return found


def truths(
    experiment: Simulation, scenarios: Iterable[Mapping[str, Level]]
) -> list[dict[str, float]]:
    """The true values in each of some scenarios, by estimand, but for those that are drawn.

    Raises:
        InputError: a function cannot be loaded, or does not take the factors.
    """
    drawn = dict(experiment.drawn)
    fixed = {name: each for name, each in experiment.estimands.items() if name not in drawn}
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
