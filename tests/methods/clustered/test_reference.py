"""Clustered proportions held against R's ratesci, statsmodels and evaluations in 40 digits."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests.methods.clustered.outcomes import limits

ROWS = json.loads((Path(__file__).parents[2] / "data" / "clustered_proportion.json").read_text())
EVALUATED = 1e-13
"""The equations take a dozen operations in double precision."""


def words(row):
    return f"{row['method']}-{'-'.join(map(str, row['inputs']['x']))}-{row['alpha']:g}"


@pytest.mark.parametrize("row", ROWS["rows"], ids=words)
def test_limits_are_those_of_ratesci_and_of_the_equation(row):
    found = limits(row["method"], tuple(row["inputs"].values()), alpha=row["alpha"])[:, 0]
    for expected, within in ((row, row["tolerance"]), (row["evaluated"], EVALUATED)):
        ends = [expected["lower"], expected["upper"]]
        np.testing.assert_allclose(found, ends, rtol=within, atol=within)


# Python 3.11, statsmodels 0.15.0. With use_correction its cluster-robust variance of a mean has the
# factor C/(C - 1) · (N - 1)/(N - 1), and with use_t the degrees of freedom are C - 1.
# >>> import numpy as np
# >>> from statsmodels.regression.linear_model import OLS
# >>> from statsmodels.stats.proportion import proportion_confint
# >>> def fitted(x, n):
# ...     results = np.concatenate([np.repeat([1., 0.], [a, b - a]) for a, b in zip(x, n)])
# ...     kinds = {"groups": np.repeat(np.arange(len(n)), n), "use_correction": True}
# ...     model = OLS(results, np.ones_like(results))
# ...     return [model.fit(cov_type="cluster", cov_kwds=kinds, use_t=t) for t in (False, True)]
# >>> for x, n, alpha in DATA:
# ...     z, t = fitted(x, n)
# ...     p, v = z.params[0], z.cov_params()[0, 0]
# ...     effective = p * (1 - p) / v
# ...     print(z.conf_int(alpha)[0], t.conf_int(alpha)[0])
# ...     print(proportion_confint(p * effective, effective, alpha, "wilson"))
DATA = [
    ([3, 5, 2, 4, 6], [10, 10, 10, 10, 10], 0.05),
    ([1, 3, 2, 4, 0, 5], [5, 6, 8, 9, 4, 10], 0.1),
    ([33, 2, 15, 60], [100, 10, 55, 130], 0.01),
    ([9, 8, 10, 7, 9], [10, 9, 10, 8, 10], 0.05),
    ([0, 0, 1, 0, 0, 3], [1, 2, 3, 4, 5, 6], 0.5),
]
STATSMODELS = {
    "cluster_wald": [
        (0.2614096175650322, 0.5385903824349678),
        (0.2453880086212876, 0.46889770566442623),
        (0.23591054374804166, 0.5098521681163652),
        (0.870045126816619, 0.9597421072259346),
        (0.10946413688676307, 0.2714882440656178),
    ],
    "cluster_t": [
        (0.20367568385224424, 0.5963243161477558),
        (0.22023619138510772, 0.4940495229006061),
        (0.06228853406083701, 0.6834741778035699),
        (0.8513621582361021, 0.9784250758064515),
        (0.10319481442032392, 0.2777575665320569),
    ],
    "rao_scott": [
        (0.27384752043209226, 0.5409725055011312),
        (0.25542978923179777, 0.47359614724653304),
        (0.25019862964458717, 0.5144465510315809),
        (0.8589497827525603, 0.9499419253291337),
        (0.12277139034694824, 0.2834536440783061),
    ],
}
REGRESSION = 1e-12
"""statsmodels finds the mean by a pseudo-inverse, and a quantile of Student's t by iteration."""


@pytest.mark.parametrize("name", STATSMODELS)
def test_limits_are_those_of_statsmodels_cluster_robust_covariance(name):
    found = [limits(name, (x, n), alpha=alpha)[:, 0] for x, n, alpha in DATA]
    np.testing.assert_allclose(found, STATSMODELS[name], rtol=REGRESSION, atol=0)
