"""Which method to use: one rule, for the defaults of the families and for the end of a run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from harness.families.family import MONTE_CARLO
from harness.findings.conclusion import Found, found_at, is_clearly_above
from harness.findings.manifest import worst_cases_are_exact
from harness.findings.numbers import nominal, percent
from harness.tables.answers import rounding_of
from harness.tables.columns import TRUTH
from harness.tables.results import Results

WITHIN = 0.1
"""A mean alpha is about right where it differs from alpha by at most this part of alpha."""
_TIED = 1e-9
"""Worst cases and lengths that differ by at most so much are ties."""


@dataclass(frozen=True)
class Candidate:
    """What the rule looks at of one method, over all sizes of a run."""

    method: str
    means: tuple[float, ...]
    """The mean alpha at each size."""
    worst: float
    """The largest worst alpha of a size; of lists, the largest alpha at a listed truth."""
    std_error: float
    """Of the worst alpha, where it is estimated from trials; else 0."""
    about_right: bool
    """Whether the mean alpha is within a tenth of alpha at every size."""
    never_above: bool
    """Whether the worst alpha is at most alpha, or an estimate not above it but by chance."""
    relative_length: float
    """The mean length over that of the shortest method at the same size, averaged over sizes."""


@dataclass(frozen=True)
class Choice:
    """The methods that the rule takes at one alpha; None where no method qualifies."""

    alpha: float
    use: Candidate | None
    """Of the methods whose mean alpha is within a tenth of alpha at every size, the one whose
    largest worst alpha over the sizes is smallest; of ties the shortest."""
    never_above: Candidate | None
    """Of the methods whose alpha is above alpha at no truth, the shortest on average over sizes."""
    candidates: tuple[Candidate, ...]
    """All methods that were compared, in the order of the run."""

    @property
    def default(self) -> Candidate:
        """``use``; where none qualifies ``never_above``, or else the smallest worst alpha."""
        worst = min(self.candidates, key=lambda each: each.worst)
        return self.use or self.never_above or worst


def choices(results: Results) -> Iterator[Choice]:
    """Apply the rule to the two-sided methods of a run, at each of its alphas."""
    for alpha in results.summary["alpha"].unique(maintain_order=True).to_list():
        found = [each for each in found_at(results.summary, alpha) if each.lengths is not None]
        candidates = tuple(_candidate(results, each, alpha, found) for each in found)
        right = [each for each in candidates if each.about_right]
        least = min((each.worst for each in right), default=0.0) + _TIED
        yield Choice(
            alpha,
            _shortest([each for each in right if each.worst <= least]),
            _shortest([each for each in candidates if each.never_above]),
            candidates,
        )


def advice(results: Results) -> Iterator[str]:
    """Yield what the rule says of a run of two methods or more, a line for each alpha."""
    every = list(choices(results))
    worst = "at worst" if worst_cases_are_exact(results.manifest) else "at the worst found"
    for choice in every:
        if len(choice.candidates) > 1:
            yield " ".join(_sentences(choice, worst, several=len(every) > 1))


def _sentences(choice: Choice, at_worst: str, *, several: bool) -> Iterator[str]:
    """What the rule says at one alpha: the method to use, and the one for a guarantee."""
    bound, never = nominal(choice.alpha), choice.never_above
    one = choice.default
    if choice.use is None:
        yield (
            f"No method covers {bound} to within {percent(WITHIN * choice.alpha)} on average at "
            "every size."
        )
    head = f"At {bound} use" if several else "Use"
    covered = f"{_mean_coverage(one)} on average, {_worst_coverage(one)} {at_worst}"
    yield f"{head} {one.method}: it covers {covered}."
    if never is None:
        yield f"In its worst case no method of this run covers {bound} or more."
    elif never is not one:
        yield (
            f"Where coverage must never be below {bound}, use {never.method}, whose intervals "
            f"are {_longer(never, one)}."
        )


def _mean_coverage(one: Candidate) -> str:
    """The coverage on average, of several sizes its range."""
    low, high = percent(1 - max(one.means)), percent(1 - min(one.means))
    return low if low == high else f"{low.removesuffix(' %')} to {high}"


def _worst_coverage(one: Candidate) -> str:
    error = f" (± {percent(one.std_error, 2)})" if one.std_error else ""
    return f"{percent(1 - one.worst)}{error}"


def _longer(one: Candidate, than: Candidate) -> str:
    """How its length compares, in words."""
    ratio = one.relative_length / than.relative_length
    return f"{percent(abs(ratio - 1), 2)} {'longer' if ratio >= 1 else 'shorter'}"


def _candidate(results: Results, found: Found, alpha: float, others: Sequence[Found]) -> Candidate:
    """What the rule looks at of one method, whose lengths are compared with those of all."""
    worst, error, never = _worst(results, found, alpha)
    means = tuple(float(each["actual_alpha"]) for each in found.rows)
    lengths = zip(found.lengths or (), *(each.lengths or () for each in others), strict=True)
    relative = [own / min(every) if min(every) > 0 else 1.0 for own, *every in lengths]
    return Candidate(
        method=found.method,
        means=means,
        worst=worst,
        std_error=error,
        about_right=all(abs(each - alpha) <= WITHIN * alpha + rounding_of(alpha) for each in means),
        never_above=never,
        relative_length=sum(relative) / len(relative),
    )


def _worst(results: Results, found: Found, alpha: float) -> tuple[float, float, bool]:
    """The largest alpha at a truth, its standard error, and whether none is above alpha.

    It is the worst case where one is known; where none is, as of lists, the largest alpha at a
    listed truth, or else on average over a distribution.
    """
    if found.worst is not None:
        return found.worst, 0.0, found.worst <= alpha + rounding_of(alpha)
    engine = found.rows[0]["engine"]
    cells = results.cells.filter(given=TRUTH, engine=engine, alpha=alpha)
    rows = cells.filter(method=found.method).drop_nulls("actual_alpha").to_dicts() or found.rows
    worst = max(rows, key=lambda row: float(row["actual_alpha"]))
    if engine == MONTE_CARLO:
        never = not any(is_clearly_above(row, alpha, cells.height) for row in rows)
    else:
        never = worst["actual_alpha"] <= alpha + rounding_of(alpha)
    return float(worst["actual_alpha"]), float(worst["std_error"] or 0.0), never


def _shortest(candidates: Sequence[Candidate]) -> Candidate | None:
    """The shortest one; of ties the first by name."""
    least = min((each.relative_length for each in candidates), default=0.0) + _TIED
    tied = [each for each in candidates if each.relative_length <= least]
    return min(tied, key=lambda each: each.method, default=None)
