"""An interval method of the catalogue: its record and its formula; the contracts it may promise."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Final, Literal, cast

import numpy as np

from harness.base.arguments import validate_choice
from harness.base.errors import InputError, IntervalNotFoundError
from harness.base.numerics.arrays import Bools, Floats
from harness.distributions.truths import Prior

if TYPE_CHECKING:
    from harness.families.family import Data, Family

Contract = Literal["nominal", "at-least", "conservative", "approximate", "none"]

NOMINAL: Contract = "nominal"
"""The mean actual alpha is near alpha, and no truth inside the range is missed far too often."""
AT_LEAST: Contract = "at-least"
"""No truth is missed with a probability above alpha."""
CONSERVATIVE: Contract = "conservative"
"""The mean actual alpha is at most alpha, and no truth inside the range is missed much more."""
APPROXIMATE: Contract = "approximate"
"""The promise of nominal with more room, for methods that are near alpha in large samples only."""
NONE: Contract = "none"

CONTRACTS = (NOMINAL, AT_LEAST, CONSERVATIVE, APPROXIMATE, NONE)


def validate_contract(contract: str) -> Contract:
    """Return the contract of this name.

    Raises:
        InputError: there is no such contract.
    """
    return cast(Contract, validate_choice("contract", contract, CONTRACTS))


ANSWERED = "answers every outcome"
"""The property that there are limits at every outcome and alpha."""
ANYTIME = "any time"
"""The category of methods that hold at whatever time trials stop."""
LimitPair = tuple[Floats, Floats]

TWO_SIDED: Final = "two-sided"
LOWER: Final = "lower"
UPPER: Final = "upper"
ALL_SIDES = (TWO_SIDED, LOWER, UPPER)
TWO_SIDED_ONLY = (TWO_SIDED,)
ONE_SIDED = (LOWER, UPPER)

Promise = Literal["at-least", "mean", "none"]

Formula = Callable[..., LimitPair]
"""(data, alpha, side, prior) -> lower, upper; a method that is not deterministic takes the
generator to draw from too. Data are the family's columns, of shape (m,) each."""
TailFormula = Callable[[tuple[Floats, ...], float], LimitPair]
"""(data, tail) -> lower, upper, each with the probability ``tail`` beyond it."""
Decision = Callable[[tuple[Floats, ...], float, float, str, Prior], Bools]
"""(data, value, alpha, side, prior) -> whether the limit of one side is beyond a value in the range
of the parameter, which costs less than the limit itself."""
# (k, tail) -> how many standard errors sd/√k of a mean of k values a limit lies from the mean
StandardErrors = Callable[[Floats, float], Floats]


