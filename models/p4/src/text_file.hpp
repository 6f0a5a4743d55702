// Whole files as text (internal to the room).
#pragma once

#include <string>

namespace horae::p4 {

/// The text of a file. InputError when it cannot be read or is larger than 256 MiB.
std::string read_text_file(const std::string& path);

}  // namespace horae::p4
