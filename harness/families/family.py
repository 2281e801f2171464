"""The family: a parameter, its data, posterior and engines."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from harness.base.errors import HarnessError, InputError
from harness.base.numerics.arrays import Floats
from harness.base.text import enumerated
from harness.distributions.sampling.law import Law
from harness.distributions.truths import Prior
from harness.families.combination import (
    IDENTITY,
    ONE_SAMPLE,
    Combination,
    Mirror,
    PairedParameter,
    ParameterScale,
    Span,
)
from harness.families.data import LARGEST_COUNT, validate_values
from harness.families.model import Model

MONTE_CARLO, POSTERIOR, ENUMERATION = "monte_carlo", "posterior", "enumeration"
CLOSED_FORM = "closed_form"
"""The engines."""

EXACT_ENGINES = (ENUMERATION, CLOSED_FORM)
"""The engines that have exact values at listed truths; a family has at most one of them."""

STOPPING, STOPPED_AT = "stopping", "stopped_at"
"""The setting that is the rule by which trials end, and the count that says how many were made."""

T = TypeVar("T")
Cell = TypeVar("Cell")

Data = tuple[Floats, ...]
"""A family's columns as methods take them: arrays of shape (m,), in the order of its ``data``; of a
family of lists also of shape (m, w)."""

SMALLEST_SHAPE_OF_TWO = 0.05
"""Nearly all mass of a smaller shape lies too close to the boundary for the quadrature over two
samples."""


@dataclass(frozen=True, eq=False)
class AsPairs:
    """A table of four cells as one of pairs: its cells in another order."""

    family: Family
    """The family of the pairs, which is in no list of families."""
    order: tuple[int, int, int, int]
    """The places of both, first_only, second_only and neither among the cells of the table."""
    beside_first: tuple[int, ...] = ()
    """The places among the cells of pairs whose counts together with first_only are the cases that
    limits depend on, as on x of n cases; none where they depend on more."""

    def arranged(self, cells: Sequence[Cell]) -> tuple[Cell, Cell, Cell, Cell]:
        """Return what belongs to each cell in the order of pairs."""
        both, first, second, neither = (cells[place] for place in self.order)
        return both, first, second, neither

    def restored(self, cells: Sequence[Cell]) -> tuple[Cell, Cell, Cell, Cell]:
        """Return what belongs to each cell of pairs in the order of the table."""
        first, second, third, fourth = (cells[self.order.index(place)] for place in range(4))
        return first, second, third, fourth

    def share_at(self, cells: Sequence[float]) -> tuple[float, float]:
        """Return the probability of the cases that limits depend on, and of x among them.

        Args:
            cells: the probabilities of all cells of the table.
        """
        pairs = self.arranged(cells)
        cases = pairs[1] + sum(pairs[place] for place in self.beside_first)
        return cases, min(pairs[1] / cases, 1.0) if cases > 0 else 0.0

    def table_of(self, x: Floats, cases: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """Return a table with x of some cases, on which limits depend, and no others."""
        pairs = [np.zeros_like(x) for _ in range(4)]
        pairs[1], pairs[self.beside_first[0]] = x, cases - x
        return self.restored(pairs)


@dataclass(frozen=True, eq=False, repr=False)
class Family:
    """What is estimated: a parameter and its data, with all that differs between families.

    Engines, tables, figures and the config ask the family and the scenario, never for a name or a
    type. A family may lack, where it then has None or nothing:

    - ``closed_posterior``. The family then has no ``posterior`` engine, no methods that apply a
      criterion to a posterior, no exact values under a continuous truth, and the engines are not
      compared with each other.
    - ``counts``, where outcomes are no whole numbers, as those of lists. Its methods are then
      simulated as stochastic ones are, with limits for every trial.

    An outcome is a row of counts, named by ``counts``; a size is a row, named by ``sizes``.
    ``samples.family_of_samples`` and ``paired.family_of_pairs`` build what their families share.
    """

    name: str
    title: str
    parameter: str
    """The parameter as it is written beside a number and on an axis."""
    model: Model
    """The model of each sample."""
    design: str
    """How the data arise: the name of a design."""
    engines: tuple[str, ...]
    """The names of the engines that the family has."""
    data: tuple[str, ...]
    """The names of all columns: of samples each one's count, then its size."""
    sizes: tuple[str, ...]
    """The names of the sizes: n, or n1 and n2, and likewise for an exposure."""
    truths: tuple[str, ...]
    """The names of the true values' columns: truth, or truth1 and truth2."""
    symbols: tuple[str, ...]
    """The symbol of each true value: p, or p1 and p2."""
    support: Span
    """The range of the parameter."""
    validate_data: Callable[[Mapping[str, npt.ArrayLike]], Data]
    """Return the columns as float arrays of one shape.

    It raises an InputError where a column is missing or unknown, or a value is out of range.
    """
    estimate: Callable[[Data], Floats]
    """Return the estimate of the parameter from each row of the data, shape (m,)."""
    range_of_data: Callable[[Mapping[str, npt.ArrayLike]], Span | None] = lambda data: None
    """Return the range of the parameter where valid data show it to be less than the support."""
    columns: Callable[[Sequence[Floats], Sequence[float]], Data] = lambda counts, sizes: (*counts,)
    """Return the columns that methods take, from the counts, shape (m,) each, or the lists of
    outcomes of one size, and the sizes."""
    counts: tuple[str, ...] = ()
    """The names of the outcome's columns: x, or x1 and x2; none of lists."""
    directions: tuple[float, ...] = ()
    """How the parameter moves with each count: 1 rises, −1 falls, 0 either."""
    suffixes: tuple[str, ...] = ("",)
    """What follows a name of which each sample, or each cell, has one."""
    samples: int = 1
    """The number of samples."""
    sample: Family | None = None
    """The family of each of several independent samples alone."""
    combination: Combination = ONE_SAMPLE
    """The parameter as a function of those of the samples."""
    of_pairs: PairedParameter | None = None
    """The parameter as a function of the cells of a table of pairs."""
    own_law: str | None = None
    """The word for its own way of sampling, where a law may stand in its place; None elsewhere."""
    may_stop: bool = False
    """Whether its trials may end by a stopping rule that is given."""
    stops: bool = False
    """Whether trials end by a stopping rule, so that an outcome says how many were made."""
    shares_size: bool = False
    """Whether several counts are parts of one size, as the four of a table."""
    as_pairs: AsPairs | None = None
    """The same as a table of pairs, where the cells of the table are other ones."""
    base: Family | None = None
    """The family without its settings; None where it has those that it has by default."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """What the parameter depends on beside the data, by name: ``beta`` of an F score,
    ``stopping`` of a proportion."""
    true_values: Callable[[Any], tuple[Floats, ...]] = lambda truth: truth.values
    """Return the values that a truth lists, shape (t,) each, of a truth that serves families with
    different parameters."""
    other_truths: tuple[str, ...] = ()
    """The names of what may be given in place of the true values of ``free_symbols``."""
    from_other_truths: Callable[..., tuple[Floats, ...]] = lambda *given: given
    """Return all true values from those of the ``other_truths``."""
    scale: ParameterScale = IDENTITY
    """The scale on which the parameter is measured: that of a ratio is its logarithm."""
    parameter_at: Callable[[Sequence[Floats]], Floats] = ONE_SAMPLE.parameter_at
    """Return the parameter of the family at true values, shape (t,)."""
    mirrored: Mirror | None = None
    """Return the limits of the mirrored outcome; None where they may be any.

    The mirrored outcome has the failures of each sample as its successes; of pairs, first and
    second change places.
    """
    all_truths: Callable[[Sequence[Floats]], tuple[Floats, ...]] = tuple
    """Return all true values from those of the ``free_symbols``.

    It raises an InputError where there are no such values.
    """
    closed_posterior: Callable[[Data, Prior], Any] | None = None
    """Return the posterior of the parameter for each outcome, with the prior of each sample."""
    combine_posteriors: Callable[..., Any] | None = None
    """Return the posterior of the parameter from those of its samples."""
    truth_parts: Mapping[str, str] = field(default_factory=dict)
    """The keys of a truth that has several parts, with the symbol of what each is of."""
    part_at: Mapping[str, Callable[[Sequence[Any]], Any]] = field(default_factory=dict)
    """The ``truth_parts`` that are functions of all true values, with the function."""
    held: tuple[str, ...] = ()
    """The symbols of the true values that no curve goes over, and none holds."""
    truth_is_of_sample: bool = True
    """Whether the first true value is the parameter of a sample, of the model's range."""
    quantity: str = ""
    """The first true value in words, before its symbol; empty where the symbol says it."""
    size_in_words: str = "number of trials"
    """What the size of the first sample is a number of."""
    sizes_in_words: tuple[str, ...] = ("Sizes of the first sample", "Sizes of the second sample")
    """What the sizes are, where there are several."""
    has_curves: bool = True
    """Whether truths list values that a curve goes over; a law of runs has one."""
    names_sampling: bool = False
    """Whether tables name how data arise always, as there is no usual way."""
    sampling_remark: str = (
        "What methods promise for independent trials or events need not hold here."
    )
    """What else than the model's own way of sampling means for methods, in a sentence."""
    lists_are_counts: bool = True
    """Whether the numbers of lists are whole."""
    list_lengths: Mapping[str, int] = field(default_factory=dict)
    """How many numbers a list has that always has as many, by its name."""
    summary: tuple[str, ...] = ()
    """The names of the data that may be given in place of lists."""
    summary_is_lists: bool = False
    """Whether these are lists too, as the totals of clusters."""
    own_columns: Mapping[str, str] = field(default_factory=dict)
    """The meaning of the columns of sizes, counts and truths that no family of the package has, or
    that mean something else here."""
    counts_of_cases: Callable[[Sequence[Sequence[int]]], list[int]] = lambda verdicts: [
        sum(verdicts[0]),
        len(verdicts[0]),
    ]
    """Return the data of cases from the verdicts on them, 1 for right and 0 for wrong: a list of
    one for each case by each system."""
    has_estimands: bool = False
    """Whether a config may name a quantile of the values as what intervals are scored against."""
    labels_cases: bool = False
    """Whether some cases have a label beside a verdict, which two columns of a file of cases name.

    The ``summary`` then has the four counts of labelled cases, right with yes first, and of the
    others the number of yes and of all.
    """
    any_number: float = 2.0
    """A number that all numbers of the data may be at once."""
    same_cases: Family | None = None
    """The family of the same comparison where both samples are of the same cases."""
    law: Law | None = None
    """How the count of its one sample arises, where it is not the model's own way."""
    model_parameter: Callable[[Floats], Floats] = lambda parameter: parameter
    """Return the parameters of the model that give its counts the law at these of the family."""

    def __repr__(self) -> str:
        return f"<family {self.name}>"

    @cached_property
    def is_ratio(self) -> bool:
        """Whether the parameter is a ratio.

        A limit may then be 0 or infinite, and an estimate is not a number where it is 0/0.
        """
        return self.scale.of_ratio

    @cached_property
    def unit(self) -> str:
        """The unit of the parameter, in words; empty where it has none."""
        return "" if self.is_ratio else self.model.UNIT

    def smallest_unit(self, sizes: Sequence[float]) -> float:
        """Return the unit of small limits: 1, of rates one event in the largest exposure."""
        return 1.0 if self.is_bounded or self.is_ratio else 1.0 / max(sizes)

    def unit_of_rounding(self, sizes: Sequence[float]) -> float:
        """Return what limits of an infinite range are rounded to beside their own magnitude.

        It is one event in the smallest exposure; of a ratio 0, as it has any magnitude.
        """
        return 0.0 if self.is_ratio else max(1.0 / size for size in sizes)

    @cached_property
    def has_outcomes(self) -> bool:
        """Whether an outcome is a whole number, of which the limits are a function.

        Otherwise a trial draws a whole data set, and limits are computed for every trial.
        """
        return bool(self.counts)

    @cached_property
    def outcome_sizes(self) -> tuple[str, ...]:
        """The names of the sizes that outcomes are of; none of lists, which have their own."""
        return self.sizes if self.has_outcomes else ()

    @cached_property
    def lists(self) -> tuple[str, ...]:
        """The names of the data that are lists, of which all numbers are for one interval."""
        if self.has_outcomes:
            return ()
        return self.options if self.summary_is_lists else self.data

    def refuse_lists(self, message: str) -> None:
        """Raise an InputError with the message where data are lists, of which no outcome is one."""
        if self.lists:
            raise InputError(message)

    @cached_property
    def why_no_exact_value(self) -> str:
        """Why limits that are computed for every trial are not compared with exact values."""
        limits = "their limits are random"
        return limits if self.has_outcomes else "no exact engine has values for them"

    @cached_property
    def has_finitely_many(self) -> bool:
        """Whether the number of outcomes is finite, so that each may have trials of its own."""
        return self.has_outcomes and self.is_bounded

    @cached_property
    def counts_cases(self) -> bool:
        """Whether outcomes are counts of cases, which its sizes are numbers of."""
        return self.has_outcomes and self.model.SIZE_IS_COUNT

    @cached_property
    def has_fractions(self) -> bool:
        """Whether outcomes are x of n in one sample, and so fractions of n."""
        return self.has_single_count and self.is_bounded

    @cached_property
    def has_single_count(self) -> bool:
        """Whether an outcome is one count."""
        return len(self.counts) == 1

    @cached_property
    def has_opposite_samples(self) -> bool:
        """Whether the parameter has the other sign when its two samples change places."""
        return self.samples == 2 and not self.is_ratio and sum(self.directions) == 0

    @cached_property
    def has_counts_of_samples(self) -> bool:
        """Whether an outcome is a count of each sample."""
        return 0 < len(self.counts) == self.samples

    @cached_property
    def public_name(self) -> str:
        """The name without settings, as configs and tables have it."""
        return self.name if self.base is None else self.base.name

    @cached_property
    def has_line(self) -> bool:
        """Whether the tables with one value of the parameter are a linear constraint's."""
        of_pairs = self.of_pairs if self.as_pairs is None else self.as_pairs.family.of_pairs
        return of_pairs is not None and of_pairs.constraint is not None

    def size_of_counts(self, sizes: Sequence[T]) -> tuple[T, ...]:
        """Return the size that each count is of, in the order of ``counts``."""
        return tuple(sizes) * (len(self.counts) // len(self.sizes))

    @cached_property
    def has_clusters(self) -> bool:
        """Whether cases come in clusters, whose counts are the data."""
        return "clusters" in self.sizes and not self.labels_clusters

    @cached_property
    def labels_clusters(self) -> bool:
        """Whether the data have the label of the cluster of each case."""
        return "cluster" in self.data

    @cached_property
    def has_tasks(self) -> bool:
        """Whether tasks are tried by several samples each, whose counts are the data."""
        return "tasks" in self.sizes

    @cached_property
    def groups_cases(self) -> bool:
        """Whether cases come in clusters or tasks, which a column of a file of cases names."""
        return self.has_clusters or self.has_tasks or self.labels_clusters

    @cached_property
    def scores(self) -> int:
        """The number of scores of each case, positive or negative; 0 where there are no scores."""
        return sum(name.startswith("positives") for name in self.lists)

    @cached_property
    def free_symbols(self) -> tuple[str, ...]:
        """The symbols of the true values that are given; of pairs the last one follows."""
        return self.symbols[:-1] if self.shares_size else self.symbols

    @cached_property
    def curve_truths(self) -> tuple[tuple[str, str], ...]:
        """The column and the symbol of the truth that a curve goes over, then those it holds."""
        named = zip(self.truths, self.symbols, strict=True)
        return tuple((truth, symbol) for truth, symbol in named if symbol not in self.held)

    def with_free_truths(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return what is given with the ``free_symbols`` in place of the ``other_truths``."""
        if not set(self.other_truths) & set(given) or set(self.free_symbols) & set(given):
            return dict(given)
        missing = [name for name in self.other_truths if name not in given]
        if missing:
            raise InputError(
                f"{self.name} needs {enumerated(self.other_truths)}, found no {missing[0]}"
            )
        others = [np.asarray(given[name], np.float64) for name in self.other_truths]
        for name, values in zip(self.other_truths, others, strict=True):
            validate_values(values, ~((values >= 0) & (values <= 1)), name, "a number from 0 to 1")
        rest = {name: value for name, value in given.items() if name not in self.other_truths}
        return rest | dict(zip(self.free_symbols, self.from_other_truths(*others), strict=False))

    def numbered(self, name: str) -> tuple[str, ...]:
        """Return the name for each sample or cell: itself, or several with a suffix each."""
        return tuple(name + suffix for suffix in self.suffixes)

    def size_text(self, sizes: Sequence[float], digits: int = 15) -> str:
        """The sizes with their names: ``n = 50``, or ``n1 = 50, n2 = 20``."""
        named = zip(self.sizes, sizes, strict=True)
        return ", ".join(f"{name} = {size:.{digits}g}" for name, size in named)

    def has_closed_form(self, truth: Any) -> bool:
        """Whether the engine ``closed_form`` has values under a truth."""
        return CLOSED_FORM in self.engines and bool(truth.has_closed_form)

    @cached_property
    def options(self) -> tuple[str, ...]:
        """The names of all data that may be given: the columns, and summaries of lists."""
        return (*self.data, *self.summary)

    def arguments(self, counts: Sequence[Floats], sizes: Sequence[float]) -> dict[str, Any]:
        """Return the arguments of a user's function by name, in the order of ``data``.

        A count is an array of whole numbers of shape (m,), a size is one number; a list is an
        array of shape (m, w).

        Args: as of ``columns``.
        """
        by_name = dict(zip(self.sizes, sizes, strict=True)) if self.has_outcomes else {}
        given = self.columns(counts, sizes) if self.has_outcomes else counts
        number = int if self.model.SIZE_IS_COUNT else float
        kind = np.int64 if self.lists_are_counts else np.float64
        return {
            name: number(by_name[name]) if name in by_name else column.astype(kind)
            for name, column in zip(self.data, given, strict=True)
        }

    def data_of_arguments(self, arguments: Sequence[Floats]) -> tuple[Data, bool]:
        """Return the columns of arguments, as ``arguments`` has them, and whether they are several.

        Args:
            arguments: in the order of ``data``; each may lack the axis of shape (m,).
        """
        if self.lists:
            return self.columns([*map(np.atleast_2d, arguments)], ()), arguments[0].ndim > 1
        count = max(argument.size for argument in arguments)
        columns = tuple(
            argument if argument.ndim else np.full(count, argument) for argument in arguments
        )
        return columns, arguments[0].ndim > 0

    def outcomes_shape(self, data: Data) -> tuple[int, ...]:
        """Return the shape of the outcomes that validated data have."""
        return data[0].shape if self.has_outcomes else data[-1].shape[:-1]

    @cached_property
    def is_bounded(self) -> bool:
        """Whether each sample has finitely many outcomes, and so a parameter of finite range."""
        return self.model.IS_BOUNDED

    @cached_property
    def ends_of_truths(self) -> Span:
        """The ends of the first true value's range that an axis close to them reaches.

        Infinite ends are never close: those of a rate, and of what is no parameter of a sample.
        """
        has_ends = self.is_bounded and self.truth_is_of_sample
        return self.model.SUPPORT if has_ends else (-np.inf, np.inf)

    @cached_property
    def exposures(self) -> tuple[str, ...]:
        """The names of the sizes that are amounts, of which counts have no largest one."""
        return () if self.model.SIZE_IS_COUNT else self.sizes

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
            is_listed = not isinstance(prior, str | Mapping)
            if not is_listed or any(isinstance(value, str | bool) for value in prior):
                raise TypeError
            numbers = tuple(float(value) for value in prior)
            if len(numbers) != len(self.model.PRIOR_SYMBOLS):
                raise TypeError
        except (TypeError, ValueError):
            raise InputError(f"prior should be {expected}, found {prior!r}") from None
        if not (np.isfinite(numbers).all() and self.is_valid_prior(numbers)):
            text = enumerated(f"{number:g}" for number in numbers)
            raise InputError(f"prior should be {expected}, found {text}")
        return numbers

    @cached_property
    def prior_form(self) -> str:
        """A prior with the symbols of its parameters: ``Beta(a, b)``."""
        return f"{self.model.PRIOR}({', '.join(self.model.PRIOR_SYMBOLS)})"

    @cached_property
    def prior_range(self) -> str:
        """What the parameters of a prior may be, in words."""
        words = f"{self.model.PRIOR_RANGE}, no shape above 10^9"
        if self.samples == 1:
            return words
        return f"{words}, of two samples none below {SMALLEST_SHAPE_OF_TWO}"

    def is_valid_prior(self, prior: Prior) -> bool:
        """Whether the numbers are the parameters of a prior of this family."""
        # Both parameters of a Beta distribution are shapes, of a Gamma distribution the first.
        shapes = prior if self.is_bounded else prior[:1]
        smallest = 0.0 if self.samples == 1 else SMALLEST_SHAPE_OF_TWO
        is_in_range = smallest <= min(shapes) and max(shapes) <= LARGEST_COUNT
        return is_in_range and self.model.is_valid_prior(prior)

    def posterior(self, data: Data, prior: Prior) -> Any:
        """Return the posterior of the parameter for each outcome, with the prior of each sample.

        Raises:
            HarnessError: the parameter has no closed posterior.
        """
        if self.closed_posterior is None:
            raise HarnessError(f"the parameter of {self.name} has no closed posterior")
        return self.closed_posterior(data, prior)


def validate_names(
    family: str, expected: Sequence[str], given: Mapping[str, object], needs: str = "needs the data"
) -> None:
    """Refuse data with other names than those expected.

    Raises:
        InputError: a name is missing or unknown.
    """
    if set(given) != set(expected):
        text = ", ".join(sorted(given)) or "nothing"
        raise InputError(f"{family} {needs} {enumerated(expected)}, found {text}")
