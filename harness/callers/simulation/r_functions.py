"""Functions of R in a simulation study: one R process holds them, and the data that they draw."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from harness.base.numerics.arrays import Floats
from harness.callers.calls import FunctionError
from harness.callers.location import FunctionLocation
from harness.callers.simulation.answers import FIELDS

_SCRIPT = Path(__file__).with_name("trials.R")
_LARGEST_SEED = 2**31 - 1


def is_of_r(path: str | None) -> bool:
    """Whether a file is one of R."""
    return path is not None and path.lower().endswith(".r")


class RError(Exception):
    """An error of R; its text is that of R."""


class RData:
    """Stands for the data that R has drawn last, and has kept."""


class RProcess:
    """The R process of one study, which is started when it is first needed."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._functions: list[tuple[str, str]] = []
        self._drawn: list[str] | None = None

    def function(self, location: FunctionLocation, *, is_model: bool) -> RTrialModel | RTrialMethod:
        """A function of an R file, as Python calls it.

        Raises:
            FunctionError: there is no R, or the file has no such function.
        """
        path, name = str(location.path), location.function
        try:
            self.ask(["load", path, name])
        except RError as error:
            raise FunctionError(f"{path} cannot be loaded: {error}") from None
        self._functions.append((path, name))
        return RTrialModel(self, path, name) if is_model else RTrialMethod(self, path, name)

    def files(self, location: FunctionLocation) -> list[str]:
        """The real paths of the files that loading a function reads by ``source``.

        Raises:
            FunctionError: there is no R, or the file has no such function.
            RError: R cannot follow the files.
        """
        self.ask(["follow"])
        self.function(location, is_model=False)
        return self.ask(["files"])

    def ask(self, words: list[str], arrays: bytes = b"") -> list[str]:
        """The words of the answer to a request.

        Raises:
            RError: R says that it failed, or has ended.
            FunctionError: there is no R.
        """
        if self._process is None:
            self._process = self._started()
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write("\t".join(words).encode() + b"\n" + arrays)
            process.stdin.flush()
            line = process.stdout.readline().decode()
        except BrokenPipeError:
            line = ""
        if not line:
            self._process = None
            raise RError(f"R ended with exit code {process.wait()}")
        kind, *answer = line.rstrip("\n").split("\t")
        if kind == "ended":
            self._process = None
            process.wait()
        if kind != "ok":
            raise RError("\t".join(answer))
        return answer

    def draw(self, words: list[str]) -> None:
        """Draw data, which are kept; also where R is started anew.

        Raises:
            RError: R says that it failed, or has ended.
        """
        self._drawn = None
        self.ask(words)
        self._drawn = words

    def _started(self) -> subprocess.Popen[bytes]:
        program = shutil.which("Rscript")
        if program is None:
            raise FunctionError("Rscript is not found: functions of R need an installed R")
        arguments = [program, "--vanilla", str(_SCRIPT)]
        self._process = subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self._process.stdout is not None
        self._process.stdout.readline()
        for path, name in self._functions:
            self.ask(["load", path, name])
        if self._drawn is not None:
            # A method has ended R, and the data with it.
            self.ask(self._drawn)
        return self._process


def _seed(rng: np.random.Generator) -> str:
    return str(int(rng.integers(1, _LARGEST_SEED)))


class RTrialModel:
    """A model in R: f(factors), with R's generator set from the stream of the trial."""

    def __init__(self, process: RProcess, path: str, name: str) -> None:
        self._process, self._words = process, ["draw", path, name]

    def __call__(self, rng: np.random.Generator, **factors: Any) -> RData:
        words = [*self._words, _seed(rng)]
        for name, level in factors.items():
            kind = "truth" if isinstance(level, bool) else "text"
            kind = kind if isinstance(level, bool | str) else "number"
            shown = {"number": repr(level), "truth": str(level), "text": f"={level}"}[kind]
            if not shown.isprintable():
                raise ValueError(
                    f"expected a level of one line without tabs for R, found {level!r}"
                )
            words += [name, kind, shown]
        self._process.draw(words)
        return RData()


class RTrialMethod:
    """A method in R: f(data, alpha); data from Python are arrays by name."""

    def __init__(self, process: RProcess, path: str, name: str) -> None:
        self._process, self._words = process, ["call", path, name]

    def __call__(self, data: Any, alpha: float, rng: np.random.Generator) -> Any:
        words = [*self._words, _seed(rng), repr(alpha)]
        if isinstance(data, RData):
            answer = self._process.ask([*words, "own"])
        else:
            items = list(_items(data))
            arrays = b"".join(
                "\t".join([name, *map(str, array.shape or (1,))]).encode()
                + b"\n"
                + array.astype("<f8").tobytes()
                for name, array in items
            )
            answer = self._process.ask([*words, str(len(items))], arrays)
        pairs = [word.rpartition("=") for word in answer]
        values = [np.nan if number in ("NA", "NaN") else float(number) for _, _, number in pairs]
        if len(values) in (2, 3) and not {name for name, _, _ in pairs} & set(FIELDS):
            return tuple(values)
        named = dict(zip((name for name, _, _ in pairs), values, strict=True))
        if "converged" in named:
            return {**named, "converged": bool(named["converged"])}
        return named


def _items(data: Any) -> Iterator[tuple[str, Floats]]:
    """Arrays by their names; those of a tuple have none, one alone is called data."""
    if hasattr(data, "to_dict") and hasattr(data, "columns"):
        data = {str(name): data[name] for name in data.columns}
    if isinstance(data, Mapping):
        named = list(data.items())
    elif isinstance(data, tuple | list):
        named = [("", value) for value in data]
    else:
        named = [("data", data)]
    for name, value in named:
        array = np.asarray(value)
        if array.dtype.kind not in "biuf":
            raise TypeError(f"expected numbers for R, found {name} of type {array.dtype}")
        yield str(name), array.astype(np.float64)
