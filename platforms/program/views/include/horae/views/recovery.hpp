// The timeline of retransmissions: loss, NACK, resend, completion, with CNPs and pauses beside.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "horae/views/view_filter.hpp"
#include "horae/views/watcher.hpp"

namespace horae::elaboration {
class Simulation;
}

namespace horae::views {

/// Steps of a recovery, each when it happened first.
enum class Mark : std::uint8_t {
  lost,           ///< dropped, or found corrupted; absent: it was late, and nothing was lost
  nack_decided,   ///< the receiver decides to send a NACK for it
  nack_sent,      ///< first bit of the NACK on the receiver's wire
  nack_received,  ///< the sender has the NACK: its receive latency is over
  served,         ///< the retransmit unit is done with the NACK
  timed_out,      ///< the retransmission timer of the queue pair ran out at this packet
  resent,         ///< first bit of the retransmission on the sender's wire
  arrived,        ///< last bit of the packet at the receiver, after all that
  completed,      ///< the message is completed
  count_
};
inline constexpr std::size_t marks = static_cast<std::size_t>(Mark::count_);
std::string_view name_of(Mark mark);

/// Records the recovery of each packet of a WRITE that was lost, asked for by a NACK, or timed out.
/// READs are left out: their responses are asked for anew. Keeps at most `most` entries.
class RecoveryRecorder final : public Watcher {
 public:
  RecoveryRecorder(const ViewFilter& filter, const elaboration::Simulation& simulation,
                   std::uint64_t most);

  struct Recovery {
    std::uint32_t flow = 0;
    std::string name{};  ///< of the flow, as --flow has it: SRC-DST:QP
    std::uint32_t psn = 0;
    std::uint64_t message = 0;
    std::array<Picoseconds, marks> at;  ///< negative: did not happen
    std::string place{};                ///< the device that it was lost at, or behind
    std::string cause{};                ///< of the loss
    std::uint32_t losses = 0, nacks = 0, resends = 0;

    Recovery() { at.fill(Picoseconds(-1)); }
    Picoseconds operator[](Mark m) const { return at[static_cast<std::size_t>(m)]; }
    /// The first of its marks.
    Picoseconds begin() const;
  };
  /// Something beside: a CNP that reached its sender, a pause of a port, an injection.
  struct Beside {
    std::string what, where;
    Picoseconds from{}, to{};
    std::optional<std::uint32_t> flow{};
  };

  /// After the run up to `end`: pauses that go on end there; what was not completed is kept. The
  /// simulation is not used afterwards.
  void finish(Picoseconds end);
  /// In the order of their first marks.
  const std::vector<Recovery>& recoveries() const { return done_; }
  /// From when on entries are left out; `never`: none is.
  Picoseconds full_at() const { return full_at_; }

  nlohmann::ordered_json to_json() const;
  std::string text() const;
  /// A line for each recovery, in picoseconds.
  void write_csv(std::ostream& out) const;

  void sent(const fabric::device& d, unsigned port, const Packet& p, Picoseconds start,
            Picoseconds first_bit, Picoseconds last_bit) override;
  void arrived(const fabric::device& d, unsigned port, const Packet& p, Picoseconds at,
               Picoseconds ready) override;
  void dropped(const fabric::device& d, const Packet& p, fabric::DropCause cause,
               Picoseconds at) override;
  void injected(const fabric::device& d, unsigned port, const Packet& p,
                fabric::Injection::Action action, Picoseconds at) override;
  void paused(const fabric::device& d, unsigned port, unsigned traffic_class, bool pause,
              Picoseconds at) override;
  void nack_decided(const rnic::rnic& nic, std::size_t qp, const Packet& cause, Psn expected,
                    Picoseconds at) override;
  void nack_served(const rnic::rnic& nic, std::size_t qp, Psn psn, Picoseconds start,
                   Picoseconds end, bool resend) override;
  void timed_out(const rnic::rnic& nic, std::size_t qp, Psn oldest, Picoseconds at) override;
  void completed(const rnic::rnic& nic, std::size_t qp, std::uint64_t first, std::uint64_t count,
                 Picoseconds at) override;

 private:
  using Key = std::pair<std::uint32_t, std::uint32_t>;  ///< flow and PSN

  std::optional<std::uint32_t> flow_of(const rnic::rnic& nic, std::size_t qp, bool sends) const;
  /// The recovery of a packet of a flow; null: there is none.
  Recovery* find(std::uint32_t flow, Psn psn);
  /// The same, begun if there is none; null: no room, or not asked for.
  Recovery* begin(std::uint32_t flow, Psn psn, Picoseconds at);
  void note(Recovery* r, Mark mark, Picoseconds at);
  void keep_beside(Beside b);
  bool room(Picoseconds at);

  const ViewFilter& filter_;
  const elaboration::Simulation& simulation_;
  std::uint64_t most_, kept_ = 0;
  Picoseconds full_at_ = never;
  std::map<std::tuple<bool, NodeId, std::size_t>, std::uint32_t> flows_;  ///< by end and queue pair
  std::map<Key, Recovery> open_;
  std::vector<Recovery> done_;
  std::vector<Beside> beside_;
  std::map<std::tuple<std::string, unsigned, unsigned>, Picoseconds> paused_since_;
  std::uint64_t resent_unasked_ = 0;  ///< retransmissions of packets without a recovery
};

}  // namespace horae::views
