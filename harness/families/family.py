"""The family: a parameter of one or more samples, its data, posterior and engines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from harness.base.errors import HarnessError, InputError
from harness.base.numerics.arrays import Floats, Integers
from harness.base.numerics.points import RealPoints, UnitPoints
from harness.base.text import enumerated
from harness.distributions.posteriors.truncated import Truncated
from harness.distributions.sampling.law import Sampling
from harness.distributions.truths import ContinuousTruth, Prior
from harness.families.combination import ONE_SAMPLE, Combination, Span, length_between
from harness.families.data import broadcast_columns

MONTE_CARLO, POSTERIOR, ENUMERATION = "monte_carlo", "posterior", "enumeration"
CLOSED_FORM = "closed_form"
"""The engines."""

EXACT_ENGINES = (ENUMERATION, CLOSED_FORM)
"""The engines that have exact values at listed truths; a family has at most one of them."""

T = TypeVar("T")

SINGLE_SAMPLE, TWO_SAMPLES, PAIRS = "one sample", "two samples", "pairs"
RUNS, CLUSTERS, STRATA = "repeated runs", "clusters", "strata"
"""The designs: one count, two independent counts, a table of pairs; a list of values, of clusters
or of strata."""

Data = tuple[Floats, ...]
"""A family's columns as methods take them: arrays of shape (m,), in the order of its ``data``; of a
family of lists also of shape (m, w)."""

SMALLEST_SHAPE_OF_TWO = 0.05
"""Nearly all mass of a smaller shape lies too close to the boundary for the quadrature over two
samples."""


class Model(Protocol):
    """The model of one sample: its data, its posterior and the probabilities of its outcomes.

    A module that has these names satisfies the protocol.
    """

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
    IS_BOUNDED: bool
    """Whether the number of outcomes and the range of the parameter are finite."""
    SUPPORT: Span
    """The range of the parameter."""
    FLAT_PRIOR: Prior
    PRIOR: str
    """The family of its priors: "Beta" or "Gamma"."""
    PRIOR_SYMBOLS: tuple[str, ...]
    """The symbols of a prior's parameters: a and b."""
    PRIOR_RANGE: str
    """What the parameters of a prior may be, in words."""
    SAMPLING: Sampling

    def validate_data(
        self, x: npt.ArrayLike, n: npt.ArrayLike, names: tuple[str, str] = ...
    ) -> tuple[Floats, Floats]: ...

    def is_valid_prior(self, prior: Prior) -> bool: ...

    def estimate(self, x: Floats, n: Floats) -> Floats: ...

    def posterior(self, x: Floats, n: Floats, prior: Prior) -> Any: ...

    def evidence(self, n: float) -> float: ...

    def outcome_weights(self, truth: ContinuousTruth, x: Integers, n: float) -> Floats: ...

    def effective_size(self, n: float, prior: Prior) -> float: ...

    def prior_density(self, prior: Prior, p: Floats) -> Floats: ...

    def prior_rule(
        self, breaks: Floats, prior: Prior, n: float
    ) -> tuple[RealPoints | UnitPoints, Floats]: ...


def truth_posterior(
    model: Model, truth: ContinuousTruth, x: Integers | Floats, size: float | Floats
) -> Any:
    """Return the posterior of a sample's parameter under the truth's own distribution.

    Args:
        model: the model of the sample.
        truth: the distribution of the parameter.
        x: counts, shape (m,).
        size: the size of all counts, or of each, shape (m,).
    """
    counts, sizes = x.astype(np.float64), np.full(x.shape, size, np.float64)
    whole = model.posterior(counts, sizes, truth.conjugate_prior or model.FLAT_PRIOR)
    return whole if truth.support == model.SUPPORT else Truncated(whole, *truth.support)


