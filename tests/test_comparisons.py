"""The configs that compare many intervals have the methods, and give the results, of the commit.

Results of the exact engines are computed again and agree to a relative 1e-9. Alpha errors, which
are differences of nearly equal numbers, agree to 1e-12 absolutely.
"""

import csv
import math
from functools import cache
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal
from scipy.special import ndtr

import harness
from harness.base.errors import HarnessError
from harness.families.catalogue import family_of
from harness.kinds.load import load_experiment
from harness.methods import significance as significances
from harness.methods.catalogue import PROPORTION
from harness.methods.method import TWO_SIDED
from harness.methods.significance import significance
from harness.tables.answers import ranking, recommendation

ROOT = Path(__file__).parent.parent
CONFIGS, REFERENCE = ROOT / "configs", ROOT / "results"
BROWN = ["brown2001/others", "brown2001/recommended"]
WHOLE = ["catalogue", "sixty_images"]

RELATIVE, ABSOLUTE_ERROR = 1e-9, 1e-12
ERRORS = {"alpha_error", "alpha_error_min", "alpha_error_max"}
# Lengths are sums of some fifty terms.
SUMMED = 1e-12
SMALL = [5, 50]


@cache
def exact(name: str) -> harness.Results:
    """The results of enumeration alone; of the catalogue at two sizes only."""
    document = yaml.safe_load((CONFIGS / f"{name}.yaml").read_text(encoding="utf-8"))
    for drawn in ("trials", "seed", "figures", "reference"):
        document.pop(drawn, None)
    document["engines"] = ["enumeration"]
    if name == "catalogue":
        document["n"] = SMALL
    return harness.run(document, out=None)


def committed(name: str) -> pl.DataFrame:
    """The committed rows that are computed again."""
    schema = exact(name).summary.schema
    stored = pl.read_csv(REFERENCE / name / "summary.csv", schema=schema)
    sizes = exact(name).summary["n"].unique().to_list()
    return stored.filter(pl.col("engine") == "enumeration", pl.col("n").is_in(sizes))


@pytest.mark.parametrize("name", WHOLE)
def test_the_catalogue_is_compared_as_a_whole(name: str) -> None:
    """Every deterministic two-sided interval, in the order of the catalogue."""
    methods = load_experiment(CONFIGS / f"{name}.yaml").methods
    expected = [
        label
        for label, method in PROPORTION.items()
        if method.deterministic and TWO_SIDED in method.sides
    ]
    assert [method.name for method in methods] == expected
    assert all(method.side == TWO_SIDED for method in methods)


@pytest.mark.parametrize("name", [*BROWN, *WHOLE])
def test_exact_results_are_as_committed(name: str) -> None:
    found, expected = exact(name).summary, committed(name)
    assert found.height == expected.height
    for column, kind in expected.schema.items():
        if kind != pl.Float64:
            assert found[column].equals(expected[column]), column
            continue
        a, b = (table[column].cast(pl.Float64).to_numpy() for table in (found, expected))
        absolute = ABSOLUTE_ERROR if column in ERRORS else 0.0
        np.testing.assert_allclose(a, b, rtol=RELATIVE, atol=absolute, err_msg=column)


@pytest.mark.parametrize("name", [*BROWN, *WHOLE])
@pytest.mark.parametrize("answers", [ranking, recommendation])
def test_committed_answers_are_those_of_the_committed_summary(name, answers) -> None:
    folder = REFERENCE / name
    summary = pl.read_csv(folder / "summary.csv", schema=exact(name).summary.schema)
    expected = answers(summary)
    assert expected is not None
    stored = pl.read_csv(folder / f"{answers.__name__}.csv", schema=expected.schema)
    assert_frame_equal(stored, expected, rel_tol=RELATIVE, abs_tol=ABSOLUTE_ERROR)


def over_truths(method: str, n: int, column: str) -> np.ndarray:
    name = BROWN[0] if "modified" in method else BROWN[1]
    cells = exact(name).cells.filter(
        pl.col("method") == method, pl.col("n") == n, pl.col("given") == "truth"
    )
    assert cells.height == 1999
    return cells[column].to_numpy()


@pytest.mark.parametrize("n", [10, 50])
def test_clopper_pearson_holds_its_alpha_at_every_truth(n: int) -> None:
    assert over_truths("clopper_pearson", n, "actual_alpha").max() <= 0.05


@pytest.mark.parametrize("n", [10, 50])
def test_agresti_coull_is_nowhere_shorter_than_wilson(n: int) -> None:
    """It has the same centre and is longer at every outcome at which it is not clipped."""
    longer, shorter = (over_truths(name, n, "length") for name in ("agresti_coull", "wilson"))
    assert (longer >= shorter * (1 - SUMMED)).all()


