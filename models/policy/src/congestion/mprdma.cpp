#include "horae/policy/congestion/mprdma.hpp"

#include <algorithm>

#include "horae/policy/own_parameters.hpp"

namespace horae::policy {

MpRdmaReaction::MpRdmaReaction(const MpRdmaWindow& parameters, BitRate line, Bytes mtu)
    : p_(parameters),
      packet_(static_cast<double>(parameters.packet.value_or(mtu).count())),
      line_(line),
      window_(static_cast<double>(parameters.initial_window.count())) {
  reduce(0);
}

void MpRdmaReaction::on_ack(const AckReport& ack, Picoseconds) {
  const auto bytes = static_cast<double>(ack.acked.count());
  if (ack.marked) return reduce(p_.decrease * bytes);
  const auto most = static_cast<double>(p_.max_window.count());
  window_ += bytes * packet_ / window_;
  window_ = std::min(window_, most);
}

void MpRdmaReaction::reduce(double bytes) { window_ = std::max(window_ - bytes, packet_); }

const Schema<MpRdmaWindow>& MpRdmaWindow::schema() {
  using M = MpRdmaWindow;
  // Values of the REPS artifact (tommasobo/REPS_EuroSys_Artifact at b751588), whose packets are
  // 4150 bytes on the wire and 4086 of payload: windows here count payload.
  static const Schema<M> s =
      Schema<M>("mprdma", "A window as MP-RDMA has it.")
          .field("packet", &M::packet,
                 {.doc = "added per round trip without marks; the least window; what a loss takes "
                         "where its size is not known. Absent: the MTU",
                  .min = 64_B,
                  .max = 64_KiB,
                  .source = "one packet: MP-RDMA (NSDI 2018); the REPS artifact"})
          .field("decrease", &M::decrease,
                 {.doc = "share of the acknowledged bytes that a marked acknowledgement takes",
                  .min = 0.0,
                  .max = 1.0,
                  .source = "0.25: the REPS artifact; MP-RDMA (NSDI 2018) takes half a packet"})
          .field("initial_window", &M::initial_window,
                 {.doc = "window of a new queue pair",
                  .min = 256_B,
                  .max = Bytes(1 << 30),
                  .source = "151 packets of 4086 bytes: the REPS artifact at 400 Gbps"})
          .field("max_window", &M::max_window,
                 {.doc = "most that acknowledgements raise it to",
                  .min = 256_B,
                  .max = Bytes(1 << 30),
                  .source = "1.5 bandwidth-delay products (625284 bytes on the wire): the REPS "
                            "artifact, two tiers of 400 Gbps and 1 us per link"});
  return s;
}

const Schema<MpRdmaWindowConfig>& MpRdmaWindowConfig::schema() {
  static const Schema<MpRdmaWindowConfig> s =
      Schema<MpRdmaWindowConfig>("mprdma", "A window as MP-RDMA has it.")
          .table("mprdma", &MpRdmaWindowConfig::values, MpRdmaWindow::schema());
  return s;
}

CongestionEntry mprdma_congestion() {
  return {.name = "mprdma",
          .doc = "a window that each acknowledgement raises or, marked, lowers (MP-RDMA, REPS)",
          .make_reaction = [](const CongestionConfig& config, BitRate line,
                              Bytes mtu) -> std::unique_ptr<ReactionPoint> {
            return std::make_unique<MpRdmaReaction>(
                config.parameters.of<MpRdmaWindowConfig>().values.value_or(MpRdmaWindow{}), line,
                mtu);
          },
          .make_notification = nullptr,
          .check = [](const CongestionConfig& config, BitRate) { refuse_acting_reactions(config); },
          .parameters = {keys_of<MpRdmaWindowConfig>()},
          .listens = {.acks = true},
          .state =
              [](const CongestionConfig&) {
                return std::vector<StateField>{{"window", 32}};
              },
          .keeps = true};
}

}  // namespace horae::policy
