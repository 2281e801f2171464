"""What every method for two samples promises, at every outcome and on every side.

A part that a method does not keep stands in its ``exceptions`` with the reason; one that it
declares and keeps all the same is an error too.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.errors import IntervalNotFoundError
from harness.methods.catalogue import CATALOGUE
from harness.methods.method import LOWER, TWO_SIDED, UPPER, Method

ALPHAS = (1e-10, 1e-3, 0.05, 0.5, 0.9, 0.95)
MIRROR = {TWO_SIDED: TWO_SIDED, LOWER: UPPER, UPPER: LOWER}
FAMILIES = ("proportion_difference", "rate_difference", "balanced_accuracy")
ENDS = {
    "proportion_difference": (-1.0, 1.0),
    "rate_difference": (-np.inf, np.inf),
    "balanced_accuracy": (0.0, 1.0),
}
CASES = [(family, name) for family in FAMILIES for name in CATALOGUE[family]]

# Two samples solved in the other order or from their other end round elsewhere: a few units of
# 2^-53 of the largest number on the way.
ROUNDING = 2.0**-50
# What is solved by quadrature is good to some 1e-11 of the mass, whichever way round it is done.
SOLVED = 1e-9

PROPORTIONS = {
    (1, 1): (range(2), range(2)),
    (1, 5): (range(2), range(6)),
    (3, 7): (range(4), range(8)),
    (10, 10): (range(11), range(11)),
    (3, 40): (range(4), (0, 1, 2, 3, 4, 20, 36, 37, 38, 39, 40)),
    (5, 200): (range(6), (0, 1, 4, 5, 6, 100, 194, 195, 196, 199, 200)),
    (12, 112): (range(13), (0, 1, 2, 36, 55, 56, 57, 76, 110, 111, 112)),
    (1000, 50): ((0, 1, 3, 333, 500, 667, 997, 999, 1000), (0, 1, 2, 25, 48, 49, 50)),
    (10**6, 10**6): ((0, 1, 7, 500_000, 999_993, 999_999, 10**6),) * 2,
    (1, 10**6): (range(2), (0, 1, 7, 500_000, 999_993, 999_999, 10**6)),
}
COUNTS = (0, 1, 2, 3, 5, 10, 11, 100, 1000, 10**6)
EXPOSURES = ((1.0, 1.0), (50.0, 0.25), (16.0, 17.5), (1e-6, 1e6), (1e6, 1e6))
RATES = dict.fromkeys(EXPOSURES, (COUNTS, COUNTS))
GRIDS = {
    "proportion_difference": PROPORTIONS,
    "rate_difference": RATES,
    "balanced_accuracy": PROPORTIONS,
}
# What takes a thousand times as long is asked at fewer places.
SLOW_ALPHAS = (1e-10, 0.05, 0.95)
SLOW_SIZES = ((1, 1), (3, 7), (1000, 50), (1, 10**6), (1.0, 1.0), (50.0, 0.25), (1e-6, 1e6))


def is_solved(family, name):
    """Whether the limits come from the posterior of a sum, by quadrature."""
    return CATALOGUE[family][name].promise == "mean"


def alphas(family, name):
    return SLOW_ALPHAS if is_solved(family, name) else ALPHAS


def over_sizes(family, name):
    """The sizes with all counts of both samples, each of shape (k1, k2)."""
    for sizes, counts in GRIDS[family].items():
        if is_solved(family, name):
            if sizes not in SLOW_SIZES:
                continue
            counts = tuple(each[:: 2 if len(each) > 8 else 1] for each in counts)
        x1, x2 = np.meshgrid(*(np.array(each, float) for each in counts), indexing="ij")
        yield sizes, x1, x2


@functools.cache
def _limits(family, name, side, alpha):
    """Limits over the whole grid, found in one call."""
    columns = [
        (x1.ravel(), np.full(x1.size, sizes[0]), x2.ravel(), np.full(x1.size, sizes[1]))
        for sizes, x1, x2 in over_sizes(family, name)
    ]
    data = tuple(np.concatenate(column) for column in zip(*columns, strict=True))
    return CATALOGUE[family][name].limits(data, alpha, side)


def limits(family, name, side, alpha):
    """sizes, x1, x2, lower and upper of shape (k1, k2), one size after the other."""
    lower, upper = _limits(family, name, side, alpha)
    start = 0
    for sizes, x1, x2 in over_sizes(family, name):
        part = slice(start, start := start + x1.size)
        yield sizes, x1, x2, lower[part].reshape(x1.shape), upper[part].reshape(x1.shape)


def over_grid(family, name, side):
    return (cell for alpha in alphas(family, name) for cell in limits(family, name, side, alpha))


def estimate(family, sizes, x1, x2):
    first, second = x1 / sizes[0], x2 / sizes[1]
    return (first + second) / 2 if family == "balanced_accuracy" else first - second


def close(found, expected, size=1.0, within=ROUNDING):
    """Equal but for rounding, of numbers of the given size."""
    return np.isclose(found, expected, rtol=within, atol=within * size).all()


def accuracy(family, name):
    return SOLVED if is_solved(family, name) else ROUNDING


def size_of_rates(family, sizes, x1, x2):
    """The larger of two rates, an event more than seen; a limit may be a small difference."""
    if family != "rate_difference":
        return 1.0
    return np.maximum((x1 + 1) / sizes[0], (x2 + 1) / sizes[1]).ravel()


def falls(before, after):
    """Whether a limit falls by more than its last place, and that of what it is made of."""
    return (after < before) & ~np.isclose(after, before, rtol=ROUNDING, atol=0)


def is_ordered(family, name, side):
    return all((lower <= upper).all() for *_, lower, upper in over_grid(family, name, side))


def stays_in_range(family, name, side):
    low, high = ENDS[family]
    return all(
        (lower >= low).all()
        and (upper <= high).all()
        and not np.isnan([lower, upper]).any()
        and (side == UPPER or np.isfinite(lower).all())
        and (side == LOWER or np.isfinite(upper).all())
        for *_, lower, upper in over_grid(family, name, side)
    )


def reaches_the_end_on_its_open_side(family, name, side):
    low, high = ENDS[family]
    if side == LOWER:
        return all((upper == high).all() for *_, upper in over_grid(family, name, side))
    if side == UPPER:
        return all((lower == low).all() for *_, lower, _ in over_grid(family, name, side))
    return True


def has_width(family, name, side):
    return side != TWO_SIDED or all(
        (lower < upper).all() for *_, lower, upper in over_grid(family, name, side)
    )


def holds_the_estimate(family, name, side):
    return side != TWO_SIDED or all(
        ((lower <= (middle := estimate(family, sizes, x1, x2))) & (middle <= upper)).all()
        for sizes, x1, x2, lower, upper in over_grid(family, name, side)
    )


def is_nested_in_alpha(family, name, side):
    at = [_limits(family, name, side, alpha) for alpha in alphas(family, name)]
    lowers, uppers = np.array([pair[0] for pair in at]), np.array([pair[1] for pair in at])
    # Open ends are infinite, and the same at every alpha.
    if is_solved(family, name):
        return not (falls(lowers[:-1], lowers[1:]).any() or falls(uppers[1:], uppers[:-1]).any())
    return bool((lowers[1:] >= lowers[:-1]).all() and (uppers[1:] <= uppers[:-1]).all())


def is_monotone(family, name, side):
    """Rises with x1, and falls with x2; for a balanced accuracy rises with both."""
    sign = 1.0 if family == "balanced_accuracy" else -1.0
    for *_, lower, upper in over_grid(family, name, side):
        for limit in (lower, upper):
            if falls(limit[:-1], limit[1:]).any():
                return False
            if falls(sign * limit[:, :-1], sign * limit[:, 1:]).any():
                return False
    return True


def swaps(family, name, side):
    """Samples in the other order: limits negated and exchanged; a balanced accuracy's are kept."""
    method = CATALOGUE[family][name]
    kept = family == "balanced_accuracy"
    for alpha in alphas(family, name):
        for sizes, x1, x2, lower, upper in limits(family, name, side, alpha):
            data = x2, np.full_like(x2, sizes[1]), x1, np.full_like(x1, sizes[0])
            columns = tuple(column.ravel() for column in data)
            low, high = method.limits(columns, alpha, side if kept else MIRROR[side])
            expected = (low, high) if kept else (-high, -low)
            for found, other in zip((lower, upper), expected, strict=True):
                size = size_of_rates(family, sizes, x1, x2)
                if not close(found.ravel(), other, size, accuracy(family, name)):
                    return False
    return True


