"""Confusion tables: n cases in four cells, seen as pairs whose cells have another order.

An outcome is the whole number of the table of pairs. So it says of the table what the parameter is
a function of, where the limits of all methods depend on that alone: tp and tn of an F score, which
with n say fp + fn; the whole table otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import cast

import numpy as np
from scipy.special import betainc, betaincc, roots_legendre

from harness.base.numerics.arrays import Floats, Integers
from harness.designs.design import PER_TRUTH, Distributions, Outcomes, Scenario
from harness.designs.engines.solver import Places, Solver
from harness.designs.engines.verification import Comparison, Published, Rows
from harness.designs.limits import Limits
from harness.designs.pairs import design as pairs
from harness.designs.pairs.design import PairedSolver
from harness.designs.pairs.tables import parameter_of
from harness.designs.pairs.verification import verify_posterior, weights_again
from harness.designs.results import Exact, WorstCase
from harness.distributions.paired_truths import (
    ConfusionTruth,
    DirichletTruth,
    PairedTruth,
    TableTruth,
)
from harness.distributions.sampling import binomial
from harness.distributions.truths import Prior
from harness.families.combination import Span
from harness.families.confusion import CONFUSION
from harness.families.family import AsPairs

MOST_TABLES = 2_000_000
"""The most tables that are enumerated: all of n = 225."""


def _view(scenario: Scenario) -> AsPairs:
    view = scenario.family.as_pairs
    assert view is not None
    return view


def as_pairs(scenario: Scenario) -> Scenario:
    """Return the scenario of the same tables as those of pairs, with the same outcomes."""
    view, truth = _view(scenario), scenario.truth
    arranged: PairedTruth
    if truth.is_discrete:
        # In the order of the truth's own tables, since results are by their numbers.
        arranged = TableTruth(tuple(map(view.arranged, truth.rows)))
    else:
        arranged = DirichletTruth(view.arranged(truth.shapes))
    return replace(scenario, design=pairs.PAIRED, family=view.family, truth=arranged)


@dataclass(frozen=True)
class ConfusionSolver(PairedSolver):
    """Exact engines for a confusion table: those of the same table of pairs."""

    @property
    def _pairs(self) -> Scenario:
        return as_pairs(self.scenario)

    @property
    def _is_quotient(self) -> bool:
        """Whether the parameter is a quotient of sums of cells, whose worst case is searched."""
        return parameter_of(self._pairs).constraint is not None

    @property
    def has_exact_values(self) -> bool:
        few = self.possible_count() <= self.scenario.design.most_enumerated
        return few and super().has_exact_values

    def range_outcomes(self, over: Sequence[Span]) -> Integers:
        return super().range_outcomes(_view(self.scenario).arranged(over))

    def range_count(self, over: Sequence[Span]) -> float:
        return super().range_count(_view(self.scenario).arranged(over))

    def search(self, limits: Limits, over: Sequence[Span]) -> Sequence[WorstCase | None] | None:
        if not self._is_quotient:
            # Nothing is searched, though pairs of cells are.
            return Solver.search(self, limits, over)
        view = _view(self.scenario)
        cases = super().search(limits, view.arranged(over))
        if cases is None:
            return None
        restored: list[WorstCase | None] = []
        for case in cases:
            if case is not None:
                truths, witness = view.restored(case.truths), view.restored(case.witness)
                case = replace(case, truths=truths, witness=witness)
            restored.append(case)
        return restored

    def rows_again(self, limits: Limits, truths: Sequence[Floats]) -> Iterator[Rows] | None:
        return super().rows_again(limits, _view(self.scenario).arranged(truths))

    def places(self, over: Sequence[Span]) -> Places | None:
        if not self._is_quotient:
            return None
        view = _view(self.scenario)
        arranged = super().places(view.arranged(over))
        return arranged and arranged.seen(view.restored)

    cost_of_truth = Solver.cost_of_truth

    def verify(self, limits: Limits, published: Published) -> list[Comparison]:
        comparisons = verify_posterior(self.scenario, limits, published, integrated_cells)
        return comparisons + super().verify(limits, published)


def integrated_cells(scenario: Scenario, shapes: Prior, limits: Limits) -> Exact:
    """Return the posterior masses outside the limits, integrated over one cell.

    The tables with a parameter below t are those with a p₁ < b p₂ + c p₃, for three cells of powers
    u, v and w and coefficients that depend on t. So with s of Beta(w, u + v)

        Pr = ∫ f(s; w, u + v) I((b + c s/(1 − s))/(a + b); u, v) ds

    with the density f of a Beta and the incomplete beta function I, which is 1 from s/(1 − s) = a/c
    on. For whole powers the integrand is a polynomial up to there, which Gauss's rule integrates.

    Args:
        scenario: of a family whose parameter is a quotient of linear functions of the cells.
        shapes: of tp, fp, fn and tn, whole numbers.
        limits: of the outcomes.
    """
    own, arranged = as_pairs(scenario), _view(scenario).arranged(shapes)
    counts = own.counts(limits.outcomes)
    powers = [x.astype(np.float64) + a for x, a in zip(counts, arranged, strict=True)]
    constraint = parameter_of(own).constraint
    assert constraint is not None
    # The other cells of the constraint, or where it has only one, that and any.
    second, third = np.argsort(np.array(constraint(np.array(0.5))))[:2]
    u, v, w = (powers[place][:, np.newaxis] for place in (1, second, third))
    total = u + v + w
    node, weight = roots_legendre(int(total.max() // 2) + 2)

    def mass_below(limit: Floats) -> Floats:
        a, b, c = (constraint(limit)[place][:, np.newaxis] for place in (1, second, third))
        b, c = -b, -c
        with np.errstate(divide="ignore", invalid="ignore"):
            # a/c = 0/0 does not occur, as the coefficients are not all 0.
            stop = np.where(c > 0, a / (a + c), 1.0)
            s = 0.5 * stop * (1.0 + node)
            share = (b + c * s / (1.0 - s)) / (a + b)
        density = (total - 1.0) * binomial.pmf(w - 1.0, s, total - 2.0)
        inner = betainc(u, v, np.clip(np.nan_to_num(share, nan=1.0), 0.0, 1.0))
        sums: Floats = (weight * density * inner).sum(axis=1)
        return 0.5 * stop[:, 0] * sums + betaincc(w, u + v, stop)[:, 0]

    below = np.array([mass_below(lower) for lower in limits.lower])
    above = np.array([1.0 - mass_below(upper) for upper in limits.upper])
    of_outcomes = weights_again(own, arranged, limits.outcomes)
    return Exact(limits.outcomes, of_outcomes, below, above, limits.length)


CONFUSED = replace(
    pairs.PAIRED,
    name=CONFUSION,
    outcomes=replace(
        cast(Outcomes, pairs.PAIRED.outcomes),
        draw=lambda scenario, cells, rng, count: pairs.draw(
            as_pairs(scenario), _view(scenario).arranged(cells), rng, count
        ),
        encode=lambda scenario, *counts: pairs.encode(scenario, *_view(scenario).arranged(counts)),
        decode=lambda scenario, outcomes: _view(scenario).restored(
            pairs.decode(scenario, outcomes)
        ),
    ),
    distributions=replace(
        cast(Distributions, pairs.PAIRED.distributions),
        weights=lambda scenario, outcomes: as_pairs(scenario).distribution_weights(outcomes),
    ),
    listed_truth=ConfusionTruth,
    beside=lambda scenario, truths, step: _view(scenario).restored(
        pairs.beside(scenario, _view(scenario).arranged(truths), step)
    ),
    exact=ConfusionSolver,
    most_enumerated=MOST_TABLES,
    examples={
        "counts": (
            (50,),
            {
                "prevalence": {"values": [0.1, 0.5]},
                "sensitivity": {"values": [0.8]},
                "specificity": {"values": [0.9]},
            },
            PER_TRUTH,
        )
    },
)
