"""A right config, and ways to make it wrong."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from harness.base.errors import ConfigError
from harness.kinds.load import load_experiment

WRONG: dict[str, Any] = yaml.safe_load(
    Path(__file__).with_name("wrong.yaml").read_text(encoding="utf-8")
)


def changed(base: str, *changes: str) -> str:
    """A right config with keys' lines replaced or added; ``-key`` takes one out."""
    lines = {line.split(":")[0]: line for line in WRONG["bases"][base].splitlines()}
    for change in changes:
        if change.startswith("-"):
            del lines[change[1:]]
        else:
            lines[change.split(":")[0]] = change
    return "\n".join(lines.values()) + "\n"


def config_with(*changes: str) -> str:
    """The right config of a proportion, with changes."""
    return changed("drawn", *changes)


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
