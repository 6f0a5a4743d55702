"""Figures of results: a module a kind (`curve`, `explain`, `pcie`, `stages`), each with its options and `draw`."""
