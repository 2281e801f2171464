"""The search for the size from which on a limit is beyond a value with a given probability.

The probability rises with the size, but not with every step: counts are whole numbers, so that it
is a saw-tooth about a smooth curve. The sizes about the crossing of that curve with the goal are
all computed, as far as the teeth reach.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
from scipy.special import ndtri

from harness.base.errors import InputError
from harness.base.numerics.arrays import Bools, Floats, Integers
from harness.callers.source import CatalogueSource, Source
from harness.distributions.sampling.law import NATS as ALL_NATS
from harness.families.combination import Span
from harness.families.family import Family
from harness.methods.catalogue import methods_for
from harness.methods.method import Method
from harness.planning.decisions import (
    LEFT_OUT,
    NATS,
    Decide,
    Decisions,
    Layout,
    Lines,
    PairedLayout,
    SampleLayout,
    ShareLayout,
    all_outcomes,
    borders,
)
from harness.planning.goals import (
    Bound,
    Ladder,
    LadderQuestion,
    SufficientSize,
    Tried,
    WholeNumbers,
    is_reached,
)

STEADY_TO = 0.3
"""Up to this one-sided alpha ``Method.steady_from`` was tested."""
_LINES_AT_ONCE = 1 << 15
TABLES, QUADRATURES, LIMITS = 1 << 9, 1 << 17, 1 << 20
"""The decisions of a search that computes more sizes than it has to: by the probabilities of whole
tables, as of methods that have a largest size, by quadratures of posteriors and conditional sums of
two samples, and by formulas."""
_MOST_OF_TEETH = 4
"""So many times as many may be computed as far as the saw-tooth reaches."""
TIMES, AT_LEAST_TIMES = 4.0, 1.25
"""Every size is computed up to so many times the answer, where decisions suffice."""
_TEETH = 2.0
"""The probability is to be so many times the largest fall away from the goal at both ends."""
_FAR, _LITTLE = 2.0, 1.0 / 8.0
"""A method is named as one that can answer where so many times the size that is too large for
another one takes this share of its decisions."""
_EXPECTED = 20.0
"""The expected count of the rarest outcome up to which sizes are doubled at least."""


class TooManyDecisionsError(InputError):
    """The sizes that may be the answer need more decisions than a search makes."""


@dataclass(frozen=True)
class PowerQuestion(LadderQuestion):
    """Which sizes have a limit beyond a value with a given probability, at one truth?"""

    goal: Bound
    layout: Layout
    decide: Decide
    method: Method
    alpha: float
    truths: Sequence[float]
    tried: Tried = field(default_factory=Tried, repr=False, compare=False)
    """The sizes whose probability was computed."""

    @property
    def words(self) -> str:
        """What is asked for, and by which method."""
        return f"{self.goal.words} by {self.method.name}"

    @property
    def steady(self) -> bool:
        """Whether limits rise with the first count, so that lines have borders."""
        return self.method.steady_from <= self.alpha <= STEADY_TO

    @property
    def most(self) -> int:
        """The decisions of a search that computes more sizes than it has to."""
        if self.method.largest_size is not None:
            return TABLES
        sums = self.method.category == "exact" and self.family.samples == 2
        return QUADRATURES if sums or self.method.decides is not None else LIMITS

    def by(self, method: Method) -> PowerQuestion:
        """Return the question for another method of the family, with its default prior."""
        value, side = self.goal.value, self.goal.side
        decide = partial(method.is_beyond, value=value, alpha=self.alpha, side=side)
        layout = PairedLayout(method.uses_both) if self.family.of_pairs else self.layout
        return replace(self, method=method, decide=decide, layout=layout)

    @property
    def fewest(self) -> int:
        """The fewest sizes by which the search goes on."""
        return 8 if self.method.largest_size is None else 2

    def decided(self, sizes: Floats, spans: Sequence[Span], nats: float) -> Decisions:
        """Return the decisions on the outcomes of sizes that matter for ranges of true values."""
        lines = self.layout.lines(sizes, spans, nats)
        decisions = borders if self.steady else all_outcomes
        return decisions(self.layout, lines, self.decide, above=self.goal.is_above)

    def decisions_of(self, lines: Lines) -> float:
        """Return about how many decisions some lines take."""
        if self.steady:
            return 3.0 * lines.row.size
        # Methods whose limits fall are closed formulas.
        return 0.125 * float((lines.last - lines.first + 1.0).sum())

    def work(self, number: int) -> float:
        """Return about how many decisions the size with this number takes."""
        spans = [(truth, truth) for truth in self.truths]
        lines = self.layout.lines(self.sizes(np.array([number])), spans, NATS)
        work = self.decisions_of(lines)
        # The only line of a size of one sample costs more than one of many.
        return work if lines.total[0] > 0 else 4.0 * work

    def reached(self, numbers: Integers) -> Floats:
        """Return the probability at each size, shape (N,).

        Outcomes of a total probability of at most 1e-10 are left out, but where the goal is as near
        as that.
        """
        sizes = self.sizes(numbers)
        probabilities = self.probabilities(sizes)
        near = np.abs(probabilities - self.target) <= 2.0 * LEFT_OUT
        probabilities[near] = self.probabilities(sizes[near], ALL_NATS)
        return probabilities

    def probabilities(self, sizes: Floats, nats: float = NATS) -> Floats:
        """Return the probability at rows of sizes, shape (N,)."""
        spans = [(truth, truth) for truth in self.truths]
        probabilities, start, at_once = np.empty(len(sizes)), 0, 1
        while start < len(sizes):
            part = sizes[start : start + at_once]
            decisions = self.decided(part, spans, nats)
            values = decisions.probabilities(self.truths, len(part))
            probabilities[start : start + len(part)] = values
            self.tried.add(self.words, part[:, 0], is_reached(self.goal, values), values)
            start += len(part)
            # As many sizes as make a table of a bounded number of lines.
            lines = decisions.lines.row.size / len(part)
            at_once = max(1, min(8 * at_once, int(_LINES_AT_ONCE / lines)))
        return probabilities

    def wider(self, computed: _Computed, number: int, most: float) -> tuple[int, int]:
        """The next range of numbers to compute: as far as the decisions that are left suffice."""
        size = _size(self.ladder, number)
        for times, first in ((AT_LEAST_TIMES, computed.first), (AT_LEAST_TIMES, 1), (TIMES, 1)):
            last = min(self.ladder.number_from(times * size), self.ladder.last)
            last = max(last, computed.last)
            if (first, last) == (computed.first, computed.last):
                continue
            cost = computed.cost(first, computed.first - 1) + computed.cost(computed.last + 1, last)
            if computed.spent + cost > most:
                break
            return first, last
        return computed.first, computed.last

    def of_small_sizes(self) -> tuple[int | None, Ladder]:
        """Return where another method crosses the goal, and the sizes that the method itself takes.

        Raises:
            InputError: the method takes no such size.
        """
        method, family = self.method, self.family
        assert method.largest_size is not None
        other = next(
            candidate
            for candidate in methods_for(family).values()
            if candidate.largest_size is None
            and candidate.decides is None
            and self.goal.side in candidate.sides
            and candidate.steady_from <= self.alpha
        )
        crossing = _crossing(self.by(other))
        last = int(method.largest_size / max(1.0, self.ratio))
        if crossing is not None and crossing > last:
            needed = family.size_text(self.sizes(np.array([crossing]))[0].tolist())
            raise InputError(
                f"{method.name} takes sizes of at most {method.largest_size:g}, and about {needed} "
                f"are needed; {other.name} takes any size"
            )
        return crossing, WholeNumbers(last)

    def extend_by_teeth(self, computed: _Computed) -> None:
        """Compute further sizes until no tooth beyond both ends can reach the goal.

        Raises:
            TooManyDecisionsError: that takes too many decisions.
        """
        ladder, target = self.ladder, self.target
        while True:
            room = _TEETH * computed.fall
            step = max(self.fewest, (computed.last - computed.first) // 4)
            first, last = computed.first, computed.last
            farthest = ladder.number_from(TIMES * _size(ladder, max(computed.failing, 1)))
            if computed.values.max() - target < room or computed.failing == computed.last:
                last = min(last + step, max(farthest, last), ladder.last)
            if target - computed.values.min() < room or computed.reached[0]:
                first = max(1, first - step)
            if (first, last) == (computed.first, computed.last):
                return
            cost = computed.cost(first, computed.first - 1) + computed.cost(computed.last + 1, last)
            if computed.spent + cost > _MOST_OF_TEETH * self.most:
                raise too_large(self, _size(ladder, computed.first))
            computed.extend(first, last)

    def sentence(self, computed: _Computed) -> str:
        """Say which sizes were computed exactly, and what excludes the others."""
        first, last = (_size(self.ladder, number) for number in (computed.first, computed.last))
        name = self.family.sizes[0]
        done = f"every {name} from {first:.15g} to {last:.15g} was computed exactly"
        falls = f"falls by {computed.fall:.2g} at most" if computed.fall > 0 else "never falls"
        above = f"among the largest of them it is up to {computed.values.max() - self.target:.2g}"
        below = f", among the smallest {self.target - computed.values.min():.2g} below it"
        return (
            f"{done}; where {name} grows the power {falls}, and {above} above what is asked for"
            f"{'' if computed.first == 1 else below}"
        )


def power_question(
    family: Family,
    goal: Bound,
    source: Source,
    alpha: float,
    ladder: Ladder,
    ratio: float,
    truths: Sequence[float],
) -> PowerQuestion | None:
    """Return the question, or None where its outcomes are no lines.

    They are lines of one sample, of two, of pairs, and of the metrics of a confusion table that are
    a share of some of its cases, without a stopping rule, and of a method of the catalogue.
    """
    if not isinstance(source, CatalogueSource) or family.stops:
        return None
    method = source.method
    layout: Layout
    if family.as_pairs is not None:
        if method.uses_both:
            return None
        layout = ShareLayout(family.as_pairs)
        every = family.all_truths([np.array(truth) for truth in truths])
        truths = family.as_pairs.share_at([float(cell) for cell in every])
    elif family.shares_size:
        layout = PairedLayout(method.uses_both)
    elif family.has_counts_of_samples:
        layout = SampleLayout(family)
    else:
        return None
    decide = partial(
        method.is_beyond, value=goal.value, alpha=alpha, side=goal.side, prior=source.prior
    )
    return PowerQuestion(family, goal, ladder, ratio, layout, decide, method, alpha, truths)


@dataclass
class _Computed:
    """The probability at consecutive numbers of sizes, and how many decisions it took."""

    question: PowerQuestion
    first: int
    last: int
    values: Floats = field(init=False)
    spent: float = 0.0

    def __post_init__(self) -> None:
        self.values = self._at(self.first, self.last)

    def _at(self, first: int, last: int) -> Floats:
        self.spent += self.cost(first, last)
        return self.question.reached(np.arange(first, last + 1))

    def cost(self, first: int, last: int) -> float:
        """Return about how many decisions the numbers from the first to the last take."""
        if first > last:
            return 0.0
        ends = (first, (first + last) // 2, last)
        return (last + 1 - first) * sum(self.question.work(number) for number in ends) / 3.0

    def extend(self, first: int, last: int) -> None:
        """Compute further numbers on both sides."""
        parts = [self.values]
        if first < self.first:
            parts.insert(0, self._at(first, self.first - 1))
        if last > self.last:
            parts.append(self._at(self.last + 1, last))
        self.first, self.last = min(first, self.first), max(last, self.last)
        self.values = np.concatenate(parts)

    @property
    def reached(self) -> Bools:
        return is_reached(self.question.goal, self.values)

    @property
    def failing(self) -> int:
        """The largest number that fails, or the one before the first."""
        failing = np.flatnonzero(~self.reached)
        return self.first - 1 if not failing.size else self.first + int(failing[-1])

    @property
    def fall(self) -> float:
        """The largest fall of the probability from one size to a larger one."""
        return float((np.maximum.accumulate(self.values) - self.values).max())


def search_power(question: PowerQuestion, *, thorough: bool = False) -> SufficientSize | None:
    """Return the size from which on every size reaches the goal; None where no size does.

    Args:
        question: the question.
        thorough: whether every size up to ``TIMES`` the answer is computed, whatever that takes.

    Raises:
        TooManyDecisionsError: the sizes about the answer are too large.
    """
    ladder = question.ladder
    if question.method.largest_size is None:
        crossing = _crossing(question)
    else:
        crossing, ladder = question.of_small_sizes()
        question = replace(question, ladder=ladder)
    if crossing is None:
        return None
    size = _size(ladder, crossing)
    beside = min(ladder.number_from(1.02 * size) - crossing, int(4.0 * crossing**0.5))
    beside = max(question.fewest, beside)
    last = min(crossing + beside, ladder.last)
    computed = _Computed(question, max(1, crossing - beside), last)
    most = np.inf if thorough else float(question.most)
    while True:
        question.extend_by_teeth(computed)
        number = ladder.answer_from(computed.failing + 1)
        wider = question.wider(computed, number, most)
        if wider == (computed.first, computed.last):
            break
        computed.extend(*wider)
    numbers = ladder.answers(np.arange(computed.first, number))
    by_luck = numbers[computed.reached[numbers - computed.first]]
    return SufficientSize(
        number, computed.last, tuple(by_luck.tolist()), question.sentence(computed)
    )


def _size(ladder: Ladder, number: int) -> float:
    return float(ladder.sizes(np.array([number]))[0])


def _crossing(question: PowerQuestion) -> int | None:
    """Return a number about which the probability crosses the goal; None where it never does.

    Sizes are doubled until the goal is well reached twice, and no count is likely to be 0. Between
    the last that fails and the next the normal quantile of the probability is about linear in the
    root of the size.
    """
    ladder, target = question.ladder, question.target
    well = 0.5 * (1.0 + target)
    size, sizes, values = _size(ladder, 1), [0.0], [0.0]
    chances = [*question.truths]
    if question.family.model.SIZE_IS_COUNT:
        chances += [1.0 - truth for truth in question.truths]
    # An interval of no width about a count that is 0 is beyond the value by luck.
    fewest = _EXPECTED / min((chance for chance in chances if chance > 0), default=1.0)
    while True:
        is_well = len(values) > 2 and values[-1] >= well and values[-2] >= target
        number = ladder.number_from(size)
        if number > ladder.last or (is_well and sizes[-1] >= fewest):
            break
        if question.work(number) > question.most / 2:
            if is_well:
                break
            raise too_large(question, sizes[-1])
        sizes.append(size)
        values.append(float(question.reached(np.array([number]))[0]))
        size *= 2.0
    failing = max(place for place, value in enumerate(values) if value < target)
    if failing == len(values) - 1:
        return None
    if failing == 0:
        # All of them reach it, by luck perhaps where a count is likely to be 0.
        return min(ladder.number_from(max(fewest, sizes[1])), ladder.last)
    low, high = sizes[failing : failing + 2]
    z_low, z_high = ndtri(np.clip(values[failing : failing + 2], 1e-9, 1.0 - 1e-9)).tolist()
    share = (float(ndtri(target)) - z_low) / max(z_high - z_low, 1e-9)
    root = np.sqrt(low) + np.clip(share, 0.0, 1.0) * (np.sqrt(high) - np.sqrt(low))
    return min(ladder.number_from(max(float(root) ** 2, sizes[1])), ladder.last)


def too_large(question: PowerQuestion, size: float) -> TooManyDecisionsError:
    """The refusal of an answer above a size, with methods that may find it."""
    family, number = question.family, question.ladder.number_from(_FAR * size)
    fitting = [
        question.by(method)
        for method in methods_for(family).values()
        if question.goal.side in method.sides
        and method.deterministic
        and method.largest_size is None
    ]
    work = {candidate.method.name: candidate.work(number) / candidate.most for candidate in fitting}
    others = [name for name in sorted(work, key=work.__getitem__) if work[name] < _LITTLE]
    cheaper = f"; {' and '.join(others[:2])} can answer" if others else ""
    return TooManyDecisionsError(
        f"{family.public_name}: the answer is above {family.sizes[0]} = {size:.6g}, and to find it "
        f"takes more than {_MOST_OF_TEETH * question.most:,} decisions{cheaper}"
    )
