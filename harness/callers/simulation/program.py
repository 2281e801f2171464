"""The functions of a simulation study, and the streams of random numbers that they draw from."""

from __future__ import annotations

import ast
import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from harness.callers.location import FunctionLocation

MODEL = "model"
"""The function that draws the data, in messages."""
MODEL_STREAM = ""
"""What its stream has in place of the label of a method, which is never empty."""


@dataclass(frozen=True)
class Program:
    """What a process of a simulation study calls."""

    model: FunctionLocation
    methods: tuple[tuple[str, FunctionLocation], ...]
    """Each with its label."""
    estimand: FunctionLocation | None
    """A function of the factors; None where the true value is known without one."""
    alpha: float
    batch: int
    """The number of trials of a call; 0 where each is a call of its own."""
    timeout: float
    """Seconds that a call may take."""


class Stream:
    """A generator whose numbers of one trial do not depend on those of others.

    The key of a Philox generator is that of the stream, and the second word of its counter the
    trial; a trial has 2^64 blocks of four numbers.
    """

    def __init__(self, key: str) -> None:
        """
        Args:
            key: 32 hexadecimal digits.
        """
        self._bits = np.random.Philox(key=int(key, 16))
        self._state: Any = self._bits.state
        self._rng = np.random.Generator(self._bits)

    def at(self, trial: int) -> np.random.Generator:
        """The generator at the beginning of a trial."""
        self._state["state"]["counter"][1] = trial
        self._bits.state = self._state
        return self._rng


def stream_key(seed: int, factors: Mapping[str, Any], batch: int, who: str) -> str:
    """The key of the stream of the model, or of a method by its label, in one scenario."""
    content = {"seed": seed, "factors": dict(factors), "batch": batch, "of": who}
    text = json.dumps(content, sort_keys=True).encode()
    return hashlib.blake2b(text, digest_size=16).hexdigest()


def source_files(place: FunctionLocation) -> dict[str, bytes]:
    """The file of a function and those of its folder that it imports, by their names there.

    They are found by reading, and not by importing. Of a module that is not found there is none,
    nor of a function of the Python session.
    """
    file = _file_of(place)
    if file is None:
        return {}
    top, is_of_r = file.parent, file.suffix.lower() == ".r"
    if place.module is not None:
        top = file.parents[place.module.count(".") + (file.name == "__init__.py")]
    found: dict[str, bytes] = {}
    waiting = [file]
    while waiting:
        each = waiting.pop()
        if not each.is_relative_to(top) or not each.is_file():
            continue
        name = each.relative_to(top).as_posix()
        if name not in found:
            found[name] = each.read_bytes()
            waiting += _sourced(found[name], each) if is_of_r else _imported(found[name], each, top)
    return found


def _file_of(place: FunctionLocation) -> Path | None:
    if place.path is not None:
        return Path(place.path)
    if place.module is None:
        return None
    top, *parts = place.module.split(".")
    spec = find_spec(top)
    if spec is None or spec.origin is None:
        return None
    file = Path(spec.origin)
    if parts:
        file = file.parent.joinpath(*parts).with_suffix(".py")
        file = file if file.is_file() else file.with_suffix("") / "__init__.py"
    return file if file.is_file() else None


def _sourced(text: bytes, file: Path) -> Iterator[Path]:
    """The files that a file of R reads by ``source``."""
    for name in re.findall(rb"\bsource\(\s*[\"']([^\"']+)[\"']", text):
        yield file.parent / name.decode(errors="replace")


def _imported(text: bytes, file: Path, top: Path) -> Iterator[Path]:
    """The files below a folder that a file imports."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return
    for node in ast.walk(tree):
        names: list[str] = []
        folder = top
        if isinstance(node, ast.Import):
            names = [each.name for each in node.names]
        elif isinstance(node, ast.ImportFrom):
            folder = file.parents[node.level - 1] if node.level else top
            base = [node.module] if node.module else []
            names = [*base, *(".".join([*base, each.name]) for each in node.names)]
        for name in names:
            place = folder.joinpath(*name.split("."))
            yield from (place.with_suffix(".py"), place / "__init__.py")


def sources_digest(place: FunctionLocation) -> str:
    """The SHA-256 of the files of a function, or of its pickle."""
    found = hashlib.sha256((place.function + (place.pickled or "")).encode())
    for name, content in sorted(source_files(place).items()):
        found.update(name.encode() + b"\0" + hashlib.sha256(content).digest())
    return found.hexdigest()
