"""Parts of scripts/compare_replay: captures, headers as fields, which packet is which, and what is said of them."""
