"""Config files: finding them, those that come with the package too, and reading their text."""

from __future__ import annotations

import codecs
from collections.abc import Iterator, Sequence
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path

from harness.base.errors import ConfigError, ConfigIssue, Place, did_you_mean
from harness.base.files import read_regular

SUFFIXES = (".yaml", ".yml")
LARGEST_FILE = 2_000_000
"""The most bytes of a config; its most values take no more."""
_CHECKOUT = Path(__file__).parents[2] / "configs"
_LISTED = "; `python -m harness run` alone lists those that come with the package"
_INSTALLED = "share/coverage-harness/configs/schema.json"


def find_configs(paths: Sequence[Path | str]) -> list[Path]:
    """Return files as they are, and for folders the YAML files in and below them; each file once.

    Raises:
        ConfigError: a path does not exist, is no YAML file, or is a folder without any.
    """
    configs: dict[Path, Path] = {}
    issues: list[ConfigIssue] = []
    for path in map(Path, paths):
        try:
            for file in _configs_of(path):
                configs.setdefault(file.resolve(), file)
        except ConfigError as error:
            issues += error.issues
    if issues:
        raise ConfigError(issues)
    return list(configs.values())


def _configs_of(path: Path) -> list[Path]:
    suffixes = " or ".join(SUFFIXES)
    try:
        path = find_shipped(path)
        if path.is_dir():
            configs = sorted(file for file in path.rglob("*") if _is_config(file, path))
            if not configs:
                raise _error(path, f"expected a folder with {suffixes} files, found none")
            return configs
        if not path.exists():
            advice = _similar(path) or _LISTED
            raise _error(path, f"expected a config, found no such file or folder{advice}")
    except (OSError, ValueError) as error:
        raise _unreadable(path, error) from None
    if path.suffix not in SUFFIXES:
        ending_found = path.suffix or "a file without an ending"
        raise _error(path, f"expected a {suffixes} file, found {ending_found}")
    return [path]


def _is_config(file: Path, folder: Path) -> bool:
    """Whether it is a YAML file that is not hidden, nor in a hidden folder."""
    inner = file.relative_to(folder).parts
    return file.suffix in SUFFIXES and file.is_file() and not any(p.startswith(".") for p in inner)


def read_text(path: Path) -> str:
    """Return the text of a UTF-8 file.

    Raises:
        ConfigError: it cannot be read, is too large, or is not UTF-8.
    """
    try:
        raw = read_regular(path, LARGEST_FILE + 1)
    except FileNotFoundError:
        raise _error(path, "expected a config, found no such file") from None
    except IsADirectoryError:
        raise _error(path, "expected a config, found a folder") from None
    except (OSError, ValueError) as error:
        raise _unreadable(path, error) from None
    if len(raw) > LARGEST_FILE:
        raise _error(path, f"expected a config of at most {LARGEST_FILE:,} bytes, found more")
    if raw.startswith(codecs.BOM_UTF8):
        message = "expected UTF-8 without a byte order mark, found one at the start"
        raise _error(path, message, line=1)
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        message = f"expected UTF-8, found the byte {raw[error.start]:#04x}"
        raise _error(path, message, line) from None


def _error(path: Path, message: str, line: int | None = None) -> ConfigError:
    return ConfigError([ConfigIssue((), message, Place(str(path), line))])


def _unreadable(path: Path, error: Exception) -> ConfigError:
    # The message of an OSError repeats the path.
    reason = getattr(error, "strerror", None) or str(error)
    return _error(path, f"expected a config, but it cannot be read: {reason}")


def find_shipped(path: Path) -> Path:
    """Return ``path`` itself where it exists; else the shipped config of that name, if any.

    ``configs/ross2003/fig03.yaml``, ``ross2003/fig03.yaml`` and ``ross2003/fig03`` name the same.
    A local ``quickstart.yaml`` goes before the shipped ``quickstart``.
    """
    if path.exists():
        return path
    if not path.suffix and path.name:
        for suffix in SUFFIXES:
            local = path.with_name(path.name + suffix)
            if local.exists():
                return local
    if path.is_absolute():
        return path
    parts = path.parts[1:] if path.parts[:1] == ("configs",) else path.parts
    if not parts or ".." in parts:
        return path
    for folder in _shipped_folders():
        shipped = folder.joinpath(*parts)
        for candidate in (shipped, shipped.with_name(shipped.name + ".yaml")):
            if candidate.exists():
                return candidate
    return path


def shipped_configs() -> dict[str, Path]:
    """Return the configs that come with the package, by the names that ``run`` takes.

    Those that stand in no folder come first; names are sorted. There are none where neither a
    checkout nor an installation has its configs.
    """
    for folder in _shipped_folders():
        if folder.is_dir():
            configs = (file for file in folder.rglob("*") if _is_config(file, folder))
            named = {file.relative_to(folder).with_suffix("").as_posix(): file for file in configs}
            return dict(sorted(named.items(), key=lambda pair: ("/" in pair[0], pair[0])))
    return {}


def _similar(path: Path) -> str:
    """The end of a message, ``; did you mean ...?``, for a name that no file has; or nothing."""
    # The ending is no part of the comparison: it would make any two names similar.
    ending = path.suffix if path.suffix in SUFFIXES else ""
    beside = path.parent.iterdir() if path.parent.is_dir() else iter(())
    endings = (ending,) if ending else SUFFIXES
    local = [str(file.with_suffix("")) for file in beside if file.suffix in endings]
    folder = "configs/" if path.parts[:1] == ("configs",) else ""
    names = [*local, *(f"{folder}{name}" for name in shipped_configs())]
    return did_you_mean(str(path).removesuffix(ending), names).replace("?", f"{ending}?")


def _shipped_folders() -> Iterator[Path]:
    """Yield the folders that may hold the configs: of a checkout, then of an installation."""
    yield _CHECKOUT
    try:
        installed = files("coverage-harness") or []
    except PackageNotFoundError:
        return
    for file in installed:
        if file.as_posix().endswith(_INSTALLED):
            yield Path(str(file.locate())).resolve().parent
