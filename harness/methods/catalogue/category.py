"""The categories of methods, each a constructor with what the category implies."""

from __future__ import annotations

from functools import partial

from harness.methods.method import ANYTIME, Method
from harness.methods.unconditional import LARGEST_SIZE

wald = partial(Method, category="Wald")
score = partial(Method, category="score")
exact = partial(Method, category="exact", promise="at-least")
exact_unconditional = partial(exact, largest_size=LARGEST_SIZE)
exact_of_finite_population = partial(exact, needs_population=True)
exact_of_stopping = partial(exact, needs_stopping=True)
anytime = partial(Method, category=ANYTIME, promise="at-least", uneven_tails=True)
mid_p = partial(Method, category="exact")
bayes = partial(Method, category="Bayes", promise="mean")
likelihood = partial(Method, category="likelihood")
transform = partial(Method, category="transform")
inequality = partial(Method, category="inequality", promise="at-least", uneven_tails=True)
bootstrap = partial(Method, category="bootstrap", deterministic=False)
mover = partial(Method, category="MOVER")
