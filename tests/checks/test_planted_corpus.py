"""The corpus of planted faults: each changes one line, and with it a limit or a behaviour."""

import pytest

from harness.families.catalogue import FAMILIES
from tests.checks.planted.fault import is_named, report_of
from tests.checks.planted.faults import FAULTS
from tests.checks.planted.moves import answers_by_form, is_moved, limits_on_grid

QUICK = {
    "half the width for n in 31 ... 49": "n=40;alpha=0.05",
    "limits at x = 0 and x = n a tenth too near": "n=10;alpha=0.05",
    "products of 32-bit counts of the caller": "n=10,100000;alpha=0.05",
    "upper limit without events a tenth too small": "exposure=1;alpha=0.05",
    "no x above 170": "exposure=1;alpha=0.05",
    "second less first above": "n1=4;n2=3;alpha=0.05",
    "no inverse above": "n1=4;n2=3;alpha=0.05",
    "second less first below": "n=4;alpha=0.05",
    "the sum of both margins": "n=4;alpha=0.05",
    "the first run left out": "alpha=0.05",
    "no limits in the range": "alpha=0.05",
    "weights not squared": "alpha=0.05",
    "unlabelled verdicts not resampled": "alpha=0.05",
}
"""Faults of several families, and the grid to which their checks are restricted for speed.

All faults take half an hour; ``python -m benchmarks.detection`` checks them.
"""

NAMES = [f"{fault.method.name}: {fault.name}" for fault in FAULTS]


def test_there_are_enough_faults_and_every_family_has_some():
    assert len(FAULTS) >= 120
    assert {fault.family for fault in FAULTS} == set(FAMILIES)
    assert len(set(NAMES)) == len(NAMES)


def test_a_fault_changes_one_place_of_one_line():
    for fault in FAULTS:
        assert fault.method.source.count(fault.old) == 1, fault.name
        assert "\n" not in fault.old + fault.new, fault.name
        compile(fault.source, fault.name, "exec")


@pytest.mark.parametrize("fault", FAULTS, ids=NAMES)
def test_a_fault_moves_a_limit_or_changes_what_the_method_takes(fault):
    source, method = fault.method.source, fault.method
    assert any(
        is_moved(answers(fault.source, method), answers(source, method))
        for answers in (answers_by_form, limits_on_grid)
    )


@pytest.mark.parametrize(("name", "grid"), QUICK.items())
def test_a_fault_is_found_and_named(name, grid):
    fault = next(fault for fault in FAULTS if fault.name == name)
    report = report_of(fault.source, fault.method, None, fault.method.contract, grid=grid)
    assert report.exit_code == 3
    assert is_named(report, fault.words), str(report)


@pytest.mark.parametrize("name", list(QUICK)[1:4])
def test_the_sound_original_passes(name):
    method = next(fault.method for fault in FAULTS if fault.name == name)
    report = report_of(method.source, method, None, method.contract, grid=QUICK[name])
    assert report.exit_code == 0, str(report)
