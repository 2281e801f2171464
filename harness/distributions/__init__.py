"""Distributions: of true values, of outcomes given them, and of parameters given outcomes."""
