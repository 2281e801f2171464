"""What a method is made from, and what its kin can promise."""

from __future__ import annotations

from functools import partial

from harness.methods.method import TWO_SIDED_ONLY, Method

wald = partial(Method, kin="Wald")
score = partial(Method, kin="score")
exact = partial(Method, kin="exact", promise="at-least")
exact_test = partial(exact, sides=TWO_SIDED_ONLY)
bayes = partial(Method, kin="Bayes", promise="mean")
likelihood = partial(Method, kin="likelihood")
transform = partial(Method, kin="transform")
inequality = partial(Method, kin="inequality", promise="at-least")
bootstrap = partial(Method, kin="bootstrap", deterministic=False)
mover = partial(Method, kin="MOVER")
