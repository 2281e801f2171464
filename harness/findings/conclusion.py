"""What a run has found, in the sentences that stand before its tables and after them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple
from typing import Any

import polars as pl

from harness.base.text import first_few
from harness.catalogue import family_in
from harness.families.family import ENUMERATION
from harness.findings.choice import Choice, candidates_of, choice
from harness.findings.judgements import AtAlpha, MethodJudgement
from harness.tables.answers import rounding_of
from harness.tables.columns import table_kind
from harness.tables.results import Results
from harness.tables.wording import covered, estimand_words, nominal, percent, significant

_MOST_NAMED = 3


def sentences(results: Results, judged: Sequence[AtAlpha]) -> list[str]:
    """What a run of coverage has found, in sentences.

    They say what intervals are scored against, at each alpha which method is the shortest that
    keeps it and which do not, and how short a method can be.
    """
    lines = (
        _outcomes_line(judgements) if judgements.outcomes else _line(judgements)
        for judgements in judged
    )
    return [
        *scored_against(results.manifest),
        *filter(None, lines),
        *least_lengths(results.summary),
    ]


def scored_against(manifest: Mapping[str, Any]) -> Iterator[str]:
    """Yield what intervals are scored against, unless it is a mean and all methods are for means.

    Args:
        manifest: of a run of the kind ``coverage``.
    """
    experiment, words = manifest["experiment"], estimand_words(manifest)
    if words:
        value = manifest["scored_against"]["value"]
        yield f"Intervals are scored against the {words} of the truth's law: {value:.6g}."
    elif family_in(experiment).has_estimands and table_kind(experiment).may_fail:
        yield (
            "Intervals are scored against the mean of the truth's law (estimand: median scores "
            "against its median)."
        )


def _outcomes_line(judged: AtAlpha) -> str:
    """The sentence on the outcomes, where only the posterior has been asked."""
    alpha = judged.alpha
    reached = {method: alpha - row["alpha_error_min"] for method, row in judged.outcomes.items()}
    above = [method for method, value in reached.items() if value > alpha + rounding_of(alpha)]
    if not above:
        return f"By the posterior no method covers less than {nominal(alpha)} at an outcome."
    highest = max(reached[method] for method in above)
    return (
        f"By the posterior {first_few(above)} {'covers' if len(above) == 1 else 'cover'} as "
        f"little as {covered(highest, alpha)} at an outcome, where {nominal(alpha)} is nominal."
    )


def _line(judged: AtAlpha) -> str:
    """The sentences of one alpha; empty where no method is judged."""
    if len(judged.methods) < 2:
        return "".join(_of_one(method, judged) for method in judged.methods)
    bound, count = nominal(judged.alpha), len(judged.methods)
    kept = [method for method in judged.methods if method.keeps]
    least = judged.shortest(kept)
    proven = all(method.is_proven for method in kept)
    never = "never covers" if proven else "was not found to cover"
    scope = _after(next((method.scope for method in judged.methods if method.scope), ""))
    if least is not None:
        which = "the shortest that" if len(kept) > 1 else "the only one that"
        first = f"Of {count} methods, {least.method} is {which} {never} less than {bound}{scope}."
    elif kept:
        names = first_few([method.method for method in kept])
        several = "never cover" if proven else "were not found to cover"
        first = f"{names} {never if len(kept) == 1 else several} less than {bound}{scope}."
    else:
        # A mean says less than a worst case, so that one is not held against the other.
        with_worst_case = [method for method in judged.methods if method.worst_case is not None]
        best = min(with_worst_case or judged.methods, key=lambda method: method.worst)
        where = ""
        if best.worst_case is None and best.worst > best.mean:
            where = " at every true value"
        elif best.worst_case is not None and not scope.startswith(" at"):
            where = " at worst"
        first = (
            f"None of {count} methods covers {bound}{where}{scope}; {best.method} comes nearest, "
            f"with {covered(best.worst, judged.alpha)}."
        )
    return f"{first} {_too_low_on_average(judged)}"


def _after(scope: str) -> str:
    """A scope behind other words."""
    return f" {scope}" if scope else ""


def _too_low_on_average(judged: AtAlpha) -> str:
    """Which methods cover less than the nominal coverage on average, each with how much."""
    by_mean = sorted(judged.methods, key=lambda method: -method.mean)
    above = [method for method in by_mean if method.above]
    about = [method for method in by_mean if method.about]
    if not (above or about):
        return f"On average none covers less than {nominal(judged.alpha)}."
    named = above or about
    parts = [
        f"{method.method} {covered(method.mean, judged.alpha)}" for method in named[:_MOST_NAMED]
    ]
    others = len(named) - _MOST_NAMED
    rest = f", and {'another' if others == 1 else f'{others} others'}" if others > 0 else ""
    means = f"{', '.join(parts)}{rest}"
    if above:
        return f"Coverage is too low on average: {means}."
    return f"On average none covers clearly less than {nominal(judged.alpha)}: {means}."


def _of_one(method: MethodJudgement, judged: AtAlpha) -> str:
    """The sentence of a run of one method."""
    alpha, worst = judged.alpha, ""
    if method.worst_case is not None:
        where = "worst" if method.is_exact else "the worst found"
        worst = f", and {covered(method.worst_case, alpha)} at {where}{_after(method.scope)}"
    if method.above:
        verdict = "too little"
    elif method.about:
        verdict = "about right on average"
    elif method.worst_case is None:
        verdict = "not too little on average"
    else:
        verdict = "never too little" if method.keeps else "right on average only"
    lowest = "as little as " if len(method.rows) > 1 else ""
    return (
        f"{method.method} covers {lowest}{covered(method.mean, alpha)} on average{worst}, where "
        f"{nominal(alpha)} is nominal: {verdict}."
    )


_BOUND, _DETERMINISTIC = "least_length_guaranteed", "least_length_deterministic"
_ANYWHERE = "worst_alpha_anywhere"


def least_lengths(summary: pl.DataFrame) -> Iterator[str]:
    """Yield a sentence for each alpha: the least mean length possible, and who comes nearest.

    Of several sizes it is about the largest with a bound. The method named is the shortest that
    never misses more often than alpha at any true value; of a rate there is none that is known to.

    Args:
        summary: of a run of the kind ``coverage``.

    Example:
        >>> rows = {
        ...     "family": "proportion",
        ...     "method": ["blaker", "wald"],
        ...     "engine": "enumeration",
        ...     "alpha": 0.05,
        ...     "n": 20,
        ...     "worst_alpha_anywhere": [0.05, 1.0],
        ...     "mean_length": [0.344835, 0.315999],
        ...     "least_length_guaranteed": 0.323766,
        ...     "least_length_deterministic": 0.344816,
        ... }
        >>> print(*next(least_lengths(pl.DataFrame(rows))).split(", "), sep=",\\n")
        No method that never misses more than 5 % can be shorter than 0.3238 on average,
        or than 0.3448 where limits are not random; blaker has 0.3448.
    """
    if _BOUND not in summary.columns:
        return
    rows = summary.filter(pl.col("engine") == ENUMERATION, pl.col(_BOUND).is_not_null())
    for part in rows.partition_by("alpha", maintain_order=True):
        alpha, (size,) = part["alpha"][0], family_in(part).sizes
        largest = part.filter(pl.col(size) == part[size].max())
        at = f"At {size} = {largest[size][0]:.12g} no" if part[size].n_unique() > 1 else "No"
        kept = largest.filter(pl.col(_ANYWHERE) <= alpha + rounding_of(alpha))
        best = kept.sort("mean_length", "method").head(1).to_dicts()
        has = [f"; {row['method']} has {significant(row['mean_length'])}" for row in best]
        whole = largest[_DETERMINISTIC][0] if _DETERMINISTIC in largest.columns else None
        without = (
            "" if whole is None else f", or than {significant(whole)} where limits are not random"
        )
        yield (
            f"{at} method that never misses more than {percent(alpha)} can be shorter than "
            f"{significant(largest[_BOUND][0])} on average{without}{''.join(has)}."
        )


def advice(judged: Sequence[AtAlpha]) -> Iterator[str]:
    """Yield which method to use in a run of two methods or more, a line for each alpha.

    It names the method to use, and the one for a guarantee where that is another one.
    """
    for at_alpha in judged:
        chosen = choice(candidates_of(at_alpha))
        if len(chosen.candidates) > 1:
            start = f"At {nominal(at_alpha.alpha)} use" if len(judged) > 1 else "Use"
            yield _advice_of(chosen, start)


def _advice_of(chosen: Choice, start: str) -> str:
    """Which method to use at one alpha, in a line that begins with ``start`` or with a warning."""
    use, never = chosen.default, chosen.never_above
    bound, parts = nominal(use.alpha), []
    if chosen.use is None:
        lowest = [percent(1 - factor * use.alpha) for factor in astuple(chosen.allowed)]
        parts.append(
            f"No method covers {lowest[0]} or more on average and {lowest[1]} or more at "
            f"worst; {use.method} comes nearest."
        )
    worst = use.worst_judgement
    at_worst = "at worst" if worst.is_exact else "at the worst found"
    means = mean_coverages(use.mean, min(use.means))
    parts.append(use_of(f"{start} {use.method}", means, use.worst, worst.std_error, at_worst))
    if never is None:
        if any(candidate.keeps for candidate in chosen.candidates):
            parts.append(f"Of no method is it proven that it never covers less than {bound}.")
        else:
            parts.append(f"No method of this run covers {bound} or more at every true value.")
    elif never is not use:
        ratio = never.length / use.length
        longer = f"{percent(abs(ratio - 1), 2)} {'longer' if ratio >= 1 else 'shorter'}"
        parts.append(
            f"Where coverage must never be below {bound}, use {never.method}, whose intervals "
            f"are {longer}."
        )
    return " ".join(parts)


def use_of(use: str, means: str, worst: float, std_error: float | None, where: str) -> str:
    """The sentence that a method is to be used, with its coverages.

    Args:
        use: the words up to the name of the method.
        means: as ``mean_coverages`` returns them.
        worst, std_error: how often it misses at worst, with the standard error if it has one.
        where: the words for the place of that.
    """
    error = f" (± {percent(std_error, 2)})" if std_error else ""
    return f"{use}: it covers {means} on average, {percent(1 - worst)}{error} {where}."


def mean_coverages(most: float, least: float) -> str:
    """The coverage on average, of several truths or sizes its range: ``94.8 to 95.3 %``.

    Args:
        most, least: how often a method misses on average at most and at least.
    """
    low, high = percent(1 - most), percent(1 - least)
    return low if low == high else f"{low.removesuffix(' %')} to {high}"