@dataclass(frozen=True)
class Method:
    """One entry of the catalogue."""

    title: str
    reference: str
    formula: Formula
    """In a list of the catalogue it may take less: ``(data, tail)``, where the limits of one side
    follow from those of equal tails, ``(data, alpha)``, where there is no interval of one side,
    ``(data, alpha, side)`` or ``(data, alpha, side, rng)``. ``for_family`` makes one of all
    arguments of it."""
    sides: tuple[str, ...] = ALL_SIDES
    category: str = ""
    """The kind of method: Wald, score, exact, Bayes, likelihood, transform, ..."""
    promise: Promise = "none"
    """at-least: it misses no truth with a probability above alpha. mean: at every outcome the
    posterior probability outside is alpha, so that its mean alpha error under its own prior is
    zero."""
    keeps: Contract = NONE
    """The strongest contract that its exact numbers keep at the sizes and alphas of a check, where
    ``promise`` implies none; ``tests/checks/test_contract.py`` computes the numbers."""
    default_prior: Prior | None = None
    """The prior used where none is given; None for a method that takes no prior."""
    deterministic: bool = True
    """Whether the limits are a function of the outcome; a method that draws them is given a
    generator."""
    uses_both: bool = True
    """Whether the limits of pairs depend on how many pairs are right in both, beside the discordant
    pairs and the total; and those of a confusion table on more than the family's own part of it."""
    uneven_tails: bool = False
    """Whether one tail may by design have hardly any of alpha, as that of an interval with limits
    at equal distances of the estimate, next to the ends of the range."""
    jumps: bool = False
    """Whether it is the whole range at outcomes that are likely beside some with inner limits."""
    needs_values: bool = False
    """Whether a method for a mean needs the values, and not only their mean and standard
    deviation."""
    standard_errors: StandardErrors | None = None
    """The f of a method for a mean whose limits are mean ± f(k, tail)·sd/√k, sd with the divisor
    k − 1: its coverage of a normal mean follows from it in closed form."""
    largest_size: float | None = None
    """The largest size of a sample that the method takes; None where there is no such limit."""
    needs_population: bool = False
    """Whether it is for cases drawn without replacement from a finite population: its data end with
    the population's size."""
    needs_stopping: bool = False
    """Whether it is for trials that end by a stopping rule, which it has to know."""
    largest_population: float | None = None
    """The largest population that the method takes; None where there is no such limit."""
    exceptions: Mapping[str, str] = field(default_factory=dict)
    """Properties that this method does not have, each with the reason."""
    remark_on_data: Callable[[tuple[Floats, ...], float, str], str] | None = None
    """(data, alpha, side) -> what is to be known of the limits, in a sentence; empty where nothing
    is."""
    decides: Decision | None = None
    """Whether a limit of one side is beyond a value, by a quadrature of the posterior; None where
    the limit itself is as cheap."""
    steady_from: float = 0.0
    """The smallest one-sided alpha, up to 0.3, from which on limits of one side never fall as the
    first count rises and all others stay, at the sizes up to 20, of one sample 30, of
    ``tests/methods/test_steady.py``; 0 where no such fall was found, 1 where alpha does not help.
    A first success widens many intervals by more than it moves them."""
    aliases: tuple[str, ...] = ()
    """Other names of the method."""
    name: str = ""
    family: Family | None = None
    """What it gives limits of; None in a list, of which families share records."""

    @property
    def is_for_stopping(self) -> bool:
        """Whether it is made for trials whose number is not fixed beforehand."""
        return self.needs_stopping or self.category == ANYTIME

    @property
    def description(self) -> str:
        """The formula's docstring, without its arguments: equation, behaviour, source."""
        return (inspect.getdoc(self.formula) or "").partition("\n\nArgs:\n")[0]

    @property
    def contract(self) -> Contract:
        """The contract that the method declares: the one that its promise implies, or it keeps."""
        return AT_LEAST if self.promise == "at-least" else self.keeps

    @property
    def takes_prior(self) -> bool:
        return self.default_prior is not None

    def limits(
        self,
        data: Data,
        alpha: float,
        side: str = TWO_SIDED,
        prior: Prior | None = None,
        rng: np.random.Generator | None = None,
    ) -> LimitPair:
        """Return the lower and upper limits for each outcome.

        Args:
            data: the family's columns (x and n for a proportion), float arrays of shape (m,); where
                the method needs a population, that follows.
            alpha: in (0, 1); the probability of the two tails together, or of the one tail of a
                one-sided interval.
            side: "two-sided", "lower" (upper limit at the end of the range) or "upper".
            prior: parameters of the prior, for a method that takes one.
            rng: the generator of a stochastic method; a deterministic one draws nothing.

        Returns:
            Lower and upper limits, shape (m,) each.

        Raises:
            InputError: the method has no such side, takes no prior, or lacks a generator.
            IntervalNotFoundError: a limit is not a number, or is infinite and not the open end of
                a one-sided interval; names method, outcome and alpha.
        """
        lower, upper = self.limits_if_any(data, alpha, side, prior, rng)
        bad = np.flatnonzero(~are_intervals(lower, upper, side, self.family))
        if bad.size:
            raise self._not_found(data, int(bad[0]), alpha)
        return lower, upper

    def limits_if_any(
        self,
        data: Data,
        alpha: float,
        side: str,
        prior: Prior | None = None,
        rng: np.random.Generator | None = None,
    ) -> LimitPair:
        """Return ``limits`` that are not numbers where a formula says so that there are none."""
        self.check(side, prior)
        chosen = prior or self.default_prior or (1.0, 1.0)
        if not self.deterministic and rng is None:
            raise InputError(f"{self.name} draws random numbers, and needs a generator for them")
        rest = (alpha, side, chosen) if self.deterministic else (alpha, side, chosen, rng)
        try:
            lower, upper = self.formula(data, *rest)
        except IntervalNotFoundError:
            # Outcome by outcome, to name the first one for which there is no interval.
            for place in range(len(data[0])):
                try:
                    self.formula(tuple(column[[place]] for column in data), *rest)
                except IntervalNotFoundError:
                    raise self._not_found(data, place, alpha) from None
            raise
        return lower, upper

    def is_beyond(
        self, data: Data, value: float, alpha: float, side: str, prior: Prior | None = None
    ) -> Bools:
        """Return whether the lower limit is above a value, or the upper limit below it, shape (m,).

        Args:
            data: as of ``limits``.
            value: of the parameter.
            alpha: in (0, 1); the probability of the one tail.
            side: "lower" or "upper".
            prior: as of ``limits``.

        Raises: as of ``limits``.
        """
        support = (-np.inf, np.inf) if self.family is None else self.family.support
        if self.decides is not None and support[0] < value < support[1]:
            self.check(side, prior)
            chosen = prior or self.default_prior or (1.0, 1.0)
            return self.decides(data, value, alpha, side, chosen)
        lower, upper = self.limits(data, alpha, side, prior)
        return np.asarray(lower > value if side == LOWER else upper < value)

    def _not_found(self, data: Data, place: int, alpha: float) -> IntervalNotFoundError:
        words = []
        for column in data:
            numbers = [f"{number:.15g}" for number in np.atleast_1d(column[place])]
            words.append(f"[{', '.join(numbers)}]" if column[place].ndim else numbers[0])
        outcome = ", ".join(words)
        return IntervalNotFoundError(
            f"{self.name}: no interval found for the outcome ({outcome}) at alpha = {alpha:g}"
            + (f": {self.exceptions[ANSWERED]}" if ANSWERED in self.exceptions else "")
        )

    def check(self, side: str, prior: Prior | None) -> None:
        """Refuse a side or a prior that this method does not have.

        Raises:
            InputError: it has no such side, takes no prior, or lacks its stopping rule.
        """
        validate_choice("side", side, ALL_SIDES)
        if self.needs_stopping:
            raise InputError(f"{self.name} needs stopping, the rule by which trials end")
        if side not in self.sides:
            raise InputError(f"{self.name} {self.side_advice()}, found side {side!r}")
        if prior is not None and not self.takes_prior:
            raise InputError(f"{self.name} takes no prior, found {list(prior)}")

    def validate_sizes(self, sizes: Mapping[str, float]) -> None:
        """Refuse sizes that are too large.

        Args:
            sizes: the size of each sample by its name.

        Raises:
            InputError: the method has a largest size, and one of the sizes is above it.
        """
        advice = self.size_advice(sizes)
        if advice:
            raise InputError(advice)

    def size_advice(self, sizes: Mapping[str, float]) -> str:
        """The sentence that says which sizes this method takes; empty where none is too large."""
        if self.largest_size is not None:
            for name, size in sizes.items():
                if size > self.largest_size:
                    return (
                        f"{self.name} takes {' and '.join(sizes)} of at most "
                        f"{self.largest_size:g}, found {name} = {size:.15g}"
                    )
        return ""

    def validate_population(self, population: float | None) -> None:
        """Refuse a population that is missing, too large, or not taken at all.

        Args:
            population: the size of the largest population, or None where none is given.

        Raises:
            InputError: the method needs one and there is none, takes none, or not so large a one.
        """
        if population is None:
            if self.needs_population:
                raise InputError(
                    f"{self.name} needs population, the number of cases from which those observed "
                    "are drawn without replacement"
                )
        else:
            self.refuse_needless_population()
            if self.largest_population is not None and population > self.largest_population:
                raise InputError(
                    f"{self.name} takes a population of at most {self.largest_population:g}, "
                    f"found {population:.15g}"
                )

    def refuse_needless_population(self) -> None:
        """Refuse a population that is given to a method that takes none.

        Raises:
            InputError: the method takes none.
        """
        if not self.needs_population:
            raise InputError(
                f"{self.name} takes no population "
                "(hypergeometric_exact and hypergeometric_wang of a proportion do)"
            )

    def validate_sampling(self, population: float | None, title: str) -> None:
        """Refuse a sampling that is not from a finite population, where the method is for one.

        Args:
            population: the size of the population that cases are drawn from without replacement,
                or None where trials arise otherwise.
            title: the sampling in words.

        Raises:
            InputError: the method needs a population and there is none, or one that is too large.
        """
        if not self.needs_population:
            return
        if population is None:
            raise InputError(
                f"{self.name} needs sampling: {{hypergeometric: {{population: N}}}}, found {title}"
            )
        self.validate_population(population)

    def refuse_finite_population(self, use: str) -> None:
        """Refuse a method for a finite population where none can be given.

        Args:
            use: what gives the method no population, as ``check``.

        Raises:
            InputError: the method needs one.
        """
        if self.needs_population:
            raise InputError(
                f"{self.name} needs a population, which {use} does not take; "
                "a run with the sampling hypergeometric computes its coverage"
            )

    def refuse_summary(self) -> None:
        """Refuse data of which a summary is given, and not the values.

        Raises:
            InputError: the method needs the values.
        """
        if self.needs_values:
            raise InputError(f"{self.name} needs the values, found only a summary of them")

    def side_advice(self) -> str:
        """The clause of a message that says which side this method needs."""
        if TWO_SIDED not in self.sides:
            return "needs side: lower or side: upper"
        if self.sides == (TWO_SIDED,):
            named = "" if self.family is None else f" --family {self.family.public_name}"
            return f"has no one-sided form (`methods{named} --wide` lists the sides of each)"
        return f"has the sides {', '.join(self.sides)}"


