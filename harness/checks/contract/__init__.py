"""Whether a method keeps what it promises: exact numbers, and trials for one that draws."""
