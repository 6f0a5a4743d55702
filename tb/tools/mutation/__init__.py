"""Mutations of the models' sources and the tests that catch them: parts of tb/tools/mutate."""
