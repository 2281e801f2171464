"""The posterior of a weighted sum of two independent parameters."""
