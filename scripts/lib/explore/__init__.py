"""What scripts/explore is made of, one subject a file."""
