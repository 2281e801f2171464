"""From a YAML file to a frozen, fully resolved Experiment, or to all of its issues at once."""
