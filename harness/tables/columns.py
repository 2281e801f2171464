"""The columns of all tables.

``columns.csv`` is the only place that says what a column is called and means, its type and unit,
in which tables it stands and when: a row for each, in the order of the tables. A new column is one
more row, and the values that ``assemble`` gives it.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, groupby, islice
from operator import attrgetter
from pathlib import Path
from typing import Any

import polars as pl

from harness.catalogue import family_in
from harness.families.catalogue import FAMILIES
from harness.families.confusion import BETA
from harness.families.family import STOPPING, Family
from harness.families.judged import SENSITIVITY
from harness.families.tasks import K
from harness.methods.catalogue import methods_of
from harness.tables.estimands import estimands_of

OUTCOME, TRUTH, LOOK = "outcome", "truth", "look"

FACTORS = "factors"
"""The key with the factors of each scenario of a study; they are columns of its tables."""
SAMPLING = "sampling"
"""The column that names how outcomes arise, in tables of a run whose config has this key."""

USUAL_TABLES = ("summary", "cells", "ranking", "recommendation", "near_nominal")
"""The tables of coverage, the usual kind of experiment, which a config does not name."""
SUMMARY, CELLS, RANKING, RECOMMENDATION, NEAR_NOMINAL = USUAL_TABLES
DIFFERENCES, REPLICATES, SOLVE = "differences", "replicates", "solve"

PROBABILITY, RATIO = "probability", "ratio"
OF_TRUTH, OF_PARAMETER, OF_LENGTH = "<truth>", "<parameter>", "<length>"
"""Units that the family decides: of the true value, of the parameter, of a length."""

Columns = dict[str, Any]
"""Names of columns in their order, with their Polars types."""
_TYPES: Mapping[str, Any] = {
    "text": pl.String,
    "whole number": pl.Int64,
    "number": pl.Float64,
    "true or false": pl.Boolean,
}


SETTINGS = (BETA, SENSITIVITY, K)
"""The settings of families that have columns."""


@dataclass(frozen=True)
class TableKind:
    """The properties of an experiment that decide which columns its tables have."""

    family: Family | None
    """The family of a run; None for a simulation study."""
    grouped: bool = False
    """Whether outcomes are pooled; a cell is then for the outcomes x … x_last."""
    two_references: bool = False
    """Whether the engine ``posterior`` uses the posterior that the truth implies. The tables then
    also hold the alpha under the reference prior, and whether the two differ."""
    may_fail: bool = False
    """Whether a method is a user function, which may give no limits."""
    sampled: bool = False
    """Whether the tables name how data arise: where it is not the family's own way, or where the
    family has none."""
    stops: bool = False
    """Whether trials end by a stopping rule."""
    draws_limits: bool = False
    """Whether limits may be drawn in every trial, so that lengths given an outcome differ."""
    factors: tuple[tuple[str, str], ...] = ()
    """The factors of a simulation study, each with its type in ``columns.csv``."""

    has_estimands: bool = False
    """Whether a simulation study has several estimands."""
    draws_truths: bool = False
    """Whether the model of a simulation study draws true values."""

    @property
    def is_ratio(self) -> bool:
        """Whether intervals may have an infinite length."""
        return self.family is not None and self.family.is_ratio

    def has(self, when: str) -> bool:
        """Whether the property of this name is true, or the family has the setting of this name."""
        if when in SETTINGS:
            return self.family is not None and when in self.family.settings
        return bool(getattr(self, when))


@dataclass(frozen=True)
class ColumnRecord:
    """What is said of a column: a row of ``columns.csv``."""

    tables: str
    """The tables that have it, with spaces between them."""
    name: str
    type: str
    """"text", "whole number", "number" or "true or false"."""
    unit: str
    """Empty of texts and of numbers without one."""
    among: str
    """The list of ``_names_in`` that has the names of this column where a family decides them. They
    are its own, or, if ``{of}`` stands in its meaning, its own with an end."""
    when: str
    """The property of ``TableKind``, or setting of the family, without which no table has it."""
    marks: str
    """``shown``: a sheet has it where nobody asks for other columns; ``chosen``: somebody chose its
    numbers, which are not rounded then; ``interval``: it has one from ci_lower to ci_upper."""
    error: str
    """The column with its standard error."""
    meaning: str
    """``{of}`` stands for " of the first sample" and the like where the column is numbered."""


RECORDS: list[ColumnRecord] = []
"""The records of all columns, in the order of the tables."""
TABLES: list[str] = []
"""The tables that a result may have; those of the other kinds of experiment begin with its name."""


def read_columns(path: Path) -> None:
    """Add the columns of a file, whose header is that of ``columns.csv``."""
    with path.open(encoding="utf-8", newline="") as file:
        records = [ColumnRecord(*row) for row in islice(csv.reader(file), 1, None)]
    RECORDS.extend(records)
    named = [name for record in records for name in record.tables.split()]
    TABLES.extend(name for name in dict.fromkeys(named) if name not in TABLES)


read_columns(Path(__file__).with_suffix(".csv"))


def tables_of(kind: Any) -> dict[str, str]:
    """The names of the tables of a kind of experiment, by the names of their files.

    Args:
        kind: what the key ``kind`` of a config has; of any word that is no other kind's they are
            those of the usual one.
    """
    if f"{kind}_{SUMMARY}" not in TABLES:
        return {name: name for name in USUAL_TABLES}
    return {name.removeprefix(f"{kind}_"): name for name in TABLES if name.startswith(f"{kind}_")}


NUMBERED: Mapping[str, str] = {
    "1": "of the first sample",
    "2": "of the second sample",
    "_both": "of a pair right in both",
    "_first_only": "of a pair right in the first only",
    "_second_only": "of a pair right in the second only",
    "_neither": "of a pair right in neither",
    "_tp": "of a true positive",
    "_fp": "of a false positive",
    "_fn": "of a false negative",
    "_tn": "of a true negative",
    "_share": "of the share",
    "_sensitivity": "of the sensitivity",
    "_specificity": "of the specificity",
}
"""The ends of names of columns that stand once for each sample, or each kind of pairs."""


def _names_in(among: str, family: Family) -> Sequence[str]:
    """The names that the family decides, in their order."""
    match among:
        case "worst_truths":
            return family.numbered("worst_truth")
        case "worst_range":
            return list(chain.from_iterable(worst_range_columns(family)))
        case "worst_sizes":
            return [f"worst_{name}" for name in family.sizes]
        case "further_sizes":
            return family.sizes[1:]
    return {"sizes": family.sizes, "counts": family.counts, "truths": family.truths}[among]


def records_of(table: str, kind: TableKind) -> dict[str, ColumnRecord]:
    """The records of the columns that a table has, by their names and in their order."""
    here = [
        record
        for record in RECORDS
        if table in record.tables.split() and (not record.when or kind.has(record.when))
    ]
    records: dict[str, ColumnRecord] = {}
    for among, group in groupby(here, key=attrgetter("among")):
        named = {
            record.name + end: record
            for record in group
            for end in ("", *(NUMBERED if "{of}" in record.meaning else ()))
        }
        if among == FACTORS:
            (usual,) = named.values()
            records |= {name: replace(usual, name=name, type=of) for name, of in kind.factors}
            continue
        family = kind.family if among else None
        if family is not None:
            usual = next(iter(named.values()))
            own = family.own_columns.items()
            named |= {name: replace(usual, name=name, meaning=meaning) for name, meaning in own}
        names = list(named) if family is None else _names_in(among, family)
        records |= {name: named[name] for name in names if name in named}
    return records


def columns_of(table: str, kind: TableKind) -> Columns:
    """The columns that a table has, with their types."""
    return {name: _TYPES[record.type] for name, record in records_of(table, kind).items()}


def possible_records(table: str, kind: TableKind) -> dict[str, ColumnRecord]:
    """The records of all columns that a table may have whatever else the config says."""
    return records_of(
        table,
        replace(
            kind,
            grouped=True,
            two_references=True,
            may_fail=True,
            sampled=True,
            stops=kind.family is not None and kind.family.may_stop,
            draws_limits=True,
            has_estimands=True,
            draws_truths=True,
        ),
    )


def worst_range_columns(family: Family) -> list[tuple[str, str]]:
    """The columns of the range of the worst case, from and to, for each sample."""
    return list(zip(family.numbered("worst_from"), family.numbered("worst_to"), strict=True))


def columns_of_run(manifest: Any) -> dict[str, Columns] | None:
    """The columns of the tables that are read of a run, by their names, from its manifest.

    Returns:
        None if it is no manifest of a run.
    """
    document = manifest.get("experiment") if isinstance(manifest, dict) else None
    if not isinstance(document, dict):
        return None
    tables = tables_of(document.get("kind"))
    # The keys that decide the columns of a table.
    family, methods, rows = (document.get(key) for key in ("family", "methods", "factors"))
    of_summary = [record for record in RECORDS if tables[SUMMARY] in record.tables.split()]
    names = {record.name for record in of_summary}
    if "family" in names and not (isinstance(family, str) and family in FAMILIES):
        return None
    if "method" in names and not isinstance(methods, list):
        return None
    if any(record.among == FACTORS for record in of_summary):
        if not isinstance(rows, list) or not rows:
            return None
        if not all(isinstance(row, dict) for row in rows):
            return None
    # What the other usual tables say follows from these.
    stored = (CELLS, SUMMARY) if RANKING in tables else tuple(tables)
    kind = table_kind(document)
    return {name: columns_of(tables[name], kind) for name in stored}


def table_kind(document: Any) -> TableKind:
    """The kind of the tables of an experiment, from its resolved config."""
    family = family_in(document) if "family" in document else None
    methods = document.get("methods", ())
    rows = document.get(FACTORS, ())
    factors = {name: _type_of([row.get(name) for row in rows]) for name in rows[0]} if rows else {}
    estimands = {} if family is not None else estimands_of(document)
    may_draw_limits = False
    if family is not None:
        catalogue = methods_of(family)
        may_draw_limits = not family.has_outcomes or any(
            method.get("name") not in catalogue or not catalogue[method["name"]].deterministic
            for method in methods
        )
    return TableKind(
        family=family,
        grouped="group" in document,
        two_references=document.get("reference") == "truth",
        may_fail=any(isinstance(method, dict) and "name" not in method for method in methods),
        stops=STOPPING in document,
        draws_limits=may_draw_limits,
        sampled=SAMPLING in document or (family is not None and family.names_sampling),
        factors=tuple(factors.items()),
        has_estimands=family is None and "" not in estimands,
        draws_truths=any(
            isinstance(source, str) and source not in factors for source in estimands.values()
        ),
    )


def _type_of(levels: Sequence[Any]) -> str:
    """The type of a column with these levels."""
    kinds = {type(level) for level in levels}
    for types, names in (({bool}, "true or false"), ({int}, "whole number")):
        if kinds == types:
            return names
    return "number" if kinds <= {int, float} else "text"
