"""Where methods gave no limits, as the manifest tells of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from harness.scenario import sizes_by_name
from harness.tables.findings import Findings, by_column


def failures(findings: Sequence[Findings]) -> list[dict[str, Any]]:
    """For each method, alpha and size: for how many outcomes, and the first with the reason.

    Of a method that draws its limits, in how many trials.
    """
    return [
        line
        for each in by_column(findings)
        for found, row in each
        if row in found.faults
        for line in [_line(found, row)]
    ]


def _line(found: Findings, row: int) -> dict[str, Any]:
    column = found.columns[row]
    if row < found.limits.lower.shape[0]:
        unit, failed, total = "outcomes", found.limits.failed[row].sum(), found.limits.outcomes.size
    else:
        assert found.tally is not None
        counts = found.tally.by_outcome
        unit, failed, total = "trials", counts.failed[row].sum(), counts.trials.sum()
    return {
        "method": column.method,
        "alpha": column.alpha,
        **sizes_by_name(found.scenario),
        f"failed_{unit}": int(failed),
        unit: int(total),
        "not_called": found.faults[row].not_called,
        "first": found.faults[row].first,
    }


def failed_methods(manifest: Mapping[str, Any]) -> Iterator[str]:
    """A sentence for each method that failed, of the manifest of a run."""
    by_method: dict[str, list[Mapping[str, Any]]] = {}
    for line in manifest.get("failures", ()):
        by_method.setdefault(line["method"], []).append(line)
    for method, lines in by_method.items():
        unit = "outcomes" if "outcomes" in lines[0] else "trials"
        failed, total = (sum(line[key] for line in lines) for key in (f"failed_{unit}", unit))
        not_called = sum(line["not_called"] for line in lines)
        uncalled = f", {not_called:,} of which it was not called for any more" if not_called else ""
        yield (
            f"{method}: {lines[0]['first']} (no limits for {failed:,} of {total:,} {unit}"
            f"{uncalled}, which count as misses)"
        )
