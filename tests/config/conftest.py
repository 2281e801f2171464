"""A right config, and ways to make it wrong."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from harness.base.errors import ConfigError
from harness.config.load import load_experiment

LINES = {
    "name": "name: paper/fig",
    "family": "family: proportion",
    "n": "n: [5, 10]",
    "alpha": "alpha: 0.05",
    "methods": "methods: [wald, {name: balanced_tail, prior: [0.5, 0.5], label: Jeffreys}]",
    "truth": "truth: {values: [0.25, 0.5]}",
    "trials": "trials: {per_outcome: 30}",
    "engines": "engines: [monte_carlo, posterior, enumeration]",
    "seed": "seed: 2003",
    "figures": "figures: [{kind: alpha_by_outcome, n: 10}]",
}
"""One key a line, from line 1 on."""


def config_with(*changes: str, without: str = "") -> str:
    """The right config, with some keys' lines replaced, added or taken out."""
    lines = {key: line for key, line in LINES.items() if key not in without.split()}
    for change in changes:
        lines[change.split(":")[0]] = change
    return "\n".join(lines.values()) + "\n"


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], str]:
    """Writes a text as ``fig.yaml`` in the working folder."""
    monkeypatch.chdir(tmp_path)

    def write(text: str) -> str:
        Path("fig.yaml").write_text(text, encoding="utf-8", newline="")
        return "fig.yaml"

    return write


@pytest.fixture
def issues_of(write: Callable[[str], str]) -> Callable[..., list[str]]:
    """The lines that a user sees for a text."""

    def issues_of(text: str, *overrides: str) -> list[str]:
        with pytest.raises(ConfigError) as caught:
            load_experiment(write(text), overrides)
        assert caught.value.exit_code == 2
        return str(caught.value).splitlines()

    return issues_of
