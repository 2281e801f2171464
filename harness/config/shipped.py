"""The configs that come with the package, found wherever it is installed."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path

_CHECKOUT = Path(__file__).parents[2] / "configs"
_INSTALLED = "share/coverage-harness/configs/schema.json"


def found(path: Path) -> Path:
    """Return ``path`` itself where it exists; else the shipped config of that name, if any.

    ``configs/ross2003/fig03.yaml``, ``ross2003/fig03.yaml`` and ``ross2003/fig03`` name the same.
    """
    if path.exists() or path.is_absolute():
        return path
    parts = path.parts[1:] if path.parts[:1] == ("configs",) else path.parts
    if not parts or ".." in parts:
        return path
    for folder in _folders():
        shipped = folder.joinpath(*parts)
        for candidate in (shipped, shipped.with_name(shipped.name + ".yaml")):
            if candidate.exists():
                return candidate
    return path


def _folders() -> Iterator[Path]:
    """Yield the folders that may hold the configs: of a checkout, then of an installation."""
    yield _CHECKOUT
    try:
        installed = files("coverage-harness") or []
    except PackageNotFoundError:
        return
    for file in installed:
        if file.as_posix().endswith(_INSTALLED):
            yield Path(str(file.locate())).resolve().parent
