"""The tail probability that each limit of a method leaves, and the rules that it is held to."""
