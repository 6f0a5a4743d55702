#include "link_layer.hpp"

#include <fmt/format.h>
#include <pcap/pcap.h>

#include <algorithm>
#include <array>

#include "horae/core/roce.hpp"

namespace horae::capture {
namespace {

/// Protocol numbers that are ethertypes (IEEE 802.3, 3.2.6); below, a cooked header holds codes of
/// the Linux kernel.
constexpr std::array<std::uint8_t, 2> ethertype_ipv4 = {0x08, 0x00};
constexpr std::array<std::uint8_t, 2> ethertype_ipv6 = {0x86, 0xdd};

/// Headers of Linux cooked captures (www.tcpdump.org/linktypes/LINKTYPE_LINUX_SLL.html and
/// LINKTYPE_LINUX_SLL2.html): sizes, and where protocol, address and its length stand.
struct Cooked {
  std::size_t size, protocol, address_length, address;
};
constexpr Cooked sll = {16, 14, 5, 6};
constexpr Cooked sll2 = {20, 0, 11, 12};
constexpr std::size_t mac_bytes = 6;

}  // namespace

bool is_read(int link) {
  return link == DLT_EN10MB || link == DLT_RAW || link == DLT_IPV4 || link == DLT_IPV6 ||
         link == DLT_LINUX_SLL || link == DLT_LINUX_SLL2 || link == DLT_INFINIBAND ||
         link == DLT_ERF;
}

std::string link_text(int link) {
  const char* name = pcap_datalink_val_to_name(link);
  return fmt::format("{}{}", link, name != nullptr ? fmt::format(" ({})", name) : "");
}

/// Puts an Ethernet header in place of the first `replaced` bytes.
void EthernetMaker::add(CapturedFrame& frame, std::span<const std::uint8_t> header,
                        std::size_t replaced) {
  bytes_.assign(header.begin(), header.end());
  bytes_.insert(bytes_.end(), frame.bytes.begin() + static_cast<std::ptrdiff_t>(replaced),
                frame.bytes.end());
  const std::uint64_t length = std::uint64_t{frame.length} - replaced + header.size();
  frame.bytes = bytes_;
  frame.length = static_cast<std::uint32_t>(std::min<std::uint64_t>(length, 0xffffffff));
}

void EthernetMaker::of_ip(CapturedFrame& frame, int link) {
  std::array<std::uint8_t, wire::ethernet> header{};
  const bool six = link == DLT_IPV6 ||
                   (link == DLT_RAW && !frame.bytes.empty() && frame.bytes.front() >> 4 == 6);
  std::ranges::copy(six ? ethertype_ipv6 : ethertype_ipv4, header.end() - 2);
  add(frame, header, 0);
}

void EthernetMaker::of_cooked(CapturedFrame& frame, bool second) {
  const Cooked& cooked = second ? sll2 : sll;
  const auto& from = frame.bytes;
  if (from.size() < cooked.size) {  // too short to be anything
    bytes_.clear();
    frame.bytes = bytes_;
    return;
  }
  std::array<std::uint8_t, wire::ethernet> header{};
  const std::size_t length = std::min<std::size_t>(from[cooked.address_length], mac_bytes);
  std::ranges::copy(from.subspan(cooked.address, length), header.begin() + mac_bytes);
  std::ranges::copy(from.subspan(cooked.protocol, 2), header.end() - 2);
  add(frame, header, cooked.size);
}

const std::string& EthernetMaker::make(CapturedFrame& frame, int link) {
  infiniband_.problem.clear();
  switch (link) {
    case DLT_EN10MB:
      break;
    case DLT_INFINIBAND:
      ethernet_of(frame.bytes, frame.length, infiniband_);
      frame.bytes = infiniband_.bytes;
      frame.length = infiniband_.length;
      break;
    case DLT_LINUX_SLL:
    case DLT_LINUX_SLL2:
      of_cooked(frame, link == DLT_LINUX_SLL2);
      break;
    default:
      of_ip(frame, link);
      break;
  }
  return infiniband_.problem;
}

}  // namespace horae::capture
