"""Records of the engines: as bytes, of some columns, and put together.

JSON holds their structure, plain numbers their arrays. Nothing is unpickled, so that a journal from
elsewhere runs no code.
"""

from __future__ import annotations

import dataclasses
import json
import math
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np

from harness.base.numerics.arrays import Floats
from harness.designs.calibration import BinTally
from harness.designs.posterior import Integrated
from harness.designs.results import Counts, Enumerated, Exact, Mean, Tally, WorstCase
from harness.designs.scores import Scores
from harness.designs.verification import Comparison
from harness.study.solve import Simulation
from harness.tables.scenario_result import Solution

Record = TypeVar("Record")

_RECORDS: Mapping[str, type] = {
    record.__name__: record
    for record in (
        BinTally,
        Comparison,
        Counts,
        Enumerated,
        Exact,
        Integrated,
        Mean,
        Scores,
        Simulation,
        Solution,
        Tally,
        WorstCase,
    )
}

_WORTH_COMPRESSING = 1 << 12
"""Arrays of whole numbers with at least so many bytes are compressed."""


class DamagedRecordError(ValueError):
    """Bytes that ``pack`` did not write."""


def pack(record: Any) -> bytes:
    """Return a record of the engines as bytes, with a checksum.

    Args:
        record: a dataclass of the engines; its fields are such dataclasses, arrays, tuples,
            numbers, texts, None, or mappings without entries.
    """
    arrays: list[bytes] = []
    structure = _structure(record, arrays)
    header = json.dumps([structure, [len(each) for each in arrays]]).encode()
    content = b"".join([len(header).to_bytes(8, "little"), header, *arrays])
    return zlib.crc32(content).to_bytes(4, "little") + content


def unpack(content: bytes, kind: type[Record]) -> Record:
    """Return the record that ``pack`` made these bytes of.

    Args:
        content: the bytes.
        kind: the type of the record.

    Raises:
        DamagedRecordError: the bytes were cut or changed, or are those of another type.
    """
    if int.from_bytes(content[:4], "little") != zlib.crc32(content[4:]):
        raise DamagedRecordError("the checksum of a record is wrong")
    try:
        end = 12 + int.from_bytes(content[4:12], "little")
        structure, lengths = json.loads(content[12:end])
        places = np.cumsum([end, *lengths]).tolist()
        arrays = [content[a:b] for a, b in pairwise(places)]
        record = _record(structure, arrays)
    except (ValueError, KeyError, TypeError, IndexError, zlib.error) as fault:
        raise DamagedRecordError(f"a record cannot be read: {fault}") from None
    if not isinstance(record, kind):
        raise DamagedRecordError(f"a record is no {kind.__name__}")
    return record


def _structure(value: Any, arrays: list[bytes]) -> Any:
    """The value as JSON; arrays stand there by their numbers and are appended to ``arrays``."""
    if isinstance(value, np.ndarray):
        return _array_structure(value, arrays)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {
            field.name: _structure(getattr(value, field.name), arrays)
            for field in dataclasses.fields(value)
        }
        return {"record": type(value).__name__, "fields": fields}
    if isinstance(value, tuple):
        return [_structure(each, arrays) for each in value]
    if isinstance(value, Mapping):
        assert not value
        return {}
    if isinstance(value, float) and not math.isfinite(value):
        return {"float": repr(float(value))}
    return value


def _array_structure(array: np.ndarray[Any, Any], arrays: list[bytes]) -> dict[str, Any]:
    """The type and the shape of an array; whole numbers take as few bytes as they need."""
    stored, packed = array, False
    if array.dtype.kind == "i" and array.size:
        if array.min() >= 0:
            stored = array.astype(np.min_scalar_type(array.max()))
        packed = stored.nbytes >= _WORTH_COMPRESSING
    content = np.ascontiguousarray(stored).tobytes()
    arrays.append(zlib.compress(content, 1) if packed else content)
    return {
        "array": len(arrays) - 1,
        "type": array.dtype.str,
        "stored": stored.dtype.str,
        "shape": list(array.shape),
        "packed": packed,
    }


def _record(structure: Any, arrays: Sequence[bytes]) -> Any:
    if isinstance(structure, list):
        return tuple(_record(each, arrays) for each in structure)
    if not isinstance(structure, dict) or not structure:
        return structure
    if "float" in structure:
        return float(structure["float"])
    if "array" in structure:
        content = arrays[structure["array"]]
        content = zlib.decompress(content) if structure["packed"] else content
        flat = np.frombuffer(content, structure["stored"])
        return flat.reshape(structure["shape"]).astype(structure["type"])
    fields = {name: _record(each, arrays) for name, each in structure["fields"].items()}
    return _RECORDS[structure["record"]](**fields)


Rows = Sequence[int]
Part = TypeVar("Part")


