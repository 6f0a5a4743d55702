// What follows from the published numbers alone, whatever the parameters.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "horae/config/platform.hpp"
#include "horae/explain/files.hpp"
#include "horae/explain/quantities.hpp"

namespace horae::explain {

/// What the arithmetic needs to know of a platform: its message senders.
struct SenderFacts {
  double line_gbps = 0;
  std::size_t senders = 0;
  double payload_bytes = 0;  ///< mean of a packet: messages cut into MTUs
  double frame_bytes = 0;    ///< on the wire, with preamble and gap, at least

  /// Of the first traffic of messages; nothing without one.
  static std::optional<SenderFacts> of(const config::PlatformConfig& platform);
};

/// If a NACK that is served keeps the wire idle. From a setting with NACK rate N and idle share i:
/// every NACK served means a stall of at most i / N. From another with idle share j, of which a
/// share r is retransmissions, j / stall NACKs are served at least, so packets are so many that
/// they must be small.
struct BlockingBound {
  std::string nacks, busy, tx, goodput;  ///< ids of the observations
  double nack_mpps = 0;                  ///< N, per sender
  double idle_busy = 0;                  ///< i
  double idle_tx = 0;                    ///< j
  double tx_gbps = 0;
  double resent_share = 0;  ///< r
  double stall_us = 0;      ///< at most
  double served_mpps = 0;   ///< at least

  /// Longest frame on the wire, if `packets` are sent for each NACK served; infinite when nothing
  /// bounds it.
  double frame_bytes(unsigned packets) const;
};

/// The bound at the published values, and with every rounding in favour of long frames.
struct BlockingCheck {
  BlockingBound nominal;
  BlockingBound favourable;
};

/// One for each pair of a condition with a NACK rate and a TX rate or share, and one without
/// reaction with a TX rate or share below line and a goodput ratio.
std::vector<BlockingCheck> blocking_checks(const ObservationsFile& observations,
                                           const Readings& readings, const SenderFacts& facts);

/// Why `hypothesis` is impossible with these senders; empty if arithmetic does not say.
std::vector<std::string> impossible(const HypothesisSpec& hypothesis,
                                    const ObservationsFile& observations, const Readings& readings,
                                    const SenderFacts& facts);

/// The checks in words with their numbers, for one variant; and as JSON.
std::vector<std::string> arithmetic_text(const ObservationsFile& observations,
                                         const HypothesesFile& hypotheses, const Readings& readings,
                                         const SenderFacts& facts);
nlohmann::ordered_json arithmetic_json(const std::vector<BlockingCheck>& checks);

}  // namespace horae::explain
