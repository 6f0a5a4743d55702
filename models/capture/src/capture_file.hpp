// A capture as a stream for libpcap, unpacked on the way (internal to the room).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "horae/core/unpacked_file.hpp"

namespace horae::capture {

/// A file opened for reading at its front. A plain file on a medium is read without a detour; what
/// is packed, or comes through a pipe, through UnpackedFile.
class CaptureFile {
 public:
  /// InputError "PATH: cannot be read: why".
  explicit CaptureFile(const std::string& path);
  ~CaptureFile();
  CaptureFile(const CaptureFile&) = delete;
  CaptureFile& operator=(const CaptureFile&) = delete;

  std::FILE* stream() const { return stream_; }
  /// The caller closes the stream from now on, while this object still lives.
  void release() { owned_ = false; }
  /// The first bytes, up to `looked_at`, which are still to be read from the stream.
  const std::vector<char>& first() const { return first_; }
  static constexpr std::size_t looked_at = 64;

  /// Bytes read so far, unpacked; negative: unknown.
  std::int64_t position() const { return ::ftello(stream_); }
  /// "at byte 24", of packed files "at byte 24 of what gzip packed".
  std::string place(std::int64_t at) const;
  /// Fault of the packing or the medium; empty: none.
  std::string problem() const { return packed_ ? packed_->problem() : std::string(); }
  double share() const;

 private:
  static ssize_t read(void* self, char* room, std::size_t size);
  static int seek(void* self, off64_t* offset, int whence);

  std::unique_ptr<UnpackedFile> packed_;
  std::FILE* stream_ = nullptr;
  bool owned_ = true;
  std::vector<char> first_;
  std::size_t handed_ = 0;  ///< of `first_`
  std::int64_t given_ = 0;  ///< of all
  std::int64_t size_ = 0;
};

}  // namespace horae::capture
