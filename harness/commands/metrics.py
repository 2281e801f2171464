"""``metrics``: all metrics of a classifier in one table."""

from __future__ import annotations

from typing import Annotated

import typer

from harness.commands.options import (
    CASE_COUNTS,
    CasesFile,
    Confidence,
    DecimalSign,
    Form,
    GivenAlpha,
    alpha_of,
    given_data,
    with_data,
)


@with_data(CASE_COUNTS)
def metrics(
    *,
    csv: CasesFile = None,
    truth: Annotated[
        str | None, typer.Option(help="Column of the file with the class: two labels or more.")
    ] = None,
    prediction: Annotated[
        str | None, typer.Option(help="Column of the file with the predicted class.")
    ] = None,
    score: Annotated[
        str | None, typer.Option(help="Column of the file with scores; adds the AUC.")
    ] = None,
    positive: Annotated[
        str | None,
        typer.Option(
            help="The label of positives; default 1 or true. Of more than two labels the class "
            "that is held against the rest; default each of them in turn."
        ),
    ] = None,
    beta: Annotated[float, typer.Option(help="Adds the F score with this beta.")] = 1.0,
    decimal: DecimalSign = None,
    alpha: GivenAlpha = None,
    confidence: Confidence = None,
    output: Form = "table",
    **data: float | None,
) -> int:
    """Compute all metrics of a classifier, each with the interval to use for it and its coverage.

    From a confusion table, or from the cases of a file, CSV, JSON lines or Parquet:

        metrics --tp 41 --fp 9 --fn 14 --tn 436

        metrics --rows predictions.csv --truth y --prediction yhat --score s

    Without --tn there are the metrics that do not need it, and no coverage. What is 0/0, as in a
    test set of one class, has no estimate.

    The coverage is at cells of the probability (count + 1/2)/(n + 2). It is exact where it has no
    std_error; otherwise it is a fraction of tables that are drawn, with the seed 2003. That of an
    AUC, which is no function of the cells, is left out. Cases count as independent.

    Of more than two labels there are precision, recall and F1 of each class against the rest, their
    means over the classes (macro), and the accuracy (micro), which micro-averaged precision, recall
    and F1 are too; the coverage is from drawn tables.
    """
    from harness.base.errors import InputError
    from harness.commands.interval import refuse_both
    from harness.commands.output import say, show
    from harness.families.csv_rows import read_table
    from harness.one.remarks import remark_on_alpha
    from harness.one.result import interval_texts
    from harness.planning.metrics import metrics_of_rows
    from harness.planning.table_metrics import (
        REMARK,
        metric_records,
        remarks_on_classes,
        remarks_on_metrics,
    )

    counts, level = given_data(data), alpha_of(alpha, confidence)
    columns = {"truth": truth, "prediction": prediction, "score": score, "positive": positive}
    refuse_both(csv, counts, {**columns, "decimal": decimal})
    if csv is None:
        if not counts:
            raise InputError("metrics needs --tp, --fp, --fn and --tn, or --rows FILE")
        records = metric_records(counts, None, beta, level)
    else:
        if truth is None or prediction is None:
            raise InputError(
                "--rows needs --truth and --prediction, each with the name of a column; of scores "
                "without predictions there is interval auc --rows FILE --truth LABEL --score SCORE"
            )
        cases = read_table(csv, None, decimal=decimal or ".")
        records = metrics_of_rows(cases, truth, prediction, score, positive, beta, level)
    texts = interval_texts(records, {})
    for text, record in zip(texts, records, strict=True):
        text |= {name: "" for name in ("coverage", "std_error") if record[name] is None}
        del text[REMARK]
    shown = records
    if output == "table":
        shown = [
            {name: record[name] for name in text}
            for record, text in zip(records, texts, strict=True)
        ]
    show(shown, output, texts, as_list=True)
    on_rows = remarks_on_metrics(records, csv is not None or "tn" in counts, score is not None)
    for remark in (*remark_on_alpha(level), *on_rows, *remarks_on_classes(records)):
        say(f"remark: {remark}", err=True)
    return 0
