"""The keys of a config of a simulation study, and the experiment of such a config."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Self, cast

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Discriminator,
    Field,
    Tag,
    ValidationError,
    ValidationInfo,
    model_validator,
)

from harness.base.errors import ConfigIssue
from harness.base.models import (
    StrictModel,
    Word,
    by_shape,
    expecting,
    issues_of,
    one_of,
    refused,
    repeated,
    tag,
    unknown,
)
from harness.base.plain_data import expected_found
from harness.base.text import plain_number
from harness.callers.process import TIMEOUT
from harness.callers.simulation.r_functions import is_of_r
from harness.callers.simulation.requests import ONLY
from harness.config.models.methods import (
    Alpha,
    as_mapping,
    is_python_name,
)
from harness.config.models.trials import (
    MOST_TRIALS,
    ExecutionSettings,
    LargestCount,
    SmallHalfWidth,
)
from harness.config.shared_keys import Name, Seed, Title
from harness.config.values import Execution
from harness.designs.crossing import Error, Goal
from harness.figures.catalogue import FIGURES, figure_spec, figure_type, kind_of
from harness.figures.kind import FigureSpec
from harness.kinds.simulation.experiment import (
    ALL,
    REPLICATES,
    SIMULATION,
    Estimand,
    Simulation,
    Solve,
    TrialPlan,
    UserFunction,
)
from harness.kinds.simulation.key_types import Factors, FunctionKey
from harness.kinds.simulation.measures import (
    ESTIMATED,
    FRACTIONS,
    LOWEST,
    MEASURES,
    RESERVED_WITH_MORE,
    SOLVED,
)
from harness.kinds.simulation.trials import shard_size

_MOST_DRAWN = 1_000_000
"""The most trials of a scenario where a precision is asked for without a largest number."""
_MOST_SEARCHED = 100_000
"""The most trials of a search where no largest number is given."""


# The number of trials.


_Count = Annotated[
    int,
    Field(ge=1, le=MOST_TRIALS),
    expecting("a whole number of trials from 1 to 10^11"),
]
_Measure = Annotated[
    str,
    Word("a built-in measure, as stopping rules and searches take none of `measures`", ESTIMATED),
]


class _PerScenario(StrictModel):
    """The same number of trials in each scenario."""

    per_scenario: _Count = Field(description="Trials of each scenario.")


class _StandardErrors(StrictModel):
    """Trials until Monte Carlo standard errors are small enough."""

    mcse: Annotated[
        dict[_Measure, Annotated[float, Field(gt=0), expecting("a number above 0")]],
        Field(min_length=1, description="The largest standard error by the name of a measure."),
    ]
    max: LargestCount = Field(_MOST_DRAWN, description="The most trials of each scenario.")


class _HalfWidth(StrictModel):
    """Trials until the 95 % interval of every coverage is narrow enough."""

    half_width: SmallHalfWidth = Field(
        description="How far the interval of a coverage reaches at most to each side."
    )
    max: LargestCount = Field(_MOST_DRAWN, description="The most trials of each scenario.")


def _plan(model: _PerScenario | _StandardErrors | _HalfWidth) -> TrialPlan:
    if isinstance(model, _PerScenario):
        return TrialPlan(model.per_scenario)
    if isinstance(model, _StandardErrors):
        return TrialPlan(model.max, tuple(model.mcse.items()))
    return TrialPlan(model.max, half_width=model.half_width)


# The level that is searched for.


_Precise = Annotated[float, Field(gt=0), expecting("a number above 0")]


class _LevelError(StrictModel):
    """How precise the level is to be."""

    level: _Precise = Field(description="Largest half-width of its 95 % interval.")


class _MeasureError(StrictModel):
    """How precise the measure at the level is to be."""

    measure: _Precise = Field(description="Half-width of the interval of the level × the slope.")


def _ascending(between: list[float]) -> list[float]:
    if between[0] >= between[1]:
        low, high = (plain_number(end) for end in between)
        raise refused(f"expected the lower end first, found [{low}, {high}]")
    return between


if TYPE_CHECKING:
    _Ends = list[float]
    _SolveError = Error
else:
    _Ends = Annotated[
        list[float],
        Field(min_length=2, max_length=2),
        expecting("two numbers, the ends of the range"),
        AfterValidator(_ascending),
    ]
    _SolveError = Annotated[
        one_of({"level": _LevelError, "measure": _MeasureError}),
        AfterValidator(lambda model: Error(**dict(model))),
    ]


class _Solve(StrictModel):
    """The level of a factor at which a measure reaches a value."""

    factor: str = Field(description="A factor with numbers, whose levels are tried first.")
    measure: _Measure = Field(description="Name of the measure.")
    equals: float = Field(description="The value that it is to reach.")
    between: _Ends | None = Field(
        None, description="Range of the level; left out, that of the levels of the factor."
    )
    whole: bool | None = Field(
        None, description="Whether levels are whole numbers; left out, if those given are."
    )
    error: _SolveError | None = Field(
        None, description="How precise the answer is to be; left out, ± 2 % of the level."
    )
    max: LargestCount = Field(
        _MOST_SEARCHED, description="The most trials of a search, over all levels."
    )


def _solve_of(model: _Solve, info: ValidationInfo) -> Solve | None:
    """What is searched for in the scenarios of a config; None where those are not valid."""
    if not {"factors", "batch"} <= set(info.data):
        return None
    factors, batch = info.data["factors"], info.data["batch"] or 0
    names, name, measure = list(factors[0]), model.factor, model.measure
    if name not in names:
        what = f"a factor ({', '.join(names) or 'there is none'})"
        raise unknown(what, names, at="factor", found=name)
    for taken in names:
        if taken in SOLVED:
            raise refused(f"expected another name of a factor than {taken}, a column of solve.csv")
    levels = []
    for row in factors:
        level = row[name]
        if isinstance(level, bool | str) or not math.isfinite(level):
            raise refused(expected_found("a factor with numbers", level), at="factor")
        levels.append(float(level))
    low, high = model.between or (min(levels), max(levels))
    if low == high:
        raise refused(f"expected this key, or two levels of {name}", at="between")
    for level in levels:
        if not low <= level <= high:
            message = f"expected a range with the levels of {name}, of which {level:g} is outside"
            raise refused(message, at="between")
    is_fraction = measure in FRACTIONS
    lowest = 0.0 if is_fraction else LOWEST.get(measure, -math.inf)
    if not lowest < model.equals < (1.0 if is_fraction else math.inf):
        what = f"a value of {measure} above {lowest:g}{' and below 1' if is_fraction else ''}"
        value = plain_number(model.equals)
        raise refused(f"expected {what}, which it can reach, found {value}", at="equals")
    are_whole = all(level.is_integer() for level in (*levels, low, high))
    if model.whole and not are_whole:
        raise refused("expected whole: false, since a level is no whole number", at="whole")
    first = len({*levels, low, high}) * shard_size(batch)
    if model.max < first:
        what = f"at least {first}, the trials at the levels that are tried first"
        raise refused(f"expected {what}, found {model.max}", at="max")
    is_whole = are_whole if model.whole is None else model.whole
    goal = Goal(model.equals, low, high, is_whole, is_fraction)
    return Solve(name, measure, goal, model.error or Error(), model.max)


if TYPE_CHECKING:
    _SolveKey = Solve
else:
    _SolveKey = Annotated[_Solve, AfterValidator(_solve_of)]


def _of_simulations(options: Any) -> Any:
    """Refuse a figure of another kind of experiment."""
    kind = kind_of(options)
    if kind.experiment != SIMULATION:
        drawn = ", ".join(
            name for name, figure in FIGURES.items() if figure.experiment == SIMULATION
        )
        raise refused(f"expected a figure of a simulation ({drawn}), found {kind.name}")
    return options


def _estimand_name(name: str) -> str:
    """The name of one of several estimands, which is refused where it is none."""
    if not is_python_name(name) or "." in name:
        raise refused(f"expected estimands with names of Python, found {name!r}")
    if name == ALL:
        raise refused(f"expected another name of an estimand than {ALL}, which has a meaning")
    return name


def _by_name(names: list[str]) -> dict[str, Any]:
    for first, again in repeated(names):
        raise refused(f"expected each estimand once, found {names[again]} in {first} and {again}")
    return {name: name for name in names}


def _shape_of_estimands(value: Any) -> str:
    if isinstance(value, list):
        return tag("list")
    is_named = isinstance(value, Mapping) and "function" not in value
    return tag("named" if is_named else "one")


if TYPE_CHECKING:
    _Trials = TrialPlan
    _Execution = Execution
    _Estimands = dict[str, Estimand]
    _FigureList = list[Any]
else:
    _Trials = Annotated[
        one_of({"per_scenario": _PerScenario, "mcse": _StandardErrors, "half_width": _HalfWidth}),
        AfterValidator(_plan),
    ]
    _Execution = ExecutionSettings
    _Estimand = Annotated[
        by_shape(
            Annotated[
                float | str,
                expecting("a factor, a number, {path, function}, or a truth that the model draws"),
            ],
            mapping=FunctionKey,
        ),
        BeforeValidator(as_mapping),
    ]
    _EstimandName = Annotated[str, AfterValidator(_estimand_name)]
    _Estimands = Annotated[
        Annotated[_Estimand, Tag(tag("one"))]
        | Annotated[
            Annotated[list[_EstimandName], Field(min_length=1)],
            AfterValidator(_by_name),
            Tag(tag("list")),
        ]
        | Annotated[
            Annotated[dict[_EstimandName, _Estimand], Field(min_length=1)], Tag(tag("named"))
        ],
        Discriminator(_shape_of_estimands),
        AfterValidator(
            lambda estimands: estimands if isinstance(estimands, dict) else {ONLY: estimands}
        ),
    ]
    _FigureList = list[Annotated[figure_type(), AfterValidator(_of_simulations)]]


class SimulationConfig(StrictModel):
    """A simulation study: a model, an estimand and methods of the user's own."""

    kind: Annotated[str, Word("a kind of experiment", (SIMULATION,))] = Field(
        description="simulation: a study with a model and methods of your own."
    )
    name: Name = Field(description="Results go to results/<name>; plain path segments.")
    title: Title | None = Field(None, description="Left out, the name.")
    model: FunctionKey = Field(
        description="Draws the data of a trial: f(rng, **factors); with batch f(rng, trials, "
        "**factors)."
    )
    factors: Factors = Field(
        {}, validate_default=True, description="Levels, which are crossed; rows; or {csv: file}."
    )
    estimand: _Estimands = Field(
        description="The true value: a factor, a number, a function of the factors, or truth, "
        "which the model draws; of several estimands a list of names, or a mapping."
    )
    methods: Annotated[list[FunctionKey], Field(min_length=1)] = Field(
        description="Functions f(data, alpha), or f(data, alpha, rng), of an estimate and limits."
    )
    reference: str | None = Field(
        None, description="The label of the method that others are compared with; the first."
    )
    alpha: Annotated[Alpha, expecting("a number above 0, from 1e-284 on, and below 1")] = Field(
        0.05, description="Nominal probability of a miss."
    )
    null: float | None = Field(None, description="The value whose rejections are counted.")
    trials: _Trials | None = Field(
        None, description="How many trials each scenario has; needed without solve."
    )
    batch: Annotated[
        int | None, Field(ge=1, le=10**6), expecting("a whole number from 1 to 10^6")
    ] = Field(None, description="Trials of one call, on arrays whose first axis is the trial.")
    solve: _SolveKey | None = Field(
        None, description="The level of a factor at which a measure reaches a value."
    )
    seed: Seed = Field(description="Every random number follows from it.")
    keep: Annotated[str, Word("what is kept", (REPLICATES,))] | None = Field(
        None, description="replicates: the answers of every trial, in replicates.parquet."
    )
    measures: list[FunctionKey] = Field(
        [], description="Functions f(trials, alpha) of a number, of the trials of a method."
    )
    execution: _Execution = Field(
        {"jobs": -1, "backend": "threading", "timeout": TIMEOUT},
        validate_default=True,
        description="Where the work runs.",
    )
    figures: _FigureList | None = Field(
        None, description="Figures to draw; left out, a few; [] draws none."
    )

    @model_validator(mode="after")
    def _belong_together(self) -> Self:
        labels = [method.label for method in self.methods]
        for first, again in repeated(labels):
            twice = f"{labels[again]!r} in methods[{first}] and methods[{again}]"
            raise refused(f"expected a unique label, found {twice}", at="methods")
        functions = (self.model, *self.methods)
        if self.batch and any(is_of_r(function.place.path) for function in functions):
            raise refused(
                "expected no batch with functions of R, each of which gets one trial", "batch"
            )
        if is_of_r(self.model.place.path) and not all(
            is_of_r(method.place.path) for method in self.methods
        ):
            raise refused(
                "expected methods of R with a model of R, whose data stay there", "methods"
            )
        if self.reference is not None and self.reference not in labels:
            what = f"the label of a method ({', '.join(labels)})"
            raise unknown(what, labels, at="reference", found=self.reference)
        factors = list(self.factors[0])
        drawn = False
        for source in self.estimand.values():
            if isinstance(source, UserFunction) and is_of_r(source.place.path):
                raise refused("expected a function of Python as estimand", at="estimand")
            drawn = drawn or (isinstance(source, str) and source not in factors)
            for row in self.factors:
                value = row.get(source) if isinstance(source, str) else None
                if value is not None and (
                    isinstance(value, bool | str) or not math.isfinite(value)
                ):
                    raise refused(expected_found("a factor with numbers", value), at="estimand")
        if drawn and is_of_r(self.model.place.path):
            raise refused("expected a model of Python, which can return truths", at="model")
        taken = [name for name in factors if name in RESERVED_WITH_MORE]
        if taken and (drawn or ONLY not in self.estimand):
            message = f"expected another name of a factor than {taken[0]}, a column of the tables"
            raise refused(message, at="factors")
        if self.solve is None and self.trials is None:
            raise refused("expected this key, found nothing", at="trials")
        if self.solve is not None and self.trials is not None:
            message = "expected no trials with solve, which has a key max of its own"
            raise refused(message, at="trials")
        for options in self.figures or ():
            _refuse_other_scenarios(options, self.solve is not None)
            _refuse_other_measure(options, [measure.label for measure in self.measures])
            kind, scenario = kind_of(options), getattr(options, "scenario", 1)
            if kind.over == "trial" and self.keep is None:
                message = f"expected keep: {REPLICATES} with {kind.name}, which shows trials"
                raise refused(message, at="figures")
            estimand = getattr(options, "estimand", None)
            if estimand is not None and estimand not in self.estimand:
                what = f"one of several estimands ({', '.join(filter(None, self.estimand))})"
                raise unknown(what, list(self.estimand), at="figures", found=estimand)
            if scenario > len(self.factors):
                message = f"expected a scenario up to {len(self.factors)}, found {scenario}"
                raise refused(f"{message} in {kind.name}", at="figures")
        self._refuse_measures()
        return self

    def _refuse_measures(self) -> None:
        """Refuse measures of R, and labels that are those of other measures."""
        labels = [measure.label for measure in self.measures]
        for label in labels:
            if label in MEASURES or labels.count(label) > 1:
                raise refused(f"expected a label of its own, found {label!r}", at="measures")
        if any(is_of_r(measure.place.path) for measure in self.measures):
            raise refused("expected functions of Python as measures", at="measures")


