"""Everything that the engines found in one scenario."""

from __future__ import annotations

from dataclasses import dataclass

from harness.engines.enumeration import Enumerated
from harness.engines.records import Exact, Mean, Tally
from harness.numerics.arrays import Floats, Integers
from harness.scenario import Column, Limits, Scenario


@dataclass(frozen=True)
class Findings:
    """One scenario's limits for k columns, and what each engine made of them."""

    scenario: Scenario
    columns: tuple[Column, ...]
    limits: Limits
    tally: Tally | None
    per_outcome: bool
    """Whether the tables hold cells given the outcome."""
    truths_drawn: bool
    """Whether each trial draws its truth. Where the trials at each true value are fixed instead,
    counts given an outcome are narrower than binomial, and are not held against exact values."""
    shown: Integers
    """The outcomes that the exact engines cover, whatever is drawn."""
    posterior: Exact | None
    posterior_mean: Mean | None
    """Weighted by the truth's outcome probabilities; None where not all outcomes are covered."""
    enumerated: Enumerated | None
    """Also there where only Monte Carlo needs exact values to be held against."""
    discrepancy: Floats
    """By how much the identity of posterior and enumeration fails, shape (k,)."""
