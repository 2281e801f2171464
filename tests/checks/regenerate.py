"""Writes the baseline of the whole catalogue: ``python -m tests.checks.regenerate``."""

import shutil
from collections.abc import Iterator
from pathlib import Path

from harness.callers.naming import named
from harness.callers.source import CatalogueSource
from harness.checks.baseline.folder import write_baseline
from harness.checks.baseline.limits import KeptPoints, keep_limits
from harness.checks.behaviour import measures
from harness.checks.plans import checked_at
from harness.checks.sizes import Size
from harness.checks.subject import Subject, side_of
from harness.families.catalogue import family_of
from harness.methods.catalogue import CATALOGUE, methods_for

FOLDER = Path(__file__).parents[2] / "results" / "baseline"

PAIRS = ((5.0, 8.0),)
"""Of two proportions: one pair, and an uneven one, since each worst case takes a search."""
OF_TABLES = (8,)
"""Of pairs."""


def sizes_of(family: str) -> tuple[Size, ...]:
    """The sizes that a baseline is of: those of a check, but fewer pairs of them."""
    if family_of(family).shares_size:
        return OF_TABLES
    is_pair = family_of(family).sizes == ("n1", "n2")
    return PAIRS if is_pair else checked_at(family_of(family)).exact


def points_of(family: str) -> KeptPoints:
    """Where limits are kept: at fewer sizes than by default, as there are many methods."""
    known = family_of(family)
    in_full: tuple[Size, ...]
    in_sums: tuple[Size, ...]
    if known.sizes[2:]:
        in_full, in_sums = ((3.0, 2.0, 4.0),), ((1.0, 1.0, 1.0), (4.0, 3.0, 2.0), (8.0, 5.0, 6.0))
    elif known.shares_size:
        in_full, in_sums = (3,), (1, 2, 4, 8)
    elif known.samples == 2:
        in_full = ((3.0, 4.0),) if known.is_bounded else ()
        in_sums = ((1.0, 1.0), (4.0, 3.0), (5.0, 8.0)) if known.is_bounded else ((1.0, 2.0),)
    elif known.is_bounded:
        in_full, in_sums = (5, 15), (*range(1, 31),)
    else:
        in_full, in_sums = (1.0,), (0.5, 5.0)
    alphas = checked_at(family_of(family)).alphas.exact
    return KeptPoints(in_full, (0.05,), in_sums, alphas)


def every() -> Iterator[Subject]:
    """The methods that have a baseline; of a one-sided one it is that of its upper limit."""
    for family in CATALOGUE:
        for name, method in methods_for(family_of(family)).items():
            # Of lists a check has no exact numbers, and a method of a proportion that a metric
            # of a confusion table takes moves with that of the proportion.
            known = family_of(family)
            is_of_table = known.as_pairs is None or method.uses_both
            own = is_of_table or name not in CATALOGUE["proportion"]
            if method.deterministic and known.has_outcomes and own:
                yield (Subject(CatalogueSource(name, method, seed=0), family_of(family)))


if __name__ == "__main__":
    shutil.rmtree(FOLDER, ignore_errors=True)
    for each in every():
        measured = measures(each, sizes_of(each.family.name), checked_at(each.family).alphas.exact)
        limits = keep_limits(each, points_of(each.family.name))
        write_baseline(FOLDER, named(each.label, each.family.name), measured, side_of(each), limits)
