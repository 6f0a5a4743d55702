// Paths of tables, as messages name them.
#pragma once

#include <string>
#include <string_view>

namespace horae::detail {

/// The path without indices, as a header of the file names the table.
std::string header_path(std::string_view path);

/// "link[0]" and "program" as "link[0].program".
std::string join_path(const std::string& path, std::string_view key);

}  // namespace horae::detail
