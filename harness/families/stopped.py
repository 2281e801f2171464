"""The family of a proportion whose trials end by a stopping rule, which its name holds.

The data are x of the n trials that were made. A size is the most trials that there may be.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from types import FunctionType
from typing import Any

import numpy as np

from harness.base.arguments import quoted
from harness.base.errors import InputError
from harness.base.numerics.arrays import Floats
from harness.families.family import Data, Family

STOPPING, MOST, STOPPED_AT = "stopping", "most", "stopped_at"
A_STOPPING_RULE = "a stopping rule"
"""The design."""
FUNCTIONS: dict[str, Callable[[int, int], object]] = {}
"""The functions of this process that rules consist of, by the names that stand for them."""


def function_of_session(rule: Mapping[str, Any]) -> str | None:
    """Return the name of the function of this process that a rule has; None where it has none."""
    until = rule.get("until")
    name = until.get("function") if isinstance(until, Mapping) and len(until) == 1 else None
    return name if isinstance(name, str) and name in FUNCTIONS else None


def functions_of(family: Family) -> dict[str, Callable[[int, int], object]]:
    """Return the functions of this process that a family consists of, by their names."""
    name = function_of_session(rule_of(family)) if family.stops else None
    return {} if name is None else {name: FUNCTIONS[name]}


def _name_of(function: Callable[[int, int], object]) -> str:
    """Return the name that stands for a function, with a digest of all that it does."""
    import cloudpickle

    own, alike = getattr(function, "__name__", type(function).__name__), function
    if isinstance(function, FunctionType):
        # A notebook has another name of a cell's file in each session.
        code, known = function.__code__.replace(co_filename=""), function.__globals__
        alike = FunctionType(code, known, own, function.__defaults__, function.__closure__)
        alike.__kwdefaults__ = function.__kwdefaults__
    try:
        content = cloudpickle.dumps(alike)
    except Exception:  # of whatever it refers to
        content = str(id(function)).encode()
    name = f"{own}#{hashlib.sha256(content).hexdigest()[:8]}"
    FUNCTIONS[name] = function
    return name


@dataclass(frozen=True, eq=False)
class StoppedFamily(Family):
    """A proportion after trials that may end early: x and the n that were made."""

    def arguments(self, counts: Sequence[Floats], sizes: Sequence[float]) -> dict[str, Any]:
        """Return x and n as arrays: n is the number of trials made, and not the size."""
        return dict(zip(self.data, (each.astype(np.int64) for each in counts), strict=True))


def stopped_family(proportion: Family, text: str) -> StoppedFamily:
    """Return the family of a proportion with a stopping rule.

    Args:
        proportion: the family without a rule.
        text: the rule, as ``rule_text`` has it.
    """
    posterior = proportion.closed_posterior
    assert posterior is not None
    own = {
        "name": f"{proportion.name}({STOPPING}={text})",
        "title": f"{proportion.title}, where trials end by a stopping rule",
        "design": A_STOPPING_RULE,
        "counts": ("x", STOPPED_AT),
        "directions": (),
        "mirrored": None,
        "columns": _columns,
        "closed_posterior": lambda data, prior: posterior(data[:2], prior),
        "estimate": lambda data: proportion.estimate(data[:2]),
        "settings": {STOPPING: text},
        "stops": True,
        "size_in_words": "most trials",
        "names_sampling": True,
        "sampling_remark": (
            "Methods promise what they do for a number of trials that is fixed beforehand; here it "
            "depends on the successes."
        ),
    }
    shared = {each.name: getattr(proportion, each.name) for each in fields(Family)}
    return StoppedFamily(**{**shared, **own})


def _columns(counts: Sequence[Floats], sizes: Sequence[float]) -> Data:
    """Return x, the trials made and the most trials, which methods that know the rule need."""
    return (*counts, np.full(counts[0].size, float(sizes[0])))


def rule_of(family: Family) -> dict[str, Any]:
    """Return the stopping rule of a family as plain data."""
    found: dict[str, Any] = json.loads(str(family.settings[STOPPING]))
    return found


def rule_text(given: object, alpha: object = 0.05) -> str:
    """Return a stopping rule as text on one line, which is the same for the same rule.

    >>> rule_text({"first": 10, "every": 5, "until": {"excludes": 0.5, "of": "wald"}})
    '{"every":5,"first":10,"until":{"alpha":0.05,"excludes":0.5,"of":"wald"}}'

    Args:
        given: the rule as plain data, or as text in JSON; ``until`` may be a function.
        alpha: of the method that the rule looks at, where the rule itself has none.

    Raises:
        InputError: it is no mapping; or there are several alphas, and the rule has none.
    """
    rule = _parsed(given) if isinstance(given, str) else given
    if not isinstance(rule, Mapping):
        raise InputError(
            "stopping should be a mapping with boundaries, or with first, every and until, found "
            f"{quoted(given)}"
        )
    found, until = dict(rule), rule.get("until")
    if callable(until):
        found["until"] = {"function": _name_of(until)}
    elif isinstance(until, Mapping) and "of" in until and "alpha" not in until:
        found["until"] = {**until, "alpha": _one_of(alpha)}
    try:
        return json.dumps(found, sort_keys=True, separators=(",", ":"), default=_plain)
    except (TypeError, ValueError):
        raise InputError(f"stopping should hold numbers and texts, found {quoted(rule)}") from None


def _plain(value: Any) -> Any:
    """Return a number of NumPy as one of Python."""
    return value.item() if isinstance(value, np.generic) else json.JSONEncoder().default(value)


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        raise InputError(f"stopping should be a mapping, found {quoted(text)}") from None


def _one_of(alpha: object) -> float:
    several = np.unique(np.asarray(alpha, np.float64))
    if several.size != 1:
        raise InputError(
            "until should have an alpha of its own where there are several, found none "
            "({half_width: 0.05, of: wilson, alpha: 0.05})"
        )
    return float(several[0])
