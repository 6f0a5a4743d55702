// The ingress of a ToR with Themis: ports, and what brings responses to the state about them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "horae/dataplane/action.hpp"
#include "horae/dataplane/exact_table.hpp"
#include "horae/dataplane/gateway.hpp"
#include "horae/dataplane/hash.hpp"
#include "horae/dataplane/mirror.hpp"
#include "horae/programs/shared/port_groups.hpp"
#include "horae/programs/themis/themis.hpp"
#include "source.hpp"

namespace horae::programs::themis {

/// Routes, Themis-S when it is there, and two ways round for responses:
///
/// - one of a local receiver that would leave by another pipeline goes back to its own port first,
///   for the state to check it with is in that egress (packet-spraying paper 5, Figure 8);
/// - a NACK from the network that enters by another pipeline than its sender's recirculates through
///   the loopback port of the sender's pipeline, for Themis-S has its state in that ingress.
class Ingress {
 public:
  Ingress(dataplane::Pipeline& pipeline, const ThemisConfig& config, const Routes& routes);

  void run(dataplane::Pass& pass);
  /// Control plane: responses follow routing. The path indexes of sprayed data stay as many, and
  /// those of a withdrawn port get another one, by destination: what has the same index still takes
  /// the same path, which is all that condition C2 asks for. With path_control = "source_port"
  /// nothing changes: the fan-out belongs to the PathMap.
  void update(const Routes& routes);
  /// Control plane, of a connection whose sender is on this pipeline.
  void connect(const Connection& connection) {
    if (source_) source_->connect(connection);
  }
  /// The pipeline of an attached node, or nothing.
  std::optional<unsigned> pipeline_of(NodeId node) const {
    const auto it = pipeline_of_nic_.find(node);
    return it == pipeline_of_nic_.end() ? std::nullopt : std::optional(it->second);
  }
  void add_counters(std::vector<std::pair<std::string_view, std::uint64_t>>& out) const;

 private:
  static constexpr auto in = dataplane::Gress::ingress;
  /// A port of a group; what a NACK from the network does that would leave by it.
  struct Member {
    std::uint16_t port = 0;
    bool elsewhere = false;  ///< a NIC's, of another pipeline
  };
  /// Ports towards a node.
  struct Ways {
    PortGroup sprayed;  ///< of data
    PortGroup live;     ///< of everything else
  };
  /// Figure 8.
  struct TurnBack {
    TurnBack(dataplane::Pipeline& pipeline, const dataplane::Object& members);
    dataplane::Gateway is_local_response;
    dataplane::Gateway same_pipeline;
    dataplane::Action turn_back;
  };
  /// To the ingress of the sender's pipeline.
  struct ToSource {
    ToSource(dataplane::Pipeline& pipeline, const dataplane::Object& members);
    dataplane::Gateway is_remote_nack;
    dataplane::Gateway is_elsewhere;
    dataplane::Recirculation around;
  };
  void fill(const Routes& routes);
  void insert_members(std::size_t first, const std::vector<std::uint16_t>& ports);
  /// `nic`: it came from a NIC.
  [[gnu::always_inline]] void turn_back(dataplane::Pass& pass, std::uint16_t port, bool nic);
  [[gnu::always_inline]] bool bring_to_source(dataplane::Pass& pass, const Member& member,
                                              bool nic);
  bool from_nic(const dataplane::Pass& pass) const { return has_nic_.at(pass.ingress_port()) != 0; }

  NacksToSource nacks_to_source_;
  bool follows_routing_;
  unsigned pipeline_;
  Routes control_;
  std::unordered_map<NodeId, unsigned> pipeline_of_nic_;  ///< of each attached node
  std::vector<std::uint8_t> has_nic_;                     ///< by port: what port metadata says
  dataplane::ExactTable<NodeId, Ways> routes_;
  dataplane::Gateway is_data_;
  std::optional<dataplane::Gateway> is_nack_;
  std::optional<Source> source_;
  std::optional<dataplane::Hash> flow_path_;
  std::optional<dataplane::ExactTable<std::uint16_t, Member>> members_;
  std::optional<TurnBack> turn_back_;
  std::optional<ToSource> to_source_;
  std::uint64_t nacks_around_ = 0, nacks_past_ = 0;  // statistics of the model
};

}  // namespace horae::programs::themis
