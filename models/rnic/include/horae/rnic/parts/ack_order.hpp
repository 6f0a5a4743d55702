// When received acknowledgements take effect. No SystemC.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "horae/core/psn.hpp"
#include "horae/core/units.hpp"

namespace horae::rnic {

/// Content of an acknowledgement.
struct AckInfo {
  bool nack = false;
  Psn psn;                     ///< the expected one
  std::uint16_t received = 0;  ///< of a packet out of order: how far ahead it was; 0: none
  std::uint8_t rnr = 0;  ///< of an RNR NAK, which is a `nack`: the code of its timer, and 1; else 0

  /// The same in the 64 bits of an event.
  std::uint64_t packed() const {
    return static_cast<std::uint64_t>(rnr) << 56 | static_cast<std::uint64_t>(nack) << 48 |
           static_cast<std::uint64_t>(received) << 32 | psn.value();
  }
  static AckInfo unpacked(std::uint64_t payload) {
    return {payload >> 48 != 0, Psn(static_cast<std::uint32_t>(payload)),
            static_cast<std::uint16_t>(payload >> 32), static_cast<std::uint8_t>(payload >> 56)};
  }
};

/// Acknowledgements of all queue pairs take effect in the order of their arrival: a NACK takes time
/// (RnicConfig::nack_reaction), and an ACK behind it does not overtake it.
class AckOrder {
 public:
  explicit AckOrder(Picoseconds nack_reaction) : nack_reaction_(nack_reaction) {}

  /// One arrives at `now`, which never decreases. Returns when it takes effect; none: at once. A
  /// NACK always has a time, even if that is `now`.
  std::optional<Picoseconds> arrives(bool nack, Picoseconds now) {
    if (!nack && last_ < now) return std::nullopt;
    last_ = std::max(now + (nack ? nack_reaction_ : 0_ps), last_);
    return last_;
  }
  /// Orders those of one time: a number for each that has a time.
  std::uint64_t next_ordinal() { return ordinal_++; }

 private:
  Picoseconds nack_reaction_;
  Picoseconds last_{};  ///< when the last one that had a time takes effect
  std::uint64_t ordinal_ = 0;
};

}  // namespace horae::rnic