def take_counts(counts: Counts, rows: Rows) -> Counts:
    """Return the counts of the columns in these rows."""
    index = list(rows)
    length = None if counts.length is None else counts.length[index]
    return Counts(
        counts.conditions,
        counts.trials,
        counts.below[index],
        counts.above[index],
        counts.failed[index],
        length,
        None if counts.infinite is None else counts.infinite[index],
    )


def take_tally(tally: Tally, rows: Rows) -> Tally:
    """Return the tally of the columns in these rows."""
    by_truth = None if tally.by_truth is None else take_counts(tally.by_truth, rows)
    return Tally(take_counts(tally.by_outcome, rows), by_truth)


def take_simulation(simulation: Simulation, rows: Rows, stochastic: Rows) -> Simulation:
    """Return the simulation of some deterministic and some stochastic columns.

    Args:
        simulation: of all columns.
        rows: the rows of the deterministic columns.
        stochastic: the rows of the stochastic columns.
    """
    drawn = simulation.stochastic
    failures = {
        new: simulation.failures[old]
        for new, old in enumerate(stochastic)
        if old in simulation.failures
    }
    return Simulation(
        take_tally(simulation.tally, rows),
        take_tally(drawn, stochastic) if drawn is not None and stochastic else None,
        failures,
    )


def _ordered(parts: Sequence[Floats | np.ndarray[Any, Any]], order: Sequence[int]) -> Any:
    """The rows of the parts, end to end, in the order of the columns."""
    joined = np.concatenate(parts)
    ordered = np.empty_like(joined)
    ordered[list(order)] = joined
    return ordered


def join_counts(parts: Sequence[Counts], order: Sequence[int]) -> Counts:
    """Return the counts of all columns.

    Args:
        parts: of some columns each, under the same conditions with the same trials.
        order: the row of each column in the result, for the columns of the parts end to end.
    """
    first = parts[0]
    lengths = [each.length for each in parts if each.length is not None]
    infinite = [each.infinite for each in parts if each.infinite is not None]
    return Counts(
        first.conditions,
        first.trials,
        _ordered([each.below for each in parts], order),
        _ordered([each.above for each in parts], order),
        _ordered([each.failed for each in parts], order),
        _ordered(lengths, order) if lengths else None,
        _ordered(infinite, order) if infinite else None,
    )


def join_tallies(parts: Sequence[Tally], order: Sequence[int]) -> Tally:
    """Return the tally of all columns; arguments as of ``join_counts``."""
    by_truth = [each.by_truth for each in parts if each.by_truth is not None]
    return Tally(
        join_counts([each.by_outcome for each in parts], order),
        join_counts(by_truth, order) if by_truth else None,
    )


def join_simulations(
    parts: Sequence[Simulation], order: Sequence[int], stochastic: Sequence[int]
) -> Simulation:
    """Return the simulation of all columns, whose parts count the same trials.

    Args:
        parts: of some deterministic and some stochastic columns each.
        order: the row of each deterministic column in the result.
        stochastic: the row of each stochastic column in the result.
    """
    if len(parts) == 1 and all(
        list(each) == list(range(len(each))) for each in (order, stochastic)
    ):
        return parts[0]
    drawn = [each.stochastic for each in parts if each.stochastic is not None]
    places = iter(stochastic)
    failures = {}
    for part in parts:
        if part.stochastic is not None:
            for row in range(part.stochastic.by_outcome.below.shape[0]):
                place = next(places)
                if row in part.failures:
                    failures[place] = part.failures[row]
    return Simulation(
        join_tallies([each.tally for each in parts], order),
        join_tallies(drawn, stochastic) if drawn else None,
        failures,
    )


def take_solution(solution: Solution, rows: Rows) -> Solution:
    """Return what the exact engines computed for the columns in these rows."""
    index = list(rows)
    enumerated, integrated, scores = solution.enumerated, solution.integrated, solution.scores
    return replace(
        solution,
        comparisons=tuple(
            replace(each, discrepancy=each.discrepancy[index]) for each in solution.comparisons
        ),
        enumerated=None if enumerated is None else _take_enumerated(enumerated, index),
        scores=None
        if scores is None
        else Scores(scores.rms_alpha_error[index], scores.interval_score[index]),
        integrated=None if integrated is None else _take_integrated(integrated, index),
    )


def _take_enumerated(enumerated: Enumerated, index: list[int]) -> Enumerated:
    return replace(
        enumerated,
        by_outcome=_take_exact(enumerated.by_outcome, index),
        by_truth=_if_known(_take_exact, enumerated.by_truth, index),
        mean=_if_known(_take_mean, enumerated.mean, index),
        worst=tuple(enumerated.worst[row] for row in index),
        worst_anywhere=tuple(enumerated.worst_anywhere[row] for row in index),
    )


