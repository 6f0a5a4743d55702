// The traffic seam: what a [[traffic]] table is to the rest of the program, whatever its kind.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "horae/config/platform.hpp"
#include "horae/params/located.hpp"
#include "horae/traffic/host_program.hpp"
#include "horae/traffic/source.hpp"
#include "horae/workload/flow.hpp"

namespace horae::workload {

class NicDemands;
struct TrafficKind;
struct TrafficSection;

/// The way in which the flows of a table are measured.
enum class Measure : std::uint8_t {
  streams,   ///< rates
  groups,    ///< the completion time of each group: collectives
  messages,  ///< each flow is one message: its completion time, and that in an idle network;
             ///< or it has no end, and only its rate counts
  queries,   ///< the same, and the completion time of each group
};

/// Packets that a host without a transport sends.
struct PacketStream {
  unsigned from = 0;        ///< the host, by its place among the platform's devices
  Bytes largest_payload{};  ///< of its packets
  std::unique_ptr<traffic::TrafficSource> source;
};

using FlowSink = std::function<void(const Flow&)>;
using PacketSink = std::function<void(PacketStream)>;
using ProgramSink =
    std::function<void(unsigned device, std::unique_ptr<traffic::HostProgram> program)>;

/// A [[traffic]] table as read and checked. A kind of traffic derives its own and says what differs
/// from a table that asks for nothing.
class Traffic : public config::TrafficTable {
 public:
  /// Reads from the table's section.
  explicit Traffic(const TrafficSection& table);

  /// Values in effect, in the order of `horae list parameters`, without `kind`.
  virtual nlohmann::ordered_json dump() const = 0;
  /// Gives each flow to `sink`, one by one: the same ones in the same order whenever it is called
  /// for the same platform. Those of a group follow each other. Flows within a scale-up domain are
  /// between its ends (DeviceInstance::scale_up). InputError for messages that wait for others at a
  /// NIC of such a domain, whose ends do not know what the NIC got.
  void flows(const config::PlatformConfig& platform, const FlowSink& sink) const;
  /// The same as its connections have them: with the keys that tables of any kind have (Mix).
  void connected_flows(const config::PlatformConfig& platform, const FlowSink& sink) const;
  /// Likewise what hosts without a transport send.
  virtual void packets(const config::PlatformConfig& platform, const PacketSink& sink) const;
  /// Gives the programs of its NICs' hosts, at most one for each NIC, to which Flow::channel
  /// belongs.
  virtual void programs(const config::PlatformConfig& platform, const ProgramSink& sink) const;
  virtual Measure measure() const { return Measure::streams; }
  /// Whether the flow is one message that is measured by its completion time.
  bool is_message(const Flow& flow) const {
    const Measure m = measure();
    return (m == Measure::messages || m == Measure::queries) && flow.count == 1;
  }
  /// When the last message comes; 0 where that is no question.
  virtual Picoseconds arrivals_end(const config::PlatformConfig& platform) const;
  /// Adds its demand on the NICs' chips; by default the demand of its flows.
  virtual void ask(const config::PlatformConfig& platform, NicDemands& demands) const;
  /// A note for the user on how the table was read; lines, or empty.
  virtual std::string note() const { return {}; }
  /// Adds rows to the tables of a run's summary.
  virtual void add_rows(nlohmann::ordered_json& rows) const;

  /// Pairs of its flows; a host without a transport may send to any other.
  void pairs(const config::PlatformConfig& platform, const PairSink& sink) const final;

  /// Every so many-th connection, from the first on, is not sprayed or balanced, but left
  /// to the switches' hash; absent: none.
  const std::optional<std::uint32_t>& ecmp_every() const { return mix_.ecmp_every; }
  /// The operation of its messages, or of the first.
  Verb verb() const { return verbs_ ? verbs_->front() : mix_.verb.value_or(Verb::write); }
  /// The transport service of its queue pairs.
  Service service() const { return mix_.service.value_or(Service::rc); }
  /// Whether some of its messages have a verb of which `f` says so.
  template <class F>
  bool any_verb(F&& f) const {
    return verbs_ ? std::ranges::any_of(*verbs_, f) : f(verb());
  }
  /// Whether some of its messages are READs or atomics.
  bool has_responses() const {
    return any_verb([](Verb v) { return has_response(v); });
  }
  /// Traffic class of its connections' data; absent: that of each NIC.
  const std::optional<std::uint32_t>& traffic_class() const { return mix_.traffic_class; }
  /// Prefix of its own results: `traffic.<name>.rate`; empty: it has none.
  std::string name() const { return mix_.name ? mix_.name->value : std::string(); }
  const TrafficKind& kind() const { return kind_; }
  /// Which [[traffic]] table of the platform it is, from 0.
  std::size_t number() const { return number_; }

  /// Keys of tables of any kind.
  struct Mix {
    std::optional<Service> service;
    std::optional<Verb> verb;
    std::optional<std::vector<Verb>> verbs, fence;
    std::optional<std::uint32_t> words, ecmp_every, traffic_class;
    std::optional<Located<std::string>> name;
    static const Schema<Mix>& schema();
  };

 protected:
  const Mix& mix() const { return mix_; }

 private:
  /// The flows of flows(), between NICs.
  virtual void plan(const config::PlatformConfig& platform, const FlowSink& sink) const;
  /// InputError for a flow between a NIC and an end of a scale-up domain, or ends of two.
  void check_fabric(const config::PlatformConfig& platform, const Flow& flow) const;
  [[noreturn]] void refuse_waiting(const config::PlatformConfig& platform, const Flow& flow) const;
  /// InputError in one line where a message of UD is more than a packet.
  void check_datagram(const config::PlatformConfig& platform, const Flow& flow) const;

  Mix mix_;
  const TrafficKind& kind_;
  std::size_t number_;
  Location kind_at_;
  std::shared_ptr<const std::vector<Verb>> verbs_;  ///< null: all messages have one
  Location verb_at_{}, service_at_{};
};

/// A message that is measured by its completion time, with numbers from 0.
struct PlacedMessage {
  std::size_t connection = 0;     ///< of it in the platform
  std::uint32_t sender_qp = 0;    ///< of its queue pair at the sender
  std::uint32_t receiver_qp = 0;  ///< and at the receiver
  Flow flow;
};

/// All messages of a platform, in the order of tables and flows.
std::vector<PlacedMessage> messages_of(const config::PlatformConfig& platform);

/// Table number `table` of a platform that workload::read_platform read.
const Traffic& traffic_of(const config::PlatformConfig& platform, std::size_t table);

}  // namespace horae::workload
