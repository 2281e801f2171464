"""The stored baseline of the catalogue, and how one is written and read."""

import json
from functools import cache

import numpy as np
import polars as pl
import pytest

from harness.base.errors import InputError
from harness.callers.naming import named
from harness.callers.source import CatalogueSource
from harness.checks.baseline.changes import compare_with_baseline, measures_at
from harness.checks.baseline.folder import (
    HEADER,
    is_baseline,
    read_baseline,
    validate_target,
    write_baseline,
)
from harness.checks.baseline.limits import moved_limits, moved_sums
from harness.checks.baseline.tables import DECIMALS
from harness.checks.behaviour import LENGTH, MEAN, WORST, behaviour, key_columns, measures
from harness.checks.options import Tolerance
from harness.checks.plans import checked_at
from harness.checks.subject import Subject, side_of
from harness.cli import main
from harness.families.catalogue import family_of
from harness.methods.catalogue import CATALOGUE, PROPORTION
from harness.methods.method import Method

from .regenerate import FOLDER, every, sizes_of

COMPARED = (WORST, MEAN, LENGTH)
SMALL = ((1, 3, 10), (0.05, 0.1))
FEW = 6
"""So many sizes are all compared."""
PAIRS = (((3.0, 4.0), (4.0, 3.0)), (0.05,))

SEARCH_AGAIN = 1e-5
"""How far the search for the worst case of several counts may end elsewhere, by rounding alone.

Limits that differ by 1e-13 move it by 1.6e-6 at most.
"""


@cache
def of(name, sizes=SMALL[0], alphas=SMALL[1]):
    return measures(subject(name), sizes, alphas)


def subject(name, method=None, family="proportion"):
    return Subject(
        CatalogueSource(name, method or CATALOGUE[family][name], seed=0), family_of(family)
    )


@pytest.mark.parametrize(
    ("place", "each"),
    list(enumerate(every())),
    ids=[f"{each.family.name}-{each.label}" for each in every()],
)
def test_no_method_of_the_catalogue_has_moved(place, each):
    """Better or worse: ``python -m tests.checks.regenerate`` where it was meant to.

    Of many sizes a method is held at every third, and the next one at those after them.
    """
    stored = read_baseline(FOLDER, each.family, each.label, side_of(each))
    old = stored.numbers
    sizes = old.select(key_columns(old)[:-1]).unique(maintain_order=True)
    if sizes.height > FEW:
        old = old.join(sizes[place % 3 :: 3], on=sizes.columns, how="semi")
    new = measures_at(old, each)
    for column in COMPARED:
        searched = column == WORST and not each.family.has_single_count
        most = SEARCH_AGAIN if searched else Tolerance.alpha
        np.testing.assert_allclose(
            new[column].to_numpy(), old[column].to_numpy(), rtol=most, atol=most
        )
    limits = stored.limits
    assert moved_limits(each, limits.in_full, Tolerance.limits) == []
    assert moved_sums(each, limits.sums[place % 3 :: 3], Tolerance.limits) == []


def test_the_stored_baseline_is_of_every_method_and_of_nothing_else():
    files = {path.relative_to(FOLDER).as_posix() for path in FOLDER.rglob("*") if path.is_file()}
    assert files == {HEADER} | {
        f"{each.family.name}/{part}{each.label}.csv"
        for each in every()
        for part in ("", "limits/", "sums/")
    }
    header = json.loads((FOLDER / HEADER).read_text("utf-8"))
    listed = {
        f"{family}/{name}.csv" for family, names in header["methods"].items() for name in names
    }
    assert listed == {file for file in files - {HEADER} if file.count("/") == 1}


def test_the_stored_baseline_is_small():
    assert sum(path.stat().st_size for path in FOLDER.rglob("*") if path.is_file()) < 1_000_000


def test_the_stored_baseline_has_every_size_and_alpha():
    for each in every():
        table = read_baseline(FOLDER, each.family, each.label, side_of(each)).numbers
        sizes = [np.atleast_1d(size) for size in sizes_of(each.family.name)]
        cells = [(*size, alpha) for size in sizes for alpha in checked_at(each.family).alphas.exact]
        assert table.select(key_columns(table)).rows() == cells


def test_a_file_is_sorted_text_with_fixed_decimals(tmp_path):
    shuffled = of("wilson").sample(fraction=1.0, shuffle=True, seed=1)
    file = write_baseline(tmp_path, named("wilson"), shuffled)
    assert file == tmp_path / "proportion" / "wilson.csv"
    lines = file.read_text("utf-8").splitlines()
    assert lines[0] == "n,alpha,worst_alpha,worst_truth,mean_alpha_error,mean_length"
    # Wilson's interval of 0 of 1 at alpha = 0.05 ends at z²/(1 + z²) = 0.7934506856.
    assert lines[1] == "1,0.05,0.2065493144,0.2065493144,0.0073373807,0.7934506856"
    assert [line.split(",")[:2] for line in lines[1:]] == [
        [n, alpha] for n in ("1", "3", "10") for alpha in ("0.05", "0.1")
    ]
    assert all(len(value.split(".")[1]) == DECIMALS for value in lines[-1].split(",")[2:])
    assert "-0.0000000000" not in file.read_text("utf-8")


