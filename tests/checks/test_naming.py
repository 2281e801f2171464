"""What a method may be called by, and what is answered to a name that is none."""

import pickle
from importlib.metadata import EntryPoint

import numpy as np
import pytest
from scipy.special import ndtri

from harness.base.errors import InputError
from harness.callers import naming
from harness.callers.function import FunctionHere
from harness.callers.location import FunctionLocation
from harness.callers.naming import named
from harness.callers.peers import Peer
from harness.callers.source import CatalogueSource
from harness.checks.check import check
from harness.checks.compare import check_same
from harness.checks.sizes import Restriction
from harness.checks.subject import Subject
from harness.cli import main
from harness.families.catalogue import family_of
from harness.methods.catalogue import CATALOGUE, methods_for


@pytest.fixture
def ships(monkeypatch):
    """Installs entry points of the group, as another package's metadata would."""

    def ships(**points):
        made = [EntryPoint(name, value, naming.GROUP) for name, value in points.items()]
        monkeypatch.setattr(
            naming, "entry_points", lambda group: made if group == naming.GROUP else []
        )

    return ships


def interval(x, n, alpha):
    return 0 * x, 0 * x + 1


def test_a_name_of_the_catalogue_is_its_method():
    for family in CATALOGUE:
        for name, method in methods_for(family_of(family)).items():
            found = named(name, family)
            assert (found.label, found.family.name) == (name, family)
            assert found.method is method


@pytest.mark.parametrize("name", ["hypergeometric_exact", "hypergeometric_wang"])
def test_a_method_for_a_finite_population_is_not_checked(name):
    message = f"^{name} needs a population, which check does not take; a run "
    for method in (name, CATALOGUE["proportion"][name]):
        with pytest.raises(InputError, match=message):
            named(method)


def test_an_alias_is_the_method_it_stands_for():
    found = named("exact_tail")
    assert found.method is CATALOGUE["proportion"]["clopper_pearson"]
    assert found.label == "clopper_pearson"


def test_a_method_and_a_callable_name_themselves():
    method = CATALOGUE["proportion"]["wilson"]
    assert named(method).label == "wilson"
    assert named(method).method is method
    assert named(interval).label == "interval"
    assert named(interval).function is interval


def test_a_callable_object_goes_by_its_class():
    class Interval:
        def __call__(self, x, n, alpha):
            return interval(x, n, alpha)

    assert named(Interval()).label == "Interval"


