"""The page of the recommended methods: how close the others come, by family."""

from __future__ import annotations

from typing import Any

from handbook import links
from handbook.text import cell, code, table
from harness.kinds.choice.show import rule
from harness.kinds.stored import load
from harness.methods.method import TWO_SIDED
from harness.tables.wording import percent

_HEAD = """# Recommended methods

The rule stands on [Which interval](which_interval.md#the-rule). Each table has the methods of a
family at alpha 0.05: coverage on average under each truth at each size, as its range; the lowest
coverage, the true values that it is over and how it is known; and the length relative to that of
the method to use, as a geometric mean over truths and sizes. Methods that qualify come first.

"""
_COLUMNS = ("method", "covers on average", "lowest", "over", "known by", "length", "")


def page() -> str:
    """The page: a section for each config of recommendations."""
    folders = sorted((links.ROOT / "configs/recommendation").glob("*.yaml"))
    return _HEAD + "\n".join(_section(path.stem) for path in folders)


def _section(stem: str) -> str:
    name = f"recommendation/{stem}"
    results: Any = load(links.ROOT / "results" / name)
    parts = []
    for side, rows in results.summary.filter(alpha=0.05).group_by("side", maintain_order=True):
        what = "" if side == (TWO_SIDED,) else f"Of one limit, {side[0]}:\n\n"
        parts.append(what + table(_COLUMNS, list(map(_row, rows.to_dicts()))))
    return (
        f"## {cell(results.manifest['title'])}\n\n"
        f"[config](../configs/{name}.yaml), [results](../results/{name})\n\n"
        f"{rule(results)}\n\n" + "\n".join(parts)
    )


def _row(row: dict[str, Any]) -> tuple[str, ...]:
    low, high = percent(1 - row["mean_alpha"]), percent(1 - row["least_mean_alpha"])
    error = f" ± {percent(row['worst_std_error'], 2)}" if row["worst_std_error"] else ""
    return (
        code(row["method"]),
        low if low == high else f"{low} to {high}",
        f"{percent(1 - row['worst_alpha'])}{error}",
        cell(row["worst_over"]),
        row["worst_known_by"],
        f"{row['relative_length']:.3f}",
        row["recommended"] or ("" if row["qualifies"] else "fails"),
    )
