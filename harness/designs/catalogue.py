"""The designs of the package by their names, each with its exact engines."""

from __future__ import annotations

import copyreg
import pickle
from dataclasses import replace
from typing import Any

from harness.designs.auc import ONE_SCORE, TWO_SCORES
from harness.designs.confusion import CONFUSED
from harness.designs.design import Design
from harness.designs.lists import CLUSTERED, REPEATED_RUNS, STRATIFIED
from harness.designs.one_sample.solver import solver_of_one_sample
from harness.designs.pairs.data import PAIRED
from harness.designs.pairs.solver import PairedSolver
from harness.designs.samples import ONE_SAMPLE, TWO_INDEPENDENT
from harness.designs.stopping.design import STOPPED
from harness.designs.two_samples.solver import TwoSampleSolver

DESIGNS: dict[str, Design] = {
    design.name: design
    for design in (
        replace(ONE_SAMPLE, exact=solver_of_one_sample),
        replace(TWO_INDEPENDENT, exact=TwoSampleSolver),
        replace(PAIRED, exact=PairedSolver),
        REPEATED_RUNS,
        CLUSTERED,
        STRATIFIED,
        CONFUSED,
        ONE_SCORE,
        TWO_SCORES,
        STOPPED,
    )
}


def design_of(name: str) -> Design:
    """Return the design of that name."""
    return DESIGNS[name]


_OF_THE_PACKAGE = frozenset(DESIGNS)


def _pickled(design: Design) -> Any:
    """Return how a design is pickled: its name, or of one that was added its content as well."""
    if DESIGNS.get(design.name) is not design:
        return design.__reduce_ex__(2)
    if design.name in _OF_THE_PACKAGE:
        return design_of, (design.name,)
    import cloudpickle

    return _added, (design.name, cloudpickle.dumps(vars(design)))


def _added(name: str, content: bytes) -> Design:
    """Return the design that another process has added, added to those of this process."""
    if name not in DESIGNS:
        DESIGNS[name] = Design(**pickle.loads(content))
    return DESIGNS[name]


copyreg.pickle(Design, _pickled)
