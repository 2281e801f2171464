"""MOVER and closed forms for pairs against the formulas as printed, in ball arithmetic."""

import numpy as np
import pytest
from flint import arb, ctx
from scipy.special import ndtri
from scipy.stats import beta

from harness.methods.paired import Pairs, mover
from tests.methods.paired_tables import (
    BOUNDARY,
    DIFFERENCES,
    LARGE,
    RATIOS,
    columns,
    random_tables,
)
from tests.oracles import pairs

ALPHAS = (2e-12, 2e-4, 0.05, 0.2, 0.6)
ACCURACY = 1e-12
# Of the limits of a proportion as doubles, relative to the proportion.
OF_DOUBLES = 1e-13


@pytest.fixture(autouse=True)
def precision():
    with ctx.workprec(pairs.BITS):
        yield


def cases(large=True):
    rng = np.random.default_rng(2012)
    for table in [*BOUNDARY, *(LARGE if large else []), *random_tables(100)]:
        yield table, float(rng.choice(ALPHAS))


def found(method, table, alpha):
    return np.ravel(method.formula(columns([table]), alpha, "two-sided", (1.0, 1.0)))


def wilson_terms(table, alpha):
    a, b, c, _ = table
    z = arb(-float(ndtri(alpha / 2)))
    return pairs.wilson(a + b, sum(table), z), pairs.wilson(a + c, sum(table), z)


def jeffreys_terms(table, alpha):
    a, b, c, _ = table
    n = sum(table)
    for x in (a + b, a + c):
        shapes = x + 0.5, n - x + 0.5
        lower = 0.0 if x == 0 else float(beta.ppf(alpha / 2, *shapes))
        upper = 1.0 if x == n else float(beta.isf(alpha / 2, *shapes))
        yield arb(lower), arb(upper)


@pytest.mark.parametrize(
    ("name", "is_corrected"), [("newcombe", True), ("newcombe_uncorrected", False)]
)
def test_newcombes_limits(name, is_corrected):
    for table, alpha in cases():
        phi = pairs.correlation(table, is_corrected)
        exact = pairs.mover_difference(table, *wilson_terms(table, alpha), phi)
        expected = np.array([float(limit) for limit in exact])
        estimate = abs(table[1] - table[2]) / sum(table)
        error = np.abs(found(DIFFERENCES[name], table, alpha) - expected)
        room = ACCURACY * np.abs(expected) + 4 * 2.0**-53 * estimate + 1e-50
        assert (error <= room).all(), (table, alpha, error, room)


def test_jeffreys_limits_of_a_difference():
    for table, alpha in cases(large=False):
        if sum(table) < 10**6:
            phi = pairs.correlation(table, True)
            exact = pairs.mover_difference(table, *jeffreys_terms(table, alpha), phi)
            expected = [float(limit) for limit in exact]
            limits = found(DIFFERENCES["mover_jeffreys"], table, alpha)
            np.testing.assert_allclose(limits, expected, rtol=0, atol=2e-12)


def is_regular(table, first, second):
    """Whether both proportions are above 0 and hold their estimates, as the printed root needs."""
    a, b, c, _ = table
    n = arb(sum(table))
    (l1, u1), (l2, u2) = first, second
    p1, p2 = arb(a + b) / n, arb(a + c) / n
    return a + b > 0 and a + c > 0 and l1 <= p1 and p1 <= u1 and l2 <= p2 and p2 <= u2


@pytest.mark.parametrize(
    ("name", "terms", "is_corrected", "accuracy"),
    [
        ("mover_wilson", wilson_terms, False, ACCURACY),
        ("mover_jeffreys", jeffreys_terms, True, 2e-11),
    ],
)
def test_limits_of_a_ratio(name, terms, is_corrected, accuracy):
    checked = 0
    for table, alpha in cases(large=name == "mover_wilson"):
        first, second = terms(table, alpha)
        limits = found(RATIOS[name], table, alpha)
        if is_regular(table, first, second) and sum(table) <= 10**9:
            phi = pairs.correlation(table, is_corrected)
            exact = pairs.mover_ratio(table, first, second, phi)
            checked += 1
            np.testing.assert_allclose(limits, [float(each) for each in exact], rtol=accuracy)
    assert checked > 60


