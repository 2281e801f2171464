"""The pages of the notebooks: their cells with the outputs that are stored in them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from handbook import links

_FOLDER = links.ROOT / links.DOCS / "notebooks"


def pages() -> dict[str, str]:
    """The Markdown of each notebook by its place in the site."""
    return {
        f"notebooks/{book.stem}.md": _page(book.name, book.read_text("utf-8"))
        for book in sorted(_FOLDER.glob("*.ipynb"))
    }


def _page(name: str, text: str) -> str:
    first, *others = (part for cell in json.loads(text)["cells"] for part in _parts(cell))
    download = f"The page is [a notebook]({name}), which runs beside an installed `ipykernel`."
    return "\n\n".join([first, download, *others]) + "\n"


def _parts(cell: Mapping[str, Any]) -> Iterator[str]:
    source = "".join(cell["source"])
    if cell["cell_type"] == "markdown":
        yield source
        return
    yield f"```python\n{source}\n```"
    for output in cell["outputs"]:
        yield from (_shown(kind, "".join(text)) for kind, text in output["data"].items())


def _shown(kind: str, text: str) -> str:
    if kind == "text/html":
        return f'<div class="output">\n{text}\n</div>'
    if kind == "image/png":
        address = f"data:{kind};base64,{text.replace(chr(10), '')}"
        return f'<img alt="figure" width="502" src="{address}">'
    return f"```text\n{text}\n```"
