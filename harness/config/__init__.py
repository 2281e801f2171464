"""From a YAML file to a frozen, fully resolved Experiment, or to all of its faults at once."""
