"""Trials of a study that a new process is asked for again, by themselves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Any

import numpy as np

from harness.callers.simulation.guard import CHANGED_DATA
from harness.callers.simulation.process import close_trial_processes
from harness.kinds.simulation.experiment import Simulation
from harness.kinds.simulation.tables import ScenarioTrials
from harness.kinds.simulation.trials import MethodTrials, TrialShard, simulate_trials

_MOST, _SHARE = 20, 50
"""So many calls of each method are made again; at most one in so many, but one at least."""
_RELATIVE, _ABSOLUTE = 1e-9, 1e-12
"""Differences that are none: a library with threads may round otherwise."""


def unrepeated(experiment: Simulation, scenarios: Sequence[ScenarioTrials]) -> list[dict[str, Any]]:
    """The methods that answer otherwise in a new process, each with the first trial where it does.

    Their answers depend on the calls before, which differ with the number of processes. Methods
    whose changes of what functions share were noted are left out.

    Args:
        experiment: the study.
        scenarios: what its methods answered in each scenario.

    Returns:
        For each method its label, the scenario and the trial.
    """
    close_trial_processes()
    strayed: dict[str, dict[str, Any]] = {}
    for made, first in _sample(scenarios, experiment.batch or 1):
        count = min(experiment.batch or 1, made.trials + 1 - first)
        trials = slice(first - 1, first - 1 + count)
        asked = {}
        for number, method in enumerate(experiment.methods, 1):
            answers = made.answers[method.label]
            # Of a method that has strayed a note says so already.
            has_strayed = not all(what.endswith(CHANGED_DATA) for what in answers.changed[1:])
            if answers.answered[trials].any() and not has_strayed:
                asked[number] = answers
        shard = TrialShard(made.number, made.factors, experiment.seed, first, count, tuple(asked))
        if not asked:
            continue
        again = simulate_trials(experiment.program, shard)
        for (number, before), now in zip(asked.items(), again.methods, strict=True):
            if number not in again.lost and not _same(before, now, trials):
                label = experiment.methods[number - 1].label
                place = {"scenario": made.number, "first_trial": first}
                strayed.setdefault(label, {"method": label, **place})
    return list(strayed.values())


def _sample(
    scenarios: Sequence[ScenarioTrials], width: int
) -> Iterator[tuple[ScenarioTrials, int]]:
    """Scenarios with the first trial of a call, the last of them first, as most calls precede it.

    Args:
        scenarios: all of the study.
        width: the number of trials of a call.
    """
    ends = list(accumulate(-(-made.trials // width) for made in scenarios))
    count = min(_MOST, -(-ends[-1] // _SHARE))
    for part in range(count, 0, -1):
        call = part * ends[-1] // count - 1
        place = int(np.searchsorted(ends, call, "right"))
        before = ends[place - 1] if place else 0
        yield scenarios[place], (call - before) * width + 1


def _same(before: MethodTrials, now: MethodTrials, trials: slice) -> bool:
    part = MethodTrials(before.given, before.values[:, trials], before.answered[trials])
    numbers: Mapping[str, Any] = now.fields()
    return np.array_equal(now.answered, part.answered) and all(
        np.allclose(column, numbers[name], _RELATIVE, _ABSOLUTE, equal_nan=True)
        for name, column in part.fields().items()
    )
