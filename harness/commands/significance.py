"""``significance``: the probability that a difference is at least delta."""

from __future__ import annotations

from typing import Annotated, Any, cast

import typer

from harness.commands.options import TWO_COUNTS, Form, Prior, given_data, share_option, with_data


@with_data(TWO_COUNTS)
def significance(
    family: Annotated[
        str,
        typer.Argument(
            help="proportion_difference, rate_difference, balanced_accuracy, risk_ratio, "
            "odds_ratio or rate_ratio",
            metavar="FAMILY",
        ),
    ],
    *,
    delta: Annotated[
        float | None, share_option("The least difference or ratio; default 0, of a ratio 1.")
    ] = None,
    prior: Prior = None,
    output: Form = "table",
    **data: float | None,
) -> int:
    """Compute Pr(first − second ≥ delta) given the data; of other parameters Pr(it ≥ delta).

    As in: significance proportion_difference --x1 5 --n1 12 --x2 36 --n2 112.
    """
    from harness.commands.output import show
    from harness.families.catalogue import family_of
    from harness.methods.significance import significance as probability

    known = given_data(data)
    found = probability(cast(Any, family), delta=delta, prior=prior, **known)
    least = family_of(family).equality if delta is None else delta
    show([{"family": family, **known, "delta": least, "probability": found}], output)
    return 0
