// Captures made by hand, byte by byte, for tests: what a library that writes them would not.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace horae::testing {

using ByteString = std::vector<std::uint8_t>;

/// Bytes appended field by field, in the order given at construction.
class ByteWriter {
 public:
  explicit ByteWriter(bool big_endian = false) : big_(big_endian) {}
  ByteWriter& put(std::uint64_t value, int width) {
    for (int i = 0; i < width; ++i)
      bytes_.push_back(static_cast<std::uint8_t>(value >> 8 * (big_ ? width - 1 - i : i)));
    return *this;
  }
  ByteWriter& put8(std::uint64_t v) { return put(v, 1); }
  ByteWriter& put16(std::uint64_t v) { return put(v, 2); }
  ByteWriter& put32(std::uint64_t v) { return put(v, 4); }
  ByteWriter& put(const ByteString& bytes) {
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    return *this;
  }
  const ByteString& bytes() const { return bytes_; }

 private:
  bool big_;
  ByteString bytes_;
};

/// A classic pcap file.
class PcapBytes {
 public:
  static constexpr std::uint32_t microseconds = 0xa1b2c3d4, nanoseconds = 0xa1b23c4d;
  explicit PcapBytes(std::uint32_t magic = nanoseconds, std::uint32_t link = 1,
                     bool big_endian = false, std::uint32_t snaplen = 262144)
      : out_(big_endian) {
    out_.put32(magic).put16(2).put16(4).put32(0).put32(0).put32(snaplen).put32(link);
  }
  /// A record; `captured` other than the bytes' number makes a damaged one.
  PcapBytes& packet(std::uint32_t seconds, std::uint32_t fraction, const ByteString& bytes,
                    std::uint32_t length = 0) {
    return record(seconds, fraction, static_cast<std::uint32_t>(bytes.size()),
                  length != 0 ? length : static_cast<std::uint32_t>(bytes.size()), bytes);
  }
  PcapBytes& record(std::uint32_t seconds, std::uint32_t fraction, std::uint32_t captured,
                    std::uint32_t length, const ByteString& bytes) {
    out_.put32(seconds).put32(fraction).put32(captured).put32(length).put(bytes);
    return *this;
  }
  const ByteString& bytes() const { return out_.bytes(); }

 private:
  ByteWriter out_;
};

/// A pcapng file of one section: an interface of `link` with stamps of 10^-`digits` seconds, and
/// enhanced packet blocks (draft-ietf-opsawg-pcapng).
class PcapngBytes {
 public:
  explicit PcapngBytes(unsigned digits, std::uint32_t link = 1) {
    block(0x0a0d0d0a, ByteWriter().put32(0x1a2b3c4d).put16(1).put16(0).put32(~0u).put32(~0u));
    block(1, ByteWriter()
                 .put16(link)
                 .put16(0)
                 .put32(262144)
                 .put16(9)
                 .put16(1)
                 .put8(digits)
                 .put({0, 0, 0})
                 .put32(0));
  }
  PcapngBytes& packet(std::uint64_t stamp, const ByteString& bytes) {
    ByteWriter body;
    body.put32(0).put32(stamp >> 32).put32(stamp & 0xffffffff);
    body.put32(bytes.size()).put32(bytes.size()).put(bytes);
    while (body.bytes().size() % 4 != 0) body.put8(0);
    block(6, body);
    return *this;
  }
  const ByteString& bytes() const { return out_.bytes(); }

 private:
  void block(std::uint32_t type, const ByteWriter& body) {
    const auto length = body.bytes().size() + 12;
    out_.put32(type).put32(length).put(body.bytes()).put32(length);
  }
  ByteWriter out_;
};

/// A file of the test's own that goes away with it.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::string_view name, const ByteString& bytes = {})
      : path_(std::filesystem::temp_directory_path() /
              (std::string("horae_") + std::to_string(::getpid()) + "_" + std::string(name))) {
    std::ofstream(path_, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
  }
  ~TemporaryFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace horae::testing
