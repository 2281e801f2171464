"""Simulation studies, with a model and methods of the user's own: the record of a config.

The types of the keys for factors and for functions of the user's stand here too.
"""

from __future__ import annotations

import csv
import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from pydantic import AfterValidator, BeforeValidator, Discriminator, Field, Tag, ValidationInfo

from harness.base.models import StrictModel, by_shape, expecting, refused, repeated, tag
from harness.base.text import is_formula, plain_number
from harness.callers.location import FunctionLocation
from harness.callers.simulation.reading import TRUTH
from harness.callers.simulation.requests import ONLY, StudyProgram
from harness.config import yaml12
from harness.config.form import plain
from harness.config.models.methods import (
    FunctionName,
    Label,
    ModuleName,
    PythonFile,
    SessionName,
    as_mapping,
    config_folder,
    existing_file,
    is_of_session,
    is_python_name,
    resolved_path,
    session_function,
)
from harness.config.models.trials import write_execution
from harness.config.values import Execution
from harness.designs.crossing import Error, Goal
from harness.figures.catalogue import write_figures
from harness.figures.kind import FigureSpec
from harness.kinds.simulation.measures import RESERVED

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
        error = {name: plain_number(each) for name, each in given.items() if each is not None}
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
        thin = tuple(each.thin for each in self.methods)
        return StudyProgram(
            self.model.place,
            tuple((each.label, each.place) for each in self.methods),
            tuple(each.place for each in self._functions_of_truths.values()),
            self.alpha,
            self.batch,
            self.execution.timeout,
            tuple(self.estimands),
            self.drawn,
            thin if any(each != 1 for each in thin) else (),
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
        found = {"model": self.model} | self._functions_of_truths
        found |= {f"methods {each.label}": each for each in self.methods}
        return found | {f"measures {each.label}": each for each in self.measures}

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
        found = {
            "kind": self.kind,
            "name": self.name,
            "title": self.title,
            "model": dict(self.model.written),
            "factors": [dict(row) for row in self.scenarios],
            "estimand": written.get(ONLY, list(written) if are_named else written),
            "methods": [{**each.written, "label": each.label} for each in self.methods],
            "reference": self.reference,
            "alpha": plain(self.alpha),
            "null": None if self.null is None else plain(self.null),
            "trials": None if self.solve else trials,
            "solve": self.solve.document if self.solve else None,
            "batch": self.batch or None,
            "seed": self.seed,
            "keep": self.keep,
            "measures": [{**each.written, "label": each.label} for each in self.measures] or None,
            "execution": write_execution(self.execution),
            "figures": write_figures(self.figures),
        }
        return {key: value for key, value in found.items() if value is not None}


_Thin = Annotated[int, Field(ge=1, le=10**6), expecting("a whole number from 1 to 10^6")]
_THIN: Any = Field(1, description="Of a method with draws: every so many one is ranked.")


class _NamedFunction(StrictModel):
    """The keys of every function."""

    function: FunctionName = Field(description="Name of the function.")
    label: Label | None = Field(None, description="Of a method; left out, the function's name.")
    thin: _Thin = _THIN


class _FileFunction(_NamedFunction):
    """A function of a Python file."""

    path: PythonFile


class _ModuleFunction(_NamedFunction):
    """A function of a module that can be imported."""

    module: ModuleName


class _RFunction(_NamedFunction):
    """A function of an R file."""

    r: Annotated[
        str, existing_file("R", ".R"), Field(description="R file, relative to the config.")
    ]


class _SessionFunction(StrictModel):
    """A function of a Python session, which `harness.run` takes; its text in the file is a record.

    A function stands here itself, or with a label as {function: f, label: mine}.
    """

    function: SessionName
    source: str = Field("", description="Text of the function, which is not run from a file.")
    label: Label | None = Field(None, description="Of a method; left out, the function's name.")
    thin: _Thin = _THIN


def _where(value: Any) -> str:
    if is_of_session(value):
        return tag("session")
    keys = value if isinstance(value, Mapping) else ()
    return tag(next((key for key in ("module", "r") if key in keys), "file"))


def _made(
    model: _FileFunction | _ModuleFunction | _RFunction | _SessionFunction, info: ValidationInfo
) -> UserFunction:
    """The function with the absolute path of its file."""
    thin: dict[str, Any] = {} if model.thin == 1 else {"thin": model.thin}
    if isinstance(model, _SessionFunction):
        place, source = session_function(model.function, model.source)
        label = model.label or place.function
        labelled = {} if model.label is None else {"label": label}
        written = {"function": place.function, "source": source} | thin | labelled
        return UserFunction(label, place, written, model.thin)
    keys = ("path", "module", "r", "function")
    values = {key: getattr(model, key, None) for key in keys} | thin | {"label": model.label}
    written = {key: value for key, value in values.items() if value is not None}
    file = written.get("path", written.get("r"))
    path = None if file is None else resolved_path(info, file)
    place = FunctionLocation(model.function, path=path, module=written.get("module"))
    return UserFunction(model.label or model.function, place, written, model.thin)


if TYPE_CHECKING:
    FunctionKey = UserFunction
else:
    FunctionKey = Annotated[
        Annotated[_FileFunction, Tag(tag("file"))]
        | Annotated[_ModuleFunction, Tag(tag("module"))]
        | Annotated[_RFunction, Tag(tag("r"))]
        | Annotated[_SessionFunction, BeforeValidator(as_mapping), Tag(tag("session"))],
        Discriminator(_where),
        AfterValidator(_made),
    ]


MOST_SCENARIOS = 10_000


_Level = Annotated[
    Level,
    expecting(
        "a number below 2^63, a text that is no formula (=, +, - or @ at its start), true or false",
        # A table can hold no other level, and a spreadsheet would run the formula.
        lambda level: (
            not is_formula(level)
            if isinstance(level, str)
            else not isinstance(level, int) or abs(level) < 2**63
        ),
    ),
]
_Crossed = dict[str, Annotated[list[_Level], Field(min_length=1)]]
_Listed = Annotated[list[dict[str, _Level]], Field(min_length=1)]


def _of_file(value: Any, info: ValidationInfo) -> Any:
    """The rows of a file of factors as a list, and a single level as a list of one."""
    if isinstance(value, Mapping) and set(value) == {"csv"} and isinstance(value["csv"], str):
        return _read_rows(value["csv"], config_folder(info))
    if isinstance(value, Mapping):
        return {name: each if isinstance(each, list) else [each] for name, each in value.items()}
    return value


def _read_rows(name: str, folder: Path) -> list[dict[str, Level]]:
    try:
        with (folder / name).open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file, strict=True, skipinitialspace=True)
            rows, names = list(reader), list(reader.fieldnames or ())
    except (OSError, ValueError, csv.Error) as fault:
        reason = getattr(fault, "strerror", None) or fault
        raise refused(f"{name} cannot be read: {reason}", at="csv") from None
    if not rows:
        raise refused(f"expected rows of factors in {name}, found none", at="csv")
    if len(set(names)) < len(names) or "" in names:
        raise refused(f"expected a name of its own for each column of {name}", at="csv")
    found = []
    for number, row in enumerate(rows, 2):
        if None in row or None in row.values():
            raise refused(f"line {number} of {name} has not as many values as columns", at="csv")
        found.append({key: yaml12.read(value, name).data for key, value in row.items()})
    return found


