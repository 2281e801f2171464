"""How the results were made, as a section of their page."""

from __future__ import annotations

import shlex

from harness.base.plain_data import dump
from harness.findings.engines import engine_remarks, engine_tables
from harness.findings.manifest import remarked_methods
from harness.report.page import Section
from harness.runner.storage import CELLS_FILE
from harness.tables.results import Results


def facts(results: Results, command: str, cells_file: str = CELLS_FILE) -> Section:
    """The section that says how the results were made.

    Args:
        results: of the run.
        command: the command that makes the page again.
        cells_file: the file that has the cells, which results may lack; empty if there is none.
    """
    manifest = results.manifest
    experiment = manifest["experiment"]
    file = f"{manifest['name'].rpartition('/')[2]}.yaml"
    context = {
        "config": dump(experiment),
        "file": file,
        "run": f"python -m harness run {shlex.quote(file)}",
        "command": command,
        "hash": manifest["content_hash"],
        "versions": manifest["versions"],
        "cells_file": "" if results.cells.height else cells_file,
        "seed": manifest["seed"],
        "trials": manifest["trials"].get("total"),
        "trials_by_size": manifest["trials"].get("by_size", {}),
        "remarks": list(remarked_methods(manifest)),
        "verdicts": [each.sentence for each in engine_remarks(manifest)],
        "tables": engine_tables(manifest),
    }
    return Section("facts", "How it was made", "facts.html", context, styles=("facts.css",))