@pytest.mark.parametrize("n", [10, 50])
def test_the_modified_forms_raise_coverage_next_to_the_boundary(n: int) -> None:
    """There half a success is expected, or half a failure."""
    for name in ("wilson", "jeffreys"):
        plain, modified = (
            over_truths(method, n, "actual_alpha") for method in (name, f"{name}_modified")
        )
        near = 1000 // n
        for end in (slice(None, near), slice(-near, None)):
            assert plain[end].max() > 0.09
            assert modified[end].max() < 0.07


# ``significance``: the probability of a difference, for numbers and for arrays.


DATA = Path(__file__).parent / "data"

PROPORTIONS = {"x1": 5, "n1": 12, "x2": 36, "n2": 112}
RATES = {"x1": 3, "exposure1": 2.5, "x2": 7, "exposure2": 10.0}

CLOSED_FORM = 1e-12
"""What a quadrature may be off a closed form, relatively."""


def published(name: str, every: int) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Data and answers of every so many rows of a table that Ross's program made."""
    with (DATA / name).open(newline="") as file:
        rows = list(csv.DictReader(file))[::every]
    answer = next(key for key in rows[0] if key.startswith("Pr("))
    sizes = {"A1": "exposure1", "A2": "exposure2"}
    wanted = ("delta", "x1", "x2", "n1", "n2", "A1", "A2")
    data = {sizes.get(k, k): np.array([float(r[k]) for r in rows]) for k in rows[0] if k in wanted}
    return data, np.array([float(row[answer]) for row in rows])


@pytest.mark.parametrize(
    ("family", "name", "tolerance"),
    [
        # Six decimals are printed, of an adaptive quadrature asked for 1e-6.
        ("proportion_difference", "ross_prop_diff.csv", 2e-6),
        # Integration stops several standard deviations out and is cruder here: 1.7e-5 off e^-2.
        ("rate_difference", "ross_rate_diff.csv", 2e-5),
    ],
)
def test_rosss_program_gives_the_same(family, name, tolerance):
    data, expected = published(name, every=13)
    # At 10^6 events the program is up to 3.4e-4 off the normal limit.
    held = (data["x1"] < 1e6) & (data["x2"] < 1e6)
    assert held.sum() > 20
    found = significance(family, **data)
    np.testing.assert_allclose(found[held], expected[held], rtol=0, atol=tolerance)
    np.testing.assert_allclose(found, expected, rtol=0, atol=4e-4)


def test_a_million_events_each_are_all_but_normal():
    """r1 − r2 has mean 0, standard deviation √(2(10^6 + 1)) and no skewness."""
    found = significance("rate_difference", delta=-5, x1=1e6, exposure1=1, x2=1e6, exposure2=1)
    assert found == pytest.approx(ndtr(5 / math.sqrt(2 * (1e6 + 1))), abs=1e-8)


def test_nothing_seen_in_a_large_area_makes_its_rate_the_smaller_one():
    """Ross (2003), section 6.1.2: Pr(r1 > r2) = 0.99 though both estimates are 0."""
    found = significance("rate_difference", x1=0, exposure1=1, x2=0, exposure2=100)
    assert f"{found:.2f}" == "0.99"
    assert found == pytest.approx(100 / 101, rel=CLOSED_FORM)


@given(st.floats(0.01, 50), st.floats(0.01, 50), st.floats(0, 3))
def test_of_two_exponentials_the_answer_is_known(first, second, delta):
    """Zero events under the flat prior: e^(−E1·delta) E2/(E1 + E2) for delta ≥ 0."""
    found = significance(
        "rate_difference", delta=delta, x1=0, exposure1=first, x2=0, exposure2=second
    )
    expected = math.exp(-first * delta) * second / (first + second)
    assert found == pytest.approx(expected, rel=1e-8, abs=1e-11)


def test_of_small_counts_the_answer_is_a_fraction():
    """One failure each: ∫ 2(1 − p)(1 − (½ − p)²) dp from 0 to ½ is 7/96 short of 1, and so on."""
    data = {"x1": 0, "n1": 1, "x2": 0, "n2": 1}
    found = significance("proportion_difference", delta=[-0.5, 0, 0.5], **data)
    np.testing.assert_allclose(found, [89 / 96, 1 / 2, 7 / 96], rtol=CLOSED_FORM)


def test_of_a_balanced_accuracy_it_is_the_probability_of_the_mean():
    """(p1 + p2)/2 ≥ delta where p1 − (1 − p2) ≥ 2 delta − 1, and 1 − p2 has seen failures."""
    data = {"x1": 1, "n1": 1, "x2": 0, "n2": 1}
    found = significance("balanced_accuracy", delta=[0.25, 0.5, 0.75], **data)
    as_difference = significance(
        "proportion_difference", delta=[-0.5, 0, 0.5], x1=1, n1=1, x2=1, n2=1
    )
    np.testing.assert_allclose(found, as_difference, rtol=CLOSED_FORM)


