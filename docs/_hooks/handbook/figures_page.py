"""The page of the kinds of figure: what each shows, its options, and one that was drawn."""

from __future__ import annotations

import yaml

from handbook.experiments import Experiment, Picture, pictures_of
from handbook.schema_text import Definitions
from handbook.text import cell
from harness.families.catalogue import FAMILIES
from harness.figures.catalogue import FIGURES
from harness.figures.kind import FigureKind

_HEAD = """# Figures

A config lists its figures under `figures:`, each with a `kind` and its options. A run draws them
into `results/<name>/figures/`, and `python -m harness plot results/<name>` draws them again. The
[gallery](gallery.md) has all pictures of the committed results.

"""
_OVER = {
    "outcome": "the outcomes of the experiment",
    "truth": "a list or grid of true values",
    "bin": "the bins of the computed probabilities",
    "scenario": "the measures of all scenarios",
    "trial": "the replicates of a study with `keep: replicates`",
    "search": "the levels that a study with the key `solve` has tried",
    "summary": "the results of any truth",
    "nothing": "its options alone",
}


def page() -> str:
    """The page: a section for each kind."""
    return _HEAD + "\n".join(_section(kind) for kind in FIGURES.values())


def _section(kind: FigureKind) -> str:
    schema = kind.options.model_json_schema()
    options = Definitions(schema.get("$defs", {})).keys(schema)
    return (
        f"## `{kind.name}`\n\n{cell(kind.title)}.\n\n"
        f"Drawn from {_OVER[kind.over]}{_engines(kind)}. {_families(kind)}\n\n"
        f"{_example(kind)}\n{options if schema.get('properties') else 'It has no options.'}\n"
    )


def _engines(kind: FigureKind) -> str:
    if not kind.needs:
        return ""
    return "; the run uses " + " or ".join(f"`{engine}`" for engine in kind.needs)


def _families(kind: FigureKind) -> str:
    if kind.experiment != "coverage":
        return f"Of `kind: {kind.experiment}` only."
    if len(kind.families) == len(FAMILIES):
        return "For every family."
    return f"For {', '.join(f'`{name}`' for name in kind.families)}."


def _example(kind: FigureKind) -> str:
    """The first picture of the kind in the committed results, and the lines that draw it."""
    found = pictures_of(kind.name)
    if not found:
        return _lines([{"kind": kind.name}])
    experiment, picture = found[0]
    asked = experiment.asked_of(kind.name) or [{"kind": kind.name}]
    return f"{shown(experiment, picture)}\n{_lines(asked[:1])}"


def _lines(asked: list[object]) -> str:
    text = yaml.safe_dump(
        {"figures": asked}, default_flow_style=None, sort_keys=False, allow_unicode=True, width=100
    )
    return f"```yaml\n{text}```\n"


def shown(experiment: Experiment, picture: Picture) -> str:
    """A picture with its experiment as its caption, in Markdown."""
    what = cell(experiment.title)
    return (
        f'<figure markdown="span">\n'
        f"![{what}: {picture.kind}](../{picture.path}){{ loading=lazy }}\n"
        f'<figcaption markdown="span">{what} '
        f"([config](../{experiment.config}))</figcaption>\n"
        f"</figure>\n"
    )
