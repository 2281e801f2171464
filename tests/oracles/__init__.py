"""Independent values that tests hold the package's numbers against, and how close they must be."""
