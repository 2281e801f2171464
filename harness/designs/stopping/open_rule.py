"""A stopping rule as a config has it, which becomes a rule for each number of most trials.

It is plain data:

    {first: 20, every: 10, until: {half_width: 0.1, of: wilson}}
    {first: 20, every: 10, until: {excludes: 0.5, of: wilson, alpha: 0.01}}
    {first: 1, every: 1, until: {successes: 10}}
    {boundaries: [{n: 10, at_most: 1}, {n: 20, at_most: 4, at_least: 14}]}

or refers to a user's function ``stop(t, x)``:

    {first: 1, every: 1, until: {path: rules.py, function: stop}}
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from types import FunctionType
from typing import Any

import numpy as np

from harness.base.arguments import is_real, quoted, validate_whole
from harness.base.errors import InputError, did_you_mean
from harness.callers.calls import FunctionError
from harness.callers.location import FunctionLocation
from harness.designs.stopping.paths import StoppedTrials, stopped_trials
from harness.designs.stopping.rule import (
    Boundaries,
    ByFunction,
    Condition,
    Excludes,
    HalfWidth,
    StoppingRule,
)
from harness.families.catalogue import PROPORTION
from harness.methods.catalogue import find
from harness.methods.method import TWO_SIDED

MOST = "most"
FUNCTIONS: dict[str, Callable[[int, int], object]] = {}
"""The functions of this process that rules refer to, by the names that stand for them."""


@dataclass(frozen=True)
class OpenRule:
    """A stopping rule for any number of most trials."""

    text: str
    """Its plain data on one line, which is the same for the same rule."""

    @cached_property
    def content(self) -> Mapping[str, Any]:
        """Its plain data."""
        content: dict[str, Any] = json.loads(self.text)
        return content

    @property
    def most(self) -> int | None:
        """The most trials, where the rule itself says them."""
        most: int | None = self.content.get(MOST)
        return most

    @property
    def is_function(self) -> bool:
        """Whether a user's function says where one stops."""
        return "function" in (self.content.get("until") or {})

    @property
    def function_of_session(self) -> str | None:
        """The name of the function of this process that it has; None where it has none."""
        until = self.content.get("until")
        name = until.get("function") if isinstance(until, Mapping) and len(until) == 1 else None
        return name if isinstance(name, str) and name in FUNCTIONS else None

    @lru_cache(maxsize=64)  # noqa: B019  # rules are few, and equal ones share what is kept
    def up_to(self, most: int) -> StoppingRule:
        """Return the rule with so many trials at most.

        >>> open_rule({"boundaries": [{"n": 10, "at_most": 1}]}).up_to(29).looks
        (10, 29)

        Raises:
            InputError: there is no such rule.
        """
        content = {key: value for key, value in self.content.items() if key != MOST}
        return stopping_rule(content, most)

    @lru_cache(maxsize=64)  # noqa: B019
    def outcomes(self, most: int) -> StoppedTrials:
        """Return the outcomes with so many trials at most."""
        return stopped_trials(self.up_to(most))


