#include "horae/results/result_stream.hpp"

#include <cerrno>
#include <cstring>

#include "horae/core/error.hpp"

namespace horae::results {

ResultStream::ResultStream(const std::filesystem::path& path, std::string shown)
    : file_(std::fopen(path.c_str(), "wb")), shown_(std::move(shown)) {
  if (!file_) refuse(errno);
}

void ResultStream::flush() {
  errno = 0;
  if (std::fwrite(buffer_.data(), 1, buffer_.size(), file_.get()) != buffer_.size())
    refuse(errno != 0 ? errno : EIO);
  buffer_.clear();
}

void ResultStream::close() {
  if (!file_) return;
  flush();
  errno = 0;
  if (std::fclose(file_.release()) != 0) refuse(errno != 0 ? errno : EIO);
}

void ResultStream::refuse(int error) const {
  throw InputError(fmt::format("{}: cannot be written: {}", shown_, std::strerror(error)));
}

}  // namespace horae::results
