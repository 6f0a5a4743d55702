// The traffic of a platform on its NICs: connections, the groups they make, messages and their
// triggers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "horae/core/service.hpp"
#include "horae/elaboration/devices.hpp"
#include "horae/fabric/rank_exchange.hpp"
#include "horae/workload/traffic.hpp"

namespace horae::elaboration {

/// The connection of one flow, with both of its ends.
struct Connection {
  rnic::rnic* sender = nullptr;
  std::size_t sender_qp = 0;
  rnic::rnic* receiver = nullptr;
  std::size_t receiver_qp = 0;
  bool endless = false;     ///< it sends until the run ends
  std::size_t traffic = 0;  ///< number of its traffic table
  bool reads = false;       ///< its messages are READs or atomics, or some of them
  bool receives = false;    ///< its messages take receive WQEs
  bool atomics = false;     ///< its messages are atomics
  Service service = Service::rc;
  bool both = false;               ///< some of its messages have a response, and some have none
  std::uint8_t traffic_class = 0;  ///< of its data

  /// Where its data arrives; of `both`, that of those with a response.
  rnic::rnic& data_end() const { return reads ? *sender : *receiver; }
  std::size_t data_end_qp() const { return reads ? sender_qp : receiver_qp; }
};

/// A message of open-loop traffic, alone on its connection.
struct Message {
  std::size_t connection = 0;  ///< number of it
  std::size_t traffic = 0;     ///< number of its traffic table
  workload::Flow flow;
  std::optional<Picoseconds> ideal{};  ///< what its slowdown is relative to; absent: not known
};

/// A group of a collective, or the flows of an incast query: its connections are `first` to `first
/// + count - 1`.
struct Group {
  std::size_t traffic = 0;   ///< number of its traffic table
  std::uint32_t number = 0;  ///< within that
  Picoseconds start{};
  std::size_t first = 0, count = 0;
};

class Connections {
 public:
  Connections(const config::PlatformConfig& platform, const Devices& devices)
      : platform_(platform), devices_(devices), exchanges_(platform.devices.size()) {}

  /// Connects every flow of the platform's traffic, table by table.
  void build();

  /// In place of build(): one message of the platform's traffic, whose flow waits for nothing, and
  /// nothing else. Connection and queue pairs have the numbers that they have in the platform.
  void build_alone(const workload::PlacedMessage& message);
  /// Sets the ideal times that slowdowns of messages() are relative to, by message.
  void set_ideal(std::span<const std::optional<Picoseconds>> times);

  /// In the order of the flows, as everything here.
  const std::vector<Connection>& all() const { return all_; }
  const std::vector<Group>& groups() const { return groups_; }    ///< of collectives
  const std::vector<Group>& queries() const { return queries_; }  ///< of incast
  const std::vector<Message>& messages() const { return messages_; }
  /// NICs that post messages, and NICs where their data arrives, each in device order.
  const std::vector<rnic::rnic*>& senders() const { return senders_; }
  const std::vector<rnic::rnic*>& receivers() const { return receivers_; }

  /// Closes the connections of messages that are completed by `now`. Between windows; all ranks of
  /// the run, if there are several, call it (`ranks`, or null).
  void close(Picoseconds now, fabric::rank_exchange* ranks);
  /// Whether messages of NICs that run here are posted and not completed.
  bool waiting() const;

 private:
  /// A message that a trigger starts, and the exchange of its NIC that counts its firings.
  struct Trigger {
    int exchange = -1;
    std::vector<std::size_t> starts;  ///< messages whose connections are not closed
  };
  /// While a table is built: by device, the exchange of flows with a lead; -1: none.
  using LeadExchanges = std::vector<int>;

  /// Programs of the hosts, for the table whose flows follow.
  void add_programs(const workload::Traffic& traffic);
  /// `number`: of the connection in the platform; `closes`: it is a message, whose connection is
  /// closed behind it.
  void add(std::size_t table, const workload::Flow& flow, std::size_t number, LeadExchanges& leads,
           bool closes);
  /// Adds messages that were completed since the last call to `completed_`, as all ranks know them.
  void add_completed(fabric::rank_exchange* ranks);
  /// That trigger of the table; a new one lies in `device`.
  Trigger& trigger(std::size_t table, std::uint32_t number, unsigned device);
  std::unique_ptr<traffic::TrafficSource> source_of(const workload::Flow& flow, std::size_t number);
  void connect(std::size_t table, const workload::Flow& flow, std::size_t number,
               rnic::QueuePairConfig send, rnic::QueuePairConfig receive);
  void pin_if_mixed();

  const config::PlatformConfig& platform_;
  const Devices& devices_;
  std::vector<Connection> all_;
  std::vector<Group> groups_;
  std::vector<Group> queries_;
  std::vector<Message> messages_;
  std::vector<rnic::rnic*> senders_;
  std::vector<rnic::rnic*> receivers_;
  std::map<std::pair<std::size_t, std::uint32_t>, Trigger> triggers_;  ///< by table and number
  std::vector<int> exchanges_;        ///< by device: so many are in use
  std::map<unsigned, int> turns_;     ///< by device: the exchange of those it visits in turn
  std::vector<int> program_of_;       ///< of the table that is being built, by device; -1: none
  std::vector<std::size_t> by_time_;  ///< messages in the order of time, but for triggered ones
  std::size_t arrived_ = 0;           ///< of those, so many have arrived
  std::vector<std::size_t> opened_;   ///< by message: its place in the order of opening; 0: not yet
  std::size_t openings_ = 0;
  std::vector<std::size_t> completed_;  ///< messages whose connections are not closed yet
};

}  // namespace horae::elaboration
