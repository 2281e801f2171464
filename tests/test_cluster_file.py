"""``harness.read_clusters``: counts of clusters from a CSV file with a row for each case."""

import csv
from pathlib import Path

import numpy as np
import pytest

import harness
from harness.base.errors import InputError


def read(folder: Path, text: str | bytes) -> dict[str, list[int]]:
    file = folder / "results.csv"
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    return harness.read_clusters(file, cluster="document", correct="right")


def test_cases_add_up_to_the_counts_that_they_were_made_from(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    n = rng.integers(1, 9, 40)
    x = rng.integers(0, n + 1)
    cases = [
        (f"doc, {number}", int(case < right), "an\nanswer")
        for number, (right, size) in enumerate(zip(x, n, strict=True))
        for case in range(size)
    ]
    order = [*range(0, len(cases), 2), *range(1, len(cases), 2)]
    file = tmp_path / "results.csv"
    with file.open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["document", "right", "text"])
        writer.writerows(cases[place] for place in order)
    found = harness.read_clusters(file, cluster="document", correct="right")
    seen = list(dict.fromkeys(cases[place][0] for place in order))
    places = [int(name.removeprefix("doc, ")) for name in seen]
    assert found == {"x": x[places].tolist(), "n": n[places].tolist()}


@pytest.mark.parametrize(("right", "wrong"), [("1", "0"), ("true", "False"), ("1.0", " 0.0 ")])
def test_right_and_wrong_may_be_written_in_three_ways(
    tmp_path: Path, right: str, wrong: str
) -> None:
    text = f"right,document\n{right},a\n{wrong},a\n{right},b\n"
    assert read(tmp_path, text) == {"x": [1, 1], "n": [2, 1]}


def test_a_byte_order_mark_other_line_ends_and_empty_lines_change_nothing(tmp_path: Path) -> None:
    assert read(tmp_path, b"\xef\xbb\xbfdocument,right\r\na,1\r\n\r\n a ,0\r\n") == {
        "x": [1],
        "n": [2],
    }


WRONG = {
    "an empty file": ("", "results.csv should name its columns in the first line, found an empty"),
    "empty lines": ("\n\n", "results.csv should name its columns in the first line"),
    "no cases": ("document,right\n", "should have a row for each case, found only the first line"),
    "no such column": (
        "doc,right\na,1\n",
        "results.csv:1: expected a column document, found doc, right",
    ),
    "other separators": ("document;right\na;1\n", "expected a column document, found document;r"),
    "a column twice": (
        "document,right,right\na,1,1\n",
        "results.csv:1: expected a column right, found it 2 times",
    ),
    "half right": (
        "document,right\na,1\na,0.5\n",
        "results.csv:3: expected 0 or 1, or true or false, in right, found '0.5'",
    ),
    "nothing": ("document,right\na,1\na,\n", "results.csv:3: expected 0 or 1, or true or false"),
    "no cluster": (
        'document,right,text\na,1,"two\nlines"\n ,0,b\n',
        "results.csv:4: expected the name of a cluster in document, found nothing",
    ),
    "a field too few": ("document,right\na,1\n\nb\n", "results.csv:4: expected 2 fields, found 1"),
    "a field too many": ("document,right\na,1,0\n", "results.csv:2: expected 2 fields, found 3"),
    "an open quote": ('document,right\n"a,1\n', "results.csv:2: no CSV, "),
    "Latin-1": (
        "document,right\n\u00fc,1\n".encode("latin-1"),
        "results.csv:2: expected UTF-8, found the byte 0xfc",
    ),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_is_wrong_is_said_in_one_sentence_with_its_line(tmp_path: Path, what: str) -> None:
    text, message = WRONG[what]
    with pytest.raises(InputError) as caught:
        read(tmp_path, text)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    for file in (tmp_path / "missing.csv", tmp_path):
        with pytest.raises(InputError, match=f"^{file} cannot be read: "):
            harness.read_clusters(file, cluster="document", correct="right")
    with pytest.raises(InputError, match="path should be a path, found 3"):
        harness.read_clusters(3, cluster="document", correct="right")  # type: ignore[arg-type]
