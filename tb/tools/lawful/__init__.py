"""Random platforms and the laws that every run keeps: parts of tb/tools/random_platforms."""