def mirrors(family, name, side):
    """Failures for successes: limits negated and exchanged, or taken from 1."""
    if family == "rate_difference":
        return True
    whole = 1.0 if family == "balanced_accuracy" else 0.0
    for alpha in alphas(family, name):
        mirrored = limits(family, name, MIRROR[side], alpha)
        for cell, other in zip(limits(family, name, side, alpha), mirrored, strict=True):
            (*_, lower, upper), (*_, low, high) = cell, other
            # The counts of every grid are as far from 0 as from n.
            within = accuracy(family, name)
            if not close(lower, whole - high[::-1, ::-1], within=within):
                return False
            if not close(upper, whole - low[::-1, ::-1], within=within):
                return False
    return True


def scales_with_exposure(family, name, side):
    if family != "rate_difference":
        return True
    method = CATALOGUE[family][name]
    for alpha in alphas(family, name):
        for sizes, x1, x2, *found in limits(family, name, side, alpha):
            for factor in (1e-3, 7.0):
                exposures = (np.full(x1.size, size * factor) for size in sizes)
                data = (x1.ravel(), next(exposures), x2.ravel(), next(exposures))
                for ours, other in zip(found, method.limits(data, alpha, side), strict=True):
                    size = size_of_rates(family, sizes, x1, x2)
                    if not close(ours.ravel(), other * factor, size, accuracy(family, name)):
                        return False
    return True


