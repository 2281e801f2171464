"""``interval``: the interval of a method for given data."""

from __future__ import annotations

import time
from typing import Annotated, Any

import typer

from harness.commands.options import (
    FINITE_POPULATION,
    ONE_SAMPLE,
    PAIRS,
    TWO_SAMPLES,
    Form,
    Prior,
    given_data,
    with_data,
)


@with_data(ONE_SAMPLE | FINITE_POPULATION | TWO_SAMPLES | PAIRS)
def interval(
    family: Annotated[
        str,
        typer.Argument(
            help="proportion, rate, proportion_difference, rate_difference, balanced_accuracy, "
            "risk_ratio, odds_ratio, rate_ratio, paired_difference or paired_ratio",
            metavar="FAMILY",
        ),
    ],
    *,
    method: Annotated[
        str | None,
        typer.Option(
            help="A method of the catalogue; default minimal_length, or one_sided for one side; "
            "scas where the family has no posterior."
        ),
    ] = None,
    alpha: Annotated[float, typer.Option(help="Probability outside the interval.")] = 0.05,
    side: Annotated[str, typer.Option(help="two-sided, lower or upper.")] = "two-sided",
    prior: Prior = None,
    seed: Annotated[int | None, typer.Option(help="Seed of a stochastic method.")] = None,
    verbose: Annotated[
        bool, typer.Option("--verbose", help="Add length, tails, actual alpha and seconds.")
    ] = False,
    output: Form = "table",
    **data: float | None,
) -> int:
    """Compute one interval, as in: interval proportion --x 90 --n 100."""
    import numpy as np

    from harness.commands.output import show
    from harness.families.catalogue import family_of
    from harness.families.family import POSTERIOR
    from harness.intervals import default_method, method_of, tails
    from harness.intervals import interval as compute

    name = method or default_method(family, side)
    known = given_data(data)
    start = time.perf_counter()
    found = compute(family, name, alpha=alpha, side=side, prior=prior, seed=seed, **known)
    seconds = time.perf_counter() - start
    record: dict[str, Any] = {
        "estimate": None if np.isnan(found.estimate) else found.estimate,
        "lower": found.lower,
        "upper": found.upper,
        "alpha": alpha,
        "method": method_of(family, name).name,
        "side": side,
    }
    if verbose:
        # The rest of the thirteen figures that Ross (2003), section 4, reports of an interval.
        record |= known
        length = family_of(family).length(np.array(found.lower), np.array(found.upper))
        record["length"] = float(length)
        of_finite_population = method_of(family, name).needs_population
        if POSTERIOR in family_of(family).engines and not of_finite_population:
            outside = tails(family, name, found, prior=prior, **known)
            actual_alpha = outside.lower_tail + outside.upper_tail
            record |= {
                "lower_tail": outside.lower_tail,
                "upper_tail": outside.upper_tail,
                "actual_alpha": actual_alpha,
                "alpha_error": alpha - actual_alpha,
            }
        record["seconds"] = seconds
    show([record], output, in_full=verbose)
    return 0
