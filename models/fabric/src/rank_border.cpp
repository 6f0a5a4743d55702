#include "horae/fabric/rank_border.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "horae/core/error.hpp"
#include "horae/fabric/device.hpp"

namespace horae::fabric {
namespace {

/// Without a link that is cut nothing crosses; ranks still tell each other that they go on.
constexpr Picoseconds longest_period = 1_ms;

/// Crossings begin at multiples of their alignment.
constexpr std::size_t whole_words(std::size_t bytes) {
  return (bytes + alignof(Crossing) - 1) / alignof(Crossing) * alignof(Crossing);
}
static_assert(sizeof(Feedback) % alignof(Crossing) == 0);

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
  const Crossing crossing{at, to, port, phase, p};
  Message& message = out_[owners_[to]];
  const auto append = [&message](const void* from, std::size_t bytes) {
    const auto* first = static_cast<const std::byte*>(from);
    message.insert(message.end(), first, first + bytes);
  };
  append(&crossing, sizeof(Crossing));
  if (feedback_) {
    const Feedback none{};
    append(brings_packet(phase) ? &feedback_of(p) : &none, sizeof(Feedback));
  }
  if (bytes_ == nullptr) return;
  const std::size_t number_at = message.size();
  message.resize(number_at + sizeof(std::uint64_t));
  if (brings_packet(phase)) bytes_->hand_over(p, message);
  const std::uint64_t number = message.size() - number_at - sizeof(std::uint64_t);
  std::memcpy(&message[number_at], &number, sizeof(number));
  message.resize(whole_words(message.size()));
}

/// All that cross with a message.
template <class F>
void rank_border::for_each(const std::vector<std::byte>& message, F&& f) const {
  for (std::size_t i = head; i < message.size();) {
    Crossed crossed{*reinterpret_cast<const Crossing*>(&message[i])};
    i += sizeof(Crossing);
    if (feedback_) {
      crossed.feedback = reinterpret_cast<const Feedback*>(&message[i]);
      i += sizeof(Feedback);
    }
    if (bytes_ != nullptr) {
      std::uint64_t number = 0;
      std::memcpy(&number, &message[i], sizeof(number));
      crossed.bytes.emplace(message.data() + i + sizeof(number), number);
      i = whole_words(i + sizeof(number) + number);
    }
    f(crossed);
  }
}

void rank_border::cross(Picoseconds now, Picoseconds idle_until, Picoseconds limit) {
  if (idle_until > now) idle_until = std::min(idle_until, first_arrival());
  for (unsigned r = 0; r < out_.size(); ++r) {
    reinterpret_cast<Crossing*>(out_[r].data())->at = idle_until;
    messages_[r] = out_[r];
  }
  exchange_.exchange(messages_, in_);
  for (auto& message : out_) message.resize(head);
  for (unsigned r = 0; r < in_.size(); ++r) {
    if (r == rank_) continue;
    idle_until = std::min(idle_until, reinterpret_cast<const Crossing*>(in_[r].data())->at);
    file(in_[r]);
  }
  ++crossings_;
  // Nothing is sent before a device has work: one long period is exact.
  due_ = std::max(now + period_, std::min(idle_until, limit));
}

void rank_border::file(const std::vector<std::byte>& message) {
  for_each(message, [&](const Crossed& c) { devices_[c.crossing.device]->take(c); });
}

Picoseconds rank_border::first_arrival() const {
  Picoseconds first = never;
  for (const auto& message : out_) {
    for_each(message, [&](const Crossed& c) { first = std::min(first, c.crossing.at); });
  }
  return first;
}

std::uint64_t rank_border::waiting() const {
  std::uint64_t n = 0;
  for (const auto& message : out_) {
    for_each(message, [&](const Crossed& c) { n += brings_packet(c.crossing.phase) ? 1 : 0; });
  }
  return n;
}

bool rank_border::empty() const {
  return std::all_of(out_.begin(), out_.end(), [](const auto& m) { return m.size() == head; });
}

}  // namespace horae::fabric
