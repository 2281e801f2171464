"""Damaged folders of results: read, drawn from, and written to again."""

from __future__ import annotations

import hashlib
import json
import os
import random
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import harness
from benchmarks.fuzz.configs import GOOD, OWN
from benchmarks.fuzz.outcomes import Outcome, in_another_process, in_process, in_python
from benchmarks.fuzz.values import HOSTILE, changed, odd, yaml_of

BASES = (0, 1, 3, 4)
"""The configs whose results are damaged."""


def prepare(folder: Path) -> None:
    """Make the results that are damaged, one for each of ``BASES``."""
    (folder / "own.py").write_text(OWN)
    for number in BASES:
        config = {**GOOD[number], "name": "result"}
        file = folder / f"config{number}.yaml"
        file.write_text(yaml_of(config))
        outcome = in_process(("run", str(file), "--out", str(folder / f"base{number}"), "--quiet"))
        assert outcome.code == 0, outcome


def case(rng: random.Random, folder: Path, number: int, prepared: Path) -> list[Outcome]:
    """Damage a copy of a result in one to three places, and use it."""
    base = rng.choice(BASES)
    result = folder / "result"
    shutil.copytree(prepared / f"base{base}" / "result", result, symlinks=True)
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        rng.choice(DAMAGES)(result, rng)
    config = str(prepared / f"config{base}.yaml")
    plot = ("plot", str(result), "--format", rng.choice(["png", "svg"]))
    found = [in_python("load", lambda: harness.load(result))]
    uses: dict[str, Callable[[], Outcome]] = {
        "plot": lambda: in_process(plot),
        "run": lambda: in_process(("run", config, "--out", str(folder), "--jobs", "1", "--quiet")),
        "again": lambda: in_process(("run", str(result), "--dry-run", "--out", str(folder / "o"))),
    }
    if number % 25 == 0:
        uses["plot"] = lambda: in_another_process(plot)
    names = rng.choice([("plot",), ("run",), ("again",), ("plot", "run"), ("run", "plot")])
    return found + [uses[name]() for name in names]


def _file(result: Path, rng: random.Random) -> Path | None:
    """A file of the result, hidden ones and figures included."""
    files = sorted(path for path in result.rglob("*") if path.is_file() and not path.is_symlink())
    files = [path for path in files if path.stat().st_mode & 0o400]
    return rng.choice(files) if files else None


def _changed_bytes(change: Callable[[bytes, random.Random], bytes]) -> Callable[..., None]:
    def damage(result: Path, rng: random.Random) -> None:
        file = _file(result, rng)
        if file is not None:
            content = file.read_bytes()
            file.write_bytes(change(content, rng))

    return damage


def _cut(content: bytes, rng: random.Random) -> bytes:
    return content[: rng.randrange(len(content) + 1)]


def _flipped(content: bytes, rng: random.Random) -> bytes:
    changed_content = bytearray(content)
    for _ in range(rng.choice([1, 1, 3, 50])):
        if changed_content:
            changed_content[rng.randrange(len(changed_content))] ^= 1 << rng.randrange(8)
    return bytes(changed_content)


def _foreign(content: bytes, rng: random.Random) -> bytes:
    return rng.choice(
        [b"", b"x", b"{}", b"[]", b"null", b"0", b'"x"', b"\0" * 1000, b"PAR1PAR1", b"a,b\n1,2\n",
         b"[" * 100_000, b'{"a":' * 50_000, b"1" * 100_000, b"\xff\xfe", b"SQLite format 3\0",
         json.dumps(odd(rng)).encode()]
    )  # fmt: skip


def _doubled(content: bytes, rng: random.Random) -> bytes:
    at = rng.randrange(len(content) + 1)
    return content[:at] + content[: rng.randrange(len(content) + 1)] + content[at:]


def _manifest(result: Path, rng: random.Random) -> None:
    """Change values of the manifest, as a program would that knows its form."""
    path = result / "manifest.json"
    try:
        content = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return
    part: Any = content
    for _ in range(rng.randrange(3)):
        inner = [each for each in _values(part) if isinstance(each, dict | list) and each]
        part = rng.choice(inner) if inner else part
    altered = changed(part, rng)
    if type(altered) is type(part):
        part.clear()
        part.update(altered) if isinstance(part, dict) else part.extend(altered)
    else:
        content = altered
    path.write_text(json.dumps(content))


