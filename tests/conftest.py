"""Settings of every test, the tests that take long, and results that many read and none changes."""

import gc
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

import harness
from tests.study.experiments import DRAWN, LISTED

# Commands run in processes of their own: their modules are compiled once, as installed ones are.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
os.environ.setdefault(
    "PYTHONPYCACHEPREFIX", str(Path(__file__).parents[1] / ".pytest_cache" / "bytecode")
)

# Hypothesis draws the same 40 examples each time and has no deadline.
settings.register_profile("steady", deadline=None, derandomize=True, max_examples=40)
settings.load_profile("steady")

SLOW = tuple(
    line
    for line in Path(__file__).with_name("slow.txt").read_text(encoding="utf-8").splitlines()
    if not line.startswith("#")
)
"""The beginnings of the names of the tests that carry the mark ``slow``."""


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Search no garbage among the tests and modules, which are all kept to the end."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the slow tests."""
    for item in items:
        if item.nodeid.startswith(SLOW):
            item.add_marker(pytest.mark.slow)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A new working folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="session")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> harness.Results:
    """The results of DRAWN, written to a folder."""
    return harness.run(DRAWN, out=tmp_path_factory.mktemp("drawn"))


@pytest.fixture(scope="session")
def listed(tmp_path_factory: pytest.TempPathFactory) -> harness.Results:
    """The results of LISTED, written to a folder."""
    return harness.run(LISTED, out=tmp_path_factory.mktemp("listed"))
