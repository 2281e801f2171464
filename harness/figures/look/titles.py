"""The titles under which figures show methods, which have labels in tables and configs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from harness.methods.catalogue import ALIASES, CATALOGUE
from harness.tables.titles import short_title

if TYPE_CHECKING:
    import polars as pl

    from harness.figures.selection import Tables


@dataclass(frozen=True)
class TitledTables:
    """Tables whose cells have the title of each method in the column ``title``."""

    cells: pl.DataFrame
    summary: pl.DataFrame
    manifest: Mapping[str, Any]


def with_titles(results: Tables) -> TitledTables:
    """Return the tables with a title for each method."""
    import polars as pl

    cells = results.cells
    if "method" in cells.columns and not cells.is_empty():
        methods = results.manifest.get("experiment", {}).get("methods") or []
        found = titles(cells["family"][0], cells["method"].unique().to_list(), methods)
        cells = cells.with_columns(title=pl.col("method").replace(found))
    return TitledTables(cells, results.summary, results.manifest)


def titles(
    family: str, labels: Sequence[str], methods: Sequence[Mapping[str, Any]] = ()
) -> dict[str, str]:
    """Return the title of each label.

    A method of the catalogue has its title there, unless the config gives it a label of its own. A
    method of the user has its label.

    Args:
        family: the name of the family.
        labels: the labels in the tables.
        methods: the methods of the experiment, as the manifest has them; where it has none, a
            label that is a name of the catalogue stands for that method.
    """
    names = {each["label"]: each.get("name") for each in methods}
    return {label: _title(family, label, names.get(label, label)) for label in labels}


def _title(family: str, label: str, name: str | None) -> str:
    """The title of a label, given the name in the catalogue of the method behind it."""
    known = ALIASES.get(family, {}).get(name or "", name)
    if known not in CATALOGUE.get(family, {}):
        return label
    written, _, rest = label.partition(" ")
    if ALIASES[family].get(written, written) != known:
        return label
    # What follows the name in a label is the side, which figures add, and the prior.
    prior = rest.partition("[")[2]
    if rest not in ("", "lower", "upper") and not prior:
        return label
    return short_title(family, known) + (f", prior [{prior}" if prior else "")
