"""What a change of a method's source changes: its limits, or how it takes its arguments."""

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np

from harness.families.catalogue import family_of
from harness.families.samples import SINGLE_SAMPLE, TWO_SAMPLES
from tests.checks.planted.fault import SoundMethod, loaded

ALPHAS = (1e-6, 0.001, 0.003, 0.01, 0.05, 0.1, 0.2, 0.3173, 0.5)
LARGEST_EQUAL = 1e-9
"""Limits that differ by no more are the same, relative to the limit where that is above 1."""

_EVERY_OUTCOME_UP_TO = 60
_NS = (1, 2, 3, 5, 10, 17, 25, 37, 40, 45, 60, 64, 83, 100, 190, 400, 1000, 1001, 3000, 10**6)
_NS_OF_TWO = (1, 2, 3, 7, 10, 15, 20, 21, 35, 60, 150, 1000, 10**5)
_EVENTS = (*range(40), 50, 99, 100, 171, 200, 500, 1000, 3000, 10**5, 10**6, 10**6 + 1)
_EVENTS_OF_TWO = (*range(12), 30, 100, 171, 200, 1000, 10**5)
_NS_OF_PAIRS = (1, 2, 3, 5, 8, 12, 20, 21, 40, 200, 10**5)
_EXPOSURES = (0.25, 1.0, 5.0, 50.0, 1e4)

Answer = tuple[np.ndarray, ...] | str
"""Limits, and what is left of the arguments; or the name of what was raised."""


def limits_on_grid(source: str, method: SoundMethod, more: Sequence[int] = ()) -> Iterator[Answer]:
    """The limits of a source at many sizes, outcomes and alphas.

    Args:
        source: the text of the method's file.
        method: the method.
        more: further numbers of cases or of events.
    """
    function = getattr(loaded(source, method.name), method.name)
    for outcome in _outcomes(method, more):
        for alpha in ALPHAS:
            yield _answer(function, outcome, alpha)


def answers_by_form(source: str, method: SoundMethod) -> Iterator[Answer]:
    """What a source answers to arguments of several types, and leaves of the arguments."""
    function = getattr(loaded(source, method.name), method.name)
    for outcome in _few_outcomes(method):
        for form in FORMS:
            given = [form(each) for each in outcome]
            before = _random_state()
            yield _answer(function, given, 0.05)
            yield (np.asarray(_random_state() == before), *(np.asarray(each) for each in given))


def is_moved(found: Iterable[Answer], expected: Iterable[Answer]) -> bool:
    """Whether answers differ by more than rounding; none is asked for after the first that does."""
    return any(not _same(one, other) for one, other in zip(found, expected, strict=True))


def _read_only(values: Any) -> Any:
    array = np.array(values, float)
    array.flags.writeable = False
    return array


FORMS: tuple[Callable[[Any], Any], ...] = (
    lambda values: np.array(values, np.int64),
    lambda values: np.array(values, np.int32),
    lambda values: np.array(values, float),
    lambda values: np.array(values, float)[::-1].copy(),
    lambda values: np.asarray(values).tolist(),
    lambda values: np.int64(np.ravel(values)[0]),
    lambda values: float(np.ravel(values)[0]),
    lambda values: int(np.ravel(values)[0]),
    _read_only,
)
"""Arguments as callers have them."""


def _random_state() -> bytes:
    return np.asarray(np.random.get_state()[1]).tobytes()  # noqa: NPY002


def _answer(function: Callable[..., Any], given: Any, alpha: float) -> Answer:
    """The limits of a call, or of a call for each outcome where arrays are not taken."""
    try:
        return _call(function, given, alpha)
    except Exception as error:
        # Numbers, or lists of other lengths, have no outcomes side by side.
        if len({np.size(each) for each in given if np.ndim(each)}) != 1:
            return type(error).__name__
    limits = []
    for outcome in zip(*np.broadcast_arrays(*given), strict=True):
        try:
            limits.append(_call(function, [each.item() for each in outcome], alpha))
        except Exception as error:
            limits.append((np.array(type(error).__name__),))
    return tuple(np.ravel(each) for pair in limits for each in pair)


def _call(function: Callable[..., Any], given: Any, alpha: float) -> tuple[np.ndarray, ...]:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return tuple(np.asarray(each) for each in function(*given, alpha))


def _same(one: Answer, other: Answer) -> bool:
    if isinstance(one, str) or isinstance(other, str):
        return isinstance(one, str) and isinstance(other, str) and one == other
    return len(one) == len(other) and all(map(_same_array, one, other))


def _same_array(one: np.ndarray, other: np.ndarray) -> bool:
    if one.shape != other.shape or one.dtype.kind != other.dtype.kind:
        return False
    if one.dtype.kind in "OUSb":
        return bool((one == other).all())
    with np.errstate(invalid="ignore", over="ignore"):
        near = np.abs(one - other) <= LARGEST_EQUAL * np.maximum(1.0, np.abs(other))
    near &= np.isfinite(one) & np.isfinite(other)
    return bool((near | (one == other) | (np.isnan(one) & np.isnan(other))).all())


