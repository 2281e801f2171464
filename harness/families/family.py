"""What ties an estimated parameter to its data: the model of each sample, and their sum."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from harness.errors import HarnessError, InputError
from harness.families.data import broadcast_columns
from harness.numerics.arrays import Floats, Integers
from harness.sampling.protocol import Sampling
from harness.truths import ContinuousTruth

MONTE_CARLO, POSTERIOR, ENUMERATION = "monte_carlo", "posterior", "enumeration"
"""The engines."""

Span = tuple[float, float]

Data = tuple[Floats, ...]
"""A family's columns in the order of its ``data``, each of shape (m,)."""


SMALLEST_SHAPE_OF_TWO = 0.05
"""Below this nearly all mass lies closer to an end than the quadrature over two samples goes."""


class Model(Protocol):
    """One sample: its data, its posterior and the probabilities of its outcomes. A module."""

    NAME: str
    COUNT: str
    """The name of the column of counts."""
    SIZE: str
    """The name of the column of sizes."""
    COUNTED: str
    """What is counted, in the plural: successes, events."""
    PARAMETER: str
    """The symbol of the parameter."""
    QUANTITY: str
    """The parameter in words, before its symbol: "proportion "; empty where the symbol says it."""
    UNIT: str
    """The unit of the parameter, in words; empty where it has none."""
    SIZE_IS_COUNT: bool
    """Whether the size is a whole number of trials; otherwise it is any amount above 0."""
    SUPPORT: tuple[float, float]
    """The ends of the range of the parameter."""
    FLAT_PRIOR: tuple[float, float]
    PRIOR: str
    """The family of its priors: "Beta" or "Gamma"."""
    PRIOR_RANGE: str
    """What the two parameters of a prior may be, in words."""
    SAMPLING: Sampling

    def validate_data(
        self, x: npt.ArrayLike, n: npt.ArrayLike, names: tuple[str, str] = ...
    ) -> tuple[Floats, Floats]: ...

    def is_valid_prior(self, prior: tuple[float, float]) -> bool: ...

    def estimate(self, x: Floats, n: Floats) -> Floats: ...

    def posterior(self, x: Floats, n: Floats, prior: tuple[float, float]) -> Any: ...

    def truth_posterior(self, truth: ContinuousTruth, x: Integers, n: float) -> Any: ...

    def evidence(self, n: float) -> float: ...

    def outcome_weights(self, truth: ContinuousTruth, x: Integers, n: float) -> Floats: ...


class Combination(Protocol):
    """The parameter of a family as a function of the parameters of its samples."""

    @property
    def samples(self) -> int:
        """The number of samples."""
        ...

    @property
    def weights(self) -> tuple[float, ...] | None:
        """The weights of a weighted sum; None where the parameter is no weighted sum."""
        ...

    @property
    def directions(self) -> tuple[float, ...]:
        """1 for each sample with whose parameter the family's rises, −1 where it falls."""
        ...

    def value(self, truths: Sequence[Floats]) -> Floats:
        """The parameter at each row of the truths, one array of shape (t,) for each sample."""
        ...

    def support(self, of_sample: Span) -> Span:
        """The ends of the range of the parameter, from those of the range of each sample's."""
        ...


@dataclass(frozen=True)
class WeightedSum:
    """θ = w₁θ₁ + … for the parameters θᵢ of the samples; of one sample θ itself."""

    weights: tuple[float, ...] = (1.0,)

    @property
    def samples(self) -> int:
        return len(self.weights)

    @property
    def directions(self) -> tuple[float, ...]:
        return tuple(1.0 if weight > 0 else -1.0 for weight in self.weights)

    def value(self, truths: Sequence[Floats]) -> Floats:
        if self.samples == 1:
            return truths[0]
        first, second = self.weights
        return np.asarray(first * truths[0] + second * truths[1])

    def support(self, of_sample: Span) -> Span:
        terms = [sorted(weight * end for end in of_sample) for weight in self.weights]
        return sum(low for low, _ in terms) + 0.0, sum(high for _, high in terms) + 0.0


