"""The adapters of other packages; each is tested where its package is installed."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import yaml

from harness.callers.function import FunctionInProcess
from harness.callers.naming import named
from harness.callers.peers import EVALUATION_PEERS, PEERS, Peer
from harness.callers.source import Observed
from harness.families.catalogue import family_of
from harness.families.confusion import CELLS
from harness.methods.catalogue import CATALOGUE
from tests.methods.user.calls import call

EVERY = [
    (package, family, name)
    for package, families in PEERS.items()
    if package not in EVALUATION_PEERS
    for family, names in families.items()
    for name in names
]

# Peers and catalogue name the same formulas (Astropy's Wald is not clipped to [0, 1], and so is
# another one); the peers' roots are found to 1e-8 or better.
SAME, SAME_OF_TWO, SAME_OF_CASES = (
    {(package, family): names for package, by in of.items() for family, names in by.items()}
    for of in yaml.safe_load(Path(__file__).with_name("peers.yaml").read_text("utf-8")).values()
)
TOLERANCE = 1e-7

ONE_SIGMA_ONLY = ("root_n", "root_n_0", "pearson", "sherpagehrels")
"""Astropy makes these for alpha = 0.3173 alone."""
ONE_ALPHA = {**dict.fromkeys(ONE_SIGMA_ONLY, 0.3173), "cohens_kappa": 0.05}


COUNTS_OF_TWO = (np.array([4.0, 7.0, 5.0]), np.array([6.0, 3.0, 12.0]))
"""Counts of two samples away from 0 and from the sizes."""


TABLES = tuple(np.array([[8.0, 2.0, 3.0, 7.0], [3.0, 4.0, 2.0, 11.0]]).T)
"""Cells of two tables of 20 cases: tp, fp, fn, tn."""
SCORES = (np.array([[9.0, 4.0, 2.0, 7.0, 3.0, 6.0]]), np.array([[1.0, 5.0, 8.0, 6.0, 2.0]]))
"""Scores of positives and of negatives, with ties."""


def observed_at(family, x=11):
    """x = 0, 1, … of 10 trials, or of an exposure of 2.5; a few data of other designs."""
    known = family_of(family)
    if family == "paired_difference":
        return Observed(known, (20,), TABLES)
    if family == "auc":
        return Observed(family_of(family), (6, 5), SCORES)
    if known.data == CELLS:
        return Observed(family_of(family), (20,), TABLES)
    if known.samples == 2:
        sizes = (10, 20) if known.is_bounded else (2.5, 5.0)
        return Observed(family_of(family), sizes, COUNTS_OF_TWO)
    return Observed(family_of(family), (10 if known.is_bounded else 2.5,), (np.arange(float(x)),))


def limits(package, family, name, alpha, x=11):
    """Limits at the outcomes of ``observed_at``; one outcome at a time where arrays are refused."""
    pytest.importorskip(package)
    function = Peer(package, family, name).load()
    return call(function, observed_at(family, x), alpha)


@pytest.mark.parametrize(("package", "family", "name"), EVERY)
def test_every_peer_gives_finite_limits_around_the_estimate(package, family, name):
    if name == "kraft_burrows_nousek":
        pytest.skip("it has no limits at x = 0 without a background")
    alpha = ONE_ALPHA.get(name, 0.1)
    lower, upper = limits(package, family, name, alpha)
    estimate = family_of(family).estimate(observed_at(family).columns())
    inner = slice(4, 7) if family in ("proportion", "rate") else slice(None)
    assert np.isfinite([lower, upper]).all()
    assert (lower[inner] < estimate[inner]).all()
    assert (estimate[inner] < upper[inner]).all()


@pytest.mark.parametrize(
    ("package", "family", "name", "ours"),
    [(*place, name, ours) for place, names in SAME_OF_TWO.items() for name, ours in names.items()],
)
def test_the_same_formula_of_two_samples_gives_the_same_limits(package, family, name, ours):
    lower, upper = limits(package, family, name, 0.1)
    expected = CATALOGUE[family][ours].limits(observed_at(family).columns(), 0.1)
    np.testing.assert_allclose([lower, upper], expected, rtol=TOLERANCE, atol=TOLERANCE)


@pytest.mark.parametrize(
    ("package", "family", "name", "ours"),
    [(*place, name, ours) for place, names in SAME.items() for name, ours in names.items()],
)
@pytest.mark.parametrize("alpha", [0.01, 0.1])
def test_the_same_formula_gives_the_same_limits_here_and_there(package, family, name, ours, alpha):
    lower, upper = limits(package, family, name, alpha)
    size = 10.0 if family == "proportion" else 2.5
    expected = CATALOGUE[family][ours].limits((np.arange(11.0), np.full(11, size)), alpha)
    # At the ends peers have conventions of their own, by which Jeffreys intervals are told apart.
    inner = slice(None) if name == "jeffreys" else slice(1, -1)
    np.testing.assert_allclose(lower[inner], expected[0][inner], atol=TOLERANCE)
    np.testing.assert_allclose(upper[inner], expected[1][inner], atol=TOLERANCE)


@pytest.mark.parametrize(
    ("package", "family", "name", "ours"),
    [
        (*place, name, ours)
        for place, names in SAME_OF_CASES.items()
        for name, ours in names.items()
    ],
)
def test_the_same_formula_of_a_classifier_gives_the_same_limits(package, family, name, ours):
    lower, upper = limits(package, family, name, 0.05)
    expected = CATALOGUE[family][ours].limits(observed_at(family).columns(), 0.05)
    # Ranks of confidenceinterval have single precision.
    np.testing.assert_allclose([lower, upper], expected, atol=1e-6)


def test_a_binary_f1_is_asked_for_the_class_of_positives():
    # confidenceinterval 1.0.5: f1_score of 8, 2, 3 and 7 cases (tp, fp, fn, tn), average="binary"
    lower, upper = limits("confidenceinterval", "f_score", "f1_score", 0.05)
    assert (lower[0], upper[0]) == (
        pytest.approx(0.537246728, abs=1e-6),
        pytest.approx(0.986562796, abs=1e-6),
    )


def test_limits_of_kappa_at_another_alpha_are_refused():
    with pytest.raises(AssertionError, match=r"at alpha = 0\.05 alone, found 0\.1"):
        limits("statsmodels", "kappa", "cohens_kappa", 0.1)


@pytest.mark.parametrize("name", ONE_SIGMA_ONLY)
def test_what_is_made_for_one_sigma_refuses_any_other_alpha(name):
    with pytest.raises(Exception, match="Only sigma=1 supported"):
        limits("astropy", "rate", name, 0.05)
    for alpha in (0.317, 0.3173, 0.31731):
        assert (
            limits("astropy", "rate", name, alpha)[1][4]
            == limits("astropy", "rate", name, 0.3173)[1][4]
        )


def test_a_peer_answers_from_a_process_of_its_own():
    pytest.importorskip("scipy")
    found = named("scipy:exact")
    function = FunctionInProcess(found.label, found.peer)
    try:
        answers = function.limits(
            Observed(family_of("proportion"), (10,), (np.array([3.0]),)), 0.05, "two-sided"
        )
    finally:
        function.close()
    lower, upper = answers.lower, answers.upper
    # scipy 1.17.1: binomtest(3, 10).proportion_ci(0.95, "exact")
    assert (lower[0], upper[0]) == (
        pytest.approx(0.06673951117773447, abs=1e-12),
        pytest.approx(0.6524528500599971, abs=1e-12),
    )


def test_no_peer_is_loaded_before_it_is_asked_for():
    code = (
        "import sys, harness.callers.naming as naming\n"
        "naming.named('scipy:exact')\n"
        "print(*sys.modules)"
    )
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    assert "harness.callers.peers" in loaded
    assert not (set(PEERS) - {"scipy"} | {"scipy.stats"}) & set(loaded)
