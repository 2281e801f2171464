"""The power of given sizes, and the smallest difference that they detect with a given power."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from harness.base.arguments import validate_number, validate_probability
from harness.base.errors import InputError
from harness.base.frames import Tabular
from harness.base.numerics.arrays import Floats
from harness.base.underway import underway
from harness.distributions.sampling.law import NATS as ALL_NATS
from harness.distributions.truths import Prior
from harness.families.combination import Span
from harness.families.family import Family
from harness.methods.catalogue import default_method, find
from harness.names import FamilyName, MethodName
from harness.planning.arguments import (
    AnyMethod,
    planned_family,
    size_columns,
    source_of,
    truth_columns,
)
from harness.planning.decisions import Decisions
from harness.planning.expectations import expectations_of
from harness.planning.goals import Bound, WholeNumbers
from harness.planning.power import LIMITS, PowerQuestion, power_question

_GRID = 256
"""The true values between which the power first crosses what is asked for."""
_HALVINGS = 50
_MOST_DECISIONS = 4 * LIMITS


@dataclass(frozen=True, repr=False)
class Power(Tabular):
    """The probability that a one-sided limit is beyond a value, by an exact sum."""

    sizes: Mapping[str, Any]
    """The size of each sample by its name, as given."""
    truths: Mapping[str, float]
    """The true values."""
    probability: float | Floats
    """The power: of each size, of the shape of the sizes."""
    one_sided_alpha: float
    """The alpha of the one limit."""
    assumed: Mapping[str, Any] = field(default_factory=dict)
    """What was not given and is taken: the method."""

    def _columns(self) -> dict[str, Any]:
        columns = np.broadcast_arrays(*self.sizes.values(), self.probability)
        names = (*self.sizes, "power")
        return {name: column.ravel().tolist() for name, column in zip(names, columns, strict=True)}

    def _caption(self) -> str:
        return "The probability that a one-sided limit is beyond the value"


@dataclass(frozen=True, repr=False)
class Detectable(Tabular):
    """The smallest difference that is seen with a given probability."""

    sizes: Mapping[str, float]
    """The size of each sample by its name."""
    truths: Mapping[str, float]
    """The true values of this difference."""
    parameter: float
    """The value of the parameter there: the proportion, difference or ratio that is detected."""
    probability: float
    """The power there, at least what is asked for."""
    one_sided_alpha: float
    """The alpha of the one limit."""
    moved: str
    """Which true value was moved, and which stayed, in a sentence."""
    assumed: Mapping[str, Any] = field(default_factory=dict)
    """What was not given and is taken: the method."""

    def _columns(self) -> dict[str, Any]:
        record = {**self.sizes, **self.truths, "detectable": self.parameter}
        return {name: [value] for name, value in {**record, "power": self.probability}.items()}

    def _caption(self) -> str:
        return "The smallest difference that is seen with the probability"


def power(
    family: FamilyName,
    method: MethodName | Callable[..., Any] | None = None,
    *,
    above: float | None = None,
    below: float | None = None,
    alpha: float = 0.05,
    prior: Prior | None = None,
    **given: npt.ArrayLike,
) -> Power:
    """Return the probability that a one-sided limit is above, or below, a value.

    Σ_x Pr(X = x | θ) over the outcomes x with L(x) > v, or U(x) < v: the power of the test of
    θ ≤ v, or θ ≥ v, with a one-sided alpha. At ``above=0`` of a difference it is that of a test of
    superiority, at a negative value of one of non-inferiority.

    Args:
        family, method, alpha, prior: as of ``size``; alpha is one-sided.
        above: the value that the lower limit is to be above.
        below: the value that the upper limit is to be below. Exactly one of the two is given.
        **given: the sizes by their names ("n", or "n1" and "n2", …), numbers or arrays of one
            shape, and the true values ("p", "p1", …), numbers.

    Returns:
        The power of each size.

    Raises:
        InputError: an argument is wrong.
        IntervalNotFoundError: the method finds no interval.

    Example:
        >>> import harness
        >>> found = harness.power("proportion", "wilson", n=[300, 615], p=0.8, above=0.75)
        >>> found.probability.round(3)
        array([0.646, 0.912])
    """
    settings = dict(given)
    estimated = planned_family(family, settings, alpha)
    sizes = {name: settings.pop(name) for name in estimated.sizes if name in settings}
    asked = _asked(estimated, method, above, below, 0.5, alpha, prior)
    columns = _sizes(estimated, sizes)
    truths = _truths(estimated, settings, estimated.free_symbols)
    shape = np.broadcast_shapes(*(column.shape for column in columns))
    rows = np.stack([np.broadcast_to(column, shape).ravel() for column in columns], axis=1)
    question = asked.question(truths)
    if question is None:
        points = tuple((truth, truth) for truth in truths)
        expectations, spans = expectations_of(
            estimated, asked.goal, asked.source, float(alpha), points
        )
        powers = expectations.means(rows, [low for low, _ in spans])
    else:
        tried = question.tried
        with underway(lambda: f"computing the power: {tried.count} of {len(rows)} sizes done"):
            powers = question.probabilities(rows, ALL_NATS)
    return Power(
        sizes=_as_given(estimated, columns),
        truths=dict(zip(estimated.free_symbols, truths, strict=True)),
        probability=powers.reshape(shape) if shape else float(powers[0]),
        one_sided_alpha=float(alpha),
        assumed=asked.assumed,
    )


def detectable(
    family: FamilyName,
    method: MethodName | None = None,
    *,
    probability: float,
    above: float | None = None,
    below: float | None = None,
    alpha: float = 0.05,
    prior: Prior | None = None,
    **given: npt.ArrayLike,
) -> Detectable:
    """Return the smallest difference that is seen with a given probability at given sizes.

    The true value of the first sample moves, and that of the second stays; of pairs p10 moves, and
    p11 and p10 + p01 stay. The answer is the value from which on the power is at least the
    probability.

    Args:
        family, method, above, below, alpha, prior: as of ``power``.
        probability: the power, in (0, 1).
        **given: the sizes by their names, numbers, and the true values that stay: none of one
            sample, "p2" or "rate2" of two, and of pairs "p11", "p10" and "p01", of which the last
            two count by their sum.

    Returns:
        The true values, the parameter there, and its power.

    Raises:
        InputError: an argument is wrong, or no true value is seen with that probability.
        IntervalNotFoundError: the method finds no interval.

    Example:
        >>> import harness
        >>> found = harness.detectable("proportion", "wilson", n=615, above=0.75, probability=0.9)
        >>> round(found.parameter, 4)
        0.7989
    """
    settings = dict(given)
    estimated = planned_family(family, settings, alpha)
    validate_probability("probability", probability)
    sizes = {name: settings.pop(name) for name in estimated.sizes if name in settings}
    asked = _asked(estimated, method, above, below, float(probability), alpha, prior)
    row = np.array([_sizes(estimated, sizes)], np.float64)
    if row.ndim > 2:
        raise InputError("a detectable difference is of one size of each sample, found several")
    symbol, *others = estimated.free_symbols
    moved = "p10" if estimated.shares_size else symbol
    if estimated.shares_size:
        p11, p10, p01 = _truths(estimated, settings, estimated.free_symbols)
        discordant = p10 + p01
        held = [p11, discordant]
        words = "p10 moved; p11 and the sum of p10 and p01 stayed"
    else:
        held = _truths(estimated, settings, others)
        words = f"{moved} moved" + "".join(f"; {name} stayed" for name in others)

    def at(value: float) -> list[float]:
        if estimated.shares_size:
            return [held[0], value, max(held[1] - value, 0.0)]
        return [value, *held]

    low, high = (0.0, held[1]) if estimated.shares_size else estimated.model.SUPPORT
    if not np.isfinite(high):
        # A rate whose power is near 1: far above the value and the other rate.
        exposure, value = row[0, 0], abs(asked.goal.value)
        scale = max(value, value * sum(held), value + sum(held))
        high = 4.0 * scale + 100.0 * math.sqrt((scale + 1.0 / exposure) / exposure)
    question = asked.question(at(high))
    if question is None or estimated.as_pairs is not None:
        raise InputError(
            f"a detectable difference is found for methods of the catalogue, of one sample, two "
            f"samples or pairs, found {estimated.name}"
        )
    span: list[Span] = [(low, high), *((truth, truth) for truth in held)]
    if estimated.shares_size:
        span = [(held[0], held[0]), (0.0, high), (0.0, high)]
    work = question.decisions_of(question.layout.lines(row, span, ALL_NATS))
    if work > _MOST_DECISIONS:
        raise InputError(f"{estimated.size_text(row[0].tolist())} is too large for this method")
    with underway(lambda: f"deciding on the outcomes of every {moved}"):
        decisions = question.decided(row, span, ALL_NATS)
        answer = _first_seen(decisions, at, (low, high), float(probability), asked.goal.is_above)
    if answer is None:
        raise InputError(
            f"{estimated.name}: at {estimated.size_text(row[0].tolist())} no {moved} has "
            f"{asked.goal.words}"
        )
    truths = at(answer)
    cells = estimated.all_truths([np.array([truth]) for truth in truths])
    return Detectable(
        sizes=_as_given(estimated, list(row[0])),
        truths=dict(zip(estimated.free_symbols, truths, strict=True)),
        parameter=float(estimated.parameter_at(cells)[0]),
        probability=float(decisions.probabilities(truths, 1)[0]),
        one_sided_alpha=float(alpha),
        moved=words,
        assumed=asked.assumed,
    )


def _first_seen(
    decisions: Decisions,
    at: Callable[[float], list[float]],
    span: Span,
    probability: float,
    rises: bool,
) -> float | None:
    """Return the moved value from which on the power is at least the probability."""

    def is_seen(value: float) -> bool:
        return float(decisions.probabilities(at(value), 1)[0]) >= probability

    grid = np.linspace(*span, _GRID)
    if not rises:
        grid = grid[::-1]
    unseen = [place for place, value in enumerate(grid.tolist()) if not is_seen(value)]
    if not unseen:
        return float(grid[0])
    if unseen[-1] == _GRID - 1:
        return None
    bad, good = grid[unseen[-1] : unseen[-1] + 2].tolist()
    for _ in range(_HALVINGS):
        middle = 0.5 * (bad + good)
        bad, good = (bad, middle) if is_seen(middle) else (middle, good)
    return float(good)


@dataclass(frozen=True)
class _Asked:
    """What power is asked for."""

    family: Family
    goal: Bound
    source: Any
    alpha: float
    assumed: Mapping[str, Any]

    def question(self, truths: Sequence[float]) -> PowerQuestion | None:
        """The question at true values; None where outcomes are no lines."""
        return power_question(
            self.family, self.goal, self.source, self.alpha, WholeNumbers(), 1.0, truths
        )


def _asked(
    family: Family,
    method: AnyMethod | None,
    above: float | None,
    below: float | None,
    probability: float,
    alpha: float,
    prior: Prior | None,
) -> _Asked:
    """Return the question, of validated arguments.

    Raises:
        InputError: there is not one value, or an argument is out of range.
    """
    if (above is None) == (below is None):
        raise InputError("power needs one of above and below, a value of the parameter")
    family.refuse_lists(f"power is an exact sum over outcomes, and {family.name} has lists as data")
    value = above if above is not None else below
    assert value is not None
    of_bound = "above" if below is None else "below"
    validate_number(of_bound, value)
    if not np.isfinite(value):
        raise InputError(f"{of_bound} should be a finite number, found {value:g}")
    validate_number("alpha", alpha)
    if not 0 < alpha < 1:
        raise InputError(f"alpha should be a number between 0 and 1, found {alpha:g}")
    goal = Bound(float(value), above is not None, probability)
    chosen = method or default_method(family, goal.side, has_prior=prior is not None).name
    if isinstance(chosen, str):
        find(family, chosen).refuse_finite_population("power")
    source = source_of(family, chosen, goal.side, prior)
    assumed = {} if method is not None else {"method": chosen}
    return _Asked(family, goal, source, float(alpha), assumed)


def _sizes(family: Family, sizes: Mapping[str, Any]) -> list[Floats]:
    """Return the sizes as arrays.

    Raises:
        InputError: one is missing or out of range.
    """
    missing = [name for name in family.sizes if name not in sizes]
    if missing:
        names = " and ".join(sizes) or "nothing"
        raise InputError(
            f"power of {family.name} needs {' and '.join(family.sizes)}, found {names}"
        )
    return size_columns(family, sizes)


def _as_given(family: Family, columns: Sequence[npt.ArrayLike]) -> dict[str, Any]:
    """The sizes by their names as numbers or lists: whole numbers of trials."""
    kind = np.int64 if family.model.SIZE_IS_COUNT else np.float64
    values = [np.asarray(column).astype(kind).tolist() for column in columns]
    return dict(zip(family.sizes, values, strict=True))


def _truths(family: Family, given: Mapping[str, Any], names: Sequence[str]) -> list[float]:
    """Return the true values of these names.

    Raises:
        InputError: one is missing, unknown, no single number or out of range.
    """
    truths = family.with_free_truths(given)
    if set(truths) != set(names):
        given_names = ", ".join(sorted(truths)) or "nothing"
        wanted = " and ".join(names) or "no true value, which is sought,"
        raise InputError(f"power of {family.name} needs {wanted}; found {given_names}")
    columns = truth_columns(family, {**dict.fromkeys(family.free_symbols, 0.5), **truths})
    by_name = dict(zip(family.free_symbols, columns, strict=True))
    for name in names:
        if by_name[name].shape != ():
            raise InputError(f"{name} should be one number")
    if set(names) == set(family.free_symbols):
        family.all_truths([by_name[name] for name in family.free_symbols])
    return [float(by_name[name]) for name in names]
