"""Before data are collected: the exact coverage of a method, and the size that suffices."""
