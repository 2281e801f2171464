"""Files as people write them: words for right and wrong, decimal commas, compressed, piped."""

import gzip
import io
import json
import unicodedata
from pathlib import Path
from types import SimpleNamespace

import pytest

import harness
from harness.base.errors import InputError
from tests.sample import sampled

RIGHT_AND_WRONG = [("yes", "no"), ("TRUE", "FALSE"), ("pass", "fail"), ("Correct", "incorrect")]
OTHER_WORDS = [("p", "f"), ("C", "I"), ("gut", "schlecht")]


def cases(right="1", wrong="0", separator=","):
    """Two models on five items, of which a has four right and b two."""
    words = {True: right, False: wrong}
    rows = [f"item{separator}a{separator}b"]
    rows += [f"{i}{separator}{words[i != 2]}{separator}{words[i < 2]}" for i in range(5)]
    return "\n".join(rows) + "\n"


@pytest.fixture
def ask(run_command):
    def ask(text):
        result = run_command(*text.split(), "--format", "json")
        assert result.code == 0, result.err
        return json.loads(result.out)

    return ask


def limits_of(answer):
    systems = answer.get("systems", [answer])
    return [(each["lower"], each["upper"]) for each in systems]


@pytest.mark.parametrize(
    ("command", "right", "wrong"),
    sampled(
        (
            pytest.param(command, *words)
            for words in (*RIGHT_AND_WRONG, *OTHER_WORDS)
            for command in (
                "interval proportion --rows FILE --correct a",
                "interval paired_difference --rows FILE --correct a --correct b",
                "leaderboard --rows FILE --correct a --correct b",
            )
        ),
        one_in=3,
        by=lambda case: case[1],
    ),
)
def test_words_for_right_and_wrong_are_read(ask, command, right, wrong):
    Path("words.csv").write_text(cases(right, wrong))
    Path("numbers.csv").write_text(cases())
    positive = f" --positive {right}" if (right, wrong) in OTHER_WORDS else ""
    found = ask(command.replace("FILE", "words.csv") + positive)
    expected = ask(command.replace("FILE", "numbers.csv"))
    assert limits_of(found) == limits_of(expected)


def test_a_label_of_right_cases_is_one_of_two():
    rows = {"ok": ["C", "I", "P"]}
    with pytest.raises(InputError, match="expected `positive` C and at most one other label in ok"):
        harness.interval("proportion", rows=rows, correct="ok", positive="C")
    with pytest.raises(InputError, match="expected `positive` X"):
        harness.interval("proportion", rows={"ok": ["C", "I"]}, correct="ok", positive="X")


def test_decimal_commas_are_read(ask):
    Path("commas.csv").write_text("model;score\na;0,5\na;1,5\na;-2,5e-1\n")
    Path("points.csv").write_text("model,score\na,0.5\na,1.5\na,-0.25\n")
    of_rows = "interval mean --rows {} --values score --by model"
    assert ask(of_rows.format("commas.csv") + " --decimal ,") == ask(of_rows.format("points.csv"))
    estimates = "summarize {} --estimate score --by model --true 0.5"
    commas = ask(estimates.format("commas.csv") + " --decimal ,")
    assert commas == ask(estimates.format("points.csv"))


@pytest.mark.parametrize(
    "command",
    [
        "interval mean --rows commas.csv --values b",
        "summarize commas.csv --estimate b --se se --true 0.5",
    ],
)
def test_a_number_with_a_decimal_comma_is_refused_with_the_option_that_reads_it(
    run_command, command
):
    Path("commas.csv").write_text("b;se\n0,5;0,1\n0,7;0,1\n")
    result = run_command(*command.split())
    assert result.code == 2
    assert "; --decimal , reads decimal commas" in result.err


def test_a_comma_is_not_both_between_fields_and_before_decimals(run_command):
    Path("a.csv").write_text("m,v\na,1\n")
    command = ["interval", "mean", "--rows", "a.csv", "--values", "v", "--decimal", ","]
    result = run_command(*command, "--delimiter", ",")
    assert result.code == 2
    assert "fields and decimals should not both have a comma" in result.err


def test_compressed_files_are_read(ask):
    Path("a.csv").write_text(cases())
    Path("a.csv.gz").write_bytes(gzip.compress(cases().encode()))
    lines = "\n".join(json.dumps({"a": int(i != 2)}) for i in range(5))
    Path("a.jsonl.gz").write_bytes(gzip.compress(lines.encode()))
    command = "interval proportion --rows {} --correct a"
    plain, *packed = (
        limits_of(ask(command.format(name))) for name in ("a.csv", "a.csv.gz", "a.jsonl.gz")
    )
    assert packed == [plain, plain]


def test_a_damaged_compressed_file_is_refused_in_a_sentence(run_command):
    Path("a.csv.gz").write_bytes(gzip.compress(cases().encode())[:20])
    result = run_command("interval", "proportion", "--rows", "a.csv.gz", "--correct", "a")
    assert result.code == 2
    assert "a.csv.gz cannot be read" in result.err


def test_a_dash_is_standard_input(ask, monkeypatch):
    Path("a.csv").write_text(cases())
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(cases().encode())))
    piped = ask("leaderboard --rows - --correct a --correct b")
    assert limits_of(piped) == limits_of(ask("leaderboard --rows a.csv --correct a --correct b"))


@pytest.mark.parametrize(("of_file", "asked"), [("NFD", "NFC"), ("NFC", "NFD")])
def test_a_header_is_found_however_its_accents_are_encoded(ask, of_file, asked):
    Path("a.csv").write_text(unicodedata.normalize(of_file, "modèle,réussi\na,1\na,0\n"))
    name = unicodedata.normalize(asked, "réussi")
    found = ask(f"interval proportion --rows a.csv --correct {name}")
    assert (found["x"], found["n"]) == (1, 2)
