// Facts about a platform that arithmetic needs.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "horae/config/platform.hpp"
#include "horae/question/question.hpp"

namespace horae::explain {

/// The message senders of a platform.
struct SenderFacts {
  double line_gbps = 0;
  std::size_t senders = 0;
  double payload_bytes = 0;  ///< mean of a packet: messages cut into MTUs
  double frame_bytes = 0;    ///< on the wire, with preamble and gap, at least

  /// Facts about the first traffic of messages; empty without one.
  static std::optional<SenderFacts> of(const config::PlatformConfig& platform);
  friend bool operator==(const SenderFacts&, const SenderFacts&) = default;
};

/// Senders under some setting of what was not published.
struct Senders {
  std::string setting;  ///< "nic.mtu=1KiB" or a variant's label; empty: nothing changes them
  SenderFacts facts;
};

/// Senders under every combination of variants and of those nuisances with values that change them,
/// each once, with `set` on top; none where some platform has no senders of messages.
std::vector<Senders> all_senders(const question::Question& question,
                                 const std::vector<std::string>& set = {});

}  // namespace horae::explain