def _refuse_other_measure(options: Any, labels: Sequence[str]) -> None:
    """Refuse a figure of a measure that there is not."""
    names = [*MEASURES, *labels]
    measure = getattr(options, "measure", names[0])
    if measure not in names:
        what = f"one of the measures {', '.join(names)}"
        raise unknown(what, names, at="figures", found=measure)


def _refuse_other_scenarios(options: Any, is_search: bool) -> None:
    """Refuse a figure of the scenarios of a config for a search, and one of a search without."""
    kind = kind_of(options)
    if is_search != (kind.over == "search"):
        wanted = "a figure of a search with" if is_search else "another figure without"
        raise refused(f"expected {wanted} the key solve, found {kind.name}", at="figures")


class _Figures(StrictModel):
    figures: _FigureList
    is_search: bool
    labels: list[str]
    """The labels of measures of the user's own."""

    @model_validator(mode="after")
    def _of_the_study(self) -> Self:
        for options in self.figures:
            _refuse_other_scenarios(options, self.is_search)
            _refuse_other_measure(options, self.labels)
        return self


def figures_of(
    figures: list[Any], document: Mapping[str, Any]
) -> tuple[dict[str, Any], list[ConfigIssue]]:
    """The options of figures of a config, as the value of the key ``figures``, or its issues."""
    labels = [measure["label"] for measure in document.get("measures", ())]
    given = {"figures": figures, "is_search": "solve" in document, "labels": labels}
    try:
        return {"figures": _Figures.model_validate(given).figures}, []
    except ValidationError as error:
        return {}, list(issues_of(error))


