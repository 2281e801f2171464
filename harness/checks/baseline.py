"""A baseline: what methods did when they were last looked at, as text files meant for git.

A folder holds ``baseline.json`` and for each family and method a CSV file, sorted and with fixed
decimals, so that a change reads well in a diff.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl

from harness.checks.measures import LENGTH, MEAN, WORST
from harness.checks.naming import Named
from harness.checks.provenance import provenance
from harness.errors import InputError
from harness.families.catalogue import family_of
from harness.peers.catalogue import PEERS
from harness.tables.manifest import versions

HEADER = "baseline.json"
DECIMALS = 10
"""Far below every difference that matters, and above the noise of another machine."""

_VALUES = (WORST, "worst_truth", MEAN, LENGTH)


def is_baseline(path: str | Path) -> bool:
    """Whether a folder holds a baseline."""
    return (Path(path) / HEADER).is_file()


def update(folder: str | Path, named: Named, measured: pl.DataFrame) -> Path:
    """Write a method's baseline into the folder, beside those of others; returns its file.

    Args:
        folder: made where it is not there.
        named: the method.
        measured: its ``measures``; other columns are left out.

    Raises:
        InputError: the folder cannot be written or holds something else, or there is nothing
            exact to be kept.
    """
    _refuse(named, measured)
    root = Path(folder)
    file = _file(root, named.family, named.label)
    try:
        header = _header(root) if is_baseline(root) else {"methods": {}}
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(_text(measured), "utf-8")
        header["methods"].setdefault(named.family, {})[file.stem] = provenance(named)
        header["versions"] = _versions()
        (root / HEADER).write_text(
            json.dumps(header, indent=2, sort_keys=True, ensure_ascii=False) + "\n", "utf-8"
        )
    except OSError as fault:
        raise InputError(f"{root} cannot be written: {fault.strerror}") from None
    return file


def stored(folder: str | Path, family: str, label: str) -> pl.DataFrame:
    """The method's measures as they were.

    Raises:
        InputError: there is no baseline of this method, or it cannot be read.
    """
    root = Path(folder)
    file = _file(root, family, label)
    if not is_baseline(root) or not file.is_file():
        raise InputError(f"{root} holds no baseline of {label}; --update {root} writes one")
    size = family_of(family).sizes[0]
    try:
        return pl.read_csv(file, schema=dict.fromkeys((size, "alpha", *_VALUES), pl.Float64))
    except (pl.exceptions.PolarsError, OSError) as fault:
        raise InputError(f"{file} cannot be read: {fault}") from None


def _refuse(named: Named, measured: pl.DataFrame) -> None:
    """Refuse what is no baseline: two samples, a stochastic method, limits that are none."""
    if family_of(named.family).samples > 1:
        raise InputError(f"a baseline is of a family of one sample, found {named.family}")
    if measured.is_empty():
        raise InputError(f"{named.label} has no exact numbers for a baseline")
    missing = measured.filter(pl.any_horizontal(pl.col(name).is_null() for name in _VALUES))
    if missing.height:
        size, alpha = missing.row(0)[:2]
        raise InputError(
            f"{named.label} has no sound limits at {missing.columns[0]} = {size:g}, "
            f"alpha = {alpha:g}, and so no baseline"
        )


def _file(root: Path, family: str, label: str) -> Path:
    """By the name that stays when a file is called by another path."""
    place, _, name = label.rpartition(":")
    stem = f"{place}-{name}" if place in PEERS else name
    return root / family / f"{stem}.csv"


def _text(measured: pl.DataFrame) -> str:
    """Sorted; sizes and alphas in their shortest form, values with fixed decimals and no −0."""
    size = measured.columns[0]
    keys, values = (size, "alpha"), _VALUES
    lines = [",".join((*keys, *values))]
    for row in measured.sort(*keys).iter_rows(named=True):
        told = [f"{row[name]:.15g}" for name in keys]
        told += [f"{round(row[name], DECIMALS) + 0.0:.{DECIMALS}f}" for name in values]
        lines.append(",".join(told))
    return "\n".join(lines) + "\n"


def _header(root: Path) -> dict[str, Any]:
    try:
        header = json.loads((root / HEADER).read_text("utf-8"))
        header["methods"].items()
    except (ValueError, KeyError, TypeError, AttributeError):
        raise InputError(f"{root / HEADER} is not the header of a baseline") from None
    return header  # type: ignore[no-any-return]


def _versions() -> dict[str, str]:
    """Of what the numbers depend on, not of what draws them."""
    return {name: found for name, found in versions().items() if name != "matplotlib"}
