"""The pages of the methods: one for each family, from the catalogue."""

from __future__ import annotations

from collections.abc import Iterable

from handbook.coverage_curves import Curve, all_curves
from handbook.coverage_drawing import drawing
from handbook.text import cell, code, inline, paragraphs, table
from harness.families.catalogue import FAMILIES, family_of
from harness.families.family import Family
from harness.methods.catalogue import CATALOGUE, default_method, methods_of
from harness.methods.listing import listing
from harness.methods.method import CONTRACTS, TWO_SIDED, Method

_PROMISES = {
    "at-least": "no true value is missed with a probability above alpha",
    "mean": "at every outcome the posterior probability outside is alpha",
    "none": "",
}
_INDEX = """# Methods

A page for each family, with the equation of each method, its source, what it promises, where that
is known to fail, and its coverage at n = 20 and alpha = 0.05. The pages are made from the catalogue
that `python -m harness methods` lists.

"""


def places() -> list[str]:
    """The pages in the order of the families."""
    return ["methods/index.md", *(f"methods/{family}.md" for family in CATALOGUE)]


def pages() -> dict[str, str]:
    """The page of each family, and their index."""
    curves = all_curves()
    made = {f"methods/{name}.md": _page(FAMILIES[name], curves[name]) for name in CATALOGUE}
    return {"methods/index.md": _index(), **made}


def _index() -> str:
    rows = (
        (
            f"[{name}]({name}.md)",
            cell(FAMILIES[name].title),
            cell(FAMILIES[name].parameter),
            str(len(methods)),
            code(default_method(family_of(name), TWO_SIDED).name),
        )
        for name, methods in CATALOGUE.items()
    )
    head = ("family", "what is estimated", "parameter", "methods", "default")
    return f"{_INDEX}{table(head, rows)}"


def _page(family: Family, curves: dict[str, Curve]) -> str:
    methods = methods_of(family)
    options = ", ".join(code(f"--{name.replace('_', '-')}") for name in family.options)
    rows = (
        (
            f"[{name}](#{_anchor(name)})",
            cell(method.title),
            "" if method.promise == "none" else method.promise,
            f"{curves[name].lowest[0]:.4f}",
        )
        for name, method in methods.items()
    )
    head = ("method", "title", "promise", "lowest coverage drawn")
    sections = "\n".join(_section(family, each, curves[name]) for name, each in methods.items())
    return (
        f"---\ntitle: {family.name}\n---\n# `{family.name}`\n\n"
        f"{cell(family.title).capitalize()}. Estimated is {cell(family.parameter)}, "
        f"written θ or by its symbol below. Data are {options}.\n\n"
        f"{_legend(methods.values())}\n\n"
        f"{table(head, rows)}\n{sections}"
    )


def _legend(methods: Iterable[Method]) -> str:
    """What the promises in a table of these methods mean."""
    made = {method.promise: _PROMISES[method.promise] for method in methods}
    parts = [f"**{promise}**: {words}" for promise, words in made.items() if words]
    return f"Promises are {'; '.join(parts)}." if parts else "None of them makes a promise."


def _anchor(name: str) -> str:
    return name.replace("_", "-")


def _section(family: Family, method: Method, curve: Curve) -> str:
    (record,) = listing(family.name, method.name)
    equation, *rest = paragraphs(method.description) or [""]
    source = record["reference"]
    rest = [part for part in rest if part != f"<p>{inline(source)}.</p>"]
    return "\n\n".join(
        [
            f"## {cell(method.title)} {{#{_anchor(method.name)}}}",
            f'<div class="equation">{equation}</div>',
            *rest,
            drawing(curve, method.title),
            _facts(family, method, record),
            "",
        ]
    )


def _facts(family: Family, method: Method, record: dict[str, str]) -> str:
    """What is known about a method, as a table without what it has not."""
    contract = method.contract
    assert contract in CONTRACTS
    aliases = list(method.aliases)
    facts = {
        "name": code(method.name)
        + (f", also {', '.join(map(code, sorted(aliases)))}" if aliases else ""),
        "source": cell(record["reference"]),
        "kind": cell(method.category),
        "sides": ", ".join(method.sides),
        "prior": "" if record["prior"] == "none" else cell(record["prior"]),
        "promise": cell(_PROMISES[method.promise]),
        "contract": f"{code(contract)}, which `python -m harness check` holds it to",
        "random": "" if method.deterministic else "its limits are drawn",
        "largest size": "" if method.largest_size is None else f"{method.largest_size:g}",
        "exceptions": "<br>".join(
            f"{cell(check)}: {cell(why)}" for check, why in method.exceptions.items()
        ),
    }
    rows = ((name, value) for name, value in facts.items() if value)
    return table(("", ""), rows)
