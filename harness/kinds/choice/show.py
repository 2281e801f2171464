"""A choice on the screen and on pages: what to use, and the methods in the order of the rule."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import polars as pl
from rich.console import RenderableType

from harness.findings.answer import Answer
from harness.findings.conclusion import mean_coverages, use_of
from harness.kinds.choice.tables import LEAST_BAD, NEVER, USE, ChoiceResults
from harness.methods.method import TWO_SIDED
from harness.screen.console import escape_markup
from harness.screen.records import table_screen
from harness.tables.formats import Entry, TextTable, text_table
from harness.tables.wording import nominal, percent, significant

_MOST_ROWS = 20
Row = dict[str, Any]


def choice_screen(results: ChoiceResults) -> Iterator[RenderableType]:
    """The title, the rule, the methods of each side and alpha, and what to use."""
    yield f"[bold]{escape_markup(results.manifest['title'])}[/bold]"
    yield escape_markup(rule(results))
    for table in method_tables(results, _MOST_ROWS):
        yield table_screen(table)
    yield table_screen(other_answers(results))
    for name in results.manifest.get("disagreeing", ()):
        yield f"[bold red]The engines disagree[/bold red] under {escape_markup(name)}."
    for sentence in results.manifest["failures"]:
        yield f"[bold red]Failed[/bold red]: {escape_markup(sentence)}."
    for line in advice(results):
        yield f"[bold]{escape_markup(line)}[/bold]"
    if results.path is not None:
        yield f"Written to {escape_markup(str(results.path))}"


def found_answer(results: ChoiceResults) -> Answer:
    """The same as an answer of a page."""
    manifest = results.manifest
    tables = [*method_tables(results), other_answers(results)]
    return Answer(
        [rule(results)],
        [
            *(f"The engines disagree under {name}." for name in manifest.get("disagreeing", ())),
            *(f"Failed: {sentence}." for sentence in manifest["failures"]),
        ],
        {table.caption: table for table in tables},
        list(advice(results)),
    )


def rule(results: ChoiceResults) -> str:
    """The rule in one sentence, with the numbers of the config."""
    experiment = results.manifest["experiment"]
    allow, truths = experiment["allow"], experiment["truths"]
    under = next(iter(truths)) if len(truths) == 1 else f"each of {', '.join(truths)}"
    return (
        f"Of the methods that miss at most {allow['mean']:g} times alpha on average under {under} "
        f"at each size, and at most {allow['worst']:g} times alpha at worst, the shortest."
    )


def _groups(table: pl.DataFrame) -> Iterator[tuple[str, float, list[Row]]]:
    for part in table.partition_by("side", "alpha", maintain_order=True):
        yield part["side"][0], part["alpha"][0], part.to_dicts()


def method_tables(results: ChoiceResults, most: int | None = None) -> Iterator[TextTable]:
    """A table of the methods for each side and alpha, in the order of the rule.

    Args:
        results: of a choice.
        most: the most rows of a table; None for all.
    """
    for side, alpha, rows in _groups(results.summary):
        shown = []
        for row in rows[:most]:
            means = mean_coverages(row["mean_alpha"], row["least_mean_alpha"])
            lowest, error = percent(1 - row["worst_alpha"]), row["worst_std_error"]
            if error:
                lowest = f"{lowest.removesuffix(' %')} ± {percent(error, 2)}"
            length = Entry(significant(row["relative_length"], 4), row["relative_length"])
            shown.append(
                {
                    "Method": Entry(row["method"], note=row["recommended"]),
                    "": Entry(row["recommended"] or ("" if row["qualifies"] else "fails")),
                    "covers on average, %": Entry(means.removesuffix(" %")),
                    "lowest, %": Entry(lowest.removesuffix(" %"), 1 - row["worst_alpha"]),
                    "at": Entry(row["worst_size"]),
                    "over": Entry(row["worst_over"]),
                    "length" if side == TWO_SIDED else "excess": length,
                }
            )
        what = "intervals" if side == TWO_SIDED else f"{side} limits"
        caption = f"{nominal(alpha)} {what}, in the order of the rule"
        if most is not None and len(rows) > most:
            caption += f"; the first {most} of {len(rows)} (all in summary.csv)"
        yield text_table(caption, shown, ("Method", "", "at", "over"))


def other_answers(results: ChoiceResults) -> TextTable:
    """What the rule takes where more or fewer misses are allowed: a row for each mean allowance.

    Rows that are the same for all allowances on average are one.
    """
    shown = []
    for side, alpha, rows in _groups(results.answers):
        by_mean: dict[float, dict[float, str]] = {}
        for row in rows:
            by_mean.setdefault(row["allowed_mean"], {})[row["allowed_worst"]] = row["method"]
        means: dict[tuple[str | None, ...], list[float]] = {}
        for mean, by_worst in by_mean.items():
            means.setdefault(tuple(by_worst.values()), []).append(mean)
        for methods, allowed in means.items():
            span = f"{allowed[0]:g}" if len(allowed) == 1 else f"{allowed[0]:g} to {allowed[-1]:g}"
            at_worst = [f"{worst:g} at worst" for worst in next(iter(by_mean.values()))]
            taken = (Entry(method or "none") for method in methods)
            shown.append(
                {
                    "Alpha": Entry(f"{alpha:g}"),
                    "Side": Entry("" if side == TWO_SIDED else side),
                    "On average": Entry(span),
                    **dict(zip(at_worst, taken, strict=True)),
                }
            )
    caption = "What the rule takes, by how many times alpha a method may miss"
    texts = [name for row in shown for name in row if name != "Alpha"]
    return text_table(caption, shown, texts)


def advice(results: ChoiceResults) -> Iterator[str]:
    """Which method to use, a line for each side and alpha."""
    for side, alpha, rows in _groups(results.summary):
        named = {row["recommended"]: row for row in rows if row["recommended"]}
        proven = [row for row in rows if row["is_proven"]]
        use = named.get(USE) or named[LEAST_BAD]
        what = "" if side == TWO_SIDED else f", of {side} limits,"
        where = "at the worst" if use["worst_known_by"] == "exact" else "at the worst found"
        if not use["qualifies"]:
            where += "; no method qualifies, and it comes nearest"
        parts = [
            use_of(
                f"At {nominal(alpha)}{what} use {use['method']}",
                mean_coverages(use["mean_alpha"], use["least_mean_alpha"]),
                use["worst_alpha"],
                use["worst_std_error"],
                where,
            )
        ]
        never = named.get(NEVER)
        if never is not None:
            longer = never["relative_length"] / use["relative_length"] - 1
            parts.append(
                f"Where coverage must never be below {nominal(alpha)}, use {never['method']}, "
                f"which is {percent(longer, 2)} longer."
            )
        elif not proven:
            parts.append("Of no method is it proven that it never covers less.")
        yield " ".join(parts)
