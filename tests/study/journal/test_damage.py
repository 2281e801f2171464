"""A damaged record costs that record, and a full disk is no damage."""

import json
import os
import random
import re
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import pytest

import harness
from harness.base.errors import InputError, WriteError
from harness.cli import main
from harness.kinds.calibration import engine
from harness.runner.journal import database
from harness.runner.journal.database import ColumnKey, Journal, opened
from harness.runner.journal.records import pack
from tests.cli.conftest import run_command
from tests.sample import sampled
from tests.simulation.studies import study
from tests.study.experiments import DRAWN, changed, stable_files
from tests.study.test_calibrate import FIGURE_12
from tests.study.test_full_disk import disk, fill

__all__ = ["disk", "run_command"]

ROOT = Path(harness.__file__).parents[1]
KINDS: dict[str, dict[str, Any]] = {
    "coverage": changed(DRAWN, figures=[]),
    "calibration": changed(FIGURE_12, trials=600, figures=[]),
    "simulation": study("t", "z", factors={"n": [5, 10]}, trials={"per_scenario": 300}, figures=[]),
}
COLUMNS = (ColumnKey("aa", "wilson"),)


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Gives the folder of a finished run of a kind, which is made when first asked for."""

    @cache
    def finished(kind: str) -> Path:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(engine, "SHARD", 1 << 8)
            place = harness.run(KINDS[kind], out=tmp_path_factory.mktemp(kind)).path
        assert place is not None
        return place

    return finished


@pytest.fixture
def goes_on(
    finished: Callable[[str], Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    run_command: Any,
) -> Callable[[str, Callable[[Path], None]], tuple[int, str, bool]]:
    """Runs a kind again after a change of its journal: code, words, whether it gave the same."""
    monkeypatch.setattr(engine, "SHARD", 1 << 8)

    def again(kind: str, change: Callable[[Path], None]) -> tuple[int, str, bool]:
        source, name = finished(kind), KINDS[kind]["name"]
        place = tmp_path / name
        shutil.copytree(source, place)
        before = stable_files(place)
        change(place / "journal.sqlite")
        config = tmp_path / "config.yaml"
        config.write_text(json.dumps(KINDS[kind]))
        done = run_command("run", str(config), "--out", str(tmp_path))
        return done.code, done.err, stable_files(place) == before

    return again


def flipped(cell: str, row: int, place: int) -> Callable[[Path], None]:
    """A change of one byte of a cell of one record."""

    def flip(path: Path) -> None:
        with sqlite3.connect(path) as connection:
            rows = connection.execute("SELECT number FROM records ORDER BY number").fetchall()
            ((number,),) = rows[row : row + 1] if row >= 0 else rows[-1:]
            query = f"SELECT CAST({cell} AS BLOB) FROM records WHERE number = ?"
            content = bytearray(connection.execute(query, (number,)).fetchone()[0])
            content[place % len(content)] ^= 0x80
            changed = bytes(content)
            connection.execute(
                f"UPDATE records SET {cell} = "
                + ("?" if cell == "content" else "CAST(? AS TEXT)")
                + " WHERE number = ?",
                (changed, number),
            )
        connection.close()

    return flip


def executed(*statements: str) -> Callable[[Path], None]:
    def execute(path: Path) -> None:
        connection = sqlite3.connect(path)
        for statement in statements:
            connection.execute(statement)
        connection.commit()
        connection.close()

    return execute


def overwritten(first: int, content: bytes) -> Callable[[Path], None]:
    """A change of bytes of the first page."""

    def overwrite(path: Path) -> None:
        data = bytearray(path.read_bytes())
        data[first : first + len(content)] = content
        path.write_bytes(data)

    return overwrite


@pytest.mark.parametrize("way_on", ["--fresh", "delete it"])
@pytest.mark.parametrize("change", [overwritten(0, bytes(100)), overwritten(100, b"\xff" * 3996)])
def test_a_damaged_first_page_is_refused_with_two_ways_on(
    goes_on: Any, run_command: Any, tmp_path: Path, change: Any, way_on: str
) -> None:
    code, words, _ = goes_on("coverage", change)
    assert (code, words.count("\n")) == (2, 1)
    assert "journal.sqlite is damaged" in words
    assert words.endswith("; delete it, or run with --fresh\n")
    place = tmp_path / KINDS["coverage"]["name"]
    if way_on == "delete it":
        (place / "journal.sqlite").unlink()
    argv = ["run", str(tmp_path / "config.yaml"), "--out", str(tmp_path)]
    before = stable_files(place)
    for options in ([way_on] if way_on == "--fresh" else [], []):
        assert run_command(*argv, *options).code == 0
        assert stable_files(place) == before


@pytest.mark.parametrize(
    ("kind", "cell"),
    sampled((pytest.param(*case) for case in product(KINDS, ("content", "columns"))), one_in=3),
)
def test_a_damaged_record_costs_that_record(goes_on: Any, kind: str, cell: str) -> None:
    code, words, same = goes_on(kind, flipped(cell, 0, 5))
    assert (code, same) == (0, True), words
    assert "1 record of the journal was damaged and is computed anew" in words


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "change",
    [
        "UPDATE records SET start = 'x'",
        "UPDATE records SET stop = x'00'",
        "UPDATE records SET stop = stop + 1",
        "UPDATE records SET environment = 99",
        "UPDATE records SET content = 7",
        "UPDATE records SET columns = '[[]]'",
        "UPDATE records SET columns = '[]'",
        "UPDATE environments SET content = '{'",
        "UPDATE environments SET content = '[1]'",
        "UPDATE environments SET content = CAST(x'ff7b' AS TEXT)",
        "DELETE FROM environments",
    ],
)
def test_rows_of_any_content_end_in_the_same_tables(goes_on: Any, kind: str, change: str) -> None:
    code, words, same = goes_on(kind, executed(change))
    assert (code, same) == (0, True), words


@pytest.mark.parametrize("kind", KINDS)
def test_a_flipped_byte_of_the_file_gives_the_same_tables_or_a_sentence(
    finished: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setattr(engine, "SHARD", 1 << 8)
    source, name, draw = finished(kind), KINDS[kind]["name"], random.Random(43)
    place, before = tmp_path / name, stable_files(source)
    whole = (source / "journal.sqlite").read_bytes()
    refusals = []
    for _ in range(8):
        shutil.copytree(source, place, dirs_exist_ok=True)
        content = bytearray(whole)
        content[draw.randrange(len(content))] ^= 1 << draw.randrange(8)
        (place / "journal.sqlite").write_bytes(content)
        try:
            harness.run(KINDS[kind], out=tmp_path)
        except InputError as fault:
            refusals.append(str(fault))
        assert stable_files(place) == before
    assert all("--fresh" in words or "not a journal" in words for words in refusals)
    assert len(refusals) <= 2


SECTOR, PAGE = 512, 4096


def test_damaged_pages_cost_their_records_and_not_the_journal(tmp_path: Path) -> None:
    keys, draw = [bytes([number]) * 16 for number in range(60)], random.Random(43)
    with opened(tmp_path / "whole") as journal:
        for key in keys:
            journal.put(key, (0, 1), COLUMNS, pack((key.hex() * draw.choice([1, 20, 200]),)))
        journal.note("fact", 7)
    whole, losses = (tmp_path / "whole").read_bytes(), []
    # The first page says what the file is, and what the tables are.
    for place in range(PAGE, len(whole), 5 * SECTOR):
        path = tmp_path / f"j{place}"
        path.write_bytes(whole[:place] + bytes(SECTOR) + whole[place + SECTOR :])
        try:
            with opened(path) as journal:
                stored = [each for key in keys for each in journal.records(key)]
                sound = [journal.unpacked(each, tuple) is not None for each in stored]
                assert journal.fact("fact") == 7
                losses.append(len(keys) - sum(sound))
        except InputError:
            losses.append(len(keys))
    lost = sorted(losses)
    assert lost[len(lost) * 9 // 10] <= 5
    assert sum(number == len(keys) for number in lost) <= 0.05 * len(lost)


@pytest.mark.parametrize("kind", KINDS)
def test_a_run_goes_on_from_a_journal_with_a_damaged_page(goes_on: Any, kind: str) -> None:
    def damage(path: Path) -> None:
        connection = sqlite3.connect(path)
        (content,) = connection.execute("SELECT content FROM records LIMIT 1").fetchone()
        connection.close()
        whole = bytearray(path.read_bytes())
        # The page that has the first bytes of a record has the places of all records on it first.
        page = whole.index(content[:40]) // PAGE * PAGE
        whole[page : page + 8] = bytes(8)
        path.write_bytes(whole)

    code, words, same = goes_on(kind, damage)
    assert (code, same) == (0, True), words
    assert re.search(r"\d records? of the journal w\w+ damaged and .* computed anew", words), words


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("share", [0.0, 0.3, 0.9])
def test_a_cut_journal_is_a_sentence_or_new(goes_on: Any, kind: str, share: float) -> None:
    def cut(path: Path) -> None:
        os.truncate(path, int(share * path.stat().st_size))

    code, words, same = goes_on(kind, cut)
    assert same
    assert code == 0 or (code == 2 and "damaged" in words and "--fresh" in words)


def test_an_entry_of_the_index_that_leads_to_another_record_finds_nothing(tmp_path: Path) -> None:
    with opened(tmp_path / "j") as journal:
        journal.put(b"first", (0, 1), COLUMNS, b"of the first")
        journal.put(b"other", (0, 1), COLUMNS, b"of the other")
    content = (tmp_path / "j").read_bytes()
    # An entry of the index is the key and the number of the row.
    entry = content.rindex(b"other\x02")
    (tmp_path / "j").write_bytes(content[:entry] + b"first\x02" + content[entry + 6 :])
    with opened(tmp_path / "j") as journal:
        assert [stored.content for stored in journal.records(b"first")] == [b"of the first"]
        assert [stored.content for stored in journal.records(b"other")] == [b"of the other"]


def test_a_part_with_a_damaged_record_is_merged_without_it(tmp_path: Path) -> None:
    with opened(tmp_path / "part") as part:
        part.put(b"key", (0, 1), COLUMNS, b"good")
        part.put(b"key", (1, 2), COLUMNS, b"other")
    executed("UPDATE records SET environment = 99, columns = 'x' WHERE number = 1")(
        tmp_path / "part"
    )
    with opened(tmp_path / "j") as journal:
        journal.copy_from(tmp_path / "part")
        assert [stored.content for stored in journal.records(b"key")] == [b"other"]
        assert journal.damaged == 1


def test_a_journal_of_which_only_the_mark_is_written_is_new(tmp_path: Path) -> None:
    executed(f"PRAGMA application_id = {database._APPLICATION}")(tmp_path / "j")
    with opened(tmp_path / "j") as journal:
        journal.put(b"key", (0, 1), COLUMNS, b"content")
    with opened(tmp_path / "j") as journal:
        assert len(journal.records(b"key")) == 1


# A full disk.

FULL = r"j cannot be written: the disk is full; .* still good, .*with room the same command goes on"


def fill_journal(path: Path) -> None:
    """Put records into a journal that may not grow, as on a full disk."""
    with opened(path) as journal:
        journal._connection.execute("PRAGMA max_page_count = 8")
        for number in range(100):
            journal.put(b"after", (number, number + 1), COLUMNS, bytes(1000))


def close_and_raise(path: Path) -> None:
    with opened(path) as journal:
        journal._connection.close()
        raise InputError("of the block")


def test_a_full_disk_is_called_so_and_what_was_recorded_is_good(tmp_path: Path) -> None:
    with opened(tmp_path / "j") as journal:
        journal.put(b"before", (0, 1), COLUMNS, b"content")
    with pytest.raises(WriteError, match=FULL):
        fill_journal(tmp_path / "j")
    with opened(tmp_path / "j") as journal:
        assert len(journal.records(b"before")) == 1
        journal.put(b"after", (0, 1), COLUMNS, bytes(1000))


def test_the_first_fault_of_a_block_is_the_one_that_is_raised(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="of the block"):
        close_and_raise(tmp_path / "j")


LIMITED = """
import resource, sys
from harness.cli import main
from harness.runner.journal import database
from tests.study.experiments import DRAWN

