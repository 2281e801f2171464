"""The claims of Ross (2003), by the names of the experiments that make its figures anew.

T. D. Ross, "Accurate confidence intervals for binomial proportion and Poisson rate estimation",
Computers in Biology and Medicine 33 (2003) 509–531.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from harness.report.papers.claim import Claim
from harness.report.papers.ross2003 import errors, lengths, simulations

SOURCE = "Ross (2003)"
SAYS = "says"
CLAIMS: Mapping[str, Sequence[Claim]] = {
    **simulations.CLAIMS,
    **errors.CLAIMS,
    **lengths.CLAIMS,
}
