"""The categories of methods, each a constructor with what the category implies."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from harness.methods.method import TWO_SIDED_ONLY, Method, TailFormula, by_tail
from harness.methods.unconditional.limits import LARGEST_SIZE

wald = partial(Method, category="Wald")
score = partial(Method, category="score")
exact = partial(Method, category="exact", promise="at-least")
exact_unconditional = partial(exact, largest_size=LARGEST_SIZE)
exact_of_finite_population = partial(exact, needs_population=True)
exact_test = partial(exact, sides=TWO_SIDED_ONLY)
bayes = partial(Method, category="Bayes", promise="mean")
likelihood = partial(Method, category="likelihood")
transform = partial(Method, category="transform")
inequality = partial(Method, category="inequality", promise="at-least", uneven_tails=True)
bootstrap = partial(Method, category="bootstrap", deterministic=False)
mover = partial(Method, category="MOVER")


class Tails:
    """The same constructors for formulas of a tail, whose parameter has a range."""

    def __init__(self, support: tuple[float, float] = (0.0, 1.0)) -> None:
        def of(kind: Callable[..., Method]) -> Callable[..., Method]:
            def made(title: str, reference: str, formula: TailFormula, **traits: Any) -> Method:
                return kind(title, reference, by_tail(formula, support), **traits)

            return made

        self.wald, self.score, self.mover = of(wald), of(score), of(mover)
        self.exact, self.exact_unconditional = of(exact), of(exact_unconditional)
        self.exact_of_finite_population = of(exact_of_finite_population)
        self.bayes, self.likelihood = of(bayes), of(likelihood)
        self.transform, self.inequality = of(transform), of(inequality)
