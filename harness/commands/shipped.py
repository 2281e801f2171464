"""The configs that come with the package, as a list with their titles."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path

_WIDTH = 80
_GAP = "  "


def shipped_lines(configs: Mapping[str, Path]) -> Iterator[str]:
    """Yield the lines of a list of configs, none longer than 80 characters.

    Args:
        configs: by the names that ``run`` takes.
    """
    if not configs:
        yield "No config is installed with this package; `init` writes one."
        return
    yield "Configs that come with the package:"
    column = max(map(len, configs))
    for name, path in configs.items():
        room = _WIDTH - column - 2 * len(_GAP)
        start, *more = textwrap.wrap(_title(name, path), room, break_on_hyphens=False)
        yield f"{_GAP}{name:<{column}}{_GAP}{start}"
        yield from (f"{_GAP}{'':<{column}}{_GAP}{line}" for line in more)
    first = "quickstart" if "quickstart" in configs else next(iter(configs))
    yield f"One of them is run by its name: python -m harness run {first}"
    yield "A config of your own is begun by: python -m harness init"


def _title(name: str, path: Path) -> str:
    """The title of a config, or its name where it has none."""
    from harness.config import yaml12
    from harness.config.files import read_text

    data = yaml12.read(read_text(path), str(path)).data
    title = data.get("title") if isinstance(data, Mapping) else None
    return title if isinstance(title, str) and title.strip() else name
