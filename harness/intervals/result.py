"""The record of an interval: its numbers, how it prints, and its data frame."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np
import numpy.typing as npt

from harness.arguments import validate_choice
from harness.errors import InputError
from harness.intervals.text import interval_text
from harness.numerics.arrays import Floats

if TYPE_CHECKING:
    import polars as pl

Value = float | Floats
Library = Literal["polars", "pandas", "pyarrow"]
LIBRARIES = ("polars", "pandas", "pyarrow")


@dataclass(frozen=True)
class Interval:
    """An estimate with its limits: floats for scalar data, else arrays of the broadcast shape.

    All are in the unit of the parameter: a probability for proportions, their differences and
    balanced accuracies; events per unit of exposure for rates and their differences; of a mean that
    of the values. Two intervals are equal where their numbers are, whatever they are made from.
    """

    estimate: Value
    """The parameter at the observed proportions or rates; not a number where a ratio is 0/0."""
    lower: Value
    """The lower limit; the lower boundary of the support if only an upper limit is asked for."""
    upper: Value
    """The upper limit; the upper boundary of the support if only a lower limit is asked for."""
    family: str = field(compare=False)
    """What is estimated."""
    method: str = field(compare=False)
    """The name of the method in the catalogue; that of the default where none was given."""
    alpha: Value = field(compare=False)
    """The probability outside, as it was given: a float, or an array of the broadcast shape."""
    side: str = field(compare=False)
    """``two-sided``, ``lower`` or ``upper``."""
    data: Mapping[str, Any] = field(compare=False)
    """The data by name: numbers, or arrays of the broadcast shape; lists have one axis more."""

    def __repr__(self) -> str:
        """The numbers in a line, or a table of them, at most ten rows of it.

        >>> from harness.intervals import interval
        >>> interval("proportion", "wilson", x=90, n=100)
        <Interval 0.9000 [0.8256, 0.9448]: proportion, wilson, alpha 0.05>
        >>> interval("proportion", "wilson", x=[0, 1], n=60)
        <Interval, 2 rows: proportion, wilson, alpha 0.05>
         x   n  estimate    lower    upper
         0  60   0.00000  0.00000  0.06017
         1  60   0.01667  0.00295  0.08855
        """
        of_one_level = np.ndim(self.alpha) == 0
        words = [self.family, self.method, *([f"alpha {self.alpha:g}"] if of_one_level else [])]
        if self.side != "two-sided":
            words.append(f"side {self.side}")
        given = {**self.data, **({} if of_one_level else {"alpha": self.alpha})}
        return interval_text(words, given, self.estimate, self.lower, self.upper)

    @overload
    def to_frame(self, library: Literal["polars"] = ...) -> pl.DataFrame: ...

    @overload
    def to_frame(self, library: Literal["pandas", "pyarrow"]) -> Any: ...

    def to_frame(self, library: Library = "polars") -> Any:
        """Return the interval as a data frame with a row for each outcome.

        Any library that reads Arrow data takes an Interval itself, without a copy of its own
        here: ``pyarrow.table(found)``, ``polars.DataFrame(found)``.

        Args:
            library: whose data frame it is: "polars", or "pandas" or "pyarrow" where they are
                installed.

        Returns:
            The columns of the data by their names, then estimate, lower, upper, alpha, method and
            side; arrays of several axes row by row. An estimate that is not a number is missing.

        Raises:
            InputError: there is no such library, or it is not installed.

        Example:
            >>> import harness
            >>> found = harness.interval("proportion", "wilson", x=[0, 1, 2], n=60)
            >>> found.to_frame().select("x", "upper", "method").rows()[0]
            (0, 0.06017185..., 'wilson')
        """
        validate_choice("library", library, LIBRARIES)
        try:
            module = import_module(library)
        except ModuleNotFoundError as fault:
            if fault.name != library:
                raise
            raise InputError(
                f"to_frame({library!r}) needs the package {library}, which is not installed"
            ) from None
        if library == "pandas":
            return module.DataFrame(self._columns())
        if library == "pyarrow":
            return module.table(self)
        return module.DataFrame(self._columns(), nan_to_null=True)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The data frame as an Arrow stream, which other libraries read."""
        return self.to_frame().__arrow_c_stream__(requested_schema)

    def _columns(self) -> dict[str, Any]:
        """The columns of the data frame."""
        shape = np.shape(self.lower)
        numbers = {
            "estimate": self.estimate,
            "lower": self.lower,
            "upper": self.upper,
            "alpha": self.alpha,
        }
        rows = int(np.prod(shape, dtype=np.int64))
        return {
            **{name: _column(values, len(shape)) for name, values in self.data.items()},
            **{name: np.broadcast_to(each, shape).ravel() for name, each in numbers.items()},
            "method": [self.method] * rows,
            "side": [self.side] * rows,
        }


def _column(values: npt.ArrayLike, axes: int) -> Any:
    """A column with a value for each row, or with a list for each."""
    array = np.asarray(values)
    if array.ndim == axes:
        return array.ravel()
    return [row.tolist() for row in array.reshape(-1, array.shape[-1])]
