// Captures: every record is read and taken apart, also behind damaged ones.
#include "../target.hpp"
#include "horae/capture/dissection.hpp"
#include "horae/capture/reader.hpp"

bool horae::fuzz::one_input(std::span<const std::uint8_t> bytes) {
  using namespace horae;
  static fuzz::MemoryFile file;
  file.write(bytes);
  return fuzz::read_or_refuse([&] {
    capture::CaptureReader reader(file.path());
    capture::CapturedFrame frame;
    for (;;) {
      try {
        if (!reader.next(frame)) return;
      } catch (const InputError&) {
        if (reader.ended()) throw;
        continue;  // as --skip-damaged
      }
      fuzz::require(frame.length >= frame.bytes.size(), "shorter than what was captured");
      const auto d = capture::dissect(frame.bytes, frame.length, {});
      fuzz::require((d.kind == capture::FrameKind::malformed) == !d.problem.empty(),
                    "a problem without a name");
      fuzz::require(d.kind != capture::FrameKind::roce || d.bth + 12u <= frame.bytes.size(),
                    "no BTH");
    }
  });
}