PARTS: dict[str, Callable[[str, str, str], bool]] = {
    "is ordered": is_ordered,
    "stays in range": stays_in_range,
    "reaches the end": reaches_the_end_on_its_open_side,
    "has width": has_width,
    "holds the estimate": holds_the_estimate,
    "is nested in alpha": is_nested_in_alpha,
    "is monotone": is_monotone,
    "swaps": swaps,
    "mirrors": mirrors,
    "scales": scales_with_exposure,
}


def mirrored_grids():
    return [
        (sizes, counts)
        for sizes, both in PROPORTIONS.items()
        for size, counts in zip(sizes, both, strict=True)
        if sorted(size - count for count in counts) != sorted(counts)
    ]


def test_the_grids_hold_the_failures_of_every_success():
    assert not mirrored_grids()


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize(("family", "name"), CASES)
def test_a_method_keeps_each_part_of_the_contract_unless_it_says_so(family, name, part):
    method = CATALOGUE[family][name]
    kept = all(PARTS[part](family, name, side) for side in method.sides)
    declared = method.exceptions.get(part)
    if declared is None:
        assert kept, f"{family} {name} breaks {part!r} and does not say so"
    else:
        assert not kept, f"{family} {name} declares an exception to {part!r} that does not occur"
        assert declared.strip()


@pytest.mark.parametrize(("family", "name"), CASES)
def test_declared_exceptions_are_to_parts_of_the_contract(family, name):
    assert set(CATALOGUE[family][name].exceptions) <= set(PARTS)


TWO_CLASSES = ([0, 1, 3, 7, 50, 0], [1, 1, 9, 7, 99, 3], [0, 0, 2, 5, 5, 2], [5, 5, 5, 5, 5, 5])
TWO_RATES = ([0, 1, 3, 7, 50, 0], [1, 0.2, 9, 70, 9, 3], [0, 0, 2, 5, 7, 20], [5, 5, 5, 5, 5, 5])


def some_data(family):
    """Columns of mixed sizes."""
    columns = TWO_RATES if family == "rate_difference" else TWO_CLASSES
    return tuple(np.array(column, float) for column in columns)


@pytest.mark.parametrize(("family", "name"), CASES)
def test_an_array_equals_one_outcome_at_a_time(family, name):
    method, data = CATALOGUE[family][name], some_data(family)
    for side in method.sides:
        for alpha in (1e-6, 0.05, 0.6):
            together = np.array(method.limits(data, alpha, side))
            for place in range(together.shape[1]):
                alone = method.limits(tuple(column[[place]] for column in data), alpha, side)
                # Every outcome is solved by itself: not a bit may differ.
                np.testing.assert_array_equal(together[:, [place]], alone)


