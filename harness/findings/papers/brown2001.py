"""Claims of Brown, Cai and DasGupta (2001), by the names of the experiments.

L. D. Brown, T. T. Cai and A. DasGupta, "Interval estimation for a binomial proportion",
Statistical Science 16 (2001) 101–133.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from harness.findings.numbers import percent
from harness.findings.papers.claim import Claim, Found, LackingError, rows, value, verdict
from harness.tables.results import Results

SOURCE = "Brown, Cai and DasGupta (2001)"
SAYS = "say"
_NOMINAL = 0.95
_NEAR = 0.01
"""How far from it an average may be that is close to it."""
_ERRATIC = 0.05
"""How far the worst coverage is below the average of one that is erratic, at least."""
_SMALL = 40
"""The paper recommends other intervals up to this size than beyond it."""
RECOMMENDED = ("wilson", "agresti_coull", "jeffreys")


def _sizes(results: Results) -> list[int]:
    found = rows(results.summary, "mean_coverage", engine="enumeration")
    return sorted(found["n"].unique().to_list())


def _exact(results: Results, column: str, method: str, n: int) -> float:
    return value(results.summary, column, engine="enumeration", method=method, n=n, alpha=0.05)


def _wald(results: Results) -> Found:
    sizes = _sizes(results)
    mean = [_exact(results, "mean_coverage", "wald", n) for n in sizes]
    least = [_exact(results, "min_coverage", "wald", n) for n in sizes]
    texts = [
        f"{percent(average)} on average, {percent(low)} at worst at n = {n}"
        for n, average, low in zip(sizes, mean, least, strict=True)
    ]
    low = all(each < _NOMINAL for each in mean)
    erratic = all(low < average - _ERRATIC for low, average in zip(least, mean, strict=True))
    return Found("; ".join(texts), verdict(low and erratic, low))


def _conservative(results: Results) -> Found:
    sizes = _sizes(results)
    least = [_exact(results, "min_coverage", "clopper_pearson", n) for n in sizes]
    mean = [_exact(results, "mean_coverage", "clopper_pearson", n) for n in sizes]
    texts = [
        f"at least {percent(low)}, {percent(average)} on average at n = {n}"
        for n, low, average in zip(sizes, least, mean, strict=True)
    ]
    return Found("; ".join(texts), verdict(min(least) >= _NOMINAL - 1e-12))


def _near_nominal(results: Results) -> Found:
    texts, near = [], []
    for method in RECOMMENDED:
        means = [_exact(results, "mean_coverage", method, n) for n in _sizes(results)]
        if all(abs(each - _NOMINAL) <= _NEAR for each in means):
            near.append(method)
        texts.append(f"{method} {', '.join(percent(each) for each in means)}")
    sizes = ", ".join(map(str, _sizes(results)))
    ours = f"{'; '.join(texts)} at n = {sizes}; close of {', '.join(near) or 'none'}"
    return Found(ours, verdict(len(near) == len(RECOMMENDED), bool(near)))


def _longest_of_three(results: Results) -> Found:
    small = [n for n in _sizes(results) if n <= _SMALL]
    if not small:
        raise LackingError
    texts, longest = [], []
    for n in small:
        lengths = {each: _exact(results, "mean_length", each, n) for each in RECOMMENDED}
        longest.append(max(lengths, key=lambda each: lengths[each]) == "agresti_coull")
        found = ", ".join(f"{each} {length:.3f}" for each, length in lengths.items())
        texts.append(f"{found} at n = {n}")
    return Found("; ".join(texts), verdict(all(longest)))


def _alike_when_large(results: Results) -> Found:
    large = [n for n in _sizes(results) if n > _SMALL]
    if not large:
        raise LackingError
    texts, alike = [], []
    for n in large:
        lengths = [_exact(results, "mean_length", each, n) for each in RECOMMENDED]
        spread = max(lengths) / min(lengths) - 1
        alike.append(spread <= 0.05)
        texts.append(f"within {percent(spread)} at n = {n}")
    return Found("; ".join(texts), verdict(all(alike)))


_WHERE = "Statistical Science 16(2)"
CLAIMS: Mapping[str, Sequence[Claim]] = {
    "brown2001/recommended": (
        Claim(
            _WHERE,
            "The coverage of the Wald interval is too low on average over p, and erratic.",
            "",
            "below 95 % on average at every size, and at worst 5 points and more below its "
            "average; in part: below 95 % on average",
            _wald,
        ),
        Claim(
            _WHERE,
            "The Clopper-Pearson interval is conservative.",
            "at least 95 %",
            "the least coverage at every size",
            _conservative,
        ),
        Claim(
            _WHERE,
            "On average over p the coverage is close to 95 %: of Wilson, of Agresti-Coull and of "
            "Jeffreys.",
            "",
            "within one percentage point at every size; in part: of one or two of them",
            _near_nominal,
        ),
        Claim(
            _WHERE,
            "Where n is small the Agresti-Coull interval is the longest of the three.",
            "",
            "the expected length, averaged over p, at each n up to 40",
            _longest_of_three,
        ),
        Claim(
            _WHERE,
            "For n above 40 the three are of comparable length.",
            "",
            "expected lengths, averaged over p, within 5 %",
            _alike_when_large,
        ),
    ),
}
