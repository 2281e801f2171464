"""What a check reports while it runs: the fraction done, and that its time is over."""

import time

import pytest

from harness.checks.check import check
from harness.checks.watch import TimeUpError, stage, steps, watching


def test_stages_and_steps_divide_what_is_left():
    told = []
    with watching(told.append):
        with stage(0.5):
            for _ in steps("ab"):
                list(steps("xy"))
        list(steps("cd"))
    rounded = [round(each, 6) for each in dict.fromkeys(told)]
    assert rounded == [0.0, 0.125, 0.25, 0.375, 0.5, 0.75, 1.0]


def test_the_fraction_of_a_check_rises_to_one():
    told = []
    with watching(told.append):
        check("wilson", sizes=[2, 3], alphas=[0.05], against="jeffreys")
    assert told == sorted(told)
    assert told[-1] == pytest.approx(1)
    assert len(set(told)) > 10


def test_the_time_is_over_between_steps():
    with watching(seconds=0.01), pytest.raises(TimeUpError):
        list(map(time.sleep, steps([0.002] * 100)))


def test_unwatched_steps_are_the_items():
    assert list(steps("abc")) == ["a", "b", "c"]


def test_a_check_out_of_time_is_inconclusive_and_keeps_what_it_found():
    def late(x, n, alpha):
        time.sleep(0.02)
        return 0.0 * x, 0.0 * x + 1

    report = check(late, timeout=0.1)
    assert report.verdict == "inconclusive"
    assert report.findings[-1].check == "finishes in time"
