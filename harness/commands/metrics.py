"""``metrics``, ``average`` and ``significance``: what data say that no interval says."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, cast

import typer

from harness.base.errors import InputError
from harness.commands.options import (
    CASE_COUNTS,
    TABLE_COUNTS,
    TWO_COUNTS,
    Confidence,
    DecimalSign,
    Form,
    GivenAlpha,
    Prior,
    alpha_of,
    given_data,
    number_or_list,
    share_option,
    with_data,
)


@with_data(CASE_COUNTS)
def metrics(
    *,
    csv: Annotated[
        Path | None,
        typer.Option("--rows", "--csv", help="File of cases, in place of the counts."),
    ] = None,
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
    means over the classes (macro), and the accuracy (micro); the coverage is from drawn tables.
    """
    from harness.base.errors import InputError
    from harness.commands.interval import refuse_columns
    from harness.commands.output import say, show
    from harness.families.csv_rows import read_table
    from harness.one.remarks import remark_on_alpha
    from harness.one.result import interval_texts
    from harness.planning.classes import remarks_on_classes
    from harness.planning.metrics import metrics_of_rows
    from harness.planning.table_metrics import REMARK, metric_records, remarks_on_metrics

    counts, level = given_data(data), alpha_of(alpha, confidence)
    if csv is None:
        columns = {"truth": truth, "prediction": prediction, "score": score, "positive": positive}
        columns["decimal"] = decimal
        refuse_columns({f"--{name}": text is not None for name, text in columns.items()})
        if not counts:
            raise InputError("metrics needs --tp, --fp, --fn and --tn, or --rows FILE")
        records = metric_records(counts, None, beta, level)
    else:
        if counts:
            raise InputError(
                f"expected the cases from --rows alone, found --{next(iter(counts))} too"
            )
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


_STRATA = {
    "x": "How many cases are right in each stratum: 3,5.",
    "n": "How many cases each stratum has.",
    "weights": "Weights of the strata; by default all are equal.",
}


@with_data(_STRATA, str | None, metavar="DATA")
def average(
    *,
    rows: Annotated[
        Path | None,
        typer.Option("--rows", "--csv", help="File of cases, in place of the counts."),
    ] = None,
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
    from harness.commands.interval import refuse_columns
    from harness.commands.output import say, show
    from harness.families.csv_rows import read_table
    from harness.one.remarks import remark_on_alpha
    from harness.one.result import interval_texts
    from harness.planning.average import average as compute
    from harness.planning.average import averages

    given: dict[str, Any] = {name: text for name, text in data.items() if text is not None}
    level = alpha_of(alpha, confidence)
    options: Any = {"method": method, "alpha": level}
    if rows is None:
        columns = {"correct": correct, "stratum": stratum, "weight": weight, "by": by or None}
        columns["decimal"] = decimal
        refuse_columns({f"--{name}": value is not None for name, value in columns.items()})
        if not {"x", "n"} <= set(given):
            raise InputError("average needs --x and --n, or --rows FILE")
        lists: dict[str, Any] = {}
        for name, text in given.items():
            found = number_or_list(text)
            lists[name] = found if isinstance(found, list) else [found]
        groups: Any = [({}, compute(**lists, **options))]
    else:
        if given:
            raise InputError(
                f"expected the cases from --rows alone, found --{next(iter(given))} too"
            )
        if correct is None:
            raise InputError("--rows needs --correct, the column that says what is right")
        cases = read_table(rows, None, decimal=decimal or ".")
        groups = averages(cases, correct, by or (), stratum=stratum, weight=weight, **options)
    records = [key | found.record() for key, found in groups]
    texts = interval_texts(records, {})
    for text, record in zip(texts, records, strict=True):
        text |= {"effective_size": f"{record['effective_size']:.1f}"}
        text |= {"std_error": ""} if record["std_error"] is None else {}
    show(records, output, texts, as_list=bool(by))
    remarks = dict.fromkeys(remark for _, found in groups for remark in found.remarks)
    for remark in (*remark_on_alpha(level), *remarks):
        say(f"remark: {remark}", err=True)
    return 0


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

    compared = {each.name: each for each in COMPARED}
    known = given_data(data)
    if words and family in compared:
        given = data_of_words(compared[family], words)
        known = given_data({name: number_or_list(text) for name, text in given.items()}) | known
    found = probability(cast(Any, family), delta=delta, prior=prior, **known)
    least = compared[family].scale.equality if delta is None else delta
    show([{"family": family, **known, "delta": least, "probability": found}], output)
    of_prior = "a flat prior" if prior is None else "the prior that is given"
    say(f"remark: a posterior probability, under {of_prior}, and no p-value", err=True)
    return 0
