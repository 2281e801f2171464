"""``interval``: one interval now."""

from __future__ import annotations

from typing import Annotated

import typer

from harness.commands.data import ONE_SAMPLE, TWO_SAMPLES, given, with_data
from harness.commands.options import Form, Prior


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
            help="A method of the catalogue; left out, minimal_length, or one_sided for one side."
        ),
    ] = None,
    alpha: Annotated[float, typer.Option(help="Probability left outside.")] = 0.05,
    side: Annotated[str, typer.Option(help="two-sided, lower or upper.")] = "two-sided",
    prior: Prior = None,
    seed: Annotated[int | None, typer.Option(help="Of a method that draws.")] = None,
    verbose: Annotated[
        bool, typer.Option("--verbose", help="Add length, tails, actual alpha and seconds.")
    ] = False,
    output: Form = "table",
    **data: float | None,
) -> int:
    """One interval now, as in: interval proportion --x 90 --n 100."""
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
        data=given(data),
    )
    show([record], output, in_full=verbose)
    return 0
