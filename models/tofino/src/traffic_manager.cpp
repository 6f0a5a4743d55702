#include "horae/tofino/traffic_manager.hpp"

#include <fmt/format.h>

#include <cmath>

namespace horae::tofino {

using fabric::DropCause;

TrafficManager::TrafficManager(const ChipConfig& config, RandomStream marks)
    : queues_per_port_(config.queues_per_port),
      closely_(config.pauses() || config.control_class || config.classes || config.frees_queues() ||
               config.pools || config.marking().by_class ||
               (config.marking().enabled() && config.marking().at_dequeue())),
      free_queues_(config.frees_queues()),
      queue_limit_(config.queue_limit),
      buffer_(config.cells, config.cell),
      red_(marks),
      control_class_(config.control_class),
      red_config_(config.marking()),
      pfc_(config.pauses() ? config.pfc : std::nullopt),
      bytes_(config.buffer()),
      classes_(config.classes.value_or(std::vector<fabric::ClassConfig>{})),
      pool_configs_(config.pools),
      pools_(config.pools, config.buffer()) {
  if (!classes_.empty()) scheduler_.emplace(classes_);
}

void TrafficManager::begin(std::uint64_t seed, const std::string& name,
                           const std::vector<Bytes>& headrooms) {
  const auto ports = static_cast<unsigned>(ports_.size());
  pools_ = fabric::BufferPools(pool_configs_, bytes_ - Bytes(buffer_.bytes(set_aside_)));
  if (pfc_) pauses_.emplace(*pfc_, pools_, ports);
  for (unsigned i = 0; i < ports; ++i) {
    fabric::tx_port& tx = ports_[i].out.tx();
    ports_[i].red = red_config_.of(tx.link().rate);
    if (red_config_.by_class) red_of_class_.push_back(red_config_.of_port(tx.link().rate));
    if (red_config_.enabled() && red_config_.at_dequeue())
      red_of_port_.emplace_back(RandomStream(seed, fmt::format("{}.port{}.red", name, i)));
    if (pauses_) pauses_->add_port(tx, headrooms.empty() ? pfc_->headroom : headrooms.at(i));
  }
}

TrafficManager::Lodging TrafficManager::lodging(const Packet& p) const {
  if (is_control(p)) return {};
  return {buffer_.cells_of(p), pauses_ ? pauses_->account_of(p) : IngressPauses::nowhere,
          p.traffic_class};
}

/// Why it cannot be had, which is counted; the control class is never refused.
std::optional<DropCause> TrafficManager::refusal(const Lodging& wanted) {
  if (pauses_ && wanted.account != IngressPauses::nowhere) {
    const auto cause = pauses_->refusal(wanted.account, buffer_.bytes(wanted.cells));
    if (cause == DropCause::headroom_full) {
      ++counters_.dropped_headroom;
      return cause;
    }
    if (cause) {
      ++counters_.dropped_buffer;
      return cause;
    }
  }
  const bool pool_has =
      !pools_.several() || buffer_.bytes(wanted.cells) <= pools_.free(wanted.traffic_class);
  if (buffer_.has_room(wanted.cells) && pool_has) return std::nullopt;
  ++counters_.dropped_buffer;
  return DropCause::buffer_full;
}

void TrafficManager::take(const Lodging& lodging, Picoseconds t) {
  buffer_.take(lodging.cells);
  count_in_pool(lodging, 1);
  if (lodging.account != IngressPauses::nowhere)
    pauses_->add(lodging.account, buffer_.bytes(lodging.cells), t);
}

void TrafficManager::leave(const Lodging& had, Picoseconds t) {
  buffer_.give_back(had.cells);
  count_in_pool(had, -1);
  if (had.account != IngressPauses::nowhere)
    pauses_->remove(had.account, buffer_.bytes(had.cells), t);
}

std::optional<DropCause> TrafficManager::admit_closely(Packet& p, unsigned port, unsigned queue,
                                                       Picoseconds t) {
  ports_[port].out.nothing_before(t);
  if (is_control(p) || is_free(queue)) return std::nullopt;
  const Lodging wanted = lodging(p);
  if (const auto cause = refusal(wanted)) return cause;
  const Port& to = ports_[port];
  if (queue_limit_.count() > 0 && to.out.depth().count() + p.frame > queue_limit_.count()) {
    ++counters_.dropped_queue;
    return DropCause::queue_full;
  }
  if (over_share(p, to.out, queue)) {
    ++counters_.dropped_queue;
    ++counters_.over_share[p.traffic_class];
    return DropCause::queue_full;
  }
  if (red_of_port_.empty() && red_.mark(p, to.out.depth_of_queue(queue), red_of(p, port)))
    ++counters_.marked;
  take(wanted, t);
  return std::nullopt;
}

/// The packet counts with its frame, what is free with its cells: as `queue_share` of a plain
/// switch.
bool TrafficManager::over_share(const Packet& p, const EgressPort& out, unsigned queue) const {
  for (const fabric::ClassConfig& c : classes_) {
    if (c.number != p.traffic_class) continue;
    const std::int64_t depth = out.depth_of_queue(queue).count() + p.frame;
    if (c.limit.count() > 0 && depth > c.limit.count()) return true;
    if (c.share == 0) return false;
    if (depth <= c.minimum.count()) return false;
    constexpr std::int64_t unit = 65536;  // shares are multiples of its inverse
    const std::int64_t free = pools_.several() ? pools_.free(p.traffic_class)
                                               : bytes_.count() - buffer_.bytes(buffer_.used());
    return depth * unit > std::llround(c.share * double{unit}) * free;
  }
  return false;
}

void TrafficManager::mark_what_leaves(Packet& p, unsigned port, Bytes left) {
  if (red_of_port_.empty() || is_control(p)) return;
  if (red_of_port_[port].mark(p, left, red_of(p, port))) ++counters_.marked;
}

std::optional<DropCause> TrafficManager::admit_to_loopback(const Packet& p, Picoseconds t) {
  const Lodging wanted = closely_ ? lodging(p) : Lodging{.cells = buffer_.cells_of(p)};
  if (const auto cause = refusal(wanted)) return cause;
  take(wanted, t);
  return std::nullopt;
}

void TrafficManager::change(const Lodging& had, const Packet& p, Picoseconds t) {
  const Lodging has = lodging(p);
  buffer_.give_back(had.cells);
  buffer_.take_again(has.cells);
  count_in_pool(had, -1);
  count_in_pool(has, 1);
  if (!pauses_ || (has.account == had.account && has.cells == had.cells)) return;
  // The difference, so that no sender is paused or released in between.
  const std::int64_t more = has.account == had.account ? has.cells - had.cells : has.cells;
  if (has.account != IngressPauses::nowhere && more > 0)
    pauses_->add(has.account, buffer_.bytes(more), t);
  const std::int64_t less = has.account == had.account ? -more : had.cells;
  if (had.account != IngressPauses::nowhere && less > 0)
    pauses_->remove(had.account, buffer_.bytes(less), t);
}

bool TrafficManager::set_aside(std::int64_t cells) {
  if (!buffer_.has_room(cells)) return false;
  buffer_.take(cells);
  set_aside_ += cells;
  return true;
}

void TrafficManager::hold(unsigned port, unsigned queue) {
  ++counters_.holds;
  this->port(port).hold(queue);
}

void TrafficManager::release(unsigned port, unsigned queue, Picoseconds t) {
  ++counters_.releases;
  this->port(port).release(queue, t);
}

std::uint64_t TrafficManager::packets() const {
  std::uint64_t n = 0;
  for (const Port& port : ports_) n += port.out.packets();
  return n;
}

}  // namespace horae::tofino
