"""The parameter of a family: its scale, and how it follows from samples or cells of a table.

Lengths of intervals are measured on a scale, which is the parameter itself, and of a ratio its
logarithm. The parameter is a function of those of the samples, or of the cells of a table.

On a coordinate g of the samples' parameters and a coordinate h of the family's it is a weighted
sum, h(θ) = w₁g(θ₁) + w₂g(θ₂): with both the identity a sum or a difference, with both the logarithm
a ratio, and with the logit and the logarithm an odds ratio.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from harness.base.numerics.arrays import Bools, Floats

T = TypeVar("T")


class ParameterScale:
    """The scale of a parameter that is no ratio: the parameter itself."""

    of_ratio = False
    equality = 0.0
    """The value of a comparison where both parameters are equal."""
    text = "{}"
    """The parameter as ``of`` returns it, in words, with a place for the name of the parameter."""
    length_in_words = "expected interval length"
    """What a mean of lengths is, likewise."""
    unit_of_length = ""
    """The unit of lengths; empty where it is that of the parameter."""

    def of(self, parameter: Floats) -> Floats:
        """Return the parameter as lengths and scores measure it."""
        return parameter

    def parameter_at(self, value: Floats) -> Floats:
        """Return the parameter that has a value on the scale."""
        return value

    def has_place(self, parameter: Floats) -> Bools:
        """Whether lengths have a place at a parameter."""
        return np.ones(parameter.shape, np.bool_)

    def in_order(self, estimate: Floats) -> Floats:
        """Return finite numbers in the order of estimates."""
        return estimate

    def length(self, lower: Floats, upper: Floats) -> Floats:
        """Return U − L, shape of the limits."""
        return np.asarray(upper - lower)

    def finite_length(self, lower: Floats, upper: Floats) -> Floats:
        """Return the lengths, with 0 for infinite ones of a ratio."""
        return self.length(lower, upper)

    def infinite(self, lower: Floats, upper: Floats) -> Floats | None:
        """Return 1 where the interval of a ratio has an infinite length, else 0; None of others."""
        return None

    def share_of_infinite(self, share: T) -> T | None:
        """Return how often lengths are infinite; None where they are never."""
        return None

    def nearly_polynomial(self, length: Floats) -> Floats:
        """Return a rising function of lengths that is nearly a polynomial in the counts: L²."""
        return np.asarray(length**2.0)

    def rounded_to_ends(self, limits: Floats) -> Floats:
        """Return limits, of a ratio with those replaced that are as good as 0 or infinity."""
        return limits


class LogarithmicScale(ParameterScale):
    """The scale of a ratio θ, which may be infinite or 0/0: ln θ."""

    of_ratio = True
    equality = 1.0
    text = "ln({})"
    length_in_words = "expected length of ln({}),\nwithout infinite ones"
    unit_of_length = "natural logarithm of the ratio"
    _LARGEST = 1e12
    """A larger ratio, and the inverse of one, is as good as infinite."""

    def of(self, parameter: Floats) -> Floats:
        """Return ln θ: −∞ of 0, and ∞ of ∞."""
        with np.errstate(divide="ignore"):
            return np.log(parameter)

    def parameter_at(self, value: Floats) -> Floats:
        return np.exp(value)

    def has_place(self, parameter: Floats) -> Bools:
        """Whether θ is not 0, infinite or 0/0."""
        return np.asarray((parameter > 0) & (parameter < np.inf))

    def in_order(self, estimate: Floats) -> Floats:
        """Return θ/(1 + θ), which is ½ of 0/0."""
        with np.errstate(invalid="ignore"):
            share = np.where(np.isinf(estimate), 1.0, estimate / (1.0 + estimate))
        return np.where(np.isnan(share), 0.5, share)

    def length(self, lower: Floats, upper: Floats) -> Floats:
        """Return ln U − ln L of limits that are not below 0, shape of the limits.

        Between 0 and any other limit it is infinite, and between equal limits it is 0.
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            length = np.log(upper) - np.log(lower)
        return np.where(lower == upper, 0.0, length)

    def finite_length(self, lower: Floats, upper: Floats) -> Floats:
        length = self.length(lower, upper)
        return np.where(np.isinf(length), 0.0, length)

    def infinite(self, lower: Floats, upper: Floats) -> Floats | None:
        return np.isinf(self.length(lower, upper)).astype(np.float64)

    def share_of_infinite(self, share: T) -> T | None:
        return share

    def nearly_polynomial(self, length: Floats) -> Floats:
        """Return −1/L², which is finite where a length is infinite."""
        with np.errstate(divide="ignore"):
            return np.asarray(-(length**-2.0))

    def rounded_to_ends(self, limits: Floats) -> Floats:
        low = np.where(limits <= 1.0 / self._LARGEST, 0.0, limits)
        return np.where(limits >= self._LARGEST, np.inf, low)


IDENTITY, LOGARITHM = ParameterScale(), LogarithmicScale()


Span = tuple[float, float]
"""A range: its lower and its upper boundary."""

Mirror = Callable[[Floats, Floats], tuple[Floats, Floats]]
"""Returns the limits of the mirrored outcome, from the lower and the upper ones of the outcome."""

NEXT_TO_BOUNDARY = 1e-9
"""How far from a boundary at which a coordinate is infinite a search begins, times 1/size; all but
about this share of the trials there have the outcome of the boundary itself."""


