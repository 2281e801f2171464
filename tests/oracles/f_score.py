"""Tails of the F score of Dirichlet cells in ball arithmetic, by integration over J.

F < f where the odds o of J ~ Beta(A, B) are below f/(1 - f) c(V)/(1 + beta^2). So the tail is one
of J below the range of that bound, and inside an integral over o of the tail of V: the other order
of integration than that of the package.
"""

from flint import arb, ctx

from tests.oracles.balls import exact
from tests.oracles.paired import integral

BITS = 400


def below(cells: tuple[float, float, float], weight: float, f: float) -> arb:
    """Pr(F < f) for Dirichlet shapes of tp, fp and fn, and beta = ``weight`` other than 1."""
    with ctx.workprec(BITS):
        tp, fp, fn, square, point = (exact(value) for value in (*cells, weight * weight, f))
        others, odds = fp + fn, point / (1 - point) / (1 + square)
        # c(V) = 1 + (beta^2 - 1) V, with V and 1 - V swapped so that it increases.
        first, second = (fn, fp) if weight > 1 else (fp, fn)
        low, width = odds * square.min(arb(1)), odds * abs(square - 1)
        constant = (tp + others).lgamma() - tp.lgamma() - others.lgamma()

        def integrand(logit: arb) -> arb:
            p, q = 1 / (1 + (-logit).exp()), 1 / (1 + logit.exp())
            o = low + width * p
            density = (constant + (tp - 1) * o.log() - (tp + others) * (1 + o).log()).exp()
            forms = (
                1 - p.beta_lower(first, second, regularized=True),
                q.beta_lower(second, first, regularized=True),
            )
            above = max(forms, key=lambda form: form.rel_accuracy_bits())
            return density * width * p * q * above

        below_all = (low / (1 + low)).beta_lower(tp, others, regularized=True)
        return below_all + integral(integrand)
