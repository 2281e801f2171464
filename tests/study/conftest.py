"""Results that many tests read and none changes."""

from pathlib import Path

import pytest

import harness
from harness.study import estimate
from tests.study.experiments import DRAWN, LISTED


@pytest.fixture(scope="session")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> harness.Results:
    """The results of DRAWN, written to a folder."""
    return harness.run(DRAWN, out=tmp_path_factory.mktemp("drawn"))


@pytest.fixture(scope="session")
def listed(tmp_path_factory: pytest.TempPathFactory) -> harness.Results:
    """The results of LISTED, written to a folder."""
    return harness.run(LISTED, out=tmp_path_factory.mktemp("listed"))


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A new working folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def unmeasured(monkeypatch: pytest.MonkeyPatch) -> None:
    """No run measures beforehand how long it will take, which of two samples takes as long."""
    monkeypatch.setattr(estimate, "_seconds", lambda *_: 0.0)
