"""The stopping rule of a config, for trials that are looked at while they are made."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import (
    PlainValidator,
    ValidationInfo,
    WithJsonSchema,
)

from harness.base.errors import HarnessError
from harness.base.models import refused
from harness.base.plain_data import flow
from harness.callers.location import session_location, source_of_function
from harness.config.form import Key
from harness.config.models.methods import resolved_path
from harness.designs.stopping.open_rule import FUNCTIONS, OpenRule, open_rule, stopping_rule
from harness.families.family import Family
from harness.methods.catalogue import CATALOGUE

_ABOUT = (
    "When trials end before n: {first, every, until: {half_width, of}}, {excludes, of}, "
    "{successes} or {path, function}; or {boundaries: [{n, at_most, at_least}]}."
)


def _rule(value: Any, info: ValidationInfo) -> OpenRule | None:
    """The rule with its defaults, and with the bytes of a function's file in short.

    The sizes and the alphas of the config are validated before it.
    """
    context = info.context or {}
    names = [method.name for method in context.get("methods") or () if method is not None]
    of_proportions = CATALOGUE["proportion"]
    # Beside no valid family the names may be of any.
    methods = (of_proportions.get(name) for name in names)
    needing = [method.name for method in methods if method is not None and method.needs_stopping]
    ordered = [name for name in names if name in ("stagewise", "stagewise_mid_p")]
    if value is None:
        if needing:
            raise refused(f"{needing[0]} needs stopping, the rule by which trials end, found none")
        return None
    try:
        rule = open_rule(value, context.get("alpha") or 0.05)
        until = rule.content.get("until")
        if isinstance(until, Mapping) and isinstance(until.get("path"), str):
            path = resolved_path(info, until["path"])
            digest = hashlib.sha256(Path(path).read_bytes()).hexdigest()[:16]
            rule = open_rule({**rule.content, "until": {**until, "path": path, "digest": digest}})
        if rule.function_of_session is not None:
            session_location(FUNCTIONS[rule.function_of_session])  # other processes get it
        for most in context.get("n") or ():
            made = stopping_rule(rule.content, int(most))
            if made.boundaries is None and ordered:
                raise refused(f"expected boundaries for {ordered[0]}, found {flow(value)}")
    except (HarnessError, OSError) as fault:
        raise refused(str(fault)) from None
    return rule


_Rule = Annotated[
    Any,
    PlainValidator(_rule),
    WithJsonSchema({"anyOf": [{"type": "object"}, {"type": "null"}]}),
]


def stopping_key(family: Family) -> Key | None:
    """The key of the stopping rule; None where the family takes none."""
    return Key(_Rule, _ABOUT, None, write=_written) if family.may_stop else None


def _written(rule: OpenRule | None) -> dict[str, Any] | None:
    """The rule in the order in which it is read; None where there is none."""
    if rule is None:
        return None
    content, name = dict(rule.content), rule.function_of_session
    if name is not None:
        source = source_of_function(FUNCTIONS[name], session_location(FUNCTIONS[name]))
        content["until"] = {"function": name.partition("#")[0], "source": source}
    order = ("boundaries", "first", "every", "until")
    return {key: content[key] for key in order if key in content}
