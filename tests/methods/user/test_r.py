"""Functions of R: which arguments they get, where their limits are found, what is refused."""

import functools
import shutil
import subprocess

import numpy as np
import pytest
from scipy.special import betaincinv, gammaincinv, ndtri

from harness.base.errors import InputError
from harness.callers.calls import ON_ARRAYS, ON_NUMBERS, Call
from harness.callers.command import RFunction
from harness.callers.naming import named
from harness.callers.program import Program
from harness.families.catalogue import family_of

ALPHA = 0.05
X = np.array([0, 3, 10])
OF_TWO = {"x1": X, "n1": 10, "x2": np.array([2, 4, 7]), "n2": 12}


@functools.cache
def missing(package):
    """Why a package of R cannot be asked; None where it can."""
    if shutil.which("Rscript") is None:
        return "Rscript is not installed"
    asked = f'quit("no", !requireNamespace("{package}", quietly = TRUE))'
    code = subprocess.run(["Rscript", "-e", asked], capture_output=True, check=False).returncode
    return f"the package {package} of R is not installed" if code else None


def needs(package):
    reason = missing(package)
    if reason:
        pytest.skip(reason)


def limits(function, family, data, arguments=None, expression=""):
    needs(function.partition("::")[0] if ".R::" not in function else "stats")
    caller = Program(
        RFunction(function, arguments or {}, expression).command(family_of(family)), 30.0
    )
    try:
        found = caller.answer(Call(ON_ARRAYS, data, ALPHA, None))
        if found is None:
            first = {name: np.ravel(value)[0] for name, value in data.items()}
            caller.answer(Call(ON_NUMBERS, first, ALPHA, None))
        return np.array(found)
    finally:
        caller.close()


def clopper_pearson(x, n):
    lower = np.where(x == 0, 0.0, betaincinv(np.maximum(x, 1), n - x + 1, ALPHA / 2))
    upper = np.where(x == n, 1.0, betaincinv(x + 1, np.maximum(n - x, 1), 1 - ALPHA / 2))
    return np.array((lower, upper))


@pytest.mark.parametrize("function", ["stats::binom.test", "epitools::binom.exact"])
def test_x_n_and_a_confidence_are_found_by_their_names(function):
    found = limits(function, "proportion", {"x": X, "n": 10})
    np.testing.assert_allclose(found, clopper_pearson(X, 10), rtol=1e-7, atol=1e-12)


@pytest.mark.parametrize("function", ["stats::poisson.test", "epitools::pois.daly"])
def test_an_exposure_is_found_by_its_names(function):
    found = limits(function, "rate", {"x": X[1:], "exposure": 2.0})
    lower, upper = gammaincinv(X[1:], ALPHA / 2), gammaincinv(X[1:] + 1, 1 - ALPHA / 2)
    np.testing.assert_allclose(found, np.array((lower, upper)) / 2, rtol=1e-6)


def test_two_samples_are_vectors_where_a_function_has_x_and_n():
    found = limits("stats::prop.test", "proportion_difference", OF_TWO, {"correct": "FALSE"})
    p1, p2 = X / 10, OF_TWO["x2"] / 12
    width = -ndtri(ALPHA / 2) * np.sqrt(p1 * (1 - p1) / 10 + p2 * (1 - p2) / 12)
    np.testing.assert_allclose(found, (p1 - p2 - width, p1 - p2 + width), rtol=1e-9)


def test_two_samples_are_a_table_whose_ratio_is_the_first_over_the_second():
    found = limits("epitools::riskratio.wald", "risk_ratio", {**OF_TWO, "x1": X[1:], "x2": X[1:]})
    x1, x2 = X[1:], X[1:]
    ratio = (x1 / 10) / (x2 / 12)
    width = -ndtri(ALPHA / 2) * np.sqrt(1 / x1 - 1 / 10 + 1 / x2 - 1 / 12)
    np.testing.assert_allclose(found, (ratio * np.exp(-width), ratio * np.exp(width)), rtol=1e-9)
    odds = limits("stats::fisher.test", "odds_ratio", OF_TWO)
    assert odds[0, 0] == 0
    assert odds[1, 2] == np.inf


def test_arguments_and_limits_are_expressions():
    data = {"x": X, "n": 10}
    given = {"x": "c(x, n - x)", "conf.level": "1 - 2 * alpha", "alternative": '"less"'}
    one = limits("stats::binom.test", "proportion", data, given)
    expected = np.where(X == 10, 1.0, betaincinv(X + 1, np.maximum(10 - X, 1), 1 - 2 * ALPHA))
    np.testing.assert_allclose(one[1], expected, rtol=1e-9)
    swapped = limits("stats::binom.test", "proportion", data, None, "rev(value$conf.int)")
    np.testing.assert_allclose(swapped[::-1], clopper_pearson(X, 10), rtol=1e-9)


def test_a_function_of_a_file_may_call_its_arguments_anything_and_print(tmp_path):
    file = tmp_path / "my.R"
    file.write_text("f <- function(k, m, a) { print(k); c((k - a) / m, (k + a) / m) }\n")
    found = limits(f"{file}::f", "proportion", {"x": X, "n": 10})
    np.testing.assert_allclose(found, ((X - ALPHA) / 10, (X + ALPHA) / 10), rtol=1e-14)


REFUSED = {
    ("stats::binom.tset", ""): "the package stats of R has no function binom.tset",
    ("nosuchpackage::f", ""): "the package nosuchpackage of R is not installed",
    ("stats::median", ""): "the arguments of stats::median for x, n are not known; it has x, na.rm",
    ("stats::binom.test", "foo=1"): "stats::binom.test has no argument foo; it has x, n, p",
    ("stats::binom.test", "x=1+"): r"the argument x should be one expression of R, found 1\+",
}


@pytest.mark.parametrize(("function", "argument"), REFUSED)
def test_what_r_cannot_call_is_refused_in_one_sentence(function, argument):
    needs("stats")
    arguments = dict([argument.split("=", 1)]) if argument else {}
    with pytest.raises(InputError, match=REFUSED[function, argument]) as caught:
        Program(RFunction(function, arguments).command(family_of("proportion")), 30.0)
    assert "\n" not in str(caught.value)


def test_an_outcome_at_which_r_stops_is_a_failure():
    needs("stats")
    caller = Program(RFunction("stats::binom.test").command(family_of("proportion")), 30.0)
    try:
        with pytest.raises(Exception, match=r"failed at x = 3, n = 2, alpha = 0.05: .*'n' must be"):
            caller.answer(Call(ON_NUMBERS, {"x": 3, "n": 2}, ALPHA, None))
    finally:
        caller.close()


def test_the_name_of_a_method_says_its_function_and_arguments():
    assert named("r:stats::binom.test").label == "r:stats::binom.test"
    method = RFunction("binom::binom.confint", {"methods": '"exact"'})
    assert named(method).label == 'r:binom::binom.confint(methods="exact")'


@pytest.mark.parametrize("name", ["r:stats::", "r:::f", "r:a::b c"])
def test_a_function_of_r_has_a_package_or_a_file(name):
    with pytest.raises(InputError, match=r"should be r:package::function or r:file\.R::function"):
        named(name)