def simulation_of(
    raw: Mapping[str, Any], folder: Path
) -> tuple[Simulation | None, list[ConfigIssue]]:
    """The simulation of a config, or None and its issues."""
    try:
        model = SimulationConfig.model_validate(dict(raw), context={"folder": folder})
    except ValidationError as error:
        return None, list(issues_of(error))
    solve, trials, scenarios = model.solve, model.trials, model.factors
    if solve is not None:
        trials, whole = TrialPlan(solve.most, is_searched=True), solve.goal.is_whole
        kept = int if whole else float
        scenarios = tuple(
            {**row, solve.factor: kept(cast(float, row[solve.factor]))} for row in scenarios
        )
    if model.figures is None and solve is not None:
        figures = [FigureSpec("solve_curve", {})]
    elif model.figures is None:
        figures = [FigureSpec("lollipop", {"measure": "coverage"})]
        if model.keep:
            figures.append(FigureSpec("zip_plot", {"scenario": 1}))
    else:
        figures = [figure_spec(options) for options in model.figures]
    resolved: dict[str, Any] = {
        "estimands": model.estimand,
        "title": model.title or model.name,
        "scenarios": scenarios,
        "trials": trials,
        "methods": tuple(model.methods),
        "measures": tuple(model.measures),
        "reference": model.reference or model.methods[0].label,
        "batch": model.batch or 0,
        "figures": tuple(figures),
        "folder": str(folder.resolve()),
        "figures_are_suggested": model.figures is None,
    }
    given = {name: value for name, value in model if name not in ("kind", "factors", "estimand")}
    return Simulation(**{**given, **resolved}), []
