"""The truths that a model returns beside its data."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from harness.base.errors import did_you_mean
from harness.callers.calls import FunctionError, one_line
from harness.callers.simulation.requests import ONLY

DATA, TRUTH = "data", "truth"
"""The keys of what a model returns that draws truths."""
Truth = Any
"""A number or a label; of a batch an array of them, shape (trials,)."""


def data_and_truths(
    found: Any, drawn: Sequence[tuple[str, str]], batch: int
) -> tuple[Any, dict[str, Truth]]:
    """What a model that draws truths returned: its data, and the truths by estimand.

    Args:
        found: what it returned.
        drawn: the estimands, each with the name of its truth.
        batch: the number of trials of a call; 0 where each is a call of its own.

    Raises:
        FunctionError: it has another form; the message is a clause.
        ValueError: a truth is not a finite number or a label; the message is a clause.
    """
    named = [name for _, name in drawn if name != ONLY]
    form = f"{{{', '.join(f'{name!r}: …' for name in named)}}}" if named else "…"
    why = f"estimand {', '.join(named)} is no factor" if named else "estimand is truth"
    expected = f"should return {{'data': …, 'truth': {form}}}, as {why},"
    if not isinstance(found, Mapping) or set(found) != {DATA, TRUTH}:
        raise FunctionError(f"{expected} and returned {one_line(found, repr)}")
    given = found[TRUTH]
    if named:
        if not isinstance(given, Mapping):
            raise FunctionError(f"{expected} and returned the truth {one_line(given, repr)}")
        for name in named:
            if name not in given:
                guess = did_you_mean(name, [str(each) for each in given])
                held = ", ".join(map(str, given))
                raise FunctionError(f"{expected} and returned the truths {held}{guess}")
    return found[DATA], {
        estimand: _truth(name, given if name == ONLY else given[name], batch)
        for estimand, name in drawn
    }


def _truth(name: str, value: Any, batch: int) -> Truth:
    """A truth that shares nothing with the data."""
    if not batch and isinstance(value, float) and math.isfinite(value):
        return float(value)
    of = f"the truth {name}" if name else "the truth"
    array = np.array(value)
    if batch and array.shape != (batch,):
        raise ValueError(f"drew {of} of shape {array.shape}, expected shape ({batch},)")
    is_label = array.dtype.kind == "U"
    if array.dtype.kind not in "biufU" or (not batch and array.size != 1):
        raise ValueError(f"drew {one_line(value, repr)} as {of}, expected a number or a label")
    if not is_label and not np.isfinite(array).all():
        raise ValueError(f"drew {of} that is not finite")
    if not batch:
        return str(array.item()) if is_label else float(array.item())
    return array if is_label else array.astype(np.float64)
