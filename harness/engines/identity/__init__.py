"""The identity in which the posterior and the enumeration engine meet."""