def are_limits(lower: Floats, upper: Floats, side: str, family: Family | None) -> Bools:
    """Whether limits are numbers; an open side, and an upper limit of a ratio, may be infinite.

    So may the lower limit of a one-sided interval of a ratio, where the estimate is infinite and
    alpha is above one half.

    Args:
        lower, upper: the limits, of one shape.
        side: the side of the interval.
        family: of the limits; None for one that is no ratio.
    """
    is_ratio = family is not None and family.is_ratio
    low = np.isfinite(lower) | ((lower == -np.inf) & (side == UPPER))
    low |= (lower == np.inf) & (is_ratio and side == LOWER)
    high = np.isfinite(upper) | ((upper == np.inf) & (is_ratio or side == LOWER))
    return np.asarray(low & high)


def are_intervals(lower: Floats, upper: Floats, side: str, family: Family | None) -> Bools:
    """Whether limits are numbers and in order; the arguments are those of ``are_limits``."""
    return are_limits(lower, upper, side, family) & (lower <= upper)


def for_family(method: Method, name: str, family: Family) -> Method:
    """A method of a list of the catalogue, with its name and with a formula of all arguments.

    A formula of a tail is given the tail itself, alpha/2 or alpha, and never 2·alpha, so that a
    one-sided alpha of one half and more works. One of alpha takes it whole: its tails are not
    equal.

    Args:
        method: as the list has it.
        name: its name.
        family: of the method; the open side of a one-sided interval is an end of the range of its
            parameter.
    """
    takes = tuple(inspect.signature(method.formula).parameters)
    complete = replace(method, name=name, family=family)
    if not _TAKEN.issuperset(takes):
        return complete
    form = documented(partial(_with_all, method.formula, takes, family.support), method.formula)
    sides = method.sides if {"tail", "side"}.intersection(takes) else TWO_SIDED_ONLY
    return replace(complete, formula=form, sides=sides)


_TAKEN = frozenset({"data", "tail", "alpha", "side", "rng"})
"""What a formula of a list may take, by the names of its parameters."""


def _with_all(
    formula: Formula,
    takes: Sequence[str],
    support: tuple[float, float],
    data: Data,
    alpha: float,
    side: str,
    prior: Prior,
    rng: np.random.Generator | None = None,
) -> LimitPair:
    """The limits of a formula that takes less; that of an open side is the end of the range."""
    tail = alpha / 2 if side == TWO_SIDED else alpha
    given = {"data": data, "tail": tail, "alpha": alpha, "side": side, "rng": rng}
    lower, upper = formula(*(given[name] for name in takes))
    if side == LOWER:
        return lower, np.full_like(lower, support[1])
    if side == UPPER:
        return np.full_like(upper, support[0]), upper
    return lower, upper


def documented(form: partial[LimitPair], formula: Callable[..., object]) -> partial[LimitPair]:
    """A form of a formula with the formula's docstring; unlike a closure, it can be pickled."""
    form.__doc__ = formula.__doc__
    return form
