"""``interval`` of many rows and by many methods: lists, CSV files, remarks and what is refused."""

import csv
import json

import numpy as np
import pytest

import harness
from harness.families.catalogue import family_of
from harness.methods.catalogue import methods_for
from tests.cli.conftest import is_one_sentence

MODELS = "model;right;all\na;93;100\nb;94;100\n\nc;88;100\n"
CASES = (
    "model,doc,right,first,second\na,1,1,1,0\na,1,0,1,1\na,2,1,0,0\n"
    "b,1,1,1,1\nb,2,0,0,1\nb,2,0,1,1\n"
)
READ = ["--csv", "models.csv", "--x", "right", "--n", "all"]
COLUMNS = ["estimate", "lower", "upper", "alpha", "method", "side"]


@pytest.fixture
def files(here):
    (here / "models.csv").write_text(MODELS)
    (here / "cases.csv").write_text(CASES)
    return here


@pytest.fixture
def asked(run_command):
    """The records of a command line as JSON, with the lines on standard error."""

    def asked(text, code=0):
        result = run_command("interval", *text.split(), "--format", "json")
        assert result.code == code, result.err
        return json.loads(result.out), result.err.splitlines()

    return asked


def limits(records):
    return [(each["lower"], each["upper"]) for each in records]


def of_python(family, method, **data):
    found = harness.interval(family, method, **data)
    return list(zip(np.ravel(found.lower).tolist(), np.ravel(found.upper).tolist(), strict=True))


def test_a_row_of_a_file_has_its_limits_beside_it(run_command, files):
    result = run_command("interval", "proportion", *READ, "--format", "csv")
    assert (result.code, result.err) == (0, "")
    rows = list(csv.DictReader(result.out.splitlines()))
    assert list(rows[0]) == ["model", "right", "all", *COLUMNS]
    assert [(row["model"], row["right"]) for row in rows] == [("a", "93"), ("b", "94"), ("c", "88")]
    expected = of_python("proportion", "minimal_length", x=[93, 94, 88], n=100)
    assert [(float(row["lower"]), float(row["upper"])) for row in rows] == expected


@pytest.mark.parametrize("ending", ["csv", "json", "txt"])
def test_rows_are_written_to_a_file_in_the_format_of_its_ending(run_command, files, ending):
    form = {"csv": "csv", "json": "json", "txt": "table"}[ending]
    shown = run_command("interval", "proportion", *READ, "--format", form)
    written = run_command("interval", "proportion", *READ, "--out", f"new/limits.{ending}")
    assert (written.code, written.out) == (0, f"new/limits.{ending}\n")
    assert (files / f"new/limits.{ending}").read_text("utf-8") == shown.out


def test_the_file_that_is_read_is_not_replaced(run_command, files):
    result = run_command("interval", "proportion", *READ, "--out", "models.csv")
    assert result.code == 2
    assert is_one_sentence(result)
    assert "would replace a file that the command reads" in result.err
    assert (files / "models.csv").read_text() == MODELS


def test_numbers_with_commas_have_an_interval_each(asked):
    found, _ = asked("proportion --x 93,94,88 --n 100 --method wilson")
    assert [(each["x"], each["n"]) for each in found] == [(93, 100), (94, 100), (88, 100)]
    assert limits(found) == of_python("proportion", "wilson", x=[93, 94, 88], n=100)


@pytest.mark.parametrize(
    ("family", "method", "head", "row"),
    [
        ("rate", "garwood", "x exposure", "3 2.5"),
        ("proportion_difference", "newcombe", "x1 n1 x2 n2", "3 9 1 8"),
        ("rate_ratio", "score", "x1 exposure1 x2 exposure2", "3 9.5 1 8"),
        ("paired_difference", "tango", "both first_only second_only neither", "3 2 1 8"),
        ("mean", "student_t", "mean sd k", "75 2.5 5"),
    ],
)
def test_the_data_of_every_design_may_be_columns(asked, here, family, method, head, row):
    names, values = head.split(), row.split()
    (here / "data.csv").write_text(f"{','.join(names)}\n{','.join(values)}\n{','.join(values)}\n")
    options = " ".join(f"--{name.replace('_', '-')} {name}" for name in names)
    found, _ = asked(f"{family} --csv data.csv {options} --method {method}")
    data = dict(zip(names, map(float, values), strict=True))
    assert limits(found) == of_python(family, method, **data) * 2


