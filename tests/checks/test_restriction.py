"""A check that is restricted to a grid asks for limits at its sizes and alphas and nowhere else."""

from itertools import product

import numpy as np
import pytest
from scipy.special import ndtri

from harness.base.errors import InputError
from harness.callers.function import FunctionHere
from harness.checks.check import check
from harness.checks.conformance.runner import check_conformance
from harness.checks.restriction import Restriction, read_grid, sizes_of_grid
from harness.checks.subjects.subject import Subject


class Recorded:
    """A method that records the sizes and alphas of its calls."""

    def __init__(self, limits):
        self.limits, self.asked = limits, set()
        self.__name__ = "recorded"

    def __call__(self, *arguments):
        *data, alpha = arguments
        sizes = product(*(np.unique(each).tolist() for each in data[1::2]))
        self.asked |= {(*size, alpha) for size in sizes}
        return self.limits(*arguments)


def agresti_coull(x, n, alpha):
    z = -ndtri(alpha / 2)
    total, p = n + z**2, (x + z**2 / 2) / (n + z**2)
    half = z * np.sqrt(p * (1 - p) / total)
    return np.maximum(p - half, 0), np.minimum(p + half, 1)


def agresti_caffo(x1, n1, x2, n2, alpha):
    z = -ndtri(alpha / 2)
    p, q = (x1 + 1) / (n1 + 2), (x2 + 1) / (n2 + 2)
    half = z * np.sqrt(p * (1 - p) / (n1 + 2) + q * (1 - q) / (n2 + 2))
    return np.maximum(p - q - half, -1), np.minimum(p - q + half, 1)


def by_count(x, exposure, alpha):
    z = -ndtri(alpha / 2)
    return np.maximum(np.sqrt(x) - z / 2, 0) ** 2 / exposure, (
        np.sqrt(x + 1) + z / 2
    ) ** 2 / exposure


@pytest.mark.parametrize(
    ("limits", "family", "grid", "asked"),
    [
        (agresti_coull, "proportion", "n=10,50; alpha=0.05", {(10, 0.05), (50, 0.05)}),
        (by_count, "rate", {"exposure": 2.5, "alpha": [0.1, 0.2]}, {(2.5, 0.1), (2.5, 0.2)}),
    ],
)
def test_a_method_is_asked_at_the_grid_only(limits, family, grid, asked):
    method = Recorded(limits)
    report = check(method, family=family, grid=grid)
    assert method.asked == asked
    assert {
        *report.behaviour.select(report.behaviour.columns[: len(next(iter(asked)))]).rows()
    } == asked


def test_of_two_samples_the_properties_are_checked_at_the_grid_only():
    method = Recorded(agresti_caffo)
    subject = Subject(FunctionHere("recorded", method), "proportion_difference")
    check_conformance(subject, Restriction(((4.0, 5.0), (70.0, 5.0)), (0.2,)))
    assert method.asked == {(4, 5, 0.2), (70, 5, 0.2)}


def test_a_method_for_one_alpha_has_no_property_of_several():
    def for_one_alpha(x, n, alpha):
        if alpha != 0.05:
            raise ValueError("the table has alpha = 0.05 only")
        return agresti_coull(x, n, alpha)

    found = {each.check: each for each in check(for_one_alpha, grid="n=5;alpha=0.05").findings}
    assert found["answers every outcome"].verdict == "pass"
    assert found["is nested in alpha"].message == "does not apply, since one alpha only is checked"


def test_a_part_that_the_grid_does_not_name_is_as_without_it():
    report = check("wilson", grid="n=3..5")
    assert report.behaviour["n"].unique().sort().to_list() == [3, 4, 5]
    assert report.behaviour["alpha"].unique().sort().to_list() == [0.01, 0.05, 0.1]


def test_sizes_of_two_samples_are_pairs_of_equal_index():
    grid = read_grid("proportion_difference", "n1=10,20;n2=5,15")
    assert sizes_of_grid("proportion_difference", grid) == [(10, 5), (20, 15)]


@pytest.mark.parametrize(
    ("family", "grid", "said"),
    [
        ("proportion", "n=10,x", "found 'n=10,x'"),
        ("proportion", "n=5..2", "n=1..30"),
        ("proportion", "n", 'should be as "n=10,50;alpha=0.05"'),
        ("proportion", "", "should name n or alpha"),
        ("proportion", "exposure=1", "should name n or alpha, found 'exposure'"),
        ("proportion", "n=3;n=4", "n twice"),
        ("proportion", "n=0", "whole numbers above 0, found 0"),
        ("proportion", "alpha=5", "between 0 and 1"),
        ("proportion_difference", "n1=3", "n1 and n2, or neither"),
        ("proportion_difference", "n1=3,4;n2=3,4,5", "found 2 and 3"),
        ("mean", "n=3", "should name alpha, found 'n'"),
        ("proportion", 5, "found 5"),
    ],
)
def test_what_is_no_grid_is_refused_in_a_sentence(family, grid, said):
    with pytest.raises(InputError) as caught:
        check(
            "student_t" if family == "mean" else "newcombe" if "_" in family else "wilson",
            family=family,
            grid=grid,
        )
    assert said in str(caught.value)


def test_a_failure_that_is_declared_elsewhere_is_not_missed_at_the_grid():
    report = check("jeffreys", contract="none", grid="n=5;alpha=0.05")
    assert report.passed
    assert "holds the estimate" in {each.check for each in report.findings}


def test_a_baseline_is_compared_at_the_grid_only(tmp_path):
    check(agresti_coull, contract="none", grid="n=3,4;alpha=0.05,0.1", update=tmp_path)
    method = Recorded(agresti_coull)
    method.__name__ = "agresti_coull"
    report = check(method, contract="none", grid="n=4;alpha=0.1", against=tmp_path)
    assert report.passed
    assert method.asked == {(4, 0.1)}
    with pytest.raises(InputError, match="holds no numbers at the sizes and alphas of the grid"):
        check(agresti_coull, contract="none", grid="n=5", against=tmp_path)


def test_sizes_stand_in_one_place():
    with pytest.raises(InputError, match="leave one of them out"):
        check("wilson", grid="n=3", sizes=[3])