@dataclass(frozen=True)
class Combination:
    """The parameter of a family as a function of the parameters of its samples.

    What g and h are is said above; without them both are the identity.
    """

    weights: tuple[float, ...]
    """The weights of the samples' coordinates."""
    parameter_at: Callable[[Sequence[Floats]], Floats]
    """Return the parameter at each row of the truths, one array of shape (t,) for each sample.

    It is infinite, or not a number, where a ratio is.
    """
    mirrored: Mirror | None = None
    """The limits when successes and failures change places; None where they may be any."""
    scale: ParameterScale = IDENTITY
    """The scale of the family's parameter, which is h."""
    coordinate: Callable[[Floats], Floats] = lambda truths: truths
    """Return g of a sample's parameters."""
    from_coordinate: Callable[[Floats], Floats] = lambda coordinate: coordinate
    """Return the parameters of a sample with these g."""
    slope: Callable[[Floats], Floats] = np.ones_like
    """Return the derivative of g at a sample's parameters."""
    inside: Callable[[Span, float], Span] = lambda span, size: span
    """Return the part of a range of a sample's parameter on which g is finite, given its size."""

    @property
    def samples(self) -> int:
        """The number of samples."""
        return len(self.weights)

    @property
    def directions(self) -> tuple[float, ...]:
        """1 for each sample whose parameter increases the family's, −1 where it decreases it."""
        return tuple(1.0 if weight > 0 else -1.0 for weight in self.weights)

    def on_other(self, sample: int, scaled: Floats | float, other: Floats | float) -> Floats:
        """Return the truths of a sample at h(θ) and the other of two samples' truths.

        They may be out of range.
        """
        mine, its = self.weights[sample], self.weights[1 - sample]
        rest = scaled - its * self.coordinate(np.asarray(other, np.float64))
        return self.from_coordinate(np.asarray(rest / mine))

    def support(self, of_sample: Span) -> Span:
        """Return the range of the parameter, from the range of each sample's parameter."""
        if self.scale.of_ratio:
            return 0.0, np.inf
        terms = [sorted(weight * boundary for boundary in of_sample) for weight in self.weights]
        return sum(low for low, _ in terms) + 0.0, sum(high for _, high in terms) + 0.0


@dataclass(frozen=True)
class PairedParameter:
    """A parameter of the probabilities of a pair, of which p₁ = p₁₁ + p₁₀ and p₂ = p₁₁ + p₀₁.

    Cells are both, first_only, second_only and neither, arrays of shape (t,).
    """

    at: Callable[[Sequence[Floats]], Floats]
    """Return the parameter at tables of probabilities, from their cells."""
    estimate: Callable[[Sequence[Floats]], Floats]
    """Return the parameter at the observed proportions, from the counts of the cells."""
    constraint: Callable[[Floats], tuple[Floats, ...]] | None = None
    """Return a of each cell, with Σ a·p = 0 at the tables p that have the parameter; None where
    the parameter is no quotient of such sums: no worst case is searched then."""
    mirrored: Mirror | None = None
    """Return the limits when first and second change places; None where they may be any."""
    support: Span = (0.0, 1.0)
    uses_both: bool = False
    """Whether it depends on the concordant cells."""
    scale: ParameterScale = IDENTITY


def inverted(lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
    """Return the limits of 1/θ from those of a ratio θ."""
    with np.errstate(divide="ignore"):
        return np.asarray(1.0 / upper), np.asarray(1.0 / lower)


def weighted_sum(first: float, second: float) -> Combination:
    """Return the weighted sum θ = w₁θ₁ + w₂θ₂ of the samples' parameters."""
    whole = first + second
    return Combination(
        (first, second),
        lambda truths: np.asarray(first * truths[0] + second * truths[1]),
        # Of a weighted sum of proportions, θ becomes w₁ + w₂ − θ.
        mirrored=lambda lower, upper: (whole - upper, whole - lower),
    )


ONE_SAMPLE = Combination(
    (1.0,),
    lambda truths: truths[0],
    mirrored=lambda lower, upper: (1.0 - upper, 1.0 - lower),
)
"""The parameter of a single sample."""


def _ratio(truths: Sequence[Floats]) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return np.asarray(truths[0] / truths[1])


RATIO = Combination(
    (1.0, -1.0),
    _ratio,
    scale=LOGARITHM,
    coordinate=np.log,
    from_coordinate=np.exp,
    slope=lambda truths: np.asarray(1.0 / truths),
    inside=lambda span, size: (
        max(span[0], NEXT_TO_BOUNDARY / size),
        max(span[1], NEXT_TO_BOUNDARY / size),
    ),
)
"""The ratio θ = θ₁/θ₂; its logarithm is ln θ₁ − ln θ₂."""


def _odds_ratio(truths: Sequence[Floats]) -> Floats:
    first, second = truths
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return np.asarray(first * (1.0 - second) / (second * (1.0 - first)))


def _not_at_0_or_1(span: Span, size: float) -> Span:
    least = NEXT_TO_BOUNDARY / size
    low, high = (min(max(end, least), 1.0 - least) for end in span)
    return low, high


ODDS_RATIO = Combination(
    (1.0, -1.0),
    _odds_ratio,
    mirrored=inverted,
    scale=LOGARITHM,
    coordinate=lambda truths: np.asarray(np.log(truths) - np.log1p(-truths)),
    from_coordinate=lambda coordinate: np.asarray(1.0 / (1.0 + np.exp(-coordinate))),
    slope=lambda truths: np.asarray(1.0 / (truths * (1.0 - truths))),
    inside=_not_at_0_or_1,
)
"""The odds ratio θ = θ₁(1 − θ₂)/(θ₂(1 − θ₁)); its logarithm is logit θ₁ − logit θ₂."""
