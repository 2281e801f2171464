"""What each column of the tables means, and its unit: the only place that says so."""

from __future__ import annotations

from collections.abc import Mapping

SUMMARY, CELLS, RANKING, RECOMMENDATION, NEAR_NOMINAL = (
    "summary",
    "cells",
    "ranking",
    "recommendation",
    "near_nominal",
)
SUMMARY_OF_CALIBRATION, CELLS_OF_CALIBRATION = "calibration_summary", "calibration_cells"

NONE, COUNT, PROBABILITY, RATIO, SHARE = "", "count", "probability", "ratio", "share"
EXPOSURE = "unit of exposure"
OF_TRUTH, OF_PARAMETER, OF_LENGTH = "<truth>", "<parameter>", "<length>"
"""Units that the family decides: of the true value, of the parameter, of a length."""

Meanings = Mapping[str, tuple[str, str]]
"""Unit and meaning of columns by their names. ``{of}`` stands for " of the first sample" and the
like in columns that are numbered, such as n1."""

EVERYWHERE: Meanings = {
    "family": (NONE, "What is estimated."),
    "sampling": (NONE, "How the data arise, where it is not the family's own way."),
    "method": (NONE, "Label of the method, unique in the run."),
    "side": (NONE, "two-sided for an interval with two limits; lower or upper for one limit."),
    "alpha": (PROBABILITY, "Desired probability that the truth lies outside the interval."),
    "n": (COUNT, "Number of trials; of pairs, number of pairs."),
    "n1": (COUNT, "Number of trials of the first sample; of strata, in all of them together."),
    "n2": (COUNT, "Number of trials of the second sample; of strata, in all of them together."),
    "exposure": (EXPOSURE, "Area, time or other amount{of} in which events are counted."),
    "k": (COUNT, "Number of runs."),
    "clusters": (COUNT, "Number of clusters."),
    "size": (COUNT, "Number of cases in each cluster."),
    "engine": (
        NONE,
        "Where the numbers come from: monte_carlo draws trials; posterior integrates over the "
        "truths given each outcome; enumeration sums over the outcomes; closed_form has a formula.",
    ),
    "truth": (OF_TRUTH, "True value{of}, in rows given the truth."),
    "rho": (NONE, "True correlation of two cases of a cluster, in rows given the truth."),
    "worst_from": (OF_TRUTH, "Lower end of the range of truths of the worst case{of}."),
    "worst_to": (OF_TRUTH, "Upper end of the range of truths of the worst case{of}."),
    "trials": (COUNT, "Number of trials; empty for exact engines."),
    "miss_below": (
        PROBABILITY,
        "Probability that the truth lies below the lower limit; of Monte Carlo the fraction of "
        "trials. A truth equal to a limit is covered.",
    ),
    "miss_above": (PROBABILITY, "Probability that the truth lies above the upper limit; likewise."),
    "failed": (PROBABILITY, "Probability that the method gives no limits, which counts as a miss."),
    "actual_alpha": (
        PROBABILITY,
        "Probability that the interval misses the truth: miss_below + miss_above, and failed where "
        "there is such a column.",
    ),
    "std_error": (
        PROBABILITY,
        "Monte Carlo standard error of actual_alpha; empty for exact engines, and where no trial "
        "or every one missed.",
    ),
    "ci_lower": (
        PROBABILITY,
        "Lower limit of a 95 % interval of the Monte Carlo estimate actual_alpha, of minimal "
        "length; where the run stopped by looking at it, Clopper and Pearson's, wider for the "
        "number of looks.",
    ),
    "ci_upper": (PROBABILITY, "Upper limit of that interval."),
    "alpha_error": (PROBABILITY, "alpha − actual_alpha: above 0 the interval is conservative."),
    "alpha_without_failed": (PROBABILITY, "actual_alpha of the data for which there are limits."),
    "std_error_without_failed": (
        PROBABILITY,
        "Monte Carlo standard error of alpha_without_failed.",
    ),
    "infinite_length": (
        PROBABILITY,
        "Probability of an interval of infinite length, which no mean length contains.",
    ),
}

