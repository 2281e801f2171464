"""``interval``: the interval of a method for given data."""

from __future__ import annotations

from typing import Annotated

import typer

from harness.commands.options import (
    ONE_SAMPLE,
    TWO_SAMPLES,
    Form,
    Prior,
    given_data,
    with_data,
)


@with_data(ONE_SAMPLE | TWO_SAMPLES)
def interval(
    family: Annotated[
        str,
        typer.Argument(
            help="proportion, rate, proportion_difference, rate_difference or balanced_accuracy",
            metavar="FAMILY",
        ),
    ],
    *,
    method: Annotated[
        str | None,
        typer.Option(
            help="A method of the catalogue; default minimal_length, or one_sided for one side."
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
    from harness.commands.output import show
    from harness.intervals import interval_record

    record = interval_record(
        family,
        method or ("minimal_length" if side == "two-sided" else "one_sided"),
        alpha=alpha,
        side=side,
        prior=prior,
        seed=seed,
        verbose=verbose,
        data=given_data(data),
    )
    show([record], output, in_full=verbose)
    return 0
