"""``summarize``: the performance measures of estimates that another program made."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from harness.commands.options import Confidence, DecimalSign, Form, GivenAlpha, alpha_of, with_data

_COLUMNS = {
    "true": "The true value: a number, or a column that is constant in each group.",
    "se": "Column of the standard errors.",
    "lower": "Column of the lower limits, which may be infinite, in place of estimate - z se.",
    "upper": "Column of the upper limits, in place of estimate + z se.",
    "df": "Column of degrees of freedom: the limits are estimate - t se and estimate + t se.",
    "p_value": "Column of p-values, by which rejection_rate tests in place of the limits.",
    "reference": "Method that relative_precision compares the others with.",
    "pair": "Column that says which rows of two methods are of one trial; without it they are "
    "paired by their order in the group.",
}


@with_data(_COLUMNS, str | None)
def summarize(
    file: Annotated[
        Path,
        typer.Argument(
            help="CSV, JSON lines or Parquet file with a row for each method and trial.",
            metavar="FILE",
        ),
    ],
    *,
    estimate: Annotated[str, typer.Option(help="Column of the estimates.")],
    by: Annotated[
        list[str] | None,
        typer.Option(
            help="Column of the method; repeated, of further factors, such as the sample size."
        ),
    ] = None,
    decimal: DecimalSign = None,
    null: Annotated[float, typer.Option(help="Value that rejection_rate is about.")] = 0.0,
    alpha: GivenAlpha = None,
    confidence: Confidence = None,
    output: Form = "table",
    **columns: str | None,
) -> int:
    """Compute bias, standard errors, coverage and more of estimates that another program made.

        summarize estimates.csv --estimate b --se se --true 0.5 --by method

    The measures are those of Morris, White and Crowther (2019), each with its Monte Carlo standard
    error (mcse), for each combination of the --by columns. Relative measures are fractions.
    Intervals are closed, and ci_lower to ci_upper is the 95 % interval of a measure that is a
    fraction of trials. A row without an estimate, or without a standard error, limits or a p-value
    that are asked for (empty, NA or NaN), is a trial without an answer: failures counts it, in
    coverage it is not covered, though in neither miss_below nor miss_above, and coverage_answered
    and the measures of estimates and limits leave it out. The exit code is then 3.
    """
    from harness.commands.output import say, show
    from harness.one.summarize import summarize as compute

    level = alpha_of(alpha, confidence)
    options: Any = {"null": null, "alpha": level, "decimal": decimal or ".", **columns}
    records = compute(file, estimate=estimate, by=by or (), **options).to_dicts()
    texts = [
        {name: "" if value is None else value for name, value in record.items()}
        for record in records
    ]
    show(records, output, texts, as_list=True)
    failed = [record for record in records if record["measure"] == "failures"]
    lacking = round(sum(record["estimate"] * record["trials"] for record in failed))
    if lacking:
        trials = sum(record["trials"] for record in failed)
        say(f"remark: {lacking} of {trials} trials have no answer: failures counts them", err=True)
    return 3 if lacking else 0
