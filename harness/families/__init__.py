"""What can be estimated: data names and their checks, posterior, outcome probabilities."""