@dataclass(frozen=True)
class Family:
    """What is estimated: a parameter, its data, and what each engine may ask about them.

    A family states here all that differs between families; engines, tables, figures and the
    config ask it and the scenario, never for a name or a type. A family may leave out

    - ``posterior_of``: where no closed posterior of the parameter exists. The family then has no
      ``posterior`` engine (``engines`` says so), no criteria over a posterior among its methods
      and no identity between the engines;
    - the weights of its ``combination``: where the parameter is no weighted sum, as a ratio. The
      search for the worst case along the lines of one parameter, and the identity of two samples,
      need weights; without them the family states its own or has none;
    - probabilities of outcomes (``model.SAMPLING.pmf``): where outcomes are continuous or cannot
      be listed. The family then has no ``enumeration`` engine, and Monte Carlo calls a method in
      every trial instead of once per distinct outcome.

    An outcome is a row of one or more counts, named by ``counts``; a size is a row named by
    ``sizes``. How many there are is for the family to say.
    """

    name: str
    title: str
    parameter: str
    """The parameter as it is written beside a number and on an axis."""
    model: Model
    """The model of each sample."""
    combination: Combination = WeightedSum()
    posterior_of: Callable[[Any, Any], Any] | None = None
    """The posterior of the parameter of two samples, from the posteriors of both."""

    @property
    def samples(self) -> int:
        """The number of samples."""
        return self.combination.samples

    @property
    def weights(self) -> tuple[float, ...]:
        """The weights of the samples' parameters in the family's.

        Raises:
            HarnessError: the parameter is no weighted sum.
        """
        if self.combination.weights is None:
            raise HarnessError(f"the parameter of {self.name} is no weighted sum")
        return self.combination.weights

    @property
    def engines(self) -> tuple[str, ...]:
        """The engines that the family has."""
        has_posterior = self.samples == 1 or self.posterior_of is not None
        return (MONTE_CARLO, *([POSTERIOR] if has_posterior else []), ENUMERATION)

    @property
    def counts(self) -> tuple[str, ...]:
        """Names of the outcome's columns: x, or x1 and x2."""
        return self.numbered(self.model.COUNT)

    @property
    def sizes(self) -> tuple[str, ...]:
        """Names of the sizes: n, or n1 and n2, and likewise for an exposure."""
        return self.numbered(self.model.SIZE)

    @property
    def truths(self) -> tuple[str, ...]:
        """Names of the true values' columns: truth, or truth1 and truth2."""
        return self.numbered("truth")

    @property
    def symbols(self) -> tuple[str, ...]:
        """The symbol of each sample's parameter: p, or p1 and p2."""
        return self.numbered(self.model.PARAMETER)

    def numbered(self, name: str) -> tuple[str, ...]:
        """The name itself, or with the number of each sample where there are several."""
        if self.samples == 1:
            return (name,)
        return tuple(f"{name}{number + 1}" for number in range(self.samples))

    def size_text(self, sizes: Sequence[float], digits: int = 15) -> str:
        """The sizes with their names: ``n = 50``, or ``n1 = 50, n2 = 20``."""
        named = zip(self.sizes, sizes, strict=True)
        return ", ".join(f"{name} = {size:.{digits}g}" for name, size in named)

    @property
    def data(self) -> tuple[str, ...]:
        """Names of all columns: each sample's count, then its size."""
        return tuple(name for pair in zip(self.counts, self.sizes, strict=True) for name in pair)

    @property
    def is_bounded(self) -> bool:
        """Whether each sample has finitely many outcomes, and so a parameter of finite range."""
        return bool(self.model.SUPPORT[1] < np.inf)

    @property
    def support(self) -> Span:
        """The ends of the parameter's range."""
        return self.combination.support(self.model.SUPPORT)

    def validate_data(self, given: dict[str, npt.ArrayLike]) -> Data:
        """The columns as float arrays of one shape.

        Raises:
            InputError: a column is missing or unknown, or a value is out of range.
        """
        if set(given) != set(self.data):
            names = f"{', '.join(self.data[:-1])} and {self.data[-1]}"
            found = ", ".join(sorted(given)) or "nothing"
            raise InputError(f"{self.name} needs the data {names}, found {found}")
        columns: list[Floats] = []
        for count, size in zip(self.counts, self.sizes, strict=True):
            columns += self.model.validate_data(given[count], given[size], (count, size))
        return broadcast_columns(self.data, columns)

    def validate_prior(self, prior: tuple[float, float] | None) -> tuple[float, float] | None:
        """The prior as two floats; of two samples each has it.

        Raises:
            InputError: it is no prior of this family.
        """
        if prior is None:
            return None
        wanted = self.prior_range
        try:
            a, b = (float(value) for value in prior)
            if isinstance(prior, str):
                raise TypeError
        except (TypeError, ValueError):
            raise InputError(f"prior should be {wanted}, found {prior!r}") from None
        if not (np.isfinite([a, b]).all() and self.is_valid_prior((a, b))):
            raise InputError(f"prior should be {wanted}, found {a:g} and {b:g}")
        return a, b

    @property
    def prior_range(self) -> str:
        """What a prior of this family is, in words."""
        if self.samples == 1:
            return self.model.PRIOR_RANGE
        return f"{self.model.PRIOR_RANGE}, of two samples no shape below {SMALLEST_SHAPE_OF_TWO}"

    def is_valid_prior(self, prior: tuple[float, float]) -> bool:
        """Whether these are the parameters of a prior of this family."""
        return self.model.is_valid_prior(prior) and self.are_valid_shapes(prior)

    def are_valid_shapes(self, parameters: tuple[float, float]) -> bool:
        """Whether no shape is too small, of a prior or of a truth's own distribution.

        Of a Beta distribution both parameters are shapes, of a Gamma distribution the first.
        """
        shapes = parameters if self.is_bounded else parameters[:1]
        return self.samples == 1 or min(shapes) >= SMALLEST_SHAPE_OF_TWO

    def value(self, truths: Sequence[Floats]) -> Floats:
        """The parameter of the family from those of its samples, shape (t,)."""
        return self.combination.value(truths)

    def estimate(self, data: Data) -> Floats:
        """The parameter at the estimates of the samples, shape (m,)."""
        return self.value(tuple(self.model.estimate(x, n) for x, n in pairs(data)))

    def posterior(self, data: Data, prior: tuple[float, float]) -> Any:
        """The posterior of the parameter for each outcome."""
        return self.combined(*(self.model.posterior(x, n, prior) for x, n in pairs(data)))

    def combined(self, *posteriors: Any) -> Any:
        """The posterior of the family's parameter from those of its samples."""
        return posteriors[0] if self.posterior_of is None else self.posterior_of(*posteriors)


def pairs(data: Data) -> list[tuple[Floats, Floats]]:
    """Count and size of each sample."""
    return [(data[i], data[i + 1]) for i in range(0, len(data), 2)]
