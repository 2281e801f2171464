"""``interval``: the interval of a method for given data, or those of many rows and methods."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

import typer

from harness.base.errors import InputError
from harness.base.text import enumerated, option_of
from harness.commands.options import (
    BETA,
    CASE_COUNTS,
    CLUSTER_LABELS,
    CLUSTERED_SCORES,
    FINITE_POPULATION,
    JUDGE,
    KNOWN_JUDGE,
    LABELLED,
    ONE_SAMPLE,
    OR_LISTS,
    RANGE,
    RUN_VALUES,
    SCORES,
    STOPPING,
    TABLE_COUNTS,
    TWO_COUNTS,
    Confidence,
    DecimalSign,
    GivenAlpha,
    Key,
    Missing,
    OutFile,
    Prior,
    Rows,
    Side,
    Where,
    alpha_of,
    given_data,
    is_number,
    number_of,
    number_or_list,
    read_value,
    with_data,
)
from harness.names import FamilyName

if TYPE_CHECKING:
    from harness.families.family import Family
    from harness.one.rows import IntervalSetting, MethodIntervals, Row

_FORMS = {".csv": "csv", ".json": "json"}
_DATA = ONE_SAMPLE | FINITE_POPULATION | TWO_COUNTS | OR_LISTS | TABLE_COUNTS | RUN_VALUES | RANGE
_DATA |= CASE_COUNTS | BETA | SCORES | LABELLED | JUDGE | KNOWN_JUDGE | STOPPING
_DATA |= CLUSTERED_SCORES


@with_data(_DATA, str | None, metavar="DATA")
def interval(
    family: Annotated[
        str,
        typer.Argument(
            help=enumerated(get_args(FamilyName), "or"),
            metavar="FAMILY",
        ),
    ],
    words: Annotated[
        list[str] | None,
        typer.Argument(
            help="The data without options: 90/100 of a proportion, 45/60 52/80 of a comparison, "
            "the values of a mean.",
            metavar="DATA",
        ),
    ] = None,
    *,
    method: Annotated[
        list[str] | None,
        typer.Option(
            help="A method of the catalogue, several times or all: a row for each; left out, the "
            "default of the family, which `methods --family FAMILY` lists first."
        ),
    ] = None,
    files: Rows = None,
    key: Key = None,
    correct: Annotated[
        list[str] | None,
        typer.Option(
            help="Column of the file with 1 or true where a case is right, else 0; of pairs twice, "
            "of labelled_share by the judge."
        ),
    ] = None,
    by: Annotated[
        list[str] | None,
        typer.Option(
            help="Column of the file whose values have an interval each; of a comparison with "
            "--key the column of the two systems."
        ),
    ] = None,
    cluster: Annotated[
        str | None,
        typer.Option(
            help="Column of the file that names the cluster of a case; without a file the clusters "
            "of all cases, a,a,b, of clustered_mean and clustered_difference."
        ),
    ] = None,
    where: Where = None,
    missing: Missing = None,
    truth: Annotated[
        str | None,
        typer.Option(
            help="Column of the file with two labels, beside --score; of labelled_share with the "
            "true ones, empty where a case has none."
        ),
    ] = None,
    score: Annotated[
        list[str] | None,
        typer.Option(help="Column of the file with scores; of auc_difference twice."),
    ] = None,
    positive: Annotated[
        str | None,
        typer.Option(help="Label of a right case, or of a positive in --truth; default 1 or true."),
    ] = None,
    decimal: DecimalSign = None,
    delimiter: Annotated[
        str | None,
        typer.Option(help="Character between fields; default that of the first line: , ; | tab."),
    ] = None,
    no_header: Annotated[
        bool, typer.Option("--no-header", help="The file names no columns: they are 1, 2, …")
    ] = False,
    alpha: GivenAlpha = None,
    confidence: Confidence = None,
    side: Side = "two-sided",
    prior: Prior = None,
    seed: Annotated[int | None, typer.Option(help="Seed of a stochastic method.")] = None,
    percent: Annotated[
        bool, typer.Option("--percent", help="Write proportions of the table in percent.")
    ] = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", help="Add length, tails, actual alpha and seconds.")
    ] = False,
    output: Annotated[
        Literal["table", "json", "csv"] | None,
        typer.Option("--format", help="By default that of the ending of --out, or else table."),
    ] = None,
    out: OutFile = None,
    **data: str | None,
) -> int:
    """Compute intervals, as in: interval proportion 90/100.

    Numbers with commas between have an interval each, and so have the rows of a file:

        interval proportion --x 93,94,88 --n 100

        interval proportion_difference 45/60 52/80

        interval proportion --rows models.csv --x right --n questions

        interval proportion --rows models.csv --x right --n questions --out limits.csv

        interval proportion --rows answers.csv --correct right --by model

        interval paired_difference --rows a.jsonl --rows b.jsonl --key doc_id --correct acc

        interval paired_difference --rows long.csv --key item --by model --correct right

    The cases of a proportion, of a difference, a ratio and a balanced accuracy count as independent
    of each other. Where several come from one document, subject or batch, the interval is too
    short: give the counts of each of these clusters to clustered_proportion, as in

        interval clustered_proportion --x 3,5,2,4 --n 10,10,10,10

        interval clustered_proportion --rows results.csv --cluster document --correct right

    Scores in clusters go to clustered_mean, those of two systems to clustered_difference:

        interval clustered_mean --rows scores.csv --values score --cluster document

        interval clustered_difference --rows scores.csv --first a --second b --cluster document

        interval clustered_difference --rows long.csv --key item --by model --cluster document
        --correct right

    A score of several runs goes to mean, as in: interval mean 75 72 78 73 77.

    The area under the ROC curve takes scores of cases, and a column with their labels:

        interval auc --rows scores.csv --truth label --score model

    A judge's verdicts on all answers, and labels of some of them, go to labelled_share:

        interval labelled_share --rows answers.csv --correct judge --truth human
    """
    from harness.base.arguments import validate_choice
    from harness.catalogue import with_settings
    from harness.commands.output import (
        records_text,
        say,
        say_or_write,
        show_table,
        table_text,
        validate_output_files,
    )
    from harness.families.tasks import OF_FAILURES, K
    from harness.methods.catalogue import default_method
    from harness.methods.method import ALL_SIDES, TWO_SIDED
    from harness.one.rows import (
        ALL,
        IntervalSetting,
        intervals_by_method,
        methods_asked,
        records_of,
        validate_rows,
    )

    given = {name: text for name, text in data.items() if text is not None}
    settings: dict[str, Any] = {k: number_or_list(given.pop(k)) for k in BETA | RANGE if k in given}
    settings |= {k: read_value(k, given.pop(k)) for k in STOPPING if k in given}
    settings |= {k: number_or_list(given.pop(k)) for k in KNOWN_JUDGE if k in given}
    if family in OF_FAILURES and K in given:
        k = number_or_list(given.pop(K))
        settings[K] = number_of(K, k) if isinstance(k, float) else k
    of_family = with_settings(family, settings, alpha_of(alpha, confidence))
    if cluster is not None and not files and of_family.labels_clusters:
        given["cluster"], cluster = cluster, None
    if settings:
        is_of_judge = not KNOWN_JUDGE.keys().isdisjoint(settings)
        takes = "judged_share" if is_of_judge else "f_score"
        raise InputError(f"--{next(iter(settings))} is for {takes}, found {family}")
    if words:
        if taken := next((name for name in of_family.options if name in given), None):
            raise InputError(f"expected the data once, found {' '.join(words)} and --{taken}")
        given |= data_of_words(of_family, words)
    refuse_other_data(of_family, given)
    form = output or (_FORMS.get(out.suffix.lower()) if out is not None else None) or "table"
    if percent and not all(map(math.isfinite, of_family.support)):
        raise InputError(
            f"--percent is for proportions and their differences, found {of_family.name}"
        )
    if percent and form != "table":
        raise InputError(f"--percent is for the table, found --format {form}")
    if out is not None:
        validate_output_files({"--out": out}, files or [])
    validate_choice("side", side, ALL_SIDES)
    setting = IntervalSetting(of_family, alpha_of(alpha, confidence), side, prior, seed)
    setting.validate()
    names = method or [default_method(of_family, side, has_prior=prior is not None).name]
    methods = methods_asked(of_family, names)
    of_files = {
        "key": key,
        "cluster": cluster,
        "correct": correct,
        "by": by,
        "where": where,
        "missing": missing,
        "truth": truth,
        "score": score,
        "positive": positive,
        "decimal": decimal,
        "delimiter": delimiter,
    }
    if not files:
        refuse_columns(
            {option_of(name): value not in (None, []) for name, value in of_files.items()}
            | {"--no-header": no_header}
        )
        answer = None
        rows = _rows_of_options(of_family, given)
    else:
        from harness.one.file_question import FileQuestion
        from harness.one.file_rows import rows_of_file

        named: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in of_files.items()
            if value is not None
        }
        named["decimal"] = decimal or "."
        asked = FileQuestion(tuple(files), given, header=not no_header, **named)
        answer = rows_of_file(of_family, asked, number_of)
        rows = answer.rows
    validate_rows(of_family, rows)
    intervals, left_out = intervals_by_method(methods, setting, rows, ALL in names)
    records, columns_named = records_of(intervals, setting, rows, verbose)
    is_list = len(rows) > 1 or len(names) > 1 or ALL in names or bool(rows[0].place)
    if form != "table":
        say_or_write(records_text(records, form, as_list=is_list or out is not None), out)
    else:
        from harness.one.result import interval_texts
        from harness.screen.records import format_record, records_table

        texts = interval_texts(records, columns_named, percent)
        table = records_table(records, texts)
        if out is not None:
            say_or_write(table_text(table), out)
        elif verbose and not is_list:
            say(format_record(texts[0]))
        else:
            show_table(table)
    if answer is not None:
        lengths = (intervals[0].upper - intervals[0].lower).tolist()
        for remark in answer.remarks_on(lengths, setting.alpha, side):
            say(f"remark: {remark}", err=True)
    is_default = not method and side == TWO_SIDED and prior is None
    _remark(setting, rows, intervals, left_out, percent, is_default)
    pairs = of_family.same_cases
    if form == "table" and pairs is not None and not (answer and answer.are_pairs):
        say(
            "note: the samples are taken as separate; two results on the same cases are pairs: "
            f"interval {pairs.name} --both … --first-only … --second-only … --neither …",
            err=True,
        )
    if percent and of_family.support[0] < 0:
        say("note: differences are in percentage points", err=True)
    return 0


def _rows_of_options(family: Family, given: Mapping[str, str]) -> list[Row]:
    """The rows of data that are given as numbers."""
    from harness.one.rows import rows_of_options

    numbers: dict[str, Any] = {}
    for name, text in given.items():
        if name in CLUSTER_LABELS:
            numbers[name] = text.replace(",", " ").split()
            continue
        try:
            numbers[name] = number_or_list(text)
        except InputError as fault:
            raise InputError(f"{option_of(name)}: {fault} ({_ROWS_HINT})") from None
    return rows_of_options(family, given_data(numbers))


_ROWS_HINT = "names of columns go with --rows FILE"


def help_of_family(name: str) -> str:
    """Return what ``interval FAMILY --help`` prints: its data, its methods, how files are read.

    It is empty where there is no such family.
    """
    from click import HelpFormatter

    from harness.families.catalogue import FAMILIES
    from harness.methods.catalogue import default_method, methods_of
    from harness.methods.method import TWO_SIDED

    if name not in FAMILIES:
        return ""
    family = FAMILIES[name]
    default = default_method(family, TWO_SIDED).name
    methods = [
        (f"{method.name} (default)" if method.name == default else method.name, method.title)
        for method in methods_of(family).values()
    ]
    text = HelpFormatter()
    text.write_usage(
        "harness", f"interval {name} {' '.join(map(option_of, family.data))} [OPTIONS]"
    )
    text.write_paragraph()
    with text.indentation():
        text.write_text(f"Compute intervals of {family.title}.")
    for heading, lines in {
        "Data": [
            (option_of(option), (_DATA | CLUSTER_LABELS)[option]) for option in family.options
        ],
        "Methods (--method)": methods,
    }.items():
        with text.section(heading):
            text.write_dl(lines)
    text.write_paragraph()
    text.write_text(
        "methods NAME shows a method in full; interval --help has the options of files "
        "(--rows) and those of all families (--alpha, --side, --out, ...)."
    )
    return text.getvalue().rstrip()


def refuse_columns(options: Mapping[str, bool]) -> None:
    """Refuse options of a file where none is named; ``options`` says which are given."""
    given = [name for name, is_given in options.items() if is_given]
    if given:
        raise InputError(f"expected --rows FILE beside {' and '.join(given)}, found none")


def refuse_both(rows: Path | None, data: Mapping[str, Any], columns: Mapping[str, Any]) -> None:
    """Refuse columns without a file of cases, and data beside one.

    Args:
        rows: the file, if there is one.
        data: those that are given by options.
        columns: the options that name columns of a file, None where they are not given.

    Raises:
        InputError: there are such columns or data.
    """
    if rows is None:
        refuse_columns({f"--{name}": value is not None for name, value in columns.items()})
    elif data:
        raise InputError(f"expected the cases from --rows alone, found --{next(iter(data))} too")


def _remark(
    setting: IntervalSetting,
    rows: Sequence[Row],
    found: Sequence[MethodIntervals],
    left_out: Sequence[str],
    percent: bool,
    is_default: bool,
) -> None:
    """Print what a reader should know of the intervals, on standard error."""
    from functools import partial

    from harness.commands.output import say
    from harness.one.data_remarks import remark_on_range
    from harness.one.remarks import (
        Remarks,
        columns_of_lists,
        complete_data,
        remark_on_alpha,
        remarks_on_clusters,
        remarks_on_rows,
    )
    from harness.one.result import limits_text

    remarks = [
        *remark_on_alpha(setting.alpha),
        *remarks_on_rows(rows),
        *left_out,
        *remark_on_range(setting.family, [row.data.get("values", ()) for row in rows]),
        *remarks_on_clusters(setting.family, rows, found),
        *(
            f"{intervals.method.name}: {remark}"
            for intervals in found
            if intervals.method.remark_on_data is not None
            for data in (
                *complete_data(setting.family, rows),
                *columns_of_lists(setting.family, rows),
            )
            if (remark := intervals.method.remark_on_data(data, setting.alpha, setting.side))
        ),
        *(_on_default(setting, rows, found[0].method.name) if is_default else ()),
        *Remarks(setting, rows, partial(limits_text, percent=percent)).on(found),
    ]
    for remark in remarks:
        say(f"remark: {remark}", err=True)


def _on_default(setting: IntervalSetting, rows: Sequence[Row], method: str) -> Iterator[str]:
    """Yield what the default covers where data are few: itself, or the command that computes it."""
    from harness.one.data_remarks import remark_on_sizes
    from harness.one.remarks import complete_data

    family, outcomes = setting.family, complete_data(setting.family, rows)
    if family.has_fractions:
        from harness.planning.coverage import remark_on_coverage

        yield from remark_on_coverage(family, method, setting.alpha, outcomes)
    else:
        yield from remark_on_sizes(family, method, setting.alpha, outcomes)


# Data as words, and what is wrong with data of another family.

_MARGINS = {"x1", "n1", "x2", "n2"}


def data_of_words(family: Family, words: Sequence[str]) -> dict[str, str]:
    """Return the text of each data option that words stand for.

    Args:
        family: of the data.
        words: fractions such as ``90/100``, a count and its size; or the values of a list, with
            spaces or commas between them.

    Raises:
        InputError: the family takes no such words, or another number of them.

    >>> from harness.families.catalogue import family_of
    >>> data_of_words(family_of("proportion"), ["90/100", "45/50"])
    {'x': '90,45', 'n': '100,50'}
    """
    text = " ".join(map(str.strip, words))
    options = enumerated(map(option_of, family.data))
    if len(family.lists) == 1:
        return {family.lists[0]: ",".join(text.replace(",", " ").split())}
    fractions = [word.strip(",").split("/") for word in words]
    is_fractions = all(len(parts) == 2 and all(map(is_number, parts)) for parts in fractions)
    if is_fractions and len(words) == 2:
        refuse_margins(family, _MARGINS)
    names = family.data
    takes_fractions = family.has_counts_of_samples or family.has_clusters
    if not takes_fractions or len(names) != 2 * family.samples:
        raise InputError(f"{family.name} takes its data by {options}, found {text}")
    if not is_fractions:
        raise InputError(
            f"{family.name} takes fractions x/{family.model.SIZE} such as 90/100, or {options}, "
            f"found {text}"
        )
    if family.samples == 1:
        columns = zip(*fractions, strict=True)
        return {name: ",".join(column) for name, column in zip(names, columns, strict=True)}
    if len(words) != family.samples:
        raise InputError(f"{family.name} takes two fractions, 45/60 52/60, found {text}")
    return dict(zip(names, (number for parts in fractions for number in parts), strict=True))


def refuse_margins(family: Family, names: Collection[str]) -> None:
    """Refuse the counts of two samples where those of pairs are needed.

    Args:
        family: of the data.
        names: of what is given.

    Raises:
        InputError: they are the counts of two samples, and the family is of pairs.
    """
    if "first_only" in family.data and set(names) >= _MARGINS:
        raise InputError(
            f"{family.name} needs the discordant pairs, on which its limits depend: two fractions "
            "do not say how many cases are right in the first only and in the second only; give "
            "--both, --first-only, --second-only and --neither, or a file with a row for each "
            "case, as --rows FILE --correct FIRST --correct SECOND (of separate cases "
            "proportion_difference takes two fractions)"
        )


def refuse_other_data(family: Family, names: Collection[str]) -> None:
    """Refuse data that the family lacks, with the families that have them.

    Args:
        family: of the data.
        names: of the data that are given.

    Raises:
        InputError: the data are those of other families.
    """
    from harness.families.catalogue import FAMILIES

    refuse_margins(family, names)
    for name in names:
        if name not in family.options and name != "population":
            others = [key for key, other in FAMILIES.items() if name in other.options]
            needed = enumerated(map(option_of, family.data))
            raise InputError(
                f"{option_of(name)} is for {enumerated(others)}; {family.name} needs {needed}"
            )