def test_the_correlation_of_tables_whose_margins_multiply_beyond_64_bits():
    # In 32 bits the product overflows from about n = 430, in 64 bits from about n = 110,000:
    # ratesci 1.0.0 then takes a correlation of 0 without a word.
    for n in (430, 110_000, 10**6, 10**9):
        table = (n // 2, n // 10, n // 5, n - n // 2 - n // 10 - n // 5)
        for count in (mover.phi, mover.corrected):
            phi, complement = count(Pairs(*columns([table])))
            exact = pairs.correlation(table, count is mover.corrected)
            assert float(abs(arb(phi[0]) / exact - 1)) < 1e-14
            assert float(abs(arb(complement[0]) / (1 - exact) - 1)) < 1e-14


@pytest.mark.parametrize(
    ("table", "is_zero"),
    [
        ((12, 6, 8, 4), True),
        ((10**9, 10**9, 10**9, 10**9), True),
        ((3 * 10**8 + 3, 10**8 + 1, 3 * 10**8 + 3, 10**8 + 1), True),
        # n₁₁n₀₀ − n₁₀n₀₁ is n/2, less by 1/2, more by 1/2
        ((6, 0, 4, 1), False),
        ((6, 1, 3, 2), False),
        ((6, 0, 3, 1), False),
    ],
)
def test_ties_of_the_corrected_correlation(table, is_zero):
    phi, complement = mover.corrected(Pairs(*columns([table])))
    exact = pairs.correlation(table, True)
    assert abs(float(exact) - phi[0]) < 1e-15
    assert abs(float(1 - exact) - complement[0]) < 1e-15
    assert (phi[0] == 0) == (is_zero or exact == 0)


def test_pairs_that_hardly_disagree_keep_the_digits_of_one_minus_the_correlation():
    table = (5 * 10**8, 1, 0, 5 * 10**8 - 1)
    _, complement = mover.phi(Pairs(*columns([table])))
    exact = 1 - pairs.correlation(table, False)
    assert float(abs(arb(complement[0]) / exact - 1)) < 1e-14


def test_closed_forms_of_a_difference():
    added = {"wald": (0, 0), "agresti_min": (0.5, 0.5), "bonett_price": (1, 0)}
    for table, alpha in cases():
        z = arb(-float(ndtri(alpha / 2)))
        for name, (discordant, concordant) in added.items():
            b, c = arb(table[1]) + discordant, arb(table[2]) + discordant
            n = b + c + table[0] + table[3] + 2 * concordant
            width = z * pairs.root(b + c - (b - c) ** 2 / n) / n
            check_clipped(found(DIFFERENCES[name], table, alpha), (b - c) / n, width)
        b, c, n = arb(table[1]), arb(table[2]), arb(sum(table))
        width = (z * pairs.root(b + c - (b - c) ** 2 / n) + 1) / n
        check_clipped(found(DIFFERENCES["wald_cc"], table, alpha), (b - c) / n, width)
        width = z * pairs.root(b + c - (abs(b - c) - 1) ** 2 / n) / n
        check_clipped(found(DIFFERENCES["wald_cc_fagerland"], table, alpha), (b - c) / n, width)


def check_clipped(limits, centre, width):
    for limit, exact in zip(limits, (centre - width, centre + width), strict=True):
        expected = min(max(float(exact), -1.0), 1.0)
        assert abs(limit - expected) <= ACCURACY * abs(expected) + 2.0**-52 * abs(float(centre))


def test_closed_forms_of_a_ratio():
    for table, alpha in cases():
        a, b, c, _ = map(arb, table)
        s, z = a + b + c, arb(-float(ndtri(alpha / 2)))
        if table[0] + table[1] and table[0] + table[2]:
            width = z * ((b + c) / ((a + b) * (a + c))).sqrt()
            expected = [float((a + b) / (a + c) * side.exp()) for side in (-width, width)]
            np.testing.assert_allclose(
                found(RATIOS["wald_log"], table, alpha), expected, rtol=1e-13
            )
            y1, y2 = a + b + 1, a + c + 1
            parts = ((1 - y1 / (s + 2)) / y1).sqrt() + ((1 - y2 / (s + 2)) / y2).sqrt()
            adjusted = z * ((b + c + 2) / (y1 * y2)).sqrt() / parts
            (l1, u1), (l2, u2) = (pairs.wilson(x, s, adjusted) for x in (a + b, a + c))
            expected = [float(l1 / u2), float(u1 / l2)]
            limits = found(RATIOS["bonett_price"], table, alpha)
            np.testing.assert_allclose(limits, expected, rtol=ACCURACY)
        else:
            assert found(RATIOS["wald_log"], table, alpha).tolist() == [0.0, np.inf]
