#include "horae/core/unpacked_file.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "horae/core/error.hpp"

namespace horae {
namespace {

constexpr std::size_t buffer_bytes = 1 << 16;
constexpr std::string_view gzip_begins = "\x1f\x8b";          // RFC 1952, 2.3.1
constexpr std::string_view zstd_begins = "\x28\xb5\x2f\xfd";  // RFC 8878, 3.1.1
constexpr int gzip_only = 16;                                 // of inflateInit2 (zlib.h)

}  // namespace

struct UnpackedFile::State {
  enum class Packing { none, gzip, zstd };

  std::FILE* file = nullptr;
  std::int64_t size = 0;
  Packing packing = Packing::none;
  std::string problem;
  std::vector<char> in = std::vector<char>(buffer_bytes);
  std::size_t at = 0, end = 0;  ///< of `in`: what is not used yet
  bool inside = false;          ///< a packed part has begun and not ended
  z_stream gzip{};
  ZSTD_DStream* zstd = nullptr;

  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    if (packing == Packing::gzip) ::inflateEnd(&gzip);
    ::ZSTD_freeDStream(zstd);
    if (file != nullptr) std::fclose(file);
  }

  bool begins_with(std::string_view text) const {
    return std::string_view(in.data() + at, end - at).starts_with(text);
  }

  /// More of the file, if what was there is used up. False at its end.
  bool fill() {
    if (at < end) return true;
    at = 0;
    errno = 0;
    end = std::fread(in.data(), 1, in.size(), file);
    if (end == 0 && std::ferror(file) != 0) problem = std::strerror(errno);
    return end > 0;
  }

  void begin() {
    // A pipe may give a few bytes at a time.
    fill();
    if (begins_with(gzip_begins)) {
      if (::inflateInit2(&gzip, MAX_WBITS + gzip_only) == Z_OK) packing = Packing::gzip;
    } else if (begins_with(zstd_begins)) {
      zstd = ::ZSTD_createDStream();
      packing = Packing::zstd;
    }
  }

  std::size_t plain(std::span<char> room) {
    if (!fill()) return 0;
    const std::size_t n = std::min(room.size(), end - at);
    std::copy_n(in.data() + at, n, room.data());
    at += n;
    return n;
  }

  /// Before a part: false at the end of the file. What follows the last part and is none is
  /// refused by the library, as damage is.
  bool part_begins() {
    if (inside) return true;
    if (!fill()) return false;
    inside = true;
    return true;
  }

  std::size_t unpack_gzip(std::span<char> room) {
    gzip.next_out = reinterpret_cast<Bytef*>(room.data());
    gzip.avail_out = static_cast<uInt>(room.size());
    while (gzip.avail_out == room.size() && part_begins()) {
      if (!fill()) {
        if (problem.empty()) problem = "gzip: the file ends in the middle of its data";
        return 0;
      }
      gzip.next_in = reinterpret_cast<Bytef*>(in.data() + at);
      gzip.avail_in = static_cast<uInt>(end - at);
      const int result = ::inflate(&gzip, Z_NO_FLUSH);
      at = end - gzip.avail_in;
      if (result == Z_STREAM_END) {
        inside = false;
        ::inflateReset(&gzip);
      } else if (result != Z_OK && result != Z_BUF_ERROR) {
        problem = fmt::format("gzip: {}", gzip.msg != nullptr ? gzip.msg : "damaged data");
        break;
      }
    }
    return room.size() - gzip.avail_out;
  }

  std::size_t unpack_zstd(std::span<char> room) {
    ZSTD_outBuffer out{room.data(), room.size(), 0};
    // Output left over from a part before may come without more of the file.
    while (out.pos == 0 && (inside || part_begins())) {
      const bool more = fill();
      ZSTD_inBuffer from{in.data(), end, at};
      const std::size_t result = ::ZSTD_decompressStream(zstd, &out, &from);
      at = from.pos;
      if (::ZSTD_isError(result) != 0) {
        problem = fmt::format("zstd: {}", ::ZSTD_getErrorName(result));
        break;
      }
      if (result == 0) {
        inside = false;
      } else if (!more && out.pos == 0) {
        if (problem.empty()) problem = "zstd: the file ends in the middle of its data";
        return 0;
      }
    }
    return out.pos;
  }
};

UnpackedFile::UnpackedFile(const std::string& path) : state_(std::make_unique<State>()) {
  State& s = *state_;
  s.file = std::fopen(path.c_str(), "rb");
  if (s.file == nullptr)
    throw InputError(fmt::format("{}: cannot be read: {}", path, std::strerror(errno)));
  std::setvbuf(s.file, nullptr, _IONBF, 0);  // `in` is the buffer
  struct stat status {};
  if (::fstat(::fileno(s.file), &status) == 0 && S_ISREG(status.st_mode)) s.size = status.st_size;
  s.begin();
}

UnpackedFile::~UnpackedFile() = default;

std::size_t UnpackedFile::read(std::span<char> room) {
  State& s = *state_;
  if (room.empty() || !s.problem.empty()) return 0;
  switch (s.packing) {
    case State::Packing::gzip:
      return s.unpack_gzip(room);
    case State::Packing::zstd:
      return s.unpack_zstd(room);
    default:
      return s.plain(room);
  }
}

const std::string& UnpackedFile::problem() const { return state_->problem; }

std::string_view UnpackedFile::packing() const {
  switch (state_->packing) {
    case State::Packing::gzip:
      return "gzip";
    case State::Packing::zstd:
      return "zstd";
    default:
      return {};
  }
}

double UnpackedFile::share() const {
  const State& s = *state_;
  const std::int64_t at = ::ftello(s.file) - static_cast<std::int64_t>(s.end - s.at);
  if (at < 0 || s.size == 0) return 0;
  return std::min(1.0, static_cast<double>(at) / static_cast<double>(s.size));
}

UnpackedBuffer::UnpackedBuffer(const std::string& path)
    : path_(path), file_(path), buffer_(buffer_bytes) {}

UnpackedBuffer::int_type UnpackedBuffer::underflow() {
  const std::size_t n = file_.read(buffer_);
  if (!file_.problem().empty() && n == 0)
    throw InputError(fmt::format("{}: cannot be read: {}", path_, file_.problem()));
  setg(buffer_.data(), buffer_.data(), buffer_.data() + n);
  return n == 0 ? traits_type::eof() : traits_type::to_int_type(*gptr());
}

}  // namespace horae