def _values(part: Any) -> list[Any]:
    return list(part.values()) if isinstance(part, dict) else list(part)


def _with_digest(result: Path, rng: random.Random) -> None:
    """Damage a table and write its digest into the manifest, so that it is read all the same."""
    name = rng.choice(["cells.parquet", "summary.csv", "ranking.csv", "recommendation.csv"])
    path, manifest = result / name, result / "manifest.json"
    try:
        content = json.loads(manifest.read_bytes())
        damaged = rng.choice([_cut, _flipped, _foreign, _doubled])(path.read_bytes(), rng)
        content["files"]["tables"][name] = hashlib.sha256(damaged).hexdigest()
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return
    path.write_bytes(damaged)
    manifest.write_text(json.dumps(content))


def _number_in_a_table(result: Path, rng: random.Random) -> None:
    """Change a number of the summary, its digest too."""
    path, manifest = result / "summary.csv", result / "manifest.json"
    try:
        lines = [line.split(",") for line in path.read_text("utf-8").splitlines()]
        content = json.loads(manifest.read_bytes())
        row = rng.choice(lines)
        row[rng.randrange(len(row))] = rng.choice(
            ["", "x", "-1", "1e300", "nan", "inf", "9" * 400, '"', HOSTILE]
        )
        text = "\n".join(map(",".join, lines)) + "\n"
        content["files"]["tables"]["summary.csv"] = hashlib.sha256(text.encode()).hexdigest()
    except (OSError, ValueError, KeyError, TypeError, RecursionError, IndexError):
        return
    path.write_bytes(text.encode())
    manifest.write_text(json.dumps(content))


def _deleted(result: Path, rng: random.Random) -> None:
    entries = sorted(result.rglob("*"))
    if entries:
        chosen = rng.choice(entries)
        shutil.rmtree(chosen) if chosen.is_dir() and not chosen.is_symlink() else chosen.unlink()


def _swapped(result: Path, rng: random.Random) -> None:
    one, other = _file(result, rng), _file(result, rng)
    if one is not None and other is not None and one != other:
        aside = one.with_name("aside")
        one.rename(aside)
        other.rename(one)
        aside.rename(other)


def _replaced(
    make: Callable[[Path, random.Random], None], result: Path, rng: random.Random
) -> None:
    """Put something else in the place of a file."""
    file = _file(result, rng)
    if file is not None:
        file.unlink()
        make(file, rng)


def _link(path: Path, rng: random.Random) -> None:
    there = rng.choice([path.name, "absent", "..", "/dev/zero", "/dev/null", "/", "summary.csv"])
    path.symlink_to(there)


def _permission(result: Path, rng: random.Random) -> None:
    chosen = rng.choice([result, *sorted(result.rglob("*"))])
    if not chosen.is_symlink():
        chosen.chmod(rng.choice([0o000, 0o444, 0o555]))


def _foreign_entry(result: Path, rng: random.Random) -> None:
    name = rng.choice(
        ["photo.jpg", "figures/photo.png", ".hidden", ".lock", ".new-x", ".ready", "journal.sqlite",
         "journal.sqlite-journal", HOSTILE, "manifest.json.bak", "figures"]
    )  # fmt: skip
    path = result / name
    if os.path.lexists(path) or not path.parent.is_dir():
        return
    makes = (Path.mkdir, partial(Path.write_bytes, data=b"x"), lambda p: p.symlink_to("x"))
    rng.choice(makes)(path)


def _whole_folder(result: Path, rng: random.Random) -> None:
    """Put something else in the place of the folder."""
    kept = result.with_name("kept")
    if kept.exists():
        return
    result.rename(kept)
    rng.choice(
        [
            lambda: result.symlink_to("kept"),
            lambda: result.symlink_to("result"),
            lambda: result.symlink_to("absent"),
            lambda: result.write_bytes(b"x"),
            lambda: os.mkfifo(result),
            result.mkdir,
        ]
    )()


DAMAGES: tuple[Callable[[Path, random.Random], None], ...] = (
    *(_changed_bytes(each) for each in (_cut, _flipped, _foreign, _doubled)),
    *(_manifest,) * 5,
    *(_with_digest, _number_in_a_table) * 2,
    _deleted,
    _swapped,
    partial(_replaced, _link),
    partial(_replaced, lambda path, rng: path.mkdir()),
    partial(_replaced, lambda path, rng: os.mkfifo(path)),
    _permission,
    _foreign_entry,
    _whole_folder,
)
