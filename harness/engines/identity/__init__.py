"""The identity between the posterior and the enumeration engine."""
