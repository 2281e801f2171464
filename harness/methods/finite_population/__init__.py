"""Exact intervals for a proportion of a finite population, of which n cases are drawn."""
