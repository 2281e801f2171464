"""What can be estimated: data names and their validation, posteriors, outcome probabilities."""
