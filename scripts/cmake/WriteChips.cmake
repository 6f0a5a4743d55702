# Writes OUTPUT: the text of each file of CHIPS (a list separated by |), by its name without .toml.
string(REPLACE "|" ";" chips "${CHIPS}")
set(entries "")
foreach(file IN LISTS chips)
  file(READ ${file} text)
  get_filename_component(name ${file} NAME_WE)
  string(APPEND entries "    {\"${name}\", R\"toml(${text})toml\"},\n")
endforeach()
file(WRITE ${OUTPUT} "#include \"shipped_chips.hpp\"\n\nnamespace horae::dataplane {\nnamespace {\nconstexpr ShippedChip chips[] = {\n${entries}};\n}  // namespace\nconst std::span<const ShippedChip> shipped_chips = chips;\n}  // namespace horae::dataplane\n")
