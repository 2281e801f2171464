"""The engines that serve all designs: Monte Carlo, posterior and enumeration."""
