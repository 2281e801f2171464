"""``significance``: the probability that a difference is at least delta."""

from __future__ import annotations

from typing import Annotated, Any, cast

import typer

from harness.base.errors import InputError
from harness.commands.options import (
    TABLE_COUNTS,
    TWO_COUNTS,
    Form,
    Prior,
    given_data,
    number_or_list,
    share_option,
    with_data,
)


@with_data(TWO_COUNTS | TABLE_COUNTS)
def significance(
    family: Annotated[
        str,
        typer.Argument(
            help="proportion_difference, rate_difference, balanced_accuracy, risk_ratio, "
            "odds_ratio, rate_ratio or paired_difference",
            metavar="FAMILY",
        ),
    ],
    words: Annotated[
        list[str] | None,
        typer.Argument(help="The data without options: 45/60 52/80.", metavar="DATA"),
    ] = None,
    *,
    delta: Annotated[
        float | None, share_option("The least difference or ratio; default 0, of a ratio 1.")
    ] = None,
    prior: Prior = None,
    output: Form = "table",
    **data: float | None,
) -> int:
    """Compute Pr(first − second ≥ delta) given the data; of other parameters Pr(it ≥ delta).

    As in: significance proportion_difference 93/100 86/100. It is a posterior probability, under a
    flat prior unless --prior is given, and no p-value. It takes counts; those of a file are in what
    interval FAMILY --rows FILE prints.
    """
    from harness.commands.interval import data_of_words
    from harness.commands.output import say, show
    from harness.families.catalogue import COMPARED
    from harness.methods.significance import significance as probability

    compared = {comparison.name: comparison for comparison in COMPARED}
    numbers = given_data(data)
    if words and family in compared:
        if numbers:
            taken = next(iter(numbers)).replace("_", "-")
            raise InputError(f"expected the data once, found {' '.join(words)} and --{taken}")
        given = data_of_words(compared[family], words)
        numbers = given_data({name: number_or_list(text) for name, text in given.items()})
    chance = probability(cast(Any, family), delta=delta, prior=prior, **numbers)
    least = compared[family].scale.equality if delta is None else delta
    show([{"family": family, **numbers, "delta": least, "probability": chance}], output)
    of_prior = "a flat prior" if prior is None else "the prior that is given"
    say(f"remark: a posterior probability, under {of_prior}, and no p-value", err=True)
    return 0
