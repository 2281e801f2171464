"""Claims of Ross (2003) about its simulations: figures 3, 4 and 12."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from harness.designs.monte_carlo import fraction_interval
from harness.report.numbers import significant
from harness.report.papers.claim import (
    AS_CHANCE_ALLOWS,
    Check,
    Claim,
    Found,
    held,
    intervals_found,
    rows,
    value,
    verdict,
)
from harness.tables.results import Results

_ALPHA = 0.05
_HALF = (1 / 3, 2 / 3)
"""What may be called about half."""
_TENTH = 0.05
"""The rounding of a number with one decimal."""
_SIGNIFICANT = 0.05


def _overall(results: Results) -> Found:
    found = rows(results.summary, "trials", "actual_alpha", engine="monte_carlo", alpha=_ALPHA)
    trials = found["trials"].to_numpy()
    missed = np.rint(found["actual_alpha"].to_numpy() * trials).astype(np.int64)
    total, of = int(missed.sum()), int(trials.sum())
    low, high = (float(each[0]) for each in fraction_interval(np.array([total]), np.array([of])))
    ours = f"{total / of:.6f} ({low:.4f}, {high:.4f}) in {of:,} trials"
    return Found(ours, verdict(low <= _ALPHA <= high))


def _each_size(results: Results) -> Found:
    found = rows(results.summary, engine="monte_carlo", alpha=_ALPHA)
    return intervals_found(*held(found, pl.lit(_ALPHA)))


def _by_outcome(n: int) -> Check:
    def check(results: Results) -> Found:
        found = rows(results.cells, engine="monte_carlo", given="outcome", alpha=_ALPHA, n=n)
        return intervals_found(*held(found, pl.lit(_ALPHA)))

    return check


def _groups(results: Results) -> pl.DataFrame:
    return rows(results.cells, "x", "x_last", "actual_alpha", engine="monte_carlo", alpha=_ALPHA)


def _small_groups(results: Results) -> Found:
    found = _groups(results).filter(pl.col("x") < 400)
    return intervals_found(*held(rows(found), pl.lit(_ALPHA)))


def _dip(results: Results) -> Found:
    alpha = value(_groups(results), "actual_alpha", x=430)
    return Found(f"{alpha:.3f}", verdict(_HALF[0] <= alpha / _ALPHA <= _HALF[1]))


def _last_group(results: Results) -> Found:
    alpha = value(_groups(results), "actual_alpha", x=500)
    exact = value(rows(results.cells, engine="posterior", alpha=_ALPHA), "actual_alpha", x=500)
    return Found(
        f"{significant(alpha, 3)}; exact {exact:.3f}", verdict(exact > 0.999, exact >= 1 - _TENTH)
    )


def _bins(results: Results) -> Found:
    found = rows(results.cells, reference="prior")
    return intervals_found(*held(found, pl.col("mean_probability")))


def _calibrated(results: Results) -> Found:
    p = value(results.summary, "p_value", reference="prior")
    return Found(f"p = {significant(p, 3)}", verdict(p >= _SIGNIFICANT))


def _insignificant_bias(results: Results) -> Found:
    p = value(results.summary, "p_value", reference="prior")
    inside = ""
    if not results.cells.is_empty():
        inside = "{} of {} intervals hold, ".format(
            *held(rows(results.cells, reference="prior"), pl.col("mean_probability"))
        )
    return Found(f"{inside}p = {significant(p, 3)}", verdict(p >= _SIGNIFICANT))


def _artefact(results: Results) -> Found:
    p = value(results.summary, "p_value", reference="truth")
    flat = value(results.summary, "p_value", reference="prior")
    own = f"p = {significant(p, 3)} under the distribution of the rates"
    ours = f"{own}, {significant(flat, 3)} under the flat prior"
    return Found(ours, verdict(p >= _SIGNIFICANT and p > flat))


_CHANCE = AS_CHANCE_ALLOWS
CLAIMS: Mapping[str, Sequence[Claim]] = {
    "ross2003/fig03": (
        Claim(
            "Fig. 3, section 5.2.1",
            "Overall the share of Monte Carlo trials whose interval misses agrees with 0.05.",
            "0.049555 (0.0490, 0.0501) in 567,900 trials",
            "its 95 % interval holds 0.05",
            _overall,
        ),
        Claim(
            "Fig. 3, table",
            "The 95 % intervals of the sizes hold 0.05.",
            "8 of 8",
            _CHANCE,
            _each_size,
        ),
        Claim(
            "Fig. 3, plot",
            "At n = 100 the 95 % intervals of the outcomes hold 0.05.",
            "97 of 101",
            _CHANCE,
            _by_outcome(100),
        ),
    ),
    "ross2003/fig04-left": (
        Claim(
            "Fig. 4 left, section 5.2.1",
            "At n = 50 the 95 % intervals of the outcomes hold 0.05.",
            "47 of 51",
            _CHANCE,
            _by_outcome(50),
        ),
    ),
    "ross2003/fig04-right": (
        Claim(
            "Fig. 4 right, section 5.2.1",
            "The 95 % intervals of the first 40 groups, x below 400, hold 0.05.",
            "39 of 40",
            _CHANCE,
            _small_groups,
        ),
        Claim(
            "Fig. 4 right, section 5.2.1",
            "No rate lies above 458, so that around x = 435 only misses on one side are left: "
            "alpha is about half of 0.05.",
            "about half",
            "between a third and two thirds of 0.05, at x = 430 … 439",
            _dip,
        ),
        Claim(
            "Fig. 4 right, section 5.2.1",
            "From x = 500 on alpha is 1.0, as every interval misses.",
            "1.0",
            "the exact alpha is 1; in part: it is 1.0 to one decimal",
            _last_group,
        ),
    ),
    "ross2003/fig12-proportions": (
        Claim(
            "Fig. 12 left, section 6.1.1",
            "The 95 % intervals of the fraction in each bin hold the mean computed significance.",
            "19 of 20",
            _CHANCE,
            _bins,
        ),
        Claim(
            "Fig. 12 left, section 6.1.1",
            "The computed significances may be trusted.",
            "",
            "a chi-squared test over all bins has p ≥ 0.05",
            _calibrated,
        ),
    ),
    "ross2003/fig12-rates": (
        Claim(
            "Fig. 12 right, section 6.1.2",
            "The bias that comes from the largest rate of the simulation is not significant.",
            "not significant",
            "a chi-squared test over all bins has p ≥ 0.05",
            _insignificant_bias,
        ),
        Claim(
            "Fig. 12 right, section 6.1.2",
            "The bias is one of the simulation, not of the significances.",
            "",
            "where the distribution of the rates is the prior, p is larger and ≥ 0.05",
            _artefact,
        ),
    ),
}