def test_nothing_is_written_as_minus_nothing(tmp_path):
    table = of("wilson").with_columns(pl.lit(-1e-14).alias(MEAN))
    text = write_baseline(tmp_path, named("wilson"), table).read_text("utf-8")
    assert ",0.0000000000," in text
    assert "-" not in text


def test_the_same_method_gives_the_same_bytes_and_others_stay(tmp_path):
    write_baseline(tmp_path, named("wald"), of("wald"))
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    write_baseline(tmp_path, named("wilson"), of("wilson"))
    write_baseline(tmp_path, named("wald"), of("wald"))
    (tmp_path / "proportion" / "wilson.csv").unlink()
    after = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    header = tmp_path / HEADER
    assert before.keys() == after.keys()
    assert {p for p in before if before[p] != after[p]} == {header}
    assert set(json.loads(after[header])["methods"]["proportion"]) == {"wald", "wilson"}


def test_the_header_tells_the_versions_and_what_the_method_was_made_of(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text("def f(x, n, alpha): return 0, 1\n")
    write_baseline(tmp_path / "b", named("wilson"), of("wilson"))
    write_baseline(tmp_path / "b", named(f"{file}:f"), of("wilson"))
    first = json.loads((tmp_path / "b" / HEADER).read_text("utf-8"))
    assert set(first["versions"]) >= {"coverage-harness", "numpy", "scipy"}
    file.write_text("def f(x, n, alpha): return 0.0, 1.0\n")
    write_baseline(tmp_path / "b", named(f"{file}:f"), of("wilson"))
    second = json.loads((tmp_path / "b" / HEADER).read_text("utf-8"))
    old, new = (each["methods"]["proportion"] for each in (first, second))
    assert old["wilson"] == new["wilson"]
    assert len(old["f"]["source"]) == 64
    assert old["f"] != new["f"]


def test_a_method_without_a_file_has_no_digest(tmp_path):
    def mine(x, n, alpha):
        return 0, 1

    class Mine:
        def __call__(self, x, n, alpha):
            return 0, 1

    for each in (named(Mine()), named("no_such.module:f")):
        write_baseline(tmp_path, each, of("wilson"))
    write_baseline(tmp_path, named(mine), of("wilson"))
    header = json.loads((tmp_path / HEADER).read_text("utf-8"))["methods"]["proportion"]
    assert header["Mine"] == {"of": "Python", "rows": 6}
    assert header["f"] == {"of": "no_such.module", "rows": 6}
    assert set(header["mine"]) == {"of", "source", "rows"}


def test_two_methods_of_one_name_do_not_share_a_file(tmp_path):
    write_baseline(tmp_path, named("wilson"), of("wilson"))
    (tmp_path / "mine.py").write_text("def wilson(x, n, alpha): return 0.0, 1.0\n")
    with pytest.raises(
        InputError, match=r"holds another wilson, of the catalogue, and not of mine"
    ):
        write_baseline(tmp_path, named(f"{tmp_path / 'mine.py'}:wilson"), of("wilson"))


def test_a_baseline_is_of_one_side(tmp_path):
    """An upper limit that has become a lower one would be as good as it was: its mirror."""
    flat = named("one_sided")
    measured = measures(subject("one_sided"), *SMALL)
    write_baseline(tmp_path, flat, measured, "upper")
    assert compare_with_baseline(subject("one_sided"), tmp_path)
    with pytest.raises(InputError, match="is of the side upper, and one_sided of the side lower"):
        compare_with_baseline(subject("one_sided").at_side("lower"), tmp_path)


def test_a_method_that_draws_has_no_baseline(tmp_path):
    with pytest.raises(InputError, match="draws its limits, and so has no baseline"):
        validate_target(tmp_path, named("bootstrap_percentile"))
    with pytest.raises(InputError, match="draws its limits, and so has no baseline"):
        compare_with_baseline(subject("bootstrap_percentile"), tmp_path)


def test_rows_that_are_gone_are_noticed(tmp_path):
    file = write_baseline(tmp_path, named("wilson"), of("wilson"))
    lines = file.read_text("utf-8").splitlines(keepends=True)
    file.write_text("".join(lines[:-2]), "utf-8")
    with pytest.raises(InputError, match=r"has 4 rows, but baseline\.json says 6"):
        read_baseline(tmp_path, family_of("proportion"), "wilson")


def test_a_folder_that_cannot_be_written_is_refused_before_anything_is_computed(tmp_path, capsys):
    (tmp_path / "file").write_text("")
    assert main(["check", "wilson", "--update", str(tmp_path / "file" / "b")]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "is no folder to write to" in captured.err


def test_a_file_called_by_another_path_and_a_peer_have_names_that_stay(tmp_path):
    for path in ("mine.py", "folder/mine.py"):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text("")
        file = write_baseline(tmp_path / "b", named(f"{tmp_path / path}:f"), of("wilson"))
        assert file.name == "f.csv"
    file = write_baseline(tmp_path / "b", named("scipy:wilsoncc"), of("wilson"))
    assert file.name == "scipy-wilsoncc.csv"


def test_what_was_written_is_read_back(tmp_path):
    write_baseline(tmp_path, named("wilson"), of("wilson"))
    table = read_baseline(tmp_path, family_of("proportion"), "wilson").numbers
    for column in COMPARED:
        np.testing.assert_allclose(table[column], of("wilson")[column], atol=10.0**-DECIMALS)


def test_a_method_is_no_worse_than_its_own_baseline(tmp_path):
    write_baseline(tmp_path, named("wilson"), of("wilson"))
    found = compare_with_baseline(subject("wilson"), tmp_path).findings
    assert [finding.verdict for finding in found] == ["pass"] * 3 + ["remark"]
    assert {finding.message for finding in found[:3]} == {"no worse at 6 sizes and alphas"}


def test_worse_than_the_baseline_at_one_n_only_is_named(tmp_path):
    write_baseline(tmp_path, named("wilson"), of("wilson", range(1, 12)))

    def worse_at_seven(data, alpha, side, prior):
        lower, upper = PROPORTION["wilson"].limits(data, alpha)
        return np.where(data[1] == 7, 0.999 * lower, lower), upper

    planted = Method("", "", worse_at_seven, name="wilson")
    found = compare_with_baseline(subject("wilson", planted), tmp_path).findings
    failed = [finding for finding in found if finding.verdict == "fail"]
    assert failed
    assert {finding.cell["n"] for finding in failed} == {7}
    assert {finding.check for finding in failed} >= {"against its baseline: length"}
    assert " at n = 7, alpha = 0.05, where its baseline has " in failed[0].message


@cache
def of_two(name, family="proportion_difference"):
    return measures(subject(name, family=family), *PAIRS)


def test_a_file_of_two_samples_has_two_sizes_and_no_worst_truth(tmp_path):
    file = write_baseline(tmp_path, named("wald", "proportion_difference"), of_two("wald"))
    lines = file.read_text("utf-8").splitlines()
    assert lines[0] == "n1,n2,alpha,worst_alpha,mean_alpha_error,mean_length"
    assert lines[1].startswith("3,4,0.05,1.0000000000,")
    assert [line.split(",")[:3] for line in lines[1:]] == [
        [*sizes, "0.05"] for sizes in ("34", "43")
    ]


@pytest.mark.parametrize(
    ("family", "name"),
    [
        ("proportion_difference", "newcombe"),
        ("rate_difference", "one_sided"),
        ("balanced_accuracy", "exact_union"),
    ],
)
def test_a_method_of_two_samples_is_no_worse_than_its_own_baseline(tmp_path, family, name):
    each = subject(name, family=family)
    write_baseline(tmp_path, named(name, family), of_two(name, family), side_of(each))
    found = compare_with_baseline(each, tmp_path).findings
    assert [finding.verdict for finding in found] == ["pass"] * 3 + ["remark"]
    assert {finding.message for finding in found[:3]} == {"no worse at 2 sizes and alphas"}


def test_worse_than_the_baseline_at_one_pair_of_sizes_only_is_named(tmp_path):
    family = "proportion_difference"
    write_baseline(tmp_path, named("newcombe", family), of_two("newcombe"))

    def worse_at_four_and_three(data, alpha, side, prior):
        lower, upper = CATALOGUE[family]["newcombe"].limits(data, alpha)
        return lower, np.where(data[1] == 4, np.maximum(lower, upper - 0.1), upper)

    planted = Method("", "", worse_at_four_and_three, name="newcombe")
    found = compare_with_baseline(subject("newcombe", planted, family), tmp_path).findings
    failed = [finding for finding in found if finding.verdict == "fail"]
    assert {(finding.cell["n1"], finding.cell["n2"]) for finding in failed} == {(4, 3)}
    assert {finding.check for finding in failed} == {
        "against its baseline: worst alpha",
        "against its baseline: mean alpha error",
    }
    assert " at n1 = 4, n2 = 3, alpha = 0.05, where its baseline has " in failed[0].message


def test_a_baseline_is_known_by_its_header(tmp_path):
    assert not is_baseline(tmp_path)
    assert not is_baseline("wilson")
    write_baseline(tmp_path, named("wilson"), of("wilson"))
    assert is_baseline(tmp_path)


def test_the_message_about_a_missing_baseline_says_how_to_write_one(tmp_path):
    write_baseline(tmp_path, named("wilson"), of("wilson"))
    with pytest.raises(InputError, match=r"holds no baseline of wald; --update .* writes one"):
        read_baseline(tmp_path, family_of("proportion"), "wald")
    with pytest.raises(InputError, match="holds no baseline of wilson"):
        read_baseline(tmp_path / "none", family_of("proportion"), "wilson")


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"methods": 3}', b"\xff\xfe"])
def test_a_header_that_is_not_one_is_refused(tmp_path, text):
    (tmp_path / HEADER).write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(InputError, match=r"is not the header of a baseline|it is no text in UTF-8"):
        write_baseline(tmp_path, named("wilson"), of("wilson"))


def test_a_place_that_cannot_be_written_is_an_input_error(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot be written"):
        write_baseline(tmp_path / "file", named("wilson"), of("wilson"))


def test_what_has_no_exact_numbers_has_no_baseline(tmp_path):
    with pytest.raises(InputError, match="wilson has no exact numbers for a baseline"):
        write_baseline(tmp_path, named("wilson"), of("wilson").clear())
    gap = of("wilson").with_columns(pl.when(pl.col("n") != 3).then(pl.col(WORST)).alias(WORST))
    with pytest.raises(InputError, match=r"no sound limits at n = 3, alpha = 0\.05"):
        write_baseline(tmp_path, named("wilson"), gap)
    gap = of_two("wald").with_columns(pl.lit(None).cast(pl.Float64).alias(LENGTH))
    with pytest.raises(InputError, match=r"no sound limits at n1 = 3, n2 = 4, alpha = 0\.05"):
        write_baseline(tmp_path, named("wald", "proportion_difference"), gap)
    assert not any(tmp_path.iterdir())


def test_a_baseline_can_be_written_from_behaviour(tmp_path):
    wide = write_baseline(tmp_path / "a", named("wilson"), behaviour(subject("wilson"), *SMALL))
    narrow = write_baseline(tmp_path / "b", named("wilson"), of("wilson"))
    assert wide.read_bytes() == narrow.read_bytes()


def written(tmp_path):
    write_baseline(tmp_path, named("wilson"), of("wilson"))
    return tmp_path / "proportion" / "wilson.csv"


NUMBERS = "0.1,0.1,0.1,0.1"


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda lines: lines[:1], "holds no rows"),
        (lambda lines: [*lines, f"7,0.05,{NUMBERS}"], "has 7 rows"),
        (lambda lines: [*lines[:-1], "3,0.05,,,,"], "row without a number: n = 3, alpha = 0.05"),
        (lambda lines: [*lines[:-1], "7,0.05,nan,0.1,0.1,0.1"], "row without a number: n = 7"),
        (lambda lines: [*lines[:-1], lines[-2]], r"has n = 10, alpha = 0\.05 twice: line 7"),
        (lambda lines: [*lines[:-1], f"2.5,0.05,{NUMBERS}"], "whole numbers above 0, found 2.5"),
        (lambda lines: [*lines[:-1], f"7,5,{NUMBERS}"], "alphas should lie between 0 and 1"),
    ],
)
def test_a_damaged_file_is_refused(tmp_path, damage, message):
    file = written(tmp_path)
    file.write_text("\n".join(damage(file.read_text().splitlines())) + "\n")
    with pytest.raises(InputError, match=rf"wilson\.csv.*{message}"):
        read_baseline(tmp_path, family_of("proportion"), "wilson")


def test_a_header_without_names_is_refused(tmp_path):
    written(tmp_path)
    (tmp_path / HEADER).write_text('{"methods": {"proportion": []}}')
    with pytest.raises(InputError, match=HEADER):
        written(tmp_path)


def test_a_function_in_a_module_is_known_by_its_files_content(tmp_path, monkeypatch):
    package = tmp_path / "shipped"
    package.mkdir()
    (package / "__init__.py").write_text("raise RuntimeError('not to be loaded')\n")
    (package / "intervals.py").write_text("def f(x, n, alpha):\n    return 0.0, 1.0\n")
    monkeypatch.syspath_prepend(tmp_path)
    measured = of("wilson")
    write_baseline(tmp_path / "kept", named("shipped.intervals:f"), measured)
    header = json.loads((tmp_path / "kept" / HEADER).read_text())
    assert len(header["methods"]["proportion"]["f"]["source"]) == 64


def test_a_folder_whose_name_is_too_long_is_refused():
    with pytest.raises(InputError, match="cannot be written"):
        validate_target("9" * 400, named("wilson", "proportion"))
