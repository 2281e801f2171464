"""What a call may look like: types of arguments, orders of outcomes, and kinds of limits."""

import math
import pickle
import textwrap
from contextlib import closing
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import polars
import pytest
from scipy.special import ndtri

from harness.base.errors import InputError
from harness.callers.calls import LONGEST, Asked, FunctionError, call_on_numbers, one_line
from harness.callers.function import (
    FunctionInProcess,
    SentFunction,
    SentFunctionError,
    close_sent_functions,
    sendable,
)
from harness.callers.location import FunctionLocation
from harness.callers.source import Observed
from harness.callers.table import LimitTable, TableSource, read_points
from harness.checks.conformance.call_checks import ARGUMENTS, IN_ANY_ORDER, run_call_checks
from harness.checks.conformance.type_checks import TYPES, TypeChecks
from harness.families.catalogue import family_of
from tests.methods.user.calls import call

SMALL = {"x": np.array([0, 2, 5, 9, 10]), "n": 10}
LARGE = {"x": np.array([0, 3, 500_000, 10**6]), "n": 10**6}
TWO = {"x1": np.array([0, 2, 3, 4]), "n1": 4, "x2": np.array([1, 0, 6, 5]), "n2": 6}


def wilson(x, n, alpha):
    x, n = np.asarray(x, float), np.asarray(n, float)
    z = -ndtri(alpha / 2)
    delta = z * np.sqrt(x * (n - x) / n + z * z / 4)
    center = x + z * z / 2
    return (center - delta) / (n + z * z), (center + delta) / (n + z * z)


def difference(x1, n1, x2, n2, alpha):
    low1, high1 = wilson(x1, n1, alpha)
    low2, high2 = wilson(x2, n2, alpha)
    return low1 - high2, high1 - low2


def as_written(x, n, alpha):
    """Without a conversion: x·(n − x) overflows where x is of 32 bits."""
    z = -ndtri(alpha / 2)
    delta = z * np.sqrt(x * (n - x) / n + z * z / 4)
    center = x + z * z / 2
    return (center - delta) / (n + z * z), (center + delta) / (n + z * z)


def with_n_squared(x, n, alpha):
    return wilson(np.asarray(x) * (float(n * n) / n / n), n, alpha)


def of_whole_numbers(x, n, alpha):
    return float(wilson(x, n, alpha)[0]), max(wilson(range(x, x + 1)[0], n, alpha)[1], 0.0)


def whole_arrays_only(x, n, alpha):
    return wilson(np.asarray(x).astype(np.int64, casting="safe"), n, alpha)


