"""Twelve mistakes in otherwise right methods: each is found by the check whose job it is."""

from __future__ import annotations

import pytest

from harness.checks.check import check
from tests.checks.planted import CHANGES, FAULTS, FOUND_BY, RIGHT

SIZES, ALPHAS = (5, 10, 17, 50), (0.01, 0.05)


def checked(tmp_path, text, **options):
    file = tmp_path / "mine.py"
    file.write_text(text)
    return check(f"{file}:f", against="wilson", sizes=SIZES, alphas=ALPHAS, **options)


def test_the_method_without_a_mistake_passes(tmp_path):
    report = checked(tmp_path, RIGHT)
    assert report.passed, str(report)
    assert report.exit_code == 0


def test_each_change_changes_the_method():
    assert set(FAULTS) == set(FOUND_BY)
    assert len(FAULTS) == 12
    for name, change in CHANGES.items():
        assert FAULTS[name].count(change[1]) == 1


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_found_by_its_check_and_named_in_the_first_line(tmp_path, fault):
    report = checked(tmp_path, FAULTS[fault])
    assert report.exit_code == 3
    failed = {finding.check for finding in report.of_verdict("fail")}
    assert FOUND_BY[fault] in failed
    first, *others = str(report).splitlines()
    assert FOUND_BY[fault] in first
    assert len(others) < 25
    assert not any("the harness is wrong" in line for line in others)


@pytest.mark.parametrize("fault", ["in-place change of x", "seeding numpy's global state"])
def test_what_changes_no_limit_is_found_by_no_other_check(tmp_path, fault):
    failed = {finding.check for finding in checked(tmp_path, FAULTS[fault]).of_verdict("fail")}
    assert failed == {FOUND_BY[fault]}
