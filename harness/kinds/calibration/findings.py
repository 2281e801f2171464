"""What a calibration found, in sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from harness.findings.manifest import BAD, DOUBTFUL, GOOD, Remark
from harness.kinds.calibration.engine import PRIOR

_Row = Mapping[str, Any]


def calibration_remarks(manifest: _Row) -> Iterator[Remark]:
    """Yield the result of a calibration's test under each reference.

    Only a failure under the distribution of the truths is a fault of the harness.
    """
    references, level = manifest["calibration"]["references"], manifest["calibration"]["level"]
    for row in references:
        under = reference_text(row["reference"], len(references))
        if row["p_value"] is None:
            rest = ": too few uncertain trials."
            yield Remark(DOUBTFUL, f"Not tested under {under}", rest)
            continue
        test = (
            f": chi-squared {row['chi_squared']:.1f} on {row['degrees_of_freedom']} degrees of "
            f"freedom, p = {row['p_value']:.2g}."
        )
        if row["p_value"] >= level:
            yield Remark(GOOD, f"Calibrated under {under}", test)
        else:
            meaning = BAD if row is references[-1] else DOUBTFUL
            yield Remark(meaning, f"Not calibrated under {under}", test)


def reference_text(reference: str, count: int) -> str:
    """A distribution of the truths, of so many under which a run is tested."""
    if reference != PRIOR:
        return "the truths' own distribution"
    return "the prior" if count > 1 else "the truths' own prior"
