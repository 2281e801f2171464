"""The results of a simulation study on the screen."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType

from harness.findings.table import Entry, TextTable
from harness.kinds.simulation.findings import study_sentences, study_table
from harness.kinds.simulation.tables import failed_calls
from harness.screen.console import escape_markup
from harness.screen.records import table_screen
from harness.tables.results import Results

_MOST_ROWS = 60


def simulation_screen(results: Results) -> Iterator[RenderableType]:
    """The title, how the methods cover, the main measures, failures, and where the files are."""
    manifest = results.manifest
    yield f"[bold]{escape_markup(manifest['title'])}[/bold]"
    for line in study_sentences(results):
        yield escape_markup(line)
    found = study_table(results)
    title = f"{found.title}, {manifest['trials']['total']:,} trials"
    shown = found.rows[:_MOST_ROWS]
    if len(shown) < len(found.rows):
        title += f"; the first {len(shown)} of {len(found.rows)} rows (all in summary.csv)"
    is_number = [place > 0 for place in range(len(found.names))]
    rows = [list(map(Entry, row)) for row in shown]
    yield table_screen(TextTable(title, found.names, is_number, rows))
    for sentence in failed_calls(manifest):
        yield f"[bold red]Failed[/bold red]: {escape_markup(sentence)}."
    if results.path is not None:
        path = str(results.path)
        for line in manifest["failures"][:1]:
            yield escape_markup(
                f"`python -m harness replay {path} --scenario {line['scenario']} "
                f"--trial {line['first_trial']}` draws that trial again"
            )
        yield f"Written to {escape_markup(path)}"