@dataclass(frozen=True)
class Family:
    """What is estimated: a parameter and its data, with all that differs between families.

    Engines, tables, figures and the config ask the family and the scenario, never for a name or a
    type. ``engines`` lists the engines that a family has; ``solver_of`` refuses a scenario whose
    family has no enumeration or no solver for its number of samples. A family may leave out:

    - ``posterior_of``, where the parameter has no closed posterior. The family then
      has no ``posterior`` engine, no methods that apply a criterion to a posterior, no exact
      values under a continuous truth, and the engines are not compared with each other.
    - outcomes that are whole numbers, as those of lists (``has_outcomes``). Its methods are then
      simulated as stochastic ones are, with limits for every trial.

    An outcome is a row of counts, named by ``counts``; a size is a row, named by ``sizes``. The
    family says how many columns there are.
    """

    name: str
    title: str
    parameter: str
    """The parameter as it is written beside a number and on an axis."""
    model: Model
    """The model of each sample."""
    combination: Combination = ONE_SAMPLE
    posterior_of: Callable[[Any, Any], Any] | None = None
    """The posterior of the parameter of two samples, from the posteriors of both."""
    same_cases: str | None = None
    """The family of the same comparison where both samples are of the same cases."""
    design: str = SINGLE_SAMPLE
    """How the data arise: the name of a design."""
    exact_engines: tuple[str, ...] | None = None
    """The engines beside Monte Carlo; None for those that follow from the model."""

    @property
    def samples(self) -> int:
        """The number of samples."""
        return self.combination.samples

    @property
    def is_weighted_sum(self) -> bool:
        """Whether the parameter is a weighted sum of the samples' parameters."""
        return not self.combination.is_ratio

    @property
    def is_ratio(self) -> bool:
        """Whether the parameter is a ratio.

        Lengths are then those of its logarithm, a limit may be 0 or infinite, and an estimate is
        not a number where it is 0/0.
        """
        return self.combination.is_ratio

    @property
    def equality(self) -> float:
        """The value of a comparison where both parameters are equal: 0, of a ratio 1."""
        return float(self.is_ratio)

    def length(self, lower: Floats, upper: Floats) -> Floats:
        """Return the lengths of intervals: U − L, or of a ratio ln U − ln L, which may be ∞."""
        return length_between(lower, upper, logarithmic=self.is_ratio)

    def scale(self, parameter: Floats) -> Floats:
        """Return the parameter as lengths and scores measure it: itself, or a ratio's logarithm."""
        return self.combination.scale(parameter)

    @property
    def has_outcomes(self) -> bool:
        """Whether an outcome is a whole number, of which the limits are a function.

        Otherwise a trial draws a whole data set, and limits are computed for every trial.
        """
        return True

    @property
    def has_single_count(self) -> bool:
        """Whether an outcome is one count."""
        return len(self.counts) == 1

    @property
    def shares_size(self) -> bool:
        """Whether several counts are parts of one size, as the four of pairs."""
        return len(self.counts) > len(self.sizes)

    def size_of_counts(self, sizes: Sequence[T]) -> tuple[T, ...]:
        """Return the size that each count is of, in the order of ``counts``."""
        return tuple(sizes) * (len(self.counts) // len(self.sizes))

    @property
    def has_clusters(self) -> bool:
        """Whether cases come in clusters, whose counts are the data."""
        return "clusters" in self.sizes

    @property
    def directions(self) -> tuple[float, ...]:
        """How the parameter moves with each count: 1 rises, −1 falls, 0 either."""
        return self.combination.directions

    @property
    def engines(self) -> tuple[str, ...]:
        """The names of the engines that the family has."""
        if self.exact_engines is not None:
            return MONTE_CARLO, *self.exact_engines
        has_posterior = self.samples == 1 or self.posterior_of is not None
        is_enumerable = hasattr(self.model.SAMPLING, "pmf")
        return (
            MONTE_CARLO,
            *([POSTERIOR] if has_posterior else []),
            *([ENUMERATION] if is_enumerable else []),
        )

    @property
    def counts(self) -> tuple[str, ...]:
        """The names of the outcome's columns: x, or x1 and x2."""
        return self.numbered(self.model.COUNT)

    @property
    def sizes(self) -> tuple[str, ...]:
        """The names of the sizes: n, or n1 and n2, and likewise for an exposure."""
        return self.numbered(self.model.SIZE)

    @property
    def truths(self) -> tuple[str, ...]:
        """The names of the true values' columns: truth, or truth1 and truth2."""
        return self.numbered("truth")

    @property
    def symbols(self) -> tuple[str, ...]:
        """The symbol of each sample's parameter: p, or p1 and p2."""
        return self.numbered(self.model.PARAMETER)

    @property
    def truth_parts(self) -> dict[str, str]:
        """The keys of a truth that has several parts, with the symbol of what each is of."""
        parts = ("first", "second") if self.samples > 1 else ()
        return dict(zip(parts, self.symbols, strict=False))

    @property
    def free_symbols(self) -> tuple[str, ...]:
        """The symbols of the true values that are given; of pairs the last one follows."""
        return self.symbols

    def all_truths(self, given: Sequence[Floats]) -> tuple[Floats, ...]:
        """Return all true values from those of the ``free_symbols``.

        Raises:
            InputError: there are no such values.
        """
        return tuple(given)

    @property
    def truth_is_of_sample(self) -> bool:
        """Whether the first true value is the parameter of a sample, of the model's range."""
        return True

    @property
    def quantity(self) -> str:
        """The first true value in words, before its symbol; empty where the symbol says it."""
        return self.model.QUANTITY

    @property
    def curve_truths(self) -> tuple[tuple[str, str], ...]:
        """The column and the symbol of the truth that a curve goes over, then those it holds."""
        return tuple(zip(self.truths, self.symbols, strict=True))

    @property
    def names_sampling(self) -> bool:
        """Whether tables name how data arise always, as there is no usual way."""
        return False

    @property
    def sampling_remark(self) -> str:
        """What else than the model's own way of sampling means for methods, in a sentence."""
        return "What methods promise for independent trials or events need not hold here."

    @property
    def size_in_words(self) -> str:
        """What the size of the first sample is a number of."""
        return "number of trials" if self.model.SIZE_IS_COUNT else "its own unit"

    def numbered(self, name: str) -> tuple[str, ...]:
        """Return the name for each sample: itself, or numbered where there are several."""
        if self.samples == 1:
            return (name,)
        return tuple(f"{name}{number + 1}" for number in range(self.samples))

    def size_text(self, sizes: Sequence[float], digits: int = 15) -> str:
        """The sizes with their names: ``n = 50``, or ``n1 = 50, n2 = 20``."""
        named = zip(self.sizes, sizes, strict=True)
        return ", ".join(f"{name} = {size:.{digits}g}" for name, size in named)

    @property
    def data(self) -> tuple[str, ...]:
        """The names of all columns: each sample's count, then its size."""
        return tuple(name for pair in zip(self.counts, self.sizes, strict=True) for name in pair)

    def has_closed_form(self, truth: Any) -> bool:
        """Whether the engine ``closed_form`` has values under a truth."""
        return False

    @property
    def options(self) -> tuple[str, ...]:
        """The names of all data that may be given: the columns, and summaries of lists."""
        return self.data

    def arguments(self, counts: Sequence[Floats], sizes: Sequence[float]) -> dict[str, Any]:
        """Return the arguments of a user's function by name, in the order of ``data``.

        A count is an array of whole numbers of shape (m,), a size is one number; a list is an
        array of shape (m, w).

        Args: as of ``columns``.
        """
        by_name = dict(zip(self.sizes, sizes, strict=True))
        number = int if self.model.SIZE_IS_COUNT else float
        return {
            name: number(by_name[name]) if name in by_name else column.astype(np.int64)
            for name, column in zip(self.data, self.columns(counts, sizes), strict=True)
        }

    def outcomes_shape(self, data: Data) -> tuple[int, ...]:
        """Return the shape of the outcomes that validated data have."""
        return data[0].shape

    def columns(self, counts: Sequence[Floats], sizes: Sequence[float]) -> Data:
        """Return the columns of outcomes of one size, in the order of ``data``.

        Args:
            counts: the outcome's columns in the order of ``counts``, shape (m,) each.
            sizes: the size of each sample.
        """
        columns: list[Floats] = []
        for count, size in zip(counts, sizes, strict=True):
            columns += [count, np.full(count.size, float(size))]
        return tuple(columns)

    @property
    def is_bounded(self) -> bool:
        """Whether each sample has finitely many outcomes, and so a parameter of finite range."""
        return self.model.IS_BOUNDED

    @property
    def has_mirror(self) -> bool:
        """Whether limits must follow from those of the mirrored outcome."""
        nothing = np.ones(0)
        return self.is_bounded and self.mirrored(nothing, nothing) is not None

    def mirrored(self, lower: Floats, upper: Floats) -> tuple[Floats, Floats] | None:
        """Return the limits of the mirrored outcome; None where they may be any.

        The mirrored outcome has the failures of each sample as its successes; of pairs, first and
        second change places.
        """
        return self.combination.mirrored(lower, upper)

    @property
    def support(self) -> Span:
        """The range of the parameter."""
        return self.combination.support(self.model.SUPPORT)

    def validate_data(self, given: dict[str, npt.ArrayLike]) -> Data:
        """Return the columns as float arrays of one shape.

        Raises:
            InputError: a column is missing or unknown, or a value is out of range.
        """
        if set(given) != set(self.data):
            found = ", ".join(sorted(given)) or "nothing"
            raise InputError(f"{self.name} needs the data {enumerated(self.data)}, found {found}")
        columns: list[Floats] = []
        for count, size in zip(self.counts, self.sizes, strict=True):
            columns += self.model.validate_data(given[count], given[size], (count, size))
        return broadcast_columns(self.data, columns)

    def validate_prior(self, prior: Prior | None) -> Prior | None:
        """Return the prior of each sample as floats; None for None.

        Raises:
            InputError: the numbers are no prior of this family.
        """
        if prior is None:
            return None
        if not self.model.PRIOR_SYMBOLS:
            raise InputError(f"{self.name} takes no prior, found {prior!r}")
        expected = self.prior_range
        try:
            numbers = tuple(float(value) for value in prior)
            if isinstance(prior, str) or len(numbers) != len(self.model.PRIOR_SYMBOLS):
                raise TypeError
        except (TypeError, ValueError):
            raise InputError(f"prior should be {expected}, found {prior!r}") from None
        if not (np.isfinite(numbers).all() and self.is_valid_prior(numbers)):
            found = enumerated(f"{number:g}" for number in numbers)
            raise InputError(f"prior should be {expected}, found {found}")
        return numbers

    @property
    def prior_form(self) -> str:
        """A prior with the symbols of its parameters: ``Beta(a, b)``."""
        return f"{self.model.PRIOR}({', '.join(self.model.PRIOR_SYMBOLS)})"

    @property
    def prior_range(self) -> str:
        """What the parameters of a prior may be, in words."""
        if self.samples == 1:
            return self.model.PRIOR_RANGE
        return f"{self.model.PRIOR_RANGE}, of two samples no shape below {SMALLEST_SHAPE_OF_TWO}"

    def is_valid_prior(self, prior: Prior) -> bool:
        """Whether the numbers are the parameters of a prior of this family."""
        # Both parameters of a Beta distribution are shapes, of a Gamma distribution the first.
        shapes = prior if self.is_bounded else prior[:1]
        return self.model.is_valid_prior(prior) and (
            self.samples == 1 or min(shapes) >= SMALLEST_SHAPE_OF_TWO
        )

    def parameter_at(self, truths: Sequence[Floats]) -> Floats:
        """Return the parameter of the family at those of its samples, shape (t,)."""
        return self.combination.parameter_at(truths)

    def estimate(self, data: Data) -> Floats:
        """Return the parameter at the estimates of the samples, shape (m,)."""
        return self.parameter_at(tuple(self.model.estimate(x, n) for x, n in by_sample(data)))

    def posterior(self, data: Data, prior: Prior) -> Any:
        """Return the posterior of the parameter for each outcome, with the prior of each sample."""
        return self.combine_posteriors(
            *(self.model.posterior(x, n, prior) for x, n in by_sample(data))
        )

    def combine_posteriors(self, *posteriors: Any) -> Any:
        """Return the posterior of the family's parameter from those of its samples.

        Raises:
            HarnessError: the parameter has no closed posterior.
        """
        if POSTERIOR not in self.engines:
            raise HarnessError(f"the parameter of {self.name} has no closed posterior")
        return posteriors[0] if self.posterior_of is None else self.posterior_of(*posteriors)


def by_sample(data: Data) -> list[tuple[Floats, Floats]]:
    """Return the counts and the sizes of each sample."""
    return [(data[i], data[i + 1]) for i in range(0, len(data), 2)]
