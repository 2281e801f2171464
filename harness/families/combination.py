"""The parameter of a family as a function of those of its samples, or of the cells of a table.

On a coordinate g of the samples' parameters and a coordinate h of the family's it is a weighted
sum, h(θ) = w₁g(θ₁) + w₂g(θ₂): with both the identity a sum or a difference, with both the logarithm
a ratio, and with the logit and the logarithm an odds ratio.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from harness.base.numerics.arrays import Floats

Span = tuple[float, float]
"""A range: its lower and its upper boundary."""

Mirror = Callable[[Floats, Floats], tuple[Floats, Floats]]
"""Returns the limits of the mirrored outcome, from the lower and the upper ones of the outcome."""

NEXT_TO_BOUNDARY = 1e-9
"""How far from a boundary at which a coordinate is infinite a search begins, times 1/size; all but
about this share of the trials there have the outcome of the boundary itself."""


class Combination(Protocol):
    """The parameter of a family as a function of the parameters of its samples."""

    @property
    def weights(self) -> tuple[float, ...]:
        """The weights of the samples' coordinates."""
        ...

    @property
    def samples(self) -> int:
        """The number of samples."""
        ...

    @property
    def directions(self) -> tuple[float, ...]:
        """1 for each sample whose parameter increases the family's, −1 where it decreases it."""
        ...

    @property
    def is_ratio(self) -> bool:
        """Whether the parameter is a ratio, of which logarithms are compared."""
        ...

    def parameter_at(self, truths: Sequence[Floats]) -> Floats:
        """Return the parameter at each row of the truths, one array of shape (t,) for each sample.

        It is infinite, or not a number, where a ratio is.
        """
        ...

    def support(self, of_sample: Span) -> Span:
        """Return the range of the parameter, from the range of each sample's parameter."""
        ...

    def coordinate(self, truths: Floats) -> Floats:
        """Return g of a sample's parameters."""
        ...

    def from_coordinate(self, coordinate: Floats) -> Floats:
        """Return the parameters of a sample with these g."""
        ...

    def slope(self, truths: Floats) -> Floats:
        """Return the derivative of g at a sample's parameters."""
        ...

    def scale(self, parameter: Floats) -> Floats:
        """Return h of the family's parameters; −∞ and ∞ of a ratio of 0 and ∞."""
        ...

    def inside(self, span: Span, size: float) -> Span:
        """Return the part of a range of a sample's parameter on which g is finite.

        Args:
            span: the range.
            size: of the sample.
        """
        ...

    @property
    def mirrored(self) -> Mirror | None:
        """The limits when successes and failures change places; None where they may be any."""
        ...


