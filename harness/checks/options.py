"""The options of a check, validated: sizes, alphas, contract, tolerance and expected failures."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from numbers import Real
from typing import Any

from harness.base.arguments import quoted, validate_number, validate_whole
from harness.base.errors import InputError, did_you_mean
from harness.callers.naming import Named
from harness.checks.baseline.limits import Points, default_points
from harness.checks.expected_failures import validate_expected_failures
from harness.checks.restriction import ALPHA, ANYWHERE, Restriction, Size, read_grid, sizes_of_grid
from harness.checks.sizes import checked_at, validate_alphas, validate_sizes
from harness.checks.table import complete_grid, restriction_of
from harness.families.catalogue import family_of
from harness.kinds.coverage.experiment import Experiment
from harness.kinds.load import load_experiment
from harness.methods.expected_failures import ExpectedFailure, expected_failures
from harness.methods.method import Contract, validate_contract

_FORM = "such as limits=1e-9,length=1e-6,alpha=1e-6"


@dataclass(frozen=True)
class Tolerance:
    """The largest differences that are none."""

    limits: float = 1e-9
    """Of two limits; relative for those larger than 1."""
    length: float = 1e-9
    """Of mean lengths, relative."""
    alpha: float = 1e-9
    """Of worst alphas and of mean alpha errors."""

    @classmethod
    def of(cls, given: Mapping[str, Any] | str | None) -> Tolerance:
        """Return the tolerances that are given, with the default for each that is not.

        Args:
            given: a mapping, or a text such as "limits=1e-9,length=1e-6,alpha=1e-6".

        Raises:
            InputError: it names another measure or one twice, or a number is not at least 0 and
                less than 1.

        Example:
            >>> Tolerance.of("length=1e-6")
            Tolerance(limits=1e-09, length=1e-06, alpha=1e-09)
        """
        if given is None:
            return cls()
        numbers = _parse(given) if isinstance(given, str) else given
        if not isinstance(numbers, Mapping):
            raise InputError(f"tolerance should be numbers by measure, found {quoted(given)}")
        known = [field.name for field in fields(cls)]
        for name, value in numbers.items():
            if name not in known:
                guess = did_you_mean(name, known)
                raise InputError(
                    f"tolerance should be of {', '.join(known[:-1])} or {known[-1]}, "
                    f"found {quoted(name)}{guess}"
                )
            is_number = isinstance(value, Real) and not isinstance(value, bool)
            if not (is_number and 0 <= float(value) < 1):
                raise InputError(
                    f"tolerance of {name} should be at least 0 and less than 1, "
                    f"found {quoted(value)}"
                )
        return cls(**{name: float(value) for name, value in numbers.items()})


USUAL = Tolerance()
"""The tolerances of a check that is given none."""


def _parse(text: str) -> dict[str, float]:
    """The numbers of a text by measure.

    Raises:
        InputError: a part of it is not MEASURE=NUMBER, or a measure is there twice.
    """
    numbers: dict[str, float] = {}
    for part in text.split(","):
        name, equals, value = (each.strip() for each in part.partition("="))
        if not (name and equals):
            raise InputError(f"tolerance should be {_FORM}, found {quoted(text)}")
        if name in numbers:
            raise InputError(f"tolerance has {name} twice: {quoted(text)}")
        try:
            numbers[name] = float(value)
        except ValueError:
            numbers[name] = math.nan
        if math.isnan(numbers[name]):
            raise InputError(f"tolerance of {name} should be a number, found {quoted(value)}")
    return numbers


SEED = 2003

_LONGEST_TIMEOUT = 86_400.0
"""One day, in seconds."""


@dataclass(frozen=True)
class Settings:
    """The validated options of a check."""

    contract: Contract | None
    """None for what the method declares."""
    sizes: tuple[Size, ...]
    """The sizes at which exact numbers are computed."""
    sizes_by_default: bool
    """Whether they are those of the family."""
    trial_sizes: tuple[Size, ...]
    """The sizes at which trials of a stochastic method are made."""
    alphas: tuple[float, ...]
    restriction: Restriction
    """The sizes and alphas that the whole check is restricted to."""
    margin: float | None
    trials: int
    seed: int
    call_timeout: float
    expected: tuple[ExpectedFailure, ...]
    """Failures that the caller expects, beside those that the method declares."""
    tolerance: Tolerance
    points: Points | None
    """Where a baseline keeps limits; None for a family without baselines."""


def settings_of(called: Named, given: Mapping[str, Any]) -> Settings:
    """Return the options; sizes and alphas are by default those of the config, or of the family.

    Args:
        called: the method.
        given: the arguments of ``check`` by name.

    Raises:
        InputError: an option is out of range, or does not go with another one or the family.
        ConfigError: the config has errors.
    """
    grid, config, family = given["grid"], given["config"], called.family
    restriction = ANYWHERE if grid is None else _restriction(family, grid)
    for name in ("sizes", "alphas"):
        if given[name] is not None and getattr(restriction, name) is not None:
            raise InputError(f"grid names {name}, which {name} does as well; leave one of them out")
    if called.table is not None:
        restriction = restriction_of(called.table.points, restriction)
    experiment = None if config is None else load_experiment(config)
    is_of_family = isinstance(experiment, Experiment) and experiment.family == family
    if experiment is not None and not is_of_family:
        raise InputError(f"{config} is no experiment of the family {family}")
    places = (given, vars(restriction), {} if experiment is None else vars(experiment))
    sizes, alphas = (
        next((each[name] for each in places if each.get(name) is not None), None)
        for name in ("sizes", "alphas")
    )
    validate_options(given)
    has_outcomes = family_of(family).has_outcomes
    if sizes is not None and not has_outcomes:
        raise InputError(
            f"a check of {family} takes no sizes, since it draws lists of its own; leave them out"
        )
    if sizes is not None:
        validate_largest(called, validate_sizes(family, sizes))
    chosen_alphas = None if alphas is None else validate_alphas(alphas)
    points: Points | None = None
    exact: tuple[Size, ...] = ()
    drawn: tuple[Size, ...] = ()
    at = checked_at(family)
    if has_outcomes:
        exact = validate_sizes(family, at.exact if sizes is None else sizes)
        drawn = validate_sizes(family, at.trials if sizes is None else sizes)
        largest = None if called.method is None else called.method.largest_size
        points = default_points(family, None if sizes is None else exact, chosen_alphas, largest)
    levels = chosen_alphas or (at.alphas.thorough if given["thorough"] else at.alphas.exact)
    if called.table is not None:
        exact, levels = complete_grid(called.table.points, exact, levels)
    contract = None if given["contract"] is None else validate_contract(given["contract"])
    declared = given["expected_failures"]
    expected = expected_failures({} if declared is None else declared)
    validate_expected_failures(expected, family)
    return Settings(
        contract=contract,
        sizes=exact,
        sizes_by_default=sizes is None,
        trial_sizes=drawn,
        alphas=levels,
        restriction=restriction,
        expected=expected,
        tolerance=Tolerance.of(given["tolerance"]),
        points=points,
        **{name: given[name] for name in ("margin", "trials", "seed", "call_timeout")},
    )


def _restriction(family: str, grid: str | Mapping[str, Any]) -> Restriction:
    """The restriction of a grid, with valid sizes and alphas.

    Raises:
        InputError: the grid cannot be read, or has a size or an alpha that is none.
    """
    numbers = read_grid(family, grid)
    sizes = sizes_of_grid(family, numbers)
    return Restriction(
        None if sizes is None else tuple(sorted({*validate_sizes(family, sizes)})),
        tuple(sorted({*validate_alphas(numbers[ALPHA])})) if ALPHA in numbers else None,
    )


def validate_largest(called: Named, sizes: Sequence[Size]) -> None:
    """Refuse sizes that a method of the catalogue does not take.

    Raises:
        InputError: a size is too large for the method.
    """
    if called.method is not None:
        names = family_of(called.family).sizes
        for size in sizes:
            each = size if isinstance(size, tuple) else (size,)
            called.method.validate_sizes(dict(zip(names, each, strict=True)))


def validate_options(given: Mapping[str, Any]) -> None:
    """Refuse options that are out of range.

    Raises:
        InputError: an option is out of range.
    """
    if given["margin"] is not None:
        validate_number("margin", given["margin"])
        if not 0 <= given["margin"] < 1:
            raise InputError(
                f"margin should be at least 0 and less than 1, found {given['margin']:g}"
            )
    validate_whole("trials", given["trials"], 1)
    validate_whole("seed", given["seed"], 0)
    validate_seconds("call_timeout", given["call_timeout"])


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
