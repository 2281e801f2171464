"""The database of a journal: records of finished tasks by their keys, in one SQLite file."""

from __future__ import annotations

import json
import math
import sqlite3
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from harness.base.errors import InputError, WriteError
from harness.base.files import refuse_irregular
from harness.runner.journal.records import (
    DamagedRecordError,
    Record,
    environment,
    environment_text,
    unpack,
)

LARGEST_JOURNAL = 40 << 20
"""The most bytes of all records. Those of former configs give way; then no more are kept."""

SHORTEST_BATCH = 1.0
"""The fewest seconds between two commits."""

_PAUSE = 60.0
"""Between two commits lie so many times the seconds that the last one took."""

_APPLICATION = 0x48724A6C
_FORMAT = 1
_TABLES = """
CREATE TABLE IF NOT EXISTS environments (number INTEGER PRIMARY KEY, content TEXT UNIQUE NOT NULL);
CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, content TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS records (
    number INTEGER PRIMARY KEY,
    key BLOB NOT NULL,
    start INTEGER NOT NULL,
    stop INTEGER NOT NULL,
    columns TEXT NOT NULL,
    environment INTEGER NOT NULL,
    content BLOB NOT NULL
);
CREATE INDEX IF NOT EXISTS by_key ON records (key);
"""


_READ = "SELECT number, key, start, stop, columns, environment, content FROM records"
_INSERT = (
    "INSERT INTO records (key, start, stop, columns, environment, content)"
    " VALUES (?, ?, ?, ?, ?, ?)"
)


@dataclass(frozen=True)
class ColumnKey:
    """What decides the numbers of one column in a record."""

    digest: str
    """The hash of its limits at the outcomes of the record; of the source where it draws them."""
    name: str
    """The method of the catalogue with alpha, side and prior, in words; "" for a user function."""


@dataclass(frozen=True)
class Stored:
    """A record as it lies in the database."""

    number: int
    start: int
    stop: int
    columns: tuple[ColumnKey, ...]
    environment: int
    content: bytes


class UnsoundError(InputError):
    """The pages of the file do not fit together; records on others can be read."""


