"""The posterior of a ratio of two independent parameters, on the logarithm."""
