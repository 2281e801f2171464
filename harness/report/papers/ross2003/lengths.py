"""Claims of Ross (2003) about lengths, relative to those of minimal length: figures 9 to 11."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from harness.report.numbers import percent
from harness.report.papers.claim import Check, Claim, Found, LackingError, rows, value, verdict
from harness.tables.results import Results

_ALPHA = 0.05
_FACTOR = 1.5
"""What is called 10 % or so is within this factor of it."""
_NEARLY = 1.2
"""What is called about 15 % is within this factor of it."""


def _longer(results: Results, method: str, *keys: str) -> pl.DataFrame:
    """The cells of a method with the part ``longer`` by which its intervals exceed the shortest."""
    given = {"engine": "posterior", "given": "outcome", "alpha": _ALPHA}
    unit = rows(results.cells, "length", method="minimal_length", **given)
    found = rows(results.cells, "length", method=method, **given)
    joined = found.join(unit.select(*keys, unit="length"), on=list(keys), how="inner")
    return rows(joined.with_columns(longer=pl.col("length") / pl.col("unit") - 1))


def _alike(methods: Sequence[str]) -> Check:
    def check(results: Results) -> Found:
        largest = 0.0
        for method in methods:
            found = _longer(results, method, "n", "x")
            top = found["n"].max()
            middle = (pl.col("x") / pl.col("n")).is_between(0.2, 0.8)
            part = rows(found.filter((pl.col("n") == top) & middle))
            largest = max(largest, float(part["longer"].abs().max()))  # type: ignore[arg-type]
        ours = f"within {percent(largest)}"
        return Found(ours, verdict(largest <= 0.01))

    return check


def _tails_at_ends(results: Results) -> Found:
    found = _longer(results, "balanced_tail", "n", "x")
    parts = found.filter(pl.col("n") >= 10).partition_by("n")
    top = [part.sort("longer", descending=True).row(0, named=True) for part in parts]
    at_end = sum(row["x"] in (0, row["n"]) for row in top)
    most = max(row["longer"] for row in top)
    ours = f"longest there at {at_end} of {len(top)} sizes from 10 on, by up to {percent(most)}"
    return Found(ours, verdict(at_end == len(top) and most >= 0.1))


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


def _up_to_twenty(method: str) -> Check:
    def check(results: Results) -> Found:
        found = _longer(results, method, "n", "x")
        most = float(found["longer"].max())  # type: ignore[arg-type]
        where = found.sort("longer", descending=True).row(0, named=True)
        share = float((found["longer"] <= 0.205).mean())  # type: ignore[arg-type]
        ours = (
            f"up to {percent(most)}, at x = {where['x']}, n = {where['n']}; "
            f"{percent(share)} of the cells up to 20 %"
        )
        return Found(ours, verdict(most <= 0.205))

    return check


def _shorter_by_missing(results: Results) -> Found:
    found = _longer(results, "wald", "n", "x").filter(pl.col("longer") < -1e-9)
    above = int(rows(found).select((pl.col("actual_alpha") > pl.col("alpha")).sum()).item())
    return Found(f"{above} of {found.height}", verdict(above == found.height))


def _rates_alike(results: Results) -> Found:
    methods = ("balanced_width", "balanced_tail", "garwood", "wald")
    parts = [_longer(results, method, "x") for method in methods]
    last = [float(part.sort("x")["longer"].to_list()[-1]) for part in parts]
    largest = max(abs(each) for each in last)
    return Found(f"within {percent(largest)} at the largest x", verdict(largest <= 0.01))


def _less_than_exact(x: int, expected: float) -> Check:
    def check(results: Results) -> Found:
        longer = value(_longer(results, "garwood", "x"), "longer", x=x)
        shorter = longer / (1 + longer)
        near = expected / _NEARLY <= shorter <= expected * _NEARLY
        return Found(percent(shorter), verdict(near))

    return check


_TWENTY = "the largest over all n and x rounds to 20 % or less"
CLAIMS: Mapping[str, Sequence[Claim]] = {
    "ross2003/fig09": (
        Claim(
            "Fig. 9, sections 5.3 and 7",
            "For large n and moderate x the posterior methods have roughly the same lengths.",
            "roughly the same",
            "within 1 % at the largest n, for x/n from 0.2 to 0.8",
            _alike(("balanced_width", "balanced_tail")),
        ),
        Claim(
            "Fig. 9, section 5.3",
            "Intervals with balanced tails are lengthened significantly where x is close to 0 or "
            "n.",
            "",
            "longest at x = 0 or n at every size from 10 on, by up to 10 % or more",
            _tails_at_ends,
        ),
        Claim(
            "Section 7",
            "Where the lengths differ, the others are 10 % or so longer than the minimal length.",
            "10 % or so",
            "the median of all differences above 1 % is within a factor of 1.5 of 10 %",
            _ten_percent,
        ),
    ),
    "ross2003/fig10": (
        Claim(
            "Fig. 10, section 5.3",
            "Clopper-Pearson intervals are up to 20 % longer than those of minimal length.",
            "up to 20 %",
            _TWENTY,
            _up_to_twenty("clopper_pearson"),
        ),
        Claim(
            "Fig. 10, section 5.3",
            "Wald's intervals are up to 20 % longer than those of minimal length.",
            "up to 20 %",
            _TWENTY,
            _up_to_twenty("wald"),
        ),
        Claim(
            "Fig. 10, section 5.3",
            "Wald's intervals are shorter than those of minimal length only because their alpha "
            "is larger than desired.",
            "",
            "alpha is larger wherever they are shorter",
            _shorter_by_missing,
        ),
    ),
    "ross2003/fig11": (
        Claim(
            "Fig. 11, section 5.3",
            "For large x all methods give the same interval.",
            "the same",
            "lengths within 1 % at the largest x",
            _rates_alike,
        ),
        Claim(
            "Section 7",
            "At x = 1 minimal-length intervals are about 15 % shorter than those of exact tails.",
            "about 15 %",
            "within a factor of 1.2",
            _less_than_exact(1, 0.15),
        ),
        Claim(
            "Section 7",
            "At x = 50 they are about 3 % shorter.",
            "about 3 %",
            "within a factor of 1.2",
            _less_than_exact(50, 0.03),
        ),
    ),
}