def open_rule(given: object, alpha: object = 0.05) -> OpenRule:
    """Return a stopping rule from plain data.

    >>> open_rule({"first": 10, "every": 5, "until": {"excludes": 0.5, "of": "wald"}}).text
    '{"every":5,"first":10,"until":{"alpha":0.05,"excludes":0.5,"of":"wald"}}'

    Args:
        given: the rule as plain data, or as text in JSON; ``until`` may be a function.
        alpha: of the method that the rule looks at, where the rule itself has none.

    Raises:
        InputError: it is no mapping; or there are several alphas, and the rule has none.
    """
    rule = given
    if isinstance(given, str):
        try:
            rule = json.loads(given)
        except (json.JSONDecodeError, RecursionError):
            raise InputError(f"stopping should be a mapping, found {quoted(given)}") from None
    if not isinstance(rule, Mapping):
        raise InputError(
            "stopping should be a mapping with boundaries, or with first, every and until, found "
            f"{quoted(given)}"
        )
    content, until = dict(rule), rule.get("until")
    if callable(until):
        content["until"] = {"function": _name_of(until)}
    elif isinstance(until, Mapping) and "of" in until and not {"alpha", "successes"} & set(until):
        try:
            alphas = np.unique(np.asarray(alpha, np.float64))
        except (TypeError, ValueError):
            raise InputError(
                f"alpha should be numbers between 0 and 1, found {quoted(alpha)}"
            ) from None
        if alphas.size != 1:
            raise InputError(
                "until should have an alpha of its own where there are several, found none "
                "({half_width: 0.05, of: wilson, alpha: 0.05})"
            )
        content["until"] = {**until, "alpha": float(alphas[0])}
    try:
        # A number of NumPy is written as one of Python.
        text = json.dumps(
            content,
            sort_keys=True,
            separators=(",", ":"),
            default=lambda value: (
                value.item() if isinstance(value, np.generic) else json.JSONEncoder().default(value)
            ),
        )
    except (TypeError, ValueError):
        raise InputError(f"stopping should hold numbers and texts, found {quoted(rule)}") from None
    return OpenRule(text)


def _name_of(function: Callable[[int, int], object]) -> str:
    """Return the name that stands for a function, with a digest of all that it does."""
    import cloudpickle

    own, alike = getattr(function, "__name__", type(function).__name__), function
    if isinstance(function, FunctionType):
        # A notebook has another name of a cell's file in each session.
        code, names = function.__code__.replace(co_filename=""), function.__globals__
        alike = FunctionType(code, names, own, function.__defaults__, function.__closure__)
        alike.__kwdefaults__ = function.__kwdefaults__
    try:
        content = cloudpickle.dumps(alike)
    except Exception:  # of whatever it refers to
        content = str(id(function)).encode()
    name = f"{own}#{hashlib.sha256(content).hexdigest()[:8]}"
    FUNCTIONS[name] = function
    return name


def stopping_rule(content: Mapping[str, Any], most: int) -> StoppingRule:
    """Return the rule with so many trials at most.

    Args:
        content: of an open rule, without the most trials.
        most: the most trials, at which they end in any case.

    Raises:
        InputError: the content is not that of a rule, or contradicts itself.
    """
    validate_whole("n", most, 1)
    if "boundaries" in content:
        keys = _mapping("stopping", content, ("boundaries",))
        return _from_boundaries(keys["boundaries"], most)
    keys = _mapping("stopping", content, ("first", "every", "until"))
    looks = looks_every(keys["first"], keys["every"], most)
    return StoppingRule(looks, _until(keys["until"], looks))


def looks_every(first: Any, every: Any, most: int) -> tuple[int, ...]:
    """Return first, first + every, … and the most trials.

    Raises:
        InputError: they are no whole numbers, or the first is above the most.
    """
    validate_whole("first", first, 1)
    validate_whole("every", every, 1)
    if first > most:
        raise InputError(f"first should be at most n = {most}, found {first}")
    return (*range(first, most, every), most)


def _until(given: object, looks: tuple[int, ...]) -> Condition:
    if isinstance(given, Mapping) and "function" in given:
        return ByFunction(_loaded(_mapping("until", given, ("function",), _PLACES)))
    kinds = ("half_width", "excludes", "successes")
    named = [kind for kind in kinds if isinstance(given, Mapping) and kind in given]
    if len(named) != 1:
        raise InputError(f"until should have one of {', '.join(kinds)}, found {quoted(given)}")
    if named == ["successes"]:
        successes = _mapping("until", given, ("successes",))["successes"]
        validate_whole("successes", successes, 1)
        inner = looks[:-1]
        return Boundaries(inner, (None,) * len(inner), (int(successes),) * len(inner))
    keys = _mapping("until", given, (*named, "of"), ("alpha",))
    alpha = _number("alpha", keys["alpha"], 0.0, 1.0)
    # The interval of the method has to be known at every look.
    method = find(PROPORTION, keys["of"])
    method.check(TWO_SIDED, None)
    method.refuse_finite_population("a stopping rule")
    method.validate_sizes({"n": looks[-1]})
    if not method.deterministic:
        raise InputError(f"{method.name} draws random numbers, and no stopping rule can look at it")
    if named == ["half_width"]:
        return HalfWidth(_number("half_width", keys["half_width"], 0.0, 0.5), method, alpha)
    return Excludes(_number("excludes", keys["excludes"], 0.0, 1.0), method, alpha)


