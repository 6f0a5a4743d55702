// Damaged captures against models/capture: files made from good ones by random changes are read,
// taken apart and changed as a switch would. Nothing may happen but packets or one line that says
// what is wrong. Arguments: number of files, seed.
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include "capture_bytes.hpp"
#include "horae/capture/dissection.hpp"
#include "horae/capture/reader.hpp"
#include "horae/capture/rewriter.hpp"
#include "horae/core/error.hpp"
#include "horae/core/random.hpp"
#include "link_bytes.hpp"
#include "packed_bytes.hpp"
#include "roce_bytes.hpp"

namespace horae {
namespace {

using capture::Dissection;
using capture::FrameKind;
using testing::bytes_of;
using testing::ByteString;
using testing::PcapBytes;
using testing::PcapngBytes;

void require(bool holds, const char* what) {
  if (!holds) throw std::logic_error(what);
}

std::vector<ByteString> frames() {
  std::vector<ByteString> all;
  for (const bool ipv6 : {false, true}) {
    for (const auto& vlan : {std::optional<std::uint16_t>(), std::optional<std::uint16_t>(5)}) {
      const AddressPlan plan{.ipv6 = ipv6, .vlan_id = vlan};
      for (const Opcode opcode : {Opcode::write_first, Opcode::send_only, Opcode::write_middle,
                                  Opcode::read_response_only})
        all.push_back(bytes_of(testing::roce_packet(1, 2, opcode, 77, 200), plan));
      all.push_back(bytes_of(testing::nack_packet(1, 2, 77, 3), plan));
      all.push_back(bytes_of(testing::roce_packet(1, 2, Opcode::cnp, 0), plan));
    }
  }
  ByteString tcp = all[0];
  tcp[23] = 6;
  all.push_back(tcp);
  all.push_back(ByteString(60, 0xff));
  all.push_back({});
  return all;
}

/// Good files of every kind.
std::vector<ByteString> seeds() {
  std::vector<ByteString> all;
  for (const bool big : {false, true}) {
    for (const std::uint32_t magic : {PcapBytes::microseconds, PcapBytes::nanoseconds}) {
      PcapBytes pcap(magic, 1, big);
      for (const auto& f : frames()) pcap.packet(1, 2, f);
      all.push_back(pcap.bytes());
    }
  }
  PcapngBytes pcapng(9);
  PcapBytes raw(PcapBytes::nanoseconds, 101), cooked(PcapBytes::nanoseconds, 113);
  PcapBytes cooked2(PcapBytes::nanoseconds, 276);
  for (const auto& f : frames()) {
    pcapng.packet(1'000'000'000, f);
    if (f.size() < 14) continue;
    const ByteString ip(f.begin() + 14, f.end());
    raw.packet(1, 2, ip);
    ByteString sll = {0, 0, 0, 1, 0, 6, 2, 0, 0, 0, 0, 9, 0, 0, 8, 0};
    sll.insert(sll.end(), ip.begin(), ip.end());
    cooked.packet(1, 2, sll);
    ByteString sll2 = {8, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 6, 2, 0, 0, 0, 0, 9, 0, 0};
    sll2.insert(sll2.end(), ip.begin(), ip.end());
    cooked2.packet(1, 2, sll2);
  }
  all.insert(all.end(), {pcapng.bytes(), raw.bytes(), cooked.bytes(), cooked2.bytes()});
  // Other links, tunnels, packed files.
  const ByteString inner = frames().front();
  const ByteString checked = {0x80, 0, 0x65, 0x58, 0, 0, 0, 0};
  PcapBytes wrapped, infiniband(PcapBytes::nanoseconds, 247), inside(PcapBytes::nanoseconds, 197);
  ByteString erf;
  for (const ByteString& f :
       {testing::rocev1_frame(), testing::rocev1_frame(8, {.opcode = 0x11}),
        testing::vxlan_frame(inner), testing::vxlan_frame(inner, 0x1234),
        testing::vxlan_frame(testing::rocev1_frame()), testing::gre_frame(testing::nvgre, inner),
        testing::gre_frame(checked, inner),
        testing::gre_frame({0, 0, 8, 0}, ByteString(inner.begin() + 14, inner.end()))}) {
    wrapped.packet(1, 2, f);
    const auto record = testing::bytes_of(testing::ErfRecord{
        .packet = testing::with_fcs(f), .extensions = {{0x83, 1}, ByteString(14, 5)}});
    erf.insert(erf.end(), record.begin(), record.end());
    inside.packet(1, 2, record);
  }
  for (const bool global : {false, true}) {
    infiniband.packet(1, 2, testing::infiniband_packet(global, 64, 3));
    const auto record = testing::bytes_of(
        testing::ErfRecord{.type = 21, .packet = testing::infiniband_packet(global)});
    erf.insert(erf.end(), record.begin(), record.end());
  }
  all.insert(all.end(), {wrapped.bytes(), wrapped.bytes(), infiniband.bytes(), inside.bytes(), erf,
                         erf, testing::gzip_of(erf), testing::zstd_of(wrapped.bytes())});
  // Lengths at the end of 32 bits where the headers leave it to them.
  PcapBytes endless;
  for (const std::uint32_t length : {0xfffffff0, 0xfffffffc, 0xffffffff, 16u << 20}) {
    for (ByteString f : frames()) {
      const bool ipv4 = f.size() > 60 && f[12] == 0x08 && f[13] == 0x00;
      if (ipv4) f[16] = f[17] = f[38] = f[39] = 0;
      endless.packet(1, 2, f, length);
    }
  }
  all.push_back(endless.bytes());
  return all;
}

void mutate(ByteString& bytes, RandomStream& random) {
  const auto below = [&](std::size_t n) { return random.below(static_cast<std::uint32_t>(n)); };
  const std::uint32_t changes = 1 + below(8);
  for (std::uint32_t i = 0; i < changes && !bytes.empty(); ++i) {
    const std::size_t at = below(bytes.size());
    const auto middle = bytes.begin() + static_cast<std::ptrdiff_t>(at);
    switch (below(7)) {
      case 0:
        bytes[at] = static_cast<std::uint8_t>(bytes[at] ^ 1u << below(8));
        break;
      case 1:
        bytes[at] = static_cast<std::uint8_t>(below(256));
        break;
      case 2:  // a length or a magic number at its limits
        for (std::size_t k = at; k < std::min(at + 4, bytes.size()); ++k)
          bytes[k] = below(2) != 0 ? 0xff : 0x00;
        break;
      case 3:
        bytes.erase(middle, middle + static_cast<std::ptrdiff_t>(
                                         std::min<std::size_t>(1 + below(20), bytes.size() - at)));
        break;
      case 4:
        bytes.insert(middle, 1 + below(20), static_cast<std::uint8_t>(below(256)));
        break;
      case 5:
        if (below(8) == 0) bytes.resize(at);
        break;
      default:  // headers stand at the front
        bytes[at % std::min<std::size_t>(bytes.size(), 120)] =
            static_cast<std::uint8_t>(below(256));
        break;
    }
  }
}

/// Change that a switch could make to a packet.
Packet changed(const Packet& before, RandomStream& random) {
  Packet p = before;
  const std::uint32_t choice = random.below(8);
  if (choice == 0) p.ecn = Ecn::ce;
  if (choice == 1) p.psn = Psn(random.below(1 << 24)), p.entropy = 5;
  if (choice == 2)
    p.frame = static_cast<std::uint16_t>(p.frame + 4), p.msn = 9, p.bth_reserved = 32;
  if (choice == 3) p.frame = static_cast<std::uint16_t>(p.frame - 4), p.bth_reserved = 0;
  if (choice == 4) p.frame = 64;
  if (choice == 5 || choice == 6) {
    std::swap(p.src, p.dst);
    p.opcode = choice == 5 ? Opcode::acknowledge : Opcode::cnp;
    p.payload = 0;
    p.frame = 66;
  }
  if (choice == 7) p.hop_limit = 3;
  return p;
}

void check(const capture::CapturedFrame& frame, RandomStream& random) {
  require(frame.bytes.size() <= 262144 + 64, "more bytes than a record may have");
  require(frame.length >= frame.bytes.size(), "shorter than what was captured");
  const bool fcs = random.below(4) == 0;
  Dissection d = capture::dissect(frame.bytes, frame.length,
                                  {.fcs = fcs, .extra_mask = 0x60, .extra_value = 0x20});
  require(d.packet.frame >= 64 && d.packet.frame <= Dissection::longest_frame, "frame size");
  require((d.kind == FrameKind::malformed) == !d.problem.empty(), "a problem without a name");
  // Two tags before an IP header, and again behind an outer header of 60 and one of VXLAN or GRE.
  const std::size_t ip = d.tunnel == capture::Tunnel::none ? 22 : 22 + 60 + 16 + 22;
  require(d.ip <= ip && d.udp <= ip + 60, "offsets");
  require(d.kind != FrameKind::roce || d.bth + 12u <= frame.bytes.size(), "no BTH");
  require(d.kind != FrameKind::roce || d.udp_end <= frame.length, "datagram beyond the frame");
  if (d.kind == FrameKind::malformed) return;
  d.packet.src = 1;
  d.packet.dst = 2;
  // Programs change what is RoCEv2; other packets are marked, cut or count hops.
  Packet after = changed(d.packet, random);
  if (d.kind != FrameKind::roce) {
    after.opcode = d.packet.opcode;
    after.src = 1;
    after.dst = 2;
  }
  capture::Rewriter rewriter(fcs);
  const auto out = rewriter.rewrite(d, after, frame.bytes, frame.length);
  require(out.length >= out.bytes.size(), "more bytes than length");
}

std::uint64_t packets = 0, refused = 0;

void read(const std::string& path, RandomStream& random) {
  try {
    capture::CaptureReader reader(path);
    capture::CapturedFrame frame;
    for (;;) {
      try {
        if (!reader.next(frame)) return;
      } catch (const InputError&) {
        if (reader.ended()) throw;
        continue;  // as --skip-damaged
      }
      ++packets;
      check(frame, random);
    }
  } catch (const InputError& e) {
    ++refused;
    const std::string line = e.what();
    require(line.find('\n') == std::string::npos && line.starts_with(path), "not one line");
  }
}

int run(std::uint64_t files, std::uint32_t seed) {
  RandomStream random(seed, "capture_fuzz");
  const auto good = seeds();
  const int memory = ::memfd_create("capture", 0);
  const std::string path = fmt::format("/proc/self/fd/{}", memory);
  for (std::uint64_t i = 0; i < files; ++i) {
    ByteString bytes = good[random.below(static_cast<std::uint32_t>(good.size()))];
    mutate(bytes, random);
    if (::ftruncate(memory, 0) != 0 ||
        ::pwrite(memory, bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
      return 1;
    try {
      read(path, random);
    } catch (const std::logic_error& e) {
      fmt::print(stderr, "file {} of seed {}: {}\n", i, seed, e.what());
      return 1;
    }
  }
  fmt::print("{} files: {} packets, {} refused\n", files, packets, refused);
  return packets > files && refused > files / 10 ? 0 : 1;
}

}  // namespace
}  // namespace horae

int main(int argc, char** argv) {
  const std::uint64_t files = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 300;
  const auto seed = static_cast<std::uint32_t>(argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 1);
  return horae::run(files, seed);
}
