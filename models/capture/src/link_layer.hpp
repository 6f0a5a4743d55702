// Headers before a packet on links other than Ethernet (internal to the room).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "horae/capture/reader.hpp"
#include "infiniband.hpp"

namespace horae::capture {

/// Link types of libpcap (DLT_...) that are read, and what they are called in messages.
bool is_read(int link);
inline constexpr std::string_view links_read =
    "Ethernet, raw IP, Linux cooked captures, InfiniBand or ERF (EN10MB, RAW, IPV4, IPV6, "
    "LINUX_SLL, LINUX_SLL2, INFINIBAND, ERF)";
/// "105 (IEEE802_11)".
std::string link_text(int link);

/// Gives frames of any link that is read, but ERF, an Ethernet header.
class EthernetMaker {
 public:
  /// Changes bytes and length of a frame, which are good until the next call. What is wrong with
  /// the packet; empty: nothing.
  const std::string& make(CapturedFrame& frame, int link);

 private:
  void add(CapturedFrame& frame, std::span<const std::uint8_t> header, std::size_t replaced);
  void of_ip(CapturedFrame& frame, int link);
  void of_cooked(CapturedFrame& frame, bool second);

  std::vector<std::uint8_t> bytes_;
  EthernetOfInfiniband infiniband_;
};

}  // namespace horae::capture
