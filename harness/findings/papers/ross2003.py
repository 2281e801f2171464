"""The claims of Ross (2003), by the names of the experiments that make its figures anew.

T. D. Ross, "Accurate confidence intervals for binomial proportion and Poisson rate estimation",
Computers in Biology and Medicine 33 (2003) 509–531.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl

from harness.designs.fractions import fraction_interval
from harness.findings.numbers import percent, significant
from harness.findings.papers.claim import (
    Found,
    LackingError,
    Paper,
    held,
    rows,
    value,
    verdict,
)
from harness.tables.results import Results

PAPER = Paper("Ross (2003)", "says")
_ALPHA = 0.05
_HALF = (1 / 3, 2 / 3)
"""What may be called about half."""
_TENTH = 0.05
"""The rounding of a number with one decimal."""
_SIGNIFICANT = 0.05
_ROUNDING = 1e-12
_FACTOR = 1.5
"""What is called 10 % or so is within this factor of it."""
_NEARLY = 1.2
"""What is called about 15 % is within this factor of it."""

_FIGURE_3 = PAPER.figure("ross2003/fig03", "Fig. 3, section 5.2.1")
_FIGURE_4_LEFT = PAPER.figure("ross2003/fig04-left", "Fig. 4 left, section 5.2.1")
_FIGURE_4_RIGHT = PAPER.figure("ross2003/fig04-right", "Fig. 4 right, section 5.2.1")
_FIGURE_5 = PAPER.figure("ross2003/fig05", "Fig. 5, section 5.2.2")
_FIGURE_6 = PAPER.figure("ross2003/fig06", "Fig. 6, section 5.2.2")
_FIGURE_7 = PAPER.figure("ross2003/fig07", "Fig. 7, section 5.2.2")
_FIGURE_8 = PAPER.figure("ross2003/fig08", "Fig. 8, section 5.2.2")
_FIGURE_9 = PAPER.figure("ross2003/fig09", "Fig. 9, section 5.3")
_FIGURE_10 = PAPER.figure("ross2003/fig10", "Fig. 10, section 5.3")
_FIGURE_11 = PAPER.figure("ross2003/fig11", "Section 7")
_FIGURE_12_LEFT = PAPER.figure("ross2003/fig12-proportions", "Fig. 12 left, section 6.1.1")
_FIGURE_12_RIGHT = PAPER.figure("ross2003/fig12-rates", "Fig. 12 right, section 6.1.2")


@_FIGURE_3.claim(
    "Overall the share of Monte Carlo trials whose interval misses agrees with 0.05.",
    "0.049555 (0.0490, 0.0501) in 567,900 trials",
    "its 95 % interval holds 0.05",
)
def _overall(results: Results) -> Found:
    found = rows(results.summary, "trials", "actual_alpha", engine="monte_carlo", alpha=_ALPHA)
    trials = found["trials"].to_numpy()
    missed = np.rint(found["actual_alpha"].to_numpy() * trials).astype(np.int64)
    total, of = int(missed.sum()), int(trials.sum())
    low, high = (float(each[0]) for each in fraction_interval(np.array([total]), np.array([of])))
    ours = f"{total / of:.6f} ({low:.4f}, {high:.4f}) in {of:,} trials"
    return Found(ours, verdict(low <= _ALPHA <= high))


_FIGURE_3.intervals_claim(
    "The 95 % intervals of the sizes hold 0.05.",
    "8 of 8",
    lambda results: rows(results.summary, engine="monte_carlo", alpha=_ALPHA),
    pl.lit(_ALPHA),
    where="Fig. 3, table",
)


def _of_size(n: int) -> Callable[[Results], pl.DataFrame]:
    """The estimates at the outcomes of a size."""
    level = {"engine": "monte_carlo", "given": "outcome", "alpha": _ALPHA, "n": n}
    return lambda results: rows(results.cells, **level)


_FIGURE_3.intervals_claim(
    "At n = 100 the 95 % intervals of the outcomes hold 0.05.",
    "97 of 101",
    _of_size(100),
    pl.lit(_ALPHA),
    where="Fig. 3, plot",
)
_FIGURE_4_LEFT.intervals_claim(
    "At n = 50 the 95 % intervals of the outcomes hold 0.05.",
    "47 of 51",
    _of_size(50),
    pl.lit(_ALPHA),
)


def _groups(results: Results) -> pl.DataFrame:
    return rows(results.cells, "x", "x_last", "actual_alpha", engine="monte_carlo", alpha=_ALPHA)


_FIGURE_4_RIGHT.intervals_claim(
    "The 95 % intervals of the first 40 groups, x below 400, hold 0.05.",
    "39 of 40",
    lambda results: _groups(results).filter(pl.col("x") < 400),
    pl.lit(_ALPHA),
)


@_FIGURE_4_RIGHT.claim(
    "No rate lies above 458, so that around x = 435 only misses on one side are left: alpha is "
    "about half of 0.05.",
    "about half",
    "between a third and two thirds of 0.05, at x = 430 … 439",
)
def _dip(results: Results) -> Found:
    alpha = value(_groups(results), "actual_alpha", x=430)
    return Found(f"{alpha:.3f}", verdict(_HALF[0] <= alpha / _ALPHA <= _HALF[1]))


@_FIGURE_4_RIGHT.claim(
    "From x = 500 on alpha is 1.0, as every interval misses.",
    "1.0",
    "the exact alpha is 1; in part: it is 1.0 to one decimal",
)
def _last_group(results: Results) -> Found:
    alpha = value(_groups(results), "actual_alpha", x=500)
    exact = value(rows(results.cells, engine="posterior", alpha=_ALPHA), "actual_alpha", x=500)
    ours = f"{significant(alpha, 3)}; exact {exact:.3f}"
    return Found(ours, verdict(exact > 0.999, exact >= 1 - _TENTH))


def _least_and_largest(results: Results, **level: Any) -> tuple[float, float]:
    """The errors of alpha that are farthest from 0, by the posterior."""
    names = ("alpha_error_min", "alpha_error_max")
    found = rows(results.summary, *names, engine="posterior", alpha=_ALPHA, **level)
    low, high = (found[name].to_numpy() for name in names)
    return float(np.nanmin(low)), float(np.nanmax(high))


@_FIGURE_5.claim(
    "The alpha errors of the four posterior methods are below 5e−5 under all conditions, and "
    "generally below 1e−5.",
    "below 1e−5",
    "the largest is below 1e−5; in part: it is below 5e−5",
)
def _accurate(results: Results) -> Found:
    largest = max(abs(each) for each in _least_and_largest(results))
    ours = f"at most {largest:.1e}".replace("e-", "e−")
    return Found(ours, verdict(largest < 1e-5, largest < 5e-5))


@_FIGURE_6.claim(
    "The alpha error of Clopper-Pearson is never negative.",
    "never negative",
    "the least, but for rounding",
)
def _never_negative(results: Results) -> Found:
    least, _ = _least_and_largest(results, method="clopper_pearson")
    return Found(f"at least {significant(least, 3)}", verdict(least >= -_ROUNDING))


@_FIGURE_6.claim(
    "It is above 0.03, which is 60 % of alpha, in some cases.", "above 0.03", "the largest"
)
def _above_003(results: Results) -> Found:
    _, largest = _least_and_largest(results, method="clopper_pearson")
    return Found(f"up to {significant(largest, 3)}", verdict(largest > 0.03))


def _outcomes(
    results: Results, method: str, column: str = "alpha_error", alpha: float = _ALPHA
) -> pl.DataFrame:
    """The cells of a method by the posterior, at each outcome."""
    level = {"engine": "posterior", "given": "outcome", "alpha": alpha, "method": method}
    return rows(results.cells, column, **level)


@_FIGURE_6.claim(
    "It is generally on the order of 0.01 or greater.",
    "0.01 or greater",
    "the median over all n and x is at least half of 0.01",
)
def _order_of_001(results: Results) -> Found:
    error = _outcomes(results, "clopper_pearson")["alpha_error"].to_numpy()
    middle, share = float(np.median(error)), float((error >= 0.01).mean())
    ours = f"median {significant(middle, 3)}, {percent(share)} of the cells from 0.01 on"
    return Found(ours, verdict(middle >= 0.01 / 2))


@_FIGURE_6.claim(
    "It is greatest at n below 100, or x close to 0 or n.",
    "",
    "all errors above 0.02 are at n < 100 or x/n within 0.05 of 0 or 1",
)
def _where_large(results: Results) -> Found:
    found = _outcomes(results, "clopper_pearson").with_columns(f=pl.col("x") / pl.col("n"))
    large = found.filter(pl.col("alpha_error") > 0.02)
    expected = (pl.col("n") < 100) | (pl.col("f") <= 0.05) | (pl.col("f") >= 0.95)
    inside = int(large.select(expected.sum()).item())
    ours = f"{inside} of {large.height} errors above 0.02 are there"
    return Found(ours, verdict(inside == large.height))


@_FIGURE_7.claim(
    "At x = 0 and x = n Wald's interval has no width, so that its alpha is 1: an error of −0.95.",
    "1.0",
    "the least error at every size",
)
def _certain_miss(results: Results) -> Found:
    found = rows(results.summary, "alpha_error_min", engine="posterior", method="wald")
    error = found["alpha_error_min"].to_numpy()
    share = float((np.abs(error + (1 - _ALPHA)) < _ROUNDING).mean())
    ours = f"{significant(float(error.min()), 3)} at {percent(share)} of the sizes"
    return Found(ours, verdict(share == 1.0))


@_FIGURE_7.claim(
    "Its error tends to be negative for small and for large x.",
    "tends to be negative",
    "at 95 % or more of the outcomes with x/n up to 0.1 or from 0.9 on",
)
def _negative_at_ends(results: Results) -> Found:
    fraction = pl.col("x") / pl.col("n")
    found = _outcomes(results, "wald").filter((fraction <= 0.1) | (fraction >= 0.9))
    share = float(rows(found).select((pl.col("alpha_error") < 0).mean()).item())
    return Found(f"negative at {percent(share)} of them", verdict(share >= 0.95))


@_FIGURE_7.claim(
    "The usual rules, n > 30, x > 5 and n − x > 5, are not enough for it to be accurate; n > 600 "
    "and 0.2 < x/n < 0.8 are.",
    "",
    "an error of more, and of less, than a tenth of alpha",
)
def _rule_of_thumb(results: Results) -> Found:
    x, n = pl.col("x"), pl.col("n")
    found = _outcomes(results, "wald")
    usual = rows(found.filter((n > 30) & (x > 5) & (n - x > 5)))["alpha_error"]
    strict = rows(found.filter((n > 600) & (x > 0.2 * n) & (x < 0.8 * n)))["alpha_error"]
    first, second = (float(np.abs(each.to_numpy()).max()) / _ALPHA for each in (usual, strict))
    ours = f"error up to {percent(first)} of α; for n > 600 and 0.2 < x/n < 0.8 {percent(second)}"
    return Found(ours, verdict(first > 0.1 > second))


@_FIGURE_8.claim(
    "The alpha error of exact tails (Garwood) at x = 1 is about half of alpha.",
    "about 50 %",
    "between 45 % and 55 % of alpha",
)
def _half_of_alpha(results: Results) -> Found:
    share = value(_outcomes(results, "garwood"), "alpha_error", x=1) / _ALPHA
    return Found(f"{percent(share)} of α", verdict(0.45 <= share <= 0.55))


@_FIGURE_8.claim(
    "The largest errors of exact tails and of Wald are at the smallest x.",
    "at the smallest x",
    "the largest distance from 0 of each",
)
def _largest_first(results: Results) -> Found:
    where, least = {}, 0
    for method in ("garwood", "wald"):
        found = _outcomes(results, method)
        x = found["x"].to_numpy()
        where[method] = int(x[int(found["alpha_error"].abs().to_numpy().argmax())])
        least = int(x.min())
    ours = ", ".join(f"{method} at x = {place}" for method, place in where.items())
    return Found(ours, verdict(all(place == least for place in where.values())))


@_FIGURE_8.claim(
    "Wald's largest error is larger than that of exact tails, and understates the uncertainty.",
    "",
    "negative, and farther from 0",
)
def _wald_is_worse(results: Results) -> Found:
    error = value(results.summary, "alpha_error_min", method="wald", alpha=_ALPHA)
    other = value(results.summary, "alpha_error_max", method="garwood", alpha=_ALPHA)
    ours = f"{significant(error, 3)} against {significant(other, 3)}"
    return Found(ours, verdict(error < 0 and -error > other))


def _signed(share: float) -> str:
    """A share of more than all, and with the sign that texts have."""
    return percent(share, 4 if abs(share) >= 10 else 3).replace("-", "\N{MINUS SIGN}")


@_FIGURE_8.claim(
    "In percent of alpha the errors of exact tails are about the same for all three alphas, and so "
    "are those of Wald.",
    "about the same",
    "at x = 1, within a tenth of the largest; in part: of one method",
)
def _same_in_percent(results: Results) -> Found:
    alphas = rows(results.cells, engine="posterior")["alpha"].unique(maintain_order=True).to_list()
    if len(alphas) < 2:
        raise LackingError
    texts, alike = [], []
    for method in ("garwood", "wald"):
        at = (_outcomes(results, method, alpha=alpha) for alpha in alphas)
        errors = [value(each, "alpha_error", x=1) for each in at]
        shares = [error / alpha for error, alpha in zip(errors, alphas, strict=True)]
        if max(shares) - min(shares) <= 0.1 * max(abs(each) for each in shares):
            alike.append(method)
        texts.append(f"{method} at x = 1: {', '.join(_signed(each) for each in shares)}")
    ours = f"{'; '.join(texts)} of α = {', '.join(f'{each:g}' for each in alphas)}"
    ours = f"{ours}; the same of {', '.join(alike) or 'none'}"
    return Found(ours, verdict(len(alike) == 2, bool(alike)))


def _longer(results: Results, method: str, *keys: str) -> pl.DataFrame:
    """The cells of a method with the part ``longer`` by which its intervals exceed the shortest."""
    unit = _outcomes(results, "minimal_length", "length").select(*keys, unit="length")
    joined = _outcomes(results, method, "length").join(unit, on=list(keys), how="inner")
    return rows(joined.with_columns(longer=pl.col("length") / pl.col("unit") - 1))


def _longest(found: pl.DataFrame) -> dict[str, Any]:
    """The cell whose interval exceeds the shortest by the largest part."""
    return found.sort("longer", descending=True).row(0, named=True)


@_FIGURE_9.claim(
    "For large n and moderate x the posterior methods have roughly the same lengths.",
    "roughly the same",
    "within 1 % at the largest n, for x/n from 0.2 to 0.8",
    where="Fig. 9, sections 5.3 and 7",
)
def _alike(results: Results) -> Found:
    largest = 0.0
    for method in ("balanced_width", "balanced_tail"):
        found = _longer(results, method, "n", "x")
        middle = (pl.col("x") / pl.col("n")).is_between(0.2, 0.8)
        part = rows(found.filter((pl.col("n") == found["n"].max()) & middle))
        largest = max(largest, float(part["longer"].abs().to_numpy().max()))
    return Found(f"within {percent(largest)}", verdict(largest <= 0.01))


@_FIGURE_9.claim(
    "Intervals with balanced tails are lengthened significantly where x is close to 0 or n.",
    "",
    "longest at x = 0 or n at every size from 10 on, by up to 10 % or more",
)
def _tails_at_ends(results: Results) -> Found:
    found = _longer(results, "balanced_tail", "n", "x")
    top = [_longest(part) for part in found.filter(pl.col("n") >= 10).partition_by("n")]
    at_end = sum(row["x"] in (0, row["n"]) for row in top)
    most = max(row["longer"] for row in top)
    ours = f"longest there at {at_end} of {len(top)} sizes from 10 on, by up to {percent(most)}"
    return Found(ours, verdict(at_end == len(top) and most >= 0.1))


@_FIGURE_9.claim(
    "Where the lengths differ, the others are 10 % or so longer than the minimal length.",
    "10 % or so",
    "the median of all differences above 1 % is within a factor of 1.5 of 10 %",
    where="Section 7",
)
def _ten_percent(results: Results) -> Found:
    """Where lengths differ noticeably, by 1 % and more, the median difference."""
    parts = [_longer(results, method, "n", "x") for method in ("balanced_width", "balanced_tail")]
    longer = pl.concat([part.select("longer") for part in parts])["longer"].to_numpy()
    differ = longer[longer > 0.01]
    if not differ.size:
        raise LackingError
    middle, most = float(np.median(differ)), float(differ.max())
    ours = f"median {percent(middle)}, up to {percent(most)}"
    return Found(ours, verdict(0.1 / _FACTOR <= middle <= 0.1 * _FACTOR))


def _up_to_twenty(results: Results, method: str) -> Found:
    found = _longer(results, method, "n", "x")
    where = _longest(found)
    share = float((found["longer"] <= 0.205).to_numpy().mean())
    ours = (
        f"up to {percent(where['longer'])}, at x = {where['x']}, n = {where['n']}; "
        f"{percent(share)} of the cells up to 20 %"
    )
    return Found(ours, verdict(where["longer"] <= 0.205))


for _method, _intervals in (
    ("clopper_pearson", "Clopper-Pearson intervals"),
    ("wald", "Wald's intervals"),
):
    _FIGURE_10.claim(
        f"{_intervals} are up to 20 % longer than those of minimal length.",
        "up to 20 %",
        "the largest over all n and x rounds to 20 % or less",
        method=_method,
    )(_up_to_twenty)


@_FIGURE_10.claim(
    "Wald's intervals are shorter than those of minimal length only because their alpha is larger "
    "than desired.",
    "",
    "alpha is larger wherever they are shorter",
)
def _shorter_by_missing(results: Results) -> Found:
    found = _longer(results, "wald", "n", "x").filter(pl.col("longer") < -1e-9)
    above = int(rows(found).select((pl.col("actual_alpha") > pl.col("alpha")).sum()).item())
    return Found(f"{above} of {found.height}", verdict(above == found.height))


@_FIGURE_11.claim(
    "For large x all methods give the same interval.",
    "the same",
    "lengths within 1 % at the largest x",
    where="Fig. 11, section 5.3",
)
def _rates_alike(results: Results) -> Found:
    methods = ("balanced_width", "balanced_tail", "garwood", "wald")
    parts = [_longer(results, method, "x") for method in methods]
    largest = max(abs(float(part.sort("x")["longer"].to_list()[-1])) for part in parts)
    return Found(f"within {percent(largest)} at the largest x", verdict(largest <= 0.01))


def _less_than_exact(results: Results, x: int, expected: float) -> Found:
    longer = value(_longer(results, "garwood", "x"), "longer", x=x)
    shorter = longer / (1 + longer)
    near = expected / _NEARLY <= shorter <= expected * _NEARLY
    return Found(percent(shorter), verdict(near))


for _says, _x, _share in (
    ("At x = 1 minimal-length intervals are about 15 % shorter than those of exact tails.", 1, 15),
    ("At x = 50 they are about 3 % shorter.", 50, 3),
):
    _FIGURE_11.claim(
        _says, f"about {_share} %", "within a factor of 1.2", x=_x, expected=_share / 100
    )(_less_than_exact)


_FIGURE_12_LEFT.intervals_claim(
    "The 95 % intervals of the fraction in each bin hold the mean computed significance.",
    "19 of 20",
    lambda results: rows(results.cells, reference="prior"),
    pl.col("mean_probability"),
)


@_FIGURE_12_LEFT.claim(
    "The computed significances may be trusted.",
    "",
    "a chi-squared test over all bins has p ≥ 0.05",
)
def _calibrated(results: Results) -> Found:
    p = value(results.summary, "p_value", reference="prior")
    return Found(f"p = {significant(p, 3)}", verdict(p >= _SIGNIFICANT))


@_FIGURE_12_RIGHT.claim(
    "The bias that comes from the largest rate of the simulation is not significant.",
    "not significant",
    "a chi-squared test over all bins has p ≥ 0.05",
)
def _insignificant_bias(results: Results) -> Found:
    found, inside = _calibrated(results), ""
    if not results.cells.is_empty():
        cells = rows(results.cells, reference="prior")
        inside = "{} of {} intervals hold, ".format(*held(cells, pl.col("mean_probability")))
    return Found(f"{inside}{found.ours}", found.verdict)


@_FIGURE_12_RIGHT.claim(
    "The bias is one of the simulation, not of the significances.",
    "",
    "where the distribution of the rates is the prior, p is larger and ≥ 0.05",
)
def _artefact(results: Results) -> Found:
    p = value(results.summary, "p_value", reference="truth")
    flat = value(results.summary, "p_value", reference="prior")
    own = f"p = {significant(p, 3)} under the distribution of the rates"
    ours = f"{own}, {significant(flat, 3)} under the flat prior"
    return Found(ours, verdict(p >= _SIGNIFICANT and p > flat))
