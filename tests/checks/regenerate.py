"""Writes the baseline of the whole catalogue: ``python -m tests.checks.regenerate``."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

from harness.checks.baseline import update
from harness.checks.behaviour import ALPHAS, default_sizes
from harness.checks.measures import measures
from harness.checks.naming import named
from harness.checks.remembered import Remembered
from harness.checks.subject import CatalogueSubject, Subject
from harness.methods.catalogue import CATALOGUE

FAMILIES = ("proportion", "rate")
FOLDER = Path(__file__).parents[2] / "results" / "baseline"


def every() -> Iterator[Subject]:
    """The methods that have a baseline; of a one-sided one it is that of its upper limit."""
    for family in FAMILIES:
        for name, method in CATALOGUE[family].items():
            if method.deterministic:
                yield Remembered(CatalogueSubject(name, family, method, seed=0))


if __name__ == "__main__":
    shutil.rmtree(FOLDER, ignore_errors=True)
    for each in every():
        measured = measures(each, default_sizes(each.family), ALPHAS)
        update(FOLDER, named(each.label, each.family), measured)
