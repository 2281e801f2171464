"""Random command lines: words that belong to a command, and words that do not."""

from __future__ import annotations

import os
import random
from itertools import chain
from pathlib import Path

from benchmarks.fuzz.configs import GOOD, OWN
from benchmarks.fuzz.outcomes import Outcome, in_another_process, in_process
from benchmarks.fuzz.values import HOSTILE, odd, yaml_of

FAMILIES = ("proportion", "rate", "proportion_difference", "rate_difference", "balanced_accuracy")
METHODS = ("wald", "wilson", "score", "minimal_length", "balanced_tail", "bootstrap", "one_sided")
DATA = {
    "proportion": ("--x", "--n"),
    "rate": ("--x", "--exposure"),
    "proportion_difference": ("--x1", "--n1", "--x2", "--n2"),
    "rate_difference": ("--x1", "--exposure1", "--x2", "--exposure2"),
    "balanced_accuracy": ("--x1", "--n1", "--x2", "--n2"),
}
NUMBERS = (
    "0", "1", "3", "10", "100", "0.5", "-1", "1e6", "1e15", "1e300", "nan", "inf", "-0", "1e-300",
    "5.5", "", "x", "0x10", "1_000", "١", "9" * 400,
)  # fmt: skip
FLAGS = (
    "--help", "--verbose", "--dry-run", "--quiet", "--fresh", "--version", "--", "-", "-x", "--x=3",
    "--take-over", "--no-such",
)  # fmt: skip
OPTIONS = {
    "--method": METHODS, "--alpha": ("0.05", "0", "1", "-1", "nan", "1e-300", "0.999999"),
    "--side": ("two-sided", "lower", "upper", "both"), "--prior": ("1", "0.5", "0", "-1", "nan"),
    "--seed": ("1", "-1", "1.5", "9" * 50), "--format": ("table", "json", "csv", "png", "x"),
    "--delta": NUMBERS, "--family": FAMILIES, "--jobs": ("1", "-1", "0", "x", "9" * 30),
    "--backend": ("threading", "loky", "x"), "--set": ("n=5", "n", "=", "alpha=0.1", "x.y=1"),
    "--out": ("out", "file", "", "a/b", "\u202e"),
    "--shard": ("1/2", "2/1", "0/0", "x", "1/", "-1/2", "1/999999999999"),
    "--timeout": ("1", "0", "-1", "nan"),
    "--config": ("config.yaml", "absent.yaml", "folder", "pipe.yaml"),
    "--against": ("wilson", "absent", "folder", "pipe"), "--contract": ("nominal", "x"),
    "--margin": ("0.1", "-1", "nan"), "--trials": ("1", "0", "-1"), "--update": ("file", ""),
}  # fmt: skip
PLACES = ("config.yaml", "absent.yaml", "folder", "file", "pipe.yaml", "", ".", "~", "a/b", HOSTILE)
"""Not the top of the file system, which a run would search for configs."""
SUBJECTS = ("absent", "own.py:absent", "absent.py:f", "os:getpid", ":", "own.py:", HOSTILE)
"""Methods that a check cannot load, since a whole check takes seconds."""


def case(rng: random.Random, folder: Path, number: int) -> list[Outcome]:
    """Run a random command line in a folder with a config, a file, a folder and a pipe."""
    (folder / "own.py").write_text(OWN)
    (folder / "config.yaml").write_text(yaml_of(GOOD[1]))
    (folder / "file").write_text("x")
    (folder / "folder").mkdir()
    _make_pipe(folder / "pipe.yaml")
    argv = tuple(word.replace("\0", "") for word in _words(rng))
    found = [in_process(argv)]
    if number % 50 == 0:
        found.append(in_another_process(argv))
    return found


def _make_pipe(path: Path) -> None:
    if hasattr(os, "mkfifo"):
        os.mkfifo(path)


def _words(rng: random.Random) -> list[str]:
    command = rng.choice(
        [
            "run",
            "run",
            "plot",
            "interval",
            "interval",
            "significance",
            "methods",
            "check",
            "schema",
            "merge",
        ]
    )
    words = [command, *_arguments(command, rng)]
    for _ in range(rng.choice([0, 0, 1, 1, 2, 3])):
        name = rng.choice(list(OPTIONS))
        words += [name, rng.choice([*OPTIONS[name], rng.choice(NUMBERS)])]
    for _ in range(rng.choice([0, 0, 0, 1, 2])):
        words.insert(rng.randrange(len(words) + 1), rng.choice(FLAGS))
    if rng.random() < 0.15:
        words[rng.randrange(len(words))] = _odd_word(rng)
    if rng.random() < 0.1:
        words.insert(rng.randrange(len(words) + 1), _odd_word(rng))
    if rng.random() < 0.05:
        words.pop(rng.randrange(len(words)))
    # A run that is not refused is only planned, and a check has nothing to check.
    if "run" in words:
        words.append("--dry-run")
    if "check" in words:
        words = [word for word in words if word not in (*METHODS, "own.py:f")]
    return words


def _arguments(command: str, rng: random.Random) -> list[str]:
    if command == "run":
        return rng.choices(PLACES, k=rng.choice([0, 1, 1, 1, 2]))
    if command in ("plot", "merge"):
        return rng.choices(PLACES, k=rng.choice([0, 1, 1, 2]))
    if command in ("interval", "significance"):
        family = rng.choice(FAMILIES)
        data = DATA[family if rng.random() < 0.9 else rng.choice(FAMILIES)]
        given = [(name, rng.choice(NUMBERS[: rng.choice([5, 21])])) for name in data]
        return [family, *chain.from_iterable(given)]
    if command == "methods":
        return rng.choices(METHODS, k=rng.choice([0, 1, 2]))
    return [rng.choice(SUBJECTS)] if command == "check" else []


def _odd_word(rng: random.Random) -> str:
    value = odd(rng)
    return value if isinstance(value, str) else yaml_of(value)[:2000]
