"""``average``: the weighted mean of the proportions of strata, as of accuracies on subjects."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from harness.base.errors import InputError
from harness.commands.options import (
    CasesFile,
    Confidence,
    DecimalSign,
    Form,
    GivenAlpha,
    alpha_of,
    number_or_list,
    with_data,
)

_DATA = {
    "x": "How many cases are right in each stratum: 3,5.",
    "n": "How many cases each stratum has.",
    "weights": "Weights of the strata; by default all are equal.",
}


@with_data(_DATA, str | None, metavar="DATA")
def average(
    *,
    rows: CasesFile = None,
    correct: Annotated[
        str | None, typer.Option(help="Column with 1 or true where a case is right, else 0.")
    ] = None,
    stratum: Annotated[str | None, typer.Option(help="Column of the stratum of a case.")] = None,
    weight: Annotated[
        str | None,
        typer.Option(help="Column of the weight of the stratum, or without strata of the case."),
    ] = None,
    by: Annotated[
        list[str] | None, typer.Option(help="Column whose values have an average each.")
    ] = None,
    method: Annotated[
        str | None,
        typer.Option(help="wider_wilson, the default, effective_wilson or mover_wilson."),
    ] = None,
    decimal: DecimalSign = None,
    alpha: GivenAlpha = None,
    confidence: Confidence = None,
    output: Form = "table",
    **data: str | None,
) -> int:
    """Compute the weighted mean of the proportions of strata, as of the accuracies on subjects.

        average --x 45,18,9 --n 50,20,10

        average --rows results.csv --correct ok --stratum subject --by model

        average --rows results.csv --correct ok --weight w

    Strata count as independent, and as much as each other unless weights are given. Weights of
    cases, without strata, make the Hajek mean. The coverage is near the data: exact where it has no
    std_error, and otherwise a fraction of tables that are drawn, with the seed 2003.
    """
    from harness.commands.interval import refuse_both
    from harness.commands.output import say, show
    from harness.families.csv_rows import read_table
    from harness.one.remarks import remark_on_alpha
    from harness.one.result import interval_texts
    from harness.planning.average import average as compute
    from harness.planning.average import averages

    given: dict[str, Any] = {name: text for name, text in data.items() if text is not None}
    level = alpha_of(alpha, confidence)
    options: Any = {"method": method, "alpha": level}
    columns = {"correct": correct, "stratum": stratum, "weight": weight, "by": by or None}
    refuse_both(rows, given, {**columns, "decimal": decimal})
    if rows is None:
        if not {"x", "n"} <= set(given):
            raise InputError("average needs --x and --n, or --rows FILE")
        lists: dict[str, Any] = {}
        for name, text in given.items():
            numbers = number_or_list(text)
            lists[name] = numbers if isinstance(numbers, list) else [numbers]
        groups: Any = [({}, compute(**lists, **options))]
    else:
        if correct is None:
            raise InputError("--rows needs --correct, the column that says what is right")
        cases = read_table(rows, None, decimal=decimal or ".")
        groups = averages(cases, correct, by or (), stratum=stratum, weight=weight, **options)
    records = [key | mean.record() for key, mean in groups]
    texts = interval_texts(records, {})
    for text, record in zip(texts, records, strict=True):
        text |= {"effective_size": f"{record['effective_size']:.1f}"}
        text |= {"std_error": ""} if record["std_error"] is None else {}
    show(records, output, texts, as_list=bool(by))
    remarks = dict.fromkeys(remark for _, mean in groups for remark in mean.remarks)
    for remark in (*remark_on_alpha(level), *remarks):
        say(f"remark: {remark}", err=True)
    return 0