@given(
    st.integers(1, 40).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))),
    st.integers(1, 40).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))),
    st.floats(-1, 1),
)
def test_one_order_or_the_other_is_certain(first, second, delta):
    (x1, n1), (x2, n2) = first, second
    one = significance("proportion_difference", delta=delta, x1=x1, n1=n1, x2=x2, n2=n2)
    other = significance("proportion_difference", delta=-delta, x1=x2, n1=n2, x2=x1, n2=n1)
    assert one + other == pytest.approx(1, abs=1e-11)


def test_the_unit_of_exposure_does_not_matter():
    metres = significance("rate_difference", delta=0.2, **RATES)
    scaled = {"x1": 3, "exposure1": 2.5e6, "x2": 7, "exposure2": 10.0e6}
    assert significance("rate_difference", delta=0.2e-6, **scaled) == pytest.approx(
        metres, rel=CLOSED_FORM
    )


@pytest.mark.parametrize(
    ("family", "low", "high"), [("proportion_difference", -1, 1), ("balanced_accuracy", 0, 1)]
)
def test_at_the_ends_of_the_range_and_beyond_nothing_is_left_to_chance(family, low, high):
    delta = [low - 7.5, low, low + 1e-15, high - 1e-15, high, high + 1e300]
    found = significance(family, delta=delta, **PROPORTIONS)
    assert (found[:2] == 1.0).all()
    assert (found[4:] == 0.0).all()
    assert 0 <= found[3] < 1e-10 < 1 - 1e-10 < found[2] <= 1


def test_a_rate_has_no_end_to_be_certain_at():
    found = significance("rate_difference", delta=[-1e300, -1e6, 1e6, 1e300], **RATES)
    np.testing.assert_array_equal(found, [1.0, 1.0, 0.0, 0.0])


def test_the_package_offers_the_function_whatever_is_loaded():
    assert harness.significance is significance
    assert harness.significance is significance


def test_numbers_give_a_float_and_arrays_an_array_of_their_shape():
    assert type(significance("rate_difference", **RATES)) is float
    data = {**PROPORTIONS, "x1": np.array([[3], [4]])}
    many = significance("proportion_difference", delta=[-0.1, 0, 0.1], **data)
    assert many.shape == (2, 3)
    one = significance("proportion_difference", delta=0.1, **{**PROPORTIONS, "x1": 4})
    assert many[1, 2] == pytest.approx(one, rel=CLOSED_FORM)
    assert significance("proportion_difference", delta=[], **PROPORTIONS).shape == (0,)


def test_rows_taken_in_blocks_are_the_same_rows(monkeypatch):
    data = {**PROPORTIONS, "x1": np.arange(13)}
    whole = significance("proportion_difference", delta=0.05, **data)
    monkeypatch.setattr(significances, "_ROWS_AT_ONCE", 4)
    in_blocks = significance("proportion_difference", delta=0.05, **data)
    np.testing.assert_allclose(in_blocks, whole, rtol=CLOSED_FORM)
    assert (np.diff(whole) > 0).all()


def test_a_prior_left_out_is_flat_and_another_one_counts_for_both_samples():
    flat = significance("rate_difference", **RATES)
    assert flat == significance("rate_difference", prior=(1, 0), **RATES)
    # A Gamma(2, 1.5) prior is one event more in 1.5 of exposure, beside the flat one.
    more = {"x1": 4, "exposure1": 4.0, "x2": 8, "exposure2": 11.5}
    assert significance("rate_difference", prior=[2, 1.5], **RATES) == pytest.approx(
        significance("rate_difference", **more), rel=CLOSED_FORM
    )


def test_of_pairs_it_is_the_fraction_of_tables_drawn_from_the_posterior():
    # 400,000 draws: five standard errors, which one test in 1.7 million exceeds.
    data = {"both": 80, "first_only": 8, "second_only": 3, "neither": 9}
    draws = np.random.default_rng(7).dirichlet([81, 9, 4, 10], 400_000)
    drawn = np.mean(draws[:, 1] - draws[:, 2] >= 0.01)
    found = significance("paired_difference", delta=0.01, **data)
    assert abs(found - drawn) < 5 * np.sqrt(drawn * (1 - drawn) / 400_000)


def test_a_probability_that_is_not_found_is_never_passed_on():
    class Lost:
        def sf(self, points):
            return np.where(points > 0.2, np.nan, 0.5)

    family = family_of("proportion_difference")
    ends = significances.at_least(family, Lost(), np.array([-1.0, 0.1, 1.0]))
    assert ends.tolist() == [1.0, 0.5, 0.0]
    with pytest.raises(HarnessError, match=r"no probability that p1 − p2 is at least 0\.25"):
        significances.at_least(family, Lost(), np.array([0.1, 0.25]))
