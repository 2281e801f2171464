"""The dictionary of columns: name, type, unit and meaning of each column of each table."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import astuple, dataclass
from itertools import pairwise
from typing import Any

import polars as pl

from harness.base.arguments import validate_choice
from harness.families.catalogue import FAMILIES
from harness.families.family import Family
from harness.tables.answers import answers_of
from harness.tables.columns import (
    NEAR_NOMINAL,
    NUMBERED,
    OF_LENGTH,
    OF_PARAMETER,
    OF_TRUTH,
    PROBABILITY,
    RANKING,
    RATIO,
    RECOMMENDATION,
    TABLES,
    ColumnRecord,
    TableKind,
    possible_records,
    table_kind,
    tables_of,
)

Records = dict[str, ColumnRecord]

_ANY_FAMILY = {
    OF_TRUTH: "unit of the parameter of a sample",
    OF_PARAMETER: "unit of the parameter",
    OF_LENGTH: "unit of the parameter; of a ratio, of its logarithm",
}


@dataclass(frozen=True)
class DescribedColumn:
    """One column of a table."""

    table: str
    name: str
    type: str
    """"text", "whole number", "number" or "true or false"."""
    unit: str
    """The unit of its values; empty of texts and of numbers without one."""
    meaning: str
    """What its values are, in a sentence."""


def columns_of(table: str, family: str | None = None) -> tuple[DescribedColumn, ...]:
    """Return the columns that a table of a result may have, in their order.

    Args:
        table: one of ``columns.TABLES``.
        family: the family of the run; None for the columns of all families.

    Raises:
        InputError: there is no such table or family.

    Example:
        >>> for column in columns_of("summary", "rate")[4:6]:
        ...     print(f"{column.name}, {column.unit}: {column.meaning}")
        alpha, probability: Desired probability that the truth lies outside the interval.
        exposure, unit of exposure: Area, time or other amount in which events are counted.
    """
    validate_choice("table", table, TABLES)
    if family is not None:
        validate_choice("family", family, FAMILIES)
        return _described(table, _possible(table, FAMILIES[family]), FAMILIES[family])
    # The columns of all families, in an order that is that of each of them.
    left: Records = {}
    before: dict[str, set[str]] = {}
    for listed_family in FAMILIES.values():
        columns = _possible(table, listed_family)
        left |= {name: record for name, record in columns.items() if name not in left}
        for former, name in pairwise(columns):
            before.setdefault(name, set()).add(former)
    merged: Records = {}
    while left:
        first = next(name for name in left if before.get(name, set()) <= merged.keys())
        merged[first] = left.pop(first)
    return _described(table, merged, None)


def dictionary(tables: Mapping[str, pl.DataFrame], document: Mapping[str, Any]) -> pl.DataFrame:
    """Return the dictionary of the tables of one result: a row per column.

    Args:
        tables: the tables by the names of their files, without the ending.
        document: the resolved config of the run.
    """
    kind, names = table_kind(document), tables_of(document.get("kind"))
    rows = []
    for name, table in tables.items():
        records = possible_records(names[name], kind)
        columns = {column: records[column] for column in table.columns}
        described = _described(name, columns, kind.family)
        rows += [astuple(column) for column in described]
    return pl.DataFrame(rows, dict.fromkeys(_COLUMNS, pl.String), orient="row")


_COLUMNS = ("table", "column", "type", "unit", "meaning")


def records_in(name: str, document: Mapping[str, Any]) -> Records:
    """Return the records of the columns of a table by the name of its file; none of another file.

    Args:
        name: the name of the file, without the ending.
        document: the resolved config of the run.
    """
    table = tables_of(document.get("kind")).get(name)
    return {} if table is None else possible_records(table, table_kind(document))


def parquet_metadata(described: pl.DataFrame, table: str) -> dict[str, str]:
    """Return the columns of a table as the metadata of a Parquet file, under the key ``columns``.

    That is the JSON text of an object of objects with ``type``, ``unit`` and ``meaning``, by names
    of columns.

    Args:
        described: as ``dictionary`` returns it.
        table: the name of the table.
    """
    rows = described.filter(pl.col("table") == table).drop("table").iter_rows(named=True)
    return {"columns": json.dumps({row.pop("column"): row for row in rows}, ensure_ascii=False)}


def _possible(table: str, family: Family) -> Records:
    """The columns that a table of the family may have; none where there is no such table."""
    if table in (RANKING, RECOMMENDATION, NEAR_NOMINAL) and table not in answers_of(family):
        return {}
    return possible_records(table, TableKind(family, factors=(("factor", "number"),)))


def _described(table: str, columns: Records, family: Family | None) -> tuple[DescribedColumn, ...]:
    units = _ANY_FAMILY
    if family is not None:
        model = family.model
        of_sample = model.SUPPORT if family.truth_is_of_sample else family.support
        parameter = _unit(family.support, family.unit)
        units = {
            OF_TRUTH: _unit(of_sample, model.UNIT),
            OF_PARAMETER: parameter,
            OF_LENGTH: family.scale.unit_of_length or parameter,
        }
    described = []
    for name, record in columns.items():
        end = name.removeprefix(record.name)
        meaning = record.meaning.replace("{of}", f" {NUMBERED[end]}" if end else "")
        unit = units.get(record.unit, record.unit)
        described.append(DescribedColumn(table, name, record.type, unit, meaning))
    return tuple(described)


def _unit(support: tuple[float, float], unit: str) -> str:
    """The unit of a parameter by its range, where the model names none."""
    return unit or _BY_SUPPORT.get(support, "unit of the values")


_BY_SUPPORT = {
    (0.0, 1.0): PROBABILITY,
    (-1.0, 1.0): "difference of probabilities",
    (0.0, math.inf): RATIO,
}