class Journal:
    """An open journal. One process has it, which alone reads and writes."""

    def __init__(self, path: Path, largest: int | None = LARGEST_JOURNAL) -> None:
        """Open the journal of a path, or make it; ``opened`` closes it, too.

        A new file that is closed without a record is removed again.

        Args:
            path: its file.
            largest: the most bytes of all records; None for any number.

        Raises:
            UnsoundError: a part of the file is damaged.
            InputError: the file is damaged, or is no journal, or cannot be written.
        """
        self.path = path
        self._largest = math.inf if largest is None else largest
        self._pause, self._committed = SHORTEST_BATCH, time.monotonic()
        self._used: set[int] = set()
        self.damaged = 0
        """The number of damaged records that were found, and removed."""
        self.has_all = False
        """Whether it should have all trials, as after a run in parts."""
        self._is_new = not path.exists()
        _refuse_irregular(path)
        with _faults(path):
            self._connection = sqlite3.connect(path, timeout=0.0, isolation_level=None)
        try:
            self._begin()
        except BaseException:
            self._connection.close()
            raise

    def _begin(self) -> None:
        """Make the tables where they are not, and begin a transaction."""
        path, run = self.path, self._connection.execute
        self._connection.text_factory = _text
        with _faults(path):
            run("PRAGMA locking_mode = EXCLUSIVE")
            run("PRAGMA journal_mode = DELETE")
            run("PRAGMA synchronous = NORMAL")
            application = self._value("PRAGMA application_id")
            form = self._value("PRAGMA user_version")
            is_begun = application == _APPLICATION and form == 0
            if (application == 0 or is_begun) and not self._value(
                "SELECT count(*) FROM sqlite_master"
            ):
                run(f"PRAGMA application_id = {_APPLICATION}")
                run(f"PRAGMA user_version = {_FORMAT}")
                application, form = _APPLICATION, _FORMAT
            if (application, form) != (_APPLICATION, _FORMAT):
                raise InputError(f"{path} is not a journal of this version; move it or delete it")
            if not self._is_new:
                (fault,) = run("PRAGMA quick_check(1)").fetchone()
                if fault != "ok":
                    raise UnsoundError(_damaged(path, fault))
            self._connection.executescript(_TABLES)
            run("BEGIN IMMEDIATE")
            self._here = self._environment_number(json.dumps(environment(), sort_keys=True))
            self._bytes = self._value("SELECT coalesce(sum(length(content)), 0) FROM records")

    def _value(self, query: str, *arguments: Any) -> int:
        row = self._connection.execute(query, arguments).fetchone()
        if row is None or not isinstance(row[0], int):
            raise DamagedRecordError(f"expected a whole number, found {row}")
        return row[0]

    def _environment_number(self, text: str) -> int:
        self._connection.execute("INSERT OR IGNORE INTO environments (content) VALUES (?)", (text,))
        return self._value("SELECT number FROM environments WHERE content = ?", text)

    @property
    def is_empty(self) -> bool:
        """Whether it has no records."""
        with _faults(self.path):
            return not self._value("SELECT count(*) FROM (SELECT 1 FROM records LIMIT 1)")

    def begun_by(self) -> str:
        """The program that made the records, in words, if it is another one than this.

        It is empty where this program made any of them, or where there are none.
        """
        query = (
            "SELECT content FROM environments WHERE number IN (SELECT environment FROM records)"
            " ORDER BY number"
        )
        with _faults(self.path):
            contents = [_environment(row[0]) for row in self._connection.execute(query)]
        programs = [content["program"] for content in contents if content]
        if not programs or environment()["program"] in programs:
            return ""
        return environment_text({"program": programs[-1]})

    def fact(self, name: str) -> Any:
        """Return what was noted under a name as plain data; None where nothing was.

        Raises:
            InputError: the note is damaged.
        """
        with _faults(self.path):
            query = "SELECT content FROM facts WHERE name = ?"
            row = self._connection.execute(query, (name,)).fetchone()
            return None if row is None else _plain(row[0])

    def note(self, name: str, content: Any) -> None:
        """Note plain data under a name, in place of what was there."""
        with _faults(self.path):
            self._connection.execute(
                "INSERT OR REPLACE INTO facts VALUES (?, ?)", (name, json.dumps(content))
            )

    def records(self, key: bytes) -> list[Stored]:
        """Return all records with a key, in the order in which they were made.

        Rows that are damaged are removed.
        """
        # Rows are read by their numbers: an entry of a damaged index may lead to another row.
        within = "WHERE number IN (SELECT number FROM records WHERE key = ?)"
        with _faults(self.path):
            rows = self._connection.execute(f"{_READ} {within} ORDER BY number", (key,)).fetchall()
            if any(row[1] != key for row in rows):
                self._connection.execute("REINDEX by_key")
                rows = [row for row in rows if row[1] == key]
        stored = []
        for row in rows:
            record = _stored(row)
            if record is None:
                self._discard(row[0])
            else:
                stored.append(record)
        self._used.update(record.number for record in stored)
        return stored

    def unpacked(self, stored: Stored, kind: type[Record]) -> Record | None:
        """Return the record that is stored; None where it is damaged, and it is removed.

        Args:
            stored: the record as it lies in the database.
            kind: the type of the record, as ``unpack`` takes it.
        """
        try:
            return unpack(stored.content, kind)
        except DamagedRecordError:
            self._discard(stored.number)
            return None

    def _discard(self, number: int) -> None:
        with _faults(self.path):
            self._remove(number)
        self.damaged += 1

    def put(
        self,
        key: bytes,
        span: tuple[int, int],
        columns: tuple[ColumnKey, ...],
        content: bytes,
        instead: int | None = None,
    ) -> int | None:
        """Keep a record until the next commit writes it.

        Args:
            key: what it is found by.
            span: the first of its tasks and one more than the last.
            columns: its columns.
            content: the record.
            instead: the number of the record that it replaces.

        Returns:
            Its number; None where the journal is full.
        """
        with _faults(self.path):
            if instead is not None:
                self._remove(instead)
            if self._bytes + len(content) > self._largest:
                # The oldest records that this run has no use for give way.
                query = "SELECT number FROM records ORDER BY number"
                for (oldest,) in self._connection.execute(query).fetchall():
                    if self._bytes + len(content) <= self._largest:
                        break
                    if oldest not in self._used:
                        self._remove(oldest)
            if self._bytes + len(content) > self._largest:
                return None
            names = json.dumps([[column.digest, column.name] for column in columns])
            cursor = self._connection.execute(_INSERT, (key, *span, names, self._here, content))
        number = cursor.lastrowid
        assert number is not None
        self._bytes += len(content)
        self._used.add(number)
        return number

    def _remove(self, number: int) -> None:
        query = "SELECT coalesce(sum(length(content)), 0) FROM records WHERE number = ?"
        self._bytes -= self._value(query, number)
        self._connection.execute("DELETE FROM records WHERE number = ?", (number,))

    @property
    def is_due(self) -> bool:
        """Whether enough time has passed since the last commit."""
        return time.monotonic() - self._committed >= self._pause

    def commit(self, start: float) -> None:
        """Write what was put since the last commit; the next one follows after a pause.

        Args:
            start: when the preparation of the records began, by the monotonic clock.
        """
        with _faults(self.path):
            self._connection.execute("COMMIT")
            self._connection.execute("BEGIN IMMEDIATE")
        self._committed = time.monotonic()
        self._pause = max(SHORTEST_BATCH, _PAUSE * (self._committed - start))

    def copy_from(self, path: Path, *, has_facts: bool = False) -> None:
        """Copy all records of another journal into this one, but for damaged ones.

        Args:
            path: its file, which is not changed.
            has_facts: whether all that was noted is copied too.

        Raises:
            InputError: the file is damaged or no journal, or this one cannot be written.
        """
        with _faults(path), _read_only(path) as other:
            if has_facts:
                facts = other.execute("SELECT name, content FROM facts").fetchall()
                self._connection.executemany("INSERT INTO facts VALUES (?, ?)", facts)
            numbers = {}
            with _unreadable():
                for number, text in other.execute("SELECT number, content FROM environments"):
                    if isinstance(text, str):
                        numbers[number] = self._environment_number(text)
            for row in _readable_rows(other):
                record = None if row is None else _stored(row)
                if record is None:
                    self.damaged += 1
                    continue
                place = numbers.get(record.environment, self._here)
                _, key, start, stop, columns, _, content = row
                self._connection.execute(_INSERT, (key, start, stop, columns, place, content))
                self._bytes += len(content)

    def close(self) -> None:
        """Write what was put, and close the file."""
        empty = False
        try:
            with _faults(self.path):
                empty = not self._value(
                    "SELECT count(*) + (SELECT count(*) FROM facts) FROM records"
                )
                # SQLite ends a transaction that finds the disk full.
                if self._connection.in_transaction:
                    self._connection.execute("COMMIT")
        finally:
            self._connection.close()
        if self._is_new and empty:
            self.path.unlink()

    def refuse_other_limits(self, stored: Stored, name: str, where: str) -> None:
        """Refuse limits of a method of the catalogue that are others than those of a record.

        Limits of another version of the program are not refused: they are computed anew.

        Args:
            stored: the record.
            name: the method's column, in words.
            where: the size, in words.

        Raises:
            InputError: the same program had other limits, so that the machine is of another kind.
        """
        query = "SELECT content FROM environments WHERE number = ?"
        with _faults(self.path):
            row = self._connection.execute(query, (stored.environment,)).fetchone()
        then = _environment(row[0]) if row else {}
        if then.get("program") == environment()["program"]:
            raise InputError(
                f"{where}: the limits of {name} differ from those of {self.path}, which another "
                f"kind of machine computed: there {environment_text(then)}; here "
                f"{environment_text(environment())}. Go on there, or run with --fresh"
            )


