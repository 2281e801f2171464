"""The methods after trials that may end early: those of a proportion, and those that know the rule.

Limits are asked for x and the n trials that were made. In a run the most trials follow as a third
column; elsewhere the rule itself has them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any

import numpy as np

from harness.base.errors import InputError
from harness.base.numerics.arrays import Floats, Positions
from harness.designs.stopping.paths import StoppedTrials, stopped_trials
from harness.designs.stopping.rule import StoppingRule, stopping_rule
from harness.families.family import Data, Family
from harness.families.stopped import MOST, StoppedFamily, rule_of
from harness.methods.catalogue import CATALOGUE, Methods, listed
from harness.methods.method import LimitPair, Method, documented


@lru_cache(maxsize=64)
def rule_with(family: Family, most: int) -> StoppingRule:
    """Return the stopping rule of a family with so many trials at most.

    Raises:
        InputError: it is none.
    """
    rule = rule_of(family)
    rule.pop(MOST, None)
    # The alpha of a method that it looks at stands in the rule.
    return stopping_rule(rule, most, 0.05)


@lru_cache(maxsize=64)
def outcomes_of(family: Family, most: int) -> StoppedTrials:
    """Return the outcomes of the rule of a family with so many trials at most."""
    return stopped_trials(rule_with(family, most))


@listed.register
def _(family: StoppedFamily) -> Methods:
    """Return the methods after trials that end by the rule of a family, by their names."""
    return {
        name: _of_rule(family, method)
        if method.needs_stopping
        else replace(
            method,
            formula=documented(partial(_as_if_fixed, family, method.formula), method.formula),
        )
        for name, method in CATALOGUE["proportion"].items()
    }


def _of_rule(family: Family, method: Method) -> Method:
    """Return a method that knows the rule, as one of the data and a tail."""
    by = _by_looks if "looks" in method.formula.__annotations__ else _by_order
    formula = documented(partial(by, family, method.formula), method.formula)
    return replace(method, formula=formula, needs_stopping=False)


def _as_if_fixed(family: Family, formula: Callable[..., LimitPair], data: Data, *rest: Any) -> Any:
    """The limits at x of n, as if n had been fixed; data with a population are not of trials."""
    _most(family, data)
    return formula(data[:2], *rest)


def _by_looks(
    family: Family, formula: Callable[..., LimitPair], data: Data, tail: float
) -> LimitPair:
    """The limits of a method that takes the number of looks."""
    return formula(data[:2], tail, len(rule_with(family, _most(family, data, needed=True)).looks))


def _by_order(
    family: Family, formula: Callable[..., LimitPair], data: Data, tail: float
) -> LimitPair:
    """The limits of a method that takes all outcomes in their stage-wise order."""
    most = _most(family, data, needed=True)
    lower, upper = _ordered_limits(family, most, formula, tail)
    place = positions(outcomes_of(family, most), data[0], data[1])
    return lower[place], upper[place]


@lru_cache(maxsize=64)
def _ordered_limits(
    family: Family, most: int, formula: Callable[..., LimitPair], tail: float
) -> LimitPair:
    """The limits at all outcomes of a rule, in the order of the outcomes."""
    stopped = outcomes_of(family, most)
    order = stopped.stagewise()
    limits = np.empty((2, order.size))
    limits[:, order] = formula(stopped.outcomes.at(order), tail)
    return limits[0], limits[1]


def _most(family: Family, data: Data, needed: bool = False) -> int:
    """The most trials: in the data of a run; elsewhere in the rule, which then has the outcomes.

    Raises:
        InputError: they are needed and not known, or the rule does not stop at an outcome.
    """
    if len(data) > 2:
        return int(data[2][0]) if data[2].size else 1
    most = rule_of(family).get(MOST)
    if most is None:
        if needed:
            raise InputError(
                "stopping needs most, the most trials that there may be "
                "({boundaries: [{n: 13, at_most: 3}], most: 43})"
            )
        return 1
    positions(outcomes_of(family, most), data[0], data[1])
    return int(most)


def positions(stopped: StoppedTrials, x: Floats, n: Floats) -> Positions:
    """Return the positions of x of n trials among the outcomes of a rule.

    Raises:
        InputError: the rule cannot stop there.
    """
    found = stopped.find(n, x)
    wrong = found < 0
    if wrong.any():
        at, made = x[wrong][0], n[wrong][0]
        if made not in stopped.rule.looks:
            raise InputError(
                f"trials cannot end at n = {made:.0f}: the rule looks at {stopped.rule.looks_text}"
            )
        raise InputError(
            f"trials cannot end at x = {at:.0f} of n = {made:.0f}: the rule goes on there, or it "
            "has stopped before"
        )
    return found
