"""What intervals of a few clusters cover: a remark beside them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from harness.families.family import Family

FEW = 30
"""Below so many clusters, methods differ from nominal by percentage points."""

COVERAGE: Mapping[int, Mapping[str, tuple[float, float]]] = {
    5: {
        "wilson": (55.7, 96.3),
        "saha_wilson": (78.3, 95.7),
        "saha_scas": (78.3, 98.0),
        "rao_scott": (87.7, 98.8),
        "effective_wilson": (92.0, 98.6),
        "korn_graubard": (92.8, 100.0),
        "cluster_wald": (51.6, 91.3),
        "cluster_t": (51.7, 95.1),
        "cluster_logit": (95.0, 99.6),
        "cluster_bootstrap": (51.4, 90.1),
    },
    10: {
        "wilson": (56.4, 96.6),
        "saha_wilson": (72.8, 95.5),
        "saha_scas": (61.9, 93.7),
        "rao_scott": (74.7, 96.8),
        "effective_wilson": (92.7, 97.7),
        "korn_graubard": (94.3, 99.7),
        "cluster_wald": (63.1, 91.8),
        "cluster_t": (65.9, 95.5),
        "cluster_logit": (94.2, 98.4),
        "cluster_bootstrap": (65.4, 94.4),
    },
    20: {
        "wilson": (57.5, 96.7),
        "saha_wilson": (82.3, 94.4),
        "saha_scas": (82.3, 94.4),
        "rao_scott": (83.2, 96.0),
        "effective_wilson": (88.5, 95.8),
        "korn_graubard": (90.7, 97.1),
        "cluster_wald": (76.5, 93.5),
        "cluster_t": (76.9, 94.9),
        "cluster_logit": (89.2, 96.4),
        "cluster_bootstrap": (77.2, 93.9),
    },
}
"""The least and the largest coverage of 95 % intervals, in per cent, by the number of clusters.

They are those of ``results/sampling/few_clusters``: clusters of ten cases, p 0.05,
0.2, 0.5, 0.8 and 0.95, correlations 0, 0.1, 0.3 and 0.5, each with 20,000 data sets.
"""


def remark_on_few_clusters(
    family: Family, counts: Iterable[int], methods: Iterable[str]
) -> Iterator[str]:
    """Yield a remark where data have fewer than 30 clusters: what such intervals cover.

    The coverage is that of the largest simulated number of clusters which no data fall below, or of
    the smallest simulated one.

    Args:
        family: of the intervals; only one of clusters has such a remark.
        counts: the number of clusters of each interval.
        methods: the names of the methods.
    """
    few = sorted(count for count in counts if count < FEW) if family.has_clusters else []
    if not few:
        return
    simulated = max((count for count in COVERAGE if count <= few[0]), default=min(COVERAGE))
    coverage = COVERAGE[simulated]
    names = [name for name in methods if name in coverage]
    if names:
        counted = f"{few[0]}" if few[0] == few[-1] else f"{few[0]} to {few[-1]}"
        pairs = ((name, *coverage[name]) for name in names)
        spans = [f"{low:.1f} to {high:.1f} % ({name})" for name, low, high in pairs]
        yield (
            f"{counted} {'cluster is' if few[-1] == 1 else 'clusters are'} few: of {simulated} "
            f"clusters of ten cases, 95 % intervals cover {', '.join(spans)}, by p from 0.05 to "
            "0.95 and the correlation from 0 to 0.5; less where clusters differ in size"
        )
