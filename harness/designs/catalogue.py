"""The designs that there are, each with its exact engines, and a way to add one."""

from __future__ import annotations

import copyreg
from collections.abc import Mapping
from typing import Any

from harness.designs.confusion import CONFUSED
from harness.designs.design import DESIGNS, Design
from harness.designs.lists import CLUSTERED, ONE_SCORE, REPEATED_RUNS, STRATIFIED, TWO_SCORES
from harness.designs.one_sample.design import ONE_SAMPLE
from harness.designs.pairs.design import PAIRED
from harness.designs.stopping.design import STOPPED
from harness.designs.two_samples.design import TWO_INDEPENDENT
from harness.families.catalogue import FAMILIES
from harness.families.family import Family
from harness.methods.catalogue import add_methods
from harness.methods.method import Method

DESIGNS.update(
    (design.name, design)
    for design in (
        ONE_SAMPLE,
        TWO_INDEPENDENT,
        PAIRED,
        REPEATED_RUNS,
        CLUSTERED,
        STRATIFIED,
        CONFUSED,
        ONE_SCORE,
        TWO_SCORES,
        STOPPED,
    )
)


def design_named(name: str) -> Design:
    """Return the design of that name, as a pickle has it."""
    return DESIGNS[name]


def _pickled(design: Design) -> Any:
    """Return how a design is pickled: by its name where it is registered, else by its content."""
    if DESIGNS.get(design.name) is design:
        return design_named, (design.name,)
    return design.__reduce_ex__(2)


copyreg.pickle(Design, _pickled)


def register(design: Design, families: Mapping[Family, Mapping[str, Method]]) -> None:
    """Add a design to those that there are, with its families and their methods.

    The families can then be used as those of the package: by ``run``, ``interval``, ``coverage``,
    ``check`` and the report. Workers of other processes do not know them: an experiment has the
    backend ``threading``.

    Args:
        design: how the data arise. ``solvers.Solver`` serves as ``exact`` where its ``outcomes``
            have ``probabilities``.
        families: what is estimated, with ``design.name`` as design, and the methods of each by
            their names; the first one is the default.
    """
    DESIGNS[design.name] = design
    for family, methods in families.items():
        FAMILIES[family.name] = family
        add_methods(family, methods)
