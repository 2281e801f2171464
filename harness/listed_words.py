"""Words in a row, as a sentence has them."""

from __future__ import annotations

from collections.abc import Iterable


def enumerated(words: Iterable[str], conjunction: str = "and") -> str:
    """The words with commas between them, and a conjunction before the last one.

    >>> enumerated(["x", "n", "alpha"]), enumerated(["x", "n"], "or"), enumerated(["x"])
    ('x, n and alpha', 'x or n', 'x')
    """
    *first, last = words
    return f"{', '.join(first)} {conjunction} {last}" if first else last
