"""Systems that answer the same items, and the sets of ranks that they are given."""

import numpy as np

import harness

LOGITS = {
    "equal": (1.0, 1.0, 1.0, 1.0, 1.0),
    "two at the top": (1.5, 1.5, 0.5, 0.5, 0.0),
    "apart": (2.0, 1.5, 1.0, 0.5, 0.0),
}


def draw(rng, items, systems, missed):
    """Answers of five systems, 1 or 0, to items whose difficulty they share, and their logits."""
    logits = np.array(LOGITS[systems])
    difficulty = rng.normal(size=(items, 1))
    right = rng.random((items, logits.size)) * (1 + np.exp(difficulty - logits)) < 1
    return right.astype(int), logits


def holm(data, alpha):
    """The ranks of a leaderboard, which hold together."""
    right, logits = data
    columns = {str(place): column for place, column in enumerate(right.T)}
    board = harness.leaderboard(columns, joint=1 - alpha)
    systems = sorted(board.systems, key=lambda system: int(system.system))
    return answer([(system.rank_low, system.rank_high) for system in systems], logits)


def own_intervals(data, alpha):
    """Ranks of systems by Wilson intervals of each that do not overlap."""
    right, logits = data
    n = len(right)
    found = harness.interval("proportion", "wilson", x=right.sum(axis=0), n=n, alpha=alpha)
    above = (found.lower > found.upper[:, np.newaxis]).sum(axis=1)
    below = (found.upper < found.lower[:, np.newaxis]).sum(axis=1)
    return answer(zip(1 + above, len(logits) - below, strict=True), logits)


def order(data, alpha):
    """The order of the shares alone."""
    right, logits = data
    place = (-right.sum(axis=0)).argsort(kind="stable").argsort()
    return answer(zip(1 + place, 1 + place, strict=True), logits)


def answer(ranks, logits):
    """An interval that has 0 in it where all ranks that a system truly has are among its own.

    Its lower limit is the number of systems for which that is not so. Its length is the mean number
    of ranks beyond one.
    """
    low, high = np.transpose(list(ranks))
    best = 1 + (logits > logits[:, np.newaxis]).sum(axis=1)
    worst = len(logits) - (logits < logits[:, np.newaxis]).sum(axis=1)
    wrong = float(((low > best) | (high < worst)).sum())
    return {"estimate": wrong, "lower": wrong, "upper": wrong + float((high - low).mean())}
