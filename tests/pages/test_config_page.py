"""The page about configs names every kind of figure."""

from __future__ import annotations

from harness.figures.catalogue import FIGURES
from tests.pages.measured import ROOT

PAGE = (ROOT / "docs/config.md").read_text("utf-8")


def test_the_table_of_figures_has_every_kind() -> None:
    rows = PAGE.split("## Figures\n")[1].splitlines()
    first_cells = " ".join(row.split("|")[1] for row in rows if row.startswith("|"))
    assert [name for name in FIGURES if f"`{name}`" not in first_cells] == []
