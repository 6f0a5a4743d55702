#include "horae/policy/congestion/dctcp.hpp"

#include <algorithm>

#include "horae/policy/own_parameters.hpp"

namespace horae::policy {

Dctcp::Dctcp(const DctcpParameters& parameters, BitRate line, Bytes mtu)
    : p_(parameters),
      packet_(static_cast<double>(parameters.increase.value_or(mtu).count())),
      line_(line),
      window_(static_cast<double>(parameters.initial_window.count())),
      alpha_(parameters.initial_alpha) {}

void Dctcp::on_ack(const AckReport& ack, Picoseconds) {
  next_new_ = ack.next_new;
  if (!round_end_) round_end_ = ack.next_new;
  ++acks_;
  if (ack.marked) ++marked_;
  // The last packet of the round is acknowledged, or something behind it.
  if (round_end_->before(ack.expected)) {
    alpha_ = (1 - p_.gain) * alpha_ + p_.gain * marked_ / acks_;
    acks_ = marked_ = 0;
    round_end_ = ack.next_new;
  }
  if (reduced_until_ && reduced_until_->before(ack.expected)) reduced_until_.reset();
  if (ack.marked) cut(alpha_ / 2);
  if (reduced_until_) return;
  window_ += packet_ * static_cast<double>(ack.acked.count()) / window_;
}

void Dctcp::on_timeout(Picoseconds) { window_ = packet_; }

void Dctcp::cut(double share) {
  if (reduced_until_) return;
  window_ = std::max(window_ * (1 - share), packet_);
  reduced_until_ = next_new_;
}

const Schema<DctcpParameters>& DctcpParameters::schema() {
  using D = DctcpParameters;
  static const Schema<D> s =
      Schema<D>("dctcp", "DCTCP: a window cut by the share of marked packets.")
          .field("gain", &D::gain,
                 {.doc = "g: weight of a round's share of marks in alpha",
                  .min = 0.0001,
                  .max = 1.0,
                  .source = "1/16: RFC 8257, 4.2; Alizadeh et al., SIGCOMM 2010"})
          .field("initial_alpha", &D::initial_alpha,
                 {.doc = "alpha of a new queue pair",
                  .min = 0.0,
                  .max = 1.0,
                  .source = "1: RFC 8257, 3.3"})
          .field("increase", &D::increase,
                 {.doc = "added to the window in a round trip without a cut; and the least window. "
                         "Absent: the MTU",
                  .min = 64_B,
                  .max = 1_MiB,
                  .source = "one segment: Alizadeh et al., SIGCOMM 2010"})
          .field("initial_window", &D::initial_window,
                 {.doc = "window of a new queue pair; there is no slow start",
                  .min = 256_B,
                  .max = Bytes(1 << 30),
                  .source = "ours: 10 us at 100 Gbps. RDMA senders begin at the line's rate, TCP "
                            "with 10 segments (RFC 6928)",
                  .verified = false});
  return s;
}

const Schema<DctcpConfig>& DctcpConfig::schema() {
  static const Schema<DctcpConfig> s =
      Schema<DctcpConfig>("dctcp", "DCTCP: a window cut by the share of marked packets.")
          .table("dctcp", &DctcpConfig::values, DctcpParameters::schema());
  return s;
}

namespace {

// As hardware would keep it: bytes in 32 bits, alpha in 1/65536.
std::vector<StateField> dctcp_state(const CongestionConfig&) {
  return {{"window", 32},
          {"alpha", 16},
          {"acknowledgements of the round", 16},
          {"of them marked", 16},
          {"end of the round", Psn::bits + 1},
          {"end of the cut", Psn::bits + 1}};
}

}  // namespace

CongestionEntry dctcp_congestion() {
  return {.name = "dctcp",
          .doc = "a window, cut by half of the share of marked packets (DCTCP)",
          .make_reaction = [](const CongestionConfig& config, BitRate line,
                              Bytes mtu) -> std::unique_ptr<ReactionPoint> {
            return std::make_unique<Dctcp>(
                config.parameters.of<DctcpConfig>().values.value_or(DctcpParameters{}), line, mtu);
          },
          .make_notification = nullptr,
          .check = [](const CongestionConfig& config, BitRate) { refuse_acting_reactions(config); },
          .parameters = {keys_of<DctcpConfig>()},
          .by_marks_alone = true,
          .listens = {.acks = true, .every_ack = true},
          .state = dctcp_state};
}

}  // namespace horae::policy