def test_a_number_goes_with_every_row_unless_it_names_a_column(asked, here):
    (here / "data.csv").write_text("x,20\n3,50\n4,60\n")
    found, _ = asked("proportion --csv data.csv --x x --n 40 --method wilson")
    assert limits(found) == of_python("proportion", "wilson", x=[3, 4], n=40)
    found, _ = asked("proportion --csv data.csv --x x --n 20 --method wilson")
    assert limits(found) == of_python("proportion", "wilson", x=[3, 4], n=[50, 60])


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("x\tn\n3\t9\n", ""),
        ("x|n\n3|9\n", ""),
        ('"x;, ","n"\n3,9\n', "--x x;,"),
        ("x:n\n3:9\n", "--delimiter :"),
        ("x,1;n\n3;9\n", "--delimiter semicolon --x x,1"),
        ("3 9\n", "--delimiter space --no-header --x 1 --n 2"),
    ],
)
def test_delimiters_and_files_without_names(asked, here, text, options):
    (here / "data.csv").write_text(text)
    found, _ = asked(f"proportion --csv data.csv --method wilson --x x --n n {options}")
    assert limits(found) == of_python("proportion", "wilson", x=3, n=9)


def test_a_column_of_the_file_keeps_its_name_and_the_new_one_has_another(asked, here):
    (here / "data.csv").write_text("x,n,lower,method\n3,9,deep,mine\n")
    ((row,), _) = asked("proportion --csv data.csv --x x --n n")
    assert (row["lower"], row["method"]) == ("deep", "mine")
    assert row["interval_method"] == "minimal_length"
    assert row["interval_lower"] < row["estimate"]


def test_columns_of_one_name_are_all_written(run_command, here):
    (here / "data.csv").write_text("x,note,n,note\n3,a,9,b\n")
    argv = [
        "interval",
        "proportion",
        "--csv",
        "data.csv",
        "--x",
        "x",
        "--n",
        "10",
        "--method",
        "wilson",
        "--format",
        "csv",
    ]
    head, row = run_command(*argv).out.splitlines()
    assert head == f"x,note,n,interval_note,interval_n,{','.join(COLUMNS)}"
    assert row.startswith("3,a,9,b,10,0.3,")


def test_a_group_that_is_wrong_is_named(run_command, here):
    (here / "data.csv").write_text("m,score\na,75\nb,72\na,70\n")
    result = run_command(
        *["interval", "mean", "--csv", "data.csv", "--values", "score", "--by", "m"]
    )
    assert is_one_sentence(result)
    assert "data.csv (m = b): values should be of at least 2 runs, found 1" in result.err
    (here / "data.csv").write_text("x,right\na,1\nb,0\n")
    result = run_command(
        *["interval", "proportion", "--csv", "data.csv", "--correct", "right", "--by", "x"]
    )
    assert "x interval_x n estimate" in result.words


def test_a_row_with_a_missing_cell_stays_without_limits(run_command, here):
    (here / "data.csv").write_text("x,n\n3,39\n,39\nNA,39\n4,39\n")
    result = run_command(
        *["interval", "proportion", "--csv", "data.csv", "--x", "x", "--n", "n", "--format", "csv"]
    )
    assert result.code == 0
    rows = list(csv.DictReader(result.out.splitlines()))
    assert [bool(row["lower"]) for row in rows] == [True, False, False, True]
    assert [row["x"] for row in rows] == ["3", "", "", "4"]
    assert result.err == (
        "remark: data.csv:3 and data.csv:4: no number for x; these rows have no limits\n"
    )


def test_cases_are_counted_by_group(asked, files):
    found, _ = asked("proportion --csv cases.csv --correct right --by model --method wilson")
    assert [(row["model"], row["x"], row["n"]) for row in found] == [("a", 2, 3), ("b", 1, 3)]
    assert limits(found) == of_python("proportion", "wilson", x=[2, 1], n=3)
    whole, _ = asked("proportion --csv cases.csv --correct right --method wilson")
    assert (whole["x"], whole["n"]) == (3, 6)


