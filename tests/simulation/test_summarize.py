"""``summarize``: the measures of estimates that another program made."""

import csv
import io
import json
import math
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy.stats import t

import harness
from harness.base.errors import InputError
from harness.kinds.simulation.measures import JOINT_COVERAGE, MEASURES
from tests.cli.conftest import is_one_sentence

METHODS = ("CC", "MI_T", "MI_LOGT")
OF_OTHERS = (JOINT_COVERAGE, "mean_set_size", "rank_bias", "rank_spread", "rank_uniformity")

# R, package rsimsum, whose data set MIsim is tests/data/misim.csv (the numbers are of 32 bits):
# > s <- simsum(MIsim, estvarname = "b", true = 0.5, se = "se", methodvar = "method", ref = "CC")
# > tidy(summary(s))
# Estimates with their Monte Carlo standard errors; relprec and relerror are in per cent.
RSIMSUM = {
    "CC": {
        "bias": (0.01676616084948182, 0.0047786757011381185),
        "rbias": (0.03353232169896364, 0.009557351402276237),
        "empse": (0.15111499414898538, 0.0033807247785574467),
        "mse": (0.02309400986482194, 0.0011338388721797103),
        "relprec": (0.0, 0.0),
        "modelse": (0.14709626587611077, 0.0005274099305877809),
        "relerror": (-2.6593841964567155, 2.205481732988098),
        "cover": (0.9430000000000001, 0.0073315073484243294),
        "becover": (0.9400000000000001, 0.007509993342207431),
        "power": (0.9460000000000001, 0.007147307185227171),
    },
    "MI_T": {
        "bias": (-0.0011908350884914398, 0.004250976709486096),
        "rbias": (-0.0023816701769828795, 0.008501953418972193),
        "empse": (0.1344276868230397, 0.0030073985333232537),
        "mse": (0.018054150269816632, 0.0009112248762380152),
        "relprec": (26.3681612605545, 3.842379113456),
        "modelse": (0.13383456059951526, 0.0005856362290396372),
        "relerror": (-0.4412232610275013, 2.2695215740387797),
        "cover": (0.9430000000000001, 0.0073315073484243294),
        "becover": (0.9430000000000001, 0.0073315073484243294),
        "power": (0.963, 0.005969170796685251),
    },
    "MI_LOGT": {
        "bias": (0.000923098661005497, 0.004174410065837769),
        "rbias": (0.001846197322010994, 0.008348820131675538),
        "empse": (0.1320064369558079, 0.002953230649670628),
        "mse": (0.017409125809507875, 0.0008812805133725014),
        "relprec": (31.04634101270709, 3.93747264480404),
        "modelse": (0.13494128239622089, 0.0006046040953502704),
        "relerror": (2.2232593410543178, 2.332338213784493),
        "cover": (0.9490000000000001, 0.006956938982052375),
        "becover": (0.9490000000000001, 0.006956938982052375),
        "power": (0.969, 0.005480784615363026),
    },
}
NAMES = {
    "bias": "bias",
    "rbias": "relative_bias",
    "empse": "empirical_se",
    "mse": "mse",
    "relprec": "relative_precision",
    "modelse": "model_se",
    "relerror": "relative_error_model_se",
    "cover": "coverage",
    "becover": "bias_eliminated_coverage",
    "power": "rejection_rate",
}
PER_CENT = {"relprec", "relerror"}
SPREADS = ("empse", "relerror", "relprec")
"""Measures whose error rsimsum has for normal estimates, and harness for any."""

# R 4.2.2, of the same numbers; x and y are the estimates of the method and of CC, e the standard
# errors of the method:
# > u <- (x - mean(x))^2; v <- (y - mean(y))^2; s <- sd(x); r <- sqrt(mean(e^2)) / s; n <- 1000
# > c(sqrt((mean(u^2) - (n - 3) / (n - 1) * s^4) / n) / (2 * s),
# +   r * sqrt((var(e^2 / mean(e^2) - u / s^2) + 2 / (n - 1)) / (4 * n)),
# +   (var(y) / s^2) * sqrt(sum((v / var(y) - u / s^2)^2)) / n)
FOURTH_MOMENT = {
    "CC": (3.639800542105498e-03, 2.289104723308789e-02, 0.0),
    "MI_T": (0.003388957949919574, 0.024839184175670357, 0.041919277975874511),
    "MI_LOGT": (0.003335391679277992, 0.025806765299693113, 0.041275753371581965),
}
COLUMNS = ["measure", "estimate", "mcse", "trials", "ci_lower", "ci_upper"]


