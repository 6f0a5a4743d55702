// Queue pairs of the NIC that are connected on demand: DC.
#include <fmt/format.h>

#include "horae/core/error.hpp"
#include "horae/rnic/rnic.hpp"
#include "shell/rnic_events.hpp"

namespace horae::rnic {

void check_on_demand(const RnicConfig& config) {
  const auto refuse = [](const char* found, const char* expected) {
    throw InputError(
        fmt::format("service = 'dc' with {}: contexts of initiators and targets are "
                    "not public; expected {}",
                    found, expected));
  };
  if (config.sram.limited) refuse("sram.limited = true", "false");
  if (config.cache) refuse("a table 'cache'", "none");
}

bool rnic::has_turn(std::size_t i, Picoseconds now) {
  QueuePair& qp = qps_[i];
  if (now < qp.connected_at) {
    post_at(i, qp.connected_at);
    return false;
  }
  if (initiators_->holds(i)) return true;
  const Picoseconds due = qp.next_due(exchanges_.received(qp.config().exchange));
  if (due == never) return false;
  if (due > now) {
    post_at(i, due);
    return false;
  }
  const auto turn = initiators_->ask(i, qp.config().peer);
  return turn && !connects(*turn, now);
}

bool rnic::connects(const DcInitiators::Turn& turn, Picoseconds now) {
  if (!turn.connects) return false;
  ++counters_.dc_connects;
  const Picoseconds time = config_.dc.value_or(DcConfig{}).connect;
  if (time == 0_ps) return false;
  qps_[turn.qp].connected_at = now + time;
  post_at(turn.qp, now + time);
  return true;
}

void rnic::end_turn(std::size_t i, Picoseconds now) {
  QueuePair& qp = qps_[i];
  if (qp.outstanding() > 0 || !initiators_->holds(i)) return;
  const auto next = initiators_->give_up(i);
  if (!next) return;
  // Behind those that wait.
  if (qp.next_due(exchanges_.received(qp.config().exchange)) <= now)
    initiators_->ask(i, qp.config().peer);
  if (!connects(*next, now)) post(next->qp, now);
}

}  // namespace horae::rnic
