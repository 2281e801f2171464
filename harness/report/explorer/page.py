"""The page for teaching: coverage over p, the outcomes that miss, and a hundred drawn intervals.

All numbers are computed here, and stand in the page; its script looks them up and draws.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from harness.base.errors import InputError
from harness.base.numerics.arrays import Floats
from harness.config.experiment import AnyExperiment
from harness.config.resolve import serialize
from harness.report.content import Page, Part, Section, packed
from harness.report.explorer.numbers import (
    DRAWN,
    HOLDS,
    HUNDREDS,
    Numbers,
    SizeNumbers,
    numbers_of,
    outcomes_in_words,
)
from harness.report.numbers import percent, significant
from harness.tables.storage import EXPLORER_PAGE
from harness.tables.wording import method_titles

MOST_BYTES = 3_000_000
"""The page is smaller than this."""
MOST_SHOWN = 4
"""The methods that are shown beside each other."""
_SHELL = 120_000
"""The bytes of the page that hold no data, at most."""
_FIRST_N, _FIRST_P, _FIRST_METHODS = 20, 0.05, 2
"""What is shown first: the n and the p of the config next to these, and so many methods."""
_WIDTH, _HEIGHT, _LEAST = 720, 240, 0.5
"""The picture without scripts: pixels, and the lowest coverage."""


def explorer(experiment: AnyExperiment, command: str = "") -> Page:
    """Return the page of an experiment.

    Args:
        experiment: of the family ``proportion``, with one alpha, listed true values, and methods
            whose limits follow from the outcome.
        command: that makes the page again.

    Raises:
        InputError: the experiment is another one, a method has no interval at some outcome, or the
            page would be too large.
        IntervalNotFoundError: a method of the catalogue found no interval.
    """
    numbers = numbers_of(experiment)
    titles = method_titles({"experiment": serialize(numbers.experiment)})
    names = [titles[spec.label] for spec in numbers.experiment.methods]
    data = _data(numbers, names)
    size = _SHELL + sum(_length(each) for each in data["sizes"])
    if size > MOST_BYTES:
        raise InputError(
            f"{experiment.name}: the page would have {size / 1e6:.1f} MB, and may have "
            f"{MOST_BYTES / 1e6:g} MB; give fewer n, methods or true values, or smaller n"
        )
    section = Section(
        kind="explorer",
        title="Three pictures of one number: how often an interval misses",
        template="explorer.html",
        context=_context(numbers, names, data["start"]),
        data=data,
        scripts=("explorer_pictures.js", "explorer.js"),
        styles=("explorer.css",),
    )
    part = Part("explorer", experiment.title, [section])
    return Page(experiment.title, [part], command=command, kind=EXPLORER_PAGE)


def _length(value: Any) -> int:
    """The characters of the texts within a value."""
    if isinstance(value, Mapping):
        return sum(_length(each) for each in value.values())
    if isinstance(value, list):
        return sum(_length(each) for each in value)
    return len(value) if isinstance(value, str) else 0


def _nearest(values: Sequence[float], wanted: float) -> int:
    return int(np.argmin(np.abs(np.asarray(values, float) - wanted)))


def _data(numbers: Numbers, names: Sequence[str]) -> dict[str, Any]:
    """What the script reads."""
    words: dict[str, int] = {}
    sizes = [_size_data(each, words) for each in numbers.sizes]
    return {
        "alpha": numbers.alpha,
        "truths": numbers.truths.tolist(),
        "methods": list(names),
        "drawn": DRAWN,
        "hundreds": HUNDREDS,
        "most": MOST_SHOWN,
        "start": {
            "n": _nearest([each.n for each in numbers.sizes], _FIRST_N),
            "p": _nearest(numbers.truths.tolist(), _FIRST_P),
            "methods": list(range(min(_FIRST_METHODS, len(names)))),
        },
        "words": list(words),
        "sizes": sizes,
    }


def _size_data(numbers: SizeNumbers, words: dict[str, int]) -> dict[str, Any]:
    """The arrays of one n; ``words`` gets the words for the outcomes that miss."""
    missing = numbers.misses != HOLDS
    when = [
        [
            words.setdefault(outcomes_in_words(marks.tolist(), numbers.n), len(words))
            for marks in rows
        ]
        for rows in missing
    ]
    return {
        "n": numbers.n,
        "lower": packed(numbers.lower),
        "upper": packed(numbers.upper),
        "probability": packed(numbers.probability),
        "misses": packed(numbers.misses, "uint8"),
        "below": packed(numbers.below),
        "above": packed(numbers.above),
        "missed": packed(numbers.missed),
        "coverage": packed(1.0 - numbers.missed),
        "length": packed(numbers.length),
        "expected": packed(numbers.expected),
        "spread": packed(numbers.spread),
        "when": packed(when, "uint16"),
        "drawn": packed(numbers.drawn, "uint8" if numbers.n < 256 else "int32"),
        "counts": packed(numbers.counts, "uint8"),
        "totals": packed(np.cumsum(numbers.counts, axis=2), "uint16"),
        # As pictures show them, to a millionth.
        "curves": [
            [packed(each.truths, "float32"), packed(1.0 - each.missed, "float32")]
            for each in numbers.curves
        ],
    }


def _context(numbers: Numbers, names: Sequence[str], start: Mapping[str, Any]) -> dict[str, Any]:
    """What the template reads: the choices, and the picture for where scripts are off."""
    size, at_p = numbers.sizes[start["n"]], start["p"]
    p = float(numbers.truths[at_p])
    return {
        "confidence": percent(1.0 - numbers.alpha),
        "sizes": [each.n for each in numbers.sizes],
        "truths": [f"{each:.6g}" for each in numbers.truths.tolist()],
        "methods": names,
        "start": start,
        "drawn": DRAWN,
        "most": MOST_SHOWN,
        "n": size.n,
        "p": f"{p:.6g}",
        "sentences": [_sentence(size, names[row], row, at_p, p) for row in start["methods"]],
        "picture": {
            "width": _WIDTH,
            "height": _HEIGHT,
            "lines": [_line(size, row) for row in start["methods"]],
            "at": f"{_WIDTH * p:.2f}",
            "nominal": f"{_vertical(np.array([1.0 - numbers.alpha]))[0]:.2f}",
            "least": percent(_LEAST),
        },
    }


def _sentence(numbers: SizeNumbers, name: str, row: int, at_p: int, p: float) -> str:
    """What is seen of one method, as the script of the page writes it."""
    missing = numbers.misses[row, at_p] != HOLDS
    when = outcomes_in_words(missing.tolist(), numbers.n)
    beginning = f"At n = {numbers.n} and p = {p:.6g} the {name} interval"
    if not when:
        return f"{beginning} holds p whatever x is: none of {DRAWN} intervals misses."
    missed, expected = float(numbers.missed[row, at_p]), float(numbers.expected[row, at_p])
    return (
        f"{beginning} misses when x is {when}: that has probability {percent(missed)}; of "
        f"the {DRAWN} intervals drawn {numbers.counts[row, at_p, 0]} miss, "
        f"{significant(expected, 3)} are expected."
    )


def _line(numbers: SizeNumbers, row: int) -> str:
    """The coverage curve of one method, as points of a line."""
    curve = numbers.curves[row]
    heights = _vertical(1.0 - curve.missed)
    places = (_WIDTH * curve.truths).tolist()
    return " ".join(f"{x:.2f},{y:.2f}" for x, y in zip(places, heights.tolist(), strict=True))


def _vertical(coverage: Floats) -> Floats:
    """The heights of coverages in the picture, from its top."""
    shown = np.clip(coverage, _LEAST, 1.0)
    return np.asarray(_HEIGHT * (1.0 - shown) / (1.0 - _LEAST))
