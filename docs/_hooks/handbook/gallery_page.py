"""The gallery: all pictures of the committed results."""

from __future__ import annotations

from handbook.experiments import Experiment, experiments
from handbook.text import cell

_HEAD = """# Gallery

All pictures of the committed results, by the config that draws them. [Figures](figures.md) has the
kinds and their options.

"""


def page() -> str:
    """The page: a section for each experiment."""
    return _HEAD + "\n".join(map(_section, experiments()))


def _section(experiment: Experiment) -> str:
    pictures = "\n\n".join(
        f"![{cell(experiment.title)}: {each.kind}](../{each.path}){{ loading=lazy }}"
        for each in experiment.pictures
    )
    return (
        f"## {cell(experiment.title)}\n\n"
        f"`python -m harness run {experiment.config}` ([config](../{experiment.config}), "
        f"[results](../results/{experiment.name}))\n\n"
        f'<div class="gallery" markdown>\n\n{pictures}\n\n</div>\n'
    )
