"""A kind of experiment is one object: a toy one is registered, and runs as those of the package."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import polars as pl
import pytest

import harness
from harness.base.errors import ConfigIssue
from harness.cli import main
from harness.config.shared_keys import KINDS as WORDS
from harness.config.values import Execution
from harness.kinds.catalogue import KINDS, register
from harness.kinds.kind import Kind
from harness.runner.storage import manifest_of
from harness.runner.workload import BASE, Workload
from harness.tables import columns
from harness.tables.results import Results

HEADER = "tables,column,type,unit,among,when,marks,error,meaning\n"
COLUMNS = (
    HEADER
    + "coin_summary,heads,whole number,,,,shown,,How many tosses were heads.\n"
    + "coin_cells,toss,whole number,,,,shown,,The number of the toss.\n"
    + "coin_cells,head,whole number,,,,shown,,1 of a head and 0 of a tail.\n"
)


@dataclass(frozen=True)
class Coin:
    """Tosses of a coin."""

    name: str
    tosses: int
    seed: int
    kind: ClassVar[str] = "coin"
    family_name: ClassVar[str] = "coin"
    title: ClassVar[str] = "A coin"
    execution: ClassVar[Execution] = Execution(1, "threading", 10.0)
    figures: ClassVar[tuple[()]] = ()
    figures_are_suggested: ClassVar[bool] = False

    @property
    def document(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "name": self.name,
            "title": self.title,
            "tosses": self.tosses,
            "seed": self.seed,
            "figures": [],
        }


class CoinKind(Kind[Coin]):
    """How often a fair coin shows its head."""

    name = "coin"
    asks = "how often a coin shows its head"

    def validated(self, raw, folder, kinds):
        if not isinstance(raw.get("tosses"), int):
            return None, [ConfigIssue(("tosses",), "expected a number of tosses")]
        return Coin(raw["name"], raw["tosses"], raw["seed"]), []

    def validated_figure(self, document, figure):
        return None, [ConfigIssue(("kind",), "a coin has no figures")]

    def workload(self, experiment):
        tosses = experiment.tosses
        return Workload(scenarios=1, tasks=1, trials=tosses, cells=tosses, summary=1, memory=BASE)

    def compute(self, experiment, progress, journal):
        tosses = np.random.default_rng(experiment.seed).integers(2, size=experiment.tosses)
        return Results(
            pl.DataFrame({"toss": np.arange(tosses.size), "head": tosses}),
            pl.DataFrame({"heads": [int(tosses.sum())]}),
            manifest_of(experiment.document, {}, {"trials": {"tosses": experiment.tosses}}),
        )

    def screen(self, results: Results, verbose: bool = False) -> Iterator[str]:
        yield f"{results.summary['heads'][0]} heads"

    def setting(self, document: Mapping[str, Any]) -> str:
        return f"{document['tosses']} tosses"

    def sections(self, results, folder, command):
        return ()

    def markdown(self, results: Results) -> Iterator[str]:
        yield f"{results.summary['heads'][0]} heads\n"


@pytest.fixture(autouse=True)
def coin(tmp_path: Path) -> Iterator[None]:
    """The kind, registered, and its columns."""
    records, tables = len(columns.RECORDS), len(columns.TABLES)
    file = tmp_path / "columns.csv"
    file.write_text(COLUMNS, encoding="utf-8")
    columns.read_columns(file)
    register(CoinKind())
    yield
    del KINDS["coin"], WORDS["coin"]
    del columns.RECORDS[records:], columns.TABLES[tables:]


CONFIG = {"kind": "coin", "name": "coin", "tosses": 50, "seed": 3}


def test_a_toy_kind_runs_and_its_results_are_read_again(here: Path) -> None:
    results = harness.run(CONFIG)
    heads = int(np.random.default_rng(3).integers(2, size=50).sum())
    assert results.summary["heads"].to_list() == [heads]
    assert (here / "results/coin/summary.csv").read_text() == f"heads\n{heads}\n"
    assert harness.load("results/coin").cells.equals(results.cells)


def test_its_config_is_run_and_shown_by_the_command_line(here: Path, capsys: Any) -> None:
    Path("coin.yaml").write_text("{kind: coin, name: coin, tosses: 50, seed: 3}\n")
    assert main(["run", "coin.yaml", "--dry-run"]) == 0
    assert "50" in capsys.readouterr().out
    assert main(["run", "coin.yaml", "--report"]) == 0
    assert "heads" in capsys.readouterr().out
    assert "</html>" in (here / "results/coin/report.html").read_text("utf-8")
    assert main(["run", "coin.yaml", "--set", "tosses=many"]) == 2
    assert "expected a number of tosses" in capsys.readouterr().err


def test_what_it_cannot_do_is_said(here: Path, capsys: Any) -> None:
    Path("coin.yaml").write_text("{kind: coin, name: coin, tosses: 50, seed: 3}\n")
    assert main(["run", "coin.yaml", "--shard", "1/2"]) == 2
    assert "a coin cannot be run in parts" in capsys.readouterr().err
