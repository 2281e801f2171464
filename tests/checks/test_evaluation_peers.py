"""Packages that evaluate language models: their limits of one data set, in the versions observed.

The observations of the audit take the coverage of these functions from methods of the catalogue
that have the same limits, and from the study of a judge's labels; both are held here.
"""

import runpy
import tomllib
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import numpy as np
import pytest

import harness
from harness.callers.peers import EVALUATION_PEERS, Peer

ROOT = Path(__file__).parents[2]
STUDY = ROOT / "configs/simulations/judge_labels.py"
SCORES = np.array([0.2, 0.9, 0.4, 0.7, 0.1, 0.3, 0.8, 0.5])
CLUSTER = np.array([0.0, 0, 1, 1, 1, 2, 2, 3])
DATA = {
    "proportion": {"x": 9, "n": 20},
    "mean": {"values": SCORES},
    "bounded_mean": {"values": SCORES},
    "clustered_proportion": {"x": np.array([4, 1, 3, 5]), "n": np.array([5, 4, 6, 7])},
    "clustered_mean": {"values": SCORES, "cluster": CLUSTER},
    "clustered_difference": {"first": SCORES, "second": 1 - SCORES**2, "cluster": CLUSTER},
    "proportion_difference": {"x1": 9, "n1": 20, "x2": 4, "n2": 15},
    "paired_difference": {"both": 8, "first_only": 5, "second_only": 2, "neither": 5},
    "labelled_share": {"table": np.array([20, 6, 3, 4]), "verdicts": np.array([70, 30])},
    "judged_share": {
        "x": 75,
        "n": 100,
        "positives_right": 72,
        "positives": 80,
        "negatives_right": 17,
        "negatives": 20,
    },
}

# NumPy 2.4.6, SciPy 1.17.1; alpha = 0.05.
VERSIONS = {
    "inspect-ai": "0.3.285",
    "evalstats": "0.3.3",
    "evalconfidence": "0.1.1",
    "ppi-python": "0.2.3",
    "judgy": "0.1.0",
}
RECORD = [
    ("inspect_ai", "proportion", "ci", 0.21111712307711644, 0.6888828769228836),
    ("inspect_ai", "proportion", "ci_wilson", 0.25819785825562425, 0.6579146575496576),
    ("inspect_ai", "mean", "ci", 0.24504363712183005, 0.72995636287817),
    ("inspect_ai", "clustered_proportion", "ci", 0.2570114686063196, 0.9248067132118623),
    ("inspect_ai", "clustered_proportion", "ci_wilson", 0.28450672059654486, 0.8399242933018438),
    ("inspect_ai", "clustered_mean", "ci", 0.34201507541563586, 0.6329849245843642),
    ("evalstats", "proportion", "mean_ci", 0.2581978582556243, 0.6579146575496577),
    ("evalstats", "mean", "mean_ci", 0.2649412368793539, 0.7151279918196857),
    ("evalstats", "bounded_mean", "mean_ci", 0.2649412368793539, 0.7151279918196857),
    ("evalstats", "paired_difference", "compare", -0.12475927058078218, 0.3974865433080549),
    ("evalstats", "labelled_share", "judge_debias_mean_ci", 0.6522935445803775, 0.9067631881572386),
    ("evalconfidence", "proportion", "standard_error", 0.21111712307711625, 0.6888828769228837),
    ("evalconfidence", "mean", "standard_error", 0.24504363712183005, 0.72995636287817),
    (
        "evalconfidence",
        "clustered_proportion",
        "standard_error",
        0.25701146860631935,
        0.9248067132118625,
    ),
    (
        "evalconfidence",
        "proportion_difference",
        "compare",
        -0.13402285601457092,
        0.44428412134384615,
    ),
    ("evalconfidence", "paired_difference", "compare", -0.10080647557203601, 0.40080647557203597),
    ("evalconfidence", "clustered_difference", "compare", -0.691557103075752, 0.28905710307575205),
    ("ppi_py", "proportion", "classical_mean_ci", 0.231967770946381, 0.668032229053619),
    ("ppi_py", "mean", "classical_mean_ci", 0.2995148409829056, 0.6754851590170945),
    ("ppi_py", "labelled_share", "ppi_mean_ci", 0.6539189515197386, 0.923062989098566),
    ("judgy", "judged_share", "estimate_success_rate", 0.7010272524086839, 0.8761550900717688),
]


