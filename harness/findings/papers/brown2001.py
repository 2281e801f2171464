"""Claims of Brown, Cai and DasGupta (2001), by the names of the experiments.

L. D. Brown, T. T. Cai and A. DasGupta, "Interval estimation for a binomial proportion",
Statistical Science 16 (2001) 101–133.
"""

from __future__ import annotations

from collections.abc import Sequence

from harness.findings.numbers import percent
from harness.findings.papers.claim import Found, LackingError, Paper, rows, value, verdict
from harness.tables.results import Results

PAPER = Paper("Brown, Cai and DasGupta (2001)", "say")
_NOMINAL = 0.95
_NEAR = 0.01
"""How far from it an average may be that is close to it."""
_ERRATIC = 0.05
"""How far the worst coverage is below the average of one that is erratic, at least."""
_SMALL = 40
"""The paper recommends other intervals up to this size than beyond it."""
RECOMMENDED = ("wilson", "agresti_coull", "jeffreys")


_FIGURE = PAPER.figure("brown2001/recommended", "Statistical Science 16(2)")


def _sizes(results: Results) -> list[int]:
    found = rows(results.summary, "mean_coverage", engine="enumeration")
    return sorted(found["n"].unique().to_list())


def _exact(results: Results, column: str, method: str, sizes: Sequence[int]) -> list[float]:
    """A column of a method at sizes, by enumeration."""
    level = {"engine": "enumeration", "method": method, "alpha": 0.05}
    return [value(results.summary, column, n=n, **level) for n in sizes]


def _coverages(results: Results, method: str) -> list[tuple[int, float, float]]:
    """Of each size its number, the mean coverage of a method and the least one."""
    sizes = _sizes(results)
    mean, least = (_exact(results, f"{each}_coverage", method, sizes) for each in ("mean", "min"))
    return list(zip(sizes, mean, least, strict=True))


@_FIGURE.claim(
    "The coverage of the Wald interval is too low on average over p, and erratic.",
    "",
    "below 95 % on average at every size, and at worst 5 points and more below its average; in "
    "part: below 95 % on average",
)
def _wald(results: Results) -> Found:
    found = _coverages(results, "wald")
    texts = [
        f"{percent(mean)} on average, {percent(least)} at worst at n = {n}"
        for n, mean, least in found
    ]
    low = all(mean < _NOMINAL for _, mean, _ in found)
    erratic = all(least < mean - _ERRATIC for _, mean, least in found)
    return Found("; ".join(texts), verdict(low and erratic, low))


@_FIGURE.claim(
    "The Clopper-Pearson interval is conservative.",
    "at least 95 %",
    "the least coverage at every size",
)
def _conservative(results: Results) -> Found:
    found = _coverages(results, "clopper_pearson")
    texts = [
        f"at least {percent(least)}, {percent(mean)} on average at n = {n}"
        for n, mean, least in found
    ]
    return Found("; ".join(texts), verdict(min(least for *_, least in found) >= _NOMINAL - 1e-12))


@_FIGURE.claim(
    "On average over p the coverage is close to 95 %: of Wilson, of Agresti-Coull and of Jeffreys.",
    "",
    "within one percentage point at every size; in part: of one or two of them",
)
def _near_nominal(results: Results) -> Found:
    sizes = _sizes(results)
    texts, near = [], []
    for method in RECOMMENDED:
        means = _exact(results, "mean_coverage", method, sizes)
        if all(abs(each - _NOMINAL) <= _NEAR for each in means):
            near.append(method)
        texts.append(f"{method} {', '.join(percent(each) for each in means)}")
    at = ", ".join(map(str, sizes))
    ours = f"{'; '.join(texts)} at n = {at}; close of {', '.join(near) or 'none'}"
    return Found(ours, verdict(len(near) == len(RECOMMENDED), bool(near)))


def _lengths(results: Results, small: bool) -> dict[int, dict[str, float]]:
    """The expected lengths of the recommended methods, at small sizes or at the others.

    Raises:
        LackingError: there is no such size.
    """
    sizes = [n for n in _sizes(results) if (n <= _SMALL) == small]
    if not sizes:
        raise LackingError
    found = {each: _exact(results, "mean_length", each, sizes) for each in RECOMMENDED}
    return {n: {each: found[each][at] for each in RECOMMENDED} for at, n in enumerate(sizes)}


@_FIGURE.claim(
    "Where n is small the Agresti-Coull interval is the longest of the three.",
    "",
    "the expected length, averaged over p, at each n up to 40",
)
def _longest_of_three(results: Results) -> Found:
    texts, longest = [], []
    for n, lengths in _lengths(results, small=True).items():
        longest.append(max(lengths, key=lengths.__getitem__) == "agresti_coull")
        found = ", ".join(f"{each} {length:.3f}" for each, length in lengths.items())
        texts.append(f"{found} at n = {n}")
    return Found("; ".join(texts), verdict(all(longest)))


@_FIGURE.claim(
    "For n above 40 the three are of comparable length.",
    "",
    "expected lengths, averaged over p, within 5 %",
)
def _alike_when_large(results: Results) -> Found:
    found = _lengths(results, small=False).items()
    spreads = {n: max(each.values()) / min(each.values()) - 1 for n, each in found}
    texts = [f"within {percent(spread)} at n = {n}" for n, spread in spreads.items()]
    return Found("; ".join(texts), verdict(all(spread <= 0.05 for spread in spreads.values())))
