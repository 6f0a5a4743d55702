#include "horae/policy/congestion/eqds.hpp"

#include <cmath>

#include "horae/policy/own_parameters.hpp"

namespace horae::policy {
namespace {

/// So that counts modulo 2^32 can be compared.
constexpr std::int64_t most_waiting = std::int64_t{1} << 30;

const EqdsCredits& values_of(const CongestionConfig& config) {
  static const EqdsCredits defaults{};
  const auto& own = config.parameters.of<EqdsConfig>().values;
  return own ? *own : defaults;
}

}  // namespace

std::uint32_t EqdsReaction::on_spent(Bytes payload, Bytes waits) {
  credit_ -= payload.count();
  const std::int64_t more = std::min(waits.count() - credit_, most_waiting);
  const std::uint32_t needed = from_ + static_cast<std::uint32_t>(std::max<std::int64_t>(more, 0));
  if (bytes_from(announced_, needed) > 0) announced_ = needed;
  return needed;
}

void EqdsReaction::on_pull(std::uint32_t granted) {
  const std::int64_t more = bytes_from(heard_, granted);
  if (more <= 0) return;  // overtaken by a later one
  credit_ += more;
  heard_ = granted;
  if (bytes_from(from_, heard_) > 0) from_ = heard_;
  fresh_ = false;
}

void EqdsReaction::settle(Bytes in_flight, bool fresh) {
  fresh_ |= fresh;
  if (!fresh_) return;
  const std::int64_t room = start_ - in_flight.count();
  if (room <= 0) return;
  credit_ = std::max(credit_, room);
  fresh_ = false;
}

void EqdsReaction::on_starved() {
  // Announced bytes are taken to be granted, and the grants to be lost: they are needed anew. Pulls
  // that were only late count when they come.
  if (bytes_from(from_, announced_) > 0) from_ = announced_;
  credit_ = std::max<std::int64_t>(credit_, 1);
}

EqdsGrants::Sender& EqdsGrants::sender(std::size_t qp) {
  if (qp >= senders_.size()) senders_.resize(qp + 1);
  return senders_[qp];
}

void EqdsGrants::queue(std::size_t qp, Sender& s) {
  if (s.waits || s.backlog() <= 0) return;
  s.waits = true;
  turns_.push_back(static_cast<std::uint16_t>(qp));
}

void EqdsGrants::on_announced(std::size_t qp, std::uint32_t needed) {
  Sender& s = sender(qp);
  // Packets overtake each other.
  if (bytes_from(s.needed, needed) <= 0) return;
  s.needed = needed;
  queue(qp, s);
}

void EqdsGrants::on_trimmed(std::size_t qp) {
  Sender& s = sender(qp);
  s.needed += static_cast<std::uint32_t>(packet_.count());
  queue(qp, s);
}

GrantPoint::Grant EqdsGrants::next() {
  const std::uint16_t qp = turns_.front();
  turns_.pop_front();
  Sender& s = senders_[qp];
  s.waits = false;
  s.granted += static_cast<std::uint32_t>(packet_.count());
  queue(qp, s);
  return {qp, s.granted};
}

const Schema<EqdsCredits>& EqdsCredits::schema() {
  using E = EqdsCredits;
  static const Schema<E> s =
      Schema<E>("eqds", "Credits as EQDS has them.")
          .field("start_credit", &E::start_credit,
                 {.doc = "payload that goes without a pull when a message is posted and nothing "
                         "waits, less what is in flight",
                  .min = 256_B,
                  .max = Bytes(1 << 30),
                  .source = "1.5 bandwidth-delay products (625284 bytes on the wire): the REPS "
                            "artifact (b751588), two tiers of 400 Gbps and 1 us per link"})
          .field("pull_share", &E::pull_share,
                 {.doc = "share of its line that a receiver pulls, for all senders together",
                  .min = 0.01,
                  .max = 1.0,
                  .source = "0.99: the REPS artifact (b751588); of the line with headers, preamble "
                            "and gap: ours, the artifact's text has the payload of a pull alone"});
  return s;
}

const Schema<EqdsConfig>& EqdsConfig::schema() {
  static const Schema<EqdsConfig> s =
      Schema<EqdsConfig>("eqds", "Credits as EQDS has them.")
          .table("eqds", &EqdsConfig::values, EqdsCredits::schema());
  return s;
}

namespace {

// Widths are ours.
std::vector<StateField> eqds_state(const CongestionConfig&) {
  return {{"credit", 32},
          {"grants heard of, counted from, announced", 3 * 32},
          {"start credit due", 1},
          {"receiver: needed, granted", 2 * 32},
          {"receiver: next in turn, source port of pulls", 2 * 16}};
}

}  // namespace

CongestionEntry eqds_congestion() {
  return {
      .name = "eqds",
      .doc =
          "a start credit, then what the receiver pulls, in turn from all its senders "
          "(EQDS); needs a transport that knows of single packets",
      .make_reaction = [](const CongestionConfig& config, BitRate line,
                          Bytes) -> std::unique_ptr<ReactionPoint> {
        return std::make_unique<EqdsReaction>(values_of(config), line);
      },
      .make_notification = nullptr,
      .check = [](const CongestionConfig& config, BitRate) { refuse_acting_reactions(config); },
      .parameters = {keys_of<EqdsConfig>()},
      .listens = {.acks = true},
      .state = eqds_state,
      .make_grants = [](const CongestionConfig& config, Bytes packet,
                        Picoseconds time) -> std::unique_ptr<GrantPoint> {
        const double share = values_of(config).pull_share;
        return std::make_unique<EqdsGrants>(
            packet, Picoseconds(static_cast<std::int64_t>(
                        std::ceil(static_cast<double>(time.count()) / share))));
      },
      .headers = {{.feature = "EQDS's announcement", .between = "NICs", .behind_bth = 0xffffffff}}};
}

}  // namespace horae::policy
