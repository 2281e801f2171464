"""Tables as text: their entries, and a table in LaTeX, Markdown and HTML."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from harness.base.frames import html_table
from harness.base.text import printable, printable_line
from harness.tables.sheet import Sheet

_TEXT = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "`": r"\textasciigrave{}",
    '"': "''",
    "–": r"\textendash{}",
    "—": r"\textemdash{}",
    "…": r"\ldots{}",
    "“": "``",
    "”": "''",
    "‘": "`",
    "’": "'",
    **{character: rf"\{character}" for character in "{}$&#%_"},
}
"""Characters of text that LaTeX reads as something else, or that its fonts have elsewhere."""

_MATH = {
    "−": "-",
    "±": r"\pm",
    "×": r"\times",
    "·": r"\cdot",
    "≤": r"\le",
    "≥": r"\ge",
    "≠": r"\ne",
    "≈": r"\approx",
    "∞": r"\infty",
    "√": r"\surd",
    "½": r"\frac{1}{2}",
    **{chr(0x2080 + digit): f"_{digit}" for digit in range(10)},
    **{chr(0x2070 + digit): f"^{digit}" for digit in (0, *range(4, 10))},
    "¹": "^1",
    "²": "^2",
    "³": "^3",
    "⁻": "^-",
}
"""Characters that are written in mathematics."""

_GREEK = re.compile("^GREEK (SMALL|CAPITAL) LETTER ([A-Z]+)$")
_WITH_COMMAND = frozenset(
    {"GAMMA", "DELTA", "THETA", "LAMDA", "XI", "PI", "SIGMA", "UPSILON", "PHI", "PSI", "OMEGA"}
)
_SYMBOL = re.compile(r"^(n|x|k)([12]?)$")
_HYPHENS = re.compile(r"-(?=-)")
"""Two of them would be one dash."""
_LIMIT = re.compile(r"^([01])([+−])$")
_POWER = re.compile(r"(\d)e([+-])0*(\d+)")


def latex(sheet: Sheet) -> str:
    """Return the table as a ``tabular``, with the caption as a comment above it."""
    kinds = "".join("r" if number else "l" for number in sheet.is_number)
    heading = []
    for name in sheet.names:
        symbol = _SYMBOL.match(name)
        if name == "alpha":
            heading.append(r"$\alpha$")
        elif symbol is None:
            heading.append(latex_text(name.replace("_", " ")))
        else:
            heading.append(f"${symbol[1]}_{symbol[2]}$" if symbol[2] else f"${name}$")
    rows = [
        [
            _number(cell) if number else latex_text(cell)
            for cell, number in zip(row, sheet.is_number, strict=True)
        ]
        for row in sheet.rows
    ]
    lines = [
        f"% {printable_line(sheet.caption)}",
        r"% needs \usepackage{booktabs}",
        rf"\begin{{tabular}}{{{kinds}}}",
        r"\toprule",
        _row(heading),
        r"\midrule",
        *map(_row, rows),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    return "\n".join(lines)


def latex_text(text: str) -> str:
    r"""The text as LaTeX sets it: special characters escaped, symbols in mathematics.

    >>> print(latex_text("50 % of x₁ & α_2"))
    50 \% of x$_1$ \& $\alpha$\_2
    """
    line = _HYPHENS.sub("-{}", "".join(map(_character, printable_line(text))))
    # After the end of a row these would be an argument or a part of it.
    return f"{{{line[0]}}}{line[1:]}" if line.startswith(("[", "*")) else line


def _character(character: str) -> str:
    if character in _TEXT:
        return _TEXT[character]
    if character in _MATH:
        return f"${_MATH[character]}$"
    greek = _GREEK.match(unicodedata.name(character, ""))
    if greek is None:
        return character
    size, name = greek.groups()
    if name == "OMICRON" or (size == "CAPITAL" and name not in _WITH_COMMAND):
        return _LIKE_LATIN.get(character, character)
    command = name.lower().replace("lamda", "lambda")
    return f"$\\{command if size == 'SMALL' else command.capitalize()}$"


_LIKE_LATIN = dict(zip("ΑΒΕΖΗΙΚΜΝΟΡΤΧο", "ABEZHIKMNOPTXo", strict=True))
"""Greek letters without a command of their own."""


def _number(text: str) -> str:
    """A number, with its error or interval, in mathematics."""
    if not text:
        return ""
    approached = _LIMIT.match(text)
    if approached:
        return f"${approached[1]}^{_MATH.get(approached[2], approached[2])}$"
    with_powers = _POWER.sub(
        lambda power: rf"{power[1]} \times 10^{{{power[2].strip('+')}{power[3]}}}", text
    )
    return f"${with_powers.replace('±', _MATH['±']).replace('inf', _MATH['∞'])}$"


def _row(cells: list[str]) -> str:
    return rf"{' & '.join(cells)} \\"


_SPECIAL = re.compile(r"([\\`*_\[\]<>|~#@&])")


def markdown(sheet: Sheet) -> str:
    """Return the table with its caption as a paragraph above it."""
    heading = [markdown_text(name.replace("_", " ")) for name in sheet.names]
    rows = [[markdown_text(cell) for cell in row] for row in sheet.rows]
    table = pipe_table(heading, rows, sheet.is_number)
    return printable(f"{markdown_text(sheet.caption)}\n\n{table}")


def pipe_table(
    header: Sequence[str], rows: Iterable[Sequence[str]], to_the_right: Sequence[bool] = ()
) -> str:
    """Return a table of cells that are Markdown already.

    Args:
        header: the heading of each column.
        rows: the cells of each row.
        to_the_right: whether a column is aligned to the right; by default none is.
    """
    rules = ["---:" if right else "---" for right in to_the_right] or ["---"] * len(header)
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (header, rules, *rows))


def markdown_text(text: str) -> str:
    """The text on one line, with what Markdown would read as markup or a mention escaped."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))


