"""The faults, a file for each kind of family."""

from __future__ import annotations

from tests.checks.planted.fault import Fault
from tests.checks.planted.faults import lists, one_proportion, one_rate, pairs, ratios, two_samples

FAULTS: tuple[Fault, ...] = (
    *one_proportion.FAULTS,
    *one_rate.FAULTS,
    *two_samples.FAULTS,
    *ratios.FAULTS,
    *pairs.FAULTS,
    *lists.FAULTS,
)
"""All faults that are planted by hand."""
