"""``leaderboard``: systems on the same cases, and which of them are told apart."""

from __future__ import annotations

from dataclasses import asdict
from inspect import unwrap
from pathlib import Path
from typing import Annotated, Any, cast

import typer

from harness.base.errors import InputError
from harness.commands.options import (
    Confidence,
    DecimalSign,
    Form,
    GivenAlpha,
    Key,
    Missing,
    Rows,
    Where,
    alpha_of,
    share_option,
)


def leaderboard(
    *,
    files: Rows = None,
    correct: Annotated[
        list[str] | None,
        typer.Option(
            help="Column of a system: 1 or true if right, else 0; with --by that of all systems."
        ),
    ] = None,
    score: Annotated[
        list[str] | None,
        typer.Option(help="Column of a system's scores, in place of --correct."),
    ] = None,
    key: Key = None,
    by: Annotated[
        str | None,
        typer.Option(help="Column of the system, where an item has a row for each system."),
    ] = None,
    cluster: Annotated[
        str | None,
        typer.Option(help="Column of the cluster of a case, or of the item of several samples."),
    ] = None,
    positive: Annotated[
        str | None, typer.Option(help="Label of a right case; default 1 or true.")
    ] = None,
    decimal: DecimalSign = None,
    where: Where = None,
    missing: Missing = None,
    joint: Annotated[
        float | None,
        share_option("Level at which all differences hold together, and all ranks; default 95%."),
    ] = None,
    alpha: GivenAlpha = None,
    confidence: Confidence = None,
    figure: Annotated[
        Path | None, typer.Option(help="Draw the systems into this file: .png, .svg or .pdf.")
    ] = None,
    output: Form = "table",
) -> int:
    """Compute intervals of systems on the same items, of all their differences, and their ranks.

        leaderboard --rows results.csv --correct a --correct b --correct c

        leaderboard --rows a.jsonl --rows b.jsonl --rows c.jsonl --key doc_id --correct acc

        leaderboard --rows long.csv --key item --by model --correct right

        leaderboard --rows long.csv --key item --by model --score score --cluster document

    Each system has an interval at its own level, --level. The intervals of the differences of all
    pairs hold together with --joint, whatever the dependence between them (Bonferroni), and so do
    the ranks that the differences leave open (Holm). Differences are by scas, and with --cluster,
    with several samples of an item or with --score those of clustered_difference.
    """
    from harness.commands.output import records_text, say, show, show_json, validate_output_files
    from harness.figures.draw import refuse_other_ending, write_systems
    from harness.one.leaderboard import leaderboard as of_python
    from harness.one.result import interval_texts

    if not files:
        raise InputError("leaderboard needs --rows FILE and --correct, the column of each system")
    if figure is not None:
        refuse_other_ending(figure)
        validate_output_files({"--figure": figure}, files)
    level = alpha_of(alpha, confidence)
    board = unwrap(of_python)(
        files,
        correct or (),
        score=score or (),
        key=key or (),
        by=by,
        positive=positive,
        decimal=decimal or ".",
        where=where or (),
        missing=cast("Any", missing),
        cluster=cluster,
        joint=0.95 if joint is None else joint,
        alpha=level,
    )
    if figure is not None:
        systems = [(row.system, row.estimate, row.lower, row.upper) for row in board.systems]
        write_systems(figure, systems, f"intervals of each system at {100 * (1 - level):.6g} %")
    if output == "json":
        show_json(asdict(board))
        return 0
    if output == "csv":
        say(records_text(board.records(), output, as_list=True))
    else:
        for rows in (board.systems, board.differences):
            # Scores have no counts.
            records = [
                {name: value for name, value in asdict(row).items() if value is not None}
                for row in rows
            ]
            show(records, output, interval_texts(records, {}))
    for remark in board.remarks:
        say(f"remark: {remark}", err=output == "csv")
    return 0
