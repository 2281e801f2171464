"""Maps of values over size and outcome, or size and truth: what they show, in numbers and words."""
