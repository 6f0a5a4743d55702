# Writes OUTPUT, which defines NAMESPACE::VARIABLE: the text of each file of FILES (a list separated
# by |), by its name without .toml.
string(REPLACE "|" ";" files "${FILES}")
set(entries "")
foreach(file IN LISTS files)
  file(READ ${file} text)
  get_filename_component(name ${file} NAME_WE)
  string(APPEND entries "    {\"${name}\", R\"toml(${text})toml\"},\n")
endforeach()
file(WRITE ${OUTPUT} "#include \"${VARIABLE}.hpp\"\n\nnamespace ${NAMESPACE} {\nnamespace {\nconstexpr ShippedFile files[] = {\n${entries}};\n}  // namespace\nconst std::span<const ShippedFile> ${VARIABLE} = files;\n}  // namespace ${NAMESPACE}\n")
