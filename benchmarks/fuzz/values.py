"""Odd values, and values and texts that are changed at random."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from typing import Any

HOSTILE = "a\x1b[31m\x07\r\x9b\u202e\u2066[bold]b"

ODD: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 2, 3, 7, 5.0, 0.5, 0.05, 1e-320, 1e-12, 1e12, 1e300, -0.0, -1e300,
    float("nan"), float("inf"), -float("inf"), 2**31, 2**53 + 1, 2**63, 2**64, 10**30, 10**400,
    "", " ", "all", "n", "x", "no", "5", "1e9", "\0", "é" * 300, "x" * 5000, HOSTILE, "\u202e",
    "..", "/", "../../x", "/etc/passwd", "a/b", "~", "$HOME", "con", "{x}", "%s", "[red]x[/red]",
    [], {}, [[]], [None], [1, 1], [2, 1], [0.2, 0.1], [1, 10**9], [[1, 2], [3, 4]], {"a": 1},
    {"kind": "x"}, {"": ""}, {"name": None}, {"a": {"a": {"a": {"a": []}}}},
    "wald", ["wald"], "rate", "proportion", "proportion_difference", "balanced_accuracy",
    "calibration", "coverage", "monte_carlo", "posterior", "enumeration", "loky", "threading",
    {"uniform": [0, 1]}, {"uniform": [0.2, 0.3]}, {"beta": [1e-9, 1e9]}, {"beta": [2, 5]},
    {"gamma": [2, 0.5]}, {"values": [0, 1]}, {"values": [0.5]}, {"values": [1e-300, 0.5]},
    {"grid": {"start": 0, "stop": 1, "count": 11}},
    {"grid": {"start": 0, "stop": 1, "count": 10**9}},
    {"log_grid": {"start": 1, "stop": 100, "count": 5}}, {"log_grid": {}},
    {"log_grid": {"start": 1, "stop": 1e18, "count": 10**7}},
    {"first": {"values": [0.2]}, "second": {"uniform": [0, 1]}},
    {"per_size": 10}, {"per_size": 10**15}, {"per_outcome": 2}, {"per_truth": 5},
    {"half_width": 0.1}, {"half_width": 0.01, "max": 2000}, {"half_width": 0, "max": -1},
    {"fractions": 3}, {"fractions": 10**9}, {"width": 3}, {"width": 10, "last": 50},
    {"path": "own.py", "function": "f"}, {"path": "own.py", "function": "absent"},
    {"path": "own.py", "function": "f", "label": "own"}, {"path": "absent.py", "function": "f"},
    {"module": "os", "function": "getpid"}, {"module": "absent.module", "function": "f"},
    {"name": "balanced_tail", "prior": [0.5, 0.5], "label": "b"}, {"name": "wald", "side": "upper"},
    {"jobs": 10**9}, {"jobs": 0}, {"backend": "dask"}, {"timeout": 0}, {"timeout": 1e300},
    {"kind": "alpha_by_outcome", "n": 5}, {"kind": "coverage_curve", "n": 5, "methods": ["wald"]},
    {"kind": "outcome_tails", "n": 10**9}, {"kind": "alpha_surface"}, {"kind": "calibration"},
)  # fmt: skip
"""Values that stand somewhere where another one is right, or nowhere."""

TOKENS = (
    "\t", "\n", "\r", " ", ":", "-", "[", "]", "{", "}", '"', "'", "#", "&a", "*a", "!", "|", ">",
    "%", "@", "`", ",", "?", "0", "9", ".", "e", "~", "\0", "\x07", "\x1b", "\x85", "\ufeff",
    "\u2028", "\u202e", "é", "---\n", "...\n", "<<: ", "!!python/object:os.system ", "!!binary ",
    "&a [*a]", "1e999", "0x", "012", "null", "yes", "n: ", "- ", "  ", "name: x\n", "😀",
)  # fmt: skip
"""Pieces of text that mean something in YAML or JSON, or are no part of either."""


def odd(rng: random.Random) -> Any:
    """An odd value of its own."""
    return copy.deepcopy(rng.choice(ODD))


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every container in a value with every key or index."""
    if isinstance(value, dict | list):
        for key in list(value) if isinstance(value, dict) else range(len(value)):
            yield value, key
            yield from places(value[key])


def changed(value: Any, rng: random.Random, most: int = 4) -> Any:
    """A copy of plain data with one to ``most`` things changed."""
    value = copy.deepcopy(value)
    for _ in range(rng.choice([1, 1, 1, rng.randint(1, most)])):
        found = list(places(value))
        if not found:
            return odd(rng)
        container, key = rng.choice(found)
        other, other_key = rng.choice(found)
        change = rng.randrange(6)
        if change <= 1:
            container[key] = odd(rng)
        elif change == 2:
            del container[key]
        elif change == 3:
            container[key] = copy.deepcopy(other[other_key]) if _has(other, other_key) else None
        elif change == 4 and isinstance(container[key], int | float):
            container[key] = _other_number(container[key], rng)
        elif isinstance(container, dict):
            container[rng.choice([*container, "x", "n", "kind", "labl", HOSTILE])] = odd(rng)
        else:
            container.insert(rng.randrange(len(container) + 1), odd(rng))
    return value


def _has(container: Any, key: Any) -> bool:
    """Whether an earlier change has left the key there."""
    return key in container if isinstance(container, dict) else key < len(container)


def _other_number(number: float, rng: random.Random) -> float:
    return rng.choice([-number, number + 1, number - 1, number * 1000, number / 7, 10**20, 1e-20])


def changed_text(text: str, rng: random.Random, most: int = 6) -> str:
    """The text with a few pieces of it deleted, doubled, moved or replaced."""
    for _ in range(rng.randint(1, most)):
        start = rng.randrange(len(text) + 1)
        stop = min(len(text), start + rng.choice([0, 1, 1, 2, 5, 40]))
        piece, token = text[start:stop], rng.choice(TOKENS)
        text = text[:start] + rng.choice(["", token, token * 3, piece * 2]) + text[stop:]
        if rng.random() < 0.1:
            at = rng.randrange(len(text) + 1)
            text = text[:at] + piece + text[at:]
        if rng.random() < 0.05:
            text = text[: rng.randrange(len(text) + 1)]
    return text


def yaml_of(value: Any) -> str:
    """Plain data as YAML on one line, odd numbers and texts included."""
    return json.dumps(value).replace("NaN", ".nan").replace("Infinity", ".inf")
