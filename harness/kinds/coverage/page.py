"""Coverage on the page of results, in HTML and in Markdown."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from harness.findings.answer import found_answer
from harness.report.curves.section import curves
from harness.report.maps.section import maps
from harness.report.page import Section
from harness.report.sections import answer_section, cells, cells_file, facts
from harness.tables.results import Results


def sections(results: Results, folder: Path | None, command: str) -> Iterator[Section]:
    """The sections of a run, in their order."""
    yield answer_section(found_answer(results))
    yield from curves(results)
    yield from maps(results)
    yield cells(results, cells_file(results, folder))
    yield facts(results, command)
