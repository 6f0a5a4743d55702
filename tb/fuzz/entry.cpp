// Where libFuzzer enters a target. Counts what is executed, says so at the end, and ends a run that
// has executed as many bytes as HORAE_FUZZ_BYTES asks: what tb/tools/fuzz keeps in a table.
#include <charconv>
#include <cstdlib>

#include "target.hpp"

namespace {

/// Inputs, and those of them that were read to the end: bytes behind the first mistake of a file
/// are seldom looked at, so the second figure is the harder one.
struct Executed {
  std::uint64_t inputs = 0, bytes = 0, read = 0, read_bytes = 0;

  ~Executed() { say(); }
  void say() const {
    fmt::print(stderr, "executed: {} inputs of {} bytes; read to the end: {} of {} bytes\n", inputs,
               bytes, read, read_bytes);
  }
};

/// 0: no end.
std::uint64_t asked() {
  const char* text = std::getenv("HORAE_FUZZ_BYTES");
  if (text == nullptr) return 0;
  const std::string_view digits = text;
  std::uint64_t bytes = 0;
  const auto [rest, error] = std::from_chars(digits.data(), digits.data() + digits.size(), bytes);
  horae::fuzz::require(error == std::errc() && rest == digits.data() + digits.size(),
                       "HORAE_FUZZ_BYTES: expected a whole number of bytes");
  return bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::uint64_t enough = asked();
  static Executed executed;
  ++executed.inputs;
  executed.bytes += size;
  if (horae::fuzz::one_input({data, size})) {
    ++executed.read;
    executed.read_bytes += size;
  }
  if (enough != 0 && executed.bytes >= enough) {
    executed.say();
    std::_Exit(0);  // libFuzzer takes exit() of a target for a finding
  }
  return 0;
}
