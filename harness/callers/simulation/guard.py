"""The data of a trial between the calls of several methods, each of which gets them as drawn."""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from copy import deepcopy
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from harness.callers.calls import ANYTHING

AnyArray = npt.NDArray[Any]

_FIXED = (int, float, complex, str, bytes, bool, np.generic, type(None))
"""What nothing can change."""


class Guard:
    """Keeps data from being changed while a method is called.

    Arrays cannot be written to then. Any other data are stored as bytes, compared after each call,
    and read again where they differ.
    """

    def __init__(self, data: Any, arrays: list[AnyArray] | None, saved: bytes | None) -> None:
        self.data = data
        """None where they can neither be locked nor stored, and were used."""
        self._arrays, self._saved = arrays, saved
        self._items = _items(data) if arrays is not None else None

    @classmethod
    def of(cls, data: Any) -> Guard:
        """The guard of some data."""
        arrays: list[AnyArray] = []
        if _are_arrays(data, arrays):
            return cls(data, [each for each in arrays if each.flags.writeable], None)
        return cls(data, None, _pickled(data))

    @property
    def was_locked(self) -> bool:
        """Whether a method may have failed since it could not write to an array."""
        return bool(self._arrays)

    def __enter__(self) -> Self:
        for each in self._arrays or ():
            each.flags.writeable = False
        return self

    def __exit__(self, *_: object) -> None:
        for each in self._arrays or ():
            each.flags.writeable = True

    def restore(self) -> bool:
        """Make the data what they were before a call; return whether the call had changed them."""
        if self._items is not None:
            now = _items(self.data)
            if len(now) == len(self._items) and all(
                one[0] == other[0] and one[1] is other[1]
                for one, other in zip(now, self._items, strict=True)
            ):
                return False
            self.data = type(self.data)(self._items if isinstance(self.data, dict) else self._of())
            return True
        if self._saved is None:
            self.data = None
            return False
        if _pickled(self.data) == self._saved:
            return False
        former, self.data = self.data, pickle.loads(self._saved)
        return not same_data(self.data, former)

    def _of(self) -> list[Any]:
        return [value for _, value in self._items or ()]


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
        return all(_are_arrays(each, found, False) for each in values)
    return False


def _pickled(data: Any) -> bytes | None:
    try:
        return pickle.dumps(data, 5)
    except ANYTHING:
        return None


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
