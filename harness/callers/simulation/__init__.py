"""The functions of a simulation study, called in a process of their own: a model and methods."""
