"""What is wrong with a config, in words: where pydantic says what, this says it to a person."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from harness.config.document import Path
from harness.config.dump import flow
from harness.errors import did_you_mean

LONGEST_QUOTE = 60


class Complaint(NamedTuple):
    """A fault whose place in the file is still to be looked up."""

    path: Path
    message: str


def found_instead(what: str, value: Any) -> str:
    """The sentence of nearly every fault."""
    return f"expected {what}, found {describe(value)}"


def describe(value: Any) -> str:
    """A value as its author wrote it, or what it is if that is too long."""
    if value is None:
        return "nothing"
    if isinstance(value, str):
        return repr(value) if len(value) <= LONGEST_QUOTE else f"a text of {len(value)} characters"
    try:
        words = flow(value)
    except TypeError:
        return f"a value of type {type(value).__name__}"
    if len(words) <= LONGEST_QUOTE:
        return words
    if isinstance(value, list):
        return f"a list of {len(value)}"
    return "a mapping" if isinstance(value, Mapping) else "a number of very many digits"


def unknown_key(key: Any, known: Sequence[str]) -> str:
    """For a key that is not there to be set."""
    guess = did_you_mean(key, known)
    what = "a known key" if guess else f"one of the keys {', '.join(known)}"
    return f"expected {what}, found {describe(key)}{guess}"


def show_path(path: Path) -> str:
    """``methods[2].prior``"""
    words = (f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return "".join(words).removeprefix(".")


def complaints(
    error: ValidationError, root: type[BaseModel], tagged: Mapping[str, type[BaseModel]]
) -> Iterator[Complaint]:
    """One for each error that pydantic found; ``tagged``: the models behind the tags in a path."""
    for detail in error.errors(include_url=False):
        path = tuple(part for part in detail["loc"] if part not in tagged and part not in _TAGS)
        context = detail.get("ctx", {})
        if context.get("at") is not None:
            path = (*path, context["at"])
        if detail["type"] == "extra_forbidden":
            known = list(_model_at(detail["loc"][:-1], root, tagged).model_fields)
            yield Complaint(path, unknown_key(detail["loc"][-1], known))
        else:
            yield Complaint(path, _sentence(detail, context))


_TAGS = frozenset({"<one>", "<list>", "<name>", "<mapping>"})
"""Tags of what is no model."""


def _model_at(
    path: Path, root: type[BaseModel], tagged: Mapping[str, type[BaseModel]]
) -> type[BaseModel]:
    """The model that stands at a path of pydantic's."""
    model = root
    for part in path:
        if isinstance(part, int) or part in _TAGS:
            continue
        if part in tagged:
            model = tagged[part]
        else:
            annotation = model.model_fields[part].annotation
            # A key that may be left out holds its model or nothing.
            for inner in (annotation, *get_args(annotation)):
                if isinstance(inner, type) and issubclass(inner, BaseModel):
                    model = inner
    return model


def _sentence(detail: ErrorDetails, context: Mapping[str, Any]) -> str:
    kind, value = detail["type"], detail["input"]
    if kind == "harness_refused":
        return str(context["message"])
    if kind == "harness_unknown":
        value = value if context["at"] is None else context["found"]
        advice = did_you_mean(value, context["known"]) or context["otherwise"]
        return found_instead(context["what"], value) + advice
    if kind == "harness_expected":
        return found_instead(context["what"], value)
    if kind == "missing":
        return "expected this key, found nothing"
    if kind == "literal_error":
        words = re.findall(r"'([^']*)'", context["expected"])
        return found_instead(f"one of {', '.join(words)}", value) + did_you_mean(value, words)
    if kind == "value_error":
        return f"{context['error']}, found {describe(value)}"
    if kind in EXPECTED:
        return found_instead(EXPECTED[kind](context), value)
    return found_instead(detail["msg"].removeprefix("Input should be "), value)


EXPECTED: dict[str, Callable[[Mapping[str, Any]], str]] = {
    "int_type": lambda context: "a whole number",
    "int_from_float": lambda context: "a whole number",
    "float_type": lambda context: "a number",
    "finite_number": lambda context: "a finite number",
    "string_type": lambda context: "text",
    "bool_type": lambda context: "true or false",
    "list_type": lambda context: "a list",
    "tuple_type": lambda context: "a list",
    "dict_type": lambda context: "a mapping",
    "model_type": lambda context: "a mapping",
    "model_attributes_type": lambda context: "a mapping",
    "greater_than": lambda context: f"a number above {context['gt']}",
    "greater_than_equal": lambda context: f"a number of at least {context['ge']}",
    "less_than": lambda context: f"a number below {context['lt']}",
    "less_than_equal": lambda context: f"a number of at most {context['le']}",
    "too_short": lambda context: f"a list of at least {context['min_length']}",
    "too_long": lambda context: f"a list of at most {context['max_length']}",
    "string_too_short": lambda context: f"a text of at least {context['min_length']} characters",
    "string_too_long": lambda context: f"a text of at most {context['max_length']} characters",
}
"""What pydantic's own errors expect; the figures' options use them too."""
