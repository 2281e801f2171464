"""Sentences for the author of a config, from the errors that pydantic raises.

Validators of this package refuse a value with one of three errors: `expected`, `unknown` and
`refused`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails, PydanticCustomError

from harness.base.errors import ConfigIssue, KeyPath, did_you_mean
from harness.base.models import UNKNOWN_KEY
from harness.base.plain_data import describe, expected_found


def expected(what: str) -> PydanticCustomError:
    """The error 'expected <what>, found <the value>'."""
    return PydanticCustomError("harness_expected", "{what}", {"what": what})


def unknown(
    what: str,
    known: Sequence[str],
    at: str | None = None,
    found: Any = None,
    otherwise: str = "",
) -> PydanticCustomError:
    """The error 'expected <what>, found <the value>; did you mean <a known one>?'.

    Args:
        what: what was expected.
        known: the words that may be meant.
        at: the key below that is wrong, where it is not the value itself.
        found: what was found at that key.
        otherwise: the end of the message where no known word is similar.
    """
    context = {"what": what, "known": list(known), "at": at, "found": found}
    return PydanticCustomError("harness_unknown", "{what}", {**context, "otherwise": otherwise})


def refused(message: str, at: str | None = None) -> PydanticCustomError:
    """An error with a whole sentence; ``at``: the key below that is wrong."""
    return PydanticCustomError("harness_refused", "{message}", {"message": message, "at": at})


def unknown_key(key: Any, known: Sequence[str]) -> str:
    """The message for a key that is not one of the known keys."""
    suggestion = did_you_mean(key, known)
    what = "a known key" if suggestion else f"one of the keys {', '.join(known)}"
    return expected_found(what, key) + suggestion


def issues_of(error: ValidationError) -> Iterator[ConfigIssue]:
    """One issue for each error that pydantic found."""
    for detail in error.errors(include_url=False):
        context = detail.get("ctx", {})
        if detail["type"] == UNKNOWN_KEY:
            *above, key = detail["loc"]
            path: KeyPath = (*_without_tags(above), key)
            yield ConfigIssue(path, unknown_key(key, context["known"]))
            continue
        path = _without_tags(detail["loc"])
        path = path if context.get("at") is None else (*path, context["at"])
        yield ConfigIssue(path, _sentence(detail, context))


def tag(name: str) -> str:
    """The tag of an alternative of a union, which pydantic puts into the path of an error."""
    return f"<{name}>"


def _without_tags(path: Sequence[str | int]) -> KeyPath:
    return tuple(part for part in path if not (isinstance(part, str) and part.startswith("<")))


def _sentence(detail: ErrorDetails, context: Mapping[str, Any]) -> str:
    kind, value = detail["type"], detail["input"]
    if kind == "harness_refused":
        return str(context["message"])
    if kind == "harness_unknown":
        value = value if context["at"] is None else context["found"]
        advice = did_you_mean(value, context["known"]) or context["otherwise"]
        return expected_found(context["what"], value) + advice
    if kind == "harness_expected":
        return expected_found(context["what"], value)
    if kind == "missing":
        return "expected this key, found nothing"
    if kind == "literal_error":
        words = re.findall(r"'([^']*)'", context["expected"])
        return expected_found(f"one of {', '.join(words)}", value) + did_you_mean(value, words)
    if kind == "value_error":
        return f"{context['error']}, found {describe(value)}"
    if kind in EXPECTED:
        return expected_found(EXPECTED[kind].format(**context), value)
    return expected_found(detail["msg"].removeprefix("Input should be "), value)


EXPECTED = {
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "finite_number": "a finite number",
    "string_type": "text",
    "bool_type": "true or false",
    "list_type": "a list",
    "tuple_type": "a list",
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "model_attributes_type": "a mapping",
    "greater_than": "a number above {gt}",
    "greater_than_equal": "a number of at least {ge}",
    "less_than": "a number below {lt}",
    "less_than_equal": "a number of at most {le}",
    "too_short": "a list of at least {min_length}",
    "too_long": "a list of at most {max_length}",
    "string_too_short": "a text of at least {min_length} characters",
    "string_too_long": "a text of at most {max_length} characters",
}
"""What the value should be, for the errors of pydantic itself."""
