"""McNemar's exact test: does one of two methods miss more often in the same trials?"""

from __future__ import annotations

import numpy as np

from harness.agreement import two_sided_p
from harness.numerics.arrays import Floats, Integers


def mcnemar_p(only_first: Integers, only_second: Integers) -> Floats:
    """Twice the smaller tail of Binomial(b + c, ½) at b, at most 1; shape of the arguments.

    Given that just one of two methods misses, each is as likely to be that one if both miss
    equally often. The trials that both miss, or neither does, say nothing; without discordant
    trials p is 1.

    McNemar (1947), Psychometrika 12, 153–157; the exact form in Fagerland, Lydersen and Laake
    (2013), BMC Med. Res. Methodol. 13:91.

    Args:
        only_first, only_second: trials that the one method misses and the other does not.
    """
    return two_sided_p(only_first, only_first + only_second, np.full(only_first.shape, 0.5))
