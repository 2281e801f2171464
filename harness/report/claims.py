"""What a paper says beside what the tables of a run say, for experiments that make it anew."""

from __future__ import annotations

from harness.findings.papers import brown2001, ross2003
from harness.findings.papers.claim import decide, how_many_hold
from harness.report.page import Section
from harness.tables.results import Results


def claims(results: Results) -> list[Section]:
    """The claims of a paper about an experiment; none where it is of no paper."""
    name = str(results.manifest["experiment"].get("name"))
    paper = next((each for each in (ross2003, brown2001) if name in each.CLAIMS), None)
    if paper is None:
        return []
    decided = decide(paper.CLAIMS[name], results)
    title = f"What {paper.SOURCE} {paper.SAYS}, and what is found here"
    context = {"source": paper.SOURCE, "decided": decided, "sentence": how_many_hold(decided)}
    return [Section("claims", title, "claims.html", context, styles=("claims.css",))]
