#include "horae/capture/encode_packet.hpp"

#include <algorithm>
#include <array>
#include <boost/endian/conversion.hpp>
#include <span>

#include "horae/core/codec.hpp"
#include "horae/core/service.hpp"

namespace horae::capture {

EncodedPacket encode_packet(const Packet& p, const Feedback* feedback,
                            const PacketContents::Contents* contents) {
  Packet bare = p;
  bare.frame = static_cast<std::uint16_t>(frame_of_service(p.opcode, Bytes(p.payload)).count());
  std::int64_t more = std::int64_t{p.frame} - bare.frame;
  if (more >= wire::reth && is_write(p.opcode) && !has_reth(p.opcode)) {
    bare.frame = static_cast<std::uint16_t>(bare.frame + wire::reth);  // on every write
    more -= wire::reth;
  }
  RoceFrame frame = frame_of(bare, {});
  if (contents != nullptr) put_contents(frame, *contents);
  if (p.opcode == Opcode::acknowledge) {
    if (feedback != nullptr) frame.bth.becn = feedback->marked;
  } else if (p.opcode != Opcode::cnp) {
    // Bits of features, as a dissection of the frame reads them.
    frame.bth.fecn = (p.bth_reserved >> 14 & 1u) != 0;
    frame.bth.becn = (p.bth_reserved >> 13 & 1u) != 0;
    frame.bth.reserved6 = static_cast<std::uint8_t>(p.bth_reserved >> 7 & 0x3fu);
    frame.bth.reserved7 = static_cast<std::uint8_t>(p.bth_reserved & 0x7fu);
  }
  if (more > 0) {
    std::array<std::uint8_t, 4> first{};
    const bool answers = p.opcode == Opcode::acknowledge;
    boost::endian::endian_store<std::uint32_t, 4, boost::endian::order::big>(
        first.data(), answers ? (p.psn + p.bth_reserved).value() : p.msn);
    std::vector<std::uint8_t> front(static_cast<std::size_t>(more));
    const std::vector<std::uint8_t> report =
        answers && feedback != nullptr ? bytes_of(feedback->report) : std::vector<std::uint8_t>();
    const std::span<const std::uint8_t> begins =
        report.empty() ? std::span<const std::uint8_t>(first) : report;
    std::copy_n(begins.begin(), std::min(begins.size(), front.size()), front.begin());
    frame.payload.insert(frame.payload.begin(), front.begin(), front.end());
    frame.bth.pad_count = pad_count_of(frame.payload.size());
  }
  EncodedPacket out{encode(frame), 0};
  out.length = static_cast<std::uint32_t>(out.bytes.size());
  if (more < 0) {
    // Cut by a switch: its headers still tell of all of it.
    const auto left = static_cast<std::size_t>(std::max<std::int64_t>(p.frame - wire::fcs, 0));
    out.bytes.resize(std::min(out.bytes.size(), left));
  }
  return out;
}

}  // namespace horae::capture
