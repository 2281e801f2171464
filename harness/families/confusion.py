"""Families of a confusion table: the metrics of a classifier of two classes.

The n cases are counted in the four cells tp, fp, fn and tn, which are multinomial with the
probabilities p_tp, p_fp, p_fn and p_tn of a case. What can be computed of a table of pairs serves
these tables too: each family says in which order its cells are those of pairs, so that where the
limits depend on some of the cells alone, the others are the concordant pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import Any

import numpy as np

from harness.base.numerics.arrays import Floats
from harness.base.text import plain_number
from harness.distributions.posteriors.beta import Beta
from harness.distributions.posteriors.f_score import f_score_posterior
from harness.distributions.truths import Prior
from harness.families import metrics
from harness.families.combination import PairedParameter
from harness.families.family import (
    ENUMERATION,
    MONTE_CARLO,
    POSTERIOR,
    AsPairs,
    Data,
    Family,
)
from harness.families.metrics import Metric
from harness.families.model import model_like
from harness.families.paired import PAIR, family_of_pairs, validated_table, with_last_cell

CONFUSION = "confusion table"
"""The design: a table of cases by their class and by what is predicted."""
CELLS = ("tp", "fp", "fn", "tn")
RATES = ("prevalence", "sensitivity", "specificity")
"""What the probabilities of the cells may be given by."""
BETA = "beta"
"""The setting of an F score: how many times as much recall counts as precision."""

CASE = model_like(
    PAIR,
    NAME="case",
    COUNTED="cases",
    PRIOR_SYMBOLS=CELLS,
    PRIOR_RANGE="four numbers [tp, fp, fn, tn], each at least 0.05",
)
"""The model of the probabilities of a case: proportions, with a Dirichlet prior of all four."""


def cells_of_rates(prevalence: Any, sensitivity: Any, specificity: Any) -> tuple[Any, ...]:
    """Return the probabilities of tp, fp, fn and tn.

    Args:
        prevalence: the probability of a positive.
        sensitivity: the probability that a positive is predicted as such.
        specificity: the probability that a negative is predicted as such.
    """
    negative = 1.0 - prevalence
    return (
        prevalence * sensitivity,
        negative * (1.0 - specificity),
        prevalence * (1.0 - sensitivity),
        negative * specificity,
    )


RATES_AT: dict[str, Callable[[Sequence[Any]], Any]] = {
    "prevalence": lambda cells: cells[0] + cells[2],
    "sensitivity": lambda cells: cells[0] / (cells[0] + cells[2]),
    "specificity": lambda cells: cells[3] / (cells[1] + cells[3]),
}
"""The rates at the probabilities of tp, fp, fn and tn."""


def _family(
    name: str,
    title: str,
    parameter: str,
    metric: Metric,
    order: tuple[int, int, int, int],
    directions: tuple[float, ...],
    *,
    as_pairs: PairedParameter | None = None,
    beside_first: tuple[int, ...] = (),
    posterior: Callable[[Data, Prior], Any] | None = None,
    support: tuple[float, float] = (0.0, 1.0),
    settings: dict[str, float] | None = None,
) -> Family:
    """Return a family of one table.

    Args:
        name, title, parameter, directions, support, settings: as of ``Family``.
        metric: the parameter at the cells.
        order: the places of the cells that are both, first_only, second_only and neither. Where
            the parameter is a function of some cells alone, the others are the concordant ones.
        as_pairs: the parameter as that of pairs; None where it is no quotient of linear functions.
        beside_first: as of ``AsPairs``.
        posterior: that of the parameter given the data and a Dirichlet prior; None where there is
            none in closed form.
    """
    suffixes = tuple(f"_{cell}" for cell in CELLS)

    def of_whole(cells: Sequence[Floats]) -> Floats:
        return metric([cells[order.index(place)] for place in range(4)])

    of_pairs = as_pairs or PairedParameter(of_whole, of_whole, support=support, uses_both=True)
    pairs = family_of_pairs(f"{name} as pairs", title, parameter, of_pairs, (ENUMERATION,))
    return replace(
        pairs,
        name=name,
        model=CASE,
        design=CONFUSION,
        engines=(MONTE_CARLO, *([POSTERIOR] if posterior else []), ENUMERATION),
        data=CELLS,
        size_in_words="number of cases",
        truths=tuple(f"truth{suffix}" for suffix in suffixes),
        symbols=tuple(f"p{suffix}" for suffix in suffixes),
        validate_data=partial(validated_table, name, CELLS),
        estimate=metric,
        counts=CELLS,
        directions=directions,
        suffixes=suffixes,
        of_pairs=None,
        as_pairs=AsPairs(pairs, order, beside_first),
        settings=settings or {},
        other_truths=RATES,
        from_other_truths=cells_of_rates,
        parameter_at=metric,
        all_truths=with_last_cell("p_tn = 1 − p_tp − p_fp − p_fn"),
        closed_posterior=posterior,
        truth_parts=dict(
            zip(
                (*CELLS[:3], *RATES),
                (*(f"p{suffix}" for suffix in suffixes[:3]), *RATES),
                strict=True,
            )
        ),
        part_at=RATES_AT,
        held=(f"p{suffixes[3]}",),
    )


def _share_at(cells: Sequence[Floats]) -> Floats:
    """Return first_only/(first_only + second_only)."""
    _, first, second, _ = cells
    with np.errstate(invalid="ignore"):
        return np.asarray(first / np.asarray(first + second))


SHARE = PairedParameter(
    at=_share_at,
    estimate=_share_at,
    constraint=lambda theta: (0.0 * theta, 1.0 - theta, -theta, 0.0 * theta),
    mirrored=lambda lower, upper: (1.0 - upper, 1.0 - lower),
)
"""The share of one cell in two: precision as that of tp in tp and fp."""


def _share(name: str, title: str, metric: Metric, count: int, other: int) -> Family:
    """Return the family of the share of a cell in two, by the places of both."""
    left, last = (place for place in range(4) if place not in (count, other))
    directions = [0.0] * 4
    directions[count], directions[other] = 1.0, -1.0

    def posterior(data: Data, prior: Prior) -> Beta:
        """Return Beta(x + a, y + b) of the counts x and y in both cells, with shapes a and b."""
        x, total = data[count], data[count] + data[other]
        return Beta.given(x, np.maximum(total, 1e-300), (prior[count], prior[other]))

    return _family(
        name,
        title,
        name,
        metric,
        (left, count, other, last),
        tuple(directions),
        as_pairs=SHARE,
        beside_first=(2,),
        posterior=posterior,
    )


def _ratio_of_hits(hits: float, missed: float) -> PairedParameter:
    """Return h·tp/(h·tp + m·fn + fp); tp, tn, fp and fn are first, second, both and neither."""

    def at(cells: Sequence[Floats]) -> Floats:
        with np.errstate(invalid="ignore"):
            return np.asarray(hits * cells[1] / (hits * cells[1] + (cells[0] + missed * cells[3])))

    return PairedParameter(
        at,
        at,
        lambda theta: (-theta, hits * (1.0 - theta), 0.0 * theta, -missed * theta),
        uses_both=missed != 1.0,
    )


_OF_HITS = (1, 0, 3, 2)
_OF_ALL = (3, 0, 1, 2)


def _jaccard_posterior(data: Data, prior: Prior) -> Beta:
    """Return Beta(tp + a_tp, fp + fn + a_fp + a_fn)."""
    tp, fp, fn, _ = data
    total = np.maximum(tp + fp + fn, 1e-300)
    return Beta.given(tp, total, (prior[0], prior[1] + prior[2]))


@cache
def f_score(beta: float) -> Family:
    """Return the family of the F score with this β, above 0.

    F = (1 + β²) tp/((1 + β²) tp + β² fn + fp): the weighted harmonic mean of precision and recall.
    """
    square = beta * beta
    name = "f_score" if beta == 1 else f"f_score(beta={plain_number(beta)})"
    family = _family(
        name,
        "an F score: tp, fp and fn of n cases" + ("" if beta == 1 else f", β = {beta:g}"),
        f"F{beta:g}",
        partial(metrics.f_score, beta=beta),
        _OF_HITS,
        (1.0, -1.0, -1.0, 0.0),
        as_pairs=_ratio_of_hits(1.0 + square, square),
        beside_first=(0, 3) if beta == 1 else (),
        posterior=partial(f_score_posterior, beta=beta),
        settings={BETA: beta},
    )
    return family if beta == 1 else replace(family, base=f_score(1.0))


JACCARD_INDEX = _family(
    "jaccard",
    "a Jaccard index: tp of tp + fp + fn among n cases",
    "Jaccard index",
    metrics.jaccard,
    _OF_HITS,
    (1.0, -1.0, -1.0, 0.0),
    as_pairs=_ratio_of_hits(1.0, 1.0),
    beside_first=(0, 3),
    posterior=_jaccard_posterior,
)

CONFUSION_FAMILIES = (
    _share("precision", "a precision: tp of tp + fp among n cases", metrics.precision, 0, 1),
    _share("recall", "a recall, or sensitivity: tp of tp + fn among n cases", metrics.recall, 0, 2),
    _share("specificity", "a specificity: tn of tn + fp among n cases", metrics.specificity, 3, 1),
    _share("npv", "a negative predictive value: tn of tn + fn among n cases", metrics.npv, 3, 2),
    f_score(1.0),
    JACCARD_INDEX,
    *(
        _family(
            name, title, parameter, metric, _OF_ALL, (1.0, -1.0, -1.0, 1.0), support=(-1.0, 1.0)
        )
        for name, title, parameter, metric in (
            ("mcc", "Matthews' correlation coefficient of a table of n cases", "MCC", metrics.mcc),
            ("kappa", "Cohen's kappa of a table of n cases", "κ", metrics.kappa),
            (
                "informedness",
                "an informedness: sensitivity + specificity − 1 of n cases",
                "informedness",
                metrics.informedness,
            ),
        )
    ),
)
"""The families of a table; `f_score` makes those of other β."""