_OF_SUMMARY: Meanings = {
    "alpha_error_min": (
        PROBABILITY,
        "Smallest alpha_error over the listed truths, or over the outcomes where truths are drawn; "
        "empty for Monte Carlo. At listed truths alpha − alpha_error_min is the largest actual "
        "alpha, which the values between them may exceed.",
    ),
    "alpha_error_max": (PROBABILITY, "Largest alpha_error; likewise."),
    "coverage": (PROBABILITY, "1 − actual_alpha."),
    "mean_coverage": (PROBABILITY, "Mean coverage over the truths; of exact engines only."),
    "min_coverage": (PROBABILITY, "1 − worst_alpha."),
    "worst_alpha": (
        PROBABILITY,
        "Supremum of the miss probability over all truths from worst_from to worst_to, those "
        "between listed truths included. The manifest says where it was searched for instead.",
    ),
    "worst_truth": (
        OF_TRUTH,
        "Where worst_alpha is met{of}; of one sample the number next to the place where it is "
        "approached, on the side that it is approached from.",
    ),
    "worst_alpha_anywhere": (
        PROBABILITY,
        "Supremum of the miss probability over all possible truths, where it is exact.",
    ),
    "mean_length": (
        OF_LENGTH,
        "Mean length of the intervals. Of a ratio it is the mean of the finite lengths, which are "
        "those of its logarithm.",
    ),
    "mean_from": (NONE, "Engine that the means of the row come from."),
    "rms_alpha_error": (PROBABILITY, "Root mean square over the truths of alpha − actual alpha."),
    "interval_score": (
        OF_LENGTH,
        "Mean of Winkler's score: the length, and 2/alpha times the distance from the interval to "
        "a truth outside.",
    ),
}

_OF_CELLS: Meanings = {
    "given": (NONE, "Whether the row is for one outcome or for one truth."),
    "x": (COUNT, "Count{of}, in rows given the outcome: successes, or events."),
    "x_last": (COUNT, "Last count of a group of pooled outcomes, which begins at x."),
    "both": (COUNT, "Pairs right in both, in rows given the outcome."),
    "first_only": (COUNT, "Pairs right in the first only, in rows given the outcome."),
    "second_only": (COUNT, "Pairs right in the second only, in rows given the outcome."),
    "neither": (COUNT, "Pairs right in neither, in rows given the outcome."),
    "prior_alpha": (
        PROBABILITY,
        "actual_alpha under the posterior of the reference prior, where that of the row is under "
        "the posterior that the truths imply.",
    ),
    "parts": (NONE, "Whether the two differ by more than 1e-6."),
    "lower": (OF_PARAMETER, "Lower limit, in rows given the outcome."),
    "upper": (OF_PARAMETER, "Upper limit, in rows given the outcome."),
    "length": (
        OF_LENGTH,
        "Length of the interval, or its mean given the truth; of a ratio the length of the "
        "interval of its logarithm.",
    ),
}

_OF_RANKING: Meanings = {
    "rank": (NONE, "Place of the method at its alpha, by relative_score; empty without one."),
    "worst_alpha": (PROBABILITY, "Largest worst_alpha of the summary over the sizes."),
    "worst_n": (COUNT, "First size with that worst alpha: trials{of}."),
    "worst_exposure": (EXPOSURE, "First size with that worst alpha: exposure{of}."),
    "alpha_error": (
        PROBABILITY,
        "Mean of the mean alpha errors at each size, with their signs, so that too many and too "
        "few misses may cancel.",
    ),
    "rms_alpha_error": (PROBABILITY, "Root mean square of rms_alpha_error over the sizes."),
    "relative_length": (
        RATIO,
        "Mean over the sizes of mean_length over that of minimal_length, or of the shortest method "
        "where minimal_length is not in the run.",
    ),
    "infinite_length": (
        PROBABILITY,
        "Mean over the sizes of the probability of an infinite length; a method with more than "
        "1 % at some size has no rank.",
    ),
    "below_share": (SHARE, "Share of the misses in which the truth lies below the interval."),
    "relative_score": (
        RATIO,
        "Mean over the sizes of interval_score over that of the best method.",
    ),
}

