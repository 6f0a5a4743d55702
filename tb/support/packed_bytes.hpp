// Bytes packed as files are, for tests.
#pragma once

#include <zlib.h>
#include <zstd.h>

#include <cstdint>
#include <stdexcept>
#include <vector>

namespace horae::testing {

inline std::vector<std::uint8_t> gzip_of(const std::vector<std::uint8_t>& bytes) {
  z_stream stream{};
  constexpr int gzip = 16, memory = 8;
  if (::deflateInit2(&stream, 6, Z_DEFLATED, MAX_WBITS + gzip, memory, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::runtime_error("deflateInit2");
  std::vector<std::uint8_t> out(::deflateBound(&stream, bytes.size()));
  stream.next_in = const_cast<Bytef*>(bytes.data());
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = out.data();
  stream.avail_out = static_cast<uInt>(out.size());
  if (::deflate(&stream, Z_FINISH) != Z_STREAM_END) throw std::runtime_error("deflate");
  out.resize(stream.total_out);
  ::deflateEnd(&stream);
  return out;
}

inline std::vector<std::uint8_t> zstd_of(const std::vector<std::uint8_t>& bytes) {
  std::vector<std::uint8_t> out(::ZSTD_compressBound(bytes.size()));
  const std::size_t size = ::ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), 3);
  if (::ZSTD_isError(size) != 0) throw std::runtime_error("ZSTD_compress");
  out.resize(size);
  return out;
}

}  // namespace horae::testing