def divided_as_whole(x, n, alpha):
    return wilson(x // 2 * 2 if np.asarray(x).dtype.kind == "i" else x, n, alpha)


def counted_once_more(x, n, alpha):
    return wilson(x + isinstance(x, np.generic), n, alpha)


def refuses_32_bit(x, n, alpha):
    if np.asarray(x).dtype == np.int32:
        raise TypeError("not 32")
    return wilson(x, n, alpha)


def divided_in_place(x, n, alpha):
    limits, x = wilson(x, n, alpha), np.asarray(x, float)
    x /= n
    return limits


def written_to(x, n, alpha):
    x = np.asarray(x, float)
    x += 0.0
    return wilson(x, n, alpha)


def first_size(x, n, alpha):
    return wilson(x, np.ravel(n)[0], alpha)


def one_size(x, n, alpha):
    return wilson(x, float(n), alpha)


def a_list_twice(x, n, alpha):
    return wilson(sorted(x) if isinstance(x, list) else x, n, alpha)[:: 1 - 2 * isinstance(x, list)]


def alpha_of_python(x, n, alpha):
    return wilson(x, n, alpha / (1 + isinstance(alpha, np.generic)))


def objects(x, n, alpha):
    lower, upper = wilson(x, n, alpha)
    return lower.astype(object), upper.astype(object)


@pytest.mark.parametrize(
    ("function", "part"),
    [
        (divided_as_whole, "x as a Python float: limits 0.2365"),
        (counted_once_more, "x as numpy.int64: limits 0.1077"),
        (refuses_32_bit, "x as numpy.int32: refused"),
        (written_to, "x as a read-only float64 array: refused with ValueError"),
        (first_size, "n as an array: limits 0.0566"),
        (a_list_twice, "x as a list: limits "),
        (alpha_of_python, "alpha as numpy.float64: limits "),
    ],
)
def test_a_type_with_another_answer_or_none_is_a_failure(function, part):
    fault = TypeChecks().of_function(Asked(function, SMALL, 0.05))[TYPES]
    assert not fault.is_remark
    assert part in fault.message


def test_a_product_of_32_bit_counts_that_overflows_is_a_failure_with_its_cause():
    fault = TypeChecks().of_function(Asked(as_written, LARGE, 0.05))[TYPES]
    assert not fault.is_remark
    assert "x as numpy.int32: limits 0.4999" in fault.message
    assert "a product of 32-bit counts overflows where they are not made floats" in fault.message


@pytest.mark.parametrize(
    ("function", "data", "part"),
    [
        (with_n_squared, LARGE, "counts and sizes as numpy.int32: limits "),
        (as_written, SMALL, "x as a list: refused with TypeError"),
        (one_size, SMALL, "n as an array: refused with TypeError"),
        (of_whole_numbers, SMALL, "x as a Python float: refused at x = 2"),
        (whole_arrays_only, SMALL, "x as a Python float: refused at x = 2, n = 10, alpha = 0.05"),
        (objects, SMALL, "the limits of arrays are arrays of objects"),
    ],
)
def test_what_callers_may_be_asked_to_avoid_is_a_remark(function, data, part):
    fault = TypeChecks().of_function(Asked(function, data, 0.05))[TYPES]
    assert fault.is_remark
    assert part in fault.message


@pytest.mark.parametrize(
    ("function", "data"), [(wilson, SMALL), (wilson, LARGE), (difference, TWO)]
)
def test_a_function_that_converts_its_counts_takes_every_type(function, data):
    assert TypeChecks().of_function(Asked(function, data, 0.05)) == {TYPES: None}


def test_a_float_array_that_is_changed_in_place_is_named_with_its_type():
    """An array of whole numbers is converted first, and stays."""
    assert run_call_checks(Asked(divided_in_place, SMALL, 0.05))[ARGUMENTS] is None
    found = TypeChecks().of_function(Asked(divided_in_place, SMALL, 0.05))
    assert found[TYPES] is None
    assert found[ARGUMENTS].message.startswith("the float64 array that it was given as x was")


def test_lists_may_be_lists_and_whole_numbers_of_any_type():
    def mean(x, n, alpha):
        return wilson(np.sum(x, axis=-1), np.sum(n, axis=-1), alpha)

    def of_arrays(x, n, alpha):
        return mean(x * 1.0, n, alpha) if isinstance(x, np.ndarray) else mean(x[:1], n, alpha)

    data = {"x": np.array([[1, 2, 3], [4, 0, 1]]), "n": np.array([[5, 5, 5], [4, 6, 7]])}
    assert TypeChecks().of_function(Asked(mean, data, 0.05)) == {TYPES: None}
    assert (
        "x and n as a list: limits "
        in TypeChecks().of_function(Asked(of_arrays, data, 0.05))[TYPES].message
    )


def ascending(x, n, alpha):
    lower, upper = wilson(x, n, alpha)
    return np.sort(lower, None).reshape(lower.shape), np.sort(upper, None).reshape(lower.shape)


def distinct(x, n, alpha):
    return wilson(np.unique(x) if np.ndim(x) and len(x) > 5 else x, n, alpha)


def squeezed(x, n, alpha):
    return tuple(map(np.squeeze, wilson(x, n, alpha)))


def of_places(x, n, alpha):
    lower, upper = wilson(x, n, alpha)
    return lower, upper + 1e-3 * (np.ndim(x) > 0 and x[0] > 0)


@pytest.mark.parametrize(
    ("function", "part"),
    [
        (ascending, "the answers are sorted, the counts are not at x = [10, 9, 5, 2, …], n = 10"),
        (distinct, "expected limits of shape (10,) at x = [9, 9, 2, 2, …], n = 10"),
        (squeezed, "expected limits of shape (1,) at x = [10], n = 10, alpha = 0.05, found () and"),
        (of_places, "for x = 10, n = 10, alpha = 0.05 at x = [10, 9, 5, 2, …]"),
    ],
)
def test_answers_that_depend_on_the_order_of_outcomes_are_found(function, part):
    found = run_call_checks(Asked(function, SMALL, 0.05))
    assert part in found.pop(IN_ANY_ORDER)
    assert not any(found.values())


def test_sorted_answers_of_two_samples_are_called_so():
    def ascending_differences(x1, n1, x2, n2, alpha):
        lower, upper = difference(x1, n1, x2, n2, alpha)
        return np.sort(lower, None).reshape(lower.shape), np.sort(upper, None).reshape(lower.shape)

    found = run_call_checks(Asked(ascending_differences, TWO, 0.05))
    assert found.pop(IN_ANY_ORDER).startswith("the answers are sorted, the counts are not at x1")
    assert not any(found.values())


@dataclass
class Limits:
    lower: float
    upper: float


class Ends(NamedTuple):
    high: float
    low: float


ANSWERS = {
    "the columns of an array": lambda lower, upper: np.stack((lower, upper), -1),
    "a dictionary": lambda lower, upper: {"upper": upper, "lower": lower},
    "a dictionary of low and high": lambda lower, upper: {"low": lower, "high": upper},
    "a dataclass": Limits,
    "a named tuple": lambda lower, upper: Ends(low=lower, high=upper),
    "a data frame of pandas": lambda lower, upper: pandas_frame(lower, upper, ["lower", "upper"]),
    "columns of other names": lambda lower, upper: pandas_frame(lower, upper, ["2.5 %", "97.5 %"]),
    "a data frame of Polars": lambda lower, upper: polars.DataFrame(
        {"upper": np.atleast_1d(upper), "lower": np.atleast_1d(lower)}
    ),
}


def pandas_frame(lower, upper, names):
    pandas = pytest.importorskip("pandas")
    return pandas.DataFrame(dict(zip(names, map(np.atleast_1d, (lower, upper)), strict=True)))


@pytest.mark.parametrize("form", ANSWERS)
def test_limits_are_read_in_every_form_that_has_two(form):
    def mine(*given):
        return ANSWERS[form](*wilson(*given))

    for count in (1, 2, 3, 10):
        data = {"x": np.arange(count), "n": 9}
        assert not any(run_call_checks(Asked(mine, data, 0.05)).values())
        observed = Observed(family_of("proportion"), (9.0,), (np.arange(float(count)),))
        np.testing.assert_array_equal(call(mine, observed, 0.05), wilson(np.arange(count), 9, 0.05))
    assert not any(TypeChecks().of_function(Asked(mine, SMALL, 0.05)).values())


def test_a_function_that_draws_gives_its_limits_in_columns_too():
    def mine(x, n, alpha, rng):
        lower, upper = wilson(x, n, alpha)
        return np.stack((lower, upper), -1)

    observed = Observed(family_of("proportion"), (9.0,), (np.arange(2.0),))
    np.testing.assert_array_equal(call(mine, observed, 0.05), wilson(np.arange(2), 9, 0.05))


@pytest.mark.parametrize(
    ("answer", "part"),
    [
        ((0j, 1j), "found complex limits: (0j, 1j)"),
        ((np.array(0j, object), 1.0), "found complex limits: "),
        (("0.1", "0.9"), "found limits as text: ('0.1', '0.9')"),
        ((np.False_, np.True_), "found limits that are true or false"),
        ((np.ma.array(0.1), 0.9), "found masked limits"),
        ({"lower": 0.1, "top": 0.9}, "found a dictionary with the keys 'lower', 'top'"),
        (
            {"estimate": 0.5, "lower": 0.1, "upper": 0.9},
            "found the third value 'estimate' beside lower and upper",
        ),
        (np.ones((2, 3)), "found array"),
        ((None, 0.9), "found (None, 0.9)"),
        ((0.1, 0.5, 0.9), "found (0.1, 0.5, 0.9)"),
    ],
)
def test_what_is_no_pair_of_numbers_is_named(answer, part):
    with pytest.raises(FunctionError) as error:
        call_on_numbers(lambda x, n, alpha: answer, {"x": 3, "n": 10}, 0.05)
    assert str(error.value).startswith("expected a lower and an upper limit at x = 3, n = 10")
    assert part in str(error.value)


def test_limits_of_pandas_are_named():
    pandas = pytest.importorskip("pandas")

    def table(x, n, alpha):
        lower, upper = wilson([x], n, alpha)
        return pandas.DataFrame({"lower": lower, "upper": upper, "p": x / n})

    def series(x, n, alpha):
        limits = wilson(x, n, alpha)
        return tuple(map(pandas.Series, limits)) if np.ndim(x) else limits

    with pytest.raises(FunctionError, match="found the third value 'p' beside lower and upper"):
        call_on_numbers(table, {"x": 3, "n": 10}, 0.05)
    fault = TypeChecks().of_function(Asked(series, SMALL, 0.05))[TYPES]
    assert fault.is_remark
    assert "pandas Series" in fault.message


# A user's function that is sent as text: the answers of the function itself, or none.


OBSERVED = Observed(family_of("proportion"), (20.0,), (np.arange(21.0),))
DRAWN = """
import os
def f(x, n, alpha, rng):
    {line}
    return x / n - rng.uniform(0, 0.1), x / n + rng.uniform(0, 0.1)
f.deterministic = False
"""


@pytest.fixture
def started(tmp_path):
    """Start the function of a text in a file, and send it."""
    started = []

    def start(line):
        path = tmp_path / "mine.py"
        path.write_text(DRAWN.format(line=line))
        function = FunctionInProcess("mine", FunctionLocation("f", str(path)), 2.0)
        started.append(function)
        sent = pickle.loads(pickle.dumps(sendable(function)))
        assert isinstance(sent, SentFunction)
        path.unlink()
        return function, sent

    yield start
    for function in started:
        function.close()
    close_sent_functions()


def drawn(function):
    return function.limits(OBSERVED, 0.1, "two-sided", np.random.default_rng(1))


def test_it_draws_what_the_function_draws(started):
    function, sent = started("")
    here, there = drawn(function), drawn(sent)
    assert np.array_equal(here.lower, there.lower)
    assert np.array_equal(here.upper, there.upper)
    assert sent.content(0.1, "two-sided") == function.content(0.1, "two-sided")


@pytest.mark.parametrize("line", ["if x == 3: raise ValueError", "if x == 3: os._exit(1)"])
def test_where_a_call_fails_the_function_is_to_be_called_where_it_came_from(started, line):
    _, sent = started(line)
    with pytest.raises(SentFunctionError):
        drawn(sent)


def test_a_function_that_imports_another_file_of_its_folder_is_called_there(tmp_path):
    (tmp_path / "beside.py").write_text("")
    (tmp_path / "mine.py").write_text("import beside\n" + DRAWN.format(line=""))
    location = FunctionLocation("f", str(tmp_path / "mine.py"))
    with closing(FunctionInProcess("mine", location, 2.0)) as function:
        sent = sendable(function)
        with pytest.raises(SentFunctionError, match="beside"):
            drawn(sent)


def test_a_function_that_has_ended_its_process_is_not_sent_any_more(started):
    function, _ = started("if x == 3: os._exit(1)")
    drawn(function)
    assert sendable(function) is None


def test_a_function_of_a_module_is_not_sent(tmp_path, monkeypatch):
    (tmp_path / "own_module.py").write_text(DRAWN.format(line=""))
    monkeypatch.syspath_prepend(tmp_path)
    location = FunctionLocation("f", None, "own_module")
    with closing(FunctionInProcess("mine", location, 2.0)) as function:
        assert sendable(function) is None


# A table of limits as a method: what is read, and what is refused with its line.


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
    points = read_points(table, family_of("proportion"))
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
    points = read_points(
        write(f"{names},alpha,lower,upper\n{row},0.1,0.2,inf\n"), family_of(family)
    )
    assert points.at(sizes, 0.1) == {counts: (0.2, math.inf)}


def test_an_outcome_that_the_table_lacks_has_no_limits(write):
    source = TableSource("t", read_points(write(TABLE), family_of("proportion")))
    counts = (np.array([1.0, 3.0]),)
    found = source.limits(Observed(family_of("proportion"), (2.0,), counts), 0.05, "two-sided")
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
        read_points(table, family_of("proportion"))
    assert "\n" not in str(caught.value)


def test_lists_have_no_table(write):
    with pytest.raises(InputError, match="a table has no limits of mean, whose data are lists"):
        read_points(write(TABLE), family_of("mean"))


def test_a_table_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"none\.csv cannot be read: No such file"):
        read_points(LimitTable(tmp_path / "none.csv"), family_of("proportion"))


def test_what_is_shown_of_a_long_text_is_made_of_its_beginning():
    seen = []
    shown = one_line("x" * 10**6, lambda thing: seen.append(len(thing)) or repr(thing))
    assert len(shown) == LONGEST
    assert seen[0] < 10**4