def _take_integrated(integrated: Integrated, index: list[int]) -> Integrated:
    return Integrated(
        _take_exact(integrated.by_outcome, index),
        _if_known(_take_mean, integrated.mean, index),
        _if_known(_take_exact, integrated.under_prior, index),
    )


def _if_known(
    take: Callable[[Part, list[int]], Part], part: Part | None, index: list[int]
) -> Part | None:
    return None if part is None else take(part, index)


def _take_exact(exact: Exact, index: list[int]) -> Exact:
    return replace(
        exact,
        below=exact.below[index],
        above=exact.above[index],
        length=exact.length[index],
        failed=None if exact.failed is None else exact.failed[index],
        succeeded=None if exact.succeeded is None else exact.succeeded[index],
        infinite=None if exact.infinite is None else exact.infinite[index],
    )


def _take_mean(mean: Mean, index: list[int]) -> Mean:
    return Mean(
        mean.below[index],
        mean.above[index],
        mean.length[index],
        None if mean.failed is None else mean.failed[index],
        None if mean.succeeded is None else mean.succeeded[index],
        None if mean.infinite is None else mean.infinite[index],
    )


def join_solutions(parts: Sequence[Solution], order: Sequence[int]) -> Solution:
    """Return what the exact engines computed for all columns.

    Args:
        parts: of some columns each, of the same scenario.
        order: the row of each column in the result, for the columns of the parts end to end.

    Returns:
        The solution; its comparisons are those of all parts.
    """
    if len(parts) == 1:
        return take_solution(parts[0], np.argsort(order).tolist())
    first = parts[0]
    enumerated = [each.enumerated for each in parts if each.enumerated is not None]
    integrated = [each.integrated for each in parts if each.integrated is not None]
    scores = [each.scores for each in parts if each.scores is not None]
    return replace(
        first,
        comparisons=tuple(comparison for each in parts for comparison in each.comparisons),
        enumerated=_join_enumerated(enumerated, order) if enumerated else None,
        scores=Scores(
            _ordered([each.rms_alpha_error for each in scores], order),
            _ordered([each.interval_score for each in scores], order),
        )
        if scores
        else None,
        integrated=Integrated(
            _join_exact([each.by_outcome for each in integrated], order),
            _join_mean([each.mean for each in integrated if each.mean is not None], order),
            _join_listed([each.under_prior for each in integrated], order),
        )
        if integrated
        else None,
    )


def _join_enumerated(parts: Sequence[Enumerated], order: Sequence[int]) -> Enumerated:
    ranks = np.argsort(order).tolist()
    worst = [case for each in parts for case in each.worst]
    anywhere = [case for each in parts for case in each.worst_anywhere]
    return Enumerated(
        _join_exact([each.by_outcome for each in parts], order),
        _join_listed([each.by_truth for each in parts], order),
        _join_mean([each.mean for each in parts if each.mean is not None], order),
        parts[0].mean_from,
        tuple(worst[rank] for rank in ranks),
        tuple(anywhere[rank] for rank in ranks),
    )


def _join_listed(parts: Sequence[Exact | None], order: Sequence[int]) -> Exact | None:
    known = [each for each in parts if each is not None]
    return _join_exact(known, order) if known else None


def _join_exact(parts: Sequence[Exact], order: Sequence[int]) -> Exact:
    failed, succeeded = _failures(parts, order)
    return replace(
        parts[0],
        below=_ordered([each.below for each in parts], order),
        above=_ordered([each.above for each in parts], order),
        length=_ordered([each.length for each in parts], order),
        failed=failed,
        succeeded=succeeded,
        infinite=_infinite(parts, order),
    )


def _join_mean(parts: Sequence[Mean], order: Sequence[int]) -> Mean | None:
    if not parts:
        return None
    return Mean(
        _ordered([each.below for each in parts], order),
        _ordered([each.above for each in parts], order),
        _ordered([each.length for each in parts], order),
        *_failures(parts, order),
        _infinite(parts, order),
    )


def _infinite(parts: Sequence[Exact] | Sequence[Mean], order: Sequence[int]) -> Floats | None:
    """The probabilities of an infinite length; None where the parameter is no ratio."""
    known = [each.infinite for each in parts if each.infinite is not None]
    return _ordered(known, order) if known else None


def _failures(
    parts: Sequence[Exact] | Sequence[Mean], order: Sequence[int]
) -> tuple[Floats | None, Floats | None]:
    """The probabilities of a failure and of an answer; where no part has any, none at all."""
    if all(each.failed is None for each in parts):
        return None, None
    failed = [np.zeros_like(each.below) if each.failed is None else each.failed for each in parts]
    succeeded = [
        np.ones_like(each.below) if each.succeeded is None else each.succeeded for each in parts
    ]
    return _ordered(failed, order), _ordered(succeeded, order)
