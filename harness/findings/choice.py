"""Which method to use: one rule over one truth or several, for runs and for defaults alike."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from harness.findings.allowance import USUAL, Allowance
from harness.findings.judgements import AtAlpha, MethodJudgement
from harness.tables.answers import rounding_of

SHORTER = 1e-3
"""The relative difference of lengths up to which the method with the better worst case is used."""


@dataclass(frozen=True)
class Candidate:
    """What decides whether a method is recommended at one alpha."""

    method: str
    alpha: float
    means: tuple[float, ...]
    """The mean alpha under each truth at each size."""
    losses: tuple[float, ...]
    """The mean length under each truth at each size, in the same order; of a bound the mean
    distance from the truth where it lies on the right side."""
    judged: tuple[MethodJudgement, ...] = field(repr=False)
    """The judgements that know the worst alpha: under each truth that is within no other one."""

    @cached_property
    def worst_judgement(self) -> MethodJudgement:
        """The judgement with the largest worst alpha."""
        return max(self.judged, key=lambda judgement: judgement.worst)

    @property
    def mean(self) -> float:
        """The largest mean alpha."""
        return max(self.means)

    @property
    def worst(self) -> float:
        """The largest worst alpha."""
        return self.worst_judgement.worst

    @cached_property
    def length(self) -> float:
        """The geometric mean of the losses, of which ratios mean something."""
        tiny = [math.log(max(loss, math.ulp(0.0))) for loss in self.losses]
        return math.exp(sum(tiny) / len(tiny))

    @property
    def keeps(self) -> bool:
        """Whether alpha is exceeded at no truth, or by an estimate only as chance explains."""
        return all(judgement.keeps for judgement in self.judged)

    @property
    def is_proven(self) -> bool:
        """Whether more than a search or an estimate says how often a truth is missed at most."""
        return all(judgement.is_proven for judgement in self.judged)

    def excess(self, allowed: Allowance) -> float:
        """The larger one of both alphas over what is allowed; at most 1 of one that qualifies."""
        slack = rounding_of(self.alpha)
        return max(
            (self.mean - slack) / (allowed.mean * self.alpha),
            (self.worst - slack) / (allowed.worst * self.alpha),
        )

    def qualifies(self, allowed: Allowance) -> bool:
        """Whether it misses no more often than is allowed, on average and at worst."""
        return self.excess(allowed) <= 1.0


@dataclass(frozen=True)
class Choice:
    """The methods that the rule takes at one alpha; None where no method qualifies."""

    candidates: tuple[Candidate, ...]
    """All methods that were compared, in the order of the run."""
    allowed: Allowance
    use: Candidate | None
    """The shortest method that qualifies, by the geometric mean of lengths over truths and sizes;
    among those within ``SHORTER`` of it the one with the smallest worst alpha."""
    never_above: Candidate | None
    """The shortest of the methods of which it is proven that their alpha is above alpha at no
    truth."""

    @property
    def default(self) -> Candidate:
        """``use``; where none qualifies the method that exceeds what is allowed by least."""
        return self.use or min(
            self.candidates,
            key=lambda candidate: (candidate.excess(self.allowed), candidate.length),
        )


def choice(candidates: Iterable[Candidate], allowed: Allowance = USUAL) -> Choice:
    """Which method to use at one alpha.

    Args:
        candidates: the methods, of one side.
        allowed: how many times alpha a method may miss.
    """
    compared = tuple(candidates)
    proven = [candidate for candidate in compared if candidate.keeps and candidate.is_proven]
    return Choice(
        compared,
        allowed,
        _shortest([candidate for candidate in compared if candidate.qualifies(allowed)]),
        _shortest(proven),
    )


def candidates_of(judged: AtAlpha) -> list[Candidate]:
    """The two-sided methods of a run, which has one truth."""
    return [
        Candidate(
            judgement.method, judged.alpha, judgement.means, judgement.lengths or (), (judgement,)
        )
        for judgement in judged.with_lengths
    ]


def _shortest(candidates: Sequence[Candidate]) -> Candidate | None:
    """The shortest; of those as short as it, the one with the smallest worst alpha."""
    least = min((candidate.length for candidate in candidates), default=0.0)
    tied = [candidate for candidate in candidates if candidate.length <= (1.0 + SHORTER) * least]
    return min(
        tied,
        key=lambda candidate: (candidate.worst, candidate.length, candidate.method),
        default=None,
    )
