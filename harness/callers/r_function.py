"""A function of R by its name, as the command of the script that calls it.

A function of R as an interval method.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from harness.base.arguments import quoted, validate_choice
from harness.base.errors import InputError
from harness.callers.command.program import Command
from harness.families.catalogue import family_of
from harness.methods.method import ALL_SIDES, TWO_SIDED

PREFIX = "r:"
"""What the name of a method begins with that is a function of R."""
_GREETING = "harness-r"
"""The first line of the script."""
_BRIDGE = Path(__file__).with_name("bridge.R")


def is_of_r(name: str) -> bool:
    """Whether the name of a method is that of a function of R, as ``r:stats::binom.test``."""
    return name.startswith(PREFIX) and "::" in name


def without_prefix(name: str) -> str:
    """The function of R in the name of a method."""
    return name.removeprefix(PREFIX)


@dataclass(frozen=True)
class RFunction:
    """A function of a package or a file of R.

    Data are passed by the names that functions of R have for them: ``x``, ``n`` or ``T`` and the
    like; those of two samples as ``x1, n1, x2, n2``, as vectors ``x`` and ``n``, or as a table
    ``x`` with a row for each sample, the second one first, and the events in its last column.
    Alpha is passed as ``conf.level = 1 - alpha`` and the like, or as ``alpha``. The limits are the
    ``conf.int`` of the value, its columns ``lower`` and ``upper``, or its two numbers.

    Args:
        function: ``package::function``, ``package:::function`` or ``file.R::function``.
        arguments: expressions of R in the data and ``alpha``, by the names of the arguments.
        limits: an expression of R in ``value``, what the function returns, for both limits.
        side: "two-sided"; or "lower" or "upper" of a function that gives that limit, while the
            other one is the end of the parameter's range.

    Raises:
        InputError: the function has no such form, or the side is unknown.
    """

    function: str
    arguments: Mapping[str, str] = field(default_factory=dict)
    limits: str = ""
    side: str = TWO_SIDED

    def __post_init__(self) -> None:
        place, separator, name = self.function.rpartition("::")
        if not (separator and place.strip(":") and name) or any(
            character in name for character in ":/ "
        ):
            raise InputError(
                f"a function of R should be {PREFIX}package::function or "
                f"{PREFIX}file.R::function, found {quoted(self.function)}"
            )
        validate_choice("side", self.side, ALL_SIDES)

    @property
    def name(self) -> str:
        """What the method is called: the function, with its arguments where some are given."""
        given = ", ".join(f"{name}={text}" for name, text in self.arguments.items())
        return f"{PREFIX}{self.function}" + (f"({given})" if given else "")

    def command(self, family: str) -> Command:
        """The command that calls the function with the data of a family."""
        words = (
            "Rscript",
            str(_BRIDGE),
            self.function,
            ",".join(family_of(family).data),
            self.limits,
            *(f"{name}={text}" for name, text in self.arguments.items()),
        )
        return Command(words, side=self.side, label=self.name, greeting=_GREETING)
