"""A kind of experiment: which method a family should use, by one rule over several truths."""