_OF_RECOMMENDATION: Meanings = {
    "question": (
        NONE,
        "never_above_alpha: the shortest on average with worst_alpha at most alpha. "
        "within_1.5_alpha: the same with 1.5 · alpha. closest_on_average: the largest actual_alpha "
        "that is at most alpha.",
    ),
    "methods": (COUNT, "Number of methods compared."),
    "qualified": (COUNT, "How many of them meet the bound of the question."),
    "method": (NONE, "Label of the method that answers the question; empty where none meets it."),
    "mean_length": (OF_LENGTH, "Its mean length over the truths."),
    "actual_alpha": (PROBABILITY, "Its mean actual alpha over the truths."),
    "worst_alpha": (PROBABILITY, "Its worst alpha from worst_from to worst_to."),
    "runner_up": (
        NONE,
        "Label of the next method; for closest_on_average, of one that is nearer but above alpha; "
        "where no method meets the bound, of the one that comes closest.",
    ),
    "runner_up_mean_length": (OF_LENGTH, "Mean length of the runner-up."),
    "runner_up_actual_alpha": (PROBABILITY, "Mean actual alpha of the runner-up."),
    "runner_up_worst_alpha": (PROBABILITY, "Worst alpha of the runner-up."),
}

_OF_NEAR_NOMINAL: Meanings = {
    "truth": (OF_TRUTH, "True value."),
    "rho": (NONE, "True correlation of two cases of a cluster."),
    "within": (PROBABILITY, "alpha/5: a coverage that close to 1 − alpha is near nominal."),
    "near_from": (
        COUNT,
        "Smallest size of the run such that coverage is near nominal there and at every larger "
        "size of the run; empty where it is not at the largest. Estimates of Monte Carlo are "
        "taken as they are.",
    ),
    "coverage": (PROBABILITY, "Coverage at near_from."),
    "std_error": (PROBABILITY, "Monte Carlo standard error of that coverage."),
    "largest": (COUNT, "Largest size of the run."),
    "largest_coverage": (PROBABILITY, "Coverage at the largest size."),
    "largest_std_error": (PROBABILITY, "Monte Carlo standard error of that coverage."),
}

_OF_CALIBRATION: Meanings = {
    "reference": (
        NONE,
        "Posterior that the probabilities are computed from: prior, of the prior of the config; "
        "truth, the one that the distribution of the truths implies.",
    ),
    "bin": (COUNT, "Number of the bin, from 1 on."),
    "bin_lower": (PROBABILITY, "Lower edge of the bin of computed probabilities."),
    "bin_upper": (PROBABILITY, "Upper edge of the bin."),
    "trials": (COUNT, "Number of trials, in the row of a bin of those in the bin."),
    "mean_probability": (PROBABILITY, "Mean of the computed probabilities of the trials."),
    "true": (COUNT, "Trials in which the statement was true."),
    "fraction": (PROBABILITY, "true/trials."),
    "std_error": (PROBABILITY, "Monte Carlo standard error of the fraction."),
    "ci_lower": (PROBABILITY, "Lower limit of a 95 % interval of the fraction."),
    "ci_upper": (PROBABILITY, "Upper limit of that interval."),
    "chi_squared": (NONE, "Statistic of the test that fractions are the computed probabilities."),
    "degrees_of_freedom": (COUNT, "Degrees of freedom of the test."),
    "p_value": (PROBABILITY, "p-value of the test; empty with too few uncertain trials."),
}

OWN: Mapping[str, Meanings] = {
    SUMMARY: _OF_SUMMARY,
    CELLS: _OF_CELLS,
    RANKING: _OF_RANKING,
    RECOMMENDATION: _OF_RECOMMENDATION,
    NEAR_NOMINAL: _OF_NEAR_NOMINAL,
    SUMMARY_OF_CALIBRATION: _OF_CALIBRATION,
    CELLS_OF_CALIBRATION: _OF_CALIBRATION,
}
"""What columns mean in one table, before what they mean everywhere."""

NUMBERED: Mapping[str, str] = {
    "1": "of the first sample",
    "2": "of the second sample",
    "_both": "of a pair right in both",
    "_first_only": "of a pair right in the first only",
    "_second_only": "of a pair right in the second only",
    "_neither": "of a pair right in neither",
}
"""The ends of names of columns that stand once for each sample, or each kind of pairs."""
