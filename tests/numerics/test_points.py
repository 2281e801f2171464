"""Points carried with their complement keep their digits next to 0 and to 1."""

from fractions import Fraction

import numpy as np
import pytest
from flint import arb, ctx
from hypothesis import given
from hypothesis import strategies as st

from harness.base.numerics.points import RealPoints, UnitPoints, log_ratios, unit_difference
from harness.base.numerics.special import DoubleDouble
from tests.oracles import balls
from tests.oracles.accuracy_grid import HALF_ULP

# Units in the last place, relative: a handful of operations each.
FEW_ULPS = 1e-15
# A step of up to 700 in the logit passes through its exponential, which magnifies its rounding.
SHIFT = 1e-15

logits = st.floats(-650, 650)
steps = st.one_of(st.floats(-40, 40), st.floats(-0.3, 0.3), st.floats(-1e-12, 1e-12))


def at_logit(y):
    """The point with logit y, carried by its smaller side."""
    e = np.exp(-np.abs(y))
    near = e / (1 + e)
    far = 1 - near
    return UnitPoints(*(np.array([v]) for v in ((near, far) if y < 0 else (far, near))))


def exactly(points):
    return balls.point_of_pair(float(points.p[0]), float(points.q[0]))


def relative(found, true):
    with ctx.workprec(256):
        return abs(float(arb(float(found)) / true - 1))


def test_a_point_given_alone_is_clipped_to_the_range():
    points = UnitPoints.of([-0.1, 0.0, 0.25, 1.0, 1.5])
    assert points.p.tolist() == [0, 0, 0.25, 1, 1]
    assert points.q.tolist() == [1, 1, 0.75, 0, 0]
    assert points.value is points.p


def test_selecting_and_replacing_keep_both_sides_together():
    points = UnitPoints(np.array([0.1, 0.2, 1.0]), np.array([0.9, 0.8, 1e-20]))
    assert points.at(np.array([2])).q.tolist() == [1e-20]
    other = UnitPoints(np.array([0.0, 0.0, 0.0]), np.array([1.0, 1.0, 1.0]))
    mixed = points.where(np.array([True, False, True]), other)
    assert (mixed.p.tolist(), mixed.q.tolist()) == ([0.1, 0.0, 1.0], [0.9, 1.0, 1e-20])
    changed = points.replaced(np.array([0]), UnitPoints(np.array([0.5]), np.array([0.5])))
    assert (changed.p.tolist(), changed.q.tolist()) == ([0.5, 0.2, 1.0], [0.5, 0.8, 1e-20])
    assert points.p.tolist() == [0.1, 0.2, 1.0]


@given(logits, steps)
def test_a_shift_adds_the_step_to_the_logit(y, step):
    before = at_logit(y)
    after = before.shift_logit(np.array([step]))
    with ctx.workprec(balls.EXACT):
        start = exactly(before)
    with ctx.workprec(256):
        odds = start / balls.complement(start) * arb(step).exp()
        p, q = odds / (1 + odds), 1 / (1 + odds)
    # The exponential turns the rounding of the step's own size into a relative error.
    tolerance = SHIFT * (4 + abs(step))
    assert relative(after.p[0], p) <= tolerance
    assert relative(after.q[0], q) <= tolerance


@given(logits, steps)
def test_a_shift_mirrors_bit_for_bit(y, step):
    points = at_logit(y)
    there = points.shift_logit(np.array([step]))
    mirrored = UnitPoints(points.q, points.p).shift_logit(np.array([-step]))
    assert (there.p, there.q) == (mirrored.q, mirrored.p)


@given(st.floats(-30, 30), st.floats(1e-14, 1e-3))
def test_a_small_step_costs_half_a_unit_in_the_last_place(y, step):
    points = at_logit(y)
    after = points.shift_logit(np.array([step]))
    with ctx.workprec(256):
        start = exactly(points)
        odds = start / balls.complement(start) * arb(step).exp()
        p, q = odds / (1 + odds), 1 / (1 + odds)
    # The change itself is right to a few parts in 1e16 of a step of at most 1e-3. A point that
    # crosses one half was rounded on its other side before.
    smaller, true = (after.p, p) if p < q else (after.q, q)
    roundings = 1 if (y < 0) == (p < q) else 2
    assert relative(smaller[0], true) <= HALF_ULP * (roundings + 8 * step)


@given(logits, logits)
def test_a_difference_is_formed_where_both_points_are_exact(first, second):
    lower, upper = at_logit(min(first, second)), at_logit(max(first, second))
    with ctx.workprec(balls.EXACT):
        gap = exactly(upper) - exactly(lower)
    found = unit_difference(lower, upper)[0]
    if gap == 0:
        assert found == 0
    else:
        across = lower.p[0] <= 0.5 < upper.p[0]
        # Across one half both parts are rounded at the size of one half.
        assert abs(found - gap) <= FEW_ULPS * (gap if not across else max(gap, arb(2.0**-3)))


