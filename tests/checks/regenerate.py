"""Writes the baseline of the whole catalogue: ``python -m tests.checks.regenerate``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from harness.checks.baseline import update
from harness.checks.measures import measures
from harness.checks.naming import named
from harness.checks.subject import CatalogueSubject
from harness.methods.catalogue import CATALOGUE
from harness.methods.method import TWO_SIDED

FOLDER = Path(__file__).parents[2] / "results" / "baseline"

SIZES = {"proportion": (*range(1, 31), 50, 100, 200, 500, 1000), "rate": (0.1, 1.0, 10.0)}
ALPHAS = (0.01, 0.05, 0.1)


def every() -> Iterator[CatalogueSubject]:
    """The methods that have a baseline."""
    for family in SIZES:
        for name, method in CATALOGUE[family].items():
            if method.deterministic and TWO_SIDED in method.sides:
                yield CatalogueSubject(name, family, method, seed=0)


if __name__ == "__main__":
    for each in every():
        measured = measures(each, SIZES[each.family], ALPHAS)
        update(FOLDER, named(each.label, each.family), measured)
