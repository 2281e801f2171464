"""The posterior of the difference of two proportions of the same cases."""
