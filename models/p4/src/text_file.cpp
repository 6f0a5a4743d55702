#include "text_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "horae/core/error.hpp"

namespace horae::p4 {

std::string read_text_file(const std::string& path) {
  constexpr std::uintmax_t most = std::uintmax_t{256} << 20;
  const auto refuse = [&](std::string_view why) {
    return InputError(fmt::format("{}: cannot read: {}", path, why));
  };
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) throw refuse("is a directory");
  const auto size = std::filesystem::file_size(path, error);
  if (!error && size > most) throw refuse("larger than 256 MiB");
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) throw refuse(errno != 0 ? std::strerror(errno) : "cannot open");
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (file.bad()) throw refuse("input error");
  return text;
}

}  // namespace horae::p4
