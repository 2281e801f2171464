"""The intervals of other packages, each as a function f(x, n, alpha); loaded when asked for."""
