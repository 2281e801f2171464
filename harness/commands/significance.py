"""``significance``: the probability that a difference is at least delta."""

from __future__ import annotations

from typing import Annotated

import typer

from harness.commands.options import TWO_SAMPLES, Form, Prior, given_data, with_data


@with_data(TWO_SAMPLES)
def significance(
    family: Annotated[
        str,
        typer.Argument(
            help="proportion_difference, rate_difference or balanced_accuracy", metavar="FAMILY"
        ),
    ],
    *,
    delta: Annotated[float, typer.Option(help="The least difference.")] = 0.0,
    prior: Prior = None,
    output: Form = "table",
    **data: float | None,
) -> int:
    """Compute Pr(first − second ≥ delta) given the data; for a balanced accuracy Pr(mean ≥ delta).

    As in: significance proportion_difference --x1 5 --n1 12 --x2 36 --n2 112.
    """
    from harness.commands.output import show
    from harness.significances import significance as probability

    known = given_data(data)
    found = probability(family, delta=delta, prior=prior, **known)
    show([{"family": family, **known, "delta": delta, "probability": found}], output)
    return 0
