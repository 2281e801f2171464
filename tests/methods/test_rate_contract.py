"""What every method for a rate promises, at every outcome and on every side.

A part that a method does not keep stands in its ``exceptions`` with the reason; one that it
declares and keeps all the same is an error too.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from harness.errors import IntervalNotFoundError
from harness.methods.catalogue import find
from harness.methods.method import LOWER, TWO_SIDED, UPPER
from tests.methods.one_rate import RATE, limits

ALPHAS = (1e-10, 1e-6, 1e-3, 0.05, 0.3, 0.5, 0.7, 0.9)
EXPOSURES = (1e-6, 1.0, 50.0, 1e6)
LARGE = 1e3, 1e6, 1e8
X = np.concatenate((np.arange(101.0), *([x - 1, x, x + 1] for x in LARGE)))
CASES = [(name, side) for name, method in RATE.items() for side in method.sides]

# The product of a limit and its exposure is rounded twice, and where the limit is solved for in
# units of its own, the tail that it is solved from is right to 1e-12 of itself at least. Of a
# balanced width that holds of the half-width: next to 0 the lower limit is a difference.
SCALED = 1e-12

catalogue = pytest.mark.parametrize(("name", "side"), CASES)


@functools.cache
def over_x(name, side, exposure, alpha):
    return RATE[name].limits((X, np.full(X.size, exposure)), alpha, side)


def over_grid(name, side):
    """Exposure and both limits at every exposure and alpha."""
    for exposure in EXPOSURES:
        for alpha in ALPHAS:
            yield exposure, *over_x(name, side, exposure, alpha)


def is_ordered(name, side):
    return all((lower <= upper).all() for _, lower, upper in over_grid(name, side))


def stays_in_range(name, side):
    return all(
        np.isfinite(lower).all()
        and (side == LOWER or np.isfinite(upper).all())
        and (lower >= 0).all()
        and not np.signbit([lower, upper]).any()
        for _, lower, upper in over_grid(name, side)
    )


def rises_with_x(name, side):
    return all(
        (lower[1:] >= lower[:-1]).all() and (upper[1:] >= upper[:-1]).all()
        for _, lower, upper in over_grid(name, side)
    )


def is_nested_in_alpha(name, side):
    for exposure in EXPOSURES:
        at = [over_x(name, side, exposure, alpha) for alpha in ALPHAS]
        for (low, high), (lower, upper) in itertools.pairwise(at):
            if (lower < low).any() or (upper > high).any():
                return False
    return True


def scales_with_exposure(name, side):
    for alpha in ALPHAS:
        unit = over_x(name, side, 1.0, alpha)
        for exposure in EXPOSURES:
            for limit, one in zip(over_x(name, side, exposure, alpha), unit, strict=True):
                if not np.isclose(limit * exposure, one, rtol=SCALED, atol=SCALED * X).all():
                    return False
    return True


def reaches_the_end_on_its_open_side(name, side):
    if side == LOWER:
        return all((upper == np.inf).all() for _, _, upper in over_grid(name, side))
    if side == UPPER:
        return all((lower == 0).all() for _, lower, _ in over_grid(name, side))
    return True


def has_width(name, side):
    """Of two-sided intervals only: an upper limit may reach 0 where alpha is above one half."""
    return side != TWO_SIDED or all(
        (lower < upper).all() for _, lower, upper in over_grid(name, side)
    )


def holds_the_estimate(name, side):
    return side != TWO_SIDED or all(
        ((lower <= X / exposure) & (X / exposure <= upper)).all()
        for exposure, lower, upper in over_grid(name, side)
    )


PARTS: dict[str, Callable[[str, str], bool]] = {
    "is ordered": is_ordered,
    "stays in range": stays_in_range,
    "rises with x": rises_with_x,
    "is nested in alpha": is_nested_in_alpha,
    "scales with exposure": scales_with_exposure,
    "reaches the end": reaches_the_end_on_its_open_side,
    "has width": has_width,
    "holds the estimate": holds_the_estimate,
}


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("name", RATE)
def test_a_method_keeps_each_part_of_the_contract_unless_it_says_so(name, part):
    method = RATE[name]
    kept = all(PARTS[part](name, side) for side in method.sides)
    declared = method.exceptions.get(part)
    if declared is None:
        assert kept, f"{name} breaks {part!r} and does not say so"
    else:
        assert not kept, f"{name} declares an exception to {part!r} that does not occur"
        assert declared.strip()


@pytest.mark.parametrize("name", RATE)
def test_declared_exceptions_are_to_parts_of_the_contract(name):
    assert set(RATE[name].exceptions) <= set(PARTS)


def test_the_contract_finds_methods_that_break_it(monkeypatch):
    """Each part is broken by one made-up method, so that none holds of everything."""
    breaking = {
        "is ordered": lambda x, exposure, alpha: (x + 2, x + 1),
        "stays in range": lambda x, exposure, alpha: (x, x + np.inf),
        "rises with x": lambda x, exposure, alpha: (0 * x, 1 / (x + 1)),
        "is nested in alpha": lambda x, exposure, alpha: (0 * x, x + alpha),
        "scales with exposure": lambda x, exposure, alpha: (0 * x, x + 1),
        "has width": lambda x, exposure, alpha: (x / exposure, x / exposure),
        "holds the estimate": lambda x, exposure, alpha: (0 * x, 0.9 * x / exposure),
    }
    for part, function in breaking.items():
        monkeypatch.setitem(globals(), "over_x", lambda _, __, e, a, f=function: f(X, e, a))
        assert not PARTS[part]("made up", TWO_SIDED), part
    monkeypatch.setitem(globals(), "over_x", lambda _, __, e, a: (0.1 + 0 * X,) * 2)
    assert not PARTS["reaches the end"]("made up", LOWER)
    assert not PARTS["reaches the end"]("made up", UPPER)


@catalogue
def test_an_array_equals_one_outcome_at_a_time(name, side):
    places = (0, 1, 2, 50, 102, 105, 108)
    for alpha in (1e-6, 0.05, 0.6):
        together = over_x(name, side, 50.0, alpha) if alpha == 0.05 else None
        lower, upper = together or RATE[name].limits((X, np.full(X.size, 50.0)), alpha, side)
        for place in places:
            # Every outcome is solved by itself: not a bit may differ.
            assert (lower[place], upper[place]) == limits(name, X[place], 50.0, alpha, side)


@catalogue
def test_exposures_may_be_mixed_in_one_call(name, side):
    x, exposure = np.array([1.0, 4, 0, 77, 4, 0]), np.array([1.0, 1e-6, 3, 1e6, 50, 1])
    lower, upper = RATE[name].limits((x, exposure), 0.05, side)
    for i in range(x.size):
        assert (lower[i], upper[i]) == limits(name, x[i], exposure[i], 0.05, side)


@catalogue
def test_neither_the_data_nor_numpys_random_state_are_touched(name, side):
    x, exposure = np.array([3.0, 0.0, 10.0, 3.0]), np.full(4, 10.0)
    x.setflags(write=False)
    exposure.setflags(write=False)
    before = np.random.get_state()  # noqa: NPY002
    first = RATE[name].limits((x, exposure), 0.05, side)
    second = RATE[name].limits((x, exposure), 0.05, side)
    after = np.random.get_state()  # noqa: NPY002
    np.testing.assert_array_equal(first, second)
    np.testing.assert_array_equal(before[1], after[1])
    assert before[2:] == after[2:]


def test_an_infinite_limit_is_only_the_open_end_of_a_one_sided_interval():
    data = np.arange(3.0), np.ones(3)
    for side, lower, upper in (
        (TWO_SIDED, 0.0, np.inf),
        (TWO_SIDED, -np.inf, 1.0),
        (UPPER, 0.0, np.inf),
        (LOWER, -np.inf, np.inf),
        (LOWER, 0.0, np.nan),
        (LOWER, 0.0, -np.inf),
        (UPPER, np.nan, 1.0),
        (UPPER, np.inf, 1.0),
    ):
        formula = lambda *_, pair=(lower, upper): tuple(np.full(3, end) for end in pair)  # noqa: E731
        planted = replace(RATE["score"], formula=formula)
        with pytest.raises(IntervalNotFoundError, match=r"score: .* outcome \(0, 1\)"):
            planted.limits(data, 0.05, side)
    for side, lower, upper in ((LOWER, 0.0, np.inf), (UPPER, -np.inf, 1.0), (UPPER, 0.0, 1.0)):
        formula = lambda *_, pair=(lower, upper): tuple(np.full(3, end) for end in pair)  # noqa: E731
        found = replace(RATE["score"], formula=formula).limits(data, 0.05, side)
        assert found[0][0] == lower
        assert found[1][0] == upper


def test_the_exact_tails_have_ross_name_too():
    assert find("rate", "exact_tail") is RATE["garwood"]