@dataclass(frozen=True)
class WeightedSum:
    """The weighted sum θ = w₁θ₁ + … of the samples' parameters θᵢ; θ₁ itself of one sample."""

    weights: tuple[float, ...] = (1.0,)

    @property
    def samples(self) -> int:
        return len(self.weights)

    @property
    def directions(self) -> tuple[float, ...]:
        return tuple(1.0 if weight > 0 else -1.0 for weight in self.weights)

    @property
    def is_ratio(self) -> bool:
        return False

    def parameter_at(self, truths: Sequence[Floats]) -> Floats:
        if self.samples == 1:
            return truths[0]
        first, second = self.weights
        return np.asarray(first * truths[0] + second * truths[1])

    def support(self, of_sample: Span) -> Span:
        terms = [sorted(weight * boundary for boundary in of_sample) for weight in self.weights]
        return sum(low for low, _ in terms) + 0.0, sum(high for _, high in terms) + 0.0

    def coordinate(self, truths: Floats) -> Floats:
        return truths

    def from_coordinate(self, coordinate: Floats) -> Floats:
        return coordinate

    def slope(self, truths: Floats) -> Floats:
        return np.ones_like(truths)

    def scale(self, parameter: Floats) -> Floats:
        return parameter

    def inside(self, span: Span, size: float) -> Span:
        return span

    def mirrored(self, lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
        # Of a weighted sum of proportions, θ becomes w₁ + w₂ − θ.
        whole = sum(self.weights)
        return whole - upper, whole - lower


ONE_SAMPLE = WeightedSum()
"""The parameter of a single sample."""


@dataclass(frozen=True)
class _Quotient(ABC):
    """A quotient of two positive functions of the samples' parameters."""

    @property
    def weights(self) -> tuple[float, ...]:
        return 1.0, -1.0

    @property
    def samples(self) -> int:
        return 2

    @property
    def directions(self) -> tuple[float, ...]:
        return self.weights

    @property
    def is_ratio(self) -> bool:
        return True

    def support(self, of_sample: Span) -> Span:
        return 0.0, np.inf

    def scale(self, parameter: Floats) -> Floats:
        return logarithm(parameter)

    @abstractmethod
    def parameter_at(self, truths: Sequence[Floats]) -> Floats: ...


@dataclass(frozen=True)
class Ratio(_Quotient):
    """The ratio θ = θ₁/θ₂; its logarithm is ln θ₁ − ln θ₂."""

    def parameter_at(self, truths: Sequence[Floats]) -> Floats:
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            return np.asarray(truths[0] / truths[1])

    def coordinate(self, truths: Floats) -> Floats:
        return np.log(truths)

    def from_coordinate(self, coordinate: Floats) -> Floats:
        return np.exp(coordinate)

    def slope(self, truths: Floats) -> Floats:
        return np.asarray(1.0 / truths)

    def inside(self, span: Span, size: float) -> Span:
        low, high = span
        least = NEXT_TO_BOUNDARY / size
        return max(low, least), max(high, least)

    @property
    def mirrored(self) -> None:
        return None


@dataclass(frozen=True)
class OddsRatio(_Quotient):
    """The odds ratio θ = θ₁(1 − θ₂)/(θ₂(1 − θ₁)); its logarithm is logit θ₁ − logit θ₂."""

    def parameter_at(self, truths: Sequence[Floats]) -> Floats:
        first, second = truths
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            return np.asarray(first * (1.0 - second) / (second * (1.0 - first)))

    def coordinate(self, truths: Floats) -> Floats:
        return np.asarray(np.log(truths) - np.log1p(-truths))

    def from_coordinate(self, coordinate: Floats) -> Floats:
        return np.asarray(1.0 / (1.0 + np.exp(-coordinate)))

    def slope(self, truths: Floats) -> Floats:
        return np.asarray(1.0 / (truths * (1.0 - truths)))

    def inside(self, span: Span, size: float) -> Span:
        least = NEXT_TO_BOUNDARY / size
        low, high = (min(max(end, least), 1.0 - least) for end in span)
        return low, high

    def mirrored(self, lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
        return inverted(lower, upper)


@dataclass(frozen=True)
class PairedParameter:
    """A parameter of the probabilities of a pair, of which p₁ = p₁₁ + p₁₀ and p₂ = p₁₁ + p₀₁.

    Cells are both, first_only, second_only and neither, arrays of shape (t,).
    """

    at: Callable[[Sequence[Floats]], Floats]
    """Return the parameter at tables of probabilities, from their cells."""
    estimate: Callable[[Sequence[Floats]], Floats]
    """Return the parameter at the observed proportions, from the counts of the cells."""
    moved_mass: Callable[[Sequence[Floats], Floats], Floats]
    """Return the mass that moves tables to other values of the parameter, from the cells and the
    other values: what second_only loses and first_only gains."""
    constraint: Callable[[Floats], tuple[Floats, ...]]
    """Return a of each cell, with Σ a·p = 0 at the tables p that have the parameter."""
    mirrored: Mirror
    """Return the limits when first and second change places."""
    support: Span
    uses_both: bool
    """Whether it depends on the concordant cells."""
    is_ratio: bool
    """Whether it is a ratio, of which logarithms are compared."""


def logarithm(ratio: Floats) -> Floats:
    """Return ln θ of ratios: −∞ of 0, and ∞ of ∞."""
    with np.errstate(divide="ignore"):
        return np.log(ratio)


def inverted(lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
    """Return the limits of 1/θ from those of a ratio θ."""
    with np.errstate(divide="ignore"):
        return np.asarray(1.0 / upper), np.asarray(1.0 / lower)


def length_between(lower: Floats, upper: Floats, *, logarithmic: bool) -> Floats:
    """Return U − L, or ln U − ln L, shape of the limits.

    Args:
        lower, upper: the limits.
        logarithmic: whether the limits are those of a ratio, which are not below 0. Between 0 and
            any other limit the length is infinite, and between equal limits it is 0.
    """
    if not logarithmic:
        return np.asarray(upper - lower)
    with np.errstate(divide="ignore", invalid="ignore"):
        length = np.log(upper) - np.log(lower)
    return np.where(lower == upper, 0.0, length)
