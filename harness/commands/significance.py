"""``significance``: how probable it is that a difference is reached."""

from __future__ import annotations

from typing import Annotated

import typer

from harness.commands.data import TWO_SAMPLES, given, with_data
from harness.commands.options import Form, Prior


@with_data(TWO_SAMPLES)
def significance(
    family: Annotated[
        str,
        typer.Argument(
            help="proportion_difference, rate_difference or balanced_accuracy", metavar="FAMILY"
        ),
    ],
    *,
    delta: Annotated[float, typer.Option(help="The difference to be reached.")] = 0.0,
    prior: Prior = None,
    output: Form = "table",
    **data: float | None,
) -> int:
    """Pr(first − second ≥ delta) given the data; of a balanced accuracy, that it is at least delta.

    As in: significance proportion_difference --x1 5 --n1 12 --x2 36 --n2 112.
    """
    from harness.commands.output import show
    from harness.significances import significance as probability

    known = given(data)
    found = probability(family, delta=delta, prior=prior, **known)
    show([{"family": family, **known, "delta": delta, "probability": found}], output)
    return 0