@pytest.fixture(scope="module")
def misim():
    """The study with a row for each data set and method."""
    file = Path(__file__).parents[1] / "data/misim.csv"
    wide = np.loadtxt(file, np.float32, delimiter=",", skiprows=1).astype(np.float64)
    return pl.DataFrame(
        {
            "dataset": np.repeat(np.arange(1, 1001), 3),
            "method": METHODS * 1000,
            "b": wide[:, ::2].ravel(),
            "se": wide[:, 1::2].ravel(),
        }
    )


@pytest.fixture
def study(here, misim):
    """The study as a file of the working folder."""
    misim.write_csv(here / "misim.csv")
    return "misim.csv"


OPTIONS = {"estimate": "b", "se": "se", "true": 0.5, "by": "method"}
ARGV = ["--estimate", "b", "--se", "se", "--true", "0.5", "--by", "method"]
PAIRED = ["--reference", "CC", "--pair", "dataset"]


def test_a_true_value_with_a_decimal_comma_is_that_with_a_point(here, run_command):
    (here / "a.csv").write_text("b;se\n0,4;0,1\n0,7;0,1\n")
    argv = ["summarize", "a.csv", "--estimate", "b", "--se", "se", "--decimal", ","]
    with_comma = run_command(*argv, "--true", "0,5")
    assert with_comma.code == 0
    assert with_comma.out == run_command(*argv, "--true", "0.5").out


def row(frame, measure, **group):
    (found,) = frame.filter(measure=measure, **group).rows(named=True)
    return found


