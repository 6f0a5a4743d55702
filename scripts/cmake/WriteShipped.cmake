# Writes OUTPUT, which defines horae::ROOM::VARIABLE: the text of each file of FILES (a list separated
# by |), by its name, without .toml.
string(REPLACE "|" ";" files "${FILES}")
set(entries "")
foreach(file IN LISTS files)
  file(READ ${file} text)
  get_filename_component(name ${file} NAME)
  string(REGEX REPLACE "\\.toml$" "" name ${name})
  string(APPEND entries "    {\"${name}\", R\"toml(${text})toml\"},\n")
endforeach()
file(WRITE ${OUTPUT} "#include \"horae/${ROOM}/${VARIABLE}.hpp\"\n\nnamespace horae::${ROOM} {\nnamespace {\nconstexpr ShippedFile files[] = {\n${entries}};\n}  // namespace\nconst std::span<const ShippedFile> ${VARIABLE} = files;\n}  // namespace horae::${ROOM}\n")
