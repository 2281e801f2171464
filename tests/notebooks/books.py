"""The notebooks of the documentation: run anew, and stored with what their cells show.

``python -m tests.notebooks.books`` stores them again.
"""

import re
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).parents[2] / "docs" / "notebooks"
BOOKS = sorted(FOLDER.glob("*.ipynb"))
SHOWN = ("text/html", "image/png", "text/plain")
"""What is kept of an output, the first of these that it has."""


def executed(book: Path, folder: Path) -> Any:
    """The notebook with the outputs of its cells; a cell that fails raises CellExecutionError."""
    found = stored(book)
    NotebookClient(
        found, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(folder)}}
    ).execute()
    for cell in found.cells:
        cell.metadata = {}
        if cell.cell_type == "code":
            cell.execution_count = None
            cell.outputs = [_short(output) for output in cell.outputs]
    found.metadata["language_info"] = {"name": "python"}
    return found


def _short(output: Any) -> Any:
    if "data" in output:
        kind = next(kind for kind in SHOWN if kind in output["data"])
        text = output["data"][kind]
        if kind == "text/html":
            text = re.sub(r"<style.*?</style>\s*", "", text, flags=re.DOTALL)
        output["data"], output["execution_count"] = {kind: text}, None
    return output


def stored(book: Path) -> Any:
    """The notebook as it is stored."""
    return nbformat.read(book, as_version=4)


def texts(book: Any) -> list[list[str]]:
    """What each cell of code shows, without pictures."""
    outputs = [cell.outputs for cell in book.cells if cell.cell_type == "code"]
    return [["".join(_text(output)) for output in each] for each in outputs]


def _text(output: Any) -> list[str]:
    return [text for kind, text in output["data"].items() if kind.startswith("text")]


if __name__ == "__main__":
    import tempfile

    for each in BOOKS:
        with tempfile.TemporaryDirectory() as place:
            nbformat.write(executed(each, Path(place)), each)
