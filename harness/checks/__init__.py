"""Checks of interval methods: soundness, contract, and comparison with others."""
