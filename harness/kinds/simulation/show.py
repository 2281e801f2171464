"""A simulation study on the screen and on pages: sentences, the main measures, and pictures."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterator

from rich.console import RenderableType

from harness.figures.catalogue import figures_of_config
from harness.figures.kind import FigureSpec
from harness.kinds.simulation.findings import study_sentences, study_table
from harness.kinds.simulation.tables import failed_calls
from harness.report.page import Section
from harness.report.sections import facts
from harness.screen.console import escape_markup
from harness.screen.records import table_screen
from harness.tables.formats import Entry, TextTable, pipe_table
from harness.tables.formats import markdown_text as escaped
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


def sections(results: Results, command: str) -> Iterator[Section]:
    """The sections of a study, in their order."""
    from matplotlib import rc_context

    from harness.figures.draw import METADATA, drawings

    experiment = results.manifest["experiment"]
    pictures = []
    usual = FigureSpec("lollipop", {"measure": "coverage"})
    if "solve" in experiment:
        usual = FigureSpec("solve_curve", {})
    specs = figures_of_config(experiment) or [usual]
    for drawing in drawings(results, specs, skip_undrawable=True):
        file = io.BytesIO()
        # Its parts have the same names each time.
        with rc_context({"svg.hashsalt": "harness"}):
            drawing.figure.savefig(file, format="svg", metadata=METADATA["svg"])
        data = base64.b64encode(file.getvalue()).decode()
        pictures.append((drawing.stem, f"data:image/svg+xml;base64,{data}"))
    context = {
        "sentences": list(study_sentences(results)),
        "failures": list(failed_calls(results.manifest)),
        "table": study_table(results),
        "pictures": pictures,
    }
    title = "What the study found"
    yield Section("study", title, "study.html", context, styles=("answer.css",))
    yield facts(results, command, cells_file="")


def paragraphs(results: Results) -> Iterator[str]:
    """What was found in Markdown: how the methods cover, and the main measures."""
    table = study_table(results)
    yield from map(escaped, study_sentences(results))
    right = [place >= table.texts for place in range(len(table.names))]
    yield pipe_table(table.names, [[*map(escaped, row)] for row in table.rows], right)
