"""Run a simulation study: its shards, in rounds until they are enough, from the journal or anew."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from harness.base.errors import InputError
from harness.base.numerics.arrays import Floats
from harness.base.temporary import remove_left_behind
from harness.callers.simulation.process import close_trial_processes
from harness.callers.simulation.reading import TRUTH, AnswerReader, number_name
from harness.callers.simulation.requests import MODEL_ROW, ONLY
from harness.callers.sources import refuse_changed
from harness.designs.precision import FIRST_LOOK_DRAWN, Aim, planned_looks
from harness.kinds.simulation.experiment import ALL, Simulation, TrialPlan
from harness.kinds.simulation.functions import (
    OwnMeasures,
    StudyFiles,
    sent_files,
    study_files,
    truths,
)
from harness.kinds.simulation.measures import MEASURES
from harness.kinds.simulation.repeat import unrepeated
from harness.kinds.simulation.search import (
    MOST_ROUNDS,
    Factors,
    LevelSearch,
    searched_scenarios,
)
from harness.kinds.simulation.tables import (
    ByMethod,
    ScenarioTrials,
    SimulationResults,
    measured,
    simulation_results,
)
from harness.kinds.simulation.trials import (
    Calls,
    MethodTrials,
    ShardAnswers,
    TrialShard,
    joined,
    shard_size,
    simulate_trials,
)
from harness.runner.journal.database import ColumnKey, Journal
from harness.runner.journal.records import digest, pack, program, sources_digest
from harness.runner.parallel import Backend, Round, Task, opened_backend, run_rounds, run_tasks
from harness.runner.parts import TaskSpan
from harness.runner.workload import BASE, Progress, Workload, machine_memory, memory_for


@dataclass
class _Study:
    """A study while it runs: what is answered in each scenario, shard by shard."""

    experiment: Simulation
    files: StudyFiles
    backend: Backend
    journal: Journal | None
    answers: dict[tuple[int, int], dict[int, MethodTrials]] = field(default_factory=dict)
    """By the numbers of the scenario and of its shard, from 0 on: by the numbers of methods."""
    calls: Calls = field(default_factory=dict)
    trials: dict[int, int] = field(default_factory=dict)
    """The number of trials that are made of each scenario, by its index."""
    scenarios: list[Factors] = field(default_factory=list)
    """The factors of each scenario: those of the config, or those that a search has tried."""
    truths: list[dict[str, float]] = field(default_factory=list)
    """The true values of each scenario, but for those that are drawn."""
    unsaved: list[tuple[int, TrialShard]] = field(default_factory=list)
    """Shards whose answers the journal lacks, with their numbers."""

    @property
    def shard(self) -> int:
        """The number of trials of a whole shard."""
        return shard_size(self.experiment.batch)

    def shards(self, trials: int) -> int:
        """The number of shards with so many trials."""
        return -(-trials // self.shard)

    def add_scenarios(self, scenarios: Iterable[Factors]) -> None:
        """Add scenarios, with their true values.

        Raises:
            InputError: a function cannot be loaded, or does not take the factors.
        """
        added = list(scenarios)
        self.scenarios += added
        self.truths += truths(self.experiment, added)

    def rounds(self) -> Iterator[Round]:
        """Yield the shards up to each look, as long as a scenario needs more."""
        looks = _looks(self.experiment.trials, self.shard)
        self.trials = dict.fromkeys(range(len(self.scenarios)), 0)
        wanted = dict.fromkeys(self.trials, looks[0])
        while wanted:
            for trials in sorted(set(wanted.values())):
                alike = [scenario for scenario, asked in wanted.items() if asked == trials]
                stop = self.shards(trials)
                spans = {scenario: (self.shards(self.trials[scenario]), stop) for scenario in alike}
                yield self.round(spans, trials)
            self.trials |= wanted
            wanted = {
                scenario: next(look for look in looks if look > trials)
                for scenario, trials in wanted.items()
                if trials < looks[-1] and not _enough(self, scenario, trials, looks)
            }

    def searching(self, search: LevelSearch) -> Iterator[Round]:
        """Yield the shards of the scenarios that a search asks for, as long as it asks for any."""
        added: Mapping[int, int] = search.first()
        while added:
            self.add_scenarios(search.scenarios[len(self.scenarios) :])
            before = {scenario: self.trials.get(scenario, 0) for scenario in added}
            after = {scenario: before[scenario] + trials for scenario, trials in added.items()}
            spans = {
                scenario: (self.shards(before[scenario]), self.shards(after[scenario]))
                for scenario in added
            }
            yield self.round(spans, max(after.values()))
            self.trials |= after
            # A search is of the first estimand, or of all of them together.
            names = [next(iter(self.experiment.estimands)), ALL]
            measures = {scenario: self.measured(scenario) for scenario in added}
            added = search.further(
                {
                    scenario: {
                        label: {
                            k: v for name in names for k, v in by_estimand.get(name, {}).items()
                        }
                        for label, by_estimand in by_method.items()
                    }
                    for scenario, by_method in measures.items()
                }
            )

    def measured(self, scenario: int) -> ByMethod:
        """The measures of each method in a scenario, of the trials that are made."""
        asked, made = self.experiment, self.so_far(scenario)
        answers = made.replicates(asked.alpha)
        return measured(answers, made.truths, asked.alpha, asked.null, asked.reference)

    def round(self, spans: Mapping[int, TaskSpan], trials: int) -> Round:
        """The shards of some scenarios that are not recorded.

        Args:
            spans: the shards by the index of the scenario.
            trials: of each scenario at most; the last shard may be a part.

        Raises:
            InputError: a file of the functions has changed since the first round.
        """
        # With a journal, saving the round before has looked for this.
        if self.journal is None and self.calls:
            refuse_changed(self.experiment.name, self.files.by_path)
        left = []
        for scenario, (start, stop) in spans.items():
            for number in range(start, stop):
                count = min(self.shard, trials - number * self.shard)
                shard = self._left(scenario, number, count)
                if shard.methods:
                    left.append((number, shard))

        def name(_: object, shard: TrialShard, *__: object) -> str:
            last = shard.first + shard.count - 1
            return f"trials {shard.first} to {last} of scenario {shard.scenario}"

        execution, program = self.experiment.execution, self.experiment.program
        files = sent_files(self.experiment) if self.backend.is_elsewhere else None
        arguments = [(program, shard, False, files) for _, shard in left]
        parts = sum(stop - start for start, stop in spans.values())
        return Round(
            [Task(partial(self._add, number, shard), shard.count) for number, shard in left],
            run_tasks(simulate_trials, arguments, execution.jobs, self.backend, name),
            parts - len(left),
            parts,
            self._save,
        )

    def _add(self, number: int, shard: TrialShard, answered: ShardAnswers) -> None:
        """Add the answers of the methods in a shard, and the calls that it took.

        What was lost in a shard is not recorded, so that the next run asks for it again.
        """
        answers = self.answers[shard.scenario - 1, number]
        answers |= dict(zip(shard.methods, answered.methods, strict=True))
        kept = tuple(method for method in shard.methods if method not in answered.lost)
        self.unsaved.append((number, replace(shard, methods=kept)))
        for function, (times, seconds) in answered.calls.items():
            before = self.calls.get(function, (0, 0.0))
            self.calls[function] = before[0] + times, before[1] + seconds

    def _save(self, journal: Journal) -> None:
        """Put the answers into the journal that it lacks.

        Raises:
            InputError: a file of the functions has changed.
        """
        if self.unsaved:
            refuse_changed(self.experiment.name, self.files.by_path)
        for number, shard in self.unsaved:
            answers = self.answers[shard.scenario - 1, number]
            for method in shard.methods:
                column, content = (self._column(method),), pack(answers[method])
                journal.put(self._key(shard), (number, number + 1), column, content)
        self.unsaved.clear()

    def _left(self, scenario: int, number: int, count: int) -> TrialShard:
        """The shard with the methods whose answers are not recorded."""
        experiment = self.experiment
        every = tuple(range(1, len(experiment.methods) + 1))
        every += (MODEL_ROW,) if experiment.drawn else ()
        first, factors = number * self.shard + 1, self.scenarios[scenario]
        task = TrialShard(scenario + 1, factors, experiment.seed, first, count, every)
        by_method = self.answers.setdefault((scenario, number), {})
        if self.journal is not None:
            columns = {self._column(method): method for method in every}
            for stored in self.journal.records(self._key(task)):
                method = columns.get(stored.columns[0])
                if method is not None and (answers := self.journal.unpacked(stored, MethodTrials)):
                    by_method[method] = answers
        return replace(task, methods=tuple(method for method in every if method not in by_method))

    def _key(self, shard: TrialShard) -> bytes:
        """What finds the records of the methods in a shard."""
        content = {
            "simulation": dict(shard.factors),
            "seed": shard.seed,
            "batch": self.experiment.batch,
            "trials": [shard.first, shard.count],
            "model": self.files.by_function["model"],
            "program": program(sources_digest((simulate_trials.__module__,))),
        }
        if self.experiment.drawn:
            content["truths"] = [list(pair) for pair in self.experiment.drawn]
        return digest(content)

    def _column(self, method: int) -> ColumnKey:
        if method == MODEL_ROW:
            return ColumnKey(digest({"of": "truths"}).hex(), "")
        function = self.experiment.methods[method - 1]
        content: dict[str, Any] = {
            "label": function.label,
            "alpha": self.experiment.alpha,
            "files": self.files.by_function[f"methods {function.label}"],
        }
        if ONLY not in self.experiment.estimands:
            content["estimands"] = list(self.experiment.estimands)
        if function.thin != 1:
            content["thin"] = function.thin
        return ColumnKey(digest(content).hex(), "")

    def so_far(self, scenario: int) -> ScenarioTrials:
        """The answers of all methods in the trials of a scenario."""
        experiment, parts = self.experiment, range(self.shards(self.trials[scenario]))

        def of(method: int) -> MethodTrials:
            return joined([self.answers[scenario, part][method] for part in parts])

        truths: dict[str, float | Floats] = {**self.truths[scenario]}
        if experiment.drawn:
            drawn = of(MODEL_ROW)
            values = dict(zip(drawn.given, drawn.values, strict=True))
            missing = np.full(drawn.answered.size, np.nan)
            for estimand, _ in experiment.drawn:
                truths[estimand] = values.get(number_name(estimand, TRUTH), missing)
        # The number of looks at which trials may end.
        looks = 0
        if experiment.solve is not None:
            looks = MOST_ROUNDS
        elif not experiment.trials.is_fixed:
            looks = len(_looks(experiment.trials, self.shard))
        methods = enumerate(experiment.methods, 1)
        return ScenarioTrials(
            scenario + 1,
            self.scenarios[scenario],
            {estimand: truths[estimand] for estimand in experiment.estimands},
            {function.label: of(method) for method, function in methods},
            looks,
        )


@contextmanager
def _opened(experiment: Simulation, files: StudyFiles, journal: Journal | None) -> Iterator[_Study]:
    remove_left_behind()
    try:
        with opened_backend(experiment.execution) as backend:
            yield _Study(experiment, files, backend, journal)
    finally:
        close_trial_processes()


def compute_simulation(
    experiment: Simulation, progress: Progress, journal: Journal | None = None
) -> SimulationResults:
    """Run the trials of a study and assemble its tables.

    Args:
        experiment: what to compute.
        progress: receives the numbers of trials to come and done.
        journal: knows what former runs finished and keeps what this one does; None for neither.

    Returns:
        The tables and the manifest, not written yet.

    Raises:
        InputError: a function cannot be loaded or does not take the factors, a file of one has
            changed, the trials do not fit into memory, or the journal is damaged.
    """
    files = study_files(experiment)
    with ExitStack() as measuring:
        own = None
        if experiment.measures:
            # Opened before the trials, since it says what is wrong with a function.
            own = measuring.enter_context(closing(OwnMeasures(experiment)))
        with _opened(experiment, files, journal) as study, memory_for("the trials"):
            if experiment.solve is None:
                study.add_scenarios(experiment.scenarios)
                rounds, search = study.rounds(), None
            else:
                search = LevelSearch(experiment, experiment.solve, study.shard)
                rounds = study.searching(search)
            run_rounds(rounds, progress, journal)
            refuse_changed(experiment.name, files.by_path)
            scenarios = [study.so_far(scenario) for scenario in range(len(study.scenarios))]
            other = unrepeated(experiment, scenarios)
            names = ["model", *(method.label for method in experiment.methods)]
            calls = {
                names[function]: {"calls": times, "seconds": round(seconds, 6)}
                for function, (times, seconds) in sorted(study.calls.items())
            }
        with memory_for("the tables"):
            solved = [] if search is None else list(search.rows())
            return simulation_results(
                experiment.document, scenarios, files.by_function, calls, solved, other, own
            )


def _looks(plan: TrialPlan, shard: int) -> list[int]:
    """The numbers of trials at which it is seen whether they are enough.

    They do not depend on any result, so that intervals can be corrected for all of them; a whole
    number of shards each, but for the last one.
    """
    if plan.is_fixed:
        return [plan.count]
    whole = [-(-look // shard) * shard for look in planned_looks(plan.count, FIRST_LOOK_DRAWN)]
    return sorted({min(look, plan.count) for look in whole})


def _enough(study: _Study, scenario: int, trials: int, looks: Sequence[int]) -> bool:
    """Whether so many trials of a scenario reach what the study asks for.

    A standard error depends on the estimate, as a half-width does: by either rule trials end
    earlier where a coverage comes out far from 1/2 by chance.
    """
    experiment = study.experiment
    plan = experiment.trials
    all_measures = [
        measures for by_name in study.measured(scenario).values() for measures in by_name.values()
    ]
    if plan.half_width is not None:
        covered = [
            measures["coverage"].estimate for measures in all_measures if "coverage" in measures
        ]
        misses = trials - np.rint(np.array(covered) * trials).astype(np.int64)
        return Aim(plan.half_width, plan.count, tuple(looks)).reached(misses, trials)
    for name, _ in plan.mcse:
        if not any(name in measures for measures in all_measures):
            raise InputError(
                f"{experiment.name}: trials ask for a standard error of {name}, which no method of "
                f"scenario {scenario + 1} has"
            )
    errors = [
        (measures[name].mcse, target)
        for name, target in plan.mcse
        for measures in all_measures
        if name in measures
    ]
    return all(error <= target for error, target in errors if math.isfinite(error))


def compute_share(
    experiment: Simulation, share: Callable[[int], TaskSpan], progress: Progress, journal: Journal
) -> None:
    """Run a share of the shards of a study whose number of trials is fixed, and record them.

    Args:
        experiment: the whole study.
        share: gives the first and one more than the last of the part's shards, of all of them.
        progress: receives the numbers of trials to come and done.
        journal: keeps what is done.
    """
    files = study_files(experiment)
    with _opened(experiment, files, journal) as study, memory_for("the trials"):
        study.add_scenarios(experiment.scenarios)
        shards = study.shards(experiment.trials.count)
        first, last = share(shards * len(experiment.scenarios))
        spans = {
            scenario: (max(first - scenario * shards, 0), min(last - scenario * shards, shards))
            for scenario in range(len(experiment.scenarios))
        }
        spans = {scenario: (a, b) for scenario, (a, b) in spans.items() if a < b}
        run_rounds([study.round(spans, experiment.trials.count)], progress, journal)


def simulation_workload(experiment: Simulation) -> Workload:
    """What a study has to do beside the calls of the user's functions.

    Raises:
        InputError: the answers do not fit into memory.
    """
    scenarios, trials = len(experiment.scenarios), experiment.trials.count
    if experiment.solve is not None:
        # The trials are those of all levels of a search.
        scenarios = len(searched_scenarios(experiment.solve, experiment.scenarios))
    answers, estimands = scenarios * len(experiment.methods), len(experiment.estimands)
    numbers = len(AnswerReader(experiment.program).names)
    memory, limit = BASE + 8.0 * answers * trials * numbers, machine_memory()
    if experiment.trials.is_fixed and memory > limit:
        raise InputError(
            f"{experiment.name}: the answers of {trials:,} trials would need {memory / 1e9:.3g} "
            f"GB, more than the {limit / 1e9:.3g} GB of memory of this machine; use fewer trials"
        )
    return Workload(
        scenarios=scenarios,
        tasks=scenarios * -(-trials // shard_size(experiment.batch)),
        trials=scenarios * trials,
        at_most=not experiment.trials.is_fixed,
        intervals=answers * trials,
        cells=estimands * answers * trials if experiment.keep else 0,
        summary=estimands * answers * (len(MEASURES) + len(experiment.measures)),
        memory=memory,
    )
