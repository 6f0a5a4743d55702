// A file that is there whole or not at all.
#pragma once

#include <filesystem>
#include <string_view>
#include <system_error>

#include "horae/core/cxx20.hpp"

namespace horae::results {

/// Puts a file in place, or in the place of the one of that name: it is written beside it under a
/// name of this host and process, is on the disk, and is renamed then. Its folder is there. What
/// processes that were killed left beside a file of that name goes. On an error nothing is left and
/// what was there stays.
std::error_code write_whole(const std::filesystem::path& file, std::string_view text);

/// The same without waiting for the disk: whole after the process is killed, perhaps not after the
/// machine stops. For content whose reader proves it by a digest.
std::error_code write_whole_unsynced(const std::filesystem::path& file, std::string_view text);

/// Removes what processes of this host that were killed left of any file in a folder, not in those
/// below it. What a process that is still dying holds stays: it goes the next time.
void clean_files(const std::filesystem::path& folder);

}  // namespace horae::results
