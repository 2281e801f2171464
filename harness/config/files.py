"""Config files: finding them and reading their text."""

from __future__ import annotations

import codecs
from collections.abc import Sequence
from pathlib import Path

from harness.config import shipped
from harness.errors import ConfigError, Fault

ENDINGS = (".yaml", ".yml")


def find_configs(paths: Sequence[Path | str]) -> list[Path]:
    """Files as they are, folders as the YAML files in and below them; each file once.

    Raises:
        ConfigError: a path is not there, is no YAML file, or is a folder without any.
    """
    found: dict[Path, Path] = {}
    faults = []
    for path in map(Path, paths):
        files = _files_of(path)
        if isinstance(files, Fault):
            faults.append(files)
        else:
            for file in files:
                found.setdefault(file.resolve(), file)
    if faults:
        raise ConfigError(faults)
    return list(found.values())


def _files_of(path: Path) -> list[Path] | Fault:
    wanted = " or ".join(ENDINGS)
    try:
        path = shipped.found(path)
        if path.is_dir():
            files = sorted(file for file in path.rglob("*") if _is_config(file, path))
            return files or Fault(
                str(path), "", f"expected a folder with {wanted} files, found none"
            )
        if not path.exists():
            return Fault(str(path), "", "expected a config, found no such file or folder")
    except (OSError, ValueError) as error:
        return Fault(str(path), "", f"expected a config, but it cannot be read: {_reason(error)}")
    if path.suffix not in ENDINGS:
        ending = path.suffix or "a file without an ending"
        return Fault(str(path), "", f"expected a {wanted} file, found {ending}")
    return [path]


def _is_config(file: Path, folder: Path) -> bool:
    """A YAML file that is not hidden, nor in a hidden folder."""
    inner = file.relative_to(folder).parts
    return file.suffix in ENDINGS and file.is_file() and not any(p.startswith(".") for p in inner)


def read_text(path: Path) -> str | Fault:
    """The text of a file of UTF-8, or why there is none."""
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        return Fault(str(path), "", "expected a config, found no such file")
    except IsADirectoryError:
        return Fault(str(path), "", "expected a config, found a folder")
    except (OSError, ValueError) as error:
        return Fault(str(path), "", f"expected a config, but it cannot be read: {_reason(error)}")
    if raw.startswith(codecs.BOM_UTF8):
        return Fault(
            f"{path}:1", "", "expected UTF-8 without a byte order mark, found one at the start"
        )
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        return Fault(
            f"{path}:{line}", "", f"expected UTF-8, found the byte {raw[error.start]:#04x}"
        )


def _reason(error: Exception) -> str:
    """Without the path, which stands in front already."""
    return getattr(error, "strerror", None) or str(error)
