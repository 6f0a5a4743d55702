// Inputs that a run of a fuzz target has executed.
#pragma once

#include <charconv>
#include <cstdlib>

#include "target.hpp"

namespace horae::fuzz {

/// Inputs, and those of them that were read to the end: bytes behind the first mistake of a file
/// are seldom looked at, so the second figure is the harder one.
struct Executed {
  std::uint64_t inputs = 0, bytes = 0, read = 0, read_bytes = 0;

  void one(std::span<const std::uint8_t> input) {
    ++inputs;
    bytes += input.size();
    if (!one_input(input)) return;
    ++read;
    read_bytes += input.size();
  }
  void say() const {
    fmt::print(stderr, "executed: {} inputs of {} bytes; read to the end: {} of {} bytes\n", inputs,
               bytes, read, read_bytes);
  }
};

/// Bytes that a run is to execute: HORAE_FUZZ_BYTES, 0 where it is not set.
inline std::uint64_t bytes_asked() {
  const char* text = std::getenv("HORAE_FUZZ_BYTES");
  if (text == nullptr) return 0;
  const std::string_view digits = text;
  std::uint64_t bytes = 0;
  const auto [rest, error] = std::from_chars(digits.data(), digits.data() + digits.size(), bytes);
  require(error == std::errc() && rest == digits.data() + digits.size(),
          "HORAE_FUZZ_BYTES: expected a whole number of bytes");
  return bytes;
}

}  // namespace horae::fuzz
