"""The designs that there are, each with its exact engines."""

from __future__ import annotations

from dataclasses import replace

from harness.designs.design import register
from harness.designs.lists import CLUSTERED, REPEATED_RUNS, STRATIFIED
from harness.designs.paired_data import PAIRED
from harness.designs.samples import ONE_SAMPLE, TWO_INDEPENDENT
from harness.designs.solvers import ListSolver, OneSampleSolver, PairedSolver, TwoSampleSolver

register(replace(ONE_SAMPLE, exact=OneSampleSolver))
register(replace(TWO_INDEPENDENT, exact=TwoSampleSolver))
register(replace(PAIRED, exact=PairedSolver))
for _design in (REPEATED_RUNS, CLUSTERED, STRATIFIED):
    register(replace(_design, exact=ListSolver))
