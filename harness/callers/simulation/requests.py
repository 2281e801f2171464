"""What the process of a simulation study is asked for: its functions, trials and their streams.

A stream of random numbers is that of the model, or of a method, in one scenario.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from harness.callers.location import FunctionLocation

TRUTHS, TRIALS = "truths", "trials"
"""The tasks of the process, beside the first one that loads the functions."""
IDLE = -1
"""In place of a function while none is called."""
MODEL = "model"
"""The function that draws the data, in messages."""
MODEL_STREAM = ""
"""What its stream has in place of the label of a method, which is never empty."""
TIES, TIES_STREAM = "ties", "\n"
"""The stream that ranks truths among draws that are equal to them, and what it has in that place,
as a label has one line."""
MODEL_ROW = 0
"""The number of the model, in place of that of a method where the truths that it draws are asked
for."""
ONLY = ""
"""The name of the estimand of a study that has no other."""


@dataclass(frozen=True)
class StudyProgram:
    """What a process of a simulation study calls."""

    model: FunctionLocation
    methods: tuple[tuple[str, FunctionLocation], ...]
    """Each with its label."""
    truths: tuple[FunctionLocation, ...]
    """The functions of the factors that give true values."""
    alpha: float
    batch: int
    """The number of trials of a call; 0 where each is a call of its own."""
    timeout: float
    """Seconds that a call may take."""
    estimands: tuple[str, ...] = (ONLY,)
    """Their names."""
    drawn: tuple[tuple[str, str], ...] = ()
    """The estimands whose truths the model draws, each with its name in what the model returns;
    ``ONLY`` in its place where the truth has no name there."""
    thin: tuple[int, ...] = ()
    """Of each method which of its draws are ranked: every k-th; none where it is 1 of all."""


@dataclass(frozen=True)
class TrialRequest:
    """Trials of one scenario that a process is asked for."""

    factors: Mapping[str, Any]
    """The levels of the factors in the scenario."""
    keys: Mapping[str, str]
    """The keys of the streams: of ``model``, of the methods by their numbers, and of ``ties``."""
    methods: tuple[int, ...]
    """The numbers of the methods that are called, from 1 on; then 0 where the truths that the model
    draws are asked for."""
    first: int
    """The first trial."""
    count: int
    skipped: frozenset[tuple[int, int]] = frozenset()
    """Functions, 0 for the model, with trials in which they are not called."""
    lines: bool = False
    """Whether the reason of a failure has the lines of the user's code."""
    watched: bool = False
    """Whether it is seen after each call what the call has changed for others, and set back, and
    whether it has closed the pipes; else the reply says whether any call has changed something."""
    state: int | None = None
    """What the global generators of random numbers start from, and the reply says whether the data
    are those of the request before; None for 0, without that."""


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
