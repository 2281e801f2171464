"""The lines between this process and a program: data and alpha there, two limits back."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from harness.callers.calls import one_line
from harness.callers.command.program import JSON

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]?inf(inity)?|nan?", re.IGNORECASE)
_COMMAS = re.compile(r"[+-]?\d+,\d+(\s|;|$)")
_ERROR = re.compile(r"\s*error\b:?\s*", re.IGNORECASE)

EXPECTED = "a line with a lower and an upper limit"


class NoAnswerError(Exception):
    """The line is no answer; the text says what was found."""


class RefusalError(Exception):
    """The program says that there are no limits at the outcome; the text is what it says."""


def question(outcome: Mapping[str, Any], alpha: float, form: str) -> str:
    """The line that asks for the limits at an outcome, without its end."""
    plain = {name: _plain(value) for name, value in outcome.items()}
    if form == JSON:
        return json.dumps({**plain, "alpha": alpha})
    words = (
        ",".join(map(repr, value)) if isinstance(value, list) else repr(value)
        for value in plain.values()
    )
    return " ".join((*words, repr(alpha)))


def _plain(value: Any) -> Any:
    """A number or a list of numbers of Python."""
    return np.asarray(value).tolist()


def read_answer(line: str) -> tuple[float, float]:
    """The limits of a line; one that is missing, as R's NA, is not a number.

    Raises:
        NoAnswerError: the line is something else.
        RefusalError: it says that there are none.
    """
    text = line.strip()
    if text[:1] in ("{", "["):
        return _read_json(text)
    words = text.split()
    if len(words) == 2 and all(_NUMBER.fullmatch(word) for word in words):
        lower, upper = map(_number, words)
        return lower, upper
    begins = _ERROR.match(text)
    if begins:
        raise RefusalError(one_line(text[begins.end() :] or text, str))
    raise NoAnswerError(_found(text))


def _number(word: str) -> float:
    return math.nan if word.lower() == "na" else float(word)


def _read_json(text: str) -> tuple[float, float]:
    try:
        answer = json.loads(text)
    except (ValueError, RecursionError):
        raise NoAnswerError(_found(text)) from None
    if isinstance(answer, Mapping):
        if answer.get("error") is not None:
            raise RefusalError(one_line(answer["error"], str))
        answer = [answer[name] for name in ("lower", "upper") if name in answer]
    numbers = [math.nan if each is None else each for each in answer]
    is_pair = len(numbers) == 2
    if not is_pair or not all(type(each) in (int, float) for each in numbers):
        raise NoAnswerError(_found(text))
    try:
        return float(numbers[0]), float(numbers[1])
    except OverflowError:
        raise NoAnswerError(_found(text)) from None


def _found(text: str) -> str:
    if not text:
        return "an empty line"
    found = one_line(text, repr)
    if _COMMAS.match(text):
        return f"{found}, with a comma where a decimal point is expected"
    if _NUMBER.fullmatch(text):
        return f"one number, {found}"
    return found
