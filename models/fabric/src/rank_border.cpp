#include "horae/fabric/rank_border.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "horae/core/error.hpp"
#include "horae/fabric/device.hpp"

namespace horae::fabric {
namespace {

/// Without a link that is cut nothing crosses; ranks still tell each other that they go on.
constexpr Picoseconds longest_period = 1_ms;

}  // namespace

rank_border::rank_border(rank_exchange& exchange, std::vector<unsigned> owners)
    : exchange_(exchange),
      rank_(exchange.rank()),
      owners_(std::move(owners)),
      out_(exchange.ranks()),
      messages_(exchange.ranks()),
      in_(exchange.ranks()),
      period_(longest_period) {
  for (auto& message : out_) message.resize(head);
}

void rank_border::enlist(device& d) {
  if (devices_.size() == owners_.size()) {
    throw ModelError(
        fmt::format("{}: a device more than the {} that have a rank", d.name(), owners_.size()));
  }
  devices_.push_back(&d);
}

bool rank_border::cut(std::uint32_t a, std::uint32_t b, Picoseconds delay) {
  if (owners_[a] == owners_[b]) return false;
  period_ = std::min(period_, delay);
  return true;
}

void rank_border::leave(std::uint32_t to, std::uint16_t port, packet_phase phase, const Packet& p,
                        Picoseconds at) {
  out_[owners_[to]].push_back({at, to, port, phase, p});
}

void rank_border::cross(Picoseconds now, Picoseconds idle_until, Picoseconds limit) {
  if (idle_until > now) idle_until = std::min(idle_until, first_arrival());
  for (unsigned r = 0; r < out_.size(); ++r) {
    out_[r].front().at = idle_until;
    messages_[r] = std::as_bytes(std::span(out_[r]));
  }
  exchange_.exchange(messages_, in_);
  for (auto& message : out_) message.resize(head);
  for (unsigned r = 0; r < in_.size(); ++r) {
    if (r == rank_) continue;
    idle_until = std::min(idle_until, reinterpret_cast<const Crossing*>(in_[r].data())->at);
    file(in_[r]);
  }
  ++crossings_;
  // Nothing is sent before anybody has something to do: one long period is exact.
  due_ = std::max(now + period_, std::min(idle_until, limit));
}

void rank_border::file(const std::vector<std::byte>& message) {
  const auto* first = reinterpret_cast<const Crossing*>(message.data());
  const std::span<const Crossing> all(first, message.size() / sizeof(Crossing));
  for (const Crossing& c : all.subspan(head)) devices_[c.device]->take(c);
}

Picoseconds rank_border::first_arrival() const {
  Picoseconds first = never;
  for (const auto& message : out_) {
    for (std::size_t i = head; i < message.size(); ++i) first = std::min(first, message[i].at);
  }
  return first;
}

std::uint64_t rank_border::waiting() const {
  std::uint64_t n = 0;
  for (const auto& message : out_) {
    n += static_cast<std::uint64_t>(
        std::count_if(message.begin() + head, message.end(),
                      [](const Crossing& c) { return c.phase == packet_phase::begin_packet; }));
  }
  return n;
}

bool rank_border::empty() const {
  return std::all_of(out_.begin(), out_.end(), [](const auto& m) { return m.size() == head; });
}

}  // namespace horae::fabric
