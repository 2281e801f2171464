"""What limits given the margins of a table rest on."""

import numpy as np
import pytest

from harness.methods.comparison.fourfold import Tables
from harness.methods.inversion import MINIMUM_LIKELIHOOD
from harness.methods.inversion.hypergeometric import (
    HalfTails,
    HypergeometricTails,
    ShiftWindow,
    TablePoints,
    corrected_score_limit,
)
from tests.oracles import odds_ratios

KINDS = pytest.mark.parametrize("kind", [HypergeometricTails, HalfTails])
# Below this the p-values are no longer told apart from 0 by their logarithms.
SMALL = 1e-200
CELLS = [
    (0, 1, 2, 3),
    (1, 2, 2, 3),
    (3, 6, 9, 4),
    (0, 30, 40, 2),
    (20, 25, 25, 20),
    (90, 40, 60, 300),
    (4, 5, 5, 10**6),
]


def tails_of(kind, cells, copies=1):
    tables = Tables(*(np.full(copies, float(cell)) for cell in cells))
    about = HypergeometricTails.about(tables, corrected_score_limit(tables, 1.0))
    return kind(about.tables, about.window)


@KINDS
@pytest.mark.parametrize("cells", CELLS)
def test_ties_move_outwards_and_the_p_value_falls_from_one_to_the_next(kind, cells):
    reach = min(cells[1], cells[2])
    tails, k = tails_of(kind, cells, reach), np.arange(1.0, reach + 1)
    tie = MINIMUM_LIKELIHOOD.tie(tails, k)
    assert (np.diff(tie.log_ratio) > 0).all()
    p_value = tails.near(tie) + tails.far(k, tie)
    left_out = 0.5 * tails.pmf(tie)[0] if kind is HalfTails else 0.0
    assert p_value[0] == pytest.approx(1 - left_out, rel=1e-12)
    assert (np.diff(p_value[p_value > SMALL]) < 0).all()


@KINDS
@pytest.mark.parametrize("cells", CELLS)
def test_between_two_ties_the_p_value_falls_or_falls_and_rises(kind, cells):
    few = min(*cells[1:3], 6)
    for k in range(1, few + 1):
        tails, place = tails_of(kind, cells, 40), np.full(40, float(k))
        start, stop = (MINIMUM_LIKELIHOOD.tie(tails, place + step).log_ratio for step in (0, 1))
        if k == min(cells[1:3]):
            stop = start + 5.0
        inner = tails.outwards(tails.between(place), np.zeros(40))
        log_ratio = start + (stop - start) * np.linspace(0.001, 1, 40)
        points = tails.outwards(inner, log_ratio - inner.log_ratio)
        p_value = tails.near(points) + tails.far(place + 1, points)
        rises = np.diff(p_value) > 1e-14 * p_value[1:]
        assert (np.diff(rises.astype(int)) >= 0).all()


@KINDS
def test_slopes_are_those_of_the_tails(kind):
    k, step = np.array([2.0]), np.array([1e-5])
    for cells in CELLS:
        tails = tails_of(kind, cells)
        point = tails.between(np.array([0.7]))
        back, forth = tails.outwards(point, -step), tails.outwards(point, step)
        for value, slope in (
            (tails.near, tails.near_slope),
            (lambda p, t=tails: t.far(k, p), lambda p, t=tails: t.far_slope(k, p)),
            (tails.pmf, lambda p, t=tails: -t.distance(p) * t.pmf(p)),
        ):
            change = (value(forth) - value(back)) / (2 * step)
            np.testing.assert_allclose(slope(point), change, rtol=1e-5, atol=1e-9)
        np.testing.assert_allclose(tails.near(point) + tails.rest(point), 1.0, rtol=1e-14)


def test_probabilities_are_those_of_the_law():
    for cells in CELLS[:6]:
        a, b, c, d = cells
        tails = tails_of(HypergeometricTails, cells)
        for log_ratio in (-3.0, 0.0, 0.5, 4.0):
            points = TablePoints(np.array([log_ratio]), np.array([0.0]))
            points = tails.outwards(points, np.zeros(1))
            law = dict(odds_ratios.weights((a, a + b, c, c + d), float(np.exp(log_ratio))))
            total = sum(law.values())
            assert tails.pmf(points)[0] == pytest.approx(float(1 / total), rel=1e-12)
            far = sum((w for x, w in law.items() if x > a), 0) / total
            assert tails.far(np.ones(1), points)[0] == pytest.approx(float(far), rel=1e-12)


def test_a_window_that_is_too_narrow_is_widened():
    tables = Tables(*(np.array([4000.0]) for _ in range(4)))
    here = corrected_score_limit(tables, 2.0)
    narrow = ShiftWindow.about(tables, here, 0.05)
    assert not narrow.is_wide_enough(tables, narrow.probabilities(here))[0]
    wide = ShiftWindow.about(tables, here, 4.0)
    for points in (here, corrected_score_limit(tables, 6.0), corrected_score_limit(tables, -3.0)):
        few, many = (HypergeometricTails(tables, window) for window in (narrow, wide))
        np.testing.assert_allclose(few.near(points), many.near(points), rtol=1e-12)
