"""The options of a check: as they are given, and validated with every default filled in."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, TypedDict

import numpy as np

from harness.base.arguments import is_real, quoted, validate_number, validate_whole
from harness.base.errors import InputError, did_you_mean
from harness.base.text import plain_number
from harness.callers.expected_failures import ExpectedFailure, expected_failures
from harness.callers.naming import AnyMethod, Function, Named, known_family, method_for
from harness.callers.process import TIMEOUT
from harness.callers.table import PointsOfTable
from harness.catalogue import with_rates, with_settings
from harness.checks.baseline.folder import is_baseline, is_folder_path, validate_target
from harness.checks.baseline.limits import KeptPoints, default_points
from harness.checks.expected_failures import validate_expected_failures
from harness.checks.plans import checked_at, scenario_of
from harness.checks.scenarios import TRIALS
from harness.checks.sizes import (
    ANYWHERE,
    Restriction,
    Size,
    restriction_of_grid,
    validate_alphas,
    validate_sizes,
)
from harness.designs.engines.solver import solver_of
from harness.designs.stopping.family import rule_of
from harness.families.family import STOPPING, Family
from harness.families.judged import SENSITIVITY, SPECIFICITY
from harness.kinds.coverage.experiment import Experiment
from harness.kinds.load import load_experiment
from harness.methods.method import Contract, validate_contract


def restriction_of(points: PointsOfTable, restriction: Restriction) -> Restriction:
    """The restriction, with the sizes and the alphas of a table where it names none."""
    sizes: list[Size] = [
        (size[0], size[1]) if len(size) == 2 else plain_number(size[0]) for size in points.sizes
    ]
    return Restriction(restriction.sizes_or(sizes), restriction.alphas_or(points.alphas))


def complete_grid(
    points: PointsOfTable, sizes: Sequence[Size], alphas: Sequence[float]
) -> tuple[tuple[Size, ...], tuple[float, ...]]:
    """The sizes and the alphas at which a table has all outcomes that can occur.

    At all of these sizes it has them at all of these alphas. Where it has them at more alphas for
    some sizes than for others, most sizes times alphas are chosen.

    Args:
        points: the limits of the table.
        sizes: to choose from; those with fewer alphas may be left out.
        alphas: to choose from.
    """
    at = {alpha: [size for size in sizes if _is_complete(points, size, alpha)] for alpha in alphas}
    ranked = sorted(alphas, key=lambda alpha: (-len(at[alpha]), alpha))
    best: tuple[tuple[Size, ...], tuple[float, ...]] = ((), ())
    for count in range(1, len(ranked) + 1):
        chosen = ranked[:count]
        shared = tuple(size for size in sizes if all(size in at[alpha] for alpha in chosen))
        if len(shared) * count > len(best[0]) * len(best[1]):
            best = shared, tuple(sorted(chosen))
    return best


def _is_complete(points: PointsOfTable, size: Size, alpha: float) -> bool:
    scenario = scenario_of(points.family, size)
    stored = points.at(tuple(map(float, scenario.sizes)), alpha)
    solver = solver_of(scenario)
    if len(stored) < solver.possible_count():
        return False
    counts = scenario.counts(solver.possible_outcomes())
    outcomes = zip(*(column.astype(np.float64).tolist() for column in counts), strict=True)
    return all(outcome in stored for outcome in outcomes)


SEED = 2003
_ALPHAS_OF_A_RULE = (0.05,)
"""The default alphas of a check under a stopping rule."""
_LONGEST_TIMEOUT = 86_400.0
"""One day, in seconds."""


class CheckOptions(TypedDict, total=False):
    """The options of ``harness.check``, which says what each of them means."""

    family: str
    against: AnyMethod | Path | None
    same: AnyMethod | None
    tolerance: Mapping[str, float] | str | None
    update: str | Path | None
    force: bool
    config: str | Path | None
    contract: str | None
    margin: float | None
    expected_failures: Mapping[str, Any] | Sequence[str] | None
    trials: int | None
    seed: int
    timeout: float | None
    call_timeout: float
    sizes: Sequence[Any] | None
    alphas: Sequence[float] | None
    grid: str | Mapping[str, Any] | None
    thorough: bool
    stopping: Mapping[str, Any] | str | None
    sensitivity: float | None
    specificity: float | None
    counter_examples: bool
    model: str | Function | None
    estimand: float | str | Function | None
    factors: Mapping[str, Any] | Sequence[Any] | None


OPTION_NAMES = tuple(CheckOptions.__annotations__)


_FORM = "such as limits=1e-9,length=1e-6,alpha=1e-6"


@dataclass(frozen=True)
class Tolerance:
    """The largest differences that are none."""

    limits: float = 1e-9
    """The largest difference of two limits; relative for those larger than 1."""
    length: float = 1e-9
    """The largest relative difference of mean lengths."""
    alpha: float = 1e-9
    """The largest difference of worst alphas, and of mean alpha errors."""

    @classmethod
    def of(cls, given: Mapping[str, Any] | str | None) -> Tolerance:
        """Return the tolerances that are given, with the default for each that is not.

        Args:
            given: a mapping, or a text such as "limits=1e-9,length=1e-6,alpha=1e-6".

        Raises:
            InputError: a part of a text is not MEASURE=NUMBER, another measure is named or one
                twice, or a number is not at least 0 and less than 1.

        Example:
            >>> Tolerance.of("length=1e-6")
            Tolerance(limits=1e-09, length=1e-06, alpha=1e-09)
        """
        if given is None:
            return cls()
        numbers: Any = given
        if isinstance(given, str):
            numbers = {}
            for part in given.split(","):
                name, equals, text = (word.strip() for word in part.partition("="))
                if not (name and equals):
                    raise InputError(f"tolerance should be {_FORM}, found {quoted(given)}")
                if name in numbers:
                    raise InputError(f"tolerance has {name} twice: {quoted(given)}")
                try:
                    numbers[name] = float(text)
                except ValueError:
                    numbers[name] = math.nan
                if math.isnan(numbers[name]):
                    raise InputError(
                        f"tolerance of {name} should be a number, found {quoted(text)}"
                    )
        if not isinstance(numbers, Mapping):
            raise InputError(f"tolerance should be numbers by measure, found {quoted(given)}")
        measures = [field.name for field in fields(cls)]
        for name, value in numbers.items():
            if name not in measures:
                guess = did_you_mean(name, measures)
                raise InputError(
                    f"tolerance should be of {', '.join(measures[:-1])} or {measures[-1]}, "
                    f"found {quoted(name)}{guess}"
                )
            if not (is_real(value) and 0 <= float(value) < 1):
                raise InputError(
                    f"tolerance of {name} should be at least 0 and less than 1, "
                    f"found {quoted(value)}"
                )
        return cls(**{name: float(value) for name, value in numbers.items()})


USUAL = Tolerance()
"""The tolerances of a check that is given none."""


@dataclass(frozen=True)
class Settings:
    """The validated options of a check, with every default filled in."""

    method: Named
    contract: Contract | None
    """The contract that is asked for; None for the one that the method declares."""
    sizes: tuple[Size, ...]
    """The sizes at which exact numbers are computed."""
    sizes_by_default: bool
    """Whether they are those of the family."""
    trial_sizes: tuple[Size, ...]
    """The sizes at which trials of a stochastic method are made."""
    alphas: tuple[float, ...]
    restriction: Restriction
    """The sizes and alphas that the whole check is restricted to."""
    thorough: bool
    margin: float | None
    trials: int
    seed: int
    timeout: float | None
    """Seconds that the check may take; None for any number."""
    call_timeout: float
    expected: tuple[ExpectedFailure, ...]
    """Failures that the caller expects, beside those that the method declares."""
    tolerance: Tolerance
    baseline: str | Path | None
    """The folder of the baseline that the method is compared with; None without one."""
    reference: Named | None
    """The method that it is compared with; None without one."""
    same: AnyMethod | None
    """The method whose limits it should have."""
    points: KeptPoints | None
    """Where a baseline keeps limits; None for a family without baselines."""
    update: str | Path | None
    """The folder in which a baseline is stored."""
    force: bool
    counter_examples: bool

    @property
    def is_compared(self) -> bool:
        """Whether the method is compared with another one or with a baseline."""
        return self.baseline is not None or self.reference is not None


def read_options(method: AnyMethod, options: CheckOptions) -> Settings:
    """Return the validated options; sizes and alphas are by default those of the config or family.

    Args:
        method: as ``harness.check`` takes it.
        options: what was given.

    Raises:
        InputError: an option is out of range, or does not go with another one or the family.
        ConfigError: the config has errors.
    """
    name = options.get("family", "proportion")
    if options.get("stopping") is None:
        family = family_of_check(options)
    else:
        family, options = _under_rule(name, options)
    called, against = method_for(family, method), options.get("against")
    if against is not None:
        family.refuse_lists(
            f"methods of {family.name} are not compared by a check; leave against out"
        )
    restriction, sizes, alphas = _chosen_points(called, options)
    validate_ranges(options)
    if sizes is not None:
        family.refuse_lists(
            f"a check of {family.name} takes no sizes, since it draws lists of its own; "
            "leave them out"
        )
        validate_largest(called, validate_sizes(family, sizes))
    chosen_alphas = None if alphas is None else validate_alphas(alphas)
    points: KeptPoints | None = None
    exact: tuple[Size, ...] = ()
    drawn: tuple[Size, ...] = ()
    at, thorough = checked_at(family), options.get("thorough", False)
    if family.has_outcomes:
        exact = validate_sizes(family, at.exact if sizes is None else sizes)
        drawn = validate_sizes(family, at.trials if sizes is None else sizes)
        largest = None if called.method is None else called.method.largest_size
        points = default_points(family, None if sizes is None else exact, chosen_alphas, largest)
    levels = chosen_alphas or (at.alphas.thorough if thorough else at.alphas.exact)
    if called.table is not None:
        exact, levels = complete_grid(called.table.points, exact, levels)
    contract, declared = options.get("contract"), options.get("expected_failures")
    contract_held = None if contract is None else validate_contract(contract)
    expected = expected_failures({} if declared is None else declared)
    validate_expected_failures(expected, family)
    tolerance = Tolerance.of(options.get("tolerance"))
    timeout, update = options.get("timeout"), options.get("update")
    if timeout is not None:
        validate_seconds("timeout", timeout)
    if update is not None:
        validate_target(update, called)
    baseline: str | Path | None = None
    reference: Named | None = None
    if isinstance(against, Path) or (isinstance(against, str) and is_baseline(against)):
        baseline = against
    elif against is not None:
        try:
            reference = method_for(family, against)
        except InputError:
            if isinstance(against, str) and is_folder_path(against):
                raise InputError(
                    f"{against} holds no baseline; --update {against} writes one"
                ) from None
            raise
        validate_largest(reference, exact)
    trials = options.get("trials")
    return Settings(
        method=called,
        contract=contract_held,
        sizes=exact,
        sizes_by_default=sizes is None,
        trial_sizes=drawn,
        alphas=levels,
        restriction=restriction,
        thorough=thorough,
        margin=options.get("margin"),
        trials=TRIALS if trials is None else trials,
        seed=options.get("seed", SEED),
        timeout=timeout,
        call_timeout=options.get("call_timeout", TIMEOUT),
        expected=expected,
        tolerance=tolerance,
        baseline=baseline,
        reference=reference,
        same=options.get("same"),
        points=points,
        update=update,
        force=options.get("force", False),
        counter_examples=options.get("counter_examples", False),
    )


def family_of_check(options: CheckOptions | Mapping[str, Any]) -> Family:
    """Return the family of a check, of a judge with known error rates where they are given.

    Raises:
        InputError: there is no such family, or the error rates are none of it.
    """
    rates = {SENSITIVITY: options.get(SENSITIVITY), SPECIFICITY: options.get(SPECIFICITY)}
    return with_rates(known_family(options.get("family", "proportion")), rates)


def _under_rule(name: str, options: CheckOptions) -> tuple[Family, CheckOptions]:
    """The family with a stopping rule, and the options of a check at the most trials of it alone.

    Raises:
        InputError: another family, no rule, or neither sizes nor the most trials.
    """
    alphas = options.get("alphas") or _ALPHAS_OF_A_RULE
    stopped = with_settings(name, {STOPPING: options["stopping"], "alpha": alphas})
    most = rule_of(stopped).most
    sizes = options.get("sizes") or (None if most is None else [most])
    has_other_sizes = options.get("grid") is not None or options.get("config") is not None
    if has_other_sizes or sizes is None:
        raise InputError(
            "a check with stopping takes its sizes from sizes, or from most of the rule, and no "
            "grid or config"
        )
    grid = {"n": [*sizes], "alpha": [*alphas]}
    return stopped, {**options, "grid": grid, "sizes": None, "alphas": None}


def _chosen_points(
    called: Named, options: CheckOptions
) -> tuple[Restriction, Sequence[Any] | None, Sequence[float] | None]:
    """The restriction of a check, and the sizes and alphas that were asked for; None for any.

    Raises:
        InputError: sizes or alphas stand in two places, or the config is of another family.
        ConfigError: the config has errors.
    """
    family, grid, config = called.family, options.get("grid"), options.get("config")
    sizes, alphas = options.get("sizes"), options.get("alphas")
    restriction = ANYWHERE if grid is None else restriction_of_grid(family, grid)
    for name, option, restricted in (
        ("sizes", sizes, restriction.sizes),
        ("alphas", alphas, restriction.alphas),
    ):
        if option is not None and restricted is not None:
            raise InputError(f"grid names {name}, which {name} does as well; leave one of them out")
    if called.table is not None:
        restriction = restriction_of(called.table.points, restriction)
    sizes = restriction.sizes if sizes is None else sizes
    alphas = restriction.alphas if alphas is None else alphas
    if config is not None:
        experiment = load_experiment(config)
        if not isinstance(experiment, Experiment) or experiment.family is not family:
            raise InputError(f"{config} is no experiment of the family {family.name}")
        sizes = experiment.sizes if sizes is None else sizes
        alphas = experiment.alphas if alphas is None else alphas
    return restriction, sizes, alphas


def validate_largest(called: Named, sizes: Sequence[Size]) -> None:
    """Refuse sizes that a method of the catalogue does not take.

    Raises:
        InputError: a size is too large for the method.
    """
    if called.method is not None:
        names = called.family.sizes
        for size in sizes:
            numbers = size if isinstance(size, tuple) else (size,)
            called.method.validate_sizes(dict(zip(names, numbers, strict=True)))


def validate_ranges(options: CheckOptions) -> None:
    """Refuse numbers that are out of range.

    Raises:
        InputError: margin, trials, seed or call_timeout is out of range.
    """
    margin, trials = options.get("margin"), options.get("trials")
    if margin is not None:
        validate_number("margin", margin)
        if not 0 <= margin < 1:
            raise InputError(f"margin should be at least 0 and less than 1, found {margin:g}")
    if trials is not None:
        validate_whole("trials", trials, 1)
    validate_whole("seed", options.get("seed", SEED), 0)
    validate_seconds("call_timeout", options.get("call_timeout", TIMEOUT))


def validate_seconds(name: str, seconds: float) -> None:
    """Refuse what is no time limit.

    Raises:
        InputError: it is not above 0, or longer than a day.
    """
    validate_number(name, seconds)
    if not 0 < seconds <= _LONGEST_TIMEOUT:
        raise InputError(
            f"{name} should be more than 0 and at most {_LONGEST_TIMEOUT:g}, found {seconds:g}"
        )
