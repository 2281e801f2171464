"""A short summary of results in Markdown, as a pull request shows it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from harness.base.text import printable
from harness.findings.answer import Method, Ranking, found_answer
from harness.findings.engines import engine_remarks
from harness.findings.numbers import coverage, percent, significant
from harness.tables.formats import markdown_text as escaped
from harness.tables.formats import pipe_table
from harness.tables.results import Results


def markdown(several: Sequence[Results]) -> str:
    """Return a section for each result: what was found, its methods, and how its engines agree."""
    return printable("\n\n".join(part for each in several for part in _section(each)))


def _section(results: Results) -> Iterator[str]:
    manifest = results.manifest
    found = found_answer(results)
    yield f"### {escaped(str(manifest['title']))}"
    for sentence in found.warnings:
        yield f"**{escaped(sentence)}**"
    for sentence in found.sentences:
        yield escaped(sentence)
    for ranking in found.rankings:
        if ranking.methods:
            yield _table(ranking, several=len(found.rankings) > 1)
    for remark in engine_remarks(manifest):
        yield escaped(remark.sentence)
    seed = "" if manifest["seed"] is None else f", seed {manifest['seed']}"
    versions = ", ".join(f"{name} {number}" for name, number in manifest["versions"].items())
    yield escaped(f"{manifest['name']}{seed}; {versions}.")


def _table(ranking: Ranking, several: bool) -> str:
    """The methods at one alpha, without the columns of which nothing is known."""
    columns: list[tuple[str, str, Callable[[Method], str]]] = [
        ("method", "label", lambda each: each.title),
        ("verdict", "label", lambda each: each.verdict.words),
        ("worst alpha", "worst_alpha", _worst),
        ("largest alpha of an outcome", "outcome_alpha", lambda each: percent(each.outcome_alpha)),
        ("mean coverage", "coverage", _coverage),
        ("by Monte Carlo", "estimate", _estimate),
        ("relative length", "relative_length", _length),
    ]
    used = [each for each in columns if ranking.has(each[1])]
    rows = [[escaped(text(method)) for _, _, text in used] for method in ranking.methods]
    at_alpha = f"At alpha = {ranking.alpha:.12g}:\n\n" if several else ""
    right = [name not in ("method", "verdict") for name, _, _ in used]
    return at_alpha + pipe_table([name for name, _, _ in used], rows, right)


def _worst(method: Method) -> str:
    return f"{percent(method.worst_alpha)}{_at(method.worst_at)}"


def _coverage(method: Method) -> str:
    text = coverage(method.coverage, method.coverage_error, method.coverage_interval)
    return f"{text}{_at(method.coverage_at)}"


def _estimate(method: Method) -> str:
    return coverage(method.estimate, method.estimate_error, method.estimate_interval)


def _length(method: Method) -> str:
    text = significant(method.relative_length)
    trials = method.length_trials
    return text if trials is None else f"{text} (mean of {trials} trials)"


def _at(place: str) -> str:
    return f" at {place}" if place else ""