def html(sheet: Sheet) -> str:
    """Return a ``table`` with its caption, numbers to the right."""
    return html_table(sheet.caption, sheet.names, sheet.is_number, sheet.rows)


@dataclass(frozen=True)
class Entry:
    """What stands in one place of a table."""

    text: str
    value: float | None = None
    """The number that the column is sorted by; None where it is sorted by its text."""
    place: str = ""
    """The size and the true value that the number is for."""
    note: str = ""
    """What else has to be known of it."""
    kind: str = ""
    """What it means: ``good``, ``bad``, or the kind of a verdict."""


NOTHING = Entry("")


@dataclass(frozen=True)
class TextTable:
    """A table with a row of headings."""

    caption: str
    names: Sequence[str]
    """The headings of the columns."""
    is_number: Sequence[bool]
    """Whether a column holds numbers."""
    rows: Sequence[Sequence[Entry]]


def text_table(
    caption: str, rows: Sequence[Mapping[str, Entry]], texts: Collection[str]
) -> TextTable:
    """Return a table without the columns in which nothing stands.

    Args:
        caption: what the table is about.
        rows: what stands in each row, by the headings of the columns.
        texts: the headings of the columns that hold words; the others hold numbers.
    """
    every = rows[0] if rows else {}
    names = [name for name in every if any(row[name].text for row in rows)]
    return TextTable(
        caption,
        names,
        [name not in texts for name in names],
        [[row[name] for name in names] for row in rows],
    )


def markdown_table(table: TextTable) -> str:
    """The table in Markdown, without its caption and what is noted of the heads of its rows."""
    rows = []
    for head, *entries in table.rows:
        texts = [head.text]
        for entry in entries:
            place = f" at {entry.place}" if entry.place else ""
            note = f" ({entry.note})" if entry.note else ""
            texts.append(f"{entry.text}{place}{note}")
        rows.append(list(map(markdown_text, texts)))
    return pipe_table(table.names, rows, table.is_number)
