"""What the functions of one process share: numerical errors, warnings, modules, generators.

A function that changes them changes the answers of others. Changes are looked for after a block of
trials; where there are any, the block is run again, and they are looked for after each call.
"""

from __future__ import annotations

import math
import random
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from operator import is_
from types import ModuleType
from typing import Any

import numpy as np

from harness.callers.location import FunctionLocation

_MODULES: tuple[ModuleType, ...] = (math, random, np, np.linalg, np.fft, np.random)
_NAMES = {module: [*vars(module)] for module in _MODULES}
"""What may not be replaced. Names that a module adds later, when they are first used, are left out.
"""

CHANGED_DATA = "changed the data in place"
DREW = "drew from a global generator of random numbers"
"""Changes that a function makes beside its answer, in clauses."""
_ERRORS = "changed how NumPy treats numerical errors"
_WARNINGS = "made warnings errors"


@dataclass(frozen=True)
class SharedState:
    """What functions share at one time, but for the generators."""

    errors: dict[str, Any]
    """As ``np.geterr`` has it."""
    filters: list[Any]
    """Those of warnings."""
    values: list[Any]
    """What the names of ``_NAMES`` stand for."""

    @classmethod
    def now(cls) -> SharedState:
        """The state as it is."""
        values = [*chain.from_iterable(map(vars(m).get, names) for m, names in _NAMES.items())]
        return cls({**np.geterr()}, [*warnings.filters], values)

    def change(self, later: SharedState) -> str | None:
        """What is other in a later state, in a clause; None where nothing is."""
        if self.errors != later.errors:
            return _ERRORS
        if _raised(self.filters) != _raised(later.filters):
            return _WARNINGS
        if all(map(is_, self.values, later.values)):
            return None
        module, name, _ = next(self._others(later))
        return f"replaced {name} of {module.__name__}"

    def _others(self, later: SharedState) -> Iterator[tuple[ModuleType, str, Any]]:
        """The names that stand for something else in a later state, with what they stood for."""
        names = [(module, name) for module, names in _NAMES.items() for name in names]
        for place, then, now in zip(names, self.values, later.values, strict=True):
            if then is not now:
                yield *place, then

    def restore(self) -> None:
        """Make it the state of the process again."""
        np.seterr(**self.errors)
        # A filter is known by the version of the list, which this function counts up.
        warnings.resetwarnings()
        warnings.filters[:] = self.filters  # type: ignore[index]
        for module, name, value in self._others(SharedState.now()):
            setattr(module, name, value)


def owner(location: FunctionLocation) -> str:
    """The file of a function, or the package of its module, whose functions share one state."""
    return location.path or (location.module or "").split(".")[0]


def consequence(change: str) -> str:
    """What a change means for the other functions, in a clause."""
    if change.endswith(CHANGED_DATA):
        return "the other methods got the data as they were drawn"
    if change.endswith(DREW):
        return "it has the same numbers in every block of trials; draw from the argument `rng`"
    return "it was set back, so that the other functions do not see it"


def _raised(filters: list[Any]) -> list[Any]:
    """The filters that make errors of warnings; others change no answer."""
    return [each for each in filters if each[0] == "error"]


def generators() -> tuple[Any, ...]:
    """The states of the global generators."""
    state: Any = np.random.get_state()  # noqa: NPY002
    _, key, *others = state
    return random.getstate(), key.tobytes(), others
