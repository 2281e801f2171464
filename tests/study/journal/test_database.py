"""The file of a journal: what is no journal, is damaged, is full or is in use is said."""

from __future__ import annotations

import sqlite3

import pytest

from harness.base.errors import InputError
from harness.study.journal.database import ColumnKey, Journal, opened

COLUMNS = (ColumnKey("aa", "wilson"), ColumnKey("bb", ""))


def test_what_was_put_is_there_after_closing(tmp_path):
    with opened(tmp_path / "j") as journal:
        journal.put(b"key", (0, 3), COLUMNS, b"content")
        journal.note("part", [1, 8])
    with opened(tmp_path / "j") as journal:
        (stored,) = journal.records(b"key")
        assert (stored.start, stored.stop, stored.columns) == (0, 3, COLUMNS)
        assert stored.content == b"content"
        assert journal.records(b"other") == []
        assert journal.fact("part") == [1, 8]
        assert journal.fact("whole") is None


def test_a_record_takes_the_place_of_another(tmp_path):
    with opened(tmp_path / "j") as journal:
        first = journal.put(b"key", (0, 3), COLUMNS, b"content")
        journal.put(b"key", (0, 4), COLUMNS, b"more", first)
        assert [each.content for each in journal.records(b"key")] == [b"more"]


def test_a_full_journal_gives_up_what_the_run_has_no_use_for(tmp_path):
    with opened(tmp_path / "j", largest=100) as journal:
        for key in (b"first", b"second", b"third"):
            journal.put(key, (0, 1), COLUMNS, bytes(33))
    with opened(tmp_path / "j", largest=100) as journal:
        assert journal.records(b"first")
        assert journal.put(b"fourth", (0, 1), COLUMNS, bytes(60)) is not None
        assert journal.put(b"fifth", (0, 1), COLUMNS, bytes(60)) is None
        keys = {key: bool(journal.records(key)) for key in (b"first", b"second", b"fourth")}
        assert keys == {b"first": True, b"second": False, b"fourth": True}


@pytest.mark.parametrize("content", [b"no database at all, but a text" * 100, b"SQLite format 3\0"])
def test_a_file_that_is_no_journal_is_refused(content, tmp_path):
    (tmp_path / "j").write_bytes(content)
    with pytest.raises(InputError, match=r"damaged|not a journal"):
        Journal(tmp_path / "j")
    assert (tmp_path / "j").read_bytes() == content


def test_a_database_of_another_program_is_refused(tmp_path):
    connection = sqlite3.connect(tmp_path / "j")
    connection.execute("CREATE TABLE photos (name TEXT)")
    connection.commit()
    connection.close()
    with pytest.raises(InputError, match="not a journal"):
        Journal(tmp_path / "j")


def test_a_damaged_page_is_one_sentence(tmp_path):
    with opened(tmp_path / "j") as journal:
        for number in range(200):
            journal.put(b"key", (number, number + 1), COLUMNS, bytes(1000))
    content = bytearray((tmp_path / "j").read_bytes())
    content[4096:] = bytes(len(content) - 4096)
    (tmp_path / "j").write_bytes(content)
    with pytest.raises(InputError, match=r"damaged.*--fresh"), opened(tmp_path / "j") as journal:
        journal.records(b"key")


def test_two_processes_have_not_the_same_journal(tmp_path):
    with opened(tmp_path / "j"), pytest.raises(InputError, match="in use"):
        Journal(tmp_path / "j")


def test_a_folder_that_is_not_there_is_one_sentence(tmp_path):
    with pytest.raises(InputError, match="cannot be opened"):
        Journal(tmp_path / "none" / "j")
