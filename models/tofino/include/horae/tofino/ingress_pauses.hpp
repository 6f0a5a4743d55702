// Pauses that a chip sends: what the packets of each ingress port hold of its buffer.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "horae/fabric/devices/ingress_accounts.hpp"
#include "horae/fabric/packet_pool.hpp"
#include "horae/fabric/ports/tx_port.hpp"

namespace horae::tofino {

/// Set in `Packet::ingress_port` of a packet that entered ingress by a loopback port.
inline constexpr std::uint16_t came_around = 0x8000;
/// Likewise, of a packet that was resubmitted.
inline constexpr std::uint16_t came_again = 0x4000;
/// The front port that a packet came in by.
inline unsigned front_port(const Packet& p) {
  return p.ingress_port & ~unsigned{came_around | came_again};
}

/// Priority flow control by the rules of plain switches (`fabric::IngressAccounts`), in bytes of
/// whole cells. A packet counts from its queue on, as on the chip, where the traffic manager
/// accounts (a port has priority groups there, and so have mirror and loopback ports: open-p4studio
/// tm_tof2.h counts groups for 72 ports and one for mirroring): what is in an ingress pipeline is
/// of the headroom's time. The class is that which the program left it.
///
/// It counts for the port by which it came to the traffic manager. Of a packet from outside that is
/// its front port, also while it waits for its first way around. A mirrored copy comes by the
/// mirror port and a packet that has been around by the loopback port: there is nobody to pause,
/// they take of the shared buffer and are refused when that is full, never of a headroom. So it is
/// with classes that do not pause (`priorities`).
class IngressPauses {
 public:
  /// Where a packet counts: a front port and class, or one of these.
  using Account = std::int32_t;
  static constexpr Account nowhere = -1;  ///< of the control class

  IngressPauses(const fabric::PfcConfig& config, const fabric::BufferPools& pools, unsigned ports)
      : config_(config), accounts_(config, pools, ports, ports * classes) {
    for (unsigned c = 0; c < classes; ++c) lossless_ |= config.pauses(c) ? 1u << c : 0;
  }

  /// The next port: pauses go out by it. Its rate says which threshold it has.
  void add_port(fabric::tx_port& tx, Bytes headroom) {
    accounts_.set_port(static_cast<unsigned>(ports_.size()), config_.alpha_of(tx.link().rate),
                       headroom);
    ports_.push_back(&tx);
  }

  Account account_of(const Packet& p) const {
    const auto pool = static_cast<Account>(accounts_.pools().of(p.traffic_class));
    if ((lossless_ >> p.traffic_class & 1u) == 0) return nowhere - 2 - 2 * pool;
    if (p.mirror_type != 0 || (p.ingress_port & came_around) != 0) return nowhere - 1 - 2 * pool;
    return static_cast<Account>(front_port(p) * classes + p.traffic_class);
  }
  /// Why so many bytes cannot be taken in, if so.
  std::optional<fabric::DropCause> refusal(Account account, std::int64_t bytes) const;
  void add(Account account, std::int64_t bytes, Picoseconds t);
  void remove(Account account, std::int64_t bytes, Picoseconds t);

  /// Whether a pause is in force.
  bool pausing(Account account) const {
    return account >= 0 && accounts_.pausing(static_cast<std::size_t>(account));
  }

  /// Pauses, without resumes.
  std::uint64_t sent() const { return sent_; }
  /// With a dynamic threshold: what is free of the shared buffer.
  Bytes free() const { return accounts_.free(); }

 private:
  static constexpr unsigned classes = 8;

  // Below `nowhere`: in a pool, of nobody who could be paused; even where the class never pauses.
  static bool is_shared(Account account) { return account < nowhere; }
  static bool is_lossy(Account account) { return account % 2 != 0; }
  static unsigned pool_of(Account account) {
    return static_cast<unsigned>(nowhere - 1 - account) / 2;
  }
  void tell(Account account, bool pause, Picoseconds t) {
    const auto queue = static_cast<unsigned>(account);
    ports_[queue / classes]->send_pause(t, queue % classes, pause);
  }

  fabric::PfcConfig config_;
  fabric::IngressAccounts accounts_;
  unsigned lossless_ = 0;  ///< classes that pause, a bit for each
  std::vector<fabric::tx_port*> ports_;
  std::uint64_t sent_ = 0;
};

}  // namespace horae::tofino
