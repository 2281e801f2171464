"""The page of results, in HTML and in Markdown."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from harness.base.plain_data import dump, flow
from harness.base.text import numbered, printable
from harness.designs.simulation import SIMULATION
from harness.families.catalogue import family_in
from harness.families.stopped import STOPPING
from harness.findings.answer import found_answer
from harness.findings.engines import engine_remarks, engine_tables
from harness.findings.numbers import nominal
from harness.findings.simulation import study_sentences, study_table
from harness.findings.table import markdown_table
from harness.report.cells import cells
from harness.report.curves.section import curves
from harness.report.maps.section import maps
from harness.report.page import Page, Part, Section
from harness.report.simulation import study
from harness.tables.formats import markdown_text as escaped
from harness.tables.formats import pipe_table
from harness.tables.manifest import remarked_methods
from harness.tables.results import Results, SimulationResults
from harness.tables.storage import CELLS_FILE, RESULTS_PAGE


def results_page(several: Sequence[Results], command: str, folder: Path | None = None) -> Page:
    """Return the page of results, with a part for each.

    Args:
        several: the results of one run or more, in the order of their parts.
        command: the command that makes the page again.
        folder: the folder of the page, from which the path of a table is given; left out, that of
            the results.
    """
    names = [str(each.manifest["name"]) for each in several]
    keys = numbered(map(_key, names), "_")
    parts = [_part(each, key, command, folder) for each, key in zip(several, keys, strict=True)]
    if len(parts) == 1:
        return Page(parts[0].title, parts, command=command, kind=RESULTS_PAGE)
    shared = _first_name(names)
    title = f"{shared}: {len(parts)} experiments" if shared else f"{len(parts)} experiments"
    return Page(title, parts, command=command, kind=RESULTS_PAGE)


def _part(results: Results, key: str, command: str, folder: Path | None) -> Part:
    return Part(
        key=key,
        title=str(results.manifest["title"]),
        sections=list(_sections(results, command, folder)),
        lead=_setting(results.manifest["experiment"]),
    )


def _sections(results: Results, command: str, folder: Path | None) -> Iterator[Section]:
    """The sections of one run, in their order."""
    if results.manifest["experiment"].get("kind") == SIMULATION:
        yield study(results)
        yield facts(results, command)
        return
    yield answer(results)
    yield from curves(results)
    yield from maps(results)
    yield from cells(results, _cells_file(results, folder))
    yield facts(results, command)


def answer(results: Results) -> Section:
    """The section with the answer of a run."""
    return Section(
        kind="answer",
        title="The answer",
        template="answer.html",
        context={"answer": found_answer(results)},
        scripts=("answer.js",),
        styles=("answer.css",),
    )


def facts(results: Results, command: str) -> Section:
    """The section that says how the results were made.

    Args:
        results: of the run.
        command: the command that makes the page again.
    """
    manifest = results.manifest
    experiment = manifest["experiment"]
    is_study = experiment.get("kind") == SIMULATION
    file = f"{manifest['name'].rpartition('/')[2]}.yaml"
    context = {
        "config": dump(experiment),
        "file": file,
        "run": f"python -m harness run {shlex.quote(file)}",
        "command": command,
        "hash": manifest["content_hash"],
        "versions": manifest["versions"],
        "cells_file": "" if results.cells.height or is_study else CELLS_FILE,
        "seed": manifest["seed"],
        "trials": manifest["trials"].get("total"),
        "trials_by_size": manifest["trials"].get("by_size", {}),
        "remarks": list(remarked_methods(manifest)),
        "verdicts": [each.sentence for each in engine_remarks(manifest)],
        "tables": engine_tables(manifest),
    }
    return Section("facts", "How it was made", "facts.html", context, styles=("facts.css",))


def _cells_file(results: Results, folder: Path | None) -> str:
    """The file of the cells, as a path from the folder of the page."""
    if results.path is None or folder is None:
        return CELLS_FILE
    return Path(os.path.relpath(results.path / CELLS_FILE, folder)).as_posix()


def _setting(experiment: dict[str, Any]) -> str:
    """What was run, in a few words."""
    if experiment.get("kind") == SIMULATION:
        return f"a simulation study of {len(experiment['factors'])} scenarios"
    family = family_in(experiment)
    sizes = [f"{name} = {_values(experiment[name])}" for name in family.sizes if name in experiment]
    alpha = [f"alpha = {_values(experiment['alpha'])}"] if "alpha" in experiment else []
    truth = [f"truth {flow(experiment['truth'])}"] if "truth" in experiment else []
    arise = [
        f"{key} {flow(experiment[key])}" for key in ("sampling", STOPPING) if key in experiment
    ]
    words = [family.title, ", ".join(sizes), *arise, *truth, *alpha]
    return "; ".join(words).replace("; ;", ";")


def _values(values: Any) -> str:
    """A number, or the numbers of a list: of many the first and the last."""
    if not isinstance(values, list):
        return flow(values)
    if len(values) > 8:
        return f"{flow(values[0])} … {flow(values[-1])} ({len(values)} values)"
    return ", ".join(map(flow, values))


def _first_name(names: Sequence[str]) -> str:
    """What the names of all results begin with, up to a slash."""
    first = {name.split("/")[0] for name in names if "/" in name}
    return first.pop() if len(first) == 1 and all("/" in name for name in names) else ""


def _key(name: str) -> str:
    """An identifier of letters, digits and low lines."""
    plain = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")
    return plain if plain[:1].isalpha() else f"run_{plain}".rstrip("_")


def markdown(several: Sequence[Results]) -> str:
    """Return a section for each result: what was found, its methods, and how its engines agree."""
    return printable("\n\n".join(part for each in several for part in _section(each)))


def _section(results: Results) -> Iterator[str]:
    manifest = results.manifest
    yield f"### {escaped(str(manifest['title']))}"
    if isinstance(results, SimulationResults):
        experiment = manifest["experiment"]
        factors = list(experiment["factors"][0])
        table = study_table(results.summary, factors)
        yield from map(escaped, study_sentences(results.summary, factors, experiment["alpha"]))
        right = [place > len(factors) + 1 for place in range(len(table.names))]
        yield pipe_table(table.names, [[*map(escaped, row)] for row in table.rows], right)
        return
    found = found_answer(results)
    for sentence in found.warnings:
        yield f"**{escaped(sentence)}**"
    for sentence in found.sentences:
        yield escaped(sentence)
    for alpha, ranking in found.rankings.items():
        at_alpha = f"At {nominal(alpha)} nominal coverage:\n\n"
        yield (at_alpha if len(found.rankings) > 1 else "") + markdown_table(ranking)
    for remark in engine_remarks(manifest):
        yield escaped(remark.sentence)
    for sentence in found.advice:
        yield escaped(sentence)
    seed = "" if manifest["seed"] is None else f", seed {manifest['seed']}"
    versions = ", ".join(f"{name} {number}" for name, number in manifest["versions"].items())
    yield escaped(f"{manifest['name']}{seed}; {versions}.")