def test_two_groups_of_cases_are_two_samples(asked, files):
    found, _ = asked(
        "proportion_difference --csv cases.csv --correct right --by model --method wald"
    )
    assert [found[name] for name in ("model1", "model2", "x1", "n1", "x2", "n2")] == [
        *("a", "b"),
        *(2, 3, 1, 3),
    ]
    assert [(found["lower"], found["upper"])] == of_python(
        "proportion_difference", "wald", x1=2, n1=3, x2=1, n2=3
    )


def test_two_columns_of_cases_are_pairs(asked, files):
    found, _ = asked(
        "paired_difference --csv cases.csv --correct first --correct second --method tango"
    )
    names = ("both", "first_only", "second_only", "neither")
    assert [found[name] for name in names] == [3, 1, 1, 1]


def test_lists_are_made_of_the_rows_of_a_group(asked, files):
    (files / "runs.csv").write_text("m,score\na,75\na,72\nb,70\na,78\nb,74\n")
    found, _ = asked("mean --csv runs.csv --values score --by m")
    expected = [
        *of_python("mean", "student_t", values=[75, 72, 78]),
        *of_python("mean", "student_t", values=[70, 74]),
    ]
    assert [(row["m"], row["rows"]) for row in found] == [("a", 3), ("b", 2)]
    assert limits(found) == expected
    found, _ = asked(
        "clustered_proportion --csv cases.csv --correct right --cluster doc --by model"
    )
    expected = of_python(
        "clustered_proportion", "korn_graubard", x=[[1, 1], [1, 0]], n=[[2, 1], [1, 2]]
    )
    np.testing.assert_allclose(limits(found), expected, rtol=1e-12)


def test_a_confidence_is_one_minus_alpha_as_it_is_written(asked):
    found, _ = asked("proportion --x 9 --n 10 --confidence 0.95")
    assert found["alpha"] == 0.05


def test_methods_have_a_row_each_in_the_order_of_their_names(asked):
    found, _ = asked("proportion --x 93 --n 100 --method wilson --method exact_tail")
    assert [row["method"] for row in found] == ["wilson", "clopper_pearson"]
    found, _ = asked("proportion --x 93 --n 100 --method wilson --verbose")
    assert found["method"] == "wilson"


def test_all_methods_are_those_that_need_nothing_else(asked):
    found, remarks = asked("proportion --x 93 --n 100 --method all")
    fit = {
        name
        for name, method in methods_for(family_of("proportion")).items()
        if method.deterministic and "two-sided" in method.sides
    }
    assert {row["method"] for row in found} == fit
    assert remarks[0] == (
        "remark: left out: one_sided (no side two-sided); bootstrap_percentile (needs --seed); "
        "hypergeometric_exact, hypergeometric_wang (needs --population); "
        "beta_binomial_mixture, stagewise, stagewise_mid_p, mle_order, bonferroni_looks (for "
        "trials that end early)"
    )
    found, _ = asked("proportion --x 3 --n 20 --population 99 --method all --side upper")
    assert [row["method"] for row in found] == ["hypergeometric_exact"]


def test_a_method_that_does_not_apply_is_a_remark_beside_others_and_a_stop_alone(run_command):
    argv = [
        "interval",
        "mean",
        "--mean",
        "75",
        "--sd",
        "2",
        "--k",
        "5",
        "--seed",
        "1",
        "--method",
        "bootstrap_t",
    ]
    assert is_one_sentence(run_command(*argv))
    result = run_command(*argv, "--method", "student_t", "--format", "csv")
    assert result.code == 0
    assert len(result.out.splitlines()) == 2
    assert result.err == (
        "remark: bootstrap_t is left out: needs the values, found only a summary of them\n"
    )


def test_a_whole_range_is_remarked_where_the_data_leave_every_value_possible(asked):
    found, remarks = asked("precision --tp 0 --fp 0 --fn 10 --tn 190")
    assert (found["lower"], found["upper"]) == (0.0, 1.0)
    assert remarks == [
        "remark: minimal_length is the whole range at tp = 0, fp = 0, fn = 10, tn = 190: "
        "the data leave every value possible, as no case is predicted to be a positive"
    ]


def test_a_whole_range_is_remarked_with_a_better_interval_where_there_is_one(asked):
    found, remarks = asked("mcc --tp 50 --fp 0 --fn 0 --tn 50 --method delta_atanh")
    assert (found["lower"], found["upper"]) == (-1.0, 1.0)
    better = harness.interval("mcc", tp=50, fp=0, fn=0, tn=50)
    assert remarks == [
        "remark: delta_atanh is the whole range at tp = 50, fp = 0, fn = 0, tn = 50; "
        f"{better.method}: {better.lower:.4f} … 1.0000"
    ]