@given(st.floats(-30, 30), st.one_of(st.floats(1e-9, 1e-3), st.floats(1e-3, 30)))
def test_log_ratios_keep_their_digits_for_close_and_for_far_points(y, step):
    lower = at_logit(y)
    upper = lower.shift_logit(np.array([step]))
    with ctx.workprec(256):
        bottom, top = exactly(lower), exactly(upper)
        p_true = (top / bottom).log()
        q_true = (balls.complement(top) / balls.complement(bottom)).log()
    p_found, q_found = (ratio[0] for ratio in log_ratios(lower, upper))
    # Far points: a difference of logarithms of up to 60. Close ones: the gap, good to its last
    # place but for one that is formed across one half.
    gap = float(unit_difference(lower, upper)[0])
    across = 2.0**-53 / gap if lower.p[0] <= 0.5 < upper.p[0] else 0.0
    for found, true in ((p_found, p_true), (q_found, q_true)):
        far = 60 * 2.0**-52 if abs(float(true)) > 0.5 else 0.0
        assert abs(found - true) <= abs(float(true)) * (4 * FEW_ULPS + across) + far


def test_log_ratios_at_the_boundary_are_infinite_on_their_side():
    zero, one = UnitPoints.of(np.zeros(1)), UnitPoints.of(np.ones(1))
    half = UnitPoints.of(np.array([0.5]))
    p_ratio, q_ratio = log_ratios(zero, half)
    assert p_ratio[0] == np.inf
    assert q_ratio[0] == pytest.approx(np.log(0.5))
    p_ratio, q_ratio = log_ratios(half, one)
    assert p_ratio[0] == pytest.approx(np.log(2))
    assert q_ratio[0] == -np.inf


def test_positions_of_reals_are_the_number_of_edges_below():
    edges = np.array([0.0, 0.5, 2.0, np.inf])
    points = RealPoints.of([-1.0, 0.0, 0.25, 0.5, 1.0, 2.0, 3.0])
    assert points.positions(edges).tolist() == [0, 0, 1, 1, 2, 2, 3]


def test_positions_beside_one_are_told_by_the_distance_to_it():
    """Three points are 1 as doubles; the edge 1 − 2^−53 lies between two of them."""
    edge = 1.0 - 2.0**-53
    edges = np.array([0.0, 0.3, edge, 1.0])
    points = UnitPoints(
        np.array([1e-300, 0.3, 0.31, 0.75, edge, 1.0, 1.0, 1.0]),
        np.array([1.0, 0.7, 0.69, 0.25, 2.0**-52, 2.0**-53, 2.0**-60, 0.0]),
    )
    assert points.positions(edges).tolist() == [1, 1, 2, 2, 2, 2, 3, 3]


def test_positions_on_both_halves_are_those_of_plain_doubles():
    rng = np.random.default_rng(2003)
    edges, p = np.sort(rng.integers(0, 65, 9) / 64), rng.integers(0, 65, 500) / 64
    found = UnitPoints.of(p).positions(edges)
    np.testing.assert_array_equal(found, np.searchsorted(edges, p))


# Pairs of doubles against fractions.


RNG = np.random.default_rng(2003)
COUNT = 300


def drawn():
    high = np.exp(RNG.normal(0.0, 20.0, COUNT))
    return DoubleDouble(high, high * 2.0**-53 * RNG.uniform(-0.99, 0.99, COUNT))


def fractions(pair):
    return [Fraction(a) + Fraction(b) for a, b in zip(*map(np.ndarray.tolist, pair), strict=True)]


def worst(found, expected):
    """The largest relative error."""
    return max(abs(a / b - 1) for a, b in zip(fractions(found), expected, strict=True))


def test_sums_products_and_quotients_have_a_hundred_bits():
    a, b, factor = drawn(), drawn(), np.exp(RNG.normal(0.0, 20.0, COUNT))
    x, y, f = fractions(a), fractions(b), [Fraction(each) for each in factor.tolist()]
    assert worst(a.plus(b), [i + j for i, j in zip(x, y, strict=True)]) < 2.0**-103
    assert worst(a.times(factor), [i * j for i, j in zip(x, f, strict=True)]) < 2.0**-102
    assert worst(a.over(b), [i / j for i, j in zip(x, y, strict=True)]) < 2.0**-101


def test_ones_are_one():
    assert fractions(DoubleDouble.ones(2)) == [1, 1]
