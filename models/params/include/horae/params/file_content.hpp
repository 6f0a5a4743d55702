// Content of a file that a platform names, as part of the platform's configuration.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "horae/params/located.hpp"

namespace horae {

/// Name-based UUID (RFC 4122) of a file's bytes: of its first 64 KiB in a namespace of our own,
/// then of each further 64 KiB in the one found so far. InputError where it cannot be read.
std::string content_hash(const std::string& path);
/// Likewise of a text.
std::string content_hash_of(std::string_view text);

/// Fills in `content` of the file at `path`. InputError, at `content`, where it is given and the
/// file's is another one.
void take_content(const std::string& path, std::optional<Located<std::string>>& content);

}  // namespace horae
