"""A user's function called at every outcome, in this process."""

from harness.callers.function import FunctionHere


def call(function, observed, alpha):
    """Limits of one call on arrays where the function takes them, else of each outcome."""
    source = FunctionHere("f", function)
    found = source.limits(observed, alpha, source.sides[0])
    assert not found.failures, found.failures[min(found.failures)]
    return found.lower, found.upper
