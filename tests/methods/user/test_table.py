"""A table of limits as a method: what is read, and what is refused with its line."""

from __future__ import annotations

import math
import textwrap

import numpy as np
import pytest

from harness.base.errors import InputError
from harness.callers.source import Observed
from harness.callers.table import LimitTable, TableSource, read_points

TABLE = """\
    x,n,alpha,lower,upper
    0,2,0.05,0,0.8419
    1,2,0.05,0.0126,0.9874
    2,2,0.05,0.1581,1
"""


@pytest.fixture
def write(tmp_path):
    def write(text):
        file = tmp_path / "limits.csv"
        file.write_text(textwrap.dedent(text))
        return LimitTable(file)

    return write


def test_limits_are_those_of_the_rows_wherever_columns_stand(write):
    table = write("""\
        Upper,note,X,n,lower,alpha
        0.5,a b,0,1.0,NA,0.05
    """)
    points = read_points(table, "proportion")
    assert (points.sizes, points.alphas, points.count) == (((1.0,),), (0.05,), 1)
    lower, upper = points.at((1.0,), 0.05)[(0.0,)]
    assert math.isnan(lower)
    assert upper == 0.5


@pytest.mark.parametrize(
    ("family", "columns", "sizes", "counts"),
    [
        ("rate", "x,exposure\n3,0.5", (0.5,), (3.0,)),
        ("risk_ratio", "x1,n1,x2,n2\n3,10,4,12", (10.0, 12.0), (3.0, 4.0)),
        (
            "paired_difference",
            "both,first_only,second_only,neither\n4,3,2,1",
            (10.0,),
            (4, 3, 2, 1),
        ),
    ],
)
def test_the_columns_are_those_of_the_family(write, family, columns, sizes, counts):
    names, row = columns.split("\n")
    points = read_points(write(f"{names},alpha,lower,upper\n{row},0.1,0.2,inf\n"), family)
    assert points.at(sizes, 0.1) == {counts: (0.2, math.inf)}


def test_an_outcome_that_the_table_lacks_has_no_limits(write):
    source = TableSource("t", read_points(write(TABLE), "proportion"))
    counts = (np.array([1.0, 3.0]),)
    found = source.limits(Observed("proportion", (2.0,), counts), 0.05, "two-sided")
    np.testing.assert_array_equal(found.lower, [0.0126, np.nan])
    assert found.failures == {1: "the table has no x = 3, n = 2, alpha = 0.05"}
    assert source.asked == {((2.0,), 0.05, (1.0,))}


HEADER = "x,n,alpha,lower,upper\n"
REFUSED = {
    "x;n;alpha;lower;upper\n1;2;0,05;0;1": r":1: expected commas between x, n, .*found semicolons",
    "x,n,alpha,lower\n1,2,0.05,0": r":1: expected a column upper, found x, n, alpha, lower",
    HEADER: "should have a row for each outcome and alpha, found none",
    "": "should name its columns in the first line",
    TABLE + "1,2,0.05,0,1": r":5: .* once, found x = 1, n = 2, alpha = 0.05 here and at line 3",
    HEADER + "1,2,0.05,,1": ":2: expected a number in lower, found nothing",
    HEADER + "1,2,0.05,low,1": ":2: expected a number in lower, found 'low'",
    HEADER + "NA,2,0.05,0,1": ":2: expected a number in x, found 'NA'",
    HEADER + "1,2,5,0,1": ":2: expected alpha above 0 and below 1, found 5",
    HEADER + '1,2,"0,05",0,1': ":2: expected a decimal point in alpha, found '0,05'",
    HEADER + "1,2,0,05,0,0,9": ":2: expected 5 fields, found 7; decimal numbers",
    HEADER + "1,2,0.05,1%,98%": ":2: expected a number that is no percentage in lower",
    HEADER + "0,2,0.05,0,84.2\n1,2,0.05,1.3,98.7": ":2: .* should not be percentages",
    HEADER + "1,2,0.05,0,1\n3,2,0.05,0,1": ":3: x = 3 is larger than n = 2",
    HEADER + "1.5,2,0.05,0,1": ":2: x should be a whole number, found 1.5",
}


@pytest.mark.parametrize("text", REFUSED)
def test_what_is_wrong_is_said_with_its_line(write, text):
    table = write("\n".join(line.strip() for line in text.splitlines()))
    with pytest.raises(InputError, match=REFUSED[text]) as caught:
        read_points(table, "proportion")
    assert "\n" not in str(caught.value)


def test_lists_have_no_table(write):
    with pytest.raises(InputError, match="a table has no limits of mean, whose data are lists"):
        read_points(write(TABLE), "mean")


def test_a_table_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"none\.csv cannot be read: No such file"):
        read_points(LimitTable(tmp_path / "none.csv"), "proportion")
