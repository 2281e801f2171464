"""The performance measures of estimates that another program made, from the rows of a table."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypedDict, Unpack

import numpy as np
import polars as pl

from harness.base.arguments import (
    names_arguments,
    quoted,
    validate_choice,
    validate_number,
    validate_path,
)
from harness.base.errors import InputError, did_you_mean
from harness.base.files import file_ending, read_text
from harness.base.numerics.arrays import Bools, Floats, Positions
from harness.base.text import first_few
from harness.families.csv_rows import (
    DECIMAL_COMMA,
    MISSING,
    RECORDS,
    column_place,
    comma_hint,
    composed,
    find_delimiter,
    read_table,
)
from harness.kinds.simulation.measures import (
    MEASURES,
    RELATIVE_PRECISION,
    Measure,
    Replicates,
    intervals,
    measures,
    relative_precision,
)
from harness.one.file_question import texts

COLUMNS = ("measure", "estimate", "mcse", "trials", "ci_lower", "ci_upper")
"""The columns of a summary beside those of its groups."""

_NO_NUMBER = [*MISSING, "."]
"""Texts of a missing number, in small letters; the point is that of Stata."""

_Numbers = Mapping[str, Floats]
_WRONG: Mapping[str, tuple[Callable[[_Numbers], Bools], str]] = {
    "se": (lambda numbers: numbers["se"] < 0, "a standard error from 0 on"),
    "upper": (
        lambda numbers: numbers["upper"] < numbers["lower"],
        "a limit not below the lower one",
    ),
    "p_value": (lambda numbers: abs(numbers["p_value"] - 0.5) > 0.5, "a p-value from 0 to 1"),
    "df": (lambda numbers: numbers["df"] <= 0, "degrees of freedom above 0"),
}
"""Which rows have a wrong number of each kind, and what it should be."""


class AnswerColumns(TypedDict, total=False):
    """The columns of what a method answers in a trial beside its estimate."""

    se: str | None
    lower: str | None
    upper: str | None
    p_value: str | None
    df: str | None


@names_arguments
def summarize(
    data: str | os.PathLike[str] | pl.DataFrame | Mapping[str, Any] | Any,
    *,
    estimate: str,
    by: str | Sequence[str],
    true: float | str | None = None,
    reference: Any = None,
    pair: str | None = None,
    null: float | None = 0.0,
    alpha: float = 0.05,
    decimal: str = ".",
    **columns: Unpack[AnswerColumns],
) -> pl.DataFrame:
    """Compute bias, standard errors, coverage and more of estimates in a table.

    The table has a row for each method and trial of a simulation study, whatever program wrote it.
    The measures are those of Morris, White and Crowther (2019), Statistics in Medicine 38:2074,
    Table 6, each with its Monte Carlo standard error; relative ones are fractions. The errors of
    ``empirical_se``, ``relative_error_model_se`` and ``relative_precision`` have the fourth moment
    of the estimates, where that table takes them as normal. A row that lacks an estimate, or one of
    the standard error, the limits and the p-value that are asked for, is a trial without an answer:
    ``failures`` counts it, in ``coverage`` it is not covered, and ``coverage_answered`` and the
    measures of estimates and limits leave it out, so that all are of the same trials.

    Args:
        data: the path of a CSV file whose first line names the columns, of a file of JSON lines or
            of Parquet, a data frame, or a mapping from names to columns.
        estimate: the column of the estimates. Missing numbers are empty, NA or NaN.
        by: the column of the method, then those of further factors; each combination is a group.
        true: the true value: a number, or a column that is constant in each group; None where it
            is not known.
        reference: the method that ``relative_precision`` compares the others with.
        pair: the column that says which rows of two methods are of one trial; without it they are
            paired by their order in the group.
        null: the value that ``rejection_rate`` is about; None for none.
        alpha: the probability outside the intervals, in (0, 1).
        decimal: what stands before the decimals of numbers in a CSV file, a point or a comma.
        **columns: the columns of what else a method answered. ``se``: the standard errors.
            ``lower``: the lower limits, which may be infinite; with ``upper``, the upper ones.
            Without both the limits are estimate ± z·se. ``p_value``: the p-values;
            ``rejection_rate`` is then how often they are at most alpha, and otherwise how often
            null is outside the limits. ``df``: degrees of freedom: the limits are
            estimate ± t·se.

    Returns:
        A row for each group and measure, with the columns of ``by``, then measure, estimate, mcse,
        trials, ci_lower and ci_upper: the limits of the 95 % interval of a measure that is a
        fraction of trials. What is not known is null.

    Raises:
        InputError: the table cannot be read, has no rows or lacks a column; a number is none or out
            of range; the true value differs in a group; the reference is no method, or its rows
            cannot be paired.

    Example:
        >>> import harness
        >>> study = {"method": ["a", "a", "a"], "b": [0.4, 0.7, 0.5], "se": [0.1, 0.1, 0.1]}
        >>> found = harness.summarize(study, estimate="b", se="se", true=0.5, by="method")
        >>> found.filter(measure="coverage").select("estimate", "trials").row(0)
        (0.6666666666666666, 3)
    """
    unknown = columns.keys() - AnswerColumns.__annotations__.keys()
    if unknown:
        raise TypeError(f"summarize() got an unexpected keyword argument {min(unknown)!r}")
    options = SummaryOptions(
        estimate=estimate,
        by=by,
        true=true,
        reference=reference,
        pair=pair,
        null=null,
        alpha=alpha,
        decimal=decimal,
        **columns,
    )
    groups, _ = measured_groups(data, options)
    return _frame(groups)


@dataclass(frozen=True, kw_only=True)
class SummaryOptions:
    """The arguments of ``summarize`` beside the data."""

    estimate: str
    by: str | Sequence[str]
    true: float | str | None = None
    reference: Any = None
    pair: str | None = None
    null: float | None = 0.0
    alpha: float = 0.05
    decimal: str = "."
    se: str | None = None
    lower: str | None = None
    upper: str | None = None
    p_value: str | None = None
    df: str | None = None

    @property
    def factors(self) -> tuple[str, ...]:
        """The columns of the method and of further factors."""
        return texts(self.by)

    @property
    def columns(self) -> dict[str, str]:
        """The columns that are given of what a method answers beside its estimate."""
        given = {
            "se": self.se,
            "lower": self.lower,
            "upper": self.upper,
            "p_value": self.p_value,
            "df": self.df,
        }
        return {name: column for name, column in given.items() if column is not None}


def measured_groups(
    data: Any, options: SummaryOptions
) -> tuple[Mapping[EstimateGroup, Mapping[str, Measure]], Sequence[float | None]]:
    """Return the measures of each group of a table, and the true value of each.

    Raises: as ``summarize``.
    """
    _validate_options(options)
    alpha, true, named = options.alpha, options.true, options.columns
    table = _Estimates.of(data, options.decimal)
    groups = table.groups(options.factors)
    numbers: dict[str, Any] = {name: table.numbers(column) for name, column in named.items()}
    for name in [name for name in _WRONG if name in numbers]:
        wrong, expected = _WRONG[name]
        table.refuse(wrong(numbers), named[name], expected)
    estimates = table.numbers(options.estimate)
    needed = [estimates, *(numbers[name] for name in numbers if name != "df")]
    answered = np.asarray(~np.isnan(needed).any(axis=0))
    answers = Replicates.of(estimates, answered, **numbers)
    if "lower" not in named:
        answers = answers.with_limits(alpha)
    if options.decimal == "," and isinstance(true, str) and true not in table.names:
        true = re.sub(DECIMAL_COMMA, r"\1.\2", true)
    truths = table.truths(true, groups)
    group_measures = {
        group: measures(answers.at(rows), truth, alpha, options.null)
        for (group, rows), truth in zip(groups.items(), truths, strict=True)
    }
    if options.reference is not None:
        trials = None if options.pair is None else table.keys(options.pair)
        for group in groups:
            other = table.reference(options.reference, group, groups)
            places = table.places((group, other), groups, trials)
            placed = np.full((2, 1 + max(int(positions.max()) for positions in places)), np.nan)
            placed[0, places[0]] = answers.estimate[groups[group]]
            placed[1, places[1]] = answers.estimate[groups[other]]
            precision = relative_precision(*map(Replicates.of, placed))
            if precision.trials:
                group_measures[group][RELATIVE_PRECISION] = precision
    return group_measures, truths


@dataclass(frozen=True)
class EstimateGroup:
    """The rows of one method at one combination of the further factors."""

    factors: tuple[str, ...]
    values: tuple[Any, ...]

    def __str__(self) -> str:
        pairs = zip(self.factors, self.values, strict=True)
        return ", ".join(f"{name} = {value}" for name, value in pairs) or "all rows"


_Groups = Mapping[EstimateGroup, Positions]


@dataclass(frozen=True)
class _Estimates:
    """The columns of a table, and how messages name its rows."""

    name: str
    """The file, or ``data``."""
    names: list[str]
    """The names of the columns, of which some may be equal."""
    columns: list[pl.Series]
    lines: pl.Series | None = None
    """The line of each row of a file."""

    @classmethod
    def of(cls, data: Any, decimal: str) -> _Estimates:
        """Return the table of a file, a data frame or a mapping."""
        validate_choice("decimal", decimal, (".", ","))
        if isinstance(data, str | os.PathLike):
            return cls.read(validate_path("data", data), decimal)
        try:
            frame = pl.DataFrame(data)
        except (TypeError, ValueError, ImportError, pl.exceptions.PolarsError) as fault:
            raise InputError(
                "data should be the path of a CSV file, a data frame or a mapping of columns, "
                f"found {quoted(data)}: {_first_line(fault)}"
            ) from None
        if frame.is_empty():
            raise InputError("data should have a row for each trial, found none")
        return cls("data", frame.columns, frame.get_columns())

    @classmethod
    def read(cls, path: Path, decimal: str) -> _Estimates:
        """Read a file as texts; lines without text do not count."""
        if file_ending(path) in RECORDS:
            table = read_table(path, each="trial", decimal=decimal)
            texts = [pl.Series("", column, pl.String) for column in zip(*table.rows, strict=True)]
            return cls(str(path), list(table.names), texts, pl.Series(table.lines))
        text = read_text(path)
        separator = find_delimiter(text, decimal)
        try:
            frame = pl.read_csv(
                text.encode(), separator=separator, has_header=False, infer_schema=False
            )
        except pl.exceptions.NoDataError:
            raise InputError(
                f"{path} should name its columns in the first line, found an empty file"
            ) from None
        except pl.exceptions.PolarsError as fault:
            raise InputError(
                f"{path} should be a CSV file whose rows have as many fields as the first: "
                f"{_first_line(fault)}"
            ) from None
        frame = frame.with_row_index("line", 1)
        frame = frame.filter(~pl.all_horizontal(pl.exclude("line").is_null()))
        if frame.height < 2:
            raise InputError(f"{path} should have a row for each trial, found only the first line")
        lines, *columns = frame[1:].get_columns()
        if decimal == ",":
            columns = [column.str.replace(DECIMAL_COMMA, "${1}.${2}") for column in columns]
        names = [composed((name or "").strip()) for name in frame.row(0)[1:]]
        return cls(str(path), names, columns, lines)

    def where(self, row: int) -> str:
        """The place of a row."""
        of_data = f"{self.name}, row {row + 1}"
        return of_data if self.lines is None else f"{self.name}:{self.lines[row]}"

    def column(self, name: str) -> pl.Series:
        """Return a column; its texts without spaces around them."""
        series = self.columns[column_place(self.name, self.names, name)].alias(name)
        return series.str.strip_chars() if series.dtype == pl.String else series

    def refuse(self, wrong: Bools, name: str, expected: str) -> None:
        """Raise an error that shows the first wrong value of a column.

        Args:
            wrong: which rows have a wrong value.
            name: of the column.
            expected: what a value should be.
        """
        if wrong.any():
            row = int(wrong.argmax())
            value = self.column(name)[row]
            text = "nothing" if value in (None, "") else f"{quoted(value)}{comma_hint(str(value))}"
            raise InputError(f"{self.where(row)}: expected {expected} in {name}, found {text}")

    def numbers(self, name: str) -> Floats:
        """Return a column of numbers, NaN where one is missing."""
        series = self.column(name)
        if series.dtype == pl.String:
            texts = series.set(series.str.to_lowercase().is_in(_NO_NUMBER), None)
            series = texts.cast(pl.Float64, strict=False)
            self.refuse((series.is_null() & texts.is_not_null()).to_numpy(), name, "a number")
        elif not series.dtype.is_numeric() and series.dtype != pl.Null:
            raise InputError(f"{self.name}: expected numbers in {name}, found {series.dtype}")
        return series.cast(pl.Float64).fill_null(math.nan).to_numpy()

    def keys(self, name: str) -> pl.Series:
        """Return a column that tells rows apart, of which no value may be missing."""
        series = self.column(name)
        self.refuse((series.cast(pl.String).fill_null("") == "").to_numpy(), name, "a value")
        return series

    def groups(self, factors: tuple[str, ...]) -> _Groups:
        """Return the rows of each combination of the factors, in the order of the table."""
        keys = [self.keys(name) for name in factors]
        if self.lines is not None:
            # The method is a name, even where it is a number.
            for place, texts in enumerate(keys[1:], 1):
                for kind in (pl.Int64, pl.Float64):
                    numbers = texts.cast(kind, strict=False)
                    if not numbers.has_nulls():
                        keys[place] = numbers
                        break
        rows = pl.Series("row", np.arange(len(self.columns[0])))
        if not keys:
            return {EstimateGroup((), ()): rows.to_numpy()}
        frame = pl.DataFrame([rows, *(key.alias(str(at)) for at, key in enumerate(keys))])
        parts = frame.group_by(frame.columns[1:], maintain_order=True)
        return {EstimateGroup(factors, key): part["row"].to_numpy() for key, part in parts}

    def truths(self, true: float | str | None, groups: _Groups) -> Sequence[float | None]:
        """The true value of each group."""
        if true is None:
            return [None] * len(groups)
        if true not in self.names:
            try:
                number = float(true)
            except (TypeError, ValueError):
                number = math.nan
            if not math.isfinite(number):
                raise InputError(
                    f"{self.name}: true should be a finite number or one of the columns "
                    f"{', '.join(self.names)}, found {quoted(true)}"
                )
            return [number] * len(groups)
        column = str(true)
        values = self.numbers(column)
        self.refuse(~np.isfinite(values), column, "a finite number")
        for group, rows in groups.items():
            differs = values[rows] != values[rows[0]]
            if differs.any():
                raise InputError(
                    f"{self.name}: expected one true value in {column} for {group}, found "
                    f"{values[rows[0]]:.15g} and {values[rows][differs][0]:.15g}"
                )
        return [float(values[rows[0]]) for rows in groups.values()]

    def reference(self, reference: Any, group: EstimateGroup, groups: _Groups) -> EstimateGroup:
        """The group of the reference at the further factors of a group."""
        methods = {str(candidate.values[0]): candidate.values[0] for candidate in groups}
        if str(reference) not in methods:
            raise InputError(
                f"{self.name}: reference should be a method in {group.factors[0]}, which has "
                f"{first_few(list(methods))}, found {quoted(reference)}"
                f"{did_you_mean(reference, methods)}"
            )
        other = EstimateGroup(group.factors, (methods[str(reference)], *group.values[1:]))
        if other not in groups:
            raise InputError(f"{self.name}: expected rows of the reference for {other}, found none")
        return other

    def places(
        self, pair: tuple[EstimateGroup, EstimateGroup], groups: _Groups, trials: pl.Series | None
    ) -> tuple[Positions, Positions]:
        """The number of the trial of each row of a group, and of each row of its reference.

        Args:
            pair: the group and its reference.
            groups: the rows of each group.
            trials: the column that tells trials apart; None where the order of the rows does.
        """
        own, other = (groups[group] for group in pair)
        if trials is None:
            if own.size != other.size:
                raise InputError(
                    f"{self.name}: expected as many rows for {pair[0]} as for {pair[1]}, found "
                    f"{own.size} and {other.size}; pair names a column that says which belong "
                    "together"
                )
            return np.arange(own.size), np.arange(own.size)
        for group, rows in zip(pair, (own, other), strict=True):
            again = rows[~trials[rows].is_first_distinct().to_numpy()]
            if again.size:
                wrong = np.arange(len(trials)) == again[0]
                self.refuse(wrong, trials.name, f"a value that no other row of {group} has")
        ranks = trials[np.concatenate((own, other))].rank("dense").to_numpy()
        _, first, code = np.unique(ranks, return_index=True, return_inverse=True)
        # In the order of the rows, so that sums do not depend on how the values of trials sort.
        places = first.argsort().argsort()[code]
        return places[: own.size], places[own.size :]


def _first_line(fault: Exception) -> str:
    return str(fault).partition("\n")[0]


def _validate_options(options: SummaryOptions) -> None:
    """Refuse options that are out of range or do not fit together."""
    factors, columns, null, alpha = options.factors, options.columns, options.null, options.alpha
    validate_number("alpha", alpha, "a number between 0 and 1")
    validate_number("null", 0.0 if null is None else null)
    clash = [name for name in factors if name in COLUMNS or factors.count(name) > 1]
    faults = {
        f"alpha should be a number between 0 and 1, found {alpha:.15g}": not 0 < alpha < 1,
        f"null should be a finite number, found {null}": null is not None
        and not math.isfinite(null),
        f"by should name each column once, and none of {', '.join(COLUMNS)}, which are columns of "
        f"the summary, found {', '.join(clash)}": clash,
        "lower and upper need each other; the other limit of a one-sided interval is a column of "
        "Inf or -Inf": ("lower" in columns) != ("upper" in columns),
        "df is for limits that are made from se, in place of lower and upper": "df" in columns
        and ("se" not in columns or "lower" in columns),
        "pair needs reference, the method that the others are paired with": options.pair is not None
        and options.reference is None,
        "reference needs by, the column of the method": options.reference is not None
        and not factors,
    }
    for message in [message for message, wrong in faults.items() if wrong]:
        raise InputError(message)


def _frame(found: Mapping[EstimateGroup, Mapping[str, Measure]]) -> pl.DataFrame:
    """Return the measures as a data frame."""
    rows = [
        (group, name, of_group[name])
        for group, of_group in found.items()
        for name in MEASURES
        if name in of_group
    ]
    limits = intervals([(name, measure) for _, name, measure in rows])
    records = [
        (*group.values, name, measure.estimate, measure.mcse, measure.trials, *limit)
        for (group, name, measure), limit in zip(rows, limits, strict=True)
    ]
    names = [*next(iter(found)).factors, *COLUMNS]
    frame = pl.DataFrame(records, names, orient="row", infer_schema_length=None)
    return frame.with_columns(pl.col("estimate", "mcse").fill_nan(None))
