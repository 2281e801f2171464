"""A user's function called at every outcome, in this process."""

from __future__ import annotations

from harness.methods.user.function import alone, one_by_one, together


def call(function, data, alpha):
    """Limits of one call on arrays where the function takes them, else of each outcome."""
    at_once = together(function, data, alpha)
    if at_once is not None:
        return at_once
    found = one_by_one(data, lambda outcome, place: alone(function, outcome, alpha))
    assert not found.failures, found.failures[min(found.failures)]
    return found.lower, found.upper