@pytest.mark.parametrize("method", METHODS)
def test_measures_and_errors_agree_with_those_of_rsimsum(run_command, study, method):
    """1e-12 is some hundred roundings of sums over 1000 trials."""
    result = run_command("summarize", study, *ARGV, *PAIRED, "--format", "json")
    assert (result.code, result.err) == (0, "")
    known = {each["measure"]: each for each in json.loads(result.out) if each["method"] == method}
    for name, (estimate, error) in RSIMSUM[method].items():
        ours = known[NAMES[name]]
        scale = 100 if name in PER_CENT else 1
        assert scale * ours["estimate"] == pytest.approx(estimate, rel=1e-12, abs=1e-15)
        if name not in SPREADS:
            assert ours["mcse"] == pytest.approx(error, rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("method", METHODS)
def test_rsimsum_has_the_errors_of_spreads_for_normal_estimates_and_we_those_for_any(misim, method):
    of_rsimsum = RSIMSUM[method]
    of_normal = of_rsimsum["empse"][0] / math.sqrt(2 * 999)
    assert of_rsimsum["empse"][1] == pytest.approx(of_normal, rel=1e-12)
    frame = harness.summarize(misim, **OPTIONS, reference="CC", pair="dataset")
    for name, expected in zip(SPREADS, FOURTH_MOMENT[method], strict=True):
        ours = row(frame, NAMES[name], method=method)["mcse"]
        assert ours == pytest.approx(expected, rel=1e-12, abs=1e-15)
        scale = 100 if name in PER_CENT else 1
        if of_rsimsum[name][1]:
            assert scale * ours == pytest.approx(of_rsimsum[name][1], rel=0.15)
            assert scale * ours != pytest.approx(of_rsimsum[name][1], rel=0.01)


SMALL = {
    "method": ["t"] * 7,
    "b": [0.61, 0.42, None, 0.55, 0.18, 0.93, 0.47],
    "se": [0.10, 0.12, 0.11, None, 0.13, 0.15, 0.09],
    "df": [5, 8, 6, 7, 12, 4, 9],
}


def test_missing_numbers_t_limits_another_alpha_and_another_null():
    """Rows 3 and 4 lack a number, and no measure but coverage counts them."""
    frame = harness.summarize(SMALL, **OPTIONS, df="df", alpha=0.1, null=0.4)
    kept = [0, 1, 4, 5, 6]
    b, se, df = (np.array([SMALL[name][row] for row in kept], float) for name in ("b", "se", "df"))
    half = t.ppf(0.95, df) * se
    lower, upper = b - half, b + half
    covers = (lower <= 0.5) & (upper >= 0.5)
    score = upper - lower + 20 * np.maximum(lower - 0.5, 0) + 20 * np.maximum(0.5 - upper, 0)
    expected = {
        "bias": b.mean() - 0.5,
        "empirical_se": b.std(ddof=1),
        "mse": ((b - 0.5) ** 2).mean(),
        "coverage_answered": covers.mean(),
        "mean_length": (upper - lower).mean(),
        "interval_score": score.mean(),
        "rejection_rate": ((lower > 0.4) | (upper < 0.4)).mean(),
        "model_se": np.sqrt((se**2).mean()),
    }
    for name, value in expected.items():
        assert row(frame, name)["estimate"] == pytest.approx(value, rel=1e-12)
    errors = {"interval_score": score.std(ddof=1), "bias": b.std(ddof=1)}
    for name, deviation in errors.items():
        assert row(frame, name)["mcse"] == pytest.approx(deviation / np.sqrt(5), rel=1e-12)
    trials = {name: row(frame, name)["trials"] for name in ("bias", "mean_length", "coverage")}
    assert trials == {"bias": 5, "mean_length": 5, "coverage": 7}
    assert row(frame, "coverage")["estimate"] == pytest.approx(3 / 7, rel=1e-15)
    assert row(frame, "failures")["estimate"] == pytest.approx(2 / 7, rel=1e-15)


def test_there_is_a_row_for_each_group_and_measure_in_the_order_of_the_file(run_command, study):
    result = run_command("summarize", study, *ARGV, *PAIRED, "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(result.out)))
    assert list(rows[0]) == ["method", *COLUMNS]
    assert [(each["method"], each["measure"]) for each in rows] == [
        (method, measure) for method in METHODS for measure in MEASURES if measure not in OF_OTHERS
    ]
    assert all((each["ci_lower"] == "") == (each["ci_upper"] == "") for each in rows)


def test_the_table_leaves_what_is_not_known_empty(run_command, study):
    result = run_command("summarize", study, *ARGV)
    lines = [line.split() for line in result.out.splitlines()]
    assert ["method", *COLUMNS] in lines
    assert ["CC", "bias", "0.0168", "0.0048", "1000"] in lines
    assert ["CC", "coverage", "0.9430", "0.0073", "1000", "0.9275", "0.9563"] in lines


def test_files_frames_and_mappings_have_one_summary(misim, study):
    options = {**OPTIONS, "reference": "CC", "pair": "dataset"}
    expected = harness.summarize(misim, **options)
    for data in (study, Path(study), misim.to_dict(as_series=False), misim.to_pandas()):
        assert harness.summarize(data, **options).equals(expected)


def test_json_lines_and_parquet_have_the_summary_of_the_frame(misim, here):
    options = {**OPTIONS, "reference": "CC", "pair": "dataset"}
    misim.write_ndjson("misim.jsonl")
    misim.write_parquet("misim.parquet")
    for file in ("misim.jsonl", "misim.parquet"):
        assert harness.summarize(file, **options).equals(harness.summarize(misim, **options))


def test_a_wrong_number_in_json_lines_is_named_with_its_line(run_command, here):
    Path("study.jsonl").write_text('{"method": "a", "b": 1}\n\n{"method": "a", "b": true}\n')
    result = run_command("summarize", "study.jsonl", "--estimate", "b", "--by", "method")
    assert result.err == "harness: study.jsonl:3: expected a number in b, found 'true'\n"


def test_the_order_of_trials_pairs_as_their_column_does(misim):
    options = {**OPTIONS, "reference": "CC"}
    by_order = harness.summarize(misim, **options)
    assert harness.summarize(misim, **options, pair="dataset").equals(by_order)


def test_rows_are_paired_by_their_column_in_any_order(misim):
    options = {**OPTIONS, "reference": "CC"}
    expected = row(harness.summarize(misim, **options), "relative_precision", method="MI_T")
    mixed = misim.sample(fraction=1, shuffle=True, seed=7)
    paired = row(
        harness.summarize(mixed, **options, pair="dataset"), "relative_precision", method="MI_T"
    )
    assert paired["mcse"] == pytest.approx(expected["mcse"], rel=1e-12)
    by_order = row(harness.summarize(mixed, **options), "relative_precision", method="MI_T")
    assert by_order["mcse"] > 1.5 * expected["mcse"]


def test_trials_that_one_method_lacks_are_paired_by_their_column(misim):
    """A row that is missing is as one without an estimate, but for the failures."""
    lost = (pl.col("method") == "MI_T") & (pl.col("dataset") % 10 == 3)
    blank = misim.with_columns(b=pl.when(lost).then(None).otherwise(pl.col("b")))
    options = {**OPTIONS, "reference": "CC", "pair": "dataset"}
    frames = [harness.summarize(each, **options) for each in (misim.filter(~lost), blank)]
    known = [row(each, "relative_precision", method="MI_T") for each in frames]
    assert known[0] == known[1]
    assert known[0]["trials"] == 900
    assert [row(each, "failures", method="MI_T")["trials"] for each in frames] == [900, 1000]


def test_further_factors_make_groups_with_true_values_of_their_own(misim, here):
    """Half the study is moved by 2, and its true value too."""
    half = pl.col("dataset") > 500
    moved = misim.with_columns(
        n=pl.when(half).then(100).otherwise(20),
        theta=pl.when(half).then(2.5).otherwise(0.5),
        b=pl.col("b") + pl.when(half).then(2.0).otherwise(0.0),
    )
    moved.write_csv(here / "moved.csv")
    options = {**OPTIONS, "by": ["method", "n"], "true": "theta", "reference": "CC"}
    frame = harness.summarize(here / "moved.csv", **options)
    assert frame.columns == ["method", "n", *COLUMNS]
    assert frame["n"].unique().sort().to_list() == [20, 100]
    for n, part in ((20, misim.filter(~half)), (100, misim.filter(half))):
        alone = harness.summarize(part, **OPTIONS, reference="CC")
        for measure in ("bias", "coverage", "relative_precision"):
            ours = row(frame, measure, method="MI_T", n=n)
            expected = row(alone, measure, method="MI_T")
            assert ours["estimate"] == pytest.approx(expected["estimate"], rel=1e-9)
            assert ours["mcse"] == pytest.approx(expected["mcse"], rel=1e-9)


@pytest.mark.parametrize("missing", ["", "NA", "NaN", ".", "  na "])
def test_however_a_missing_estimate_is_written_it_is_a_failure(here, missing):
    (here / "a.csv").write_text(f"method,b,se\na,0.4,0.1\na,{missing},0.1\n\na,0.9,NA\n")
    frame = harness.summarize("a.csv", **OPTIONS)
    assert row(frame, "failures")["estimate"] == pytest.approx(2 / 3, rel=1e-15)
    trials = {row(frame, name)["trials"] for name in ("bias", "empirical_se", "model_se")}
    assert trials == {1}


def test_semicolons_quotes_and_spaces_are_read(here):
    (here / "a.csv").write_text('"method";"b";"se"\r\n"a b"; 0.4 ;1e-1\r\n"a b";0.6;0.1\r\n')
    frame = harness.summarize("a.csv", **OPTIONS)
    assert frame["method"].unique().to_list() == ["a b"]
    assert row(frame, "bias")["trials"] == 2


def test_given_limits_are_used_and_may_be_infinite(run_command, here):
    (here / "a.csv").write_text("m,b,l,u\na,0.6,0.2,Inf\na,0.9,0.6,Inf\na,NA,,\na,0.1,-Inf,0.3\n")
    options = ["--estimate", "b", "--by", "m", "--true", "0.5", "--lower", "l", "--upper", "u"]
    result = run_command("summarize", "a.csv", *options, "--confidence", "0.9", "--format", "json")
    assert (result.code, result.err) == (
        3,
        "remark: 1 of 4 trials have no answer: failures counts them\n",
    )
    known = {each["measure"]: each for each in json.loads(result.out)}
    fractions = ("coverage", "miss_below", "miss_above", "failures")
    assert [known[name]["estimate"] for name in fractions] == [0.25] * 4
    assert (known["mean_length"]["estimate"], known["mean_length"]["mcse"]) == ("inf", None)
    limits = {"lower": "l", "upper": "u"}
    frame = harness.summarize("a.csv", estimate="b", by="m", true=0.5, **limits)
    assert row(frame, "mean_length")["estimate"] == math.inf


def test_p_values_may_be_all_that_is_known_beside_estimates():
    data = {"m": ["a", "a"], "b": [0.1, 0.2], "p": [0.05, 0.06]}
    frame = harness.summarize(data, estimate="b", by="m", p_value="p")
    assert frame["measure"].to_list() == ["empirical_se", "rejection_rate", "failures"]
    assert row(frame, "rejection_rate")["estimate"] == 0.5


def test_without_by_all_rows_are_one_group():
    frame = harness.summarize({"b": [0.1, 0.2]}, estimate="b", by=(), true=0)
    assert frame.columns == COLUMNS
    assert row(frame, "bias")["estimate"] == pytest.approx(0.15)


FILES = {
    "a.csv": "method,set,b,se,theta,p\nCC,1,0.5,0.1,1,0.5\nCC,2,0.6,0.1,1,1.5\nMI,1,0.4,x,2,0\n"
    "MI,1,0.3,0.1,3,0\n",
    "neg.csv": "method,b,se,df\nCC,0.5,0.1,3\nCC,0.5,-0.1,0\n",
    "uneven.csv": "method,set,b\nCC,1,1\nCC,2,2\nMI,1,1\n",
    "factors.csv": "method,n,b\nCC,10,1\nMI,10,1\nMI,20,1\n",
    "limits.csv": "method,b,l,u\nCC,0.5,0.7,0.3\n",
    "nobody.csv": "method,b\n,0.5\n",
    "twice.csv": "method,b,b\nCC,1,1\n",
    "long.csv": "method,b\nCC,1,1\n",
    "names.csv": "method,b,se\n",
    "empty.csv": "",
}
WRONG = {
    "none.csv --estimate b": ["none.csv cannot be read: No such file"],
    "empty.csv --estimate b": ["empty.csv should name its columns in the first line"],
    "names.csv --estimate b": ["names.csv should have a row for each trial"],
    "long.csv --estimate b": ["long.csv should be a CSV file whose rows have as many fields"],
    "twice.csv --estimate b": ["twice.csv: expected a column b, found it 2 times"],
    "a.csv --estimate beta": ["a.csv: expected a column beta, found method, set, b, se, theta, p"],
    "a.csv --estimate b --by metod": ["expected a column metod", "did you mean method?"],
    "a.csv --estimate b --se se": ["a.csv:4: expected a number in se, found 'x'"],
    "a.csv --estimate b --p-value p": ["a.csv:3: expected a p-value from 0 to 1 in p, found '1.5'"],
    "a.csv --estimate b --true 0,5": ["true should be a finite number or one of the columns"],
    "a.csv --estimate b --true inf": ["true should be a finite number", "found 'inf'"],
    "a.csv --estimate b --true theta --by method": [
        "a.csv: expected one true value in theta for method = MI, found 2 and 3"
    ],
    "a.csv --estimate b --by method --reference cc": [
        "reference should be a method in method, which has CC and MI, found 'cc'; did you mean CC?"
    ],
    "a.csv --estimate b --by method --reference CC --pair set": [
        "a.csv:5: expected a value that no other row of method = MI has in set, found '1'"
    ],
    "uneven.csv --estimate b --by method --reference CC": [
        "expected as many rows for method = MI as for method = CC, found 1 and 2",
        "pair names a column",
    ],
    "factors.csv --estimate b --by method --by n --reference CC": [
        "expected rows of the reference for method = CC, n = 20, found none"
    ],
    "neg.csv --estimate b --se se": ["neg.csv:3: expected a standard error from 0 on in se"],
    "neg.csv --estimate b --se method": ["expected a number in method, found 'CC'"],
    "neg.csv --estimate b --df df": ["df is for limits that are made from se"],
    "limits.csv --estimate b --lower l": ["lower and upper need each other"],
    "limits.csv --estimate b --lower l --upper u": [
        "limits.csv:2: expected a limit not below the lower one in u, found '0.3'"
    ],
    "nobody.csv --estimate b --by method": ["expected a value in method, found nothing"],
    "a.csv --estimate b --by method --by method": ["by should name each column once"],
    "a.csv --estimate b --pair set": ["pair needs reference"],
    "a.csv --estimate b --reference CC": ["reference needs by"],
    "a.csv --estimate b --alpha 1": ["alpha should be a number between 0 and 1, found 1"],
    "a.csv --estimate b --confidence 95": ["confidence should be a number", "did you mean 0.95?"],
    "a.csv --estimate b --null nan": ["null should be a finite number, found nan"],
}


@pytest.mark.parametrize("command", WRONG)
def test_what_is_wrong_is_said_in_one_sentence(run_command, here, command):
    for name, text in FILES.items():
        (here / name).write_text(text)
    result = run_command("summarize", *command.split())
    assert result.code == 2
    assert is_one_sentence(result)
    assert [words for words in WRONG[command] if words not in result.err] == []


def test_bad_degrees_of_freedom_name_the_row():
    data = {"b": [0.5, 0.5], "se": [0.1, 0.1], "df": [3.0, 0.0]}
    with pytest.raises(InputError, match=r"^data, row 2: expected degrees of freedom above 0 in"):
        harness.summarize(data, estimate="b", se="se", df="df", by=())


@pytest.mark.parametrize("data", [2.5, None, {"b": [True]}, {"b": [[1]]}, {"b": []}, b"a.csv"])
def test_data_of_another_kind_are_refused_in_one_sentence(data):
    with pytest.raises(InputError) as refusal:
        harness.summarize(data, estimate="b", by=())
    assert "\n" not in str(refusal.value)
    assert len(str(refusal.value)) < 300


def test_a_file_in_another_encoding_is_refused(here):
    (here / "a.csv").write_bytes("method,b\né,1\n".encode("latin-1"))
    with pytest.raises(InputError, match=r"^a\.csv:2: expected UTF-8, found the byte 0xe9"):
        harness.summarize("a.csv", estimate="b", by="method")
