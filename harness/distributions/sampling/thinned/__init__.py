"""Outcomes drawn from tables at the edges of bins of the parameter, and from what is left.

For a parameter p of the bin above the edge p₀ an outcome is X₀ + X₁, where X₀ has the distribution
at the edge, from a table, and X₁ the small remainder: given X₀, Bin(n − X₀, (p − p₀)/(1 − p₀)), or
Poisson(λ − λ₀). The sum has exactly the distribution at p. Each part takes one random number.
"""
