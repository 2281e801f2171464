"""The notebooks of the documentation run, and show what is stored in them."""

import pytest

from tests.notebooks.books import BOOKS, executed, stored, texts


@pytest.mark.parametrize("book", BOOKS, ids=lambda book: book.stem)
def test_a_notebook_is_short_and_stored_with_its_outputs(book):
    cells = stored(book).cells
    assert 10 <= len(cells) <= 20
    assert cells[0].source.startswith("# ")
    outputs = [output for cell in cells for output in cell.get("outputs", ())]
    assert {output.output_type for output in outputs} == {"execute_result"}
    assert book.stat().st_size < 200_000


@pytest.mark.parametrize("book", BOOKS, ids=lambda book: book.stem)
def test_a_notebook_shows_what_is_stored_when_it_is_run(book, tmp_path):
    assert texts(executed(book, tmp_path)) == texts(stored(book))
    assert [*tmp_path.iterdir()] == []
