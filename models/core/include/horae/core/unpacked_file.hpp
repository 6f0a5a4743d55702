// A file as it was before it was packed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <streambuf>
#include <string>
#include <string_view>
#include <vector>

#include "horae/core/cxx20.hpp"

namespace horae {

/// Reads a file from its front, unpacked where it is packed with gzip (RFC 1952) or Zstandard
/// (RFC 8878), which its first bytes tell, not its name; several packed parts behind each other are
/// one file. Anything else is read as it is. In constant memory; it may be a pipe.
class UnpackedFile {
 public:
  /// InputError "PATH: cannot be read: why" when it cannot be opened.
  explicit UnpackedFile(const std::string& path);
  ~UnpackedFile();
  UnpackedFile(const UnpackedFile&) = delete;
  UnpackedFile& operator=(const UnpackedFile&) = delete;

  /// As many of the next bytes as are there, up to the room that is given; none at the end, and
  /// none from where something is wrong on.
  std::size_t read(std::span<char> room);
  /// The fault: a reason of the system's, or of what the packed data say. Empty: none.
  const std::string& problem() const;
  /// "gzip", "zstd", or nothing for a file that is not packed.
  std::string_view packing() const;
  /// Share of the file that is read, 0..1, as it lies there; 0 where there is no telling (a pipe).
  double share() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The same for a std::istream. With exceptions(std::ios::badbit) in the stream, what is wrong is
/// an InputError "PATH: cannot be read: why".
class UnpackedBuffer : public std::streambuf {
 public:
  explicit UnpackedBuffer(const std::string& path);

 protected:
  int_type underflow() override;

 private:
  std::string path_;
  UnpackedFile file_;
  std::vector<char> buffer_;
};

}  // namespace horae
