"""What ties an estimated parameter to its data: the model of each sample, and their sum."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from harness.errors import InputError
from harness.families.data import one_shape
from harness.numerics.arrays import Floats, Integers
from harness.sampling.protocol import Sampling
from harness.truths import ContinuousTruth

Data = tuple[Floats, ...]
"""A family's columns in the order of its ``data``, each of shape (m,)."""


SMALLEST_SHAPE_OF_TWO = 0.05
"""Below this nearly all mass lies closer to an end than the quadrature over two samples goes."""


class Model(Protocol):
    """One sample: its data, its posterior and the probabilities of its outcomes. A module."""

    NAME: str
    COUNT: str
    SIZE: str
    PARAMETER: str
    SUPPORT: tuple[float, float]
    FLAT_PRIOR: tuple[float, float]
    PRIOR_RANGE: str
    SAMPLING: Sampling

    def checked(
        self, x: npt.ArrayLike, n: npt.ArrayLike, names: tuple[str, str] = ...
    ) -> tuple[Floats, Floats]: ...

    def prior_fits(self, prior: tuple[float, float]) -> bool: ...

    def estimate(self, x: Floats, n: Floats) -> Floats: ...

    def posterior(self, x: Floats, n: Floats, prior: tuple[float, float]) -> Any: ...

    def truth_posterior(self, truth: ContinuousTruth, x: Integers, n: float) -> Any: ...

    def evidence(self, n: float) -> float: ...

    def outcome_weights(self, truth: ContinuousTruth, x: Integers, n: float) -> Floats: ...


@dataclass(frozen=True)
class Family:
    """What is estimated: the parameter of one sample, or a weighted sum of those of two."""

    name: str
    title: str
    parameter: str
    """As it is written beside a number and on an axis."""
    model: Model
    weights: tuple[float, ...] = (1.0,)
    contrast: Callable[[Any, Any], Any] | None = None
    """The posterior of the weighted sum, from the two samples' posteriors."""

    @property
    def samples(self) -> int:
        return len(self.weights)

    @property
    def counts(self) -> tuple[str, ...]:
        """Names of the outcome's columns: x, or x1 and x2."""
        return self._numbered(self.model.COUNT)

    @property
    def sizes(self) -> tuple[str, ...]:
        """Names of the sizes: n, or n1 and n2, and likewise for an exposure."""
        return self._numbered(self.model.SIZE)

    def _numbered(self, name: str) -> tuple[str, ...]:
        return (name,) if self.samples == 1 else tuple(f"{name}{i + 1}" for i in range(2))

    @property
    def data(self) -> tuple[str, ...]:
        """Names of all columns: each sample's count, then its size."""
        return tuple(name for pair in zip(self.counts, self.sizes, strict=True) for name in pair)

    @property
    def support(self) -> tuple[float, float]:
        """The ends of the parameter's range."""
        ends = [sorted(weight * end for end in self.model.SUPPORT) for weight in self.weights]
        return sum(low for low, _ in ends) + 0.0, sum(high for _, high in ends) + 0.0

    def checked(self, given: dict[str, npt.ArrayLike]) -> Data:
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
            columns += self.model.checked(given[count], given[size], (count, size))
        return one_shape(self.data, columns)

    def checked_prior(self, prior: tuple[float, float] | None) -> tuple[float, float] | None:
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
        if not (np.isfinite([a, b]).all() and self.prior_fits((a, b))):
            raise InputError(f"prior should be {wanted}, found {a:g} and {b:g}")
        return a, b

    @property
    def prior_range(self) -> str:
        """What a prior of this family is, in words."""
        if self.samples == 1:
            return self.model.PRIOR_RANGE
        return f"{self.model.PRIOR_RANGE}, of two samples no shape below {SMALLEST_SHAPE_OF_TWO}"

    def prior_fits(self, prior: tuple[float, float]) -> bool:
        """Whether these are the parameters of a prior of this family."""
        return self.model.prior_fits(prior) and self.shapes_fit(prior)

    def shapes_fit(self, parameters: tuple[float, float]) -> bool:
        """Whether no shape is too small, of a prior or of a truth's own distribution.

        Of a Beta distribution both parameters are shapes, of a Gamma distribution the first.
        """
        shapes = parameters if self.model.SUPPORT[1] < np.inf else parameters[:1]
        return self.samples == 1 or min(shapes) >= SMALLEST_SHAPE_OF_TWO

    def value(self, parameters: tuple[Floats, ...]) -> Floats:
        """The parameter of the family from those of its samples: their weighted sum."""
        if self.samples == 1:
            return parameters[0]
        first, second = self.weights
        return np.asarray(first * parameters[0] + second * parameters[1])

    def estimate(self, data: Data) -> Floats:
        """The same sum of the samples' estimates."""
        return self.value(tuple(self.model.estimate(x, n) for x, n in pairs(data)))

    def posterior(self, data: Data, prior: tuple[float, float]) -> Any:
        """The posterior of the parameter for each outcome."""
        return self.combined(*(self.model.posterior(x, n, prior) for x, n in pairs(data)))

    def combined(self, *posteriors: Any) -> Any:
        """The posterior of the family's parameter from those of its samples."""
        return posteriors[0] if self.contrast is None else self.contrast(*posteriors)


def pairs(data: Data) -> list[tuple[Floats, Floats]]:
    """Count and size of each sample."""
    return [(data[i], data[i + 1]) for i in range(0, len(data), 2)]
