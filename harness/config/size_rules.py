"""What must hold of the sizes of a config: how two samples are paired, how large counts become."""

from __future__ import annotations

from collections.abc import Iterator

from harness.config.coverage_form import CROSS
from harness.config.document import Path
from harness.config.draft import Draft
from harness.config.faults import Complaint
from harness.config.form import Form, is_bounded
from harness.config.levels import each_size, paired
from harness.config.range_entry import Range
from harness.config.repeated import repeated
from harness.config.size_entry import SizesEntry
from harness.config.truth_levels import truths_of
from harness.families.data import LARGEST_COUNT

MOST_PAIRS = 10_000


def size_relations(form: Form, parts: Draft) -> Iterator[Complaint]:
    """Sizes that do not pair, pairs given twice, and counts that would be too large."""
    if form.family.samples == 2 and CROSS in form.keys:
        yield from _pairs(form, parts)
    if not is_bounded(form.family):
        yield from _means(form, parts)


def _pairs(form: Form, parts: Draft) -> Iterator[Complaint]:
    one, other = form.family.sizes
    if not {one, other, CROSS} <= set(parts):
        return
    first, second = each_size(parts[one]), each_size(parts[other])
    if parts[CROSS]:
        found = len(first) * len(second)
        if found > MOST_PAIRS:
            many = f"expected at most {MOST_PAIRS} pairs of sizes, found {found}"
            yield Complaint((CROSS,), many)
        return
    if 1 not in (len(first), len(second)) and len(first) != len(second):
        yield Complaint(
            (other,),
            f"expected as many sizes as {one} has ({len(first)}), or one, or cross: true for all "
            f"pairs, found {len(second)}",
        )
        return
    pairs = paired(first, second, cross=False)
    for _, again in repeated(pairs):
        a, b = pairs[again]
        yield Complaint(
            (other,), f"expected each pair of sizes once, found [{a:.15g}, {b:.15g}] again"
        )
        return


def _means(form: Form, parts: Draft) -> Iterator[Complaint]:
    """The mean count of a rate is its product with the exposure."""
    truths = truths_of(parts["truth"]) if "truth" in parts else ()
    for place, (name, truth) in enumerate(zip(form.family.sizes, truths, strict=False)):
        if name not in parts:
            continue
        exposure, rate = _largest(parts[name]), truth.effective_support[1]
        if not rate <= LARGEST_COUNT / exposure:
            path: Path = ("truth",) if len(truths) == 1 else ("truth", ("first", "second")[place])
            yield Complaint(
                path,
                f"expected mean counts, rate times {name}, of at most 10^9, "
                f"found {rate:.6g} times {exposure:.6g}",
            )


def _largest(entry: SizesEntry | Range) -> float:
    if isinstance(entry, Range):
        return entry.uniform[1]
    return max(each_size(entry))
