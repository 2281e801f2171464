"""Sound methods as they are written elsewhere, each with the contract that it should pass."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import yaml

from tests.checks.planted.fault import METHODS, SoundMethod
from tests.checks.planted.faults import FAULTS


@dataclass(frozen=True)
class Sound:
    """A sound method by the name that a check takes."""

    method: str
    family: str
    contract: str
    planted_in: SoundMethod | None = None
    """The method of the corpus of faults that it is."""
    grid: str | None = None
    """The only sizes and alphas at which it exists, or is asked for where a call takes long."""


def _written() -> Iterator[Sound]:
    """Those of ``sound.yaml``, from textbooks, from packages and of the catalogue."""
    textbook = METHODS.parent / "textbook.py"
    for group in yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8")):
        for name, contract, *grid in group["methods"]:
            method = name.replace("textbook:", f"{textbook}:")
            yield Sound(method, group["family"], contract, grid=grid[0] if grid else None)


def _planted_in() -> tuple[Sound, ...]:
    """The sound methods in which faults are planted."""
    methods: dict[str, SoundMethod] = {fault.method.name: fault.method for fault in FAULTS}
    return tuple(
        Sound(f"{METHODS / name}.py:{name}", method.family, method.contract, method)
        for name, method in methods.items()
    )


SOUND: tuple[Sound, ...] = (*_written(), *_planted_in())