@pytest.mark.parametrize(("family", "name"), CASES)
def test_the_data_are_not_touched(family, name):
    method, data = CATALOGUE[family][name], some_data(family)
    for column in data:
        column.setflags(write=False)
    for side in method.sides:
        first = method.limits(data, 0.05, side)
        again = method.limits(data, 0.05, side)
        np.testing.assert_array_equal(first, again)
        # The limits are arrays of their own: writing to them changes no later answer.
        first[0][:] = first[1][:] = 0.5
        np.testing.assert_array_equal(method.limits(data, 0.05, side), again)
    for column, untouched in zip(data, some_data(family), strict=True):
        np.testing.assert_array_equal(column, untouched)


@st.composite
def outcomes(draw, family):
    """One outcome of any size, small ones and those at the ends more often."""
    data = []
    for _ in range(2):
        if family == "rate_difference":
            data += [draw(st.integers(0, 10**6)), draw(st.floats(1e-6, 1e6))]
        else:
            n = draw(st.integers(1, 10**6))
            data += [draw(st.integers(0, n)), n]
    return tuple(np.array([float(value)]) for value in data)


@settings(max_examples=8)
@pytest.mark.parametrize(("family", "name"), CASES)
@given(data=st.data())
def test_limits_keep_the_contract_for_any_data_and_alpha(family, name, data):
    method = CATALOGUE[family][name]
    outcome = data.draw(outcomes(family))
    small, large = sorted(data.draw(st.tuples(*[st.floats(1e-10, 0.9)] * 2)))
    low, high = ENDS[family]
    for side in method.sides:
        lower, upper = method.limits(outcome, large, side)
        assert not np.isnan([lower, upper]).any()
        assert low <= lower <= upper <= high
        wide = method.limits(outcome, small, side)
        assert not falls(wide[0], lower)
        assert not falls(upper, wide[1])


def test_the_contract_finds_methods_that_break_it(monkeypatch):
    """Each part is broken by one made-up method, so that none holds of everything."""
    breaking = {
        "stays in range": lambda d, tail: (d[0] * 0 - 1.1, d[0] * 0 + 1),
        "has width": lambda d, tail: (d[0] / d[1] - d[2] / d[3],) * 2,
        "holds the estimate": lambda d, tail: (d[0] * 0 + 0.4, d[0] * 0 + 0.6),
        "is nested in alpha": lambda d, tail: (d[0] * 0 - tail, d[0] * 0 + tail),
        "is monotone": lambda d, tail: (d[0] * 0 - 1, 1 - 0.5 * d[0] / d[1]),
        "swaps": lambda d, tail: (d[0] * 0 - 1, d[0] / d[1]),
        "mirrors": lambda d, tail: (d[0] * 0 - 0.5, d[0] / d[1]),
        "reaches the end": lambda d, tail: (d[0] * 0, d[0] * 0 + 0.5),
    }
    family = "proportion_difference"
    for part, formula in breaking.items():
        side = LOWER if part == "reaches the end" else TWO_SIDED
        plant(monkeypatch, family, formula)
        assert not PARTS[part](family, "made up", side), part
    plant(monkeypatch, family, lambda d, tail: (d[0] * 0 + 0.5, d[0] * 0 - 0.5))
    with pytest.raises(IntervalNotFoundError, match="no interval found"):
        PARTS["is ordered"](family, "made up", TWO_SIDED)
    plant(monkeypatch, "rate_difference", lambda d, tail: (d[0] - d[2] - 1, d[0] - d[2] + 1))
    assert not PARTS["scales"]("rate_difference", "made up", TWO_SIDED)


def plant(monkeypatch, family, formula):
    def limits(data, alpha, side, prior):
        return formula(data, alpha)

    made_up = Method("made up", "nowhere", limits, (TWO_SIDED, LOWER, UPPER))
    monkeypatch.setitem(CATALOGUE[family], "made up", made_up)
    _limits.cache_clear()
