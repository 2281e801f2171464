"""The family of a proportion whose trials end by a stopping rule, and its methods.

The data are x of the n trials that were made; a size is the most trials that there may be. In a
run the most trials follow as a third column, elsewhere the rule itself has them. The methods are
those of a proportion, and those that know the rule.
"""

from __future__ import annotations

import copyreg
import pickle
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache, partial
from typing import Any

import numpy as np

from harness.base.errors import InputError
from harness.base.numerics.arrays import Floats, Positions
from harness.designs.stopping.open_rule import FUNCTIONS, OpenRule
from harness.designs.stopping.paths import StoppedTrials
from harness.families.catalogue import PROPORTION
from harness.families.family import STOPPED_AT, STOPPING, Data, Family
from harness.methods.catalogue import Methods, listed, methods_of
from harness.methods.method import LimitPair, documented

A_STOPPING_RULE = "a stopping rule"
"""The design."""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class StoppedFamily(Family):
    """A proportion after trials that may end early: x and the n that were made."""

    rule: OpenRule

    def arguments(self, counts: Sequence[Floats], sizes: Sequence[float]) -> dict[str, Any]:
        """Return x and n as arrays: n is the number of trials made, and not the size."""
        return dict(zip(self.data, (count.astype(np.int64) for count in counts), strict=True))


def rule_of(family: Family) -> OpenRule:
    """Return the rule of a family whose trials end by one."""
    assert isinstance(family, StoppedFamily)
    return family.rule


@cache
def stopped_proportion(rule: OpenRule) -> StoppedFamily:
    """Return the family of a proportion with a stopping rule."""
    base, posterior = PROPORTION, PROPORTION.closed_posterior
    assert posterior is not None
    return StoppedFamily(
        f"{base.name}({STOPPING}={rule.text})",
        f"{base.title}, where trials end by a stopping rule",
        base.parameter,
        base.model,
        A_STOPPING_RULE,
        engines=base.engines,
        data=base.data,
        sizes=base.sizes,
        truths=base.truths,
        symbols=base.symbols,
        support=base.support,
        validate_data=base.validate_data,
        estimate=lambda data: base.estimate(data[:2]),
        # Methods that know the rule need the most trials.
        columns=lambda counts, sizes: (*counts, np.full(counts[0].size, float(sizes[0]))),
        counts=("x", STOPPED_AT),
        may_stop=True,
        stops=True,
        base=base,
        settings={STOPPING: rule.text},
        closed_posterior=lambda data, prior: posterior(data[:2], prior),
        combine_posteriors=base.combine_posteriors,
        quantity=base.quantity,
        size_in_words="most trials",
        names_sampling=True,
        sampling_remark=(
            "Methods promise what they do for a number of trials that is fixed beforehand; here it "
            "depends on the successes."
        ),
        rule=rule,
    )


def _pickled(family: StoppedFamily) -> Any:
    """Return how a family is pickled: by its rule, with the function of this process if any."""
    name = family.rule.function_of_session
    if name is None:
        return stopped_proportion, (family.rule,)
    import cloudpickle

    return _with_function, (family.rule, name, cloudpickle.dumps(FUNCTIONS[name]))


def _with_function(rule: OpenRule, name: str, function: bytes) -> StoppedFamily:
    FUNCTIONS[name] = pickle.loads(function)
    return stopped_proportion(rule)


copyreg.pickle(StoppedFamily, _pickled)


@listed.register
def _(family: StoppedFamily) -> Methods:
    """Return the methods after trials that end by the rule of a family, by their names."""
    methods = {}
    for name, method in methods_of(PROPORTION).items():
        by: Callable[..., LimitPair] = _as_if_fixed
        if method.needs_stopping:
            by = _by_looks if "looks" in method.formula.__annotations__ else _by_order
        formula = documented(partial(by, family.rule, method.formula), method.formula)
        methods[name] = replace(method, formula=formula, needs_stopping=False)
    return methods


def _as_if_fixed(
    rule: OpenRule, formula: Callable[..., LimitPair], data: Data, *rest: Any
) -> LimitPair:
    """The limits at x of n, as if n had been fixed; data with a population are not of trials."""
    _most(rule, data)
    return formula(data[:2], *rest)


def _by_looks(
    rule: OpenRule, formula: Callable[..., LimitPair], data: Data, tail: float
) -> LimitPair:
    """The limits of a method that takes the number of looks."""
    return formula(data[:2], tail, len(rule.up_to(_most(rule, data, needed=True)).looks))


def _by_order(
    rule: OpenRule, formula: Callable[..., LimitPair], data: Data, tail: float
) -> LimitPair:
    """The limits of a method that takes all outcomes, in their stage-wise order or in any."""
    most = _most(rule, data, needed=True)
    lower, upper = _ordered_limits(rule, most, formula, tail)
    place = positions(rule.outcomes(most), data[0], data[1])
    return lower[place], upper[place]


@lru_cache(maxsize=64)
def _ordered_limits(
    rule: OpenRule, most: int, formula: Callable[..., LimitPair], tail: float
) -> LimitPair:
    """The limits at all outcomes of a rule, in the order of the outcomes."""
    stopped = rule.outcomes(most)
    is_stagewise = "ordered" in formula.__annotations__
    order = stopped.stagewise() if is_stagewise else np.arange(stopped.look.size)
    limits = np.empty((2, order.size))
    limits[:, order] = formula(stopped.outcomes.at(order), tail)
    return limits[0], limits[1]


def _most(rule: OpenRule, data: Data, needed: bool = False) -> int:
    """The most trials: in the data of a run; elsewhere in the rule, which then has the outcomes.

    Raises:
        InputError: they are needed and not known, or the rule does not stop at an outcome.
    """
    if len(data) > 2:
        return int(data[2][0]) if data[2].size else 1
    if rule.most is None:
        if needed:
            raise InputError(
                "stopping needs most, the most trials that there may be "
                "({boundaries: [{n: 13, at_most: 3}], most: 43})"
            )
        return 1
    positions(rule.outcomes(rule.most), data[0], data[1])
    return int(rule.most)


def positions(stopped: StoppedTrials, x: Floats, n: Floats) -> Positions:
    """Return the positions of x of n trials among the outcomes of a rule.

    Raises:
        InputError: the rule cannot stop there.
    """
    places = stopped.find(n, x)
    wrong = places < 0
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
    return places
