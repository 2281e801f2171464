"""Records of the engines: as bytes, of some columns, and put together.

JSON holds their structure, plain numbers their arrays. Nothing is unpickled, so that a journal from
elsewhere runs no code.
"""

from __future__ import annotations

import dataclasses
import json
import math
import zlib
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, TypeVar, cast, get_args, get_type_hints

import numpy as np

from harness.designs.calibration import BinTally
from harness.designs.simulation.trials import MethodTrials
from harness.study.solve import Simulation
from harness.tables.scenario_result import Solution

Record = TypeVar("Record")


def _records_in(kind: Any) -> Iterator[tuple[str, type]]:
    """A record of the engines and all that its fields may hold, by their names."""
    if isinstance(kind, type) and dataclasses.is_dataclass(kind):
        yield kind.__name__, kind
        for inner in get_type_hints(kind).values():
            yield from _records_in(inner)
    for inner in get_args(kind):
        yield from _records_in(inner)


_RECORDS = dict(_records_in(BinTally | MethodTrials | Simulation | Solution))

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
        fields = {name: _structure(each, arrays) for name, each in _fields(value)}
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

_SHARED = frozenset({"conditions", "trials", "weight", "shown"})
"""Arrays of records that are the same for all columns."""
_LISTED = frozenset({"comparisons"})
"""Tuples of records that are of all columns each; any other has an entry for each column."""
_WITHOUT_FAILURES = {"failed": 0.0, "succeeded": 1.0}
"""Probabilities that a record leaves out where no column of it ever fails."""


def take(record: Record, rows: Rows) -> Record:
    """Return a record of the engines, of the columns in these rows."""
    return cast(Record, _taken(record, list(rows)))


def _taken(value: Any, rows: list[int]) -> Any:
    if isinstance(value, np.ndarray):
        return value[rows]
    if isinstance(value, tuple):
        return tuple(value[row] for row in rows)
    if not dataclasses.is_dataclass(value) or isinstance(value, type):
        return value
    taken: dict[str, Any] = {}
    for name, each in _fields(value):
        if name in _LISTED:
            taken[name] = tuple(_taken(one, rows) for one in each)
        elif name not in _SHARED:
            taken[name] = _taken(each, rows)
    return dataclasses.replace(value, **taken)


def join(parts: Sequence[Record], order: Sequence[int]) -> Record:
    """Return the record of all columns from those of some columns each, of the same scenario.

    Args:
        parts: records of one type, under the same conditions.
        order: the row of each column in the result, for the columns of the parts end to end.
    """
    ranks: list[int] = np.argsort(order).tolist()
    if len(parts) == 1:
        return parts[0] if ranks == list(range(len(ranks))) else take(parts[0], ranks)
    return cast(Record, _joined(parts, ranks))


def _joined(parts: Sequence[Any], ranks: list[int]) -> Any:
    """The parts end to end, with the columns in the order of their ranks; None left out."""
    known = [each for each in parts if each is not None]
    first = known[0] if known else None
    if isinstance(first, np.ndarray):
        return np.concatenate(known)[ranks]
    if isinstance(first, tuple):
        every = [each for part in known for each in part]
        return tuple(every[rank] for rank in ranks)
    if not dataclasses.is_dataclass(first) or isinstance(first, type):
        return first
    joined: dict[str, Any] = {}
    for name, _ in _fields(first):
        values = [getattr(part, name) for part in known]
        if name in _LISTED:
            joined[name] = tuple(each for part in values for each in part)
        elif name not in _SHARED:
            if name in _WITHOUT_FAILURES and any(each is not None for each in values):
                values = [
                    np.full_like(part.below, _WITHOUT_FAILURES[name]) if each is None else each
                    for part, each in zip(known, values, strict=True)
                ]
            joined[name] = _joined(values, ranks)
    return dataclasses.replace(first, **joined)


def _fields(record: Any) -> list[tuple[str, Any]]:
    return [(field.name, getattr(record, field.name)) for field in dataclasses.fields(record)]


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
        take(simulation.tally, rows),
        take(drawn, stochastic) if drawn is not None and stochastic else None,
        failures,
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
        join([each.tally for each in parts], order),
        join(drawn, stochastic) if drawn else None,
        failures,
    )
