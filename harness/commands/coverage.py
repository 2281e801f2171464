"""``coverage``: the exact coverage and expected length of a method."""

from __future__ import annotations

from typing import Annotated, Any, cast

import typer

from harness.commands.options import SIZES, TRUTHS, Form, Prior, given_lists, with_data

FOUND = ("coverage", "miss_below", "miss_above", "mean_length")


@with_data(SIZES | TRUTHS, list[float] | None)
def coverage(
    family: Annotated[
        str,
        typer.Argument(
            help="proportion, rate, proportion_difference, rate_difference, balanced_accuracy, "
            "risk_ratio, odds_ratio, rate_ratio, paired_difference or paired_ratio",
            metavar="FAMILY",
        ),
    ],
    method: Annotated[str, typer.Argument(help="A method of the catalogue.", metavar="METHOD")],
    *,
    alpha: Annotated[float, typer.Option(help="Probability outside the interval.")] = 0.05,
    side: Annotated[str, typer.Option(help="two-sided, lower or upper.")] = "two-sided",
    prior: Prior = None,
    sampling: Annotated[
        str | None,
        typer.Option(
            help="How the outcomes of one proportion or rate arise, as in a config: "
            "'{clusters: {size: 10, rho: 0.1}}'.",
            metavar="LAW",
        ),
    ] = None,
    output: Form = "table",
    **data: list[float] | None,
) -> int:
    """Compute exact coverage and length, as in: coverage proportion wilson --n 50 --p 0.1.

    Sizes and true values may be repeated; there is a row for each, with those that are repeated.
    """
    import numpy as np

    from harness.commands.output import show
    from harness.planning.coverage import coverage as compute

    known, law = given_lists(data), None if sampling is None else _read(sampling)
    found = compute(
        cast(Any, family),
        cast(Any, method),
        alpha=alpha,
        side=cast(Any, side),
        prior=prior,
        sampling=law,
        **known,
    )
    columns = {name: values for name, values in known.items() if isinstance(values, list)}
    names = FOUND if found.infinite_length is None else (*FOUND, "infinite_length")
    columns |= {name: np.ravel(getattr(found, name)).tolist() for name in names}
    show(
        [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)],
        output,
    )
    return 0


def _read(sampling: str) -> Any:
    """The value of the option as a config would hold it."""
    from harness.base.errors import InputError
    from harness.config import yaml12

    document = yaml12.read(sampling)
    for issue in document.issues:
        raise InputError(f"--sampling: {issue.message}")
    return document.data