def _scenarios(given: Any) -> tuple[dict[str, Level], ...]:
    """The factors of each scenario: those of each row, or every combination of the levels."""
    if isinstance(given, list):
        rows = given
    else:
        rows = [dict(zip(given, row, strict=True)) for row in itertools.product(*given.values())]
    if len(rows) > MOST_SCENARIOS:
        raise refused(f"expected at most {MOST_SCENARIOS} scenarios, found {len(rows)}")
    names = list(rows[0])
    for name in names:
        if not is_python_name(name) or "." in name:
            raise refused(f"expected factors with names of Python, found {name!r}")
        if name in RESERVED:
            raise refused(f"expected another name of a factor than {name}, a column of the tables")
        if name in ("rng", "csv"):
            raise refused(f"expected another name of a factor than {name}, which has a meaning")
    for number, row in enumerate(rows, 1):
        if set(row) != set(names):
            found = ", ".join(row) or "none"
            raise refused(f"expected the factors {', '.join(names)} in row {number}, found {found}")
    ordered = tuple({name: row[name] for name in names} for row in rows)
    # A level that is true is another one than 1.
    typed = [tuple((isinstance(level, bool), level) for level in row.values()) for row in ordered]
    for first, again in repeated(typed):
        raise refused(f"expected each scenario once, found row {again + 1} as row {first + 1}")
    return ordered


if TYPE_CHECKING:
    Factors = tuple[dict[str, Level], ...]
else:
    Factors = Annotated[
        by_shape(_Crossed, listed=_Listed), BeforeValidator(_of_file), AfterValidator(_scenarios)
    ]
