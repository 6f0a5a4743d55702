#include "capture_file.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "horae/core/error.hpp"

namespace horae::capture {

CaptureFile::CaptureFile(const std::string& path)
    : packed_(std::make_unique<UnpackedFile>(path)), first_(looked_at) {
  struct stat status {};
  const bool regular = ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
  first_.resize(packed_->read(first_));
  if (!packed_->problem().empty())
    throw InputError(fmt::format("{}: cannot be read: {}", path, packed_->problem()));
  if (regular && packed_->packing().empty()) {
    packed_.reset();
    size_ = status.st_size;
    stream_ = std::fopen(path.c_str(), "rb");
  } else {
    stream_ = ::fopencookie(this, "rb", {.read = &read, .write = {}, .seek = &seek, .close = {}});
  }
  if (stream_ == nullptr)
    throw InputError(fmt::format("{}: cannot be read: {}", path, std::strerror(errno)));
}

CaptureFile::~CaptureFile() {
  if (owned_ && stream_ != nullptr) std::fclose(stream_);
}

ssize_t CaptureFile::read(void* self, char* room, std::size_t size) {
  auto& file = *static_cast<CaptureFile*>(self);
  std::size_t n = std::min(size, file.first_.size() - file.handed_);
  if (n > 0) {
    std::copy_n(file.first_.data() + file.handed_, n, room);
    file.handed_ += n;
  } else {
    n = file.packed_->read({room, size});
    if (n == 0 && !file.packed_->problem().empty()) {
      errno = EIO;
      return -1;
    }
  }
  file.given_ += static_cast<std::int64_t>(n);
  return static_cast<ssize_t>(n);
}

/// Only tells where it is.
int CaptureFile::seek(void* self, off64_t* offset, int whence) {
  if (whence != SEEK_CUR || *offset != 0) {
    errno = ESPIPE;
    return -1;
  }
  *offset = static_cast<CaptureFile*>(self)->given_;
  return 0;
}

std::string CaptureFile::place(std::int64_t at) const {
  if (at < 0) return {};
  const std::string_view packing = packed_ ? packed_->packing() : std::string_view();
  return fmt::format(" at byte {}{}", at,
                     packing.empty() ? "" : fmt::format(" of what {} packed", packing));
}

double CaptureFile::share() const {
  if (packed_) return packed_->share();
  const std::int64_t at = position();
  if (at < 0 || size_ == 0) return 0;
  return std::min(1.0, static_cast<double>(at) / static_cast<double>(size_));
}

}  // namespace horae::capture
