"""The declaration of a kind of figure, and the drawings that it makes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from harness.families.catalogue import FAMILIES
from harness.families.family import ENUMERATION, MONTE_CARLO, POSTERIOR, Family

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from harness.figures.options import FigureOptions
    from harness.tables.results import Results

EVERY_ENGINE = (POSTERIOR, ENUMERATION, MONTE_CARLO)
Requirement = Literal[
    "counts_of_samples",
    "trials_by_outcome",
    "grid_of_fractions",
    "grid_of_truths",
    "lengths",
    "mean_lengths",
    "panels_over_size",
]
"""What a kind may need of the experiment beside its cells; ``requirements`` checks them.

``counts_of_samples``: the option x names outcomes of as many counts as there are samples;
``trials_by_outcome``: trials are counted by outcome; ``grid_of_fractions``: several sizes n, each
with outcomes at equally spaced x/n; ``grid_of_truths``: several true values of each of two samples,
all pairs of them; ``lengths``: methods that have a length at each outcome;
``mean_lengths``: methods that have a mean length at a true value; ``panels_over_size``: several
sizes, and as many panels as a page holds.
"""
LONGEST_PART = 80
"""Letters of a label in a file name; file systems end at 255 for the whole."""


@dataclass(frozen=True)
class Drawing:
    """A figure that is not yet written."""

    stem: str
    """File name without its extension."""
    figure: Figure
    apart: str = ""
    """What is added to the name of its file where another figure of the results has that name."""


def file_stem(*parts: str) -> str:
    """Join parts to a file name; characters that a file system may refuse become underscores."""
    return "-".join(re.sub(r"[^A-Za-z0-9._]+", "_", part)[:LONGEST_PART] for part in parts)


@dataclass(frozen=True)
class FigureSpec:
    """One figure to draw from the tables, with valid options of its kind."""

    kind: str
    options: Mapping[str, Any]
    apart: str = ""
    """What is added to the name of its file where another figure of the results has that name."""


class Unmet(NamedTuple):
    """A requirement of a figure that the experiment does not meet."""

    option: str
    """The option of the figure that asks for it."""
    message: str
    """What was expected of the experiment, and what was found."""


@dataclass(frozen=True)
class FigureKind:
    """One kind of figure: what it shows, its options, and the results it is drawn from."""

    name: str
    title: str
    options: type[FigureOptions]
    draw: Callable[[Results, Any], Iterable[Drawing]]
    """The drawings of these results with these options."""
    over: Literal[
        "outcome", "truth", "bin", "scenario", "trial", "search", "summary", "nothing"
    ] = "outcome"
    """The condition of the cells that it reads. ``truth`` needs an experiment with a grid or a
    list of truths, ``trial`` a simulation study with ``keep: replicates``, ``search`` one with the
    key ``solve``; ``summary`` means that any cells will do; ``nothing`` means that it is drawn from
    its options alone, and that they name no levels of the experiment."""
    needs: tuple[str, ...] = EVERY_ENGINE
    """The run must use at least one of these engines; empty if no engine is needed."""
    drawn_for: Callable[[Family], bool] = attrgetter("has_single_count")
    """Whether it can be drawn for a family."""
    requires: tuple[Requirement, ...] = ()
    experiment: Literal["coverage", "choice", "calibration", "simulation"] = "coverage"
    """The kind of experiment whose results it reads."""

    def engines(self, options: FigureOptions) -> tuple[str, ...]:
        """The engines of which the run must use at least one, given these options."""
        named: str | None = getattr(options, "engine", None)
        return self.needs if named is None else (named,)

    @property
    def families(self) -> tuple[str, ...]:
        """Names of the families that it can be drawn for."""
        return tuple(family.name for family in FAMILIES.values() if self.drawn_for(family))