put = database.Journal.put
def limited(*arguments, **options):
    resource.setrlimit(resource.RLIMIT_FSIZE, (30_000, resource.RLIM_INFINITY))
    return put(*arguments, **options)
database.Journal.put = limited
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="this platform limits no files")
def test_a_journal_that_cannot_grow_is_a_sentence_and_the_run_goes_on(tmp_path: Path) -> None:
    config = tmp_path / "config.yaml"
    config.write_text(json.dumps(changed(DRAWN, figures=[])))
    command = ["run", str(config), "--out", str(tmp_path / "out"), "--quiet"]
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, *command],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"},
    )
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
    assert "journal.sqlite cannot be written: " in done.stderr
    assert main(command) == 0


@pytest.mark.parametrize("kind", KINDS)
def test_a_run_on_a_full_disk_goes_on_once_there_is_room(
    disk: Path, tmp_path: Path, run_command: Any, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    config = tmp_path / "config.yaml"
    config.write_text(json.dumps(KINDS[kind]))
    monkeypatch.setattr(engine, "SHARD", 1 << 8)
    put = Journal.put

    def on_a_full_disk(journal: Journal, *arguments: Any) -> int | None:
        fill(disk)
        return put(journal, *arguments)

    command = ("run", str(config), "--out", str(disk), "--quiet")
    with monkeypatch.context() as patch:
        patch.setattr(Journal, "put", on_a_full_disk)
        done = run_command(*command)
    assert (done.code, done.err.count("\n")) == (2, 1), done.err
    assert "the disk is full" in done.err
    (disk / "ballast").unlink()
    assert run_command(*command).code == 0
