"""The designs by their names."""

from __future__ import annotations

from harness.designs.design import Design
from harness.families.catalogue import family_of
from harness.families.family import CLUSTERS, PAIRS, RUNS, SINGLE_SAMPLE, STRATA, TWO_SAMPLES

DESIGNS: dict[str, Design] = {
    design.name: design
    for design in (
        Design(SINGLE_SAMPLE, 1 << 15, 4000, (20, 120)),
        Design(TWO_SAMPLES, 1 << 11, 2000, (3, 6)),
        Design(PAIRS, 1 << 11, 400, (4, 8)),
        Design(RUNS, None, 0),
        Design(CLUSTERS, None, 0),
        Design(STRATA, None, 0),
    )
}


def design_for(family: str) -> Design:
    """Return the design of a family, by the family's name."""
    return DESIGNS[family_of(family).design]
