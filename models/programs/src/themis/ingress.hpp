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
#include "parts.hpp"
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

  void run(PassKind auto& pass) { whole_ ? run_as<true>(pass) : run_as<false>(pass); }
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
    AllEqual<number(Opcode::acknowledge), 1> is_local_response;
    SameValue same_pipeline;
    dataplane::Action turn_back;
  };
  /// To the ingress of the sender's pipeline.
  struct ToSource {
    ToSource(dataplane::Pipeline& pipeline, const dataplane::Object& members);
    AllEqual<number(Opcode::acknowledge), syndrome::nak_psn_sequence, 0> is_remote_nack;
    AllFlags is_elsewhere;
    dataplane::Recirculation around;
  };
  template <bool whole>
  void run_as(PassKind auto& pass);
  void fill(const Routes& routes);
  void insert_members(std::size_t first, const std::vector<std::uint16_t>& ports);
  /// `nic`: it came from a NIC; `nack`: it is one, where that matters.
  [[gnu::always_inline]] void turn_back(PassKind auto& pass, std::uint16_t port, bool nic);
  template <bool whole>
  [[gnu::always_inline]] bool bring_to_source(PassKind auto& pass, const Member& member, bool nic,
                                              bool nack);
  bool from_nic(const dataplane::AnyPass& pass) const {
    return has_nic_.at(pass.ingress_port()) != 0;
  }

  NacksToSource nacks_to_source_;
  bool follows_routing_;
  unsigned pipeline_;
  Routes control_;
  std::unordered_map<NodeId, unsigned> pipeline_of_nic_;  ///< of each attached node
  std::vector<std::uint8_t> has_nic_;                     ///< by port: what port metadata says
  dataplane::ExactTable<NodeId, Ways> routes_;
  IsData is_data_;
  std::optional<AllEqual<number(Opcode::acknowledge), syndrome::nak_psn_sequence>> is_nack_;
  std::optional<Source> source_;
  std::optional<dataplane::Hash> flow_path_;
  std::optional<dataplane::ExactTable<std::uint16_t, Member>> members_;
  std::optional<TurnBack> turn_back_;
  std::optional<ToSource> to_source_;
  bool whole_;                                       ///< it has all that the published program has
  std::uint64_t nacks_around_ = 0, nacks_past_ = 0;  // statistics of the model
};

template <bool whole>
inline void Ingress::run_as(PassKind auto& pass) {
  const Packet& p = pass.header();
  const Ways* ways = routes_.lookup(pass, p.dst);
  const bool data = is_data_.test(pass, number(p.opcode));
  if (ways == nullptr) return pass.drop();
  const PortGroup* group = data ? &ways->sprayed : &ways->live;
  if (group->count == 0) return pass.drop();
  const bool nack = has<whole>(is_nack_) && is_nack_->test(pass, number(p.opcode), p.syndrome);
  const std::uint32_t path =
      has<whole>(source_)
          ? source_->path<whole>(pass, group->count, data, nack)
          : flow_path_->of(pass, {std::uint64_t{p.src} << 32 | p.dst, p.entropy}) % group->count;
  const Member member = *members_->lookup(pass, static_cast<std::uint16_t>(group->first + path));
  pass.forward(member.port);
  const bool nic = from_nic(pass);
  if (has<whole>(is_nack_) && bring_to_source<whole>(pass, member, nic, nack)) return;
  if (has<whole>(turn_back_)) turn_back(pass, member.port, nic);
}

template <bool whole>
inline bool Ingress::bring_to_source(PassKind auto& pass, const Member& member, bool nic,
                                     bool nack) {
  const Packet& p = pass.header();
  if (!has<whole>(to_source_)) {
    if (nack && !nic && member.elsewhere) ++nacks_past_;
    return false;
  }
  if (!to_source_->is_remote_nack.test(pass, number(p.opcode), p.syndrome, bit(nic))) return false;
  if (!to_source_->is_elsewhere.test(pass, member.elsewhere)) return false;
  ++nacks_around_;
  to_source_->around.request(pass, control_.pipeline_of_port[member.port]);
  return true;
}

inline void Ingress::turn_back(PassKind auto& pass, std::uint16_t port, bool nic) {
  const Packet& p = pass.header();
  TurnBack& t = *turn_back_;
  if (!t.is_local_response.test(pass, number(p.opcode), bit(nic))) return;
  const auto pipeline_of = [&](unsigned q) { return control_.pipeline_of_port[q]; };
  if (t.same_pipeline.test(pass, pipeline_of(pass.ingress_port()), pipeline_of(port))) return;
  t.turn_back.run(pass, [&] {
    pass.header().metadata = static_cast<std::uint16_t>(port + 1);
    pass.forward(pass.ingress_port());
  });
}

}  // namespace horae::programs::themis