def test_a_function_of_a_file_is_found_by_its_path(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text("")
    assert named(f"{file}:f").location == FunctionLocation("f", path=str(file))
    assert named(f"{file}:f").label == f"{file}:f"


def test_a_function_of_a_module_is_found_by_its_name():
    assert named("pack.part:f", "rate").location == FunctionLocation("f", module="pack.part")


def test_an_entry_point_is_a_function_of_the_package_that_ships_it(ships):
    ships(theirs="pack.part:f")
    found = named("theirs")
    assert found.label == "theirs"
    assert found.location == FunctionLocation("f", module="pack.part")


def test_no_entry_point_stands_in_the_place_of_the_catalogue(ships):
    ships(wilson="pack.part:f")
    assert named("wilson").method is CATALOGUE["proportion"]["wilson"]


@pytest.mark.parametrize("value", ["pack.part", "pack.part:Class.f"])
def test_an_entry_point_that_is_no_function_is_refused(ships, value):
    ships(theirs=value)
    with pytest.raises(InputError, match=r"entry point theirs should be package\.module:function"):
        named("theirs")


def test_a_peer_takes_its_package_s_own_names(monkeypatch):
    monkeypatch.setattr(naming, "find_spec", lambda package: package)
    assert named("statsmodels:exact-c", "rate").peer == Peer("statsmodels", "rate", "exact_c")
    assert named("statsmodels:exact_c", "rate").peer == Peer("statsmodels", "rate", "exact_c")
    assert named("statsmodels:jeffreys").peer == Peer("statsmodels", "proportion", "jeffreys")


def test_a_peer_is_the_same_in_another_process():
    peer = named("scipy:exact").peer
    assert pickle.loads(pickle.dumps(peer)) == peer


def test_a_peer_that_is_not_there_says_how_to_get_it(monkeypatch):
    monkeypatch.setattr(naming, "find_spec", lambda package: None)
    with pytest.raises(InputError) as caught:
        named("astropy:flat")
    assert str(caught.value) == (
        'astropy is not installed: pip install "coverage-harness[peers]" brings it'
    )


# A method that is held to the very limits of another one.


FEW = Restriction((5, 37, 51), (0.05, 0.3))


def wilson(x, n, alpha):
    """In another form than the catalogue's."""
    z = -ndtri(alpha / 2)
    p, shrink = x / n, 1 / (1 + z**2 / n)
    middle = shrink * (p + z**2 / (2 * n))
    half = shrink * z * np.sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
    return np.where(x == 0, 0.0, middle - half), np.where(x == n, 1.0, middle + half)


def of_catalogue(name, family="proportion"):
    return Subject(CatalogueSource(name, CATALOGUE[family][name], seed=0), family_of(family))


def of(function, family="proportion"):
    return Subject(FunctionHere("mine", function), family_of(family))


def moved(x, n, alpha):
    lower, upper = wilson(x, n, alpha)
    return lower, np.where((x == 20) & (n == 37) & (alpha == 0.05), upper - 1e-8, upper)


def test_two_forms_of_one_method_are_the_same_over_the_whole_grid():
    found = check_same(of(wilson), of_catalogue("wilson"), 1e-9)
    assert (found.check, found.verdict) == ("against wilson: same limits", "pass")
    assert int(found.message.split()[2]) > 30_000


def test_one_moved_limit_is_found_between_the_sizes_of_the_conformance_grid():
    found = check_same(of(moved), of_catalogue("wilson"), 1e-9, Restriction(alphas=(0.05,)))
    assert found.verdict == "fail"
    assert found.message.startswith(
        "the upper limit is 0.689614292 at x = 20, n = 37, alpha = 0.05, where wilson has "
        "0.689614302 (1 of "
    )
    assert found.cell["expected"] - found.cell["found"] == pytest.approx(1e-8, rel=1e-6)
    assert check_same(of(moved), of_catalogue("wilson"), 1e-7, FEW).verdict == "pass"


def test_the_first_difference_is_that_of_the_smallest_size_and_the_usual_alpha():
    found = check_same(of_catalogue("wald"), of_catalogue("wilson"), 1e-9, FEW)
    assert {name: found.cell[name] for name in ("n", "alpha", "x", "limit")} == {
        "n": 5,
        "alpha": 0.05,
        "x": 0,
        "limit": "upper",
    }


def test_an_outcome_without_limits_differs_from_one_with_them_and_not_from_its_like():
    def fails(x, n, alpha):
        if np.any((np.asarray(x) == 3) & (n == 5)):
            raise ValueError("no 3 of 5")
        return wilson(x, n, alpha)

    found = check_same(of(fails), of(wilson), 1e-9, FEW)
    assert found.message.startswith("the lower limit is missing at x = 3, n = 5, alpha = 0.05")
    assert check_same(of(fails), of(fails), 0.0, FEW).verdict == "pass"


def test_methods_of_lists_are_held_to_the_same_limits_too():
    same = check_same(of_catalogue("student_t", "mean"), of_catalogue("student_t", "mean"), 0.0)
    other = check_same(of_catalogue("student_t", "mean"), of_catalogue("z_sample", "mean"), 1e-9)
    assert (same.verdict, other.verdict) == ("pass", "fail")
    assert "values = " in other.message


def test_check_takes_another_method_and_a_tolerance():
    quick = {"contract": "none", "grid": "n=5,37;alpha=0.05"}
    for tolerance, verdict in (({"limits": 1e-9}, "fail"), ("limits=1e-7", "pass")):
        report = check(moved, same="wilson", tolerance=tolerance, **quick)
        verdicts = {each.check: each.verdict for each in report.findings}
        assert verdicts["against wilson: same limits"] == verdict


@pytest.mark.parametrize(
    ("method", "same", "message"),
    [
        ("wilson", "bootstrap_percentile", "bootstrap_percentile draws its limits"),
        ("wilson", "wilsom", "did you mean wilson"),
        ("minimal_length", "one_sided", "have no side in common"),
    ],
)
def test_what_cannot_be_the_same_is_refused(method, same, message, capsys):
    code = main(["check", method, "--same", same, "--grid", "n=5;alpha=0.05"])
    assert code == 2
    assert message in capsys.readouterr().err


def test_a_baseline_is_no_method_to_be_the_same_as(tmp_path):
    (tmp_path / "baseline.json").write_text('{"methods": {}}')
    with pytest.raises(InputError, match="is a baseline, and no method to be the same as"):
        check("wilson", same=str(tmp_path), grid="n=5;alpha=0.05")