def _text(content: bytes) -> str:
    """A text of the database; bytes that are none, of a damaged file, are replaced."""
    return content.decode("utf-8", "replace")


def _plain(content: Any) -> Any:
    """The plain data that a cell of the database has as JSON.

    Raises:
        DamagedRecordError: it has none.
    """
    try:
        return json.loads(content)
    except (ValueError, TypeError, RecursionError) as fault:
        raise DamagedRecordError(str(fault)) from None


def _environment(content: Any) -> Mapping[str, Any]:
    """The environment in a cell; nothing where the cell is damaged, which costs no number."""
    with suppress(DamagedRecordError):
        there = _plain(content)
        if isinstance(there, dict) and isinstance(there.get("program"), dict):
            return there
    return {}


def _stored(row: Any) -> Stored | None:
    """The record in a row of the database; None if the row is damaged."""
    number, key, start, stop, columns, place, content = row
    try:
        keys = tuple(ColumnKey(str(sha), str(name)) for sha, name in _plain(columns))
    except (ValueError, TypeError):
        return None
    numbers = all(isinstance(value, int) for value in (start, stop, place))
    # JSON is written in ASCII, so that anything else was changed.
    if not keys or not numbers or not columns.isascii():
        return None
    if not isinstance(key, bytes) or not isinstance(content, bytes):
        return None
    return Stored(number, start, stop, keys, place, content)


