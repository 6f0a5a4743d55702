# Writes OUTPUT with the version and a digest of all headers below FOLDERS: their names and what they say.
set(all "")
foreach(folder IN LISTS FOLDERS)
  file(GLOB_RECURSE headers RELATIVE ${folder} ${folder}/*.hpp)
  list(SORT headers)
  foreach(header IN LISTS headers)
    file(SHA256 ${folder}/${header} hash)
    string(APPEND all "${header} ${hash}\n")
  endforeach()
endforeach()
string(SHA256 digest "${all}")
string(SUBSTRING ${digest} 0 16 digest)
file(WRITE ${OUTPUT} "// Which headers these are: of Horae ${VERSION}.
#pragma once

#include <string_view>

namespace horae::config {
inline constexpr std::string_view plugin_version = \"${VERSION}\";
inline constexpr std::string_view plugin_digest = \"${digest}\";
}  // namespace horae::config
")