_PLACES = ("path", "module", "digest", "source")


def _loaded(until: Mapping[str, Any]) -> Callable[[int, int], object]:
    """Return the function of a file, of a module, or of this process."""
    name = until["function"]
    if "path" not in until and "module" not in until:
        if name not in FUNCTIONS:
            raise InputError(f"until should be the function {name} or have its path or module")
        return FUNCTIONS[name]
    try:
        location = FunctionLocation(name, until.get("path"), until.get("module"))
        function: Callable[[int, int], object] = location.load()
    except FunctionError as fault:
        raise InputError(f"the stopping rule cannot be used: {fault}") from None
    return function


def _from_boundaries(given: object, most: int) -> StoppingRule:
    if not isinstance(given, Sequence) or isinstance(given, str) or not given:
        raise InputError(f"boundaries should be a list with a look or more, found {quoted(given)}")
    looks: list[int] = []
    at_most: list[int | None] = []
    at_least: list[int | None] = []
    for boundary in given:
        keys = _mapping("a boundary", boundary, ("n",), ("at_most", "at_least"))
        look, low, high = keys["n"], keys.get("at_most"), keys.get("at_least")
        validate_whole("n of a boundary", look, 1)
        if low is None and high is None:
            raise InputError(
                f"a boundary should have at_most or at_least, found none at n = {look}"
            )
        for name, bound in (("at_most", low), ("at_least", high)):
            if bound is not None:
                validate_whole(name, bound, 0)
                if bound > look:
                    raise InputError(f"{name} should be at most n = {look}, found {bound}")
        if low is not None and high is not None and low >= high:
            raise InputError(
                f"at_most should be below at_least, found {low} and {high} at n = {look}"
            )
        if looks and look <= looks[-1]:
            raise InputError(
                f"boundaries should have n that rise, found n = {look} after n = {looks[-1]}"
            )
        looks.append(int(look))
        at_most.append(None if low is None else int(low))
        at_least.append(None if high is None else int(high))
    if looks[-1] > most:
        raise InputError(
            f"boundaries should have n up to the most trials, {most}, found n = {looks[-1]}"
        )
    # At the last look trials end in any case.
    count = len(looks) - (looks[-1] == most)
    before = tuple(looks[:count])
    return StoppingRule(
        (*before, most), Boundaries(before, tuple(at_most[:count]), tuple(at_least[:count]))
    )


def _mapping(
    name: str, given: object, needed: Sequence[str], more: Sequence[str] = ()
) -> Mapping[str, Any]:
    """Return the mapping if it has all keys that are needed, and none but these and some more.

    Raises:
        InputError: it is no mapping, lacks a key, or has another one.
    """
    if not isinstance(given, Mapping):
        raise InputError(
            f"{name} should be a mapping with {', '.join(needed)}, found {quoted(given)}"
        )
    keys: Collection[str] = (*needed, *more)
    for key in given:
        if key not in keys:
            raise InputError(
                f"{name} has the keys {', '.join(keys)}, found {quoted(key)}"
                f"{did_you_mean(key, keys)}"
            )
    for key in needed:
        if key not in given:
            raise InputError(f"{name} needs {key}, found {quoted(given)}")
    return given


def _number(name: str, given: Any, low: float, high: float) -> float:
    """Return a number between two others.

    Raises:
        InputError: it is no number, or outside the range, whose ends do not belong to it.
    """
    if not is_real(given) or not low < given < high:
        raise InputError(
            f"{name} should be a number above {low:g} and below {high:g}, found {quoted(given)}"
        )
    return float(given)
