"""Properties that an interval method has at every outcome."""
