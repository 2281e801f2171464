"""Records of finished tasks as bytes, the hashes that they are found by, and what these depend on.

JSON holds their structure, plain numbers their arrays. Nothing is unpickled, so that a journal from
elsewhere runs no code. Beside a config, results depend on the program, the packages and the
processor.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
import platform
import re
import zlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

import numpy as np

import harness

Record = TypeVar("Record")


def digest(content: Mapping[str, Any], *arrays: np.ndarray[Any, Any]) -> bytes:
    """Return a hash of plain data and arrays, 16 bytes."""
    state = hashlib.blake2b(json.dumps(content, sort_keys=True).encode(), digest_size=16)
    for array in arrays:
        state.update(f"{array.dtype.str}{array.shape}".encode())
        state.update(np.ascontiguousarray(array).data)
    return state.digest()


_WORTH_COMPRESSING = 1 << 12
"""Arrays of whole numbers with at least so many bytes are compressed."""


class DamagedRecordError(ValueError):
    """Bytes that ``pack`` did not write."""


class _OtherRecordError(Exception):
    """A record holds one that a record of the type asked for never does."""


def pack(record: Any) -> bytes:
    """Return a record of the engines as bytes, with a checksum.

    Args:
        record: a dataclass of the engines; its fields are such dataclasses, arrays, tuples,
            numbers, texts, None, or mappings without entries.
    """
    arrays: list[bytes] = []
    structure = _structure(record, arrays)
    header = json.dumps([structure, [len(array) for array in arrays]]).encode()
    content = b"".join([len(header).to_bytes(8, "little"), header, *arrays])
    return zlib.crc32(content).to_bytes(4, "little") + content


def unpack(content: bytes, kind: type[Record]) -> Record:
    """Return the record that ``pack`` made these bytes of.

    Args:
        content: the bytes.
        kind: the type of the record: a dataclass, or a tuple of them.

    Raises:
        DamagedRecordError: the bytes were cut or changed, or are those of another type.
    """
    whole_kind: Any = kind
    if int.from_bytes(content[:4], "little") != zlib.crc32(content[4:]):
        raise DamagedRecordError("the checksum of a record is wrong")
    try:
        end = 12 + int.from_bytes(content[4:12], "little")
        structure, lengths = json.loads(content[12:end])
        places = np.cumsum([end, *lengths]).tolist()
        arrays = [content[a:b] for a, b in pairwise(places)]
        record: Any = _record(structure, arrays, _dataclasses_in(whole_kind))
    except _OtherRecordError:
        raise DamagedRecordError(f"a record is no {kind.__name__}") from None
    except (ValueError, KeyError, TypeError, IndexError, zlib.error) as fault:
        raise DamagedRecordError(f"a record cannot be read: {fault}") from None
    expected: Any = get_origin(kind) or kind
    members = get_args(kind)
    if not isinstance(record, expected) or (
        members and not all(isinstance(member, members[0]) for member in record)
    ):
        raise DamagedRecordError(f"a record is no {kind.__name__}")
    unpacked: Record = record
    return unpacked


@cache
def _dataclasses_in(kind: Any) -> Mapping[str, type]:
    """The dataclasses that a record of this type may hold, itself included, by their names."""
    classes: dict[str, type] = {}
    if isinstance(kind, type) and dataclasses.is_dataclass(kind):
        classes[kind.__name__] = kind
        for inner in get_type_hints(kind).values():
            classes |= _dataclasses_in(inner)
    for inner in get_args(kind):
        classes |= _dataclasses_in(inner)
    return classes


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
        return [_structure(part, arrays) for part in value]
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


def _record(structure: Any, arrays: Sequence[bytes], known: Mapping[str, type]) -> Any:
    if isinstance(structure, list):
        return tuple(_record(part, arrays, known) for part in structure)
    if not isinstance(structure, dict) or not structure:
        return structure
    if "float" in structure:
        return float(structure["float"])
    if "array" in structure:
        content = arrays[structure["array"]]
        content = zlib.decompress(content) if structure["packed"] else content
        flat = np.frombuffer(content, structure["stored"])
        return flat.reshape(structure["shape"]).astype(structure["type"])
    if structure["record"] not in known:
        raise _OtherRecordError
    fields = {name: _record(part, arrays, known) for name, part in structure["fields"].items()}
    return known[structure["record"]](**fields)


_TOP = Path(harness.__file__).parent
_PACKAGES = ("numpy", "scipy")
_IMPORTED = re.compile(r"(harness[\w.]*)(?: import (\([^)]*\)|.*))?")
"""A module of this package, with the names that are imported from it."""


@cache
def sources_digest(engines: tuple[str, ...], apart: tuple[str, ...] = ()) -> str:
    """The SHA-256 of the sources of engines and of all that they import, with their packages.

    Args:
        engines: names of modules of this package.
        apart: names of modules and packages that are not followed, since keys of records have what
            they give.
    """
    sources = hashlib.sha256()
    files = set(source_files(engines, apart).values())
    for folder in {file.parent for file in files}:
        # Programs of R stand beside the modules that start them.
        files.update(folder.glob("*.R"))
    for file in sorted(files):
        sources.update(str(file.relative_to(_TOP)).encode() + b"\0" + file.read_bytes())
    for package in _PACKAGES:
        sources.update(f"{package} {version(package)}".encode())
    return sources.hexdigest()


def source_files(modules: Iterable[str], apart: Collection[str]) -> dict[str, Path]:
    """The files of modules, and of all modules of this package that they import, by their names.

    Args:
        modules: names of modules.
        apart: names of modules and packages that are left out.
    """
    files: dict[str, Path] = {}
    waiting = list(modules)
    while waiting:
        module = waiting.pop()
        is_apart = any(f"{module}.".startswith(f"{name}.") for name in apart)
        place = _TOP.joinpath(*module.split(".")[1:])
        if is_apart or module in files or place == _TOP:
            continue
        file = place.with_suffix(".py")
        if not file.is_file():
            file = place / "__init__.py"
        if not file.is_file():
            # It is a name within a module.
            continue
        files[module] = file
        text = file.read_text("utf-8")
        for match in _IMPORTED.finditer(text):
            if text.endswith(("from ", "import "), 0, match.start()):
                package, names = match.groups()
                waiting.append(package)
                # A name is a module only if it is imported from a package.
                if names and (_TOP.parent / package.replace(".", "/")).is_dir():
                    waiting += [f"{package}.{name}" for name in re.findall(r"\w+", names)]
    return files


@cache
def environment() -> Mapping[str, Any]:
    """The program that computed limits, and the machine, as plain data."""
    simd = np.show_config(mode="dicts")["SIMD Extensions"]
    sources = hashlib.sha256()
    for file in sorted(_TOP.rglob("*.py")):
        sources.update(str(file.relative_to(_TOP)).encode() + b"\0" + file.read_bytes())
    return {
        "program": program(sources.hexdigest()),
        "machine": {
            "system": f"{platform.system()} {platform.machine()}",
            "libc": " ".join(platform.libc_ver()).strip(),
            "processor": " ".join([*simd.get("baseline", ()), *simd.get("found", ())]),
        },
    }


def program(sources: str) -> dict[str, str]:
    """The versions of the program, with the digest of its sources, or of a part of them."""
    return {
        "coverage-harness": version("coverage-harness"),
        "python": platform.python_version(),
        **{package: version(package) for package in _PACKAGES},
        "sources": sources[:12],
    }


def environment_text(content: Mapping[str, Any]) -> str:
    """An environment in one line, for a message."""
    parts = {**content.get("program", {}), **content.get("machine", {})}
    return ", ".join(f"{name} {value}" for name, value in parts.items())
