"""The smallest size from which on a method's intervals are as short, or as decisive, as asked."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from harness.base.arguments import quoted, validate_number, validate_probability
from harness.base.errors import InputError
from harness.base.frames import Tabular
from harness.base.numerics.arrays import Floats
from harness.base.underway import underway
from harness.catalogue import design_for
from harness.distributions.sampling.law import NATS as ALL_NATS
from harness.distributions.truths import Prior
from harness.families.combination import Span
from harness.families.data import levels_of
from harness.families.family import Family
from harness.methods.catalogue import default_method, find
from harness.methods.method import TWO_SIDED
from harness.names import FamilyName, MethodName
from harness.planning.arguments import AnyMethod, planned_family, source_of, truth_columns
from harness.planning.cheapest import JudgeQuestion, LabelledQuestion, LabelQuestion, label_question
from harness.planning.drawn import (
    DrawnQuestion,
    question_of_scores,
    question_of_table,
    refuse_out_of_reach,
)
from harness.planning.estimates import cost, is_smooth
from harness.planning.expectations import expectations_of, limits_rise
from harness.planning.goals import (
    PROBABILITY,
    AssuredWidth,
    Bound,
    Goal,
    Width,
    ladder_of,
    searching,
)
from harness.planning.lists import ListQuestion, find_number, list_question
from harness.planning.near import search_near
from harness.planning.power import PowerQuestion, power_question, search_power
from harness.planning.search import Question, TooLargeError

HALF_WIDTH, LENGTH, ABOVE, BELOW = "half_width", "length", "above", "below"
_Wanted = Mapping[str, float | None]
"""The width or the value that is asked for by one of these names; None of the others."""


@dataclass(frozen=True, repr=False)
class Size(Tabular):
    """The answer: the smallest size from which on every size reaches the goal.

    A size of a family of the package is also an attribute: ``n``, or ``n1`` and ``n2``, or an
    exposure.
    """

    sizes: Mapping[str, float]
    """The size of each sample by name; whole numbers of trials."""
    goal: str
    """What is reached: ``half_width``, ``length`` or ``probability``."""
    reached: float
    """The expected half-width or length, or the probability, with these sizes; over a range of
    truths the worst."""
    checked_to: float
    """Every size of the first sample from the answer up to this one reaches the goal."""
    question: Question | PowerQuestion | ListQuestion | LabelQuestion | DrawnQuestion = field(
        repr=False, compare=False
    )
    smaller: tuple[float, ...] = ()
    """Smaller sizes of the first sample that reach it by luck: a larger one does not."""
    std_error: float | None = None
    """The standard error of ``reached`` where it is a mean over data sets that were drawn."""
    assumes: str | None = None
    """What the answer rests on, where the data are lists."""
    strata: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """The cases of each stratum, by the name of the size of a sample; of strata alone."""
    assumed: Mapping[str, Any] = field(default_factory=dict)
    """What was not given and is taken: the method, and true proportions of 0.5."""
    one_sided_alpha: float | None = None
    """The alpha of the one limit that is to be beyond a value; None of a width."""
    checked: str | None = None
    """Which sizes were computed and what excludes the others; None where it is all of them up to
    ``checked_to``."""

    @property
    def n(self) -> float:
        """The number of trials, pairs or cases."""
        return self._size_of("n")

    @property
    def n1(self) -> float:
        """The number of trials or cases of the first sample."""
        return self._size_of("n1")

    @property
    def n2(self) -> float:
        """The number of trials or cases of the second sample."""
        return self._size_of("n2")

    @property
    def exposure(self) -> float:
        """The exposure."""
        return self._size_of("exposure")

    @property
    def exposure1(self) -> float:
        """The exposure of the first sample."""
        return self._size_of("exposure1")

    @property
    def exposure2(self) -> float:
        """The exposure of the second sample."""
        return self._size_of("exposure2")

    @property
    def k(self) -> float:
        """The number of runs."""
        return self._size_of("k")

    @property
    def clusters(self) -> float:
        """The number of clusters."""
        return self._size_of("clusters")

    @property
    def labelled(self) -> float:
        """The number of labelled cases."""
        return self._size_of("labelled")

    @property
    def unlabelled(self) -> float:
        """The number of cases without a label."""
        return self._size_of("unlabelled")

    def _size_of(self, name: str) -> float:
        if name not in self.sizes:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return self.sizes[name]

    @property
    def target(self) -> float:
        """The width or the probability that is asked for."""
        return self.question.goal.target

    def _columns(self) -> dict[str, Any]:
        numbers = {**self.sizes, self.goal: self.reached, "target": self.target}
        numbers["checked_to"] = self.checked_to
        if self.std_error is not None:
            numbers["std_error"] = self.std_error
        return {name: [number] for name, number in numbers.items()}

    def _caption(self) -> str:
        return "The smallest size from which on every size reaches the goal"

    def enough(self) -> str:
        """Say up to which size every size is enough, and which smaller ones are; empty of lists,
        and of data sets that are drawn, whose other sizes are not searched."""
        if self.assumes is not None or self.std_error is not None:
            return ""
        (name, answer), *_ = self.sizes.items()
        said = f"every {name} from {answer:.15g} to {self.checked_to:.15g} is enough"
        if self.smaller:
            listed = ", ".join(f"{size:.15g}" for size in self.smaller)
            return f"{said}; some smaller ones are too, but not all that follow them: {listed}"
        of_those = "" if self.checked is None else " of those that were computed"
        return f"{said}, and no smaller one{of_those}"

    def curve(self) -> tuple[Floats, Floats]:
        """Return sizes of the first sample about the answer, and what each of them reaches."""
        first = next(iter(self.sizes))
        with underway(lambda: f"computing what each {first} reaches"):
            return self.question.curve(self.sizes[first])


def size(
    family: FamilyName,
    method: MethodName | Callable[..., Any] | None = None,
    *,
    half_width: float | None = None,
    length: float | None = None,
    assurance: float | None = None,
    above: float | None = None,
    below: float | None = None,
    probability: float | None = None,
    ratio: float = 1.0,
    alpha: float = 0.05,
    prior: Prior | None = None,
    thorough: bool = False,
    **truths: float | Sequence[float],
) -> Size:
    """Find the smallest size such that an interval is short enough, or a bound beyond a value.

    The expectation Σ_x Pr(X = x | θ)·g(L(x), U(x)) is an exact sum over all outcomes, of two
    samples over all pairs of counts. It is of the width, or of 1 where the width is at most the
    one asked for or the one-sided limit is beyond the value. As it rises and falls with the size,
    the answer is the size from which on every size suffices. Every size up to four times the
    answer is checked, or 1.25 times where that takes long; of widths that would take long, every
    size about the answer, up to 1.05 times the answer at least: ``checked`` says why no other
    matters. Of more than 256 cases of "mcc", "kappa", "informedness" and an F score of another β
    than 1, or more than 16 where a width is by a posterior, it is the mean over tables that are
    drawn with a fixed seed.

    Args:
        family: what is estimated: "proportion", "rate", "proportion_difference", …; of "mean" the
            answer is the number k of runs with normal values; of "clustered_proportion" the
            number of clusters and of "stratified_difference" the cases of both samples, by the
            mean over 4096 data sets that are drawn; of "auc" the numbers of positives and
            negatives, and of "clustered_mean" and "clustered_difference" the number of clusters,
            by normal scores that are drawn.
        method: a name of the catalogue, an alias, or a function f(x, n, alpha) of the family's
            data that returns both limits. Its limits must be a function of the outcome. By default
            that of ``interval``.
        half_width: half the length that the interval has at most, (upper − lower)/2 of the
            limits clipped to the range of the parameter; of a ratio on the logarithm.
        length: the length that the interval has at most.
        assurance: the probability with which the width is at most the one asked for; by default
            its expectation is. In (0, 1).
        above: a value that the lower limit, one-sided at ``alpha``, is to be above.
        below: a value that the upper limit, one-sided at ``alpha``, is to be below.
        probability: the probability with which the limit is above or below the value; in (0, 1).
        ratio: the size of the second sample over that of the first; trials are rounded up.
        alpha: the probability outside the interval, in (0, 1).
        prior: as for ``interval``.
        thorough: whether every size up to four times the answer is computed, whatever time that
            takes.
        **truths: the true value of each sample by its symbol ("p", "rate", "p1", …), or a pair
            of numbers for every value from the first to the second. Of "mean" the sd of a run;
            of "clustered_proportion" p, rho and the size of a cluster, or a list of sizes that
            clusters have in turn; of "clustered_mean" and "clustered_difference" the sd of a score
            or of a difference, rho and the size, with ``design_effect`` for rho, or ``sd_between``
            and ``sd_within`` for both, and of a bound the mean; of "stratified_difference" p1, p2
            and the shares of the strata among the cases, a number for each stratum, of any sum,
            as 3 and 1; of "labelled_share" share, sensitivity, specificity and unlabelled, the
            number of other cases; without it, as of "judged_share", the cases and labels are found
            that cost least together, where ``label_cost`` is the cost of a label over that of a
            case; with 0 the error rates are known, as they are without a share, and the cases are
            found. Without any, for a width of proportions that are no ratio, all are 0.5.

    Returns:
        The sizes, what is reached there, up to where all sizes were checked, and the smaller sizes
        that reach the goal by luck. Exposures have three significant digits, rounded upwards.

    Raises:
        InputError: an argument is wrong, the goal is out of reach, or the answer is so large that
            not every size can be checked.
        IntervalNotFoundError: the method finds no interval.
        MethodError: the function fails.

    Example:
        >>> import harness
        >>> found = harness.size("proportion", "wilson", p=0.9, half_width=0.05)
        >>> found.n, round(found.reached, 5), found.checked_to
        (139, 0.0499, 556)
    """
    estimated = planned_family(family, truths, alpha, is_size=True)
    name = estimated.name
    assumed: dict[str, Any] = {}
    side = TWO_SIDED if above is below is None else "upper" if above is None else "lower"
    chosen: AnyMethod = method or default_method(estimated, side, has_prior=prior is not None).name
    if method is None:
        assumed["method"] = chosen
    is_width = half_width is not None or length is not None
    # A parameter of finite range is a proportion, or a mean or a difference of two.
    is_finite = estimated.has_counts_of_samples and math.isfinite(estimated.support[1])
    if is_width and is_finite and not truths:
        truths = dict.fromkeys(estimated.free_symbols, 0.5)
        assumed |= truths
    wanted = {HALF_WIDTH: half_width, LENGTH: length, ABOVE: above, BELOW: below}
    design = design_for(estimated)
    # The number of cases without a label may be given.
    plans_labels = design.plans_labels and not set(estimated.sizes) & set(truths)
    lists = design.lists
    if lists is not None and lists.draw_growing is not None:
        if prior is not None:
            raise InputError(f"size of {name} takes no prior")
        _validate_alpha(alpha)
        _validate_ratio(ratio)
        goal, level = _goal(estimated, wanted, assurance, probability), float(alpha)
        scores = question_of_scores(estimated, chosen, goal, level, truths, float(ratio))
        return _size_from_draws(scores, assumed, level)
    if lists is not None or plans_labels:
        others = {"assurance": assurance, ABOVE: above, BELOW: below, "prior": prior}
        others |= {PROBABILITY: probability}
        for option, value in others.items():
            if value is not None:
                raise InputError(f"size of {name} takes half_width or length, found {option}")
        goal = _goal(estimated, wanted, None, None)
        assert isinstance(goal, Width)
        _validate_alpha(alpha)
        if plans_labels:
            least_size = _size_of_judge(estimated, chosen, goal, alpha, truths)
        else:
            least_size = _size_of_lists(estimated, chosen, goal, alpha, truths, ratio)
        return replace(least_size, assumed=assumed)
    goal = _goal(estimated, wanted, assurance, probability)
    ranges = _ranges(estimated, estimated.with_free_truths(truths))
    _validate_alpha(alpha)
    _validate_ratio(ratio, estimated)
    alpha, ratio = float(alpha), float(ratio)
    if isinstance(chosen, str):
        find(estimated, chosen).refuse_finite_population("size")
    source = source_of(estimated, chosen, goal.side, prior)
    if isinstance(goal, Bound):
        _refuse_wrong_side(estimated, goal, ranges)
    # Counts are of the model's parameters: of a known judge of its probability of yes.
    ends = (estimated.model_parameter(np.array(span)).tolist() for span in ranges)
    ranges = tuple((low, high) for low, high in ends)
    ladder = ladder_of(estimated, goal, ranges, ratio)
    question: Question | PowerQuestion | None = None
    asks_every, lows = thorough, [low for low, _ in ranges]
    if isinstance(goal, Bound) and all(low == high for low, high in ranges):
        question = power_question(estimated, goal, source, alpha, ladder, ratio, lows)
    if question is None:
        expectations, ranges = expectations_of(estimated, goal, source, alpha, ranges)
        thorough |= estimated.stops or isinstance(goal, Bound)
        smooth, price = not thorough and is_smooth(source), cost(estimated, source)
        rises = limits_rise(estimated, source)
        question = Question(
            estimated, goal, ladder, ratio, expectations, ranges, rises, smooth, price, source
        )
    drawn = None
    if not asks_every:
        drawn = question_of_table(estimated, goal, source, alpha, lows)
    if drawn is not None:
        by_draws = _size_from_draws(drawn, assumed, alpha)
        if by_draws.n > drawn.summed_to:
            return by_draws
    with searching(estimated.sizes[0], question.tried):
        if isinstance(question, PowerQuestion):
            answer = search_power(question, thorough=thorough)
        else:
            try:
                answer = search_near(question, thorough=thorough)
            except TooLargeError:
                if drawn is None:
                    raise
                return by_draws
    if answer is None:
        last = question.sizes(np.array([ladder.last]))[0]
        largest = estimated.size_text(last.tolist(), 6)
        raise InputError(f"{name}: no size up to {largest} has {goal.words}")
    convert: Any = int if estimated.model.SIZE_IS_COUNT else float
    number = np.array([answer.number])
    sizes = question.sizes(number)
    (row,) = sizes.tolist()
    if isinstance(question, PowerQuestion):
        # With the outcomes that the search may leave out.
        reached = question.probabilities(sizes, ALL_NATS)
    else:
        reached = question.reached(number)
    checked, *smaller = ladder.sizes(np.array([answer.checked_to, *answer.by_luck])).tolist()
    return Size(
        sizes={key: convert(size) for key, size in zip(estimated.sizes, row, strict=True)},
        goal=goal.name,
        reached=float(reached[0]),
        checked_to=convert(checked),
        smaller=tuple(convert(size) for size in smaller),
        question=question,
        checked=answer.checked or None,
        assumed=assumed,
        one_sided_alpha=alpha if isinstance(goal, Bound) else None,
    )


def _size_from_draws(question: DrawnQuestion, assumed: Mapping[str, Any], alpha: float) -> Size:
    """The size by data sets that are drawn."""
    with searching(question.family.sizes[0], question.tried):
        question, number = question.about_answer()
        reached, error = question.reached(number)
        checked = question.sentence(number, error)
    return Size(
        sizes=dict(zip(question.names, question.sizes(number), strict=True)),
        goal=question.goal.name,
        reached=reached,
        checked_to=number,
        question=question,
        std_error=error,
        checked=checked,
        assumes=question.assumes,
        assumed=assumed,
        one_sided_alpha=alpha if isinstance(question.goal, Bound) else None,
    )


def _size_of_lists(
    family: Family,
    method: AnyMethod,
    goal: Width,
    alpha: float,
    given: Mapping[str, Any],
    ratio: float,
) -> Size:
    """The smallest number of runs, clusters, or cases of strata."""
    _validate_ratio(ratio)
    question = list_question(family, method, float(alpha), goal, given, ratio)
    with searching(family.sizes[0], question.tried):
        number = find_number(question)
    reached, error = question.width(number)
    strata = question.strata(number)
    return Size(
        sizes={key: sum(cases) for key, cases in strata.items()} or {family.sizes[0]: number},
        goal=goal.name,
        reached=reached,
        checked_to=number + question.period - 1,
        question=question,
        std_error=error if error > 0 else None,
        assumes=question.assumes,
        strata=strata,
    )


def _size_of_judge(
    family: Family, method: AnyMethod, goal: Width, alpha: float, given: Mapping[str, Any]
) -> Size:
    """The cheapest numbers of cases and labels."""
    kind = LabelledQuestion if family.labels_cases else JudgeQuestion
    question = label_question(kind, family, method, alpha, goal, given)
    n, labels = question.cheapest
    reached, error = question.width(n, labels)
    return Size(
        sizes=dict(zip(family.sizes, question.sizes(n, labels), strict=True)),
        goal=goal.name,
        reached=reached,
        checked_to=n,
        question=question,
        std_error=error,
        assumes=question.assumes,
    )


def _goal(
    family: Family, wanted: _Wanted, assurance: float | None, probability: float | None
) -> Goal:
    """Return the one goal that is asked for.

    Raises:
        InputError: there is none, or more than one, or a number is out of range.
    """
    given = {name: value for name, value in wanted.items() if value is not None}
    if len(given) != 1:
        names = ", ".join(given) or "nothing"
        raise InputError(f"size needs one of {', '.join(wanted)}, found {names}")
    ((name, value),) = given.items()
    validate_number(name, value)
    if not math.isfinite(value):
        raise InputError(f"{name} should be a finite number, found {value:g}")
    if name in (ABOVE, BELOW):
        if probability is None or assurance is not None:
            raise InputError(f"{name} needs a probability, and takes no assurance")
        validate_probability("probability", probability)
        return Bound(float(value), name == ABOVE, float(probability))
    if probability is not None:
        raise InputError(f"{name} takes an assurance, and no probability")
    if value <= 0:
        raise InputError(f"{name} should be above 0, found {value:g}")
    width = Width(family, float(value), name)
    if assurance is None:
        if family.is_ratio:
            raise InputError(
                f"the size of {family.name} needs an assurance: an interval of infinite length "
                "has a probability above 0 at every size, so that no expected length is finite"
            )
        return width
    validate_probability("assurance", assurance)
    return AssuredWidth(width, float(assurance))


def _validate_alpha(alpha: float) -> None:
    validate_probability("alpha", alpha)
    levels_of(alpha)


def _validate_ratio(ratio: float, family: Family | None = None) -> None:
    validate_number("ratio", ratio)
    if not 1e-3 <= ratio <= 1e3:
        raise InputError(f"ratio should be a number from 0.001 to 1000, found {ratio:g}")
    if family is not None and family.samples == 1 and ratio != 1:
        raise InputError(f"{family.name} has one size, and takes no ratio")


def _ranges(family: Family, given: Mapping[str, Any]) -> tuple[Span, ...]:
    """Return the range of each sample's true value.

    Raises:
        InputError: a true value is missing, unknown or out of range.
    """
    if set(given) != set(family.free_symbols):
        wanted = " and ".join(family.free_symbols)
        names = ", ".join(sorted(given)) or "nothing"
        raise InputError(f"size of {family.name} needs {wanted}, found {names}")
    columns = truth_columns(family, given)
    for name, column in zip(family.free_symbols, columns, strict=True):
        if family.shares_size and column.shape != ():
            raise InputError(f"{name} of pairs should be one number, found {quoted(given[name])}")
        if column.shape not in ((), (2,)) or (column.size == 2 and column[0] > column[1]):
            raise InputError(
                f"{name} should be a number, or two for a range, the smaller first, found "
                f"{quoted(given[name])}"
            )
    family.all_truths([column.ravel()[:1] for column in columns])
    return tuple((float(column.min()), float(column.max())) for column in columns)


def _refuse_wrong_side(family: Family, goal: Bound, ranges: tuple[Span, ...]) -> None:
    """Refuse a value that a truth is equal to, or on the wrong side of.

    Raises:
        InputError: the value is out of reach.
    """
    if goal.is_above and goal.value < family.support[0]:
        return
    if not goal.is_above and goal.value > family.support[1]:
        return
    if family.shares_size:
        nearest = [low for low, _ in ranges]
    else:
        ends = zip(family.combination.directions, ranges, strict=True)
        nearest = [
            low if (direction > 0) == goal.is_above else high for direction, (low, high) in ends
        ]
    truths = family.all_truths([np.array([value]) for value in nearest])
    parameter = float(family.parameter_at(truths)[0])
    named = zip(family.free_symbols, nearest, strict=True)
    where = ", ".join(f"{name} = {value:.15g}" for name, value in named)
    refuse_out_of_reach(family, goal, parameter, where)
