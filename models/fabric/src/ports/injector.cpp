#include "horae/fabric/ports/injector.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "horae/core/service.hpp"

namespace horae::fabric {
namespace {

Injection::Stream stream_of(const Packet& p) { return {p.src, p.dst, p.dest_qp.value()}; }

/// Number of `i` among 0, every, 2 x every, ...; absent: it is none of them.
std::optional<std::uint64_t> place(std::uint64_t i, std::uint64_t every) {
  if (i % every != 0) return std::nullopt;
  return i / every;
}

}  // namespace

std::string_view name_of(Injection::Action action) {
  constexpr std::array<std::string_view, 5> names = {"drop", "mark", "corrupt", "delay",
                                                     "duplicate"};
  return names[static_cast<std::size_t>(action)];
}

bool Injection::chooses(const Packet& p) const {
  const bool ack = p.opcode == Opcode::acknowledge;
  const bool kind = packets == Packets::data    ? carries_data(p)
                    : packets == Packets::acks  ? ack && !p.is_nack()
                    : packets == Packets::nacks ? p.is_nack()
                                                : p.opcode == Opcode::cnp;
  return kind &&
         (streams.empty() || std::binary_search(streams.begin(), streams.end(), stream_of(p)));
}

void Injector::add(std::uint32_t number, Injection injection) {
  std::sort(injection.streams.begin(), injection.streams.end());
  rules_.push_back({std::move(injection), {.number = number}});
}

bool Injector::meets(Rule& rule, const Packet& p) {
  const Injection& i = rule.injection;
  if (i.psn) {
    constexpr std::uint32_t psns = 1u << 24;
    const std::uint32_t ahead = (p.psn.value() + psns - *i.psn) % psns;
    const auto at = place(ahead, i.every);
    if (!at || *at >= i.count) return false;
    std::uint64_t& passed = rule.passed_psn[{stream_of(p), p.psn.value()}];
    if (passed >= i.iteration) return false;
    ++chances_;
    return ++passed == i.iteration;
  }
  std::uint64_t& passed = rule.passed[stream_of(p)];
  const std::uint64_t last = i.packet + (i.count - 1) * i.every;
  if (passed >= last) return false;
  ++chances_;
  if (++passed < i.packet) return false;
  return place(passed - i.packet, i.every).has_value();
}

std::vector<Injector::Met> Injector::met() const {
  std::vector<Met> out;
  for (const Rule& rule : rules_) out.push_back(rule.met);
  return out;
}

}  // namespace horae::fabric
