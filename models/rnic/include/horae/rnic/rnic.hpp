// The RDMA NIC as a device.
#pragma once

#include <boost/circular_buffer.hpp>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "horae/core/stats.hpp"
#include "horae/fabric/device.hpp"
#include "horae/rnic/counters.hpp"
#include "horae/rnic/queue_pair.hpp"
#include "horae/rnic/rnic_config.hpp"

namespace horae::rnic {

/// A NIC with one port. Its wire is a reservation: the TX pipe decides at each packet boundary what
/// goes next (responses first, then the queue pairs whose turn it is), and between events those
/// decisions depend on nothing new, so they are made in one go when time moves on.
class rnic : public fabric::device {
 public:
  rnic(sc_core::sc_module_name name, fabric::sim_context& context, const RnicConfig& config,
       NodeId id);
  ~rnic() override;

  /// Number of the first queue pair; the others follow.
  static constexpr std::uint32_t first_qpn = 0x40;

  /// Adds a queue pair (elaboration only); returns its number.
  Qpn add_queue_pair(QueuePairConfig config);
  std::size_t queue_pairs() const { return qps_.size(); }
  const QueuePair& queue_pair(std::size_t i) const { return *qps_[i]; }

  NodeId id() const { return id_; }
  const RnicConfig& config() const { return config_; }
  const RnicCounters& counters() const { return counters_; }
  /// PSN distance ahead of the expected PSN, of every packet that arrived out of order.
  const Histogram& reorder_depth() const { return reorder_depth_; }
  /// Starts a measurement: histograms begin anew (counters go on; take differences).
  void reset_histograms();
  /// Whether all queue pairs with a source have completed all of its messages.
  bool finished() const;

  Picoseconds next_time() const override;
  std::vector<std::string> describe_queues() const override;

 protected:
  void begin() override;
  void handle(const fabric::Event& e) override;
  void settle(Picoseconds end) override { transmit_before(end); }

 private:
  struct PendingResponse {
    Picoseconds ready;
    std::uint16_t qp;
    policy::Response response;
  };

  void receive(Packet& p, Picoseconds now);
  void receive_data(const Packet& p, Picoseconds now);
  void receive_ack(const Packet& p, Picoseconds now);
  void take_response(std::size_t qp, bool nack, Psn psn, Picoseconds now);
  void expire(std::size_t qp, Picoseconds now);
  void progressed(std::size_t qp, const policy::AckOutcome& outcome, Picoseconds now);
  void post(std::size_t qp, Picoseconds now);

  void transmit_before(Picoseconds end);
  void send_response();
  void send_data(std::size_t qp);
  Packet& new_packet(const QueuePair& qp, Opcode opcode, Bytes payload);
  /// Puts a queue pair in or out of the ready ring and arms its timer, after anything changed.
  void refresh(std::size_t qp);
  void arm_timer(std::size_t qp);
  /// The queue pair whose turn it is at `now`, or -1; then `allowed` is when the shaper lets the
  /// first one go.
  int pick(Picoseconds now, Picoseconds& allowed);
  void next_turn();
  /// What a queue pair sent in its turn counts against its rate.
  void end_turn(QueuePair& qp);
  bool paused(std::uint32_t traffic_class) const { return (paused_ >> traffic_class & 1u) != 0; }
  IdleCause idle_cause() const;
  std::size_t index_of(Qpn qpn) const;

  RnicConfig config_;
  NodeId id_;
  const policy::TransportEntry& transport_;
  std::vector<std::unique_ptr<QueuePair>> qps_;
  boost::circular_buffer<std::uint16_t> ready_;  ///< queue pairs that may send, next turn first
  std::size_t window_blocked_ = 0;               ///< queue pairs held back by their window
  std::deque<PendingResponse> responses_;        ///< in the order of their readiness
  Picoseconds cursor_{};                         ///< the wire is decided up to here
  unsigned paused_ = 0;
  std::uint64_t packets_created_ = 0;
  Picoseconds responses_due_{};  ///< when the last response received so far takes effect
  std::uint64_t response_ordinal_ = 0;
  RnicCounters counters_;
  Histogram reorder_depth_;
};

}  // namespace horae::rnic
