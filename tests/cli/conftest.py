"""The command line in a working folder of its own."""

import json
import signal
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from harness.cli import main

SMALL: dict[str, Any] = {
    "name": "small",
    "title": "A small run",
    "family": "proportion",
    "n": [3, 8],
    "alpha": 0.3,
    "methods": ["wald", {"name": "clopper_pearson", "side": "upper", "label": "bound [90 %]"}],
    "trials": {"per_size": 500},
    "seed": 5,
    "execution": {"jobs": 1},
    "figures": [],
}
FIGURES: list[dict[str, Any]] = [{"kind": "alpha_by_outcome", "n": 8, "method": "wald"}]
"""Drawn where a figure matters: it takes longer than the run."""

# A hang-up that is ignored where the tests run, as under nohup, is ignored by what they start.
if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


@dataclass(frozen=True)
class CommandResult:
    """How a command ended and what it said."""

    code: int
    out: str
    err: str

    @property
    def words(self) -> str:
        """Standard output with single spaces, whatever the layout of the tables."""
        return " ".join(self.out.split())


RunCommand = Callable[..., CommandResult]


@pytest.fixture
def run_command(here: Path, capsys: pytest.CaptureFixture[str]) -> RunCommand:
    """Runs a command line."""

    def run_command(*argv: str) -> CommandResult:
        capsys.readouterr()
        code = main(argv)
        captured = capsys.readouterr()
        return CommandResult(code, captured.out, captured.err)

    return run_command


@pytest.fixture
def config(here: Path) -> Callable[..., str]:
    """Writes SMALL with changes (a key that is None is left out) and gives the file's name."""

    def config(path: str = "small.yaml", **changes: Any) -> str:
        content = {key: value for key, value in {**SMALL, **changes}.items() if value is not None}
        file = here / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(content, indent=1))
        return path

    return config


def is_one_sentence(result: CommandResult) -> bool:
    """Whether a command said what is wrong on one line of standard error and nothing else."""
    return (
        result.out == ""
        and result.err.count("\n") == 1
        and result.err.startswith("harness: ")
        and "Traceback" not in result.err
    )
