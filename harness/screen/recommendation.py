"""The recommended methods on the screen: a sentence for each size and alpha, or a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import polars as pl
from rich.console import RenderableType
from rich.table import Table

from harness.families.catalogue import family_of
from harness.families.family import Family
from harness.screen.records import escape_markup, format_number, narrow_table, truth_range
from harness.tables.answers import CLOSEST, NEVER, WITHIN

_MOST_SENTENCES, _MOST_ROWS = 3, 45
_Row = Mapping[str, Any]
_Case = Mapping[str, _Row]
"""The answers at one size and alpha, by their question."""


def recommendation_screen(answers: pl.DataFrame, worst_is_exact: bool) -> Iterator[RenderableType]:
    """Yield the answers in words at each size and alpha, or of more than three a table of them.

    The table has the mean length of the first answer, the worst alpha of the second one and the
    actual alpha of the third one beside the method.

    Args:
        answers: to the questions at each size and alpha.
        worst_is_exact: whether worst cases are proven suprema, and not found by a search.
    """
    family = family_of(answers["family"][0])
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
            f"{_question(question, worst_is_exact, _percent(row['alpha']))}: "
            f"{_words(answer, worst_is_exact)}"
            for question, answer in case.items()
        )
        yield escape_markup("\n  ".join([f"{head}:", *lines]))


def _table(cases: Sequence[_Case], family: Family, range_: str, worst_is_exact: bool) -> Table:
    """A table with a row per size and alpha; only the first rows if it is too long."""
    alphas = list(dict.fromkeys(row["alpha"] for case in cases for row in case.values()))
    several = len(alphas) > 1
    where = ", ".join(part for part in (range_, "" if several else f"alpha {alphas[0]:g}") if part)
    title = f"Which interval: {where}" if where else "Which interval"
    if len(cases) > _MOST_ROWS:
        title += f" (the first {_MOST_ROWS} rows; all in recommendation.csv)"
    table = narrow_table(title)
    for name in (*family.sizes, *(["alpha"] * several)):
        table.add_column(name, justify="right", no_wrap=True)
    asked = [name for name in (NEVER, WITHIN, CLOSEST) if any(name in case for case in cases)]
    percent = "alpha" if several else _percent(alphas[0])
    for question in asked:
        above = ", not above alpha" if question == CLOSEST else ""
        table.add_column(f"{_question(question, worst_is_exact, percent)}{above}")
        table.add_column(_HEADINGS[question], justify="right", no_wrap=True)
    for case in cases[:_MOST_ROWS]:
        row = next(iter(case.values()))
        cells = [f"{row[name]:.15g}" for name in family.sizes]
        cells += [f"{row['alpha']:g}"] * several
        for question in asked:
            answer = case.get(question, {})
            none = "" if not answer else "none"
            cells += [
                escape_markup(answer.get("method") or none),
                format_number(answer.get(_SHOWN[question])),
            ]
        table.add_row(*cells)
    return table


_SHOWN = {NEVER: "mean_length", WITHIN: "worst_alpha", CLOSEST: "actual_alpha"}
_HEADINGS = {NEVER: "length", WITHIN: "worst", CLOSEST: "mean"}


def _question(question: str, worst_is_exact: bool, percent: str) -> str:
    """The question in words; a worst case that is searched for proves no bound."""
    if question == CLOSEST:
        return "closest on average"
    if question == WITHIN:
        at_worst = "at worst" if worst_is_exact else "at the worst that was found"
        return f"shortest within 1.5 · alpha {at_worst}"
    if worst_is_exact:
        return f"shortest that never misses more often than {percent}"
    return f"shortest that no truth was found to miss more often than {percent}"


def _words(row: _Row, worst_is_exact: bool) -> str:
    """The answer in words."""
    question, other = row["question"], row["runner_up"]
    if row["method"] is None:
        count, value = row["methods"], format_number(row[f"runner_up_{_BOUNDED[question]}"])
        which = "mean alpha" if question == CLOSEST else "worst alpha"
        found = "" if question == CLOSEST or worst_is_exact else " found"
        return f"none of the {count}; the smallest {which}{found} is {value} of {other}"
    value = format_number(row[_SHOWN[question]])
    if question == NEVER:
        runner_up = f" ({other} {format_number(row['runner_up_mean_length'])})" if other else ""
        return f"{row['method']}, length {value}{runner_up}"
    if question == CLOSEST and other:
        nearer = format_number(row["runner_up_actual_alpha"])
        return f"{row['method']} ({value}; nearer, but above alpha: {other}, {nearer})"
    return f"{row['method']} ({value})"


_BOUNDED = {NEVER: "worst_alpha", WITHIN: "worst_alpha", CLOSEST: "actual_alpha"}


def _percent(alpha: float) -> str:
    return f"{100 * alpha:g} %"