@contextmanager
def _faults(path: Path) -> Iterator[None]:
    try:
        yield
    except (DamagedRecordError, sqlite3.DatabaseError) as fault:
        name = getattr(fault, "sqlite_errorname", "")
        if name == "SQLITE_FULL" or name.startswith("SQLITE_IOERR"):
            reason, then = str(fault), ""
            if name == "SQLITE_FULL":
                reason, then = "the disk is full", "with room "
            raise WriteError(
                f"{path} cannot be written: {reason}; what was recorded before is still good, and "
                f"{then}the same command goes on from there"
            ) from None
        if name.startswith(("SQLITE_CANTOPEN", "SQLITE_READONLY", "SQLITE_PERM")):
            raise InputError(f"{path} cannot be opened: {fault}") from None
        if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED", "SQLITE_PROTOCOL")):
            raise InputError(f"{path} is in use by another process") from None
        raise InputError(_damaged(path, fault)) from None


def _damaged(path: Path, fault: object) -> str:
    return f"{path} is damaged ({fault}); delete it, or run with --fresh"


@contextmanager
def _unreadable() -> Iterator[None]:
    """Pass over what SQLite cannot read of a damaged file."""
    try:
        yield
    except sqlite3.DatabaseError as fault:
        if not getattr(fault, "sqlite_errorname", "").startswith("SQLITE_CORRUPT"):
            raise


def _readable_rows(connection: sqlite3.Connection) -> Iterator[Any]:
    """Yield the rows of records, and None in place of one that cannot be read.

    A damaged page ends a query. The numbers of rows are those that are found from the first one on,
    from the last one on, and in the index.
    """
    numbers: set[int] = set()
    for way in (
        "NOT INDEXED ORDER BY number",
        "NOT INDEXED ORDER BY number DESC",
        "INDEXED BY by_key",
    ):
        with _unreadable():
            numbers.update(n for (n,) in connection.execute(f"SELECT number FROM records {way}"))
    for number in sorted(numbers):
        row = None
        with _unreadable():
            row = connection.execute(f"{_READ} WHERE number = ?", (number,)).fetchone()
        yield row


def _refuse_irregular(path: Path) -> None:
    """Refuse a pipe or a device in the place of a journal, or of SQLite's own beside it.

    Raises:
        InputError: it is one, and SQLite would wait for its other end.
    """
    for file in (path, path.with_name(f"{path.name}-journal")):
        try:
            refuse_irregular(file)
        except OSError as fault:
            raise InputError(f"{file} cannot be opened: {fault.strerror}") from None


@contextmanager
def _read_only(path: Path) -> Iterator[sqlite3.Connection]:
    _refuse_irregular(path)
    place = f"file:{quote(str(path.absolute()))}?mode=ro"
    with closing(sqlite3.connect(place, uri=True, timeout=0.0)) as connection:
        connection.text_factory = _text
        application = connection.execute("PRAGMA application_id").fetchone()[0]
        form = connection.execute("PRAGMA user_version").fetchone()[0]
        if (application, form) != (_APPLICATION, _FORMAT):
            raise InputError(f"{path} is not a journal of this version")
        yield connection


def facts_of(path: Path) -> dict[str, Any]:
    """Return all that was noted in a journal, without changing it.

    Raises:
        InputError: the file is damaged or no journal, or is in use.
    """
    with _faults(path), _read_only(path) as connection:
        rows = connection.execute("SELECT name, content FROM facts").fetchall()
        return {str(name): _plain(content) for name, content in rows}


def _salvage(path: Path) -> int:
    """Replace a damaged journal by one of the records that can be read; return how many cannot.

    Raises:
        InputError: what was noted cannot be read, or the new file cannot be written.
    """
    sound = path.with_name(f"{path.name}-salvaged")
    try:
        with opened(sound, fresh=True, largest=None) as journal:
            journal.copy_from(path, has_facts=True)
        # Without any record it is gone.
        if sound.exists():
            sound.replace(path)
        else:
            path.unlink()
    except BaseException:
        sound.unlink(missing_ok=True)
        raise
    return journal.damaged


@contextmanager
def opened(
    path: Path, *, fresh: bool = False, largest: int | None = LARGEST_JOURNAL
) -> Iterator[Journal]:
    """Open a journal for a block and close it after it, whatever happens.

    Args:
        path: its file.
        fresh: whether to begin a new one in place of an existing one.
        largest: the most bytes of all records; None for any number.

    Raises:
        InputError: the file is damaged, or is no journal, or cannot be written.
    """
    if fresh:
        # What SQLite has not taken back yet belongs to the file.
        for file in (path, path.with_name(f"{path.name}-journal")):
            file.unlink(missing_ok=True)
    try:
        journal = Journal(path, largest)
    except UnsoundError:
        lost = _salvage(path)
        journal = Journal(path, largest)
        journal.damaged = lost
    try:
        yield journal
    except BaseException:
        # What the first fault leaves in the file is none of its own.
        with suppress(InputError):
            journal.close()
        raise
    journal.close()
