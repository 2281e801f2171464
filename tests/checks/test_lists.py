"""Checks of functions whose data are lists: sound ones pass, planted faults are found."""

import numpy as np
import pytest
from scipy.special import ndtri, stdtrit

from harness.base.errors import InputError
from harness.callers.source import CatalogueSource
from harness.checks.check import check
from harness.checks.conformance.runner import check_conformance
from harness.checks.expected_failures import apply_expected_failures
from harness.checks.formats import format_markdown
from harness.checks.subject import Subject
from harness.families.catalogue import FAMILIES, family_of
from harness.methods.catalogue import CATALOGUE

LISTS = [name for name, family in FAMILIES.items() if not family.has_outcomes]
METHODS = [(family, name) for family in LISTS for name in CATALOGUE[family]]
DECLARED = {"can be pickled": "defined inside a test", "has width": "of no width without spread"}


@pytest.mark.parametrize(("family", "name"), METHODS)
def test_every_method_for_lists_conforms_but_for_what_it_declares(family, name):
    subject = Subject(CatalogueSource(name, CATALOGUE[family][name], seed=1), family_of(family))
    findings = apply_expected_failures(check_conformance(subject), subject)
    assert [finding for finding in findings if finding.verdict == "fail"] == []


def student(values, alpha):
    """Student's t at one list or a row of lists."""
    values = np.asarray(values, float)
    k = values.shape[-1]
    half = stdtrit(k - 1, 1 - alpha / 2) * values.std(axis=-1, ddof=1) / np.sqrt(k)
    return values.mean(axis=-1) - half, values.mean(axis=-1) + half


def clustered_t(x, n, alpha):
    x, n = np.asarray(x, float), np.asarray(n, float)
    count, total = n.shape[-1], n.sum(axis=-1)
    p = x.sum(axis=-1) / total
    spread = ((x - np.expand_dims(p, -1) * n) ** 2).sum(axis=-1)
    if count == 1:
        return 0 * p, 0 * p + 1
    error = np.sqrt(count / (count - 1) * spread) / total
    half = stdtrit(count - 1, 1 - alpha / 2) * error
    return np.maximum(p - half, 0), np.minimum(p + half, 1)


def verdicts(function, family, **options):
    function.expected_failures = DECLARED
    report = check(function, family=family, trials=options.pop("trials", 4000), **options)
    return {(finding.check, finding.verdict) for finding in report.findings}


def failed(function, family, **options):
    found = verdicts(function, family, **options)
    return {name for name, verdict in found if verdict == "fail"}


@pytest.mark.parametrize("family", ["mean", "clustered_proportion", "stratified_difference"])
def test_a_report_about_lists_is_printed(family):
    name = next(name for name, method in CATALOGUE[family].items() if method.deterministic)
    found = check(name, family=family, contract="none")
    assert str(found).startswith(f"{name} ({family}): PASS")
    assert format_markdown(found).startswith(f"### `{name}`")


def test_a_function_of_lists_takes_them_in_rows_in_a_process_of_its_own(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text("""
import numpy as np
def spread(values, alpha):
    values = np.asarray(values, float)
    if values.ndim != 2:
        raise ValueError("one list")
    return values.min(axis=1) - 1.0, values.max(axis=1) + 1.0
""")
    report = check(f"{file}:spread", family="mean", contract="none")
    answers = next(each for each in report.findings if each.check == "answers every outcome")
    assert answers.verdict == "pass", answers.message


def test_students_t_passes_with_the_contract_nominal():
    found = verdicts(lambda values, alpha: student(values, alpha), "mean", trials=20_000)
    assert ("alpha error, drawn", "pass") in found
    assert {verdict for _, verdict in found} <= {"pass", "declared", "remark"}


def test_the_clustered_t_passes_with_the_contract_nominal():
    found = verdicts(
        lambda x, n, alpha: clustered_t(x, n, alpha), "clustered_proportion", trials=20_000
    )
    assert {verdict for _, verdict in found} <= {"pass", "declared", "remark"}


def naive(x, n, alpha):
    """All cases as independent."""
    x, n = np.sum(x, axis=-1) + 2.0, np.sum(n, axis=-1) + 4.0
    half = -ndtri(alpha / 2) * np.sqrt(x * (n - x) / n**3)
    return np.maximum(x / n - half, 0), np.minimum(x / n + half, 1)


def test_the_naive_interval_fails_where_cases_are_alike():
    assert "alpha error, drawn" in failed(
        lambda x, n, alpha: naive(x, n, alpha), "clustered_proportion"
    )


FAULTS = {
    "a z in place of t": (
        "mean",
        lambda values, alpha: _about(values, -ndtri(alpha / 2)),
        "alpha error, drawn",
    ),
    "the root of k forgotten": (
        "mean",
        lambda values, alpha: _about(values, np.sqrt(values.shape[-1])),
        "alpha error, drawn",
    ),
    "the first run counts twice": (
        "mean",
        lambda values, alpha: tuple(
            limit + 0.01 * values[..., 0] for limit in student(values, alpha)
        ),
        "keeps order",
    ),
    "limits swapped": ("mean", lambda values, alpha: student(values, alpha)[::-1], "is ordered"),
    "alpha ignored": (
        "mean",
        lambda values, alpha: student(values, 0.05 * (1 + alpha)),
        "alpha error, drawn",
    ),
    "one-sided tail": (
        "clustered_proportion",
        lambda x, n, alpha: clustered_t(x, n, min(2 * alpha, 0.999)),
        "alpha error, drawn",
    ),
    "successes and failures": (
        "clustered_proportion",
        lambda x, n, alpha: tuple(limit**1.01 for limit in clustered_t(x, n, alpha)),
        "mirrors",
    ),
    "beyond the range": (
        "clustered_proportion",
        lambda x, n, alpha: tuple(limit * 1.1 for limit in clustered_t(x, n, alpha)),
        "stays in range",
    ),
    "only the first clusters": (
        "clustered_proportion",
        lambda x, n, alpha: clustered_t(x[..., :3], n[..., :3], alpha),
        "keeps order",
    ),
}


def _about(values, factor):
    error = values.std(axis=-1, ddof=1) / np.sqrt(values.shape[-1])
    return values.mean(axis=-1) - factor * error, values.mean(axis=-1) + factor * error


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_found(fault):
    family, function, found_by = FAULTS[fault]
    assert found_by in failed(function, family)


def test_a_function_of_one_list_need_not_take_a_row_of_lists():
    def alone(values, alpha):
        mean, (lower, upper) = np.mean(values), student(np.ravel(values), alpha)
        return float(lower), float(upper) if mean == mean else 0.0

    assert "has the right shape" not in failed(alone, "mean", trials=200)


def test_what_a_check_of_lists_does_not_take_is_refused_in_a_sentence():
    with pytest.raises(InputError, match="a check of mean takes no sizes"):
        check(student, family="mean", sizes=[5])
    with pytest.raises(InputError, match="methods of mean are not compared"):
        check(student, family="mean", against="z_sample")
