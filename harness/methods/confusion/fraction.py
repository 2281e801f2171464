"""Metrics that are a binomial fraction of the table, or rise with one: methods of a proportion.

Given tp + fp, tp is binomial with the precision; and so are the other three fractions of two cells,
and the Jaccard index of tp in tp + fp + fn. Since F = 2J/(1 + J) rises with that index J, an
interval for J is one for F with β = 1. What a method promises at every n it promises here.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from harness.base.numerics.arrays import Floats
from harness.distributions.criteria import Criterion, balanced_tail
from harness.distributions.truths import Prior
from harness.families.catalogue import PROPORTION
from harness.families.family import Data, Family
from harness.methods.bayes import over_beta, over_posterior
from harness.methods.method import NONE, Formula, LimitPair, Method, Promise, for_family

Fraction = tuple[int, ...]
"""The places of the cells of which the fraction is taken, that of its numerator first."""
TP, FP, FN, TN = range(4)
PRECISION, RECALL, SPECIFICITY, NPV = (TP, FP), (TP, FN), (TN, FP), (TN, FN)
JACCARD = (TP, FP, FN)

FLAT_PRIOR: Prior = (1.0, 1.0, 1.0, 1.0)
_JEFFREYS: Prior = (0.5, 0.5, 0.5, 0.5)
_CELLS = ("tp", "fp", "fn", "tn")
# The property of one count, and that of a table.
_RENAMED = {"rises with x": "is monotone"}
_OF_JACCARD = {
    "add_four": {"is monotone": "without a case it is the whole range, and with one hit it is not"}
}


def method_of(method: Method, name: str, fraction: Fraction) -> Method:
    """The method of a proportion as one of the metric that is a fraction of the table.

    Where there is no case the interval is the whole range, which keeps the promise "at-least", but
    not that of a mean error of zero.

    Args:
        method: as the list of a proportion has it.
        name: its name there.
        fraction: what the proportion is.
    """
    known = for_family(method, name, PROPORTION)
    form = partial(of_proportion, known.formula, fraction)
    x, n = _CELLS[fraction[0]], " + ".join(_CELLS[cell] for cell in fraction)
    form.__doc__ = f"{known.description}\n\nx is {x}, and n is {n}; [0, 1] where n = 0."
    exceptions = {_RENAMED.get(part, part): why for part, why in known.exceptions.items()}
    if fraction == JACCARD:  # which has no mirror image
        exceptions.pop("mirrors", None)
        exceptions |= _OF_JACCARD.get(name, {})
    elif name == "probit":  # It falls at larger sizes than those of tables that are checked.
        exceptions.pop("is monotone", None)
    promise: Promise = "at-least" if known.promise == "at-least" else "none"
    prior = FLAT_PRIOR if known.takes_prior else None
    found = replace(known, formula=form, promise=promise, keeps=NONE, default_prior=prior)
    return replace(found, uses_both=False, exceptions=exceptions)


def of_proportion(
    formula: Formula, cells: Fraction, data: Data, alpha: float, side: str, prior: Prior, *rng: Any
) -> LimitPair:
    """The limits of a formula for a proportion, of a fraction; [0, 1] where there is no case.

    Args:
        formula: (data, alpha, side, prior) of a proportion, and the generator if it draws.
        cells: what the proportion is.
        data, alpha, side: as of a method.
        prior: that of the table; a method that takes none is given one of a proportion.
        rng: the generator of a method that draws.
    """
    x, n = _counts(cells, data)
    lower, upper = np.zeros_like(x), np.ones_like(x)
    some = np.flatnonzero(n > 0)
    if some.size:
        pairs, back = np.stack((x[some], n[some])), np.arange(some.size)
        if not rng:  # which would draw the same for the same counts
            pairs, back = np.unique(pairs, axis=1, return_inverse=True)
        shapes = _shapes(cells, prior) if len(prior) == len(_CELLS) else prior
        low, high = formula((pairs[0], pairs[1]), alpha, side, shapes, *rng)
        lower[some], upper[some] = low[back], high[back]
    return lower, upper


def _counts(fraction: Fraction, data: Data) -> tuple[Floats, Floats]:
    """x and n of the fraction, shape (m,) each."""
    return data[fraction[0]], np.sum([data[cell] for cell in fraction], axis=0)


def _shapes(fraction: Fraction, prior: Prior) -> Prior:
    """The Beta prior of the fraction under a Dirichlet prior of the table."""
    return prior[fraction[0]], sum(prior[cell] for cell in fraction[1:])


def f_score_method_of(method: Method, name: str) -> Method:
    """The method of a Jaccard index J, by this name, as one of F = 2J/(1 + J) with β = 1."""
    known = for_family(method, name, PROPORTION)
    form = partial(of_jaccard, known.formula)
    form.__doc__ = f"{known.description}\n\nLimits j of J = tp/(tp + fp + fn) are 2j/(1 + j) of F."
    return replace(known, formula=form)


def of_jaccard(formula: Formula, data: Data, alpha: float, side: str, *rest: Any) -> LimitPair:
    """The limits of a formula for J, of F = 2J/(1 + J); ``rest`` are a prior and a generator."""
    lower, upper = formula(data, alpha, side, *rest)
    return 2.0 * lower / (1.0 + lower), 2.0 * upper / (1.0 + upper)


def jeffreys_equal_tailed(data: Data, alpha: float, side: str) -> LimitPair:
    """Equal tails of J ~ Beta(tp + ½, fp + fn + 1), J = tp/(tp + fp + fn).

    The posterior under a Dirichlet(½, ½, ½, ½) prior of the four cells, which favours small J. At
    estimates of 0 and 1 the interval does not hold the estimate, and truths next to the ends are
    missed with certainty. Where the estimate is 0/0 the limits are those of the prior.

    Goutte and Gaussier (2005), ECIR 27, 345–359, for posteriors of an F score; Brown, Cai and
    DasGupta (2001), Stat. Sci. 16, 101–133, section 3, for equal tails.
    """
    counts, prior = _counts(JACCARD, data), _shapes(JACCARD, _JEFFREYS)
    with np.errstate(invalid="ignore"):  # x/n is 0/0, which the limits do not depend on
        return over_beta(balanced_tail, counts, alpha, side, prior)


def f_jeffreys_equal_tailed(family: Family, data: Data, alpha: float, side: str) -> LimitPair:
    """Equal tails of the posterior of F under a Dirichlet(½, ½, ½, ½) prior of the four cells.

    At estimates of 0 and 1 the interval does not hold the estimate, and truths next to the ends are
    missed with certainty. Where the estimate is 0/0 the limits are those of the prior.

    Goutte and Gaussier (2005), ECIR 27, 345–359, for posteriors of an F score; Brown, Cai and
    DasGupta (2001), Stat. Sci. 16, 101–133, section 3, for equal tails.
    """
    return over_posterior(family, balanced_tail, data, alpha, side, _JEFFREYS)


def over_hits(
    family: Family, criterion: Criterion[Any], data: Data, alpha: float, side: str, prior: Prior
) -> LimitPair:
    """The limits of a criterion over the posterior of F or J; [0, 1] where the estimate is 0/0."""
    lower, upper = np.zeros_like(data[0]), np.ones_like(data[0])
    some = np.flatnonzero(_counts(JACCARD, data)[1] > 0)
    if some.size:
        part = tuple(column[some] for column in data)
        lower[some], upper[some] = over_posterior(family, criterion, part, alpha, side, prior)
    return lower, upper
