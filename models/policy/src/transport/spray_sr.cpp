// spray_sr: selective repeat for sprayed packets, as the transport under REPS has it (Bonato et
// al., "REPS: Recycled Entropy Packet Spraying for Adaptive Load Balancing and Failure Mitigation",
// EuroSys 2026, and its artifact, tommasobo/REPS_EuroSys_Artifact at b751588; Ultra Ethernet's
// transport is its parent).
//
// The receiver takes packets in any order. It acknowledges every `ack_every`-th packet, and at once
// the first one of the connection, one that has CE, one that asks, a duplicate, and the one that
// closes the last hole while somebody has asked. An acknowledgement names the packet that caused it
// and reports single packets. A trimmed packet is answered by a NACK that names it.
//
// The sender resends what a NACK names and what its timer gives up, nothing else: it never goes
// back, takes no hint from reordering and does not back off. What is sent again goes first and
// asks.
#include "horae/policy/transport/spray_sr.hpp"

#include "horae/core/codec/selective_report.hpp"
#include "horae/policy/own_parameters.hpp"
#include "horae/policy/state_fields.hpp"
#include "spray_parts.hpp"

namespace horae::policy {

const Schema<SprayParameters>& SprayParameters::schema() {
  using S = SprayParameters;
  static const Schema<S> s =
      Schema<S>("spray_sr", "Reports and timers of spray_sr.")
          .field("sack_bits", &S::sack_bits,
                 {.doc = "spray_sr: packets that the bitmap of an acknowledgement covers",
                  .min = 64,
                  .max = SelectiveReport::most_bits,
                  .source = "64: the REPS artifact (b751588); 256: REPS (EuroSys 2026), the FPGA"})
          .choice(
              "timer", &S::timer,
              {{"packet", SendTimer::packet},
               {"group", SendTimer::group},
               {"connection", SendTimer::connection}},
              {.doc = "spray_sr: send times that the sender keeps: of each packet in flight, of "
                      "16 PSNs the last one (all of them that wait go again), or when anything "
                      "was acknowledged last (the oldest one goes again)",
               .source = "packet: the REPS artifact (b751588); the others are ours, as a time "
                         "per packet is much on-chip memory"});
  return s;
}

namespace {

/// Fields of both halves per connection. A packet in flight is one of those that the window lets
/// out.
std::vector<StateField> spray_state(const TransportConfig& config) {
  const auto& own = config.parameters.of<SprayParameters>();
  const std::uint64_t window = config.window;
  constexpr std::uint64_t time_bits = 32;  // as the paper's one time per connection (Table 1)
  const std::uint64_t times = own.timer == SendTimer::packet ? window
                              : own.timer == SendTimer::group
                                  ? window / SendTimes::group_packets + 1
                                  : 1;
  return {{"fate of each packet in the window", 2 * window},
          {"send times", times * time_bits},
          {"sender's two PSNs", 2 * Psn::bits},
          {"receiver: packets since the last ACK, packets that wait, first and ask", 5 + 16 + 2}};
}

}  // namespace

TransportEntry spray_sr_transport() {
  return {.name = "spray_sr",
          .doc =
              "selective repeat for sprayed packets: acknowledgements with a bitmap, a timer per "
              "packet, NACKs for trimmed packets only",
          .make_sender = make_spray_sender,
          .make_receiver = make_spray_receiver,
          .parameters = {keys_of<SprayParameters>()},
          .selective = true,
          .retries = false,
          .state = spray_state};
}

}  // namespace horae::policy
