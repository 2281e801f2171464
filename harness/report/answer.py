"""The answer of a run as a section of a page, and in Markdown."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from harness.findings.answer import Answer
from harness.findings.engines import engine_remarks
from harness.findings.numbers import nominal
from harness.findings.table import markdown_table
from harness.report.page import Section
from harness.runner.storage import CELLS_FILE
from harness.tables.formats import markdown_text as escaped
from harness.tables.results import Results


def answer_section(answer: Answer) -> Section:
    """The section with the answer of a run."""
    return Section(
        kind="answer",
        title="The answer",
        template="answer.html",
        context={"answer": answer},
        scripts=("answer.js",),
        styles=("answer.css",),
    )


def cells_file(results: Results, folder: Path | None) -> str:
    """The file of the cells, as a path from the folder of the page."""
    if results.path is None or folder is None:
        return CELLS_FILE
    return Path(os.path.relpath(results.path / CELLS_FILE, folder)).as_posix()


def paragraphs(answer: Answer, manifest: Mapping[str, Any]) -> Iterator[str]:
    """The answer in Markdown: sentences, the methods, and how the engines agree."""
    for sentence in answer.warnings:
        yield f"**{escaped(sentence)}**"
    for sentence in answer.sentences:
        yield escaped(sentence)
    for alpha, ranking in answer.rankings.items():
        at_alpha = f"At {nominal(alpha)} nominal coverage:\n\n"
        yield (at_alpha if len(answer.rankings) > 1 else "") + markdown_table(ranking)
    for remark in engine_remarks(manifest):
        yield escaped(remark.sentence)
    for sentence in answer.advice:
        yield escaped(sentence)
    seed = "" if manifest["seed"] is None else f", seed {manifest['seed']}"
    versions = ", ".join(f"{name} {number}" for name, number in manifest["versions"].items())
    yield escaped(f"{manifest['name']}{seed}; {versions}.")
