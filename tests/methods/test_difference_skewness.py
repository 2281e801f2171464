"""Limits of a difference corrected for skewness, against Laud's statistic in ball arithmetic."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtri

from harness.methods.catalogue import CATALOGUE
from harness.methods.method import LOWER, TWO_SIDED, UPPER
from tests.oracles import differences

METHODS = {name: CATALOGUE["proportion_difference"][name] for name in ("scas", "gart_nam")}
names = pytest.mark.parametrize("name", METHODS)
# How far the limit may be from the root, relatively to what it is the difference of.
ROUNDING = 1e-14
# Units in the last place of the two mirrored ways to compute a limit.
MIRRORED = 2.0**-50

DATA = [
    (7, 34, 1, 34),
    (0, 10, 0, 10),
    (10, 10, 10, 10),
    (10, 10, 0, 7),
    (0, 1, 1, 3),
    (1, 1, 0, 4),
    (29, 30, 2, 300),
    (0, 10**9, 0, 10**9),
    (0, 10**9, 3, 17),
    (10**9 - 1, 10**9, 5, 10**9),
    (1, 10**6, 999_999, 10**6),
    (600_000, 10**6, 550_000, 10**6),
]


def limits(name, data, alpha, side=TWO_SIDED):
    lower, upper = METHODS[name].limits(tuple(np.array([float(v)]) for v in data), alpha, side)
    return float(lower[0]), float(upper[0])


@names
@pytest.mark.parametrize("alpha", [1e-6, 0.001, 0.05, 0.3, 0.6])
def test_the_corrected_score_changes_its_side_of_z_at_a_limit(name, alpha):
    z, solved = -float(ndtri(alpha / 2)), 0
    for data in DATA:
        x1, n1, x2, n2 = data
        size = max(min(x1 / n1, x2 / n2), min(1 - x1 / n1, 1 - x2 / n2))
        for limit, sign in zip(limits(name, data, alpha), (1, -1), strict=True):
            if abs(limit) == 1:
                continue
            unit = ROUNDING * max(abs(x1 / n1 - x2 / n2 - limit), abs(limit), size)
            sides = [
                sign * differences.corrected_score(data, at, sign * z, corrected=name == "scas")
                for at in (limit - unit, limit + unit)
            ]
            assert sign * sides[0] > 0 > sign * sides[1], (data, limit)
            solved += 1
    assert solved > len(DATA)


@names
def test_a_limit_is_the_outermost_difference_that_is_not_rejected(name):
    deltas = np.linspace(-1, 1, 402)[1:-1]
    for data in DATA[:7]:
        for alpha in (0.001, 0.05, 0.9):
            z = -float(ndtri(alpha / 2))
            lower, upper = limits(name, data, alpha)
            for limit, sign, outside in ((lower, 1, deltas < lower), (upper, -1, deltas > upper)):
                scores = [
                    sign * differences.corrected_score(data, at, sign * z, corrected=name == "scas")
                    for at in deltas[outside][::29]
                ]
                assert all(score > 0 for score in scores), (data, alpha, limit)


def test_the_outcomes_next_to_the_ends_reach_the_ends():
    assert limits("scas", (0, 10, 20, 20), 0.05)[0] == -1
    assert limits("scas", (10, 10, 0, 20), 0.05)[1] == 1
    # z = 4.9: so few counts that the corrected score never rises above z.
    assert limits("scas", (1, 10, 19, 20), 1e-6)[0] == -1
    assert limits("scas", (1, 10, 19, 20), 0.05)[0] > -1


@names
def test_above_one_half_a_one_sided_limit_is_the_other_one_of_the_rest(name):
    for data in DATA:
        for tail in (0.7, 0.99):
            assert limits(name, data, tail, LOWER)[0] == limits(name, data, 1 - tail, UPPER)[1]


@st.composite
def outcomes(draw):
    sizes = [draw(st.integers(1, 10**9)) for _ in range(2)]
    return tuple(v for n in sizes for v in (draw(st.integers(0, n)), n))


@names
@settings(max_examples=20)
@given(data=outcomes(), alpha=st.floats(1e-10, 0.95))
def test_every_outcome_has_limits_that_swap_and_mirror(name, data, alpha):
    x1, n1, x2, n2 = data
    lower, upper = limits(name, data, alpha)
    assert -1 <= lower <= upper <= 1
    swapped = limits(name, (x2, n2, x1, n1), alpha)
    mirrored = limits(name, (n1 - x1, n1, n2 - x2, n2), alpha)
    for low, high in (swapped, mirrored):
        assert (low, high) == pytest.approx((-upper, -lower), rel=MIRRORED, abs=MIRRORED)