def test_an_interval_of_no_width_is_remarked_with_a_better_one(asked):
    found, remarks = asked("proportion --x 0 --n 20 --method wald")
    assert found["lower"] == found["upper"] == 0.0
    better = harness.interval("proportion", "minimal_length", x=0, n=20)
    assert remarks == [
        "remark: wald has no width at x = 0, n = 20 (of no width at x = 0 and x = n); "
        "minimal_length, which misses near alpha on average: "
        f"0.0000 … {better.upper:.4f}"
    ]
    _, remarks = asked("mean --values 3,4 --method bootstrap_t --seed 1")
    assert remarks == [
        "remark: bootstrap_t has no width (of no width where all values are equal and at k = 2); "
        "student_t: -2.8531 … 9.8531"
    ]


@pytest.mark.parametrize(
    ("asked_of", "is_told"),
    [
        ("proportion --x 93 --n 100 --method wald", True),
        ("proportion --x 5000 --n 10000 --method wald", False),
        ("proportion --x 93 --n 100 --method wilson", False),
        ("rate --x 1 --exposure 5 --method wald", True),
    ],
)
def test_a_method_without_a_contract_is_remarked_where_its_limits_differ(asked, asked_of, is_told):
    _, remarks = asked(asked_of)
    assert any("can be far from nominal" in each for each in remarks) == is_told == bool(remarks)


def test_an_estimate_outside_the_limits_is_remarked(asked):
    _, remarks = asked("proportion --x 0 --n 20 --method jeffreys_equal_tailed")
    assert remarks[0].startswith(
        "remark: jeffreys_equal_tailed does not hold the estimate at x = 0, n = 20 (at x = 0 and "
    )


def test_an_alpha_that_looks_like_a_confidence_is_remarked(asked):
    _, remarks = asked("proportion --x 39 --n 40 --alpha 0.95")
    assert "for 95 % give --confidence 0.95" in remarks[0]
    assert asked("proportion --x 39 --n 40 --alpha 0.5")[1] == []


def test_separate_samples_are_noted_under_the_table_alone(run_command):
    data = ["--x1", "3", "--n1", "9", "--x2", "1", "--n2", "8", "--method", "miettinen_nurminen"]
    argv = ["interval", "proportion_difference", *data]
    assert "interval paired_difference --both" in run_command(*argv).err
    for form in ("json", "csv"):
        assert run_command(*argv, "--format", form).err == ""
    assert "interval paired_ratio" in run_command("interval", "risk_ratio", *data).err


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("proportion --x 3 --n 3000", "0.001000 0.000238 0.002647"),
        ("proportion --x 0 --n 3000 --percent", "0.0000 % 0.0000 % 0.0998 %"),
        ("proportion --x 93 --n 100 --percent --method wilson", "93.00 % 86.25 % 96.57 %"),
        ("rate --x 10 --exposure 1e-6 --method jeffreys", "10000000 5141449 17739438"),
        ("rate --x 3 --exposure 1e12 --method jeffreys", "3.000e-12 8.449e-13 8.006e-12"),
        ("proportion --x 900000000 --n 1000000000", "0.9000000 0.8999814 0.9000186"),
        ("mean --values 1000007,1000009,1000008", "1000008.000 1000005.516 1000010.484"),
    ],
)
def test_small_and_large_numbers_read_well(run_command, options, expected):
    assert expected in run_command("interval", *options.split()).words


def test_two_hundred_rows_are_one_call_of_the_method(run_command, here, monkeypatch):
    from harness.methods.method import Method

    calls = []
    limits_of = Method.limits

    def counted(self, data, *rest):
        calls.append(len(data[0]))
        return limits_of(self, data, *rest)

    monkeypatch.setattr(Method, "limits", counted)
    rows = "".join(f"{x},200\n" for x in range(200))
    (here / "data.csv").write_text(f"x,n\n{rows}")
    result = run_command(
        *["interval", "proportion", "--csv", "data.csv", "--x", "x", "--n", "n", "--format", "csv"]
    )
    assert len(result.out.splitlines()) == 201
    assert calls == [200]
