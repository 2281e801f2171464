"""The manifest: everything about a run that is the same each time it is repeated."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import version
from typing import Any

import numpy as np

from harness.agreement import LEVEL, MethodAgreement
from harness.engines.estimate import fraction_interval, standard_error
from harness.engines.identity.one_sample import TOLERANCE
from harness.engines.results import WorstCase
from harness.engines.solvers import solver_of
from harness.scenario import Scenario, SingleScenario, sizes_by_name
from harness.tables.rows import total
from harness.tables.scenario_result import ScenarioResult, by_column
from harness.tables.schema import kind_of

_PACKAGES = ("coverage-harness", "numpy", "scipy", "polars", "matplotlib")


def manifest(
    document: Mapping[str, Any],
    sources: Mapping[str, str],
    findings: Sequence[ScenarioResult],
    lines: Sequence[MethodAgreement],
) -> dict[str, Any]:
    """The content of manifest.json.

    Args:
        document: the resolved config.
        sources: label and digest of each method that is the user's own file.
        findings: of every scenario.
        lines: how Monte Carlo agrees with the exact values, for each method.
    """
    return {
        "name": document["name"],
        "title": document["title"],
        "seed": document["seed"],
        "content_hash": content_hash(document, sources),
        "versions": versions(),
        "trials": _trials(findings),
        "overall": overall(findings),
        **({"failures": failures(findings)} if kind_of(document).may_fail else {}),
        "agreement": _agreement(lines, findings),
        "identity": _identity(findings),
        "worst_cases": worst_cases(findings),
        "experiment": {key: value for key, value in document.items() if key != "execution"},
    }


def versions() -> dict[str, str]:
    """The versions that the numbers depend on, and those that the pictures do."""
    return {package: version(package) for package in _PACKAGES}


def agrees(content: Mapping[str, Any]) -> bool:
    """Whether the engines agree, by the manifest of a run."""
    if "calibration" in content:
        return bool(content["calibration"]["agrees"])
    return bool(content["agreement"]["agrees"] and content["identity"]["holds"])


def content_hash(document: Mapping[str, Any], sources: Mapping[str, str]) -> str:
    """SHA-256 of what decides the numbers: not names, figures, or where it runs."""
    aside = {"execution", "figures", "title", "name"}
    content = {key: value for key, value in document.items() if key not in aside}
    content["sources"] = dict(sources)
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def _trials(findings: Sequence[ScenarioResult]) -> dict[str, Any]:
    by_size = {
        _size_text(found.scenario): int(found.tally.by_outcome.trials.sum())
        for found in findings
        if found.tally is not None
    }
    return {"total": sum(by_size.values()), "by_size": by_size}


def overall(findings: Sequence[ScenarioResult]) -> list[dict[str, Any]]:
    """Monte Carlo misses over all sizes, for each method and alpha."""
    rows = []
    for each in by_column(findings):
        tallied = [(found.tally, row) for found, row in each if found.tally is not None]
        if not tallied:
            continue
        counted = [(total(tally.by_outcome), row) for tally, row in tallied]
        trials = np.sum([counts.trials for counts, _ in counted], axis=0)
        misses = np.sum([counts.missed[row] for counts, row in counted], axis=0)
        lower, upper = fraction_interval(misses, trials)
        column = each[0][0].columns[each[0][1]]
        rows.append(
            {
                "method": column.method,
                "alpha": column.alpha,
                "trials": int(trials[0]),
                "misses": int(misses[0]),
                "actual_alpha": float(misses[0] / trials[0]),
                "std_error": float(standard_error(misses, trials)[0]),
                "ci_lower": float(lower[0]),
                "ci_upper": float(upper[0]),
            }
        )
    return rows


def _size(scenario: Scenario) -> float | list[float]:
    """The size, or both of two samples."""
    return scenario.size if isinstance(scenario, SingleScenario) else list(scenario.sizes)


def _size_text(scenario: Scenario) -> str:
    """The size, or both of two samples."""
    return ", ".join(f"{size:.15g}" for size in scenario.sizes)


def _agreement(
    lines: Sequence[MethodAgreement], findings: Sequence[ScenarioResult]
) -> dict[str, Any]:
    scenarios = [found.scenario for found in findings]
    drawn = findings[0].stochastic if findings else None
    labels = dict.fromkeys(column.method for column in drawn.columns) if drawn else ()
    return {
        "checked": bool(lines),
        **({"not_checked": list(labels)} if labels else {}),
        "agrees": all(line.agrees for line in lines),
        "level": LEVEL,
        "tests": sum(line.tests for line in lines),
        "methods": [
            {
                "method": line.method,
                "cells": line.cells,
                "tests": line.tests,
                "smallest_p": line.smallest_p,
                "smallest_p_adjusted": line.smallest_p_adjusted,
                "at": sizes_by_name(scenarios[line.scenario]),
                "intervals_missing": line.intervals_missing,
                "expected_missing": round(line.expected_missing, 3),
            }
            for line in lines
        ],
    }


def _identity(findings: Sequence[ScenarioResult]) -> dict[str, Any]:
    findings = [found for found in findings if found.columns]
    largest = [float(found.discrepancy.max()) for found in findings]
    return {
        "holds": all(value <= TOLERANCE for value in largest),
        "tolerance": TOLERANCE,
        "largest_discrepancy_below": _power_of_ten_above(max(largest, default=0.0)),
        "sizes": [_size(found.scenario) for found in findings],
    }


def _power_of_ten_above(discrepancy: float) -> float:
    """Rounding noise differs from machine to machine; what it stays below does not."""
    return float(f"1e{max(math.floor(math.log10(max(discrepancy, 1e-16))) + 1, -14)}")


def worst_cases(findings: Sequence[ScenarioResult]) -> list[dict[str, Any]]:
    """The worst case of each method, alpha and size: where it is, and how it was found."""
    rows = []
    for row in range(len(findings[0].columns) if findings else 0):
        for found in findings:
            worst = None if found.enumerated is None else found.enumerated.worst[row]
            if worst is not None:
                column = found.columns[row]
                rows.append(
                    {
                        "method": column.method,
                        "alpha": column.alpha,
                        **sizes_by_name(found.scenario),
                        "worst_alpha": worst.alpha,
                        **_found(found.scenario, worst),
                    }
                )
    return rows


def _found(scenario: Scenario, worst: WorstCase) -> dict[str, Any]:
    """The truth, the side it is approached from, and how far the search for it went."""
    if worst.found_by is not None:
        return {"truth": list(worst.truths), "side": worst.side, "found_by": worst.found_by}
    place = {"truth": worst.truths[0], "side": worst.side}
    (over,) = solver_of(scenario).worst_case_range()
    return place if over == (0.0, 1.0) else {**place, "over": list(over)}


def failures(findings: Sequence[ScenarioResult]) -> list[dict[str, Any]]:
    """For each method, alpha and size: for how many outcomes, and the first with the reason.

    Of a method that draws its limits, in how many trials.
    """
    return [
        line
        for each in by_column(findings)
        for found, row in each
        if row in found.failures
        for line in [_line(found, row)]
    ]


def _line(found: ScenarioResult, row: int) -> dict[str, Any]:
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
        "not_called": found.failures[row].not_called,
        "first": found.failures[row].first,
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
