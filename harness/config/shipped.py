"""The configs that come with the package, found wherever it is installed."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).parent.parent
# In an installed package they are a package of their own, in a checkout they stand beside it.
_FOLDERS = (_PACKAGE / "configs", _PACKAGE.parent / "configs")


def found(path: Path) -> Path:
    """``path`` itself where it exists; else the shipped config of that name, if there is one.

    ``configs/ross2003/fig03.yaml``, ``ross2003/fig03.yaml`` and ``ross2003/fig03`` name the same.
    """
    if path.exists() or path.is_absolute():
        return path
    parts = path.parts[1:] if path.parts[:1] == ("configs",) else path.parts
    if not parts or ".." in parts:
        return path
    for folder in _FOLDERS:
        shipped = folder.joinpath(*parts)
        for candidate in (shipped, shipped.with_name(shipped.name + ".yaml")):
            if candidate.exists():
                return candidate
    return path
