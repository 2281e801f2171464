"""What a simulation study found, in sentences, tables and pictures, on the screen and on pages."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from rich.console import RenderableType

from harness.designs.crossing import Goal
from harness.designs.precision import estimate_interval
from harness.figures.catalogue import figures_of_config
from harness.figures.kind import FigureSpec
from harness.kinds.simulation.experiment import ALL
from harness.kinds.simulation.measures import FRACTIONS, JOINT_COVERAGE
from harness.kinds.simulation.search import IMPRECISE, OUTSIDE
from harness.kinds.simulation.tables import failed_calls
from harness.report.page import Section
from harness.report.sections import facts
from harness.screen.console import escape_markup
from harness.screen.records import table_screen
from harness.tables.estimands import estimands_of
from harness.tables.formats import Entry, TextTable, pipe_table
from harness.tables.formats import markdown_text as escaped
from harness.tables.results import Results
from harness.tables.wording import coverage, nominal, significant, with_error

SHOWN = {
    "bias": "bias",
    "empirical_se": "empirical SE",
    "model_se": "model SE",
    "coverage": "coverage in %",
    "joint_coverage": "joint coverage in %",
    "mean_length": "mean length",
    "mean_set_size": "mean set size",
    "rejection_rate": "rejections in %",
    "failures": "failures in %",
}
"""The measures of the table, with the names of their columns."""
_ROUNDING = 1e-12
"""A standard error that is so small a part of its estimate is that of equal numbers."""

_MOST_ROWS = 60

Row = Mapping[str, Any]


@dataclass(frozen=True)
class StudyTable:
    """The main measures of a study as text."""

    title: str
    names: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    texts: int
    """The number of columns at the start that are no measures."""


def study_table(results: Results) -> StudyTable:
    """A row per scenario and method: its factors, and each measure ± its standard error.

    Of a search it is the measure that was asked for, by the levels that were tried. Measures that
    no method has, and failures where there are none, are left out.
    """
    experiment, summary = results.manifest["experiment"], results.summary
    factors = list(experiment["factors"][0])
    if "solve" in experiment:
        solve = experiment["solve"]
        others = [name for name in factors if name != solve["factor"]]
        tried = _of_search(summary, experiment)
        tried = tried.sort(*others, "method", solve["factor"], maintain_order=True)
        level_rows = tuple(
            (
                *(str(row[name]) for name in ("scenario", *factors, "method")),
                _value(solve["measure"], row["estimate"], row["mcse"]),
                f"{row['trials']:,}",
            )
            for row in tried.iter_rows(named=True)
        )
        names = ("scenario", *factors, "method", solve["measure"], "trials")
        return StudyTable(
            "Levels that were tried, ± Monte Carlo standard errors",
            names,
            level_rows,
            len(factors) + 2,
        )
    by_measure: dict[str, dict[tuple[Any, ...], Row]] = {}
    keys: dict[tuple[Any, ...], Row] = {}
    named = _named(summary)
    for row in summary.iter_rows(named=True):
        key = (row["scenario"], *(row[name] for name in named))
        by_measure.setdefault(row["measure"], {})[key] = row
        keys.setdefault(key, row)
    titles = SHOWN | {
        measure["label"]: measure["label"] for measure in experiment.get("measures", ())
    }
    used = [name for name in titles if name in by_measure]
    if not any(row["estimate"] for row in by_measure.get("failures", {}).values()):
        used = [name for name in used if name != "failures"]
    rows = tuple(
        (
            str(first["scenario"]),
            *(str(first[name]) for name in factors),
            *(first[name] for name in named),
            *(_text(name, by_measure[name].get(key)) for name in used),
        )
        for key, first in keys.items()
    )
    names = ("scenario", *factors, *named, *(titles[name] for name in used))
    title = "Measures ± Monte Carlo standard errors"
    return StudyTable(title, names, rows, len(factors) + 1 + len(named))


def _named(rows: pl.DataFrame) -> list[str]:
    """The columns that tell rows of a scenario and a measure apart."""
    return [name for name in ("method", "estimand") if name in rows.columns]


def _of_search(summary: pl.DataFrame, experiment: Mapping[str, Any]) -> pl.DataFrame:
    """The rows of the measure, and of the estimand, that is searched for."""
    measure = experiment["solve"]["measure"]
    rows = summary.filter(measure=measure)
    name = ALL if measure == JOINT_COVERAGE else next(iter(estimands_of(experiment)))
    return rows.filter(estimand=name) if "estimand" in rows.columns else rows


def _text(measure: str, row: Row | None) -> str:
    if row is None or row["estimate"] is None:
        return ""
    factor, digits = (100.0, 2) if measure in FRACTIONS else (1.0, 4)
    value, error = factor * row["estimate"], row["mcse"]
    if not error or error < _ROUNDING * abs(row["estimate"]):
        return f"{value:.{digits}f}"
    return with_error(value, factor * error, digits)


def study_sentences(results: Results) -> Iterator[str]:
    """How each method covers, over all scenarios; or what a search found.

    Coverage is called too low, or more than nominal, where the interval of Clopper and Pearson at
    0.05, over the number of scenarios × methods × planned looks at which the trials might have
    stopped, lies below, or above, the nominal coverage.
    """
    experiment = results.manifest["experiment"]
    if "solve" in experiment:
        yield from (sentence for sentence, _ in solve_sentences(results))
        return
    factors, alpha = list(experiment["factors"][0]), experiment["alpha"]
    looks = results.manifest["trials"].get("looks", 1)
    rows = results.summary.filter(pl.col("measure") == "coverage", pl.col("trials") > 0)
    if rows.is_empty():
        return
    trials = rows["trials"].to_numpy()
    held = np.rint(rows["estimate"].to_numpy() * trials).astype(np.int64)
    lower, upper = estimate_interval(held, trials, rows.height * looks)
    rows = rows.with_columns(low=pl.Series(lower), high=pl.Series(upper))
    for (method, *estimand), own in rows.group_by(_named(rows), maintain_order=True):
        worst = own.sort("estimate", "scenario").row(0, named=True)
        few = own.filter(pl.col("high") < 1 - alpha).height
        many = own.filter(pl.col("low") > 1 - alpha).height
        covered = coverage(worst["estimate"], worst["mcse"], (worst["ci_lower"], worst["ci_upper"]))
        who = ", ".join([str(method), *map(str, estimand)])
        at = f" (scenario {worst['scenario']}{_place(worst, factors)})" if own.height > 1 else ""
        lowest = f"{'the lowest is ' if own.height > 1 else ''}{covered}{at}"
        of = f"{own.height} scenario{'s' if own.height > 1 else ''}"
        if few:
            where = f"{few} of {of}, {nominal(alpha)} nominal"
            yield f"{who}: coverage is too low in {where}; {lowest}."
        elif many:
            yield f"{who}: coverage is above {nominal(alpha)} in {many} of {of}; {lowest}."
        else:
            yield f"{who}: coverage agrees with {nominal(alpha)} in {of}; {lowest}."


def solve_sentences(results: Results) -> Iterator[tuple[str, bool]]:
    """What a search found for each scenario of the other factors and method, and if it answers."""
    experiment = results.manifest["experiment"]
    solve, table = experiment["solve"], results.tables["solve"]
    name, measure = solve["factor"], solve["measure"]
    others = [factor for factor in experiment["factors"][0] if factor != name]
    values = _of_search(results.summary, experiment)
    for row in table.iter_rows(named=True):
        held = {factor: row[factor] for factor in others}
        who = row["method"] + (f" ({_place(held, others)[2:]})" if held else "")
        wanted = _value(measure, solve["equals"])
        made = f"{row['trials']:,} trials at {row['tried']} levels"
        if row["crossing"] is not None:
            low, high = solve["between"]
            goal = Goal(solve["equals"], low, high, solve["whole"], False)
            limits = [goal.answer(row[column]) for column in ("crossing_lower", "crossing_upper")]
            answer, lower, upper = (significant(number, 4) for number in (row[name], *limits))
            there = _value(measure, row["estimate"], row["mcse"])
            early = "; the trials ended before the error asked for"
            early = early if row["status"] == IMPRECISE else ""
            yield (
                f"{who}: {measure} reaches {wanted} at {name} = {answer}, with a 95 % interval "
                f"from {lower} to {upper}; it is {there} there ({made}){early}.",
                True,
            )
            continue
        ends = []
        for level in solve["between"]:
            at = values.filter(pl.col(name) == level, method=row["method"], **held)
            measured = [
                _value(measure, summary_row["estimate"], summary_row["mcse"])
                for summary_row in at.to_dicts()
            ]
            ends.append(f"{measured[0] if measured else 'not known'} at {name} = {level}")
        low, high = solve["between"]
        what = f"{measure} does not reach {wanted} for {name} from {low} to {high}"
        if row["status"] != OUTSIDE:
            what = f"the trials do not tell where {measure} reaches {wanted}"
        yield f"{who}: {what}: it is {ends[0]} and {ends[1]} ({made}).", False


def _value(measure: str, value: float | None, error: float | None = None) -> str:
    """A measure with its standard error, those that are shown in per cent as such."""
    if value is None:
        return "not known"
    percent = measure in FRACTIONS
    factor = 100.0 if percent else 1.0
    text = f"{factor * value:.6g}"
    if error is not None and error > _ROUNDING * abs(value):
        text = with_error(factor * value, factor * error, 2 if percent else 4)
    return f"{text} %" if percent else text


def _place(row: Row, factors: Sequence[str]) -> str:
    """The levels of the factors, as what follows the number of a scenario."""
    levels = []
    for name in factors:
        level = row[name]
        text = significant(level, 6) if isinstance(level, float) else str(level)
        levels.append(f"{name} = {text}")
    return f": {', '.join(levels)}" if levels else ""


def simulation_screen(results: Results) -> Iterator[RenderableType]:
    """The title, how the methods cover, the main measures, failures, and where the files are."""
    manifest = results.manifest
    yield f"[bold]{escape_markup(manifest['title'])}[/bold]"
    for line in study_sentences(results):
        yield escape_markup(line)
    table = study_table(results)
    title = f"{table.title}, {manifest['trials']['total']:,} trials"
    shown = table.rows[:_MOST_ROWS]
    if len(shown) < len(table.rows):
        title += f"; the first {len(shown)} of {len(table.rows)} rows (all in summary.csv)"
    is_number = [place > 0 for place in range(len(table.names))]
    rows = [list(map(Entry, row)) for row in shown]
    yield table_screen(TextTable(title, table.names, is_number, rows))
    for sentence in failed_calls(manifest):
        yield f"[bold red]Failed[/bold red]: {escape_markup(sentence)}."
    if results.path is not None:
        path = str(results.path)
        for line in manifest["failures"][:1]:
            yield escape_markup(
                f"`python -m harness replay {path} --scenario {line['scenario']} "
                f"--trial {line['first_trial']}` draws that trial again"
            )
        yield f"Written to {escape_markup(path)}"


def sections(results: Results, command: str) -> Iterator[Section]:
    """The sections of a study, in their order."""
    from matplotlib import rc_context

    from harness.figures.draw import METADATA, drawings

    experiment = results.manifest["experiment"]
    pictures = []
    usual = FigureSpec("lollipop", {"measure": "coverage"})
    if "solve" in experiment:
        usual = FigureSpec("solve_curve", {})
    specs = figures_of_config(experiment) or [usual]
    for drawing in drawings(results, specs, skip_undrawable=True):
        file = io.BytesIO()
        # Its parts have the same names each time.
        with rc_context({"svg.hashsalt": "harness"}):
            drawing.figure.savefig(file, format="svg", metadata=METADATA["svg"])
        data = base64.b64encode(file.getvalue()).decode()
        pictures.append((drawing.stem, f"data:image/svg+xml;base64,{data}"))
    context = {
        "sentences": list(study_sentences(results)),
        "failures": list(failed_calls(results.manifest)),
        "table": study_table(results),
        "pictures": pictures,
    }
    title = "What the study found"
    yield Section("study", title, "study.html", context, styles=("answer.css",))
    yield facts(results, command, cells_file="")


def paragraphs(results: Results) -> Iterator[str]:
    """What was found in Markdown: how the methods cover, and the main measures."""
    table = study_table(results)
    yield from map(escaped, study_sentences(results))
    right = [place >= table.texts for place in range(len(table.names))]
    yield pipe_table(table.names, [[*map(escaped, row)] for row in table.rows], right)
