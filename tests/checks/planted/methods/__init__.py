"""Sound interval methods, written as they are elsewhere, in which faults are planted."""
