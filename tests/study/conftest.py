"""Settings of the tests of runs."""

import pytest

from harness.kinds.coverage import estimate


@pytest.fixture
def unmeasured(monkeypatch: pytest.MonkeyPatch) -> None:
    """No run measures beforehand how long it will take, which of two samples takes as long."""
    monkeypatch.setattr(estimate, "_seconds", lambda *_: 0.0)
