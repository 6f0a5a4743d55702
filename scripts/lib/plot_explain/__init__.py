"""Pictures of what `horae explain` found."""
