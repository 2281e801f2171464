"""Public records as data frames and as tables of HTML, which a notebook shows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from html import escape
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, TypeVar, overload

from harness.base.arguments import validate_choice
from harness.base.errors import InputError
from harness.base.text import printable

if TYPE_CHECKING:
    import polars as pl

Library = Literal["polars", "pandas", "pyarrow"]
LIBRARIES = ("polars", "pandas", "pyarrow")

MOST_ROWS = 10
"""The most rows of a table that is shown without being asked for."""


def data_frame(columns: Mapping[str, Any] | pl.DataFrame, library: Library) -> Any:
    """Return columns by name as a data frame, in which a number that is not one is missing.

    Raises:
        InputError: there is no such library, or it is not installed.
    """
    validate_choice("library", library, LIBRARIES)
    try:
        module = import_module(library)
    except ModuleNotFoundError as fault:
        if fault.name != library:
            raise
        raise InputError(
            f"a data frame of {library} needs the package {library}, which is not installed"
        ) from None
    if library == "polars":
        return module.DataFrame(columns, nan_to_null=True)
    if library == "pyarrow":
        return module.table(data_frame(columns, "polars"))
    return module.DataFrame(columns if isinstance(columns, Mapping) else columns.to_dict())


def html_table(
    caption: str,
    names: Sequence[str],
    is_number: Sequence[bool],
    rows: Sequence[Sequence[str]],
    most: int | None = None,
) -> str:
    """Return a ``table`` of HTML with its caption, numbers to the right, of at most some rows."""
    if most is not None and len(rows) > most:
        caption += f"; the first {most} of {len(rows)} rows"
    styles = [' style="text-align: right"' if number else "" for number in is_number]
    heads = [
        f'<th scope="col"{style}>{escape(name.replace("_", " "))}</th>'
        for name, style in zip(names, styles, strict=True)
    ]
    cells = [
        [f"<td{style}>{escape(cell)}</td>" for cell, style in zip(row, styles, strict=True)]
        for row in rows[:most]
    ]
    lines = [
        "<table>",
        f"<caption>{escape(caption)}</caption>",
        "<thead>",
        f"<tr>{''.join(heads)}</tr>",
        "</thead>",
        "<tbody>",
        *(f"<tr>{''.join(row)}</tr>" for row in cells),
        "</tbody>",
        "</table>",
    ]
    return printable("\n".join(lines))


def html_frame(caption: str, frame: pl.DataFrame) -> str:
    """Return the first rows of a data frame as a ``table`` of HTML, with five digits a number."""
    numbers = [kind.is_numeric() for kind in frame.dtypes]
    rows = [[_cell(value) for value in row] for row in frame.iter_rows()]
    return html_table(caption, frame.columns, numbers, rows, MOST_ROWS)


def _cell(value: Any) -> str:
    """A value with five digits; nothing where it is missing."""
    if value is None:
        return ""
    return f"{value:.5g}" if isinstance(value, float) else str(value)


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return a line for each row of cells, which stand to the right of their column."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "".join(f" {cell:>{width}} " for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]


class Tabular(ABC):
    """A record that is a table: a data frame, an Arrow stream, and HTML in a notebook."""

    @abstractmethod
    def _columns(self) -> Mapping[str, Any]:
        """The columns of the data frame."""

    @abstractmethod
    def _caption(self) -> str:
        """What stands above the table of HTML."""

    @overload
    def to_frame(self, library: Literal["polars"] = ...) -> pl.DataFrame: ...

    @overload
    def to_frame(self, library: Literal["pandas", "pyarrow"]) -> Any: ...

    def to_frame(self, library: Library = "polars") -> Any:
        """Return the record as a data frame.

        Any library that reads Arrow data takes the record itself, without a copy of its own
        here: ``pyarrow.table(found)``, ``polars.DataFrame(found)``.

        Args:
            library: whose data frame it is: "polars", or "pandas" or "pyarrow" where they are
                installed.

        Returns:
            Of an interval or a coverage a row for each outcome or true value, with the data, the
            numbers, alpha, method and side, arrays of several axes row by row; of a size one row;
            of a check a row for each finding; of a leaderboard one for each system and then for
            each difference. A number that is not one is missing.

        Raises:
            InputError: there is no such library, or it is not installed.

        Example:
            >>> import harness
            >>> found = harness.interval("proportion", "wilson", x=[0, 1, 2], n=60)
            >>> found.to_frame().select("x", "upper", "method").rows()[0]
            (0, 0.06017185..., 'wilson')
        """
        return data_frame(self._columns(), library)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The data frame as an Arrow stream, which other libraries read."""
        return self.to_frame().__arrow_c_stream__(requested_schema)

    def __repr__(self) -> str:
        """A row in a line, or a table of several, at most ten rows of it.

        >>> import harness
        >>> harness.size("proportion", p=0.9, half_width=0.05)
        <Size: n = 135, half_width = 0.04997, target = 0.05, checked_to = 544>
        >>> harness.power("proportion", n=[100, 200], p=0.9, above=0.8)
        <Power, 2 rows>
           n    power
         100  0.87612
         200  0.99049
        """
        name, frame = type(self).__name__, self.to_frame()
        rows = [[_cell(value) for value in row] for row in frame.head(MOST_ROWS).iter_rows()]
        if frame.height == 1:
            named = zip(frame.columns, rows[0], strict=True)
            return f"<{name}: {', '.join(f'{column} = {cell}' for column, cell in named if cell)}>"
        more = [" …"] if frame.height > MOST_ROWS else []
        lines = aligned([frame.columns, *rows])
        return "\n".join([f"<{name}, {frame.height} rows>", *lines, *more])

    def _repr_html_(self) -> str:
        """The table that a notebook shows."""
        return html_frame(self._caption(), self.to_frame())


Each = TypeVar("Each", bound=Tabular)


class ByMethod(tuple[Each, ...], Tabular):
    """What was computed for each of several methods, in their order; one data frame of all."""

    __slots__ = ()

    @classmethod
    def of(cls, compute: Callable[[Any], Each], methods: Sequence[Any]) -> ByMethod[Each]:
        """Compute the record of each method.

        Raises:
            InputError: there is no method.
        """
        if not methods:
            raise InputError("method should be one method or a list of them, found an empty list")
        return cls(compute(method) for method in methods)

    def _columns(self) -> Any:
        import polars as pl

        return pl.concat([record.to_frame() for record in self], how="vertical_relaxed")

    def _caption(self) -> str:
        return self[0]._caption()
