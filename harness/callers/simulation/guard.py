"""What a function could change for others: the data of a trial, and what a process shares.

Methods get data locked, or compared afterwards with what was drawn. The functions of one process
share numerical errors, warnings, modules and generators; changes of these are looked for after a
block of trials. Where there are any, the block is run again, and they are looked for after each
call.
"""

from __future__ import annotations

import math
import pickle
import random
import sys
import warnings
from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from operator import is_
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt

from harness.callers.calls import ANYTHING
from harness.callers.location import FunctionLocation

AnyArray = npt.NDArray[Any]

_FIXED = (int, float, complex, str, bytes, bool, np.generic, type(None))
"""What nothing can change."""
_LOCKED = ("read-only", "readonly")
"""What NumPy, Cython and Numba call an array that cannot be written to."""


class Guard:
    """The data of a trial as they were drawn: arrays as their bytes, any other data pickled."""

    def __init__(self, data: Any) -> None:
        self.data = data
        arrays: list[AnyArray] = []
        self._arrays = arrays if _are_arrays(data, arrays) else None
        self._handed = data
        self._saved: Any = None
        self._items: list[tuple[Any, Any]] = []

    def handed(self, locked: bool) -> Any:
        """The data for the next method.

        Args:
            locked: whether arrays cannot be written to, so that they need no comparison; any other
                data are saved and compared.
        """
        self._handed = self.data
        if locked and self._arrays is not None:
            self._handed = _locked(self.data)
        elif self._saved is None:
            self._saved = self._state()
        self._items = _items(self._handed)
        return self._handed

    @property
    def is_known(self) -> bool:
        """Whether a change is seen; of data that cannot be stored it is not."""
        return self._saved is not None or self._arrays is not None

    def has_changed(self) -> bool:
        """Whether the data that were handed out are others than those that were drawn."""
        if self._arrays is None:
            if self._saved is None or self._state() == self._saved:
                return False
            return not same_data(self.data, pickle.loads(self._saved))
        items = _items(self._handed)
        if len(items) != len(self._items):
            return True
        if self._saved is not None and self._handed is self.data and self._state() != self._saved:
            return True
        pairs = zip(items, self._items, strict=True)
        return any(now[0] != then[0] or now[1] is not then[1] for now, then in pairs)

    def _state(self) -> Any:
        """What the data are compared by; None where they cannot be stored."""
        if self._arrays is not None:
            return [(array.shape, array.dtype, array.tobytes()) for array in self._arrays]
        try:
            return pickle.dumps(self.data, 5)
        except ANYTHING:
            return None


def _locked(data: Any) -> Any:
    """The same arrays, which cannot be written to; containers are others, with equal contents."""
    if isinstance(data, np.ndarray):
        array = data.view()
        array.flags.writeable = False
        return array
    if isinstance(data, dict):
        return {name: _locked(value) for name, value in data.items()}
    if isinstance(data, tuple | list):
        return type(data)(map(_locked, data))
    return data


def is_of_lock(error: BaseException) -> bool:
    """Whether an error says that an array cannot be written to."""
    try:
        text = str(error)
    except ANYTHING:
        return False
    return any(word in text for word in _LOCKED)


def _items(data: Any) -> list[tuple[Any, Any]]:
    """What a dictionary or a list holds, which a method could replace; nothing of other data."""
    if isinstance(data, dict):
        return list(data.items())
    return list(enumerate(data)) if isinstance(data, list) else []


def _are_arrays(data: Any, found: list[AnyArray], is_top: bool = True) -> bool:
    """Whether data are arrays of numbers or a plain container of them, which are then listed."""
    if isinstance(data, np.ndarray):
        found.append(data)
        return type(data) is np.ndarray and not data.dtype.hasobject
    if isinstance(data, _FIXED):
        return True
    if type(data) is tuple or (is_top and type(data) in (dict, list)):
        values = data.values() if isinstance(data, dict) else data
        return all(_are_arrays(value, found, False) for value in values)
    return False


def copy_of(data: Any) -> Any:
    """A copy that shares nothing with the data; None where there can be none."""
    try:
        return deepcopy(data)
    except ANYTHING:
        return None


def same_data(one: Any, other: Any) -> bool:
    """Whether two objects hold the same data; also where that cannot be told."""
    try:
        if type(one) is not type(other):
            return False
        if isinstance(one, np.ndarray):
            return bool(one.dtype == other.dtype and one.tobytes() == other.tobytes())
        if isinstance(one, Mapping):
            return list(one) == list(other) and all(same_data(one[key], other[key]) for key in one)
        if isinstance(one, list | tuple):
            pairs = zip(one, other, strict=True)
            return len(one) == len(other) and all(same_data(*pair) for pair in pairs)
        if callable(getattr(one, "equals", None)):
            return bool(one.equals(other))
        if hasattr(one, "__dict__"):
            return same_data(vars(one), vars(other))
        return bool(one == other) or one != one
    except ANYTHING:
        return True


_MODULES: tuple[ModuleType, ...] = (math, random, np, np.linalg, np.fft, np.random)
_SHARED: dict[str, dict[str, Any]] = {
    **{module.__name__: vars(module) for module in _MODULES},
    "sys.modules": sys.modules,
}
_NAMES = [(holder, name) for holder, values in _SHARED.items() for name in [*values]]
"""What may not be replaced. Names that a module adds later, when they are first used, are left out,
and so are modules that are loaded later.
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
        values = [_SHARED[holder].get(name) for holder, name in _NAMES]
        return cls({**np.geterr()}, [*warnings.filters], values)

    def change(self, later: SharedState) -> str | None:
        """What is other in a later state, in a clause; None where nothing is."""
        if self.errors != later.errors:
            return _ERRORS
        if _raised(self.filters) != _raised(later.filters):
            return _WARNINGS
        if all(map(is_, self.values, later.values)):
            return None
        holder, name, _ = next(self._others(later))
        return f"{'replaced' if name in _SHARED[holder] else 'removed'} {name} of {holder}"

    def _others(self, later: SharedState) -> Iterator[tuple[str, str, Any]]:
        """The names that stand for something else in a later state, with what they stood for."""
        for place, then, now in zip(_NAMES, self.values, later.values, strict=True):
            if then is not now:
                yield *place, then

    def restore(self) -> None:
        """Make it the state of the process again."""
        np.seterr(**self.errors)
        # A filter is known by the version of the list, which this function counts up.
        warnings.resetwarnings()
        warnings.filters[:] = self.filters  # type: ignore[index]
        for holder, name, value in self._others(SharedState.now()):
            _SHARED[holder][name] = value


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
    return [warning_filter for warning_filter in filters if warning_filter[0] == "error"]


def generators() -> tuple[Any, ...]:
    """The states of the global generators."""
    state: Any = np.random.get_state()  # noqa: NPY002
    _, key, *others = state
    return random.getstate(), key.tobytes(), others
