"""MOVER: limits of a sum from the limits of its terms, variances recovered from the limits."""

from __future__ import annotations

import numpy as np

from harness.methods.method import Limits
from harness.numerics.arrays import Floats

Term = tuple[Floats, Floats, Floats]
"""An estimate with its lower and its upper limit."""


def mover(first: Term, second: Term) -> Limits:
    """θ̂₁ + θ̂₂ − √((θ̂₁ − l₁)² + (θ̂₂ − l₂)²) and θ̂₁ + θ̂₂ + √((u₁ − θ̂₁)² + (u₂ − θ̂₂)²).

    The squares keep their signs, and the root that of their sum: beyond the estimate, where a
    tail of more than one half puts it, a limit counts against the other one. So limits that are
    nested in the tail give limits that are. Where both intervals hold their estimates, the limits
    lie within [l₁ + l₂, u₁ + u₂].

    Zou and Donner (2008), Stat. Med. 27, 1693–1702; for the difference of two proportions,
    Newcombe (1998), Stat. Med. 17, 873–890.
    """
    (centre_1, lower_1, upper_1), (centre_2, lower_2, upper_2) = first, second
    centre = centre_1 + centre_2
    lower = centre - _signed_root_sum(centre_1 - lower_1, centre_2 - lower_2)
    upper = centre + _signed_root_sum(upper_1 - centre_1, upper_2 - centre_2)
    return lower, upper


def difference(first: Term, second: Term) -> Limits:
    """Limits of θ₁ − θ₂."""
    estimate, lower, upper = second
    return mover(first, (-estimate, -upper, -lower))


def mean(first: Term, second: Term) -> Limits:
    """Limits of (θ₁ + θ₂)/2."""
    lower, upper = mover(first, second)
    return lower / 2, upper / 2


def _signed_root_sum(first: Floats, second: Floats) -> Floats:
    squares = first * np.abs(first) + second * np.abs(second)
    return np.sign(squares) * np.sqrt(np.abs(squares))
