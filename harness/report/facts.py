"""How a run was made: its config, what computed it, and how its engines agree."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any

from rich.text import Text

from harness.base.plain_data import dump
from harness.report.page import Section
from harness.screen.results import engine_verdicts
from harness.tables.manifest import remarked_methods
from harness.tables.results import Results
from harness.tables.storage import CELLS_FILE

_Row = Mapping[str, Any]
_WORDS = {
    "monte_carlo": "Monte Carlo",
    "posterior": "the posterior",
    "enumeration": "enumeration",
    "closed_form": "the closed form",
    "second computation": "a second computation",
}


def facts(results: Results, command: str) -> Section:
    """The section that says how the results were made.

    Args:
        results: of the run.
        command: the command that makes the page again.
    """
    manifest = results.manifest
    experiment = manifest["experiment"]
    file = f"{manifest['name'].rpartition('/')[2]}.yaml"
    is_coverage = "agreement" in manifest
    context = {
        "config": dump(experiment),
        "file": file,
        "run": f"python -m harness run {shlex.quote(file)}",
        "command": command,
        "hash": manifest["content_hash"],
        "versions": manifest["versions"],
        "cells_file": "" if results.cells.height else CELLS_FILE,
        "seed": manifest["seed"],
        "trials": manifest["trials"].get("total"),
        "trials_by_size": manifest["trials"].get("by_size", {}),
        "remarks": list(remarked_methods(manifest)),
        "verdicts": engine_sentences(manifest),
        "tests": _tests(manifest["agreement"]) if is_coverage else [],
        "comparisons": _comparisons(manifest["identity"]) if is_coverage else [],
    }
    return Section("facts", "How it was made", "facts.html", context, styles=("facts.css",))


def engine_sentences(manifest: _Row) -> list[str]:
    """Whether the engines agree, in sentences; none of a calibration, which has one engine."""
    if "agreement" not in manifest:
        return []
    return [Text.from_markup(each).plain for each in engine_verdicts(manifest)]


def _tests(agreement: _Row) -> list[_Row]:
    """What Monte Carlo was tested against exact values on, and how it ended."""
    if not agreement["checked"]:
        return []
    level, draws = agreement["level"], agreement["draws"]
    rows: list[_Row] = [
        {**line, "what": line["method"], "agrees": line["smallest_p_adjusted"] >= level}
        for line in agreement["methods"]
    ]
    if draws is not None:
        rows.insert(0, {**draws, "what": "the outcomes drawn", "agrees": draws["agree"]})
    return rows


def _comparisons(identity: _Row) -> list[_Row]:
    """What exact values were compared with."""
    return [
        {
            **line,
            "one": _WORDS.get(line["published"], line["published"]),
            "other": _WORDS["second computation"]
            if line["against"] == line["published"]
            else _WORDS.get(line["against"], line["against"]),
        }
        for line in identity["comparisons"]
    ]
