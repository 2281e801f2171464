"""A pipe, a socket or a device in the place of a file is refused at once."""

import json
import os
import socket
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

import harness
from harness.base.errors import InputError
from harness.base.files import read_regular
from harness.cli import main

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this platform has no pipes"),
    pytest.mark.usefixtures("here"),
]


def make_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(path.name)


def make_loop(path: Path) -> None:
    path.symlink_to(path.name)


OTHERS: dict[str, tuple[Callable[[Path], None], str]] = {
    "pipe": (lambda path: os.mkfifo(path), "it is a pipe and no file"),
    "socket": (make_socket, "it is a socket and no file"),
    "zeros": (lambda path: path.symlink_to("/dev/zero"), "it is a device and no file"),
    "loop": (make_loop, "symbolic links"),
    "folder": (lambda path: path.mkdir(), "Is a directory"),
}


@pytest.mark.parametrize("kind", OTHERS)
def test_what_is_no_file_is_not_read(here: Path, kind: str) -> None:
    make, reason = OTHERS[kind]
    make(here / "x")
    with pytest.raises(OSError, match=reason):
        read_regular(here / "x")


def test_a_file_is_read_through_links_as_far_as_asked(here: Path) -> None:
    (here / "a").write_bytes(b"12345")
    (here / "b").symlink_to("a")
    assert read_regular(here / "b") == b"12345"
    assert read_regular(here / "b", 3) == b"123"


def test_a_pipe_that_takes_the_place_of_a_file_is_not_waited_for(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (here / "file").write_bytes(b"")
    os.mkfifo(here / "pipe")
    found = (here / "file").stat()
    monkeypatch.setattr(Path, "stat", lambda path: found)
    assert stat.S_ISREG((here / "pipe").stat().st_mode)
    with pytest.raises(OSError, match="it is a pipe and no file"):
        read_regular(here / "pipe")


@pytest.mark.parametrize("kind", OTHERS)
@pytest.mark.parametrize("argv", [["run", "x.yaml"], ["check", "wilson", "--config", "x.yaml"]])
def test_a_config_that_is_no_file_is_refused_at_once(
    here: Path, capsys: pytest.CaptureFixture[str], kind: str, argv: list[str]
) -> None:
    OTHERS[kind][0](here / "x.yaml")
    assert main(argv) == 2
    assert capsys.readouterr().err.startswith("harness: x.yaml: expected a ")


@pytest.mark.parametrize("kind", OTHERS)
@pytest.mark.parametrize("place", ["method.py", "method.py:f"])
def test_a_method_that_is_no_file_is_refused_at_once(
    here: Path, capsys: pytest.CaptureFixture[str], kind: str, place: str
) -> None:
    OTHERS[kind][0](here / "method.py")
    config = {
        "name": "a",
        "figures": [],
        "family": "proportion",
        "n": 5,
        "engines": ["enumeration"],
    }
    config["methods"] = [{"path": "method.py", "function": "f"}]
    (here / "a.yaml").write_text(json.dumps(config))
    argv = ["check", place] if ":" in place else ["run", "a.yaml"]
    assert main(argv) == 2
    assert "method.py" in capsys.readouterr().err


@pytest.mark.parametrize("kind", OTHERS)
@pytest.mark.parametrize("name", ["manifest.json", "cells.parquet", "summary.csv"])
def test_results_that_are_no_files_are_refused_at_once(
    monkeypatch: pytest.MonkeyPatch, kind: str, name: str
) -> None:
    config = {
        "name": "a",
        "figures": [],
        "family": "proportion",
        "n": 5,
        "engines": ["enumeration"],
    }
    folder = harness.run({**config, "methods": ["wald"]}).path
    assert folder is not None
    # A socket's path may not be long.
    monkeypatch.chdir(folder)
    Path(name).unlink()
    OTHERS[kind][0](Path(name))
    with pytest.raises(InputError, match=f"{name}|has not finished"):
        harness.load(".")


@pytest.mark.parametrize("kind", ["pipe", "socket", "zeros", "loop"])
@pytest.mark.parametrize("name", ["journal.sqlite", "journal.sqlite-journal"])
def test_a_journal_that_is_no_file_is_refused_at_once(here: Path, kind: str, name: str) -> None:
    (here / "results/a").mkdir(parents=True)
    os.chdir("results/a")
    OTHERS[kind][0](Path(name))
    os.chdir(here)
    config = {
        "name": "a",
        "figures": [],
        "family": "proportion",
        "n": 5,
        "methods": ["wald"],
        "seed": 1,
    }
    with pytest.raises(InputError, match=name):
        harness.run({**config, "trials": {"per_size": 10}}, out="results")


@pytest.mark.parametrize("kind", OTHERS)
def test_a_part_that_is_no_file_is_refused_at_once(
    here: Path, capsys: pytest.CaptureFixture[str], kind: str
) -> None:
    OTHERS[kind][0](here / "part")
    assert main(["merge", "part"]) == 2
    assert "part" in capsys.readouterr().err
