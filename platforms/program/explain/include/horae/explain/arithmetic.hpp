// Conclusions from the published numbers alone, whatever the parameters.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "horae/explain/sender_facts.hpp"
#include "horae/question/files.hpp"
#include "horae/question/quantities.hpp"

namespace horae::explain {

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

/// Published numbers as arithmetic reads them.
struct PublishedNumbers {
  const question::ObservationsFile& observations;
  question::Readings readings;
  SenderFacts facts;
  /// How far every number may be off in favour of a hypothesis, in units of rounding + tolerance;
  /// 0: by its rounding alone.
  double tolerances = 0;

  double leeway(double rounding, double allowance) const {
    return tolerances > 0 ? tolerances * allowance : rounding;
  }
};

/// TX as a share of line, whether published as that or as a rate.
struct TxShare {
  const question::ObservationSpec* observation = nullptr;
  double value = 0;
  double rounding = 0;
  double allowance = 0;

  /// Whether it is below line rate by more than it may miss.
  bool below_line(const PublishedNumbers& numbers) const {
    return value + (numbers.tolerances > 0 ? numbers.tolerances : 1) * allowance < 1;
  }
};
std::optional<TxShare> tx_share_in(const PublishedNumbers& numbers, const std::string& condition);

/// The number published of a quantity in a condition; null if there is none.
const question::ObservationSpec* find_number(const question::ObservationsFile& file,
                                             const std::string& condition,
                                             const std::string& quantity);

/// One for each pair of a condition with a NACK rate and a TX rate or share, and one without
/// reaction with a TX rate or share below line and a goodput ratio.
std::vector<BlockingCheck> blocking_checks(const PublishedNumbers& numbers);

/// Why arithmetic excludes a hypothesis.
struct Exclusion {
  std::string text;
  /// Ratio of the allowed value to the value of the hypothesis, below 1; 0 where nothing would be
  /// enough.
  double allowed = 0;
};

/// With these senders; empty if it does not say.
std::vector<Exclusion> exclusions(const question::HypothesisSpec& hypothesis,
                                  const PublishedNumbers& numbers);

/// The checks in words with their numbers; and as JSON.
std::vector<std::string> arithmetic_text(const PublishedNumbers& numbers,
                                         const question::HypothesesFile& hypotheses);
nlohmann::ordered_json arithmetic_json(const std::vector<BlockingCheck>& checks);

}  // namespace horae::explain
