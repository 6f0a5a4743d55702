// Captures of packets, written.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "horae/core/cxx20.hpp"

namespace horae::capture {

/// Writes a pcap file of Ethernet frames with stamps in nanoseconds.
class CaptureWriter {
 public:
  /// Creates or empties the file, which messages call `shown` (its path where that is empty).
  /// InputError when it cannot be.
  explicit CaptureWriter(const std::string& path, const std::string& shown = {});
  /// Closes the file; a failure goes unnoticed where close() was not called.
  ~CaptureWriter();
  CaptureWriter(CaptureWriter&&) noexcept;
  CaptureWriter& operator=(CaptureWriter&&) noexcept;

  /// Appends a frame of which `bytes` (from the destination MAC on) are there of `length` on the
  /// wire; behind the first 262144 they are left out, as by a capture. Stamps are since 1970, from
  /// 0 to the year 2106; they need not ascend. InputError when the medium takes no more.
  void write(std::int64_t stamp_ns, std::span<const std::uint8_t> bytes, std::uint32_t length);
  /// The same for a frame that is there as a whole.
  void write(std::int64_t stamp_ns, std::span<const std::uint8_t> bytes) {
    write(stamp_ns, bytes, static_cast<std::uint32_t>(bytes.size()));
  }
  /// Everything is in the file, or an InputError. No write() may follow.
  void close();
  std::uint64_t written() const;  ///< packets

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace horae::capture
