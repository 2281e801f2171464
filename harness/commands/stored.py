"""``plot``, ``export`` and ``replay``: figures, tables and single trials of stored results."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from harness.base.errors import InputError, MethodError
from harness.commands.ending import cleaning_up, print_error
from harness.commands.options import OutFile, ResultFolder


def plot(
    folder: Annotated[
        Path | None, typer.Argument(help="Folder of a result.", metavar="DIR")
    ] = None,
    formats: Annotated[
        list[str] | None, typer.Option("--format", help="png, svg or pdf; may be repeated.")
    ] = None,
    kind: Annotated[
        str | None, typer.Option(help="Draw this kind of figure, which the config need not name.")
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="OPTION=VALUE", help="An option of the figure of --kind."),
    ] = None,
    style: Annotated[
        str | None,
        typer.Option(help="A matplotlib style, such as ggplot, or a style file, of all figures."),
    ] = None,
    listed: Annotated[
        bool,
        typer.Option("--list", help="List the kinds of figure; with --kind the options of one."),
    ] = False,
) -> int:
    """Draw the figures of a result again, from its tables; all or none is written.

    With --kind one that the config did not ask for: plot DIR --kind coverage_curve --set n=50.
    Its file has the settings in its name where another figure of the result has the usual name.

    plot --list shows the kinds, and plot --list --kind coverage_curve the options of one.
    """
    if listed:
        from harness.commands.output import show
        from harness.figures.catalogue import kinds_of_figure, options_of_figure

        show(kinds_of_figure() if kind is None else options_of_figure(kind), "table")
        return 0
    if folder is None:
        raise InputError("plot needs the folder of a result, or --list")
    from harness.kinds.stored import load

    # What is wrong with the folder is said before the rest is loaded, which takes longer.
    results = load(folder)
    document = results.manifest["experiment"]
    if settings and kind is None:
        raise InputError("--set is of the figure that --kind names, found no --kind")
    if kind is None:
        from harness.figures.catalogue import figures_of_config

        specs = figures_of_config(document)
        if not specs:
            raise InputError(f"{folder}: its config asks for no figures; --kind names one to draw")
    else:
        from harness.figures.kind import file_stem
        from harness.kinds.load import validate_figure

        asked = validate_figure(document, kind, settings or ())
        specs = [replace(asked, apart=file_stem(*(settings or ["default"])))]
    if style is not None:
        specs = [replace(spec, options={**spec.options, "style": style}) for spec in specs]
    from harness.commands.output import say
    from harness.runner.write import write_figures

    with cleaning_up():
        paths = write_figures(results, specs, folder, formats)
    for path in paths:
        say(str(path))
    return 0


_ENDINGS = {".tex": "latex", ".md": "markdown", ".csv": "csv", ".html": "html", ".htm": "html"}


def export(
    folder: ResultFolder,
    table: Annotated[
        str,
        typer.Option(
            help="summary, cells, ranking, recommendation, near_nominal, differences, replicates "
            "or columns, as far as the result has them.",
            metavar="TABLE",
        ),
    ] = "summary",
    output: Annotated[
        Literal["latex", "markdown", "csv", "html"] | None,
        typer.Option("--format", help="By default that of the ending of --out, or else markdown."),
    ] = None,
    columns: Annotated[
        list[str] | None,
        typer.Option(help="Columns in their order; may be repeated.", metavar="NAME,..."),
    ] = None,
    where: Annotated[
        list[str] | None,
        typer.Option(
            help="Rows to keep, as in method=wilson,n=50; of several values of a column any.",
            metavar="COLUMN=VALUE,...",
        ),
    ] = None,
    digits: Annotated[
        int | None,
        typer.Option(min=0, max=15, help="Digits after the point: 4, and of csv all unless given."),
    ] = None,
    errors: Annotated[
        Literal["std_error", "interval", "none"],
        typer.Option(help="What stands beside an estimate; in csv errors are columns."),
    ] = "std_error",
    labels: Annotated[
        bool, typer.Option("--labels", help="Methods by their labels, not by their titles.")
    ] = False,
    out: OutFile = None,
) -> int:
    """Write a table of a result as LaTeX (booktabs), Markdown, CSV or HTML.

    As in: export results/quickstart --where engine=enumeration --format latex.
    """
    from harness.commands.output import say_or_write, validate_output_files
    from harness.kinds.stored import load
    from harness.runner.storage import written_files_if_any
    from harness.tables.columns import CELLS, NEAR_NOMINAL
    from harness.tables.formats import html, latex, markdown
    from harness.tables.sheet import raw_sheet, readable_sheet, spreadsheet_safe
    from harness.tables.wording import DIGITS

    results = load(folder, with_cells=table in (CELLS, NEAR_NOMINAL))
    if out is not None:
        read = [folder / name for name in written_files_if_any(folder) or ()]
        validate_output_files({"--out": out}, read)
    form = output or (_ENDINGS.get(out.suffix.lower()) if out is not None else None) or "markdown"
    names = [name.strip() for column_names in columns or () for name in column_names.split(",")]
    rows: list[str] = where or []
    asked: dict[str, Any] = {"columns": names, "labels": labels}
    if form == "csv":
        raw = raw_sheet(results, table, where=rows, digits=digits, **asked)
        text = spreadsheet_safe(raw).write_csv().removesuffix("\n")
    else:
        places = DIGITS if digits is None else digits
        sheet = readable_sheet(results, table, where=rows, digits=places, errors=errors, **asked)
        text = {"latex": latex, "markdown": markdown, "html": html}[form](sheet)
    say_or_write(text, out)
    return 0


def replay(
    folder: ResultFolder,
    scenario: Annotated[int, typer.Option(help="Number of the scenario, from 1 on.")],
    trial: Annotated[int, typer.Option(help="Number of the trial, from 1 on.")],
) -> int:
    """Draw one trial of a simulation study again, and show what each method answers.

    As in: replay results/slope --scenario 3 --trial 41. Where a function fails, its exception is
    shown with the lines of its file. In Python, harness.load("results/slope").data(scenario=3,
    trial=41) returns the data.
    """
    from harness.commands.output import say
    from harness.kinds.simulation.measures import Replicates
    from harness.kinds.simulation.replay import replay as replayed
    from harness.kinds.stored import load
    from harness.screen.records import format_record

    with cleaning_up():
        replayed_trial = replayed(load(folder), scenario, trial)
    for name in replayed_trial.changed:
        print_error(f"the file of {name} has changed since the run, so that numbers may differ")
    levels = ", ".join(f"{name} = {value}" for name, value in replayed_trial.factors.items())
    where = f"scenario {scenario}: {levels}" if levels else f"scenario {scenario}"
    several = len(replayed_trial.truths) > 1
    words = [f"{name} {value:g}".strip() for name, value in replayed_trial.truths.items()]
    say(f"{where}; trial {trial}; truth{'s' * several} {', '.join(words)}")
    failed = False
    for label, answers in replayed_trial.answers.items():
        say(f"\n{label}")
        if answers.answered[0]:
            for estimand, truth in replayed_trial.truths.items():
                fields = answers.fields(estimand)
                made = Replicates(answered=answers.answered.astype(bool), **fields)
                made = made.with_limits(replayed_trial.alpha)
                numbers = {name: float(getattr(made, name)[0]) for name in fields}
                record = {name: value for name, value in numbers.items() if value == value}
                say((f"{estimand}\n" if several else "") + format_record(record))
                lower, upper = numbers["lower"], numbers["upper"]
                if lower == lower and truth == truth:
                    say(f"covers the truth: {'yes' if lower <= truth <= upper else 'no'}")
        elif answers.failed:
            failed = True
            first, why = answers.failed
            say(why if first == trial else f"no answer; first in trial {first} of its batch: {why}")
        if answers.changed:
            failed = True
            say(answers.changed[1])
    return MethodError.exit_code if failed else 0