def limits(package, family, name, data, alpha=0.05):
    """Limits by an adapter; skipped where the package is absent or has another version."""
    distribution = {"ppi_py": "ppi-python"}.get(package, package.replace("_", "-"))
    try:
        here = version(distribution)
    except PackageNotFoundError:
        pytest.skip(f"{distribution} is not installed")
    if here != VERSIONS[distribution]:
        pytest.skip(f"this is {distribution} {here}")
    return Peer(package, family, name).load()(**data, alpha=alpha)


def test_the_extra_has_the_versions_that_were_observed():
    project = tomllib.loads(ROOT.joinpath("pyproject.toml").read_text("utf-8"))["project"]
    extra = project["optional-dependencies"]["evaluation_peers"]
    assert dict(pinned.split("==") for pinned in extra) == VERSIONS


def test_every_function_is_recorded():
    names = {
        (package, family, name)
        for package, families in EVALUATION_PEERS.items()
        for family, names in families.items()
        for name in names
    }
    assert {row[:3] for row in RECORD} == names


@pytest.mark.parametrize(("package", "family", "name", "lower", "upper"), RECORD)
def test_limits_are_those_that_were_observed(package, family, name, lower, upper):
    expected = pytest.approx((lower, upper), abs=1e-9)
    assert limits(package, family, name, DATA[family]) == expected


# The same formula, or the same but for the ends of the range, which are away from these limits.
SAME = [
    ("inspect_ai", "proportion", "ci_wilson", "wilson"),
    ("evalstats", "proportion", "mean_ci", "wilson"),
    ("evalconfidence", "mean", "standard_error", "student_t"),
    ("inspect_ai", "mean", "ci", "student_t"),
    ("inspect_ai", "clustered_mean", "ci", "cluster_t"),
    ("inspect_ai", "clustered_proportion", "ci", "cluster_t"),
    ("inspect_ai", "clustered_proportion", "ci_wilson", "rao_scott"),
    ("evalconfidence", "clustered_proportion", "standard_error", "cluster_t"),
    ("evalconfidence", "proportion_difference", "compare", "newcombe"),
    ("evalstats", "paired_difference", "compare", "bonett_price"),
    ("ppi_py", "labelled_share", "ppi_mean_ci", "ppi_plus"),
]


@pytest.mark.parametrize(("package", "family", "name", "ours"), SAME)
def test_the_same_formula_has_the_same_limits(package, family, name, ours):
    found = limits(package, family, name, DATA[family])
    expected = harness.interval(family, ours, **DATA[family])
    assert found == pytest.approx((expected.lower, expected.upper), abs=1e-9)


def test_a_comparison_in_clusters_is_one_of_independent_items():
    found = limits(
        "evalconfidence", "clustered_difference", "compare", DATA["clustered_difference"]
    )
    expected = harness.interval("mean", "student_t", values=SCORES - (1 - SCORES**2))
    assert found == pytest.approx((expected.lower, expected.upper), abs=1e-9)


@pytest.mark.parametrize(
    ("ours", "clusters", "p", "percent"),
    [
        ("rao_scott", 10, 0.95, "86.6"),
        ("cluster_t", 10, 0.95, "77.7"),
        ("rao_scott", 10, 0.8, "94.3"),
        ("cluster_t", 10, 0.8, "90.9"),
        ("rao_scott", 5, 0.8, "92.5"),
        ("cluster_t", 5, 0.8, "86.8"),
    ],
)
def test_the_coverage_that_the_audit_names_is_drawn(ours, clusters, p, percent):
    drawn = harness.coverage("clustered_proportion", ours, clusters=clusters, size=10, p=p, rho=0.3)
    assert f"{100 * drawn.coverage:.1f}" == percent


@pytest.mark.parametrize(("labels", "cases"), [(100, 100), (100, 500), (500, 100)])
def test_the_study_of_labels_alone_has_the_limits_of_judgy(labels, cases):
    judge_labels = runpy.run_path(str(STUDY))
    counts, accepted, _ = judge_labels["draw"](np.random.default_rng(labels), labels, cases)
    right, missed, rejected, wrong = counts.tolist()
    data = {
        "x": accepted,
        "n": cases,
        "positives_right": right,
        "positives": right + missed,
        "negatives_right": rejected,
        "negatives": rejected + wrong,
    }
    found = limits("judgy", "judged_share", "estimate_success_rate", data)
    drawn = [
        judge_labels["labels_alone"]((counts, accepted, cases), 0.05, np.random.default_rng(seed))
        for seed in range(40)
    ]
    expected = np.mean([(answer["lower"], answer["upper"]) for answer in drawn], axis=0)
    # A limit of 500 resamples has a standard error of at most 0.01 here.
    assert found == pytest.approx(expected, abs=0.04)
