"""What a paper says beside what the tables of a run say, for experiments that make it anew."""

from __future__ import annotations

from dataclasses import dataclass

from harness.findings.papers import brown2001, ross2003
from harness.findings.papers.claim import (
    FAILS,
    HOLDS,
    IN_PART,
    UNDECIDED,
    Claim,
    Found,
    LackingError,
)
from harness.report.page import Section
from harness.tables.results import Results

_PAPERS = (ross2003, brown2001)
_NO_CELLS = "needs cells.parquet, which is not stored here: run the config of it"
_LACKING = "the tables of this run do not hold what it is about"
_SIGNS = {HOLDS: "good", IN_PART: "warn", FAILS: "bad", UNDECIDED: "faint"}


@dataclass(frozen=True)
class Decided:
    """A claim with what is found."""

    claim: Claim
    found: Found

    @property
    def sign(self) -> str:
        """The class of the style sheet for the verdict."""
        return _SIGNS[self.found.verdict]


def claims(results: Results) -> list[Section]:
    """The claims of a paper about an experiment; none where it is of no paper."""
    decided = decide(results)
    if not decided:
        return []
    name = str(results.manifest["experiment"]["name"])
    paper = next(paper for paper in _PAPERS if name in paper.CLAIMS)
    title = f"What {paper.SOURCE} {paper.SAYS}, and what is found here"
    context = {"source": paper.SOURCE, "decided": decided, "sentence": _sentence(decided)}
    return [Section("claims", title, "claims.html", context, styles=("claims.css",))]


def decide(results: Results) -> list[Decided]:
    """The claims about an experiment with their verdicts, each computed from the tables."""
    name = str(results.manifest["experiment"].get("name"))
    every = [claim for paper in _PAPERS for claim in paper.CLAIMS.get(name, ())]
    return [Decided(claim, _found(claim, results)) for claim in every]


def _found(claim: Claim, results: Results) -> Found:
    try:
        return claim.check(results)
    except LackingError:
        return Found(_NO_CELLS if results.cells.is_empty() else _LACKING, UNDECIDED)


def _sentence(decided: list[Decided]) -> str:
    """How many claims hold."""
    count = dict.fromkeys(_SIGNS, 0)
    for each in decided:
        count[each.found.verdict] += 1
    if len(decided) == 1:
        return f"Its claim {decided[0].found.verdict}." if not count[UNDECIDED] else ""
    texts = {
        HOLDS: "hold" if count[HOLDS] != 1 else "holds",
        IN_PART: "hold in part" if count[IN_PART] != 1 else "holds in part",
        FAILS: "do not hold" if count[FAILS] != 1 else "does not hold",
        UNDECIDED: "are not decided" if count[UNDECIDED] != 1 else "is not decided",
    }
    parts = [f"{count[verdict]} {text}" for verdict, text in texts.items() if count[verdict]]
    return f"Of {len(decided)} claims {', '.join(parts)}."
