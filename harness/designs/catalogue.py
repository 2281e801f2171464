"""The designs of the package by their names, each with its exact engines."""

from __future__ import annotations

import copyreg
import pickle
from typing import Any

from harness.designs.clustered_scores import PAIRS_IN_CLUSTERS, SCORES_IN_CLUSTERS
from harness.designs.confusion import CONFUSED
from harness.designs.design import Design
from harness.designs.judged import JUDGED, PARTLY_LABELLED
from harness.designs.lists import (
    BOUNDED,
    CLUSTERED,
    ONE_SCORE,
    REPEATED_RUNS,
    STRATIFIED,
    TRIED_TASKS,
    TWO_SCORES,
)
from harness.designs.one_sample.design import OF_A_KNOWN_JUDGE, ONE_SAMPLE
from harness.designs.pairs.design import PAIRED
from harness.designs.stopping.design import STOPPED
from harness.designs.two_samples.design import TWO_INDEPENDENT

DESIGNS: dict[str, Design] = {
    design.name: design
    for design in (
        ONE_SAMPLE,
        OF_A_KNOWN_JUDGE,
        TWO_INDEPENDENT,
        PAIRED,
        REPEATED_RUNS,
        BOUNDED,
        CLUSTERED,
        SCORES_IN_CLUSTERS,
        PAIRS_IN_CLUSTERS,
        STRATIFIED,
        TRIED_TASKS,
        CONFUSED,
        ONE_SCORE,
        TWO_SCORES,
        PARTLY_LABELLED,
        JUDGED,
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
