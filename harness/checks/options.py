"""The options of a check, validated: sizes, alphas, contract, tolerance and expected failures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.base.arguments import validate_number, validate_whole
from harness.base.errors import InputError
from harness.callers.naming import Named
from harness.checks.baseline.points import Points, default_points
from harness.checks.expected_failures import validate_expected_failures
from harness.checks.restriction import ALPHA, ANYWHERE, Restriction, read_grid, sizes_of_grid
from harness.checks.scenarios import (
    Size,
    default_alphas,
    default_sizes,
    validate_alphas,
    validate_sizes,
)
from harness.checks.subjects.table import complete_grid, restriction_of
from harness.checks.tolerance import Tolerance
from harness.checks.trials import default_trial_sizes
from harness.config.experiment import Experiment
from harness.config.load import load_experiment
from harness.families.catalogue import family_of
from harness.methods.expected_failures import ExpectedFailure, expected_failures
from harness.methods.method import Contract, validate_contract

SEED = 2003
ALPHAS_OF_LISTS = (0.05, 0.2)
"""The alphas of a check of lists by default."""

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


def settings_of(
    called: Named,
    config: str | Path | None,
    sizes: Sequence[Any] | None,
    alphas: Sequence[float] | None,
    grid: str | Mapping[str, Any] | None,
    contract: str | None,
    margin: float | None,
    trials: int,
    seed: int,
    call_timeout: float,
    expected: Mapping[str, Any] | Sequence[str] | None,
    tolerance: Mapping[str, float] | str | None,
    thorough: bool = False,
) -> Settings:
    """Return the options; sizes and alphas are by default those of the config, or of the family.

    Raises:
        InputError: an option is out of range, or does not go with another one or the family.
        ConfigError: the config has errors.
    """
    family = called.family
    restriction = ANYWHERE if grid is None else _restriction(family, grid)
    if restriction.sizes is not None:
        if sizes is not None:
            raise InputError("grid names sizes, which sizes does as well; leave one of them out")
        sizes = restriction.sizes
    if restriction.alphas is not None:
        if alphas is not None:
            raise InputError("grid names alphas, which alphas does as well; leave one of them out")
        alphas = restriction.alphas
    if called.table is not None:
        restriction = restriction_of(called.table.points, restriction)
        sizes = restriction.sizes if sizes is None else sizes
        alphas = restriction.alphas if alphas is None else alphas
    if config is not None:
        experiment = load_experiment(config)
        if not isinstance(experiment, Experiment) or experiment.family != family:
            raise InputError(f"{config} is no experiment of the family {family}")
        sizes = experiment.sizes if sizes is None else sizes
        alphas = experiment.alphas if alphas is None else alphas
    _validate_options(margin, trials, seed, call_timeout)
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
    levels: tuple[float, ...] = ALPHAS_OF_LISTS
    if has_outcomes:
        exact = validate_sizes(family, default_sizes(family) if sizes is None else sizes)
        drawn = validate_sizes(family, default_trial_sizes(family) if sizes is None else sizes)
        levels = default_alphas(family, thorough)
        largest = None if called.method is None else called.method.largest_size
        points = default_points(family, None if sizes is None else exact, chosen_alphas, largest)
    levels = chosen_alphas or validate_alphas(levels)
    if called.table is not None:
        exact, levels = complete_grid(called.table.points, exact, levels)
    return Settings(
        contract=None if contract is None else validate_contract(contract),
        sizes=exact,
        sizes_by_default=sizes is None,
        trial_sizes=drawn,
        alphas=levels,
        restriction=restriction,
        margin=margin,
        trials=trials,
        seed=seed,
        call_timeout=call_timeout,
        expected=_expected(expected, family),
        tolerance=Tolerance.of(tolerance),
        points=points,
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


def _expected(
    given: Mapping[str, Any] | Sequence[str] | None, family: str
) -> tuple[ExpectedFailure, ...]:
    """The failures that the caller expects.

    Raises:
        InputError: they are not what they should be.
    """
    found = expected_failures({} if given is None else given)
    validate_expected_failures(found, family)
    return found


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


def _validate_options(margin: float | None, trials: int, seed: int, call_timeout: float) -> None:
    """Refuse options that are out of range.

    Raises:
        InputError: an option is out of range.
    """
    if margin is not None:
        validate_number("margin", margin)
    if margin is not None and not 0 <= margin < 1:
        raise InputError(f"margin should be at least 0 and less than 1, found {margin:g}")
    validate_whole("trials", trials, 1)
    validate_whole("seed", seed, 0)
    validate_seconds("call_timeout", call_timeout)


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
