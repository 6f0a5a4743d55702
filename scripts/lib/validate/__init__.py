"""Published numbers beside ours: studies are run, tables made of their points, figures drawn. What belongs to one
paper is data: tb/validate/NAME.toml and NAME.csv, and its studies."""
