#include "horae/fabric/threads/thread_team.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "horae/fabric/device.hpp"

namespace horae::fabric {
namespace {

void relax() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#else
  std::this_thread::yield();
#endif
}

/// Ports with a link: as many as packets may come by.
std::size_t links(const device& d) {
  std::size_t connected = 0;
  for (unsigned port = 0; port < d.ports(); ++port) connected += d.tx(port).connected() ? 1 : 0;
  return connected;
}

/// The device that one with a single link belongs to; null: none.
const device* only_neighbour(const device& d) {
  const device* found = nullptr;
  for (unsigned port = 0; port < d.ports(); ++port) {
    if (!d.tx(port).connected()) continue;
    if (found != nullptr || !d.tx(port).leads_to_device()) return nullptr;
    found = &d.tx(port).leads_to();
  }
  return found;
}

}  // namespace

void MeetingPoint::meet() {
  // Some 10 us, about what it takes to wake a thread. More would keep cores from others' work.
  constexpr int spins = 300;
  const std::uint32_t round = round_.load(std::memory_order_acquire);
  if (here_.fetch_add(1, std::memory_order_acq_rel) + 1 == threads_) {
    here_.store(0, std::memory_order_relaxed);
    round_.store(round + 1, std::memory_order_release);
    round_.notify_all();
    return;
  }
  for (int i = 0; i < spins; ++i) {
    if (round_.load(std::memory_order_acquire) != round) return;
    relax();
  }
  while (round_.load(std::memory_order_acquire) == round)
    round_.wait(round, std::memory_order_acquire);
}

thread_team::thread_team(const std::vector<device*>& devices, Lane& own, const threading& threads)
    : from_(threads.from),
      parts_(std::max<std::size_t>(1, std::min<std::size_t>(threads.count, devices.size()))),
      meeting_(static_cast<unsigned>(parts_.size())) {
  for (Part& part : parts_) {
    if (&part == parts_.data()) {
      part.lane = &own;
      continue;
    }
    part.own = std::make_unique<Lane>();
    part.lane = part.own.get();
    if (own.pool.carries_feedback()) part.lane->pool.carry_feedback();
  }
  share_out(devices);
}

thread_team::~thread_team() {
  if (threads_.empty()) return;
  over_ = true;
  meeting_.meet();
  for (auto& t : threads_) t.join();
}

/// A packet between two lanes moves from one processor's cache to another's, so end points are with
/// their switch. Switches go to the lane with the fewest links: those of a tier follow each other,
/// so each lane gets its share of each tier.
void thread_team::share_out(const std::vector<device*>& devices) {
  std::vector<std::size_t> load(parts_.size());
  std::unordered_map<const device*, std::size_t> lane_of;
  const auto put = [&](const device& d, std::size_t lane) {
    lane_of[&d] = lane;
    load[lane] += links(d);
  };
  const auto least = [&] {
    return static_cast<std::size_t>(std::min_element(load.begin(), load.end()) - load.begin());
  };
  for (const device* d : devices) {
    if (d->stays_with_kernel()) put(*d, 0);
  }
  for (const device* d : devices) {
    if (!lane_of.contains(d) && only_neighbour(*d) == nullptr) put(*d, least());
  }
  for (const device* d : devices) {
    if (lane_of.contains(d)) continue;
    const auto neighbour = lane_of.find(only_neighbour(*d));
    put(*d, neighbour != lane_of.end() ? neighbour->second : least());
  }
  for (auto d = devices.rbegin(); d != devices.rend(); ++d) {
    Part& part = parts_[lane_of.at(*d)];
    part.devices.push_back(*d);
    (*d)->run_in(*part.lane);
  }
}

void thread_team::start() {
  for (std::size_t i = 1; i < parts_.size(); ++i) {
    threads_.emplace_back([this, i] {
      for (;;) {
        meeting_.meet();
        if (over_) return;
        work(parts_[i]);
      }
    });
  }
}

thread_team::Failure thread_team::run_window(Picoseconds end) {
  end_ = end;
  if (events() < from_) {
    work_alone();
  } else {
    if (threads_.empty()) start();
    meeting_.meet();
    work(parts_.front());
  }
  deliver_told();
  level_pools();
  Failure first;
  for (Part& part : parts_) {
    Failure failure = std::exchange(part.failure, {});
    if (failure.error == nullptr) continue;
    if (first.error == nullptr || failure.where->number() > first.where->number())
      first = std::move(failure);
  }
  return first;
}

void thread_team::work(Part& part) {
  for (device* d : part.devices) d->gather_window(end_);
  meeting_.meet();
  run_part(part);
  meeting_.meet();
}

void thread_team::work_alone() {
  for (Part& part : parts_) {
    for (device* d : part.devices) d->gather_window(end_);
  }
  for (Part& part : parts_) run_part(part);
}

std::uint64_t thread_team::events() const {
  std::uint64_t sum = 0;
  for (const Part& part : parts_) sum += part.events;
  return sum;
}

void thread_team::run_part(Part& part) {
  part.events = 0;
  for (device* d : part.devices) {
    const std::uint64_t before = d->events_handled();
    try {
      d->run_gathered();
    } catch (...) {
      if (part.failure.error == nullptr) part.failure = {std::current_exception(), d};
    }
    part.events += d->events_handled() - before;
  }
}

void thread_team::deliver_told() {
  for (Part& part : parts_) {
    for (const auto& p : part.lane->pauses) p.port->obey(p.traffic_class, p.pause, p.at);
    for (const auto& p : part.lane->late_packets) p.to->take(*p.packet, p.last_bit);
    part.lane->pauses.clear();
    part.lane->late_packets.clear();
  }
}

/// Packets begin in one lane and end in another: where all memory is in use takes free memory of
/// where the most is free.
void thread_team::level_pools() {
  const auto less = [](const Part& a, const Part& b) {
    return a.lane->pool.free_places() < b.lane->pool.free_places();
  };
  const auto [least, most] = std::minmax_element(parts_.begin(), parts_.end(), less);
  PacketPool& empty = least->lane->pool;
  PacketPool& full = most->lane->pool;
  constexpr std::size_t enough = PacketPool::block_size;
  if (empty.free_places() >= enough || full.free_places() < 4 * enough) return;
  full.give_places(empty, (full.free_places() - empty.free_places()) / 2);
}

PacketCounts thread_team::others_packets() const {
  PacketCounts sum;
  for (const Part& part : parts_) {
    if (part.own != nullptr) sum += part.own->pool.counts();
  }
  return sum;
}

}  // namespace horae::fabric
