"""The answer of a run, and the claims of a paper about it, as sections of a page."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import astuple
from pathlib import Path
from typing import Any

from harness.findings.answer import Answer, Method, Ranking
from harness.findings.engines import engine_remarks
from harness.findings.numbers import coverage, nominal, significant
from harness.findings.papers import brown2001, ross2003
from harness.findings.papers.claim import decide, how_many_hold
from harness.report.page import Section
from harness.runner.storage import CELLS_FILE
from harness.tables.formats import markdown_text as escaped
from harness.tables.formats import pipe_table
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


def claims(results: Results) -> list[Section]:
    """The claims of a paper about an experiment; none where it is of no paper."""
    name = str(results.manifest["experiment"].get("name"))
    papers = (ross2003.PAPER, brown2001.PAPER)
    paper = next((each for each in papers if name in each.claims), None)
    if paper is None:
        return []
    decided = decide(paper.claims[name], results)
    title = f"What {paper.source} {paper.says}, and what is found here"
    context = {"source": paper.source, "decided": decided, "sentence": how_many_hold(decided)}
    return [Section("claims", title, "claims.html", context, styles=("claims.css",))]


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
    for ranking in answer.rankings:
        if ranking.methods:
            yield _table(ranking, several=len(answer.rankings) > 1)
    for remark in engine_remarks(manifest):
        yield escaped(remark.sentence)
    for sentence in answer.advice:
        yield escaped(sentence)
    seed = "" if manifest["seed"] is None else f", seed {manifest['seed']}"
    versions = ", ".join(f"{name} {number}" for name, number in manifest["versions"].items())
    yield escaped(f"{manifest['name']}{seed}; {versions}.")


def _table(ranking: Ranking, several: bool) -> str:
    """The methods at one alpha, without the columns of which nothing is known."""
    columns: list[tuple[str, str, Callable[[Method], str]]] = [
        ("method", "label", lambda each: each.title),
        ("verdict", "label", lambda each: each.verdict.words),
        ("worst-case coverage", "worst_alpha", _worst),
        (
            "lowest coverage of an outcome",
            "outcome_alpha",
            lambda each: coverage(each.outcome_coverage),
        ),
        ("mean coverage", "coverage.value", _coverage),
        ("by Monte Carlo", "estimate.value", lambda each: coverage(*astuple(each.estimate))),
        ("relative length", "relative_length", _length),
    ]
    used = [each for each in columns if ranking.has(each[1])]
    rows = [[escaped(text(method)) for _, _, text in used] for method in ranking.methods]
    at_alpha = f"At {nominal(ranking.alpha)} nominal coverage:\n\n" if several else ""
    right = [name not in ("method", "verdict") for name, _, _ in used]
    return at_alpha + pipe_table([name for name, _, _ in used], rows, right)


def _worst(method: Method) -> str:
    return f"{coverage(method.worst_coverage)}{_at(method.worst_at)}"


def _coverage(method: Method) -> str:
    return f"{coverage(*astuple(method.coverage))}{_at(method.coverage_at)}"


def _length(method: Method) -> str:
    text = significant(method.relative_length)
    trials = method.length_trials
    return text if trials is None else f"{text} (mean of {trials} trials)"


def _at(place: str) -> str:
    return f" at {place}" if place else ""
