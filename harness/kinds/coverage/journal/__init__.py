"""What a journal keeps of a coverage experiment: counts of trials, and solutions, by columns."""
