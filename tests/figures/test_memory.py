"""Every kind of figure of one sample is drawn in little memory at the largest size it takes."""

import subprocess
import sys
from pathlib import Path

import pytest

import harness
from harness.figures.catalogue import FIGURES

MOST_KILOBYTES = 2_000_000
LISTED = {"n": [1000, 10**9], "truth": {"values": [0.1, 0.5]}, "trials": {"per_truth": 1000}}
DRAWN = {"n": [100_000, 131_071], "truth": {"uniform": [0, 1]}, "trials": {"per_size": 100_000}}
# The options of each kind, beside the largest n, and which of the results it is drawn of.
KINDS = {
    "alpha_by_outcome": (DRAWN, ["n=131071", "method=wald"]),
    "alpha_over_outcome": (DRAWN, ["n=131071"]),
    "length_over_outcome": (DRAWN, ["n=131071", "reference=wilson"]),
    "alpha_surface": (DRAWN, []),
    "length_surface": (DRAWN, ["reference=wilson"]),
    "coverage_curve": (LISTED, ["n=1000000000"]),
    "length_curve": (LISTED, ["n=1000000000"]),
    "coverage_over_size": (LISTED, []),
    "length_over_size": (LISTED, []),
    "limits_over_size": (DRAWN, []),
    "bounds": (DRAWN, ["n=131071"]),
    "outcome_tails": (LISTED, ["n=1000000000", "x=400000000"]),
    "ranking": (LISTED, []),
    "frontier": (LISTED, []),
    "intervals_drawn": (LISTED, ["n=1000000000"]),
}
MEASURED = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""
"""Runs a command and prints the most memory that it had, in kilobytes."""
# Of stopped trials, of lists and of simulations: their sizes are far smaller.
OTHERS = {"calibration", "choice", "stopping_outcomes", "expected_size", "power_curve"}
# A map has at most as many colours as there are pairs of true values.
OTHERS |= {
    "coverage_map",
    "rank_ecdf",
    "coverage_by_level",
    "coverage_by_truth",
    "zip_plot",
    "lollipop",
    "nested_loop",
    "estimates",
    "solve_curve",
}


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Path]:
    found = {}
    for name, config in (("listed", LISTED), ("drawn", DRAWN)):
        engines = ["monte_carlo", "enumeration"] + (["posterior"] if config is DRAWN else [])
        document = {"name": name, "family": "proportion", "methods": ["wald", "wilson"], "seed": 1}
        results = harness.run(
            document | config | {"engines": engines, "figures": []},
            out=tmp_path_factory.mktemp("results"),
        )
        assert results.path is not None
        found[id(config)] = results.path
    return found


def test_every_kind_is_tried_or_has_small_data() -> None:
    assert KINDS.keys() | OTHERS == FIGURES.keys()


@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_is_drawn_in_less_than_two_gigabytes(kind: str, folders: dict[int, Path]) -> None:
    config, options = KINDS[kind]
    words = [word for option in options for word in ("--set", option)]
    command = [sys.executable, "-m", "harness", "plot", str(folders[id(config)]), "--kind", kind]
    # A process begins with the memory of the one that starts it, which a small one keeps small.
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, *command, *words], check=True, capture_output=True
    )
    assert int(done.stdout.split()[-1]) < MOST_KILOBYTES
