"""``summarize``: the performance measures of estimates that another program made."""

from __future__ import annotations

from inspect import unwrap
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from harness.base.errors import InputError
from harness.base.text import option_of
from harness.commands.options import Confidence, DecimalSign, Form, GivenAlpha, alpha_of, with_data

if TYPE_CHECKING:
    import polars as pl

    from harness.checks.estimates import Gate

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
            help="CSV, JSON lines or Parquet file with a row for each method and trial, or the "
            "folder of a simulation study.",
            metavar="FILE",
        ),
    ],
    *,
    estimate: Annotated[
        str | None, typer.Option(help="Column of the estimates; needed for a file.")
    ] = None,
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
    contract: Annotated[
        str | None,
        typer.Option(
            help="What coverage, bias and type I error are held against: nominal, approximate, "
            "conservative or at-least."
        ),
    ] = None,
    output: Form = "table",
    **columns: str | None,
) -> int:
    """Compute bias, standard errors, coverage and more of estimates that another program made.

        summarize estimates.csv --estimate b --se se --true 0.5 --by method

        summarize results/NAME --contract nominal

    The measures are those of Morris, White and Crowther (2019), each with its Monte Carlo standard
    error (mcse), for each combination of the --by columns. Relative measures are fractions.
    Intervals are closed, and ci_lower to ci_upper is the 95 % interval of a measure that is a
    fraction of trials. A row without an estimate, or without a standard error, limits or a p-value
    that are asked for (empty, NA or NaN), is a trial without an answer: failures counts it, in
    coverage it is not covered, though in neither miss_below nor miss_above, and coverage_answered
    and the measures of estimates and limits leave it out. The exit code is then 3.

    With --contract each promise is a row. The exit code is 3 where one is broken by more than Monte
    Carlo error allows, at a joint level of 5 %, and 4 where trials are too few to say so.
    """
    level = alpha_of(alpha, confidence)
    options: Any = {"null": null, "alpha": level, "decimal": decimal or ".", **columns}
    if file.is_dir():
        given = {"estimate": estimate, "by": by, "decimal": decimal, "alpha": alpha, **columns}
        given |= {"confidence": confidence, "null": null or None}
        return _study(file, contract, [name for name in given if given[name] is not None], output)
    if estimate is None and not file.exists():
        raise InputError(f"{file} cannot be read: no such file or folder")
    if estimate is None:
        raise InputError("summarize needs --estimate, the column of the estimates in the file")
    if contract is not None:
        from harness.checks.estimates import gate_on_estimates

        options |= {"estimate": estimate, "by": by or ()}
        return _judged(gate_on_estimates(file, contract=contract, **options), output)
    from harness.one.summarize import summarize as of_python

    return _measured(unwrap(of_python)(file, estimate=estimate, by=by or (), **options), output)


def _study(folder: Path, contract: str | None, given: list[str], output: str) -> int:
    """Show what a simulation study has measured, or whether it keeps a contract."""
    if given:
        raise InputError(
            f"{option_of(given[0])} is for the estimates of a file; the folder {folder} has its "
            "own, and takes --contract and --format alone"
        )
    if contract is not None:
        from harness.checks.estimates import gate_on_results

        return _judged(gate_on_results(folder, contract), output)
    from harness.kinds.simulation.tables import SimulationResults
    from harness.kinds.stored import load

    results = load(folder, with_cells=False)
    if not isinstance(results, SimulationResults):
        raise InputError(f"{folder}: expected the results of a simulation study, found others")
    return _measured(results.summary, output)


def _measured(summary: pl.DataFrame, output: str) -> int:
    """Show measures, and return the exit code."""
    from harness.commands.output import say

    records = summary.to_dicts()
    _show(records, output)
    failed = [record for record in records if record["measure"] == "failures"]
    lacking = round(sum(record["estimate"] * record["trials"] for record in failed))
    if lacking:
        trials = sum(record["trials"] for record in failed)
        say(f"remark: {lacking} of {trials} trials have no answer: failures counts them", err=True)
    return 3 if lacking else 0


def _judged(gate: Gate, output: str) -> int:
    """Show the promises of a contract, and return the exit code."""
    from harness.commands.output import say

    _show([promise.record for promise in gate.promises], output)
    say(str(gate), err=output != "table")
    return gate.exit_code


def _show(records: list[dict[str, Any]], output: str) -> None:
    """Print rows, of which the table leaves empty what is not known."""
    from harness.commands.output import show

    texts = [
        {name: "" if value is None else value for name, value in record.items()}
        for record in records
    ]
    show(records, output, texts, as_list=True)
