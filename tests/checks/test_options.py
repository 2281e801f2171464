"""What a check is asked: each wrong option is told, and none is a fault of the harness."""

from __future__ import annotations

import json

import numpy as np
import pytest

from harness.checks.baseline import HEADER, read_baseline, write_baseline
from harness.checks.check import check
from harness.checks.contract.exact import AT_LEAST
from harness.checks.contract.simulated import WORST, check_contract_by_trials
from harness.checks.subjects.naming import named
from harness.checks.subjects.subject import CallableSubject
from harness.errors import InputError

ONE = {"sizes": (10,), "alphas": (0.05,)}


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("margin", -1.0),
        ("margin", float("nan")),
        ("trials", 0),
        ("seed", -1),
        ("timeout", 0.0),
        ("timeout", float("nan")),
        ("timeout", float("inf")),
        ("sizes", []),
        ("sizes", 5),
        ("sizes", [0]),
        ("sizes", [2.5]),
        ("sizes", ["a"]),
        ("sizes", [float("nan")]),
        ("alphas", []),
        ("alphas", [1.0]),
        ("alphas", ["0.05"]),
    ],
)
def test_an_option_out_of_its_range_is_told(option, value):
    with pytest.raises(InputError, match=option):
        check("wilson", **{**ONE, option: value})


def test_sizes_and_alphas_may_be_arrays():
    given = {"sizes": np.array([10, 20]), "alphas": np.array([0.05])}
    assert check("wilson", **given).behaviour.height == 2


def unit(x, n, alpha, rng):
    """Misses with a probability of alpha, whatever the truth."""
    missed = rng.random(np.shape(x)) < alpha
    return np.where(missed, 2.0, 0.0), np.where(missed, 2.0, 1.0)


def test_a_margin_of_zero_is_never_kept():
    found = check_contract_by_trials(
        "nominal",
        CallableSubject("f", "proportion", unit),
        (10.0,),
        (0.05,),
        trials=500,
        margin=0.0,
    )
    assert found[0].verdict == "inconclusive"
    assert check("wilson", contract="nominal", margin=0.0, **ONE).verdict == "fail"


# 40 seeds of 27 intervals; of a family-wise 2.5 % more than 4 occur once in 400 times.
def test_a_method_that_misses_with_probability_alpha_is_seldom_refuted():
    refuted = 0
    for seed in range(40):
        subject = CallableSubject("f", "proportion", unit, seed=seed)
        found = check_contract_by_trials(
            AT_LEAST, subject, (10.0, 30.0, 100.0), (0.05,), trials=20_000, seed=seed
        )
        assert {each.check for each in found} == {WORST}
        refuted += any(each.verdict == "fail" for each in found)
    assert refuted <= 4


def kept(tmp_path):
    write_baseline(tmp_path, named("wilson"), check("wilson", sizes=(5, 10)).behaviour)
    return tmp_path / "proportion" / "wilson.csv"


@pytest.mark.parametrize(
    "spoil",
    [
        lambda lines: lines[:1],
        lambda lines: [*lines[:2], "5,0.05,,,,", *lines[3:]],
        lambda lines: [*lines, lines[-1]],
        lambda lines: [*lines, "2.5,0.05,0.1,0.1,0.1,0.1"],
        lambda lines: [*lines, "7,5,0.1,0.1,0.1,0.1"],
        lambda lines: [*lines, "7,0.05,nan,0.1,0.1,0.1"],
    ],
)
def test_a_spoilt_baseline_is_told(tmp_path, spoil):
    file = kept(tmp_path)
    file.write_text("\n".join(spoil(file.read_text().splitlines())) + "\n")
    with pytest.raises(InputError, match=r"wilson\.csv"):
        read_baseline(tmp_path, "proportion", "wilson")


def test_a_header_that_is_none_is_told(tmp_path):
    kept(tmp_path)
    (tmp_path / HEADER).write_text('{"methods": {"proportion": []}}')
    with pytest.raises(InputError, match=HEADER):
        kept(tmp_path)


def test_a_function_in_a_module_is_known_by_its_files_content(tmp_path, monkeypatch):
    package = tmp_path / "shipped"
    package.mkdir()
    (package / "__init__.py").write_text("raise RuntimeError('not to be loaded')\n")
    (package / "intervals.py").write_text("def f(x, n, alpha):\n    return 0.0, 1.0\n")
    monkeypatch.syspath_prepend(tmp_path)
    measured = check("wilson", **ONE).behaviour
    write_baseline(tmp_path / "kept", named("shipped.intervals:f"), measured)
    header = json.loads((tmp_path / "kept" / HEADER).read_text())
    assert len(header["methods"]["proportion"]["f"]["source"]) == 64
