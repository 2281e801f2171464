"""The kinds of experiments: what each asks, computes and shows."""
