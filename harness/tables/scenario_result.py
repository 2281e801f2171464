"""The result of one scenario: what was simulated and what was computed exactly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import itemgetter

from harness.engines.pooling import Group, pooled_counts, pooled_exact
from harness.engines.results import Enumerated, Exact, Mean, Tally
from harness.engines.scores import Scores
from harness.methods.user.function import Failures
from harness.numerics.arrays import Floats, Integers
from harness.scenario import Column, Limits, Scenario


@dataclass(frozen=True)
class ScenarioResult:
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
    enumerated: Enumerated | None
    """Also there where only Monte Carlo needs exact values to be held against."""
    discrepancy: Floats
    """By how much the identity of posterior and enumeration fails, shape (k,)."""
    posterior: Exact | None = None
    """Under the reference prior, or under the posterior that the truth's distribution implies."""
    posterior_mean: Mean | None = None
    """Weighted by the truth's outcome probabilities; None where not all outcomes are covered."""
    under_prior: Exact | None = None
    """Under the reference prior, at the outcomes of ``posterior`` where that is the other one."""
    scores: Scores | None = None
    """There where enumeration is asked for."""
    failures: Mapping[int, Failures] = field(default_factory=dict)
    """Of the columns that have no limits somewhere, by their rows."""
    group: Group | None = None
    """How the tables pool outcomes."""
    stochastic: ScenarioResult | None = None
    """What Monte Carlo counted for the columns whose limits are drawn; they are in none of the
    above, and no exact engine can tell of them."""

    def pooled(self) -> ScenarioResult:
        """The same with the outcomes pooled, as the tables show them given the outcome."""
        group = self.group
        if group is None:
            return self
        tally, enumerated = self.tally, self.enumerated
        if tally is not None:
            tally = replace(tally, by_outcome=pooled_counts(tally.by_outcome, group))
        if enumerated is not None:
            by_outcome = pooled_exact(enumerated.by_outcome, group)
            enumerated = replace(enumerated, by_outcome=by_outcome)
        return replace(
            self,
            tally=tally,
            enumerated=enumerated,
            shown=group.first(self.shown),
            posterior=None if self.posterior is None else pooled_exact(self.posterior, group),
            under_prior=None if self.under_prior is None else pooled_exact(self.under_prior, group),
            stochastic=None if self.stochastic is None else self.stochastic.pooled(),
        )


def by_column(findings: Sequence[ScenarioResult]) -> list[list[tuple[ScenarioResult, int]]]:
    """For each column of the experiment, in order: its row in every scenario."""
    drawn = [found.stochastic for found in findings if found.stochastic is not None]
    rows = [
        (column.place, [(found, row) for found in kind])
        for kind in (findings, drawn)
        if kind
        for row, column in enumerate(kind[0].columns)
    ]
    return [each for _, each in sorted(rows, key=itemgetter(0))]
