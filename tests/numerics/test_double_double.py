"""Pairs of doubles against fractions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from harness.base.numerics.special import DoubleDouble

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
