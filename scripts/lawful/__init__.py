"""Random platforms and the laws that every run keeps: parts of scripts/random_platforms."""
