"""Parts of tb/tools/bench: what is run (loads), how it is measured, and the table of what was measured."""