def _outcomes(method: SoundMethod, more: Sequence[int]) -> Iterator[list[np.ndarray]]:
    """The arguments of calls: arrays of counts, and of sizes as long."""
    family = family_of(method.family)
    if family.design == SINGLE_SAMPLE and family.is_bounded:
        for n in sorted({*_NS, *more}, reverse=True):
            x = np.arange(n + 1.0) if n <= _EVERY_OUTCOME_UP_TO else _some(n)
            yield [x, np.full(x.size, float(n))]
    elif family.design == SINGLE_SAMPLE:
        for exposure in _EXPOSURES:
            x = np.array(sorted({*_EVENTS, *more}), float)
            yield [x, np.full(x.size, exposure)]
    elif family.design == TWO_SAMPLES and family.is_bounded:
        for n1, n2 in product(sorted({*_NS_OF_TWO, *more}), repeat=2):
            x1, x2 = (each.ravel() for each in np.meshgrid(_some(n1), _some(n2)))
            yield [x1, np.full(x1.size, float(n1)), x2, np.full(x1.size, float(n2))]
    elif family.design == TWO_SAMPLES:
        counts = np.array(sorted({*_EVENTS_OF_TWO, *more}), float)
        x1, x2 = (each.ravel() for each in np.meshgrid(counts, counts))
        for one, two in product(_EXPOSURES, repeat=2):
            yield [x1, np.full(x1.size, one), x2, np.full(x1.size, two)]
    elif family.shares_size:
        for n in sorted({*_NS_OF_PAIRS, *more}):
            yield _tables(n)
    elif family.sizes[2:]:
        for sizes in product((3, 8), repeat=3):
            grids = [count.ravel() for count in np.meshgrid(*(_some(n) for n in sizes))]
            yield [column for x, n in zip(grids, sizes, strict=True) for column in (x, 0 * x + n)]
    else:
        yield from _lists(method)


def _some(n: int) -> np.ndarray:
    """Counts next to 0 and n, and between."""
    few = [*range(4), n // 10, n // 4, n // 3, n // 2]
    return np.array(sorted({x for each in few for x in (each, n - each) if 0 <= x <= n}), float)


def _tables(n: int) -> list[np.ndarray]:
    counts = _some(n)
    cells = np.array(np.meshgrid(counts, counts, counts)).reshape(3, -1)
    cells = cells[:, cells.sum(0) <= n]
    return [*cells, n - cells.sum(0)]


def _lists(method: SoundMethod) -> Iterator[list[np.ndarray]]:
    rng = np.random.default_rng(1)
    for k in (2, 3, 5, 8, 30):
        if method.family == "mean":
            yield [rng.normal(0.7, 0.1, k)]
        elif method.family == "bounded_mean":
            yield [rng.beta(9, 0.5, k)]
        elif method.family.startswith("auc"):
            # Rounded, so that some tie.
            yield [np.round(rng.normal(0.5, 1, k), 1) for _ in family_of(method.family).data]
        elif method.family in ("clustered_mean", "clustered_difference"):
            cluster = np.maximum(np.arange(2.0 * k) - 2.0, 0.0) // 2
            scores = [rng.normal(0.7, 0.1, 2 * k) for _ in family_of(method.family).data[1:]]
            yield [*scores, cluster]
        elif method.family == "labelled_share":
            table = rng.multinomial(5 * k, (0.72, 0.08, 0.03, 0.17))
            yield [table.astype(float), np.array([30.0 * k, 10.0 * k])]
        elif method.family in ("clustered_proportion", "pass_at", "pass_hat"):
            n = rng.integers(2, 20, k).astype(float)
            yield [np.floor(rng.random(k) * (n + 1)), n]
        else:
            sizes = rng.integers(2, 20, (2, k)).astype(float)
            counts = np.floor(rng.random((2, k)) * (sizes + 1))
            yield [counts[0], sizes[0], counts[1], sizes[1]]


def _few_outcomes(method: SoundMethod) -> list[list[list[float]]]:
    """Two calls of a few outcomes with different sizes, not in order."""
    family = family_of(method.family)
    if family.design == SINGLE_SAMPLE:
        return [[[7, 3, 0, 12], [12, 40, 9, 12]], [[3, 50_000, 1, 2], [10, 10**5, 10, 10]]]
    if family.design == TWO_SAMPLES:
        return [[[7, 3, 0, 12], [12, 40, 9, 12], [5, 6, 2, 0], [10, 9, 8, 7]]]
    if family.sizes[2:]:
        return [[[7, 3], [12, 40], [5, 6], [10, 9], [7, 5], [8, 8]]]
    return [[[7, 3, 2, 12], [2, 4, 0, 1], [5, 6, 2, 0], [10, 9, 8, 7]][: len(family.data)]]
