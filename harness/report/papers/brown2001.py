"""Claims of Brown, Cai and DasGupta (2001), by the names of the experiments.

L. D. Brown, T. T. Cai and A. DasGupta, "Interval estimation for a binomial proportion",
Statistical Science 16 (2001) 101–133.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from harness.report.papers.claim import Claim, Found, LackingError, percent, rows, value, verdict
from harness.tables.results import Results

SOURCE = "Brown, Cai and DasGupta (2001)"
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
    below = [each < 0.95 for each in mean]
    return Found("; ".join(texts), verdict(all(below), any(below)))


def _conservative(results: Results) -> Found:
    sizes = _sizes(results)
    least = [_exact(results, "min_coverage", "clopper_pearson", n) for n in sizes]
    mean = [_exact(results, "mean_coverage", "clopper_pearson", n) for n in sizes]
    texts = [
        f"at least {percent(low)}, {percent(average)} on average at n = {n}"
        for n, low, average in zip(sizes, least, mean, strict=True)
    ]
    return Found("; ".join(texts), verdict(min(least) >= 0.95 - 1e-12))


def _near_nominal(results: Results) -> Found:
    texts, near = [], []
    for method in RECOMMENDED:
        means = [_exact(results, "mean_coverage", method, n) for n in _sizes(results)]
        near += [abs(each - 0.95) <= 0.01 for each in means]
        texts.append(f"{method} {', '.join(percent(each) for each in means)}")
    sizes = ", ".join(map(str, _sizes(results)))
    return Found(f"{'; '.join(texts)} at n = {sizes}", verdict(all(near), any(near)))


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
    return Found("; ".join(texts), verdict(all(longest), any(longest)))


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
    return Found("; ".join(texts), verdict(all(alike), any(alike)))


CLAIMS: Mapping[str, Sequence[Claim]] = {
    "brown2001/recommended": (
        Claim(
            "Section 2",
            "The coverage of the Wald interval is too low: on average over p below 95 %.",
            "",
            _wald,
        ),
        Claim(
            "Section 4.2",
            "The Clopper-Pearson interval is conservative: its coverage is nowhere below 95 %.",
            "at least 95 %",
            _conservative,
        ),
        Claim(
            "Section 3",
            "On average over p the coverages of Wilson, Agresti-Coull and Jeffreys are close to "
            "95 %: within one percentage point.",
            "",
            _near_nominal,
        ),
        Claim(
            "Sections 3 and 5",
            "For n up to 40 the Agresti-Coull interval is the longest of the three.",
            "",
            _longest_of_three,
        ),
        Claim(
            "Sections 3 and 5",
            "For larger n the three are of comparable length: within 5 %.",
            "",
            _alike_when_large,
        ),
    ),
}
