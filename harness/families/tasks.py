"""Families of tasks, each tried by several samples: pass@k and pass^k.

x of the n samples of a task are right. pass@k is the probability that at least one of k samples of
a task is right, pass^k that all k are, averaged over the population that the tasks are drawn from.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache, partial
from typing import Any

import numpy as np
import numpy.typing as npt

from harness.base.errors import InputError
from harness.base.numerics.arrays import Floats
from harness.families.data import numbers
from harness.families.family import MONTE_CARLO, Data, Family, validate_names
from harness.families.lists import MEAN, RUN, counts_of_lists, list_of_numbers, with_moments
from harness.families.model import model_like

TASKS = "tasks of several samples"
"""The design: tasks with a probability of their own, each tried n times."""
K = "k"
"""The setting: of how many samples one has to be right, or all."""
DEFAULT_K = 2
LARGEST_K = 10**4
MOST_SAMPLES = 10**6
"""The most samples of a task."""
OF_FAILURES = {"pass_at": True, "pass_hat": False}
"""The families, and whether one is 1 less the other of the failures n − x: pass@k is."""

_MODEL = model_like(
    RUN, NAME="task", COUNT="x", SIZE="n", COUNTED="samples", PARAMETER="p", IS_BOUNDED=True
)
_WORDS = {
    "pass_at": "that one of {k} samples is right",
    "pass_hat": "that all {k} samples are right",
}


def share_of_draws(x: Floats, n: Floats, k: int) -> Floats:
    """Return C(x, k)/C(n, k), the share of the draws of k samples in which all are right.

    It is ∏ (x − i)/(n − i) over i < k, to a relative k·2^-52, and 0 for x < k.

    Args:
        x: counts of right samples, any shape.
        n: numbers of samples, at least k, of the same shape.
        k: how many are drawn without replacement.

    >>> share_of_draws(np.array([3.0]), np.array([10.0]), 2)
    array([0.06666667])
    """
    share = np.ones(x.shape)
    for i in range(k):
        share *= np.maximum(x - i, 0.0) / (n - i)
    return share


def _columns(name: str, k: int, x: Floats, n: Floats) -> Data:
    """The columns that methods take: mean, sd and number of the tasks' values, these, x and n."""
    values = 1.0 - share_of_draws(n - x, n, k) if OF_FAILURES[name] else share_of_draws(x, n, k)
    return (*with_moments(values), x, n)


def _validate(name: str, k: int, given: Mapping[str, npt.ArrayLike]) -> Data:
    validate_names(name, ("x", "n"), given)
    x = list_of_numbers("x", given["x"], "task")
    n = numbers("n", given["n"], "a number, or a list of numbers, one for each task")
    # One number is that of the samples of all tasks.
    of_tasks = np.broadcast_to(n, x.shape[-1:]) if n.ndim == 0 else n
    x, n = counts_of_lists(("x", "n"), {"x": x, "n": of_tasks}, "task")
    if x.shape[-1] < 2:
        raise InputError("x should be of at least 2 tasks, found 1")
    wrong = (n < k) | (n > MOST_SAMPLES)
    if wrong.any():
        where = int(np.argwhere(wrong)[0][-1]) + 1
        raise InputError(
            f"n should be from {K} = {k} to {MOST_SAMPLES:,} in every task, as {k} of the n "
            f"samples are drawn, found {n[wrong][0]:.0f} in task {where}"
        )
    return _columns(name, k, x, n)


@cache
def of_tasks(name: str, k: int) -> Family:
    """Return the family ``pass_at`` or ``pass_hat`` of k samples, from 1 to 10^4."""
    symbol = f"{'pass@' if OF_FAILURES[name] else 'pass^'}{k}"
    is_default = k == DEFAULT_K

    def true_values(truth: Any) -> tuple[Floats, ...]:
        """E p^k of pass^k, and 1 − E (1 − p)^k of pass@k, shape (1,)."""
        solved, failed = truth.law.powers(k)
        return (np.array([1.0 - failed if OF_FAILURES[name] else solved]),)

    return replace(
        MEAN,
        name=name if is_default else f"{name}(k={k})",
        title=f"{symbol}: {_WORDS[name].format(k=k)}, from x of n right in each of several tasks",
        parameter=symbol,
        model=_MODEL,
        design=TASKS,
        engines=(MONTE_CARLO,),
        data=("x", "n"),
        summary=(),
        sizes=("tasks", "samples"),
        sizes_in_words=("Numbers of tasks", "Samples of each task"),
        size_in_words="number of tasks",
        symbols=(symbol,),
        support=(0.0, 1.0),
        validate_data=partial(_validate, name, k),
        columns=lambda lists, sizes: _columns(name, k, *lists),
        mirrored=None,
        lists_are_counts=True,
        own_columns={
            "tasks": "Number of tasks.",
            "samples": "Number of samples of each task.",
            "truth": "True probability that one of k samples of a task is right, or all are.",
        },
        has_estimands=False,
        sampling_remark="Coverage depends on the distribution of the tasks' probabilities.",
        settings={K: k},
        base=None if is_default else of_tasks(name, DEFAULT_K),
        true_values=true_values,
        any_number=float(k),
    )
