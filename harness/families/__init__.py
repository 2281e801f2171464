"""What can be estimated. A family ties data names, sampling, posterior and estimate together."""
