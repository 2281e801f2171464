"""The choice of a method for a family."""
