"""Claims of Ross (2003) about the error of alpha by the posterior: figures 5 to 8."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from harness.report.numbers import percent, significant
from harness.report.papers.claim import Claim, Found, LackingError, rows, value, verdict
from harness.tables.results import Results

_ROUNDING = 1e-12
_ALPHA = 0.05


def _least_and_largest(table: pl.DataFrame) -> tuple[float, float]:
    found = rows(table, "alpha_error_min", "alpha_error_max", engine="posterior", alpha=_ALPHA)
    low, high = found["alpha_error_min"].to_numpy(), found["alpha_error_max"].to_numpy()
    return float(np.nanmin(low)), float(np.nanmax(high))


def _accurate(results: Results) -> Found:
    largest = max(abs(each) for each in _least_and_largest(results.summary))
    return Found(
        f"at most {largest:.1e}".replace("e-", "e−"), verdict(largest < 1e-5, largest < 5e-5)
    )


def _never_negative(results: Results) -> Found:
    least, _ = _least_and_largest(rows(results.summary, method="clopper_pearson"))
    return Found(f"at least {significant(least, 3)}", verdict(least >= -_ROUNDING))


def _above_003(results: Results) -> Found:
    _, largest = _least_and_largest(rows(results.summary, method="clopper_pearson"))
    return Found(f"up to {significant(largest, 3)}", verdict(largest > 0.03))


def _order_of_001(results: Results) -> Found:
    error = _cells(results, "clopper_pearson")["alpha_error"].to_numpy()
    middle, share = float(np.median(error)), float((error >= 0.01).mean())
    ours = f"median {significant(middle, 3)}, {percent(share)} of the cells from 0.01 on"
    return Found(ours, verdict(middle >= 0.01 / 2))


def _where_large(results: Results) -> Found:
    found = _cells(results, "clopper_pearson").with_columns(f=pl.col("x") / pl.col("n"))
    large = found.filter(pl.col("alpha_error") > 0.02)
    expected = (pl.col("n") < 100) | (pl.col("f") <= 0.05) | (pl.col("f") >= 0.95)
    inside = int(large.select(expected.sum()).item())
    return Found(
        f"{inside} of {large.height} errors above 0.02 are there",
        verdict(inside == large.height),
    )


def _cells(results: Results, method: str) -> pl.DataFrame:
    """The cells of a method by the posterior, at each outcome."""
    given = {"engine": "posterior", "given": "outcome", "alpha": _ALPHA, "method": method}
    return rows(results.cells, "alpha_error", **given)


def _certain_miss(results: Results) -> Found:
    found = rows(results.summary, "alpha_error_min", engine="posterior", method="wald")
    error = found["alpha_error_min"].to_numpy()
    share = float((np.abs(error + (1 - _ALPHA)) < _ROUNDING).mean())
    ours = f"{significant(float(error.min()), 3)} at {percent(share)} of the sizes"
    return Found(ours, verdict(share == 1.0))


def _negative_at_ends(results: Results) -> Found:
    fraction = pl.col("x") / pl.col("n")
    found = _cells(results, "wald").filter((fraction <= 0.1) | (fraction >= 0.9))
    share = float(rows(found).select((pl.col("alpha_error") < 0).mean()).item())
    return Found(f"negative at {percent(share)} of them", verdict(share >= 0.95))


def _rule_of_thumb(results: Results) -> Found:
    x, n = pl.col("x"), pl.col("n")
    found = _cells(results, "wald")
    usual = rows(found.filter((n > 30) & (x > 5) & (n - x > 5)))["alpha_error"]
    strict = rows(found.filter((n > 600) & (x > 0.2 * n) & (x < 0.8 * n)))["alpha_error"]
    first, second = (float(np.abs(each.to_numpy()).max()) / _ALPHA for each in (usual, strict))
    ours = f"error up to {percent(first)} of α; for n > 600 and 0.2 < x/n < 0.8 {percent(second)}"
    return Found(ours, verdict(first > 0.1 > second))


def _rates(results: Results, method: str, alpha: float = _ALPHA) -> pl.DataFrame:
    level = {"engine": "posterior", "given": "outcome", "alpha": alpha, "method": method}
    return rows(results.cells, "alpha_error", **level)


def _half_of_alpha(results: Results) -> Found:
    share = value(_rates(results, "garwood"), "alpha_error", x=1) / _ALPHA
    return Found(f"{percent(share)} of α", verdict(0.45 <= share <= 0.55))


def _largest_first(results: Results) -> Found:
    where = {}
    for method in ("garwood", "wald"):
        found = _rates(results, method)
        error = found["alpha_error"].abs().to_numpy()
        where[method] = int(found["x"].to_numpy()[int(error.argmax())])
        least = int(found["x"].min())  # type: ignore[arg-type]
    first = [place == least for place in where.values()]
    ours = ", ".join(f"{method} at x = {place}" for method, place in where.items())
    return Found(ours, verdict(all(first)))


def _wald_is_worse(results: Results) -> Found:
    exact = rows(results.summary, "alpha_error_max", method="garwood", alpha=_ALPHA)
    normal = rows(results.summary, "alpha_error_min", method="wald", alpha=_ALPHA)
    error, other = float(normal["alpha_error_min"].item()), float(exact["alpha_error_max"].item())
    ours = f"{significant(error, 3)} against {significant(other, 3)}"
    return Found(ours, verdict(error < 0 and -error > other))


def _signed(share: float) -> str:
    """A share of more than all, and with the sign that texts have."""
    return percent(share, 4 if abs(share) >= 10 else 3).replace("-", "\N{MINUS SIGN}")


def _same_in_percent(results: Results) -> Found:
    alphas = rows(results.cells, engine="posterior")["alpha"].unique(maintain_order=True).to_list()
    if len(alphas) < 2:
        raise LackingError
    texts, alike = [], []
    for method in ("garwood", "wald"):
        shares = [
            value(_rates(results, method, alpha), "alpha_error", x=1) / alpha for alpha in alphas
        ]
        if max(shares) - min(shares) <= 0.1 * max(abs(each) for each in shares):
            alike.append(method)
        texts.append(f"{method} at x = 1: {', '.join(_signed(each) for each in shares)}")
    ours = f"{'; '.join(texts)} of α = {', '.join(f'{each:g}' for each in alphas)}"
    ours = f"{ours}; the same of {', '.join(alike) or 'none'}"
    return Found(ours, verdict(len(alike) == 2, bool(alike)))


CLAIMS: Mapping[str, Sequence[Claim]] = {
    "ross2003/fig05": (
        Claim(
            "Fig. 5, section 5.2.2",
            "The alpha errors of the four posterior methods are below 5e−5 under all conditions, "
            "and generally below 1e−5.",
            "below 1e−5",
            "the largest is below 1e−5; in part: it is below 5e−5",
            _accurate,
        ),
    ),
    "ross2003/fig06": (
        Claim(
            "Fig. 6, section 5.2.2",
            "The alpha error of Clopper-Pearson is never negative.",
            "never negative",
            "the least, but for rounding",
            _never_negative,
        ),
        Claim(
            "Fig. 6, section 5.2.2",
            "It is above 0.03, which is 60 % of alpha, in some cases.",
            "above 0.03",
            "the largest",
            _above_003,
        ),
        Claim(
            "Fig. 6, section 5.2.2",
            "It is generally on the order of 0.01 or greater.",
            "0.01 or greater",
            "the median over all n and x is at least half of 0.01",
            _order_of_001,
        ),
        Claim(
            "Fig. 6, section 5.2.2",
            "It is greatest at n below 100, or x close to 0 or n.",
            "",
            "all errors above 0.02 are at n < 100 or x/n within 0.05 of 0 or 1",
            _where_large,
        ),
    ),
    "ross2003/fig07": (
        Claim(
            "Fig. 7, section 5.2.2",
            "At x = 0 and x = n Wald's interval has no width, so that its alpha is 1: an error of "
            "−0.95.",
            "1.0",
            "the least error at every size",
            _certain_miss,
        ),
        Claim(
            "Fig. 7, section 5.2.2",
            "Its error tends to be negative for small and for large x.",
            "tends to be negative",
            "at 95 % or more of the outcomes with x/n up to 0.1 or from 0.9 on",
            _negative_at_ends,
        ),
        Claim(
            "Fig. 7, section 5.2.2",
            "The usual rules, n > 30, x > 5 and n − x > 5, are not enough for it to be accurate; "
            "n > 600 and 0.2 < x/n < 0.8 are.",
            "",
            "an error of more, and of less, than a tenth of alpha",
            _rule_of_thumb,
        ),
    ),
    "ross2003/fig08": (
        Claim(
            "Fig. 8, section 5.2.2",
            "The alpha error of exact tails (Garwood) at x = 1 is about half of alpha.",
            "about 50 %",
            "between 45 % and 55 % of alpha",
            _half_of_alpha,
        ),
        Claim(
            "Fig. 8, section 5.2.2",
            "The largest errors of exact tails and of Wald are at the smallest x.",
            "at the smallest x",
            "the largest distance from 0 of each",
            _largest_first,
        ),
        Claim(
            "Fig. 8, section 5.2.2",
            "Wald's largest error is larger than that of exact tails, and understates the "
            "uncertainty.",
            "",
            "negative, and farther from 0",
            _wald_is_worse,
        ),
        Claim(
            "Fig. 8, section 5.2.2",
            "In percent of alpha the errors of exact tails are about the same for all three "
            "alphas, and so are those of Wald.",
            "about the same",
            "at x = 1, within a tenth of the largest; in part: of one method",
            _same_in_percent,
        ),
    ),
}
