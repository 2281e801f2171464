"""Families of parameters: names of the data and their validation, posteriors, probabilities."""
