"""A simulation study on the page of results: sentences, the main measures, and pictures."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterator

from matplotlib import rc_context

from harness.config.models.figures import figures_of_config
from harness.figures.draw import METADATA, drawings
from harness.figures.kind import FigureSpec
from harness.kinds.simulation.findings import study_sentences, study_table
from harness.kinds.simulation.tables import failed_calls
from harness.report.page import Section
from harness.report.sections import facts
from harness.tables.formats import markdown_text as escaped
from harness.tables.formats import pipe_table
from harness.tables.results import Results


def sections(results: Results, command: str) -> Iterator[Section]:
    """The sections of a study, in their order."""
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
