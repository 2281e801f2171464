"""The designs that there are."""

from __future__ import annotations

from harness.designs.design import DESIGNS
from harness.designs.list_data import CLUSTERED, REPEATED_RUNS, STRATIFIED
from harness.designs.paired_data import PAIRED
from harness.designs.samples import ONE_SAMPLE, TWO_INDEPENDENT

DESIGNS.update(
    (design.name, design)
    for design in (ONE_SAMPLE, TWO_INDEPENDENT, PAIRED, REPEATED_RUNS, CLUSTERED, STRATIFIED)
)
