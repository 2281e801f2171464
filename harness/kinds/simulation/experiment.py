"""Simulation studies: the record of a config with a model and methods of the user's own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

from harness.base.text import plain_number
from harness.callers.location import FunctionLocation
from harness.callers.simulation.reading import TRUTH
from harness.callers.simulation.requests import ONLY, StudyProgram
from harness.config.form import plain
from harness.config.models.trials import write_execution
from harness.config.values import Execution
from harness.designs.crossing import Error, Goal
from harness.figures.catalogue import write_figures
from harness.figures.kind import FigureSpec

SIMULATION = "simulation"
REPLICATES = "replicates"
"""What the key ``keep`` may name."""

Level = bool | int | float | str
"""What a factor may be."""


@dataclass(frozen=True)
class UserFunction:
    """A function of the user, as a config names it."""

    label: str
    """The label of a method; of another function its name."""
    place: FunctionLocation
    """The function, with the absolute path of its file."""
    written: Mapping[str, Any]
    """The keys of the config, whose paths are relative to its folder."""
    thin: int = 1
    """The step between the draws of a method that are ranked."""


Estimand = float | str | UserFunction
"""What gives a true value: a number, a function, or the name of a factor or else of a truth that
the model draws."""
ALL = "all"
"""The name of all estimands together in tables."""


@dataclass(frozen=True)
class TrialPlan:
    """How many trials each scenario has."""

    count: int
    """Their number; where a precision is asked for, the largest one."""
    mcse: tuple[tuple[str, float], ...] = ()
    """The largest Monte Carlo standard error of measures by their names."""
    half_width: float | None = None
    """The largest half-width of the interval of every coverage; None where none is asked for."""
    is_searched: bool = False
    """Whether they are those of a search, at all levels of its factor together."""

    @property
    def is_fixed(self) -> bool:
        """Whether the number does not depend on results."""
        return not self.mcse and self.half_width is None and not self.is_searched


@dataclass(frozen=True)
class Solve:
    """The level of a factor that is searched for."""

    factor: str
    measure: str
    goal: Goal
    error: Error

    most: int
    """The most trials, over all levels."""

    @property
    def document(self) -> dict[str, Any]:
        """The key of a config."""
        given = {"level": self.error.level, "measure": self.error.measure}
        error = {name: plain_number(value) for name, value in given.items() if value is not None}
        return {
            "factor": self.factor,
            "measure": self.measure,
            "equals": plain_number(self.goal.equals),
            "between": [plain_number(self.goal.low), plain_number(self.goal.high)],
            "whole": self.goal.is_whole,
            **({"error": error} if error else {}),
            "max": self.most,
        }


@dataclass(frozen=True, kw_only=True)
class Simulation:
    """A config of the kind ``simulation``, fully resolved."""

    name: str
    title: str
    model: UserFunction
    scenarios: tuple[Mapping[str, Level], ...]
    """The factors of each scenario; of a search those that it begins with."""
    estimands: Mapping[str, Estimand]
    """What gives the true values, by the names of estimands; that of the only one is ``ONLY``."""
    methods: tuple[UserFunction, ...]
    reference: str
    """The label of the method that others are compared with."""
    alpha: float
    null: float | None
    trials: TrialPlan
    solve: Solve | None
    """The search for scenarios; None where all are those of the config."""
    batch: int
    """0 where each trial is a call of its own."""
    seed: int
    keep: str | None
    execution: Execution
    figures: tuple[FigureSpec, ...]
    folder: str
    """The absolute path of the folder of the config."""
    measures: tuple[UserFunction, ...] = ()
    """Functions of the trials of a method in a scenario."""
    figures_are_suggested: bool = field(default=False, compare=False)
    kind: ClassVar[str] = SIMULATION
    family_name: ClassVar[str] = SIMULATION
    """The name in messages, as a study has no family."""

    @property
    def program(self) -> StudyProgram:
        """The functions that a process calls."""
        thin = tuple(method.thin for method in self.methods)
        return StudyProgram(
            self.model.place,
            tuple((method.label, method.place) for method in self.methods),
            tuple(function.place for function in self._functions_of_truths.values()),
            self.alpha,
            self.batch,
            self.execution.timeout,
            tuple(self.estimands),
            self.drawn,
            thin if any(step != 1 for step in thin) else (),
        )

    @cached_property
    def drawn(self) -> tuple[tuple[str, str], ...]:
        """The estimands whose truths the model draws, each with the name of its truth."""
        return tuple(
            (estimand, ONLY if (estimand, source) == (ONLY, TRUTH) else source)
            for estimand, source in self.estimands.items()
            if isinstance(source, str) and source not in self.scenarios[0]
        )

    @property
    def _functions_of_truths(self) -> dict[str, UserFunction]:
        """The functions of true values by what they are in the config."""
        return {
            f"estimand {name}".strip(): source
            for name, source in self.estimands.items()
            if isinstance(source, UserFunction)
        }

    @property
    def functions(self) -> dict[str, UserFunction]:
        """The functions by what they are in the config."""
        functions = {"model": self.model} | self._functions_of_truths
        functions |= {f"methods {method.label}": method for method in self.methods}
        return functions | {f"measures {measure.label}": measure for measure in self.measures}

    @cached_property
    def document(self) -> dict[str, Any]:
        """The resolved config as plain data, with every default filled in."""
        written = {
            name: dict(source.written) if isinstance(source, UserFunction) else plain(source)
            for name, source in self.estimands.items()
        }
        are_named = all(name == source for name, source in written.items())
        trials: dict[str, Any] = {"per_scenario": self.trials.count}
        if self.trials.mcse:
            trials = {"mcse": dict(self.trials.mcse), "max": self.trials.count}
        elif self.trials.half_width is not None:
            trials = {"half_width": plain_number(self.trials.half_width), "max": self.trials.count}
        document = {
            "kind": self.kind,
            "name": self.name,
            "title": self.title,
            "model": dict(self.model.written),
            "factors": [dict(row) for row in self.scenarios],
            "estimand": written.get(ONLY, list(written) if are_named else written),
            "methods": [{**method.written, "label": method.label} for method in self.methods],
            "reference": self.reference,
            "alpha": plain(self.alpha),
            "null": None if self.null is None else plain(self.null),
            "trials": None if self.solve else trials,
            "solve": self.solve.document if self.solve else None,
            "batch": self.batch or None,
            "seed": self.seed,
            "keep": self.keep,
            "measures": [{**measure.written, "label": measure.label} for measure in self.measures]
            or None,
            "execution": write_execution(self.execution),
            "figures": write_figures(self.figures),
        }
        return {key: value for key, value in document.items() if value is not None}
