"""Tables on the screen: records, the catalogue of methods, and the methods of a run side by side.

Intervals on the screen have as many digits as their length is known to. The catalogue is in tables
of 80 columns, one for each family.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

import polars as pl
from rich import box
from rich.console import JustifyMethod, RenderableType
from rich.table import Table

from harness.catalogue import family_in
from harness.families.catalogue import family_of
from harness.families.family import Family
from harness.screen.console import escape_markup
from harness.tables.answers import CLOSEST, FACTOR, NEVER, ORDERED_BY, WITHIN
from harness.tables.formats import Entry, TextTable, text_table
from harness.tables.wording import (
    coverage_number,
    format_number,
    percent,
    rounded,
    truth_range,
    worst_range,
)


def format_value(value: object) -> str:
    """The value as text; None is an estimate such as 0/0, which is no number."""
    if value is None:
        return "undefined"
    return rounded(value) if isinstance(value, float) else str(value)


def format_record(record: Mapping[str, Any]) -> str:
    """The record as text, a line for each field."""
    return "\n".join(f"{name}: {format_value(value)}" for name, value in record.items())


def narrow_table(title: str, caption: str | None = None) -> Table:
    """An empty table with a title at its left, and one space between columns.

    Args:
        title: what stands above it.
        caption: what stands below it.
    """
    return Table(
        title=title,
        title_justify="left",
        caption=caption,
        caption_justify="left",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        padding=(0, 1, 0, 0),
    )


def table_screen(
    table: TextTable,
    caption: str | None = None,
    *,
    sections: bool = False,
    breakable: Collection[str] = (),
) -> Table:
    """A table on the screen, numbers to the right.

    Args:
        table: what is shown.
        caption: what stands below it.
        sections: whether rows whose first texts are the same are one section, which has it once.
        breakable: the names of columns whose texts go on in the next line where they are too long.
    """
    shown = narrow_table(escape_markup(table.caption), caption)
    for name, is_number in zip(table.names, table.is_number, strict=True):
        justify: JustifyMethod = "right" if is_number else "left"
        shown.add_column(name, justify=justify, no_wrap=name not in breakable)
    firsts = [row[0].text for row in table.rows]
    has_sections = sections and len(set(firsts)) < len(firsts)
    for place, row in enumerate(table.rows):
        is_repeated = sections and place > 0 and firsts[place] == firsts[place - 1]
        if has_sections and place > 0 and not is_repeated:
            shown.add_section()
        texts = [escape_markup(entry.text) for entry in row]
        shown.add_row("" if is_repeated else texts[0], *texts[1:])
    return shown


def records_table(
    records: Sequence[Mapping[str, Any]], texts: Sequence[Mapping[str, Any]] | None = None
) -> Table:
    """The records as a table, with numbers to the right.

    Args:
        records: of the same names.
        texts: the same with values as text where they are not written as usual.
    """
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in records[0]:
        numbers = any(isinstance(record[name], int | float) for record in records)
        table.add_column(escape_markup(name), justify="right" if numbers else "left")
    for place, record in enumerate(records):
        row = record if texts is None else texts[place]
        table.add_row(*(escape_markup(format_value(value)) for value in row.values()))
    return table


NONE = "none"
LEGEND = (
    "Promise: at-least, no truth is missed with a probability above alpha; mean, a truth from the "
    "prior of the method is missed with the probability alpha; where it is empty, neither. "
    "(default) is what is used where none is named, (never above alpha) what to take where alpha "
    "must never be exceeded. "
    "`methods NAME` shows a method in full, `methods --wide` all columns, and "
    "`methods --family FAMILY` one family."
)


def methods_tables(records: Sequence[Mapping[str, Any]]) -> Iterator[RenderableType]:
    """Yield a table with name, title and promise of the methods of each family, then the legend.

    A name is never cut; a title that is too long goes on in the next line.

    Args:
        records: the methods, those of a family together.
    """
    longest = max(len(record["name"]) for record in records)
    for name, of_family in groupby(records, key=lambda record: str(record["family"])):
        table = narrow_table(escape_markup(f"{name} ({family_of(name).title})"))
        table.expand = True
        table.add_column("name", no_wrap=True, min_width=longest)
        table.add_column("title", ratio=1)
        table.add_column("promise", no_wrap=True, min_width=len("at-least"))
        for record in of_family:
            promise = "" if record["promise"] == NONE else record["promise"]
            also = "" if record["aliases"] == NONE else f" (also {record['aliases']})"
            best = "" if record["recommended"] == NONE else f" ({record['recommended']})"
            title = f"{record['title']}{also}{best}"
            table.add_row(*map(escape_markup, (record["name"], title, promise)))
        yield table
    yield escape_markup(LEGEND)


_MOST_ROWS, _TOP = 45, 10
_MOST_COLUMNS = 6
_BELOW = "below: the share of the misses in which the true value lies below the interval."
_LISTS = {"values", "grid"}
_FIRST = ", whose equal-tailed posterior interval is first by construction"


def ranking_screen(ranking: pl.DataFrame, truth: Mapping[str, Any]) -> Table:
    """A table with a row per method and alpha; if that is too long, the first ten of each alpha.

    Args:
        ranking: of a run.
        truth: as the resolved config of the run has it; the caption names it.
    """
    family = family_in(ranking)
    several = ranking["alpha"].n_unique() > 1
    title = f"Two-sided methods, ranked by {ORDERED_BY}; coverage in %{worst_range(ranking)}"
    if several and ranking.height > _MOST_ROWS:
        ranking = ranking.group_by("alpha", maintain_order=True).head(_TOP).select(ranking.columns)
        title += f" (the first {_TOP} at each alpha; all in ranking.csv)"
    rows = []
    for row in ranking.iter_rows(named=True):
        worst_sizes = [row[f"worst_{name}"] for name in family.sizes]
        at = "" if row["worst_alpha"] is None else ", ".join(f"{n:.15g}" for n in worst_sizes)
        rows.append(
            {
                "": Entry("" if row["rank"] is None else str(row["rank"])),
                "method": Entry(row["method"]),
                "alpha": Entry(f"{row['alpha']:g}" if several else ""),
                "worst case": Entry(coverage_number(row["worst_alpha"], row["alpha"])),
                f"at {', '.join(family.sizes)}": Entry(at),
                "average": Entry(coverage_number(row["alpha"] - row["alpha_error"], row["alpha"])),
                "length": Entry(format_number(row["relative_length"])),
                "infinite": Entry(_share(row.get("infinite_length"))),
                "below": Entry(_share(row["below_share"])),
                "score": Entry(format_number(row["relative_score"])),
            }
        )
    return table_screen(
        text_table(title, rows, ("method",)), f"{_mean_over(truth, family)} {_BELOW}"
    )


def _share(value: float | None) -> str:
    return "" if value is None else f"{100 * value:.0f} %"


def _mean_over(truth: Mapping[str, Any], family: Family) -> str:
    """A sentence on what the score is a mean over; a distribution also decides what is first."""
    symbols = family.truth_parts
    parts = {symbols[key]: part for key, part in truth.items() if key in symbols}
    parts = parts or {", ".join(family.symbols): truth}
    words = []
    for symbol, part in parts.items():
        ((kind, content),) = part.items()
        if kind == "grid":
            span = f"{content['start']} … {content['stop']}"
            words.append(f"{content['count']} values of {symbol} in {span}")
        elif kind == "values" and len(content) == 1:
            words.append(f"{symbol} = {content[0]}")
        elif kind == "values":
            words.append(f"{len(content)} values of {symbol} in {content[0]} … {content[-1]}")
        elif kind == "uniform":
            words.append(f"{symbol} uniform on {content[0]} … {content[1]}")
        else:
            words.append(f"{symbol} from {kind.capitalize()}({', '.join(map(str, content))})")
    over = " and ".join(words)
    first = "" if _LISTS & set(next(iter(parts.values()))) else _FIRST
    return f"score: length plus a penalty for every miss, lower is better; mean over {over}{first}."


def near_nominal_screen(near: pl.DataFrame) -> Table:
    """A table with a row per method and a column per true value.

    Args:
        near: ``near_nominal`` of a run.
    """
    family = family_in(near)
    axis = family.sizes[0]
    keys = [name for name in (*family.sizes[1:], *family.truths) if near[name].n_unique() > 1]
    settings = near.select(keys).unique(maintain_order=True).rows() if keys else [()]
    shown = settings[:_MOST_COLUMNS]
    title = f"The {axis} from which on coverage is within alpha/5 of nominal"
    if len(settings) > len(shown):
        title += f" (the first {len(shown)} of {len(settings)} settings; all in near_nominal.csv)"
    constant = {name for name in ("alpha", "engine") if near[name].n_unique() == 1}
    rows = []
    for part in near.partition_by(["method", "alpha", "engine"], maintain_order=True):
        here = part.select(keys).rows() if keys else [()] * part.height
        near_from = dict(zip(here, part["near_from"], strict=True))
        method, alpha, engine = part.select("method", "alpha", "engine").row(0)
        row = {
            "method": Entry(method),
            "alpha": Entry("" if "alpha" in constant else f"{alpha:g}"),
            "engine": Entry("" if "engine" in constant else engine),
        }
        for setting in shown:
            pairs = zip(keys, setting, strict=True)
            name = ", ".join(f"{key} = {value:g}" for key, value in pairs) or axis
            size = near_from.get(setting)
            row[name] = Entry("–" if size is None else f"{size:.15g}")
        rows.append(row)
    caption = "–: not even at the largest. Monte Carlo is taken as it is."
    return table_screen(text_table(title, rows, ("method",)), caption)


_MOST_SENTENCES = 3
_Case = Mapping[str, Mapping[str, Any]]
"""The answers at one size and alpha, by their question."""


def recommendation_screen(answers: pl.DataFrame, worst_is_exact: bool) -> Iterator[RenderableType]:
    """Yield the answers in words at each size and alpha, or of more than three a table of them.

    The table has the mean length of the first answer, the worst alpha of the second one and the
    actual alpha of the third one beside the method.

    Args:
        answers: to the questions at each size and alpha.
        worst_is_exact: whether worst cases are proven suprema, and not found by a search.
    """
    family = family_in(answers)
    parts = answers.partition_by("alpha", *family.sizes, maintain_order=True)
    cases: list[_Case] = [
        {row["question"]: row for row in part.iter_rows(named=True)} for part in parts
    ]
    range_ = truth_range(answers)
    if len(cases) > _MOST_SENTENCES:
        yield _table(cases, family, range_, worst_is_exact)
        return
    for case in cases:
        row = next(iter(case.values()))
        sizes = family.size_text([row[name] for name in family.sizes])
        head = ", ".join(part for part in (sizes, range_, f"alpha {row['alpha']:g}") if part)
        lines = (
            f"{_question(question, worst_is_exact, row['alpha'])}: {_words(answer, worst_is_exact)}"
            for question, answer in case.items()
        )
        yield escape_markup("\n  ".join([f"{head}:", *lines]))


_SHOWN = {NEVER: "mean_length", WITHIN: "worst_alpha", CLOSEST: "actual_alpha"}
_HEADINGS = {NEVER: "length", WITHIN: "worst", CLOSEST: "mean"}


def _table(cases: Sequence[_Case], family: Family, range_: str, worst_is_exact: bool) -> Table:
    """A table with a row per size and alpha; only the first rows if it is too long."""
    alphas = list(dict.fromkeys(row["alpha"] for case in cases for row in case.values()))
    alpha = alphas[0] if len(alphas) == 1 else None
    where = ", ".join(filter(None, (range_, "" if alpha is None else f"alpha {alpha:g}")))
    title = f"Which interval: {where}" if where else "Which interval"
    if len(cases) > _MOST_ROWS:
        title += f" (the first {_MOST_ROWS} rows; all in recommendation.csv)"
    questions = {name: _question(name, worst_is_exact, alpha) for name in _SHOWN}
    questions[CLOSEST] += ", not above alpha"
    rows = []
    for case in cases[:_MOST_ROWS]:
        first = next(iter(case.values()))
        row = {name: Entry(f"{first[name]:.15g}") for name in family.sizes}
        row["alpha"] = Entry(f"{first['alpha']:g}" if alpha is None else "")
        for name, question in questions.items():
            answer = case.get(name, {"method": "", _SHOWN[name]: None})
            number = format_number if name == NEVER else percent
            row[question] = Entry("none" if answer["method"] is None else answer["method"])
            row[_HEADINGS[name]] = Entry(number(answer[_SHOWN[name]]))
        rows.append(row)
    asked = questions.values()
    return table_screen(text_table(title, rows, asked), breakable=asked)


def _question(question: str, worst_is_exact: bool, alpha: float | None) -> str:
    """The question in words, with alpha in per cent if all have the same.

    A worst case that is searched for proves no bound.
    """
    factor = FACTOR if question == WITHIN else 1.0
    if alpha is not None:
        bound = percent(factor * alpha, 6)
    else:
        bound = "alpha" if factor == 1.0 else f"{factor:g} · alpha"
    if question == CLOSEST:
        return f"closest to {bound} on average"
    if worst_is_exact:
        return f"shortest that never misses more than {bound}"
    return f"shortest that was not found to miss more than {bound}"


def _words(row: Mapping[str, Any], worst_is_exact: bool) -> str:
    """The answer in words."""
    question, other = row["question"], row["runner_up"]
    at_worst = "at worst" if worst_is_exact else "at the worst found"
    if row["method"] is None:
        column, how = ("actual", "on average") if question == CLOSEST else ("worst", at_worst)
        value = percent(row[f"runner_up_{column}_alpha"])
        return f"none of the {row['methods']}; nearest is {other} ({value} {how})"
    if question == NEVER:
        value = format_number(row["mean_length"])
        runner_up = f" ({other} {format_number(row['runner_up_mean_length'])})" if other else ""
        return f"{row['method']}, length {value}{runner_up}"
    value = percent(row[_SHOWN[question]])
    if question == WITHIN:
        return f"{row['method']} ({value} {at_worst})"
    nearer = percent(row["runner_up_actual_alpha"]) if other else ""
    return (
        f"{row['method']} ({value}{f'; nearer, but above it: {other}, {nearer}' if other else ''})"
    )
