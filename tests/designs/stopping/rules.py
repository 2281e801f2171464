"""Stopping rules that several tests use, and their outcomes by trying every sequence of trials."""

from collections import Counter
from itertools import product

import numpy as np

from harness.designs.stopping.open_rule import looks_every, open_rule
from harness.designs.stopping.rule import ByFunction, StoppingRule

ALPHA = 0.05
FOUR_LOOKS = {
    "boundaries": [
        {"n": 10, "at_most": 1, "at_least": 8},
        {"n": 20, "at_most": 4, "at_least": 14},
        {"n": 30, "at_most": 9, "at_least": 20},
    ]
}
SMALL = {
    "boundaries": (
        {"boundaries": [{"n": 4, "at_most": 0, "at_least": 4}, {"n": 7, "at_most": 2}]},
        10,
    ),
    "upper boundaries": ({"boundaries": [{"n": 3, "at_least": 3}, {"n": 6, "at_least": 5}]}, 9),
    "half-width": ({"first": 3, "every": 2, "until": {"half_width": 0.2, "of": "wald"}}, 12),
    "excluded value": ({"first": 2, "every": 1, "until": {"excludes": 0.5, "of": "wilson"}}, 12),
    "successes": ({"first": 1, "every": 1, "until": {"successes": 3}}, 11),
}
"""Rules as plain data, with the most trials."""


def rule_of(given, most, alpha):
    """Return the rule of plain data with so many trials at most."""
    return open_rule(given, alpha).up_to(most)


def stopping_function(function, most, first=1):
    """Return the stopping rule of a function, asked after each trial from a first one on."""
    return StoppingRule(looks_every(first, 1, most), ByFunction(function))


def small_rules():
    """Return the small rules by their names, and one with gaps between the x that go on."""
    rules = {name: rule_of(*given, ALPHA) for name, given in SMALL.items()}
    rules["function"] = stopping_function(lambda t, x: (t * t + x) % 5 == 0, 11, first=2)
    return rules


def ways(rule):
    """Count the sequences of trials that end at each (t, x), by trying every one of them."""
    stops = {t: rule.stops(np.full(t + 1, t), np.arange(t + 1)).tolist() for t in rule.looks}
    ended = Counter()
    for trials in product((0, 1), repeat=rule.most):
        x = np.cumsum(trials).tolist()
        t = next(t for t in rule.looks if stops[t][x[t - 1]])
        # The rest of the trials is not made: each ending is met 2^(n − t) times.
        ended[t, x[t - 1]] += 2.0 ** (t - rule.most)
    return ended
