"""Resolve the name of a method: in the catalogue, a file, a module, a peer or an entry point."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from harness.base.arguments import quoted, validate_choice
from harness.base.errors import InputError, did_you_mean
from harness.base.text import enumerated
from harness.callers.command import Command, RFunction, is_of_r, without_prefix
from harness.callers.function import FunctionHere, FunctionInProcess
from harness.callers.location import FunctionLocation, name_of
from harness.callers.peers import CONTRACTS, PEERS, Peer
from harness.callers.program import Program
from harness.callers.source import CatalogueSource, Source
from harness.callers.table import LimitTable, TableSource, is_table, read_points
from harness.families.catalogue import family_of
from harness.families.family import Family
from harness.methods.catalogue import CATALOGUE, by_any_name, methods_of
from harness.methods.method import Contract, Method

GROUP = "harness.methods"
"""The group of entry points by which a package ships its intervals."""

_FORMS = (
    "a name of the catalogue, file.py:function, package.module:function, a peer such as "
    "statsmodels:wilson, a function of R such as r:stats::binom.test, a table such as limits.csv, "
    f"or an entry point of the group {GROUP}"
)

Function = Callable[..., Any]
AnyMethod = str | Function | Method | Command | RFunction | LimitTable
"""What a method may be named by."""


@dataclass(frozen=True)
class Named:
    """A method as it was named, not yet loaded: one of its kinds is given."""

    label: str
    family: Family
    method: Method | None = None
    """A method of the catalogue."""
    location: FunctionLocation | None = None
    """Where a function is, in a file or module: for a process of its own."""
    peer: Peer | None = None
    """An interval of another package: for a process of its own."""
    function: Function | None = None
    """A Python callable, called in this process."""
    command: Command | None = None
    """A program, started as a process of its own."""
    table: TableSource | None = None
    """A table of limits, which is read already."""
    contract: Contract | None = None
    """What it is held to where it does not say so itself; None for the usual."""

    def source(self, timeout: float, seed: int) -> Source:
        """The method ready to be asked, with its process where it has one; to be closed.

        Args:
            timeout: seconds that a call of a function in its process may take.
            seed: what a stochastic method draws from, the same at every call.

        Raises:
            InputError: it cannot be loaded or started.
        """
        if self.method is not None:
            return CatalogueSource(self.label, self.method, seed=seed)
        if self.table is not None:
            return self.table
        if self.function is not None:
            return FunctionHere(self.label, self.function, seed)
        if self.command is not None:
            return Program(self.command, timeout)
        location = self.location or self.peer
        assert location is not None
        return FunctionInProcess(self.label, location, timeout, seed)


def named(method: AnyMethod, family: str = "proportion") -> Named:
    """The method of a name, or of a callable.

    A name without a colon is one of the catalogue or of an entry point, in this order; one with a
    colon is a peer's, a file's (ending in .py) or a module's, or after ``r:`` a function of R. One
    that ends in .csv is a table of limits.

    Raises:
        InputError: there is no such family, nothing of that name, or the method needs a finite
            population.
    """
    return method_for(known_family(family), method)


def known_family(name: str) -> Family:
    """The family of a name.

    Raises:
        InputError: there is no such family.
    """
    return family_of(validate_choice("family", name, CATALOGUE))


def method_for(family: Family, method: AnyMethod) -> Named:
    """The method of a name, or of a callable, as ``named`` finds it.

    Raises:
        InputError: there is nothing of that name, or the method needs a finite population.
    """
    if isinstance(method, Method):
        method.refuse_finite_population("check")
        return Named(method.name or method.title, family, method=method)
    if isinstance(method, str) and is_of_r(method):
        method = RFunction(without_prefix(method))
    if isinstance(method, str) and is_table(method):
        method = LimitTable(method)
    if isinstance(method, LimitTable):
        points = read_points(method, family)
        return Named(points.label, family, table=TableSource(points.label, points))
    if isinstance(method, Command | RFunction):
        command = method if isinstance(method, Command) else method.command(family)
        return Named(command.name, family, command=command)
    if not isinstance(method, str):
        if not callable(method):
            raise InputError(f"method should be {_FORMS}, or a callable, found {quoted(method)}")
        return Named(name_of(method), family, function=method)
    if ":" not in method:
        return _by_name(method, family)
    place, _, function = method.rpartition(":")
    if place in PEERS:
        peer = _peer(place, function, family)
        return Named(method, family, peer=peer, contract=CONTRACTS.get(peer))
    return Named(method, family, location=_own(method, place, function))


def _by_name(name: str, family: Family) -> Named:
    """The method of the catalogue of that name, else of an entry point; none can replace it."""
    methods = by_any_name(methods_of(family))
    if name in methods:
        method = methods[name]
        method.refuse_finite_population("check")
        return Named(method.name, family, method=method)
    points = {point.name: point for point in entry_points(group=GROUP)}
    if name in points:
        point = points[name]
        if not point.attr or "." in point.attr:
            raise InputError(
                f"the entry point {name} should be package.module:function, found {point.value!r}"
            )
        return Named(name, family, location=FunctionLocation(point.attr, module=point.module))
    others = [other for other in CATALOGUE if name in by_any_name(CATALOGUE[other])]
    if others:
        raise InputError(
            f"{name} is no method for the family {family.name} but for {enumerated(others, 'or')}"
        )
    guess = did_you_mean(name, sorted({*methods, *points}))
    raise InputError(f"method should be {_FORMS}, found {name!r}{guess}")


def _peer(package: str, name: str, family: Family) -> Peer:
    """The interval of another package.

    Raises:
        InputError: the package has no such interval, or is not installed.
    """
    function = name.replace("-", "_")
    offered = PEERS[package].get(family.name, ())
    if not offered:
        raise InputError(
            f"{package} is a peer for the family {enumerated(PEERS[package], 'or')}, "
            f"found {family.name}"
        )
    if function not in offered:
        choice = ", ".join(offered)
        raise InputError(f"{package} should be followed by one of {choice}, found {name!r}")
    if find_spec(package) is None:
        raise InputError(
            f'{package} is not installed: pip install "coverage-harness[peers]" brings it'
        )
    return Peer(package, family.name, function)


def _own(method: str, place: str, function: str) -> FunctionLocation:
    """A user's own function.

    Raises:
        InputError: it is no name of a function, or the file is not there.
    """
    if not function.isidentifier():
        raise InputError(f"method should be {_FORMS}, found {method!r}")
    if not place.endswith(".py"):
        if not all(part.isidentifier() for part in place.split(".")):
            raise InputError(f"method should be {_FORMS}, found {method!r}")
        return FunctionLocation(function, module=place)
    try:
        is_there = Path(place).is_file()
    except (OSError, ValueError):  # a name too long, or with a NUL in it
        is_there = False
    if not is_there:
        raise InputError(f"{place} is no file")
    return FunctionLocation(function, path=place)
